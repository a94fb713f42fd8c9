"""What talk of every day got wrong once, by class: endings, corrections, names, marital state, promises taken back, machines."""

from __future__ import annotations

from itertools import pairwise

import pytest

from harness.language import load_packs
from harness.state import CommitmentStatus
from harness.understanding.emotion.appraising import appraise
from harness.understanding.facts.claims import Claim, read_claims
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import Stand
from harness.understanding.references.entities import resolve
from harness.understanding.text import stem
from harness.understanding.topics.labels import label_of
from tests.unit.test_facts_probes import converse, row
from tests.unit.test_promise_probes import after as promised
from tests.unit.test_reference_probes import after as spoken

PACKS = load_packs()


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, list(lines)).active_facts()}


@pytest.mark.parametrize(
    ("code", "asked", "answers"),
    [
        ("en", "Where do you live?", ["Mm.", "Mm-hm.", "Uh-huh.", "Hmm…", "Meh.", "Pff.", "Ugh.", "Er…", "Whatever."]),
        ("zh", "你住在哪儿？", ["嗯。", "嗯嗯。", "呃……", "哦。", "唔…", "随便。", "这个嘛……", "都行。"]),
    ],
)
def test_a_sound_answers_nothing(code: str, asked: str, answers: list[str]) -> None:
    for answer in answers:
        assert known(code, f"character: {asked}", f"user: {answer}") == set(), answer


@pytest.mark.parametrize(
    ("code", "asked", "answer", "fact"),
    [
        ("en", "Where do you live?", "Ohio.", ("user", "home", "Ohio")),
        ("en", "What's your name?", "Emma.", ("user", "name", "Emma")),
        ("zh", "你住在哪儿？", "苏州。", ("user", "home", "苏州")),
        ("zh", "你叫什么名字？", "艾米。", ("user", "name", "艾米")),
    ],
)
def test_short_values_still_answer(code: str, asked: str, answer: str, fact: tuple[str, ...]) -> None:
    assert known(code, f"character: {asked}", f"user: {answer}") == {fact}


NOTHING = [
    ("en", "I'm from the bank."),
    ("en", "I'm from your insurance, about the claim."),
    ("en", "I'm from Customer Service"),
    ("en", "I'm Done."),
    ("en", "I'm Ready."),
    ("en", "I'm Starving!"),
    ("en", "I'm engaged in a lot of projects."),
    ("en", "Oh sure, because I just love queues."),
    ("zh", "我是从银行来的。"),
    ("zh", "我是物业的。"),
    ("zh", "我好了。"),
    ("zh", "我是开玩笑的。"),
    ("zh", "我是画着玩的。"),
    ("zh", "我在考虑学钢琴。"),
    ("zh", "我想离婚。"),
]


@pytest.mark.parametrize(("code", "text"), NOTHING)
def test_what_states_nothing(code: str, text: str) -> None:
    assert known(code, f"user: {text}") == set()


STATED = [
    ("en", "I'm from the north of Spain.", ("user", "origin", "north of Spain")),
    ("en", "I'm from the Netherlands.", ("user", "origin", "Netherlands")),
    ("en", "I'm Ted.", ("user", "name", "Ted")),
    ("en", "I'm Jing.", ("user", "name", "Jing")),
    ("en", "I lost my job.", ("user", "job", "unemployed")),
    ("en", "My doctor says I'm allergic to latex.", ("user", "allergy", "latex")),
    ("en", "I've had epilepsy since school.", ("user", "health", "epilepsy")),
    ("en", "I'm five foot six.", ("user", "height", "five foot six")),
    ("zh", "我丢了工作。", ("user", "job", "失业")),
    ("zh", "医生说我对乳胶过敏。", ("user", "allergy", "乳胶")),
    ("zh", "我从小就有癫痫。", ("user", "健康", "癫痫")),
    ("zh", "我是卖水果的。", ("user", "job", "卖水果")),
    ("zh", "我把烟戒了。", ("user", "smoking", "抽烟", "not")),
]


@pytest.mark.parametrize(("code", "text", "fact"), STATED)
def test_look_alikes_still_state(code: str, text: str, fact: tuple[str, ...]) -> None:
    assert known(code, f"user: {text}") == {fact}


OVER = [
    ("en", "I have a cat.", "We gave our cat away last week.", True),
    ("en", "I have a hamster called Pip.", "We had to put Pip to sleep.", True),
    ("en", "I have a guitar.", "I gave my guitar away.", True),
    ("en", "I have a dog called Rex.", "I put Rex in the car.", False),
    ("en", "I have a dog called Rex.", "I put Rex's bowl down.", False),
    ("en", "I have a dog called Rex.", "I took Rex away for the weekend.", False),
    ("zh", "我养了一只猫。", "我把猫送走了。", True),
    ("zh", "我有条狗叫豆豆。", "豆豆安乐死了。", True),
    ("zh", "我有条狗叫豆豆。", "我们给豆豆做了安乐死。", True),
    ("zh", "我有条狗叫豆豆。", "我把豆豆送去洗澡了。", False),
    ("zh", "我有条狗叫豆豆。", "我带豆豆走了很远。", False),
]


@pytest.mark.parametrize(("code", "told", "end", "over"), OVER)
def test_what_was_given_away_is_over(code: str, told: str, end: str, over: bool) -> None:
    assert (known(code, f"user: {told}", f"user: {end}") == set()) is over


CHANGED = [
    ("en", ["user: I'm a vegetarian.", "user: I eat meat again."], ("user", "diet", "meat")),
    ("en", ["user: I don't drink.", "user: I drink wine again."], ("user", "drinks", "wine")),
    ("en", ["user: I'm vegetarian.", "user: My dog eats meat again."], ("user", "diet", "vegetarian")),
    ("en", ["user: My name is Hana.", "user: No, it's Hanna."], ("user", "name", "Hanna")),
    ("en", ["user: Hello!", "character: Hi Anna!", "user: No, it's Hanna."], ("user", "name", "Hanna")),
    ("en", ["user: My name is Tom.", "character: Nice dog, Max!", "user: No, it's Rex."], ("user", "name", "Tom")),
    ("en", ["user: My name is Tessa.", "user: I'm Gutted."], ("user", "name", "Tessa")),
    ("en", ["user: I'm a nurse.", "user: I lost my job in May."], ("user", "job", "unemployed")),
    ("zh", ["user: 我吃素。", "user: 我又开始吃肉了。"], ("user", "diet", "肉")),
    ("zh", ["user: 我不喝酒。", "user: 我又开始喝酒了。"], ("user", "drinks", "酒")),
    ("zh", ["user: 我叫韩那。", "user: 不对，是韩娜。"], ("user", "name", "韩娜")),
    ("zh", ["user: 你好", "character: 汉娜你好！", "user: 不对，是韩娜。"], ("user", "name", "韩娜")),
    ("zh", ["user: 我是护士。", "user: 我失业了。"], ("user", "job", "失业")),
]


@pytest.mark.parametrize(("code", "lines", "fact"), CHANGED)
def test_later_words_put_it_right(code: str, lines: list[str], fact: tuple[str, ...]) -> None:
    assert known(code, *lines) == {fact}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("en", ["character: Is it Monday?", "user: No, it's Tuesday."]),
        ("en", ["character: Is it Vienna?", "user: No, it's Vilnius."]),
        ("zh", ["character: 今天周一吧？", "user: 不对，是周二。"]),
        ("zh", ["character: 你在南京？", "user: 不对，是北京。"]),
    ],
)
def test_a_correction_of_something_else_names_nobody(code: str, lines: list[str]) -> None:
    assert not any(fact[1] == "name" for fact in known(code, *lines))


@pytest.mark.parametrize(
    ("code", "lines", "fact"),
    [
        ("en", ["user: My boyfriend is called Taro.", "user: Taro plays the drums."], ("Taro", "hobby", "drums")),
        ("en", ["user: My sister is called Yuki.", "user: yuki lives in Kyoto."], ("Yuki", "home", "Kyoto")),
        ("zh", ["user: 我女朋友叫茂琳。", "user: 茂琳是护士。"], ("茂琳", "job", "护士")),
        ("zh", ["user: 我妹妹叫雨桐。", "user: 雨桐住在苏州。"], ("雨桐", "home", "苏州")),
    ],
)
def test_who_was_named_is_known_by_it(code: str, lines: list[str], fact: tuple[str, ...]) -> None:
    assert fact in known(code, *lines)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("en", ["user: My friend is called Mark.", "user: Mark my words."]),
        ("en", ["user: My boss is called Will.", "user: Will you come?"]),
        ("zh", ["user: 我朋友叫高兴。", "user: 高兴得很。"]),
    ],
)
def test_a_name_that_is_a_word_too(code: str, lines: list[str]) -> None:
    assert {fact[0] for fact in known(code, *lines)} == {"user"}


MARITAL = [
    ("en", ["I'm single."], "single"),
    ("en", ["I've been divorced for years."], "divorced"),
    ("en", ["My ex-husband lives in Rome."], "divorced"),
    ("en", ["My husband died last year."], "widowed"),
    ("en", ["I'm a widower."], "widower"),
    ("en", ["I'm divorced.", "I'm engaged."], "engaged"),
    ("en", ["I'm married.", "My ex-wife called."], "married"),
    ("en", ["I have a wife called Eva.", "We got divorced."], "divorced"),
    ("zh", ["我单身。"], "单身"),
    ("zh", ["我离异三年了。"], "离异"),
    ("zh", ["我前夫住在天津。"], "离异"),
    ("zh", ["我丈夫去年去世了。"], "丧偶"),
    ("zh", ["我守寡多年。"], "守寡"),
    ("zh", ["我离婚了。", "我们订婚了。"], "订婚"),
    ("zh", ["我结婚了。", "我前妻来电话了。"], "已婚"),
    ("zh", ["我老婆叫李娜。", "我们离婚了。"], "离异"),
]


@pytest.mark.parametrize(("code", "lines", "state"), MARITAL)
def test_marital_state_holds_one_value(code: str, lines: list[str], state: str) -> None:
    facts = known(code, *(f"user: {line}" for line in lines))
    assert {fact for fact in facts if fact[0] == "user"} == {("user", "marital state", state)}


def claim_of(code: str, text: str) -> Claim:
    return next(
        claim for claim in read_claims(text, PACKS.get(code)) if claim.attribute in ("marital state", "partner")
    )


STANDS = [
    ("en", "marital status", "divorced", "I'm married.", Stand.conflict),
    ("en", "marital status", "divorced", "I'm widowed.", Stand.conflict),
    ("en", "marital status", "engaged", "I'm married.", Stand.conflict),
    ("en", "marital status", "single", "I'm unmarried.", Stand.same),
    ("en", "marital status", "widowed", "I'm a widow.", Stand.same),
    ("en", "marital status", "single", "I'm divorced.", Stand.same),
    ("en", "husband", "Piet", "I'm married.", Stand.same),
    ("en", "husband", "Piet", "I'm single.", Stand.conflict),
    ("en", "girlfriend", "Ana", "I'm single.", Stand.conflict),
    ("en", "marital status", "single", "I have a wife.", Stand.conflict),
    ("zh", "婚姻状况", "离异", "我已婚。", Stand.conflict),
    ("zh", "婚姻状况", "离异", "我丧偶。", Stand.conflict),
    ("zh", "婚姻状况", "单身", "我未婚。", Stand.same),
    ("zh", "婚姻状况", "单身", "我离异。", Stand.same),
    ("zh", "老公", "老周", "我已婚。", Stand.same),
    ("zh", "老公", "老周", "我单身。", Stand.conflict),
    ("zh", "女朋友", "小安", "我单身。", Stand.conflict),
    ("zh", "婚姻状况", "单身", "我有老婆。", Stand.conflict),
]


@pytest.mark.parametrize(("code", "attribute", "value", "text", "stand"), STANDS)
def test_marital_states_are_compared(code: str, attribute: str, value: str, text: str, stand: Stand) -> None:
    pack = PACKS.get(code)
    relation = best(claim_of(code, text), propositions(attribute, value, True, "", pack), pack)  # noqa: FBT003
    assert relation.stand is stand


BACK = [
    ("en", [["I'll come to your party on Saturday.", "Great."], ["I won't come to your party after all.", "Pity."]]),
    ("en", [["I'll help you move on Sunday.", "Thanks!"], ["I'm afraid I won't be able to help you move.", "Oh."]]),
    ("en", [["I'll lend you my drill.", "Thanks."], ["Forget the drill, I need it myself.", "OK."]]),
    ("zh", [["周六我来参加你的派对。", "好。"], ["派对我还是不来了。", "可惜。"]]),
    ("zh", [["周日我帮你搬家。", "谢谢！"], ["不好意思，我没法帮你搬家了。", "哦。"]]),
    ("zh", [["我把电钻借给你。", "谢谢。"], ["电钻的事算了，我自己要用。", "好吧。"]]),
]


@pytest.mark.parametrize(("code", "turns"), BACK)
def test_a_promise_taken_back_opens_none(code: str, turns: list[list[str]]) -> None:
    assert [made.status for made in promised(code, turns).commitments] == [CommitmentStatus.withdrawn]
    assert promised(code, turns[1:]).commitments == ()


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Don't forget the drill!"),
        ("en", "I won't forget the drill."),
        ("zh", "别忘了电钻。"),
        ("zh", "电钻不算重。"),
    ],
)
def test_what_takes_nothing_back(code: str, text: str) -> None:
    first = {"en": "I'll lend you my drill.", "zh": "我把电钻借给你。"}[code]
    found = promised(code, [[first, "OK"], [text, "OK"]]).commitments
    assert found[0].status is CommitmentStatus.open


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My phone died."),
        ("en", "The battery died on the train."),
        ("en", "The wifi is dead."),
        ("en", "My laptop just died"),
        ("zh", "我手机没电了。"),
        ("zh", "电脑又死机了"),
        ("zh", "网络断了"),
    ],
)
def test_a_machine_that_dies_is_no_grief(code: str, text: str) -> None:
    shown = appraise(text, PACKS.get(code))
    assert shown.label != "sadness"
    assert shown.valence > -0.3


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My dog died."),
        ("en", "My phone died, and then my dog died."),
        ("zh", "我的狗死了。"),
        ("zh", "我爷爷走了。"),
    ],
)
def test_a_death_still_is(code: str, text: str) -> None:
    assert appraise(text, PACKS.get(code)).label == "sadness"


@pytest.mark.parametrize(
    ("code", "text", "label"),
    [
        ("en", "My phone died.", "phone"),
        ("en", "my dog died", "dog"),
        ("zh", "我的狗死了", "狗"),
        ("zh", "电脑挂了", "电脑"),
    ],
)
def test_a_verb_labels_no_topic(code: str, text: str, label: str) -> None:
    assert label_of((text,), PACKS.get(code)) == label
    assert label_of(("He died",), PACKS.get("en")) == PACKS.get("en").topics.no_topic_label


@pytest.mark.parametrize(
    ("code", "before", "text", "expected"),
    [
        ("en", ["I took the car to the mechanic", "And?"], "He said it was fine", "The mechanic said it was fine"),
        ("en", ["The vet looked at my dog", "And?"], "He said it was fine", "The vet said it was fine"),
        ("en", ["My brother Tom checked the car", "Good."], "He said it was fine", "Tom said it was fine"),
        ("zh", ["我跟老板谈了加薪", "怎么样？"], "他说没关系", "老板说没关系"),
        ("zh", ["我问了房东", "然后呢？"], "他说没事", "房东说没事"),
        ("zh", ["我想去故宫看看", "故宫很大的"], "值得去吗", "故宫值得去吗"),
        ("zh", ["我想去故宫看看", "故宫很大的"], "真的吗", "真的吗"),
        ("zh", ["我想去故宫看看", "故宫很大的"], "吃了吗", "吃了吗"),
    ],
)
def test_somebody_of_a_role_is_meant(code: str, before: list[str], text: str, expected: str) -> None:
    assert resolve(text, state=spoken(code, before), pack=PACKS.get(code)).text == expected


def test_stems_come_from_the_packs() -> None:
    for group in (("swim", "swims", "swimming"), ("baby", "babies"), ("bake", "bakes", "baking", "baked"), ("bus",)):
        assert all(stem(one) == stem(other) for one, other in pairwise(group))
    assert (stem("bus"), stem("falling"), stem("Anna's".lower())) == ("bus", "fall", "anna")

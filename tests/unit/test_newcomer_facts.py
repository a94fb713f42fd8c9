"""What a newcomer said in an hour: moves, refusals, short answers, several facts in a sentence, questions for what was told."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import Commitment, DialogueState, Fact, Persona, PersonaRef
from harness.state.operations import AssertFact
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.recall import check_recall, recall_notices
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MIA = Persona(name="Mia")
Row = tuple[str, str, str, bool]


def stated(code: str, text: str, asked: str = "") -> list[Row]:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    found = extract_facts(text, speaker="user", state=state, persona=MIA, pack=PACKS.get(code), turn=3, asked=asked)
    return [(op.subject, op.attribute, op.value, op.polarity) for op in found if isinstance(op, AssertFact)]


def own(*rows: tuple[str, str] | tuple[str, str, bool]) -> list[Row]:
    return [("user", row[0], row[1], row[2] if len(row) > 2 else True) for row in rows]


MOVES = [
    ("en", "I moved to Bath in May.", own(("home", "Bath"))),
    ("en", "I moved to Bath in May 2020.", own(("home", "Bath"))),
    ("en", "I moved to Bath on Monday.", own(("home", "Bath"))),
    ("en", "I moved to Bath for my job last spring.", own(("home", "Bath"))),
    ("en", "I moved to Bath at the end of March.", own(("home", "Bath"))),
    ("en", "I moved to Newcastle upon Tyne in June.", own(("home", "Newcastle upon Tyne"))),
    ("en", "I moved to Stow on the Wold.", own(("home", "Stow on the Wold"))),
    ("en", "My sister moved to Bath in May.", [("user's sister", "home", "Bath", True)]),
    (
        "en",
        "I don't live in Leeds any more, I moved to York last week.",
        own(("home", "Leeds", False), ("home", "York")),
    ),
    ("en", "I'm moving to Bath in May.", []),
    ("en", "Have you moved to Bath in May?", []),
    ("zh", "我早就不在杭州了，上个月搬到宁波了。", own(("home", "杭州", False), ("home", "宁波"))),
    ("zh", "我早就不住杭州了，上个月搬到宁波了。", own(("home", "杭州", False), ("home", "宁波"))),
    ("zh", "我已经不在杭州住了，现在住宁波。", own(("home", "杭州", False), ("home", "宁波"))),
    ("zh", "我早就不在北京了，出国了。", own(("home", "北京", False))),
    ("zh", "我妹妹早就不在杭州了，上个月搬到宁波了。", [("用户的妹妹", "home", "宁波", True)]),
    ("zh", "我早就不在那家公司了，上个月换到银行了。", []),
    ("zh", "我不在家了，出门了。", []),
    ("zh", "我打算明年搬到宁波。", []),
    ("zh", "你上个月搬到宁波了吗？", []),
]


@pytest.mark.parametrize(("code", "text", "expected"), MOVES)
def test_a_move_leaves_the_old_place_and_keeps_its_date_out_of_the_new_one(
    code: str, text: str, expected: list[Row]
) -> None:
    assert stated(code, text) == expected


WANTS = [
    ("en", "Please stop recommending Italian restaurants.", own(("wanted food", "italian", False))),
    ("en", "I'm not looking for a cheap hotel.", own(("wanted price", "cheap", False))),
    ("en", "I'm not looking for a cheap hotel, I want an expensive one.", own(("wanted price", "expensive"))),
    ("en", "I don't want an Italian restaurant.", own(("wanted food", "italian", False))),
    ("en", "Don't recommend me that Italian restaurant again.", []),
    ("en", "Please stop recommending that Italian restaurant.", []),
    (
        "en",
        "Recommend me a cheap Italian restaurant.",
        own(("wanted price", "cheap"), ("wanted food", "italian")),
    ),
    ("en", "Please, why not find me a cheap hotel?", own(("wanted price", "cheap"))),
    ("zh", "别再给我推荐那家川菜馆了。", []),
    ("zh", "别去那家川菜馆了，找家便宜的粤菜馆吧。", own(("wanted price", "便宜"), ("wanted food", "粤菜"))),
    ("zh", "不要给我推荐川菜馆了。", own(("wanted food", "川菜", False))),
    ("zh", "别推荐川菜馆。", own(("wanted food", "川菜", False))),
    ("zh", "能不能别推荐贵的餐厅？", own(("wanted price", "贵", False))),
    ("zh", "特别想吃川菜，找一家吧。", own(("wanted food", "川菜"))),
    ("zh", "别光推荐川菜馆，给我推荐一家粤菜馆。", own(("wanted food", "粤菜"))),
    ("zh", "我不想再吃火锅了，想吃日料。", own(("wanted food", "日本菜"))),
    ("zh", "给我推荐一家川菜馆吧。", own(("wanted food", "川菜"))),
    ("zh", "能不能给我推荐一家便宜的川菜馆？", own(("wanted price", "便宜"), ("wanted food", "川菜"))),
]


@pytest.mark.parametrize(("code", "text", "expected"), WANTS)
def test_what_is_refused_is_not_wanted(code: str, text: str, expected: list[Row]) -> None:
    assert stated(code, text) == expected


ANSWERS = [
    ("en", "What would you like to talk about?", "By the way, how's your brother these days?", []),
    ("en", "What would you like to talk about?", "Mostly cats.", []),
    ("en", "What kind of paper do you like?", "Take your time, no hurry.", []),
    ("en", "What do you like?", "Wait, what?", []),
    ("en", "What can't I eat?", "Nuts.", []),
    ("en", "What does Anjali eat?", "Nuts.", []),
    ("en", "What do you want to eat tonight?", "Let's go to the Indian place.", []),
    ("en", "What pets do you have?", "Mostly cats.", own(("pet", "cats"))),
    ("en", "What can't you eat?", "Nuts.", own(("diet", "Nuts", False))),
    ("en", "What kind of music do you like to play?", "Folk.", own(("likes", "Folk"))),
    ("zh", "你想聊点什么？", "主要是猫。", []),
    ("zh", "你喜欢什么纸？", "慢慢讲，不着急", []),
    ("zh", "你喜欢什么茶？", "先别管这个", []),
    ("zh", "你喜欢什么茶？", "等一下", []),
    ("zh", "我不能吃什么？", "坚果。", []),
    ("zh", "小敏不能吃什么？", "坚果。", []),
    ("zh", "晚上吃什么好？", "去那家川菜馆吧。", []),
    ("zh", "你喜欢什么纸？", "宣纸。", own(("likes", "宣纸"))),
    ("zh", "你不能吃什么？", "坚果。", own(("diet", "坚果", False))),
    ("zh", "你平时喜欢做什么？", "看电影", own(("likes", "看电影"))),
]


@pytest.mark.parametrize(("code", "asked", "text", "expected"), ANSWERS)
def test_only_an_answer_about_oneself_is_a_fact(code: str, asked: str, text: str, expected: list[Row]) -> None:
    assert [row for row in stated(code, text, asked) if not row[1].startswith("wanted")] == expected


SEVERAL = [
    (
        "en",
        "I have two cats, Pickle and Jam, and a sister called Anjali who can't eat gluten.",
        [
            *own(("pet", "cats called Pickle and Jam"), ("sibling", "sister called Anjali")),
            ("Anjali", "diet", "gluten", False),
        ],
    ),
    (
        "en",
        "I have a son, Leo, and a daughter, Mia.",
        own(("child", "son called Leo"), ("child", "daughter called Mia")),
    ),
    ("en", "I have a dog, Rex, and a cat, Tabby.", own(("pet", "dog called Rex"), ("pet", "cat called Tabby"))),
    (
        "en",
        "I have two brothers, Tom and Sam, and a dog.",
        own(("sibling", "brothers called Tom and Sam"), ("pet", "dog")),
    ),
    ("en", "I can't eat gluten.", own(("diet", "gluten", False))),
    ("en", "I can't eat dairy or nuts.", own(("diet", "dairy", False), ("diet", "nuts", False))),
    ("en", "My brother can't eat shellfish.", [("user's brother", "diet", "shellfish", False)]),
    ("en", "I was born in 1990, in Porto.", own(("birthday", "1990"), ("birthplace", "Porto"))),
    ("en", "I was born in Porto in 1990.", own(("birthplace", "Porto"), ("birthday", "1990"))),
    ("en", "I was born in May 1990 in Porto.", own(("birthday", "May 1990"), ("birthplace", "Porto"))),
    (
        "en",
        "I have a brother who can speak French.",
        [*own(("sibling", "brother")), ("user's brother", "language", "French", True)],
    ),
    ("en", "I have two brothers who live in Oslo.", own(("sibling", "two brothers"))),
    ("en", "I was born in 1990 and raised in Porto.", own(("birthday", "1990"))),
    ("en", "I can't eat what you cook.", []),
    ("en", "I can't eat any more.", []),
    ("en", "I can't eat at this hour.", []),
    ("en", "I was born in the winter of 1990.", []),
    ("en", "I have a friend with a dog and a cat.", []),
    ("en", "Anjali has a strict diet due to her allergies.", []),
    ("en", "I have a severe peanut allergy.", own(("allergy", "peanut"))),
    ("zh", "我养了两只猫，一只叫糯米，一只叫芝麻。", own(("pet", "叫糯米和芝麻的猫"))),
    ("zh", "我有两个孩子，大的叫乐乐，小的叫果果。", own(("child", "叫乐乐和果果的孩子"))),
    ("zh", "我有一个儿子叫乐乐，一个女儿叫果果。", own(("child", "叫乐乐的儿子"), ("child", "叫果果的女儿"))),
    ("zh", "我1990年出生在厦门。", own(("birthplace", "厦门"), ("birthday", "1990年"))),
    ("zh", "我是1990年在厦门出生的。", own(("birthplace", "厦门"), ("birthday", "1990年"))),
    ("zh", "我一九九零年生在厦门。", own(("birthplace", "厦门"), ("birthday", "一九九零年"))),
    ("zh", "我弟弟不能吃花生。", [("用户的弟弟", "diet", "花生", False)]),
    ("zh", "我不能吃了，太饱了。", []),
    ("zh", "我去年在厦门开了家店。", []),
]


@pytest.mark.parametrize(("code", "text", "expected"), SEVERAL)
def test_every_fact_of_a_sentence_is_kept_and_stays_with_its_own(code: str, text: str, expected: list[Row]) -> None:
    assert sorted(stated(code, text)) == sorted(expected)


def known(*facts: tuple[str, str, str, bool], promises: tuple[Commitment, ...] = ()) -> DialogueState:
    told = tuple(
        Fact(id=f"f{n}", subject=subject, attribute=attribute, value=value, polarity=polarity, speaker="user")
        for n, (subject, attribute, value, polarity) in enumerate(facts, 1)
    )
    return DialogueState(persona=PersonaRef(id="m", name="Mia"), facts=told, commitments=promises)


STATES = {
    "en": known(
        ("user", "home", "York", True),
        ("user", "birthday", "1990", True),
        ("user", "pet", "corgi called Bean", True),
        ("user's mother", "likes", "boats", True),
        ("user's boyfriend", "allergy", "seafood", True),
        ("user's boyfriend", "diet", "rice", True),
        ("Anjali", "diet", "gluten", False),
        promises=(
            Commitment(id="c1", by="user", to="character", text="send you the photos", turn=1),
            Commitment(id="c2", by="character", to="user", text="bring your book back", turn=2),
        ),
    ),
    "zh": known(
        ("user", "home", "宁波", True),
        ("user", "birthday", "1990年", True),
        ("user", "job", "护士", True),
        ("user", "pet", "叫豆包的柯基", True),
        ("用户的男朋友", "allergy", "海鲜", True),
        ("用户的男朋友", "diet", "米饭", True),
        promises=(
            Commitment(id="c1", by="user", to="character", text="把照片发给你", turn=1),
            Commitment(id="c2", by="character", to="user", text="把你的书带给你", turn=2),
        ),
    ),
}
ASKED = [
    ("en", "Where do I live now?", ["You live in York"]),
    ("en", "Where did I move to?", ["You live in York"]),
    ("en", "When was I born?", ["You were born in 1990"]),
    ("en", "What's my dog called?", ["You have a corgi called Bean"]),
    ("en", "What's my cat called?", []),
    ("en", "Does my mother like boats?", ["Your mother likes boats"]),
    ("en", "Does my mother like cheese?", []),
    ("en", "What can't my boyfriend eat?", ["Your boyfriend is allergic to seafood"]),
    ("en", "What can't Anjali eat?", ["Anjali doesn't eat gluten"]),
    ("en", "What did I promise you?", ["You promised to send me the photos"]),
    ("en", "Do you remember what I promised you?", ["You promised to send me the photos"]),
    ("en", "What did you promise me?", ["I promised to bring your book back"]),
    ("en", "What did I promise you about the garden?", []),
    ("en", "I promised you the photos.", []),
    ("zh", "我现在住哪儿？", ["你住在宁波"]),
    ("zh", "你还记得我现在住哪儿吗？", ["你住在宁波"]),
    ("zh", "我搬到哪儿了？", ["你住在宁波"]),
    ("zh", "我现在做什么工作？", ["你是护士"]),
    ("zh", "我哪年生的？", ["你是1990年出生的"]),
    ("zh", "我的狗叫什么？", ["你养了一只叫豆包的柯基"]),
    ("zh", "我的猫叫什么？", []),
    ("zh", "我男朋友不能吃什么？", ["你男朋友对海鲜过敏"]),
    ("zh", "我答应过你什么？", ["你答应过我要把照片发给我"]),
    ("zh", "你答应过我什么来着？", ["我答应过你要把你的书带给你"]),
    ("zh", "我答应过你吗？", []),
    ("zh", "我应该住哪儿？", []),
    ("zh", "我现在该住哪儿好？", []),
    ("zh", "我现在去哪儿？", []),
    ("zh", "我能住哪儿？", []),
]


@pytest.mark.parametrize(("code", "question", "truths"), ASKED)
def test_a_question_for_what_was_told_or_promised_has_its_answer(code: str, question: str, truths: list[str]) -> None:
    found = recall_notices(question, state=STATES[code], pack=PACKS.get(code))
    assert [notice.truth for notice in found] == truths


@pytest.mark.parametrize(
    ("code", "question", "wrong", "right"),
    [
        ("en", "What did I promise you?", "You promised me a cake.", "You'd send me the photos."),
        ("en", "What's my dog called?", "Rex, right?", "Bean!"),
        ("zh", "我答应过你什么？", "你说要请我吃饭。", "你说把照片发给我。"),
        ("zh", "我现在住哪儿？", "你住苏州。", "宁波呀。"),
    ],
)
def test_a_wrong_answer_is_found(code: str, question: str, wrong: str, right: str) -> None:
    pack = PACKS.get(code)
    notices = recall_notices(question, state=STATES[code], pack=pack)
    assert [finding.kind for finding in check_recall(wrong, notices, pack)] == ["not_recalled"]
    assert check_recall(right, notices, pack) == ()


@pytest.mark.parametrize(
    ("code", "value", "asks_own", "reply", "asks_hers"),
    [
        ("en", "52", "How old am I?", "Thirty.", "How old are you?"),
        ("zh", "52岁", "我多大了？", "三十。", "你多大了？"),
    ],
)
def test_a_bare_answer_is_about_the_one_who_was_asked_about(
    code: str, value: str, asks_own: str, reply: str, asks_hers: str
) -> None:
    persona = Persona.model_validate({"name": "Mia", "facts": [{"attribute": "age", "value": value}]})
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))

    def kinds(question: str) -> list[str]:
        found = check_reply(reply, user_text=question, state=state, persona=persona, pack=PACKS.get(code))
        return [finding.kind for finding in found]

    assert "contradiction" not in kinds(asks_own)
    assert "contradiction" in kinds(asks_hers) or code == "en"

"""What a newcomer ran into: remarks about places, picks from an offer, and the ends of begun answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.language import load_packs
from harness.persona.reading import load_persona
from harness.state import DialogueState, Fact, Notice, Persona, PersonaRef
from harness.state.task import TaskState
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.holding import starts_over
from harness.understanding.checks.naming_asked import reference_notices
from harness.understanding.checks.recall import check_recall, recall_notices
from harness.understanding.checks.tone import check_tone
from harness.understanding.commitments.task import track_task
from harness.understanding.references.resolve import resolve
from tests.unit.test_reference_probes import after

PACKS = load_packs()
PERSONAS = Path(__file__).parents[2] / "personas"
CITIES = {
    "zh": ("杭州", "宁波", "绍兴", "无锡", "南京", "成都", "广州", "常州", "温州", "武汉"),
    "en": ("York", "Leeds", "Bristol", "London", "Glasgow", "Edinburgh", "Paris", "Oxford", "Boston"),
}
REMARKS = {
    "zh": (
        *("{}热闹。", "{}房租贵吧？", "{}有海。", "{}湖好。", "{}好，夏天凉快。", "{}啊，早饭好吃。", "{}离这儿不远。"),
        *("{}老街好看。", "搬到{}习惯吗？", "{}的茶不错。", "{}呀，那边桂花该开了。", "我觉得{}挺好。", "{}地方大。"),
    ),
    "en": (
        *("{} is lively.", "Rents are high in {}, aren't they?", "{} has the sea.", "{} is lovely in spring."),
        *("{}? Good bread there.", "{} isn't far.", "{} gets busy on Saturdays.", "How are you finding {}?"),
        *("{} winters are cold.", "Nice parks in {}.", "Ah, {}. Good market.", "{} will suit you."),
    ),
}
WHO = [("zh", "lin"), ("zh", "tang"), ("zh", "zhou"), ("en", "mia"), ("en", "ada"), ("en", "angus")]


def contradictions(reply: str, who: Persona) -> list[str]:
    state = DialogueState(persona=PersonaRef(id=who.id, name=who.name), language=who.language)
    pack = PACKS.get(who.language)
    found = check_reply(reply, user_text="", state=state, persona=who, pack=pack, classify=True)
    return [one.evidence for one in found if one.kind == "contradiction"]


@pytest.mark.parametrize(("code", "name"), WHO)
def test_a_remark_about_a_place_is_no_claim(code: str, name: str) -> None:
    who = load_persona(PERSONAS / f"{name}.yaml", packs=PACKS)
    said = [remark.format(city) for city in CITIES[code] for remark in REMARKS[code]]
    assert [reply for reply in said if contradictions(reply, who)] == []


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("lin", "我一直住在成都。"),
        ("lin", "我在北京上班，每天挤地铁。"),
        ("lin", "我是广州人。"),
        ("lin", "我们重庆人就是爽快。"),
        ("zhou", "我家在武汉。"),
        ("mia", "I live in Chicago, right by the lake."),
        ("mia", "I'm based in Berlin these days."),
        ("angus", "I've lived in Madrid all my life."),
    ],
)
def test_another_place_of_ones_own_still_is(name: str, reply: str) -> None:
    assert contradictions(reply, load_persona(PERSONAS / f"{name}.yaml", packs=PACKS))


CATS = {"en": ("I have two cats, Pickle and Jam.", "Lovely names."), "zh": ("我有两只猫，糯米和芝麻。", "真好。")}
ASKED = {"en": "I'll take the second one. What was it called again?", "zh": "我选第二家，叫什么来着？"}


def truths(code: str, said: list[str], text: str) -> list[str]:
    state, pack = after(code, said), PACKS.get(code)
    references = resolve(text, state=state, pack=pack).references
    return [notice.value for notice in reference_notices(text, references, state=state, pack=pack)]


@pytest.mark.parametrize(
    ("code", "offer", "name"),
    [
        ("en", "Brooks & Co is cheap but far, Saddle Barn is near.", "Saddle Barn"),
        ("en", "There's the Grand, which is cheap, and the Plaza, which is central.", "Plaza"),
        ("en", "There are two hotels: one is the Grand, the other is the Plaza.", "Plaza"),
        ("en", "One is called the Grand; the other is the Plaza by the lake.", "Plaza"),
        ("en", "Option one is Hotel Lux, option two is the Mercury.", "Mercury"),
        ("en", "The Grand is cheaper, but the Plaza has a pool.", "Plaza"),
        ("en", "I found two hotels, the Grand by the river and the Plaza near the station.", "Plaza"),
        ("zh", "有两家店，一家是全聚德，另一家是东来顺。", "东来顺"),
        ("zh", "一家叫蓝鲸书店，一家叫白马书店。", "白马书店"),
        ("zh", "锦江酒店便宜但是远，和平饭店近一些。", "和平饭店"),
        ("zh", "附近有锦江酒店，比较便宜，还有和平饭店，离地铁近。", "和平饭店"),
        ("zh", "有锦江饭店、梅园宾馆和长安客栈。", "梅园宾馆"),
    ],
)
def test_a_pick_is_from_what_was_offered_last(code: str, offer: str, name: str) -> None:
    chat = {"en": ("Where would you go?", offer), "zh": ("去哪家好？", offer)}[code]
    assert truths(code, [*CATS[code], *chat], ASKED[code]) == [name]


@pytest.mark.parametrize(
    ("code", "later"),
    [
        ("en", ("It rains a lot.", "It does.", "I need a new saddle.", "Go to the shop.")),
        ("en", ("It rains a lot.", "It does.", "Where can I stay?", "The Grand is cheap. The Plaza is central.")),
        ("zh", ("今天下雨了。", "是啊。", "我想换个手机。", "去店里看看。")),
        ("zh", ("今天下雨了。", "是啊。", "我想吃烤鸭。", "有两家店，全聚德和东来顺，你说去哪家？")),
    ],
)
def test_pets_told_of_long_ago_are_not_on_offer(code: str, later: tuple[str, ...]) -> None:
    assert not {"Pickle", "Jam", "糯米", "芝麻"} & set(truths(code, [*CATS[code], *later], ASKED[code]))


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("en", "The second one is grey. What was it called again?", "Jam"),
        ("zh", "第二只是灰的，叫什么来着？", "芝麻"),
    ],
)
def test_pets_just_told_of_are(code: str, text: str, name: str) -> None:
    assert truths(code, list(CATS[code]), text) == [name]


@pytest.mark.parametrize(
    ("code", "truth", "ending", "over"),
    [
        ("en", "You have a dog called Rex", " Tabby.", True),
        ("en", "You live in York", " Leeds.", True),
        ("en", "You live in York", " not Leeds.", True),
        ("en", "Your sister is a nurse", " a teacher.", True),
        ("en", "You're 34", " forty.", True),
        ("en", "You're 34", " Nora.", False),
        ("en", "You live in York", " right by the Minster.", False),
        ("en", "You live in York", " and I'd know the way there.", False),
        ("zh", "妳住在台北", "高雄吧。", True),
        ("zh", "小敏是护士", "老师。", True),
        ("zh", "你有一只叫豆包的柯基", "叫小白。", True),
        ("zh", "你住在杭州", "是宁波吧。", True),
        ("zh", "你三十岁", "四十。", True),
        ("zh", "你住在杭州", "湖边那套。", False),
        ("zh", "你住在杭州", "我记着。", False),
        ("zh", "你住在杭州", "好地方。", False),
    ],
)
def test_a_further_value_is_no_end_of_an_answer(code: str, truth: str, ending: str, *, over: bool) -> None:
    assert starts_over(ending, Notice(kind="recall", truth=truth), PACKS.get(code), ["Nora"]) is over


def known(code: str, *facts: tuple[str, str, bool]) -> DialogueState:
    listed = tuple(
        Fact(id=f"f{at}", subject="user", attribute=name, value=value, polarity=holds, turn=1, language=code)
        for at, (name, value, holds) in enumerate(facts, 1)
    )
    return DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code, facts=listed)


@pytest.mark.parametrize(
    ("code", "question", "facts", "values"),
    [
        ("en", "Where do I live?", (("home", "York", True), ("home", "Leeds", False)), ["York"]),
        ("zh", "我住哪里？", (("home", "宁波", True), ("home", "杭州", False)), ["宁波"]),
        ("en", "How much was my camera?", (("possession", "a camera", True),), []),
        ("zh", "我的相机多少钱？", (("possession", "一台相机", True),), []),
    ],
)
def test_only_what_answers_is_told(
    code: str, question: str, facts: tuple[tuple[str, str, bool], ...], values: list[str]
) -> None:
    found = recall_notices(question, state=known(code, *facts), pack=PACKS.get(code))
    assert [notice.value for notice in found] == values


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "订好了!订好了"),
        ("zh", "订好渡轮了。订好渡轮了！"),
        ("en", "I've booked the ferry! I've booked the ferry"),
    ],
)
def test_a_step_told_twice_changes_the_task_once(code: str, text: str) -> None:
    state = known(code).model_copy(update={"task": TaskState(task_id="trip", goal="x")})
    assert len(track_task(text, text, state=state, pack=PACKS.get(code))) <= 1


@pytest.mark.parametrize(
    ("code", "reply", "given"),
    [
        ("en", "Like my friend Tom. Your name is Bob.", False),
        ("en", "You're called Bob, not Tom.", False),
        ("en", "Your name is Tom.", True),
        ("en", "Tom, of course.", True),
        ("zh", "我有个朋友也叫王明。你叫李雷。", False),
        ("zh", "你的名字是李雷，不是王明。", False),
        ("zh", "你叫王明。", True),
        ("zh", "王明啊，我记得。", True),
    ],
)
def test_another_name_is_not_the_one_asked_for(code: str, reply: str, *, given: bool) -> None:
    name = {"en": "Tom", "zh": "王明"}[code]
    notice = Notice(kind="recall", fact_id="f1", attribute="name", value=name)
    assert (check_recall(reply, (notice,), PACKS.get(code)) == ()) is given


def test_a_friend_named_behind_a_name_is_not_its_bearer() -> None:
    people = {
        one.name: one.aliases for one in after("en", ["I'm Lou, my friend Jack plays the cello.", "Nice."]).entities
    }
    assert "friend" not in people.get("Lou", ())
    assert after("en", ["Jack, my friend, is ill.", "Oh."]).entities[0].aliases == ("friend",)


GLAD = {"en": ("I passed my driving test!", "I'm so sorry for your loss."), "zh": ("我驾照考过了！", "真遗憾，节哀。")}
FAILED = {"en": ("I failed my driving test.", "So sorry to hear that."), "zh": ("我驾照没考过。", "真遗憾。")}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_good_news_is_no_time_to_condole(code: str) -> None:
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    who, pack = Persona(name="Nora", language=code), PACKS.get(code)
    for (text, reply), tells in ((GLAD[code], True), (FAILED[code], False)):
        assert bool(tuple(check_tone(reply, user_text=text, state=state, persona=who, pack=pack))) is tells

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.references.entities import is_pronoun, resolve, track_entities
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
Exchange = str | tuple[str, str]
PERSONAS = {"en": Persona(name="Nora"), "zh": Persona(name="林夏", language="zh")}


def talk(code: str, *exchanges: Exchange) -> DialogueState:
    """The state after some exchanges (user, reply); a text alone is a user's."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for turn, exchange in enumerate(exchanges, 1):
        user, reply = exchange if isinstance(exchange, tuple) else (exchange, "")
        state = state.model_copy(update={"turn_count": turn})
        operations = track_entities(user, reply, state=state, persona=PERSONAS[code], pack=PACKS.get(code), turn=turn)
        state, _, refused = fold(state, operations)
        assert not refused
    return state


def table(code: str, text: str) -> dict[str, str]:
    return {entity.name: entity.kind for entity in talk(code, text).entities}


MENTIONED = [
    ("en", "I bought a new bicycle", {"bicycle": "thing"}),
    ("en", "My cousin Petra lives in Lisbon", {"Petra": "person", "Lisbon": "place"}),
    ("en", "we have a dog named Biscuit", {"Biscuit": "animal"}),
    ("en", "My parrot is called Polly", {"Polly": "animal"}),
    ("en", "I met Dr Holloway at the station", {"Holloway": "person", "station": "place"}),
    ("en", "I finished a novel by Ferrante", {"novel": "work", "Ferrante": "other"}),
    ("en", "She works for Brightwater", {"Brightwater": "organization"}),
    ("en", "we walked along Baker Street", {"Baker Street": "place"}),
    ("en", "Henry said the bread was fine", {"Henry": "person"}),
    ("en", "my boss is strict", {"boss": "person"}),
    ("en", "I ordered a red lamp and a green lamp", {"red lamp": "thing", "green lamp": "thing"}),
    ("en", "Tokyo is enormous", {"Tokyo": "place"}),
    ("en", "I adopted a ferret", {"ferret": "animal"}),
    ("en", "We talked about quantum computing", {}),
    ("en", "Dinner was lovely. Nothing else happened.", {}),
    ("en", "WHERE ARE YOU GOING", {}),
    ("en", "Hello! How are you on this Monday?", {}),
    ("zh", "我买了一辆新自行车", {"自行车": "thing"}),
    ("zh", "我表姐李佩住在苏州", {"李佩": "person", "苏州": "place"}),
    ("zh", "我们养了一条狗，叫饼干", {"饼干": "animal"}),
    ("zh", "我的鹦鹉叫波利", {"波利": "animal"}),
    ("zh", "我遇到了赵医生", {"赵医生": "person"}),
    ("zh", "我刚看完《活着》", {"活着": "work"}),
    ("zh", "昨天和小周去了东湖公园", {"小周": "person", "东湖公园": "place"}),
    ("zh", "我们在海底捞吃饭", {"海底捞": "organization"}),
    ("zh", "我老板很严格", {"老板": "person"}),
    ("zh", "王芳告诉我她要走了", {"王芳": "person"}),
    ("zh", "我买了一盏红色的灯", {}),
    ("zh", "东京真大", {"东京": "place"}),
    ("zh", "他叫孙浩，是我同学", {"孙浩": "person"}),
    ("zh", "马上就到周末了，真高兴", {}),
    ("zh", "恐怕于是方便常常白天", {}),
    ("zh", "我在爬山的路上", {}),
    ("zh", "我最近用Photoshop修图", {"Photoshop": "other"}),
]


@pytest.mark.parametrize(("code", "text", "expected"), MENTIONED)
def test_mentions(code: str, text: str, expected: dict[str, str]) -> None:
    found = table(code, text)
    for name, kind in expected.items():
        assert found.get(name) == kind, found
    if not expected:
        assert not [name for name, kind in found.items() if kind != "thing"], found


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("en", "You could stay at the Astoria, the Meridian or the Lotus.", ["Astoria", "Meridian", "Lotus"]),
        ("en", "Should I paint it green, blue or yellow?", ["green", "blue", "yellow"]),
        ("en", "We have three tasks: cooking, cleaning and shopping.", ["cooking", "cleaning", "shopping"]),
        ("en", "1. Oak Inn - cheap\n2. River Lodge\n3. The Mill", ["Oak Inn", "River Lodge", "The Mill"]),
        ("en", "Do you prefer the Volvo or the Saab?", ["Volvo", "Saab"]),
        ("zh", "可以住锦江饭店、梅园宾馆和长安客栈。", ["锦江饭店", "梅园宾馆", "长安客栈"]),
        ("zh", "想吃饺子、馄饨还是米线？", ["饺子", "馄饨", "米线"]),
        ("zh", "我推荐老舍、鲁迅以及沈从文的书", ["老舍", "鲁迅", "沈从文"]),
        ("zh", "1、橡树旅店\n2、河畔小屋\n3、磨坊", ["橡树旅店", "河畔小屋", "磨坊"]),
        ("zh", "你喜欢沃尔沃还是萨博？", ["沃尔沃", "萨博"]),
    ],
)
def test_lists_get_ordinals(code: str, text: str, names: list[str]) -> None:
    state = talk(code, ("", text))
    assert [entity.name for entity in sorted(state.entities, key=lambda e: e.ordinal) if entity.ordinal] == names


HOTELS = {
    "en": ("Where to stay?", "There are three inns: the Astoria, the Meridian and the Lotus."),
    "zh": ("住哪里好？", "有锦江饭店、梅园宾馆和长安客栈。"),
}
RESOLVED = [
    ("en", ["I bought a bicycle"], "How heavy is it?", "How heavy is the bicycle?"),
    ("en", ["I bought a bicycle"], "It squeaks", "The bicycle squeaks"),
    ("en", ["My friend Oscar plays the cello"], "Is he any good?", "Is Oscar any good?"),
    ("en", ["My sister Ingrid moved"], "What does she do?", "What does Ingrid do?"),
    ("en", ["My sister Ingrid moved"], "her new flat is small", "Ingrid's new flat is small"),
    ("en", ["I grew up in Porto"], "Have you been there?", "Have you been to Porto?"),
    ("en", [HOTELS["en"]], "How much is the second one?", "How much is the Meridian?"),
    ("en", [HOTELS["en"]], "and the last one?", "and the Lotus?"),
    ("en", [HOTELS["en"]], "tell me about the first one", "tell me about the Astoria"),
    (
        "en",
        [HOTELS["en"], "The second one sounds good"],
        "Is there a garden there?",
        "Is there a garden at the Meridian?",
    ),
    (
        "en",
        [HOTELS["en"], ("It rains.", "Do you want the tea or the soup?")],
        "How much is the second inn?",
        "How much is the Meridian?",
    ),
    (
        "en",
        [HOTELS["en"], ("It rains.", "Have you had any Bad Days or Good Days?")],
        "How much is the second one?",
        "How much is the Meridian?",
    ),
    ("en", ["I adopted a ferret"], "is that one tame?", "is the ferret tame?"),
    ("en", ["My friend Oscar and my aunt Rosa argue"], "He shouts", "Oscar shouts"),
    ("zh", ["我买了一辆自行车"], "它重吗？", "自行车重吗？"),
    ("zh", ["我买了一辆自行车"], "那辆贵吗？", "自行车贵吗？"),
    ("zh", ["我朋友老韩会拉大提琴"], "他拉得好吗？", "老韩拉得好吗？"),
    ("zh", ["我姐姐周敏搬家了"], "她做什么工作？", "周敏做什么工作？"),
    ("zh", ["我姐姐周敏搬家了"], "她的新家很小", "周敏的新家很小"),
    ("zh", ["我在厦门长大"], "你去过那里吗？", "你去过厦门吗？"),
    ("zh", [HOTELS["zh"]], "第二家多少钱？", "梅园宾馆多少钱？"),
    ("zh", [HOTELS["zh"]], "最后一家呢？", "长安客栈呢？"),
    ("zh", [HOTELS["zh"]], "讲讲第一个", "讲讲锦江饭店"),
    ("zh", [HOTELS["zh"], "第二家不错"], "那里有花园吗？", "梅园宾馆有花园吗？"),
    ("zh", [HOTELS["zh"], ("下雨了", "有没有什么特别的经历或感受？")], "第二个多少钱？", "梅园宾馆多少钱？"),
    ("zh", [HOTELS["zh"], ("下雨了", "要喝绿茶还是红茶？")], "第二家多少钱？", "梅园宾馆多少钱？"),
    ("zh", ["我们养了一条狗，叫饼干"], "它几岁？", "饼干几岁？"),
    ("zh", ["你看过《活着》吗"], "那本好看吗？", "活着好看吗？"),
]


@pytest.mark.parametrize(("code", "before", "text", "expected"), RESOLVED)
def test_references_are_put_into_words(code: str, before: list[Exchange], text: str, expected: str) -> None:
    resolution = resolve(text, state=talk(code, *before), pack=PACKS.get(code))
    assert resolution.text == expected
    assert resolution.references


UNSURE = [
    ("en", ["I like the bookshop called Paper Moon"], "that shop you told me about"),
    ("zh", ["我发现了纸月亮书店"], "你说的那家店"),
    ("en", ["I bought a bicycle and a tent"], "Is it heavy?"),
    ("zh", ["我买了一辆自行车和一顶帐篷"], "它重吗？"),
    ("en", ["I bought a bicycle"], "I'd rather not do it"),
    ("en", ["My sister met my brother's friends"], "They are late"),
    ("en", ["I bought a bicycle"], "It is raining"),
    ("en", ["I bought a bicycle"], "what time is it?"),
    ("en", ["I bought a bicycle"], "it seems late, isn't it"),
    ("en", ["I grew up in Porto"], "There is a problem"),
    ("en", ["I grew up in Porto"], "hi there"),
    ("en", ["My friend Oscar met my uncle Frank"], "He is tall"),
    ("en", ["My sister Ingrid moved"], "Is he nice?"),
    ("en", ["I bought a bicycle"], "the second one"),
    ("en", [HOTELS["en"]], "the fifth one"),
    ("en", ["I bought a bicycle", "ok", "ok", "ok", "ok", "ok", "ok"], "is it red?"),
    ("en", ["I bought a bicycle"], "Dad has a boat and it leaks"),
    ("zh", ["我买了一辆自行车"], "其他的呢？"),
    ("zh", ["我朋友老韩会拉大提琴"], "吉他我也会"),
    ("zh", ["我朋友老韩会拉大提琴"], "他们都来吗"),
    ("zh", ["老韩和老梁吵架了"], "他很高"),
    ("zh", ["我姐姐周敏搬家了"], "他好吗？"),
    ("zh", ["我买了一辆自行车"], "那个，我想问个事"),
    ("zh", ["我买了一辆自行车"], "第二家多少钱？"),
    ("zh", [HOTELS["zh"]], "第五家呢？"),
    ("zh", [HOTELS["zh"]], "第二个月再说"),
    ("zh", ["我买了一辆自行车", "嗯", "嗯", "嗯", "嗯", "嗯", "嗯"], "它红吗？"),
]


@pytest.mark.parametrize(("code", "before", "text"), UNSURE)
def test_an_unsure_text_stays_as_it_is(code: str, before: list[Exchange], text: str) -> None:
    resolution = resolve(text, state=talk(code, *before), pack=PACKS.get(code))
    assert resolution.text == text
    assert resolution.references == ()


@pytest.mark.parametrize(
    ("code", "known", "text", "mentions"),
    [
        ("en", "My friend Mark is here", "The market is open", 1),
        ("en", "My friend Mark is here", "mark called again", 2),
        ("en", "I met Ann today", "I saw Anna and annotated it", 1),
        ("zh", "我同事张伟来了", "张伟大的梦想", 1),
        ("zh", "我同事王小来了", "昨天王小明也来了", 1),
        ("zh", "我同事张伟来了", "张伟明天走", 2),
        ("en", "I met Rose Hill today", "We like Rose Hillman", 1),
        ("zh", "我同事张伟来了", "张三来了", 1),
    ],
)
def test_names_are_never_half_matched(code: str, known: str, text: str, mentions: int) -> None:
    state = talk(code, known, text)
    assert state.entities[0].mentions == mentions


@pytest.mark.parametrize(
    ("code", "first", "then", "name"),
    [
        ("en", "my sister is ill", "my sister Ingrid is better", "Ingrid"),
        ("zh", "我姐姐病了", "我姐姐周敏好多了", "周敏"),
    ],
)
def test_a_relation_that_gets_a_name_stays_one_entity(code: str, first: str, then: str, name: str) -> None:
    state = talk(code, first, then)
    (entity,) = state.entities
    assert name in (entity.name, *entity.aliases)


@pytest.mark.parametrize(
    ("code", "user", "reply", "names"),
    [
        ("en", "my brother snores", "My brother snores, too", {"brother", "Nora's brother"}),
        ("en", "your brother snores", "Yes, my brother does", {"Nora's brother"}),
        ("zh", "我弟弟打呼噜", "我弟弟也打呼噜", {"弟弟", "林夏的弟弟"}),
        ("zh", "你弟弟打呼噜", "对，我弟弟会", {"林夏的弟弟"}),
    ],
)
def test_relatives_of_the_two_sides_are_kept_apart(code: str, user: str, reply: str, names: set[str]) -> None:
    assert {entity.name for entity in talk(code, (user, reply)).entities} == names


def test_two_friends_are_two_entities() -> None:
    state = talk("en", "My friend Oscar sings", "My friend Lena paints")
    assert [entity.name for entity in state.entities] == ["Oscar", "Lena"]


@pytest.mark.parametrize(("code", "text"), [("en", "Nora, you know Nora best"), ("zh", "林夏，你好")])
def test_the_character_itself_is_no_entity(code: str, text: str) -> None:
    assert talk(code, text).entities == ()


def test_a_reference_counts_as_a_mention() -> None:
    state = talk("en", "I adopted a ferret", "What does it eat?")
    assert (state.entities[0].mentions, state.entities[0].last_turn) == (2, 2)


def test_who_introduced_an_entity_is_kept() -> None:
    state = talk("en", ("I adopted a ferret", "My friend Lena has a parrot"))
    assert {entity.name: entity.introduced_by for entity in state.entities} == {
        "ferret": "user",
        "Lena": "character",
        "parrot": "character",
    }


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        ("en", "it", True), ("en", "She", True), ("en", "that one", True), ("en", "the second one", True), ("en", "there", True),
        ("en", "Oscar", False), ("en", "bicycle", False), ("en", "", False),
        ("zh", "它", True), ("zh", "那里", True), ("zh", "第二家", True), ("zh", "他", True),
        ("zh", "老韩", False), ("zh", "自行车", False),
    ],
)  # fmt: skip
def test_pronouns_name_nothing(code: str, words: str, expected: bool) -> None:
    assert is_pronoun(words, pack=PACKS.get(code)) is expected


bits = st.sampled_from(
    ["it", "the second one", "he", "her", "there", "my friend", "Oscar", "the Astoria", ",", "and", "or", "a", "camera", "called", "Miso",
     "小王", "他", "它", "那个", "第二家", "、", "和", "叫", "我姐姐", "李娜", "《", "》", "酒店", "东湖", "1. Oak", "\n"]
)  # fmt: skip
lines = st.one_of(
    st.text(max_size=60), st.lists(bits, max_size=10).map(" ".join), st.lists(bits, max_size=10).map("".join)
)


@settings(max_examples=200, deadline=None)
@given(texts=st.lists(lines, min_size=2, max_size=8), code=st.sampled_from(["en", "zh"]))
def test_any_talk_gives_operations_that_hold(texts: list[str], code: str) -> None:
    state = talk(code, *zip(texts[::2], texts[1::2], strict=False))
    for text in texts:
        resolution = resolve(text, state=state, pack=PACKS.get(code))
        assert (resolution.text == text) or resolution.references


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("junk", ["1, " * 5000, "、" * 8000, "和" * 8000, "A " * 8000, "my " * 5000])
def test_a_huge_message_cannot_hold_a_turn_up(code: str, junk: str) -> None:
    started = time.perf_counter()
    state = talk(code, "I adopted a ferret", junk)
    assert resolve(junk, state=state, pack=PACKS.get(code)).text == junk
    assert time.perf_counter() - started < 5


FAR = {
    "en": (
        "I can stay at three places tonight: the Heron Inn, the Old Granary or the Long Barn.",
        ("The first is dear and the third is cold.", "I had soup for lunch.", "It rained all day on Sunday."),
        "Then I'll take the second one.",
        "Old Granary",
    ),
    "zh": (
        "今晚有三个地方可以住：听雨客栈、望山楼，还有竹里馆。",
        ("第一家太贵，第三家太冷。", "我中午喝了碗粥。", "周日村里有庙会。"),
        "那就住第二家吧。",
        "望山楼",
    ),
}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_was_offered_stays_on_offer(make_harness: MakeHarness, code: str) -> None:
    offered, between, taken, name = FAR[code]
    async with make_harness("Mm." if code == "en" else "嗯。") as harness:
        session = await harness.open("mia" if code == "en" else "lin", session="far")
        for text in (offered, *between * 3, taken):
            await session.say(text)
        record, state = await session.report(), await session.state()
    assert name in record.resolved
    assert [entity.ordinal for entity in state.entities if entity.name == name] == [2]
    assert not any(entity.name.startswith(("first", "周日")) for entity in state.entities)

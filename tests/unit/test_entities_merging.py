"""Entries that turn out to be one, names of the user, and turns in two languages."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Fact, Persona, PersonaRef, fold
from harness.state.facts import USER
from harness.state.operations import MentionEntity, MergeEntities, Operation
from harness.understanding.references.entities import resolve, track_entities
from harness.understanding.references.mixed import packs_beside

PACKS = load_packs()
PERSONAS = {"en": Persona(name="Nora"), "zh": Persona(name="林夏", language="zh")}


def talk(code: str, *said: str | tuple[str, str]) -> tuple[DialogueState, tuple[Operation, ...]]:
    """The state after some exchanges, and the operations of the last."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    operations: tuple[Operation, ...] = ()
    pack = PACKS.get(code)
    for turn, exchange in enumerate(said, 1):
        user, reply = exchange if isinstance(exchange, tuple) else (exchange, "")
        state = state.model_copy(update={"turn_count": turn})
        operations = track_entities(
            user, reply, state=state, persona=PERSONAS[code], pack=pack, turn=turn,
            beside=packs_beside(f"{user}\n{reply}", pack, PACKS),
        )  # fmt: skip
        state, _, refused = fold(state, operations)
        assert not refused
    return state, operations


MERGED = [
    ("en", ["my girlfriend is ill", "my girlfriend Maolin is better now"], "Maolin", "girlfriend"),
    ("en", ["Maolin called", "my girlfriend is ill", "Maolin is my girlfriend"], "Maolin", "girlfriend"),
    ("en", ["I have a sister", "her name is Ada"], "Ada", "sister"),
    ("en", ["my sister is ill", "She's called Ada"], "Ada", "sister"),
    ("en", ["my colleague annoys me", "I met Viktor at the gym", "he is the colleague I told you about"], "Viktor", "colleague"),
    ("en", ["my boss is strict", "Jack, my boss, shouted"], "Jack", "boss"),
    ("en", ["my cousin sings", "the cousin I told you about is Petra"], "Petra", "cousin"),
    ("zh", ["我女朋友病了", "我女朋友茂琳好多了"], "茂琳", "女朋友"),
    ("zh", ["茂琳昨天来了", "我女朋友病了", "茂琳是我女朋友"], "茂琳", "女朋友"),
    ("zh", ["我有个妹妹", "她叫艾达"], "艾达", "妹妹"),
    ("zh", ["我妹妹病了", "她的名字叫艾达"], "艾达", "妹妹"),
    ("zh", ["我同事很烦人", "我在健身房遇到了魏强", "他就是我说的那个同事"], "魏强", "同事"),
    ("zh", ["我老板很严", "李国强是我老板"], "李国强", "老板"),
    ("zh", ["我表妹会唱歌", "我说的那个表妹就是李佩"], "李佩", "表妹"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said", "name", "noun"), MERGED)
def test_what_is_said_to_be_one_is_merged(code: str, said: list[str], name: str, noun: str) -> None:
    state, operations = talk(code, *said)
    persons = [entity for entity in state.entities if entity.kind == "person"]
    assert [entity.name for entity in persons] == [name]
    assert noun in persons[0].aliases
    merges = [operation for operation in operations if isinstance(operation, MergeEntities)]
    assert len(merges) == 1
    assert merges[0].evidence


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ["My friend Oscar sings", "Lena is my friend"]),
        ("en", ["My brother Oscar sings", "Tom is the brother I mentioned"]),
        ("zh", ["我朋友老韩唱歌", "李国强是我朋友"]),
        ("zh", ["我弟弟李强唱歌", "魏明就是我说的那个弟弟"]),
    ],
)
def test_two_names_stay_two(code: str, said: list[str]) -> None:
    state, operations = talk(code, *said)
    assert not [operation for operation in operations if isinstance(operation, MergeEntities)]
    assert len([entity for entity in state.entities if entity.kind == "person"]) == 2


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("en", "I'm Tom, nice to meet you", "Tom"),
        ("en", "Hi, my name is Tessa Quill and I like tea", "Tessa Quill"),
        ("en", "please call me Max", "Max"),
        ("zh", "我叫李雷，很高兴认识你", "李雷"),
        ("zh", "你好，我的名字叫陈思雨", "陈思雨"),
        ("zh", "叫我小雨吧", "小雨"),
    ],
)
def test_the_users_own_name_is_an_entity(code: str, text: str, name: str) -> None:
    state, _ = talk(code, text)
    assert {entity.name: entity.kind for entity in state.entities}[name] == "person"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I'm Irish"),
        ("en", "I'm Happy today"),
        ("zh", "我叫外卖了"),
        ("zh", "记得叫我起床"),
        ("zh", "我叫了一辆车"),
    ],
)
def test_not_everything_after_i_am_is_a_name(code: str, text: str) -> None:
    state, _ = talk(code, text)
    assert not [entity for entity in state.entities if entity.kind == "person"]


@pytest.mark.parametrize(
    ("code", "text", "name", "question"),
    [("en", "I'm Tom", "Tom", "Is he nice?"), ("zh", "我叫李雷", "李雷", "他好吗？")],
)
def test_he_is_never_the_user(code: str, text: str, name: str, question: str) -> None:
    state, _ = talk(code, text)
    fact = Fact(id="f1", subject=USER, attribute="name", value=name, speaker=USER, turn=1)
    state = state.model_copy(update={"facts": (fact,)})
    assert resolve(question, state=state, pack=PACKS.get(code)).text == question


MIXED = [
    ("en", "I had dinner with 小王 and my friend 李娜", {"小王": "person", "李娜": "person"}),
    ("en", "I asked my cousin Petra about 王小明", {"Petra": "person", "王小明": "person"}),
    ("en", "We flew from Oslo to 厦门", {"Oslo": "place", "厦门": "place"}),
    ("zh", "我和 my friend Jack 去了石榴公园", {"Jack": "person", "石榴公园": "place"}),
    ("zh", "Emma也在用，李娜没有", {"Emma": "person"}),
    ("zh", "我们昨天去了London，王小明没去", {"London": "place", "王小明": "person"}),
]


@pytest.mark.parametrize(("code", "text", "expected"), MIXED)
def test_both_scripts_of_a_turn_are_read(code: str, text: str, expected: dict[str, str]) -> None:
    state, _ = talk(code, text)
    found = {entity.name: entity.kind for entity in state.entities}
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("code", "before", "text", "expected"),
    [
        ("en", "I met 小王 at the station", "Is 他 always late?", "Is 小王 always late?"),
        ("zh", "我朋友Oscar来了", "你觉得he怎么样", "你觉得Oscar怎么样"),
    ],
)
def test_a_pronoun_of_the_other_language(code: str, before: str, text: str, expected: str) -> None:
    state, _ = talk(code, before)
    pack = PACKS.get(code)
    assert resolve(text, state=state, pack=pack, beside=packs_beside(text, pack, PACKS)).text == expected


@pytest.mark.parametrize(
    ("code", "said", "name"),
    [
        ("en", ["My sister Ingrid moved", ("Far?", "She must be glad!")], "Ingrid"),
        ("zh", ["我姐姐周敏搬家了", ("远吗", "她一定很高兴！")], "周敏"),
    ],
)
def test_whom_a_reply_speaks_of_was_talked_of(code: str, said: list[str | tuple[str, str]], name: str) -> None:
    state, operations = talk(code, *said)
    assert [operation.name for operation in operations if isinstance(operation, MentionEntity)] == [name]
    assert state.entities[0].last_turn == 2


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ["My sister Ingrid met my aunt Rosa", ("Far?", "She must be glad!")]),
        ("zh", ["我姐姐周敏遇到了我阿姨李芳", ("远吗", "她一定很高兴！")]),
    ],
)
def test_a_reply_that_may_mean_two_mentions_neither(code: str, said: list[str | tuple[str, str]]) -> None:
    _, operations = talk(code, *said)
    assert operations == ()


@pytest.mark.parametrize(
    ("code", "text", "clause"),
    [("en", "It was late, so my cousin Petra drove home. Good.", "so my cousin Petra drove home"),
     ("zh", "太晚了，我表姐李佩就回家了。好。", "我表姐李佩就回家了")],
)  # fmt: skip
def test_a_mention_tells_the_words_that_show_it(code: str, text: str, clause: str) -> None:
    _, operations = talk(code, text)
    assert [op.evidence for op in operations if isinstance(op, MentionEntity) and op.name in ("Petra", "李佩")] == [
        clause
    ]


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "What does Christophe earn?", {"Christophe"}),
        ("en", "This is John. He has a friend named Mike", {"John", "Mike"}),
        ("en", "My friend Jack hates football", {"Jack"}),
        ("zh", "李国强挣多少钱？", {"李国强"}),
        ("zh", "这是李国强。他有个朋友叫王小明", {"李国强", "王小明"}),
        ("zh", "我朋友老韩讨厌足球", {"老韩"}),
    ],
)
def test_who_is_spoken_of_is_neither_the_speaker_nor_somebody_else(code: str, text: str, expected: set[str]) -> None:
    state, _ = talk(code, text)
    assert expected <= {entity.name for entity in state.entities}
    assert not {USER, "I", "我"} & {name for entity in state.entities for name in (entity.name, *entity.aliases)}
    for name in expected:
        owners = [entity for entity in state.entities if name in (entity.name, *entity.aliases)]
        assert len(owners) == 1
        assert not (expected - {name}) & {owners[0].name, *owners[0].aliases}

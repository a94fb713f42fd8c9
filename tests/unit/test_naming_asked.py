"""A question about what a reference means: the name stands in the prompt, and the reply is held to it."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.ports import ModelRequest
from harness.state import DialogueState, Notice, Persona, PersonaRef, apply
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.naming_asked import check_references, reference_notices
from harness.understanding.references.entities import resolve, track_entities
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
WHO = {"en": Persona(name="Nora", id="nora"), "zh": Persona(name="诺拉", id="nuola", language="zh")}
LISTED = {
    "en": "There are three boats to hire: the Silver Gull, the Lazy Otter or the Marigold.",
    "zh": "有三家馆子可以去：聚香阁、老灶台，还有临江小馆。",
}
TALKED = {
    "en": ("My aunt has a new husband, Karim. He bakes bread.", "We ate at the Blue Lantern yesterday."),
    "zh": ("我姨嫁了个新丈夫，叫卡里姆，是面包师。", "昨天我们在蓝灯笼餐厅吃的午饭。"),
}
CHAT = {"en": "I had soup for lunch.", "zh": "我中午喝了碗粥。"}
ANSWER = {"en": "I see.", "zh": "嗯。"}
THINGS = {"en": ("I bought a red bicycle.",), "zh": ("我买了一辆红色自行车。",)}


def state(code: str, *said: str) -> DialogueState:
    """The state after these messages of the user."""
    now = DialogueState(persona=PersonaRef(id=WHO[code].id, name=WHO[code].name), language=code)
    for turn, text in enumerate(said, 1):
        now = now.model_copy(update={"turn_count": turn})
        mentioned = track_entities(
            text, ANSWER[code], state=now, persona=WHO[code], pack=PACKS.get(code), turn=turn
        )  # fmt: skip
        for operation in mentioned:
            now = apply(now, operation)
    return now


def noticed(code: str, text: str, *said: str) -> Notice | None:
    """The notice about a message."""
    before, pack = state(code, *said), PACKS.get(code)
    references = resolve(text, state=before, pack=pack).references
    return next(iter(reference_notices(text, references, state=before, pack=pack)), None)


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("en", "Then I'll take the second one. What was it called again?", "Lazy Otter"),
        ("en", "What was the second one called?", "Lazy Otter"),
        ("en", "What's the name of the first boat?", "Silver Gull"),
        ("en", "Which was the first one again?", "Silver Gull"),
        ("en", "Remind me of the name of the second one.", "Lazy Otter"),
        ("en", "I'll hire the first one. I forgot its name.", "Silver Gull"),
        ("en", "Do you remember what the third one is called?", "Marigold"),
        ("en", "The second one, then. Can you tell me the name?", "Lazy Otter"),
        ("zh", "那就去第二家吧。那家叫什么来着？", "老灶台"),
        ("zh", "第二家叫什么来着？", "老灶台"),
        ("zh", "第一家的名字是什么？", "聚香阁"),
        ("zh", "第一家是哪家来着？", "聚香阁"),
        ("zh", "提醒我一下第二家的名字。", "老灶台"),
        ("zh", "去第一家，我忘了名字了。", "聚香阁"),
        ("zh", "你还记得第二家叫什么吗？", "老灶台"),
        ("zh", "就第二家。名字叫什么？", "老灶台"),
    ],
)
def test_the_name_of_what_was_listed(code: str, text: str, name: str) -> None:
    notice = noticed(code, text, LISTED[code], CHAT[code])
    assert notice is not None
    assert (notice.kind, notice.value) == ("recall", name)
    assert name in notice.truth


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("en", "What's his name again?", "Karim"),
        ("en", "What was it called?", "Blue Lantern"),
        ("zh", "他叫什么来着？", "卡里姆"),
        ("zh", "那家店叫什么？", "蓝灯笼餐厅"),
    ],
)
def test_the_name_of_what_was_talked_of(code: str, text: str, name: str) -> None:
    notice = noticed(code, text, *TALKED[code])
    assert notice is not None
    assert (notice.kind, notice.value) == ("recall", name)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I'll take the second one. What's your name?"),
        ("en", "I'll take the second one. What's the name of this river?"),
        ("en", "I'll take the second one."),
        ("en", "The second one. What do you call a baby goose?"),
        ("en", "What is your dog called?"),
        ("en", "What's my name?"),
        ("en", "Is it late?"),
        ("zh", "我去第二家。你叫什么名字？"),
        ("zh", "我去第二家。这条河叫什么？"),
        ("zh", "我去第二家。"),
        ("zh", "第一家不错。你是谁？"),
        ("zh", "你的狗叫什么？"),
        ("zh", "我叫什么名字？"),
        ("zh", "天黑了吗？"),
    ],
)
def test_other_questions_ask_for_no_name_of_it(code: str, text: str) -> None:
    notice = noticed(code, text, LISTED[code], CHAT[code])
    assert notice is None or notice.kind != "recall"


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "I sold it. What was it called?"), ("zh", "我把它卖了，它叫什么？"), ("zh", "它用英语怎么叫？")],
)
def test_what_has_no_name_of_its_own_is_left_alone(code: str, text: str) -> None:
    assert noticed(code, text, *THINGS[code]) is None


@pytest.mark.parametrize(
    ("code", "prose", "text", "name"),
    [
        (
            "en",
            "The Gull is a warm and inviting boat, while the Otter is cold.",
            "The second one. What was it called?",
            "Lazy Otter",
        ),
        ("en", "It is a long and winding river, but a fine one.", "What was the second one called?", "Lazy Otter"),
        ("zh", "那儿有茶和点心，不过都很贵。", "就第二家。那家叫什么来着？", "老灶台"),
    ],
)
def test_clauses_in_a_reply_are_no_list_to_pick_from(code: str, prose: str, text: str, name: str) -> None:
    pack, who = PACKS.get(code), WHO[code]
    before = state(code, LISTED[code]).model_copy(update={"turn_count": 2})
    for operation in track_entities(CHAT[code], prose, state=before, persona=who, pack=pack, turn=2):
        before = apply(before, operation)
    references = resolve(text, state=before, pack=pack).references
    assert [notice.value for notice in reference_notices(text, references, state=before, pack=pack)] == [name]


@pytest.mark.parametrize(
    ("code", "reply", "kinds"),
    [
        ("en", "It's the Lazy Otter.", []),
        ("en", "The Otter, of course.", []),
        ("en", "I remember, it's the Lazy Otter, that one is called Silver Gull.", ["wrong_reference"]),
        ("zh", "当然记得，是老灶台，那家叫聚香阁。", ["wrong_reference"]),
        ("en", "Not the Gull, the Lazy Otter.", []),
        ("en", "That was a craft shop, dear.", ["not_recalled"]),
        ("en", "The Lazy Dog.", ["not_recalled"]),
        ("en", "That was the Silver Gull.", ["not_recalled", "wrong_reference"]),
        ("zh", "老灶台啊。", []),
        ("zh", "不是聚香阁，是老灶台。", []),
        ("zh", "叫老茶馆。", ["not_recalled"]),
        ("zh", "那家叫聚香阁。", ["not_recalled", "wrong_reference"]),
    ],
)
def test_a_reply_gives_the_name(code: str, reply: str, kinds: list[str]) -> None:
    asked = {"en": "What was the second one called?", "zh": "第二家叫什么来着？"}[code]
    notice = noticed(code, asked, LISTED[code])
    assert notice is not None
    found = check_references(reply, [notice], state=state(code, LISTED[code]), pack=PACKS.get(code))
    assert [finding.kind for finding in found] == kinds


@pytest.mark.parametrize(
    ("code", "reply", "kinds"),
    [
        ("en", "The Silver Gull is slow.", ["wrong_reference"]),
        ("en", "The Lazy Otter is slow.", []),
        ("en", "The Silver Gull is better.", []),
        ("en", "The Gull and the Marigold are slow.", []),
        ("en", "Slow, but safe.", []),
        ("zh", "聚香阁很远。", ["wrong_reference"]),
        ("zh", "老灶台很远。", []),
        ("zh", "聚香阁更近。", []),
        ("zh", "走十分钟。", []),
    ],
)
def test_another_question_is_answered_about_the_one_that_is_meant(code: str, reply: str, kinds: list[str]) -> None:
    asked = {"en": "Is the second one fast?", "zh": "第二家远吗？"}[code]
    notice = noticed(code, asked, LISTED[code])
    assert notice is not None
    assert (notice.kind, notice.truth) == ("reference", "")
    found = check_references(reply, [notice], state=state(code, LISTED[code]), pack=PACKS.get(code))
    assert [finding.kind for finding in found] == kinds
    assert all(finding.against for finding in found)


@pytest.mark.parametrize(
    ("code", "asked", "wrong", "name"),
    [
        ("en", "Then I'll take the second one. What was it called again?", "It's called a craft shop.", "Lazy Otter"),
        ("zh", "那就去第二家吧。那家叫什么来着？", "那家叫老茶馆。", "老灶台"),
    ],
)
async def test_the_reply_is_mended(code: str, asked: str, wrong: str, name: str, make_harness: MakeHarness) -> None:
    def answer(request: ModelRequest) -> str:
        return wrong if asked in request.messages[-1].content else ANSWER[code]

    model = ScriptedModel(answer)
    async with make_harness(model) as harness:
        session = await harness.open(WHO[code], session="s")
        await session.say(LISTED[code])
        for _ in range(6):
            await session.say(CHAT[code])
        count = len(model.requests)
        reply = await session.say(asked)
        record = await session.report()
    assert name in reply.text
    assert name in model.requests[count].messages[-1].content
    assert record.candidates[0].findings[0].kind == "not_recalled"


@pytest.mark.parametrize(
    ("code", "asked", "wrong", "right", "told"),
    [
        (
            "en",
            "Is the second one fast?",
            "The Silver Gull is slow.",
            "It's quick enough.",
            "they mean: the Lazy Otter",
        ),
        ("zh", "第二家远吗？", "聚香阁很远。", "走十分钟就到。", "指的是老灶台"),
    ],
)
async def test_the_model_is_told_which_is_meant(
    code: str, asked: str, wrong: str, right: str, told: str, make_harness: MakeHarness
) -> None:
    model = ScriptedModel({"respond": [ANSWER[code], wrong], "revise": right})
    async with make_harness(model) as harness:
        session = await harness.open(WHO[code], session="s")
        await session.say(LISTED[code])
        reply = await session.say(asked)
    assert reply.text == right
    assert told in model.requests[1].messages[-1].content
    assert any(word in model.requests[2].messages[-1].content for word in ("Lazy Otter", "老灶台"))

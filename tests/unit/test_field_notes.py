"""What users of such systems complain about, one case a row, in English and Chinese: facts, judges, broken JSON."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest

from harness.errors import UnsupportedFeature
from harness.ports import Capabilities, ModelRequest
from harness.state import FactStatus
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.proposals import answers
from tests.unit._field_notes import BOTH, active, persona, told
from tests.unit.conftest import MakeHarness
from tests.unit.test_turn_steps import analysis, fact

# --- 1: what the character said of itself is held -----------------------------------------------------------------


class Healer(NamedTuple):
    asked: str
    said: str
    filler: str
    again: str
    denied: str
    kept: str


HEALER = {
    "en": Healer(
        "And what do you do in the party?",
        "I'm a healer.",
        "The road goes on past the mill and over the long hill.",
        "Can you patch me up?",
        "Sorry, I'm not a healer.",
        "Of course, I'm a healer.",
    ),
    "zh": Healer(
        "你在队伍里做什么？",
        "我是治疗师。",
        "这条路经过磨坊，再翻过那座长长的山。",
        "能帮我治一下伤吗？",
        "抱歉，我不是治疗师。",
        "当然，我是治疗师。",
    ),
}


@BOTH
async def test_row_1_what_the_character_said_is_not_denied_20k_tokens_later(
    make_harness: MakeHarness, code: str
) -> None:
    case = HEALER[code]
    who = persona(code).model_copy(update={"facts": ()})
    filler = " ".join(f"{case.filler} {number}." for number in range(40))
    script = [case.said, *["Mm." if code == "en" else "嗯。"] * 30, case.denied, case.kept]
    async with make_harness(script, max_input_chars=20000) as harness:
        session = await harness.open(who, session="s")
        await session.say(case.asked)
        for _ in range(30):
            await session.say(filler)
        reply = await session.say(case.again)
        record = await session.report()
    assert reply.text == case.kept
    assert "contradiction" in [finding.kind for finding in record.candidates[0].findings]
    assert record.candidates[0].text == case.denied


# --- 2: a changed mind supersedes and keeps its history -------------------------------------------------------------

MINDS = {
    "en": ("I love Chinese food.", "I hate Chinese food.", "Chinese food"),
    "zh": ("我很爱吃中餐。", "我讨厌吃中餐。", "中餐"),
}


@BOTH
@pytest.mark.parametrize("turned", [False, True])
def test_row_2_love_then_hate_supersedes_in_both_orders(code: str, turned: bool) -> None:
    first, second, thing = MINDS[code]
    state = told(code, *((second, first) if turned else (first, second)))
    about = [fact for fact in state.facts if thing in fact.value or thing.casefold() in fact.value.casefold()]
    assert [fact.status for fact in about] == [FactStatus.superseded, FactStatus.active]
    assert about[1].supersedes == about[0].id
    assert about[1].turn == 2


# --- 3: only attributes that hold one value supersede ---------------------------------------------------------------

MANY = {
    "en": [
        ("I have a dog called Rex.", "I also have a cat called Tiger.", "pet", 2),
        ("I work as a teacher.", "I also work as a translator.", "job", 2),
        ("My hobby is chess.", "My hobby is climbing.", "hobby", 2),
        ("I live in Leeds.", "I live in York now.", "home", 1),
        ("I work as a teacher.", "I work as a plumber now.", "job", 1),
    ],
    "zh": [
        ("我养了一只狗叫旺财。", "我还养了一只猫叫老虎。", "pet", 2),
        ("我是老师。", "我还兼职做翻译。", "job", 2),
        ("我的爱好是下棋。", "我的爱好还有爬山。", "hobby", 2),
        ("我住在苏州。", "我现在住在南京。", "home", 1),
        ("我是老师。", "我现在改行做水管工了。", "job", 1),
    ],
}


@pytest.mark.parametrize(("code", "case"), [(code, case) for code, cases in MANY.items() for case in cases])
def test_row_3_a_second_one_is_added_and_a_new_one_replaces(code: str, case: tuple[str, str, str, int]) -> None:
    first, second, attribute, left = case
    state = told(code, first, second)
    assert len(active(state, attribute)) == left
    assert len([fact for fact in state.facts if fact.attribute == attribute]) == 2


# --- 4: judges reason before their verdict --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        answers.TurnAnalysis,
        answers.FactDeltas,
        answers.TopicUpdate,
        answers.PremiseVerdict,
        answers.ReplyVerdict,
        answers.SummaryText,
    ],
)
def test_row_4_reasoning_stands_first_in_every_schema(kind: type[answers.Answer]) -> None:
    schema = answers.answer_schema(kind)
    assert next(iter(schema["properties"])) == "reasoning"
    assert schema["required"][0] == "reasoning"


VERDICTS = {
    "en": ("But you are no baker!", "The message denies the job.", "you are no baker", "I am a baker."),
    "zh": ("可你根本不烤面包啊！", "这句话否认了职业。", "你根本不烤面包", "我是面包师。"),
}


@BOTH
async def test_row_4_a_verdict_after_its_reasoning_becomes_a_notice(make_harness: MakeHarness, code: str) -> None:
    said, reasoning, claim, kept = VERDICTS[code]
    fact_id = persona(code).as_facts()[0].id
    verdict = json.dumps(
        {"reasoning": reasoning, "claim": claim, "fact_id": fact_id, "relation": "contradicts"}, ensure_ascii=False
    )
    fine = json.dumps({"reasoning": "", "kind": "none", "fact_id": "", "evidence": ""})

    def script(request: ModelRequest) -> str:
        if request.purpose == "consistency_check":
            return verdict if request.schema_name == "premise_verdict" else fine
        return kept

    async with make_harness(script, check_tier="model") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        record = await session.report()
    assert [(notice.kind, notice.fact_id) for notice in record.notices] == [("contradiction", fact_id)]
    asked = next(call for call in record.calls if call.purpose == "consistency_check")
    assert "reasoning" in asked.reply


# --- 5: nothing comes back as news from the prompt or from memory -----------------------------------------------------

RECALLED = {
    "en": ("I have a parrot called Captain.", "What shall we do today?", "I am a baker", "a parrot called Captain"),
    "zh": ("我养了一只鹦鹉叫船长。", "我们今天做什么？", "我是面包师", "一只鹦鹉叫船长"),
}


@BOTH
async def test_row_5_what_stands_in_the_prompt_is_not_extracted_again(make_harness: MakeHarness, code: str) -> None:
    said, asked, from_system, from_memory = RECALLED[code]
    junk = analysis(
        facts=[
            fact(from_system, "job", from_system, speaker="character", subject="character"),
            fact(from_memory, "pet", from_memory),
        ]
    )
    script = {"respond": "Let us see." if code == "en" else "看看吧。", "turn_analysis": [analysis(), junk]}
    async with make_harness(script, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        before = (await session.state()).facts
        await session.say(asked)
        state, record = await session.state(), await session.report()
    assert state.facts == before
    refused = [event.message for event in record.events if event.message.startswith("fact refused")]
    assert len(refused) == 2
    assert all("was not said in this turn" in reason for reason in refused)


@BOTH
async def test_row_5_rules_read_the_new_turn_only(make_harness: MakeHarness, code: str) -> None:
    said, asked, _, _ = RECALLED[code]
    async with make_harness(["Mm." if code == "en" else "嗯。"]) as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        first = (await session.state()).facts
        for _ in range(5):
            await session.say(asked)
        assert (await session.state()).facts == first
    assert len(first) == 1


# --- 6: what models wrap around their JSON ----------------------------------------------------------------------------

QUOTE = {"en": ("I live in Bergen.", "I live in Bergen", "Bergen"), "zh": ("我住在卑尔根。", "我住在卑尔根", "卑尔根")}
WRAPPED = [
    "Here is the analysis you asked for:\n```json\n{}\n```",
    "{}\n\nExplanation: the user told where they live.",
    '<think>They say where they live. {{"facts": []}}</think>{}',
    "好的，以下是分析：\n```\n{}\n```\n说明：用户说了住处。",
]
UNREADABLE = ["", "   ", "I cannot do that.", '{"reasoning": "no key"}', "抱歉，我做不到。", '{"结果": []}']


@BOTH
@pytest.mark.parametrize("wrapping", WRAPPED)
async def test_row_6_wrapped_json_is_read(make_harness: MakeHarness, code: str, wrapping: str) -> None:
    said, quote, value = QUOTE[code]
    answer = wrapping.format(analysis(facts=[fact(quote, "home", value)]))
    async with make_harness({"respond": "Mm.", "turn_analysis": answer}, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        assert active(await session.state(), "home") == [value]


@BOTH
async def test_row_6_lone_surrogates_and_raw_line_breaks_are_read(make_harness: MakeHarness, code: str) -> None:
    said, quote, value = QUOTE[code]
    answer = analysis(facts=[fact(quote, "home", value)], reasoning="REASON")
    answer = answer.replace("REASON", "line one\nline two \\ud83d")
    async with make_harness({"respond": "Mm.", "turn_analysis": answer}, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        assert active(await session.state(), "home") == [value]


@BOTH
@pytest.mark.parametrize("answer", UNREADABLE)
async def test_row_6_the_unreadable_is_mended_once_and_then_changes_nothing_but_by_rules(
    make_harness: MakeHarness, code: str, answer: str
) -> None:
    said, _, value = QUOTE[code]
    async with make_harness({"respond": "Mm.", "turn_analysis": answer}, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        state, record = await session.state(), await session.report()
    assert [call.purpose for call in record.calls].count("turn_analysis") == 2
    assert "fell_back_to_rules" in [event.kind for event in record.events]
    assert active(state, "home") == [value]
    assert all(applied.operation.tier != "model" for applied in record.operations if hasattr(applied.operation, "tier"))


# --- 7: an endpoint without json_schema -------------------------------------------------------------------------------


@BOTH
async def test_row_7_the_ladder_is_climbed_down_once_and_remembered(make_harness: MakeHarness, code: str) -> None:
    said, quote, value = QUOTE[code]
    refused: list[str] = []

    def script(request: ModelRequest) -> Any:
        if request.structured in ("json_schema", "json_object"):
            refused.append(request.structured)
            return UnsupportedFeature("This endpoint has no such thing.", feature=request.structured)
        if request.purpose == "turn_analysis":
            return analysis(facts=[fact(quote, "home", value)])
        return "Mm."

    model = ScriptedModel(script, capabilities=Capabilities())
    async with make_harness(model, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        assert active(await session.state(), "home") == [value]
        await session.say(said)
    assert refused == ["json_schema", "json_object"]
    assert model.capabilities.structured == "prompt"


# --- 8: what a rejected reply brought is gone with it -----------------------------------------------------------------

REROLLED = {
    "en": ("Which camera do you use?", "I use a Canon.", "I use a Nikon.", "Canon", "And then?"),
    "zh": ("你用什么相机？", "我用的相机是佳能。", "我用的相机是尼康。", "佳能", "然后呢？"),
}


@BOTH
async def test_row_8_a_rerolled_reply_leaves_nothing_behind(make_harness: MakeHarness, code: str) -> None:
    asked, first, second, gone, on = REROLLED[code]
    model = ScriptedModel([first, second, "Mm."])
    async with make_harness(model) as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(asked)
        assert gone in (await session.state()).model_dump_json()
        await session.retry()
        assert gone not in (await session.state()).model_dump_json()
        await session.say(on)
    assert gone not in str(model.requests[-1].messages)

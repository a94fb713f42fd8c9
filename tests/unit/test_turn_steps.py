"""Steps with scripted models: analysis, fallbacks, summaries, budgets, revision forms."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest

from harness.errors import BudgetError, ContextTooLong, ServerFailed
from harness.ports import Capabilities, ModelRequest
from harness.state import DialogueState, Persona
from harness.state.operations import OpenCommitment, SetTask
from harness.state.task import TaskState
from harness.testing.scripted_model import ScriptedModel
from tests.unit._sessions import LIN, MIA
from tests.unit.conftest import MakeHarness


def analysis(**parts: Any) -> str:
    blank = {"label": "neutral", "valence": 0, "arousal": 0, "cause": ""}
    return json.dumps(
        {
            "reasoning": "short",
            "facts": [],
            "commitments": [],
            "topic": {"action": "keep", "label": "", "topic_id": ""},
            "user_emotion": blank,
            "character_emotion": blank,
            "entities": [],
            **parts,
        },
        ensure_ascii=False,
    )


def fact(quote: str, attribute: str, value: str, **more: Any) -> dict[str, Any]:
    return {
        "quote": quote,
        "speaker": "user",
        "subject": "user",
        "attribute": attribute,
        "value": value,
        "polarity": True,
        "action": "assert",
        "fact_id": "",
        **more,
    }


@pytest.mark.parametrize(
    ("persona", "text", "quote", "attribute", "value", "label"),
    [
        (MIA, "I moved to Bergen last week.", "I moved to Bergen", "home", "Bergen", "moving house"),
        (LIN, "我上周搬到了卑尔根。", "我上周搬到了卑尔根", "home", "卑尔根", "搬家"),
    ],
)
async def test_one_combined_call_serves_facts_topic_and_mood(
    make_harness: MakeHarness, persona: Persona, text: str, quote: str, attribute: str, value: str, label: str
) -> None:
    answer = analysis(
        facts=[fact(quote, attribute, value)],
        topic={"action": "push", "label": label, "topic_id": ""},
        user_emotion={"label": "joy", "valence": 0.8, "arousal": 0.4, "cause": quote},
    )
    model = ScriptedModel({"respond": "Oh. Far." if persona is MIA else "哦，好远。", "turn_analysis": answer})
    async with make_harness(model, analysis="combined") as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        state = await session.state()
    assert [(f.attribute, f.value) for f in state.active_facts("user")] == [(attribute, value)]
    assert state.topics.current is not None
    assert state.topics.current.label == label
    assert state.user_emotion.valence > 0
    assert model.purposes == ["respond", "turn_analysis"], "two calls a turn"


async def test_separate_analysis_is_two_calls(make_harness: MakeHarness) -> None:
    model = ScriptedModel({"respond": "Oh.", "extract_facts": analysis(), "update_topic": analysis()})
    async with make_harness(model, analysis="separate") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I moved to Bergen.")
        await session.settled()
    assert model.purposes == ["respond", "extract_facts", "update_topic"]


@pytest.mark.parametrize(
    "broken",
    [
        "Sure! Here it is.",
        "",
        '{"unrelated": 1}',
        "[1, 2",
        ServerFailed("down"),
        "<think>let me see</think>",
    ],
)
async def test_an_analysis_that_fails_falls_back_to_rules_and_says_so(make_harness: MakeHarness, broken: Any) -> None:
    model = ScriptedModel({"respond": "Nice.", "*": broken})
    async with make_harness(model, analysis="combined") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I have a dog called Bruno.")
        state, record = await session.state(), await session.report()
    assert [f.attribute for f in state.active_facts("user")] == ["pet"]
    assert any(event.kind == "fell_back_to_rules" for event in record.events)
    assert len(model.requests) <= 3, "at most one call to mend it"


@pytest.mark.parametrize(
    "wrapped",
    [
        "Here you go:\n```json\n{}\n```\nExplanation: done.",
        "<think>hm</think>\n{}",
        "{} ",
        "答案如下：\n{}",
    ],
)
async def test_a_readable_answer_is_read_however_it_is_wrapped(make_harness: MakeHarness, wrapped: str) -> None:
    answer = wrapped.replace("{}", analysis(facts=[fact("I am a pilot", "job", "pilot")]))
    async with make_harness({"respond": "Nice.", "*": answer}, analysis="combined") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I am a pilot.")
        assert [f.value for f in (await session.state()).active_facts("user")] == ["pilot"]


async def test_what_a_model_invents_is_refused_with_a_reason(make_harness: MakeHarness) -> None:
    answer = analysis(
        facts=[
            fact("I have a yacht", "possession", "a yacht"),
            fact("you are a nurse", "job", "nurse", subject="character"),
        ]
    )
    async with make_harness({"respond": "Nice.", "*": answer}, analysis="combined") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("I think you are a nurse.")
        state, record = await session.state(), await session.report()
    assert state.facts == ()
    assert sum(event.kind == "proposal_refused" for event in record.events) >= 2


# --- summaries ------------------------------------------------------------------------------------------------------------


def check_summary(state: DialogueState, window: int) -> None:
    assert state.summary is not None
    numbers = [message.turn for message in state.messages]
    assert numbers == sorted(numbers)
    assert state.summary.last_turn == numbers[0] - 1
    assert state.summary.first_turn in (0, 1)
    assert len(state.messages) >= window


@pytest.mark.parametrize("tier", ["rules", "model"])
@pytest.mark.parametrize(
    ("persona", "text", "kept"), [(MIA, "My {thing} code is {n}77.", "77"), (LIN, "我的{thing}密码是{n}77。", "77")]
)
async def test_old_messages_are_compressed_and_nothing_else_is_touched(
    make_harness: MakeHarness, tier: str, persona: Persona, text: str, kept: str
) -> None:
    script = {"respond": "Good to know." if persona is MIA else "知道了。", "summarize": f"Turn 1: {kept}1."}
    async with make_harness(script, short_term_window=4, summarize_with=tier, max_revisions=0) as harness:
        session = await harness.open(persona, session="s")
        things = ("boat shed gate desk bike safe door lamp" if persona is MIA else "船 棚 门 桌 车 箱 柜 灯").split()
        await session.say(text.format(thing=things[0], n=1))
        await session.change(
            [
                SetTask(task=TaskState(task_id="t", goal="sail round")),
                OpenCommitment(by="character", to="user", text="bring the map", turn=1),
            ]
        )
        for number in range(2, 9):
            await session.say(text.format(thing=things[number - 1], n=number))
            state = await session.state()
            assert len(state.messages) <= 2 * 4 + 2
        check_summary(state, 4)
        assert kept in str(state.summary)
        assert state.task is not None
        assert state.task.goal == "sail round"
        assert len(state.open_commitments()) == 1
        assert len(state.active_facts("user")) >= 8


@pytest.mark.parametrize("size", [20, 4000])
async def test_an_oversized_message_and_a_tiny_window_end_in_progress(make_harness: MakeHarness, size: int) -> None:
    async with make_harness("Yes.", short_term_window=2, summary_trigger_tokens=50, summary_max_tokens=40) as harness:
        session = await harness.open(MIA, session="s")
        for number in range(6):
            await session.say(f"{number} " + "word " * (size // 5))
            state, record = await session.state(), await session.report()
            assert len(state.messages) <= 4
            assert len(record.calls) == 1
        assert state.summary is not None
        from harness.context.tokens import estimate

        assert estimate(state.summary.text) <= 60


async def test_a_summarizer_that_fails_or_rambles_is_replaced_by_rules(make_harness: MakeHarness) -> None:
    for answer in (ServerFailed("down"), "blah " * 5000, ""):
        script = {"respond": "Yes.", "summarize": answer}
        async with make_harness(script, short_term_window=2, summarize_with="model", max_revisions=0) as harness:
            session = await harness.open(MIA, session=f"s{len(str(answer))}")
            for number in range(4):
                await session.say(f"My number {number} is {number}77.")
            state = await session.state()
            events = [event.kind for record in await session.branch() for event in record.events]
        check_summary(state, 2)
        assert "fell_back_to_rules" in events


# --- the prompt -------------------------------------------------------------------------------------------------------------


async def prompts_of(make_harness: MakeHarness, **engine: Any) -> list[ModelRequest]:
    model = ScriptedModel("Yes.")
    async with make_harness(model, **engine) as harness:
        session = await harness.open(MIA, session="s")
        for text in ("My name is Tom.", "I have a dog called Bruno.", "What's my dog called?", "Nice."):
            await session.say(text)
        await session.settled()
    return [request for request in model.requests if request.purpose == "respond"]


async def test_the_prefix_is_the_same_bytes_from_turn_to_turn(make_harness: MakeHarness) -> None:
    requests = await prompts_of(make_harness, max_revisions=0)
    for before, after in pairwise(requests):
        shared = 1 + len([m for m in before.messages if m.role == "assistant"]) * 2
        assert after.messages[:shared] == before.messages[:shared]
        assert after.messages[shared].content == before.messages[-1].content or after.messages[shared].role == "user"


async def test_what_was_told_is_in_the_prompt_and_users_words_stay_as_typed(make_harness: MakeHarness) -> None:
    for placement in ("late_system", "user", "first"):
        requests = await prompts_of(make_harness, max_revisions=0, context_placement=placement)
        text = "\n".join(message.content for message in requests[2].messages)
        assert "Bruno" in text
        assert "What's my dog called?" in text
        systems = [index for index, message in enumerate(requests[2].messages) if message.role == "system"]
        assert systems == [0] if placement != "late_system" else systems[0] == 0


async def test_an_endpoint_with_one_system_message_gets_one(make_harness: MakeHarness) -> None:
    model = ScriptedModel("Yes.", capabilities=Capabilities(single_system=True))
    async with make_harness(model) as harness:
        session = await harness.open(MIA, session="s")
        await session.say("My name is Tom.")
        await session.say("But you told me you have no pets.")
    for request in model.requests:
        assert [message.role for message in request.messages].count("system") == 1


async def test_templates_in_user_text_are_data(make_harness: MakeHarness) -> None:
    model = ScriptedModel("Yes.")
    async with make_harness(model) as harness:
        session = await harness.open(MIA, session="s")
        for text in ("My name is {x}.", "{{ persona }} {% for %}", "${HOME} %s {0}"):
            await session.say(text)
            assert any(text in message.content for message in model.requests[-1].messages)


async def test_a_budget_too_small_for_what_must_not_be_cut_is_an_error(make_harness: MakeHarness) -> None:
    async with make_harness("Yes.", total_token_budget=200) as harness:
        session = await harness.open("mia", session="s")
        with pytest.raises(BudgetError, match="budget is 200"):
            await session.say("Hello.")
        assert (await session.state()).turn_count == 0


async def test_old_messages_give_way_to_the_budget_and_the_report_says_so(make_harness: MakeHarness) -> None:
    async with make_harness(
        "word " * 100, total_token_budget=900, max_revisions=0, summary_trigger_tokens=9999
    ) as harness:
        session = await harness.open(MIA, session="s")
        for number in range(6):
            await session.say(f"{number} " + "thing " * 60)
        record = await session.report()
    assert record.context.total_tokens <= 900
    assert any("over the budget" in line for line in record.context.dropped)
    assert record.context.warnings


async def test_a_prompt_that_the_endpoint_finds_too_long_is_composed_again(make_harness: MakeHarness) -> None:
    model = ScriptedModel(["One.", "Two.", ContextTooLong("too long"), "Three."])
    async with make_harness(model, max_revisions=0) as harness:
        session = await harness.open(MIA, session="s")
        for text in ("a " * 400, "b " * 400):
            await session.say(text)
        reply = await session.say("And?")
        record = await session.report()
    assert reply.text == "Three."
    assert any(event.kind == "context_too_long" for event in record.events)
    assert len(model.requests[-1].messages) < len(model.requests[-2].messages)


# --- revision -----------------------------------------------------------------------------------------------------------------

BAIT = {"en": "But you told me you have no pets.", "zh": "可是你说过你没有宠物。"}
GIVES_IN = {"en": "Sorry, you're right, I have no pets.", "zh": "对不起，你说得对，我没有宠物。"}


@pytest.mark.parametrize(("persona", "language"), [(MIA, "en"), (LIN, "zh")])
async def test_without_begun_answers_truth_comes_before_the_reply_in_json(
    make_harness: MakeHarness, persona: Persona, language: str
) -> None:
    held = {"en": "No, I have a cat called Biscuit.", "zh": "哪有，我养了一只叫豆豆的猫。"}[language]
    answer = json.dumps({"truth": held, "user_claim_is": "false", "reply": held}, ensure_ascii=False)
    model = ScriptedModel({"respond": GIVES_IN[language], "revise": answer}, capabilities=Capabilities(prefill=False))
    async with make_harness(model) as harness:
        session = await harness.open(persona, session="s")
        assert (await session.say(BAIT[language])).text == held
        record = await session.report()
    assert [candidate.form for candidate in record.candidates] == ["plain", "json"]
    assert model.requests[1].structured == "json_schema"
    assert not any(request.prefill for request in model.requests)


@pytest.mark.parametrize(("persona", "language"), [(MIA, "en"), (LIN, "zh")])
async def test_the_last_resort_states_the_fact_and_can_be_switched_off(
    make_harness: MakeHarness, persona: Persona, language: str
) -> None:
    fact_word = {"en": "Biscuit", "zh": "豆豆"}[language]

    def stubborn() -> ScriptedModel:
        return ScriptedModel(GIVES_IN[language], capabilities=Capabilities(prefill=False))

    async with make_harness(stubborn()) as harness:
        session = await harness.open(persona, session="s")
        reply = await session.say(BAIT[language])
        record = await session.report()
    assert fact_word in reply.text
    assert record.candidates[record.chosen].form == "line"
    assert any(event.kind == "fallback_line" for event in record.events)
    async with make_harness(stubborn(), fallback_line=False) as harness:
        session = await harness.open(persona, session="t")
        await session.say(BAIT[language])
        assert all(candidate.form != "line" for candidate in (await session.report()).candidates)


@pytest.mark.parametrize("rounds", [0, 1, 3])
async def test_revision_is_bounded(make_harness: MakeHarness, rounds: int) -> None:
    model = ScriptedModel(GIVES_IN["en"])
    async with make_harness(model, max_revisions=rounds, revision_candidates=2) as harness:
        session = await harness.open(MIA, session="s")
        await session.say(BAIT["en"])
        await session.settled()
    assert len(model.requests) <= 1 + 2 * rounds


@pytest.mark.parametrize(
    ("persona", "told", "question", "answer"),
    [
        (MIA, "My locker number is 4172.", "What's my locker number?", "4172"),
        (LIN, "我的车位号是306。", "我的车位号是多少？", "306"),
    ],
)
async def test_what_the_user_told_is_given_back_when_asked(
    make_harness: MakeHarness, persona: Persona, told: str, question: str, answer: str
) -> None:
    blank = {"en": "I have no idea.", "zh": "不清楚呀。"}[persona.language]
    async with make_harness(["Okay." if persona is MIA else "好。", blank]) as harness:
        session = await harness.open(persona, session="s")
        await session.say(told)
        reply = await session.say(question)
        record = await session.report()
    assert answer in reply.text
    assert record.notices[0].kind == "recall"


async def test_the_evaluator_is_asked_only_when_the_rules_found_nothing(make_harness: MakeHarness) -> None:
    premise = json.dumps({"reasoning": "r", "claim": "you are tall", "fact_id": "p:pet", "relation": "unrelated"})
    model = ScriptedModel(
        lambda request: (
            premise
            if "relation" in str(request.schema)
            else '{"reasoning":"r","kind":"none","fact_id":"","evidence":""}'
            if request.structured
            else "Not really."
        )
    )
    async with make_harness(model, check_tier="model") as harness:
        session = await harness.open(MIA, session="s")
        await session.say("You are tall, aren't you?")
        await session.settled()
    assert model.purposes == ["consistency_check", "respond", "consistency_check"]


@pytest.mark.parametrize(("persona", "language"), [(MIA, "en"), (LIN, "zh")])
async def test_an_ending_that_spoils_a_begun_answer_is_left_off(
    make_harness: MakeHarness, persona: Persona, language: str
) -> None:
    model = ScriptedModel(" " + GIVES_IN[language])
    async with make_harness(model, begin_answers="always") as harness:
        session = await harness.open(persona, session="s")
        reply = await session.say(BAIT[language])
    assert {"en": "Biscuit.", "zh": "豆豆的猫。"}[language] in reply.text
    assert GIVES_IN[language] not in reply.text
    assert len(model.requests) == 1


@pytest.mark.parametrize(("persona", "language"), [(MIA, "en"), (LIN, "zh")])
async def test_a_weak_model_can_be_given_the_first_words_at_once(
    make_harness: MakeHarness, persona: Persona, language: str
) -> None:
    ending = {"en": " and that is that.", "zh": "真的。"}[language]
    model = ScriptedModel(ending)
    async with make_harness(model, begin_answers="always") as harness:
        session = await harness.open(persona, session="s")
        reply = await session.say(BAIT[language])
        record = await session.report()
    assert {"en": "Biscuit", "zh": "豆豆"}[language] in reply.text
    assert reply.text.endswith(ending.strip())
    assert not reply.revised
    assert [candidate.form for candidate in record.candidates] == ["begun"]
    assert model.requests[0].prefill
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    ("persona", "told", "filler", "question", "detail"),
    [
        (
            MIA,
            "The ferry captain wore a purple scarf with silver anchors on it.",
            "It rained again on day {n}, and I read another chapter about gardens.",
            "What was the captain's scarf like?",
            "silver anchors",
        ),
        (
            LIN,
            "渡船的船长围着一条紫色的围巾，上面绣着银色的锚。",
            "第{n}天又下雨了，我看了一章讲花园的书。",
            "船长的围巾是什么样的？",
            "银色的锚",
        ),
    ],
)
async def test_a_detail_no_fact_holds_comes_back_from_the_journal(
    make_harness: MakeHarness, persona: Persona, told: str, filler: str, question: str, detail: str
) -> None:
    model = ScriptedModel({"*": "Mm." if persona is MIA else "嗯。", "summarize": "They talked about the weather."})
    engine = {"short_term_window": 2, "summarize_with": "model", "max_revisions": 0}
    async with make_harness(model, **engine) as harness:
        session = await harness.open(persona, session="s")
        await session.say(told)
        for number in range(8):
            await session.say(filler.format(n=number))
        await session.say(question)
        record, state = await session.report(), await session.state()
    assert state.summary is not None
    assert detail not in state.summary.text
    prompts = [request for request in model.requests if request.purpose == "respond"]
    assert detail in str(prompts[-1].messages)
    assert detail not in str(prompts[-2].messages), "only when it is asked for"
    layer = next(layer for layer in record.context.layers if layer.block == "recalled")
    assert layer.injected
    assert layer.items[0].id == "turn 1"
    async with make_harness(ScriptedModel("Mm."), **engine) as again:
        session = await again.open(session="s")
        await session.undo()
        await session.say(question)
        assert detail in str((await session.report()).calls[0].messages)

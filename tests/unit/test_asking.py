"""Plain calls and their records, the ladder of structured output, and reading JSON as models write it."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel, TypeAdapter

from harness import errors
from harness.adapters.models.openai_sdk import OpenAIModel
from harness.asking import Asked, Hints, ask, call, read, stream
from harness.ports import Capabilities, ChatMessage, ModelReply, ModelRequest
from harness.state.record import ModelCall
from harness.testing.scripted_model import ScriptedModel
from harness.testing.scripted_server import Answer, Received, ScriptedServer


class Mood(StrEnum):
    GLAD = "glad"
    SAD = "sad"


class Pet(BaseModel):
    name: str
    age: int = 0


class Answered(BaseModel):
    reasoning: str = ""
    pets: tuple[Pet, ...]
    mood: Mood = Mood.GLAD


PETS: TypeAdapter[tuple[Pet, ...]] = TypeAdapter(tuple[Pet, ...])
GOOD = '{"reasoning": "said so", "pets": [{"name": "Pixel", "age": 3}], "mood": "sad"}'
WANTED = Answered(reasoning="said so", pets=(Pet(name="Pixel", age=3),), mood=Mood.SAD)


def request(**changes: Any) -> ModelRequest:
    return ModelRequest(
        "extractor",
        **{"messages": (ChatMessage("system", "S"), ChatMessage("user", "U")), "purpose": "analysis", **changes},
    )


READABLE = [
    (GOOD, WANTED),
    (f"\ufeff  {GOOD}\n", WANTED),
    (f"Here is the JSON you asked for:\n```json\n{GOOD}\n```", WANTED),
    (f"```\n{GOOD}\n```\nExplanation: the cat {{Pixel}} is named.", WANTED),
    (f"{GOOD}\n\nExplanation: the user said [so].", WANTED),
    (f"Sure! {GOOD} Hope that helps.", WANTED),
    (f'<think>I could answer {{"pets": []}} or not.</think>\n{GOOD}', WANTED),
    (f"The schema has a brace.\n</think>{GOOD}", WANTED),
    (f"[THINK]hm[/THINK]{GOOD}", WANTED),
    (json.dumps(GOOD), WANTED),
    (f"[{GOOD}]", WANTED),
    (f'{{"answer": {GOOD}}}', WANTED),
    ('[{"name": "Pixel"}, {"name": "Rex"}]', Answered(pets=(Pet(name="Pixel"), Pet(name="Rex")))),
    ('{"reasoning": "first line\nsecond line", "pets": []}', Answered(reasoning="first line\nsecond line", pets=())),
    ('{"reasoning": "lone \\ud83d half", "pets": []}', Answered(reasoning="lone \ufffd half", pets=())),
    ('{"reasoning": "\\ud83d\\ude00", "pets": []}', Answered(reasoning="\U0001f600", pets=())),
    ("{'reasoning': 'it\\'s', 'pets': [{'name': 'Pixel', 'age': 3}]}", Answered(reasoning="it's", pets=(Pet(name="Pixel", age=3),))),
    ("{'pets': [{'name': 'Pixel'}], 'reasoning': '', 'extra': None, 'sure': True}", Answered(pets=(Pet(name="Pixel"),))),
    ('{"pets": [{"name": "Pixel", "age": 3,},],}', Answered(pets=(Pet(name="Pixel", age=3),))),
    ('{pets: [{name: "Pixel"}]}', Answered(pets=(Pet(name="Pixel"),))),
    ('{"reasoning": "an "unescaped" quote", "pets": []}', Answered(reasoning='an "unescaped" quote', pets=())),
    ('{"pets": [] // none\n}', Answered(pets=())),
    ("｛“reasoning”：“她说「有一只猫」，叫 Pixel”，“pets”：［｛“name”：“Pixel”｝］｝",
     Answered(reasoning="她说「有一只猫」，叫 Pixel", pets=(Pet(name="Pixel"),))),
    ("{“reasoning”：“她说，有”，“pets”：[{“name”：“花花”，“age”：2}]}", Answered(reasoning="她说，有", pets=(Pet(name="花花", age=2),))),
    ("{「pets」：[{「name」：「花花」}]}", Answered(pets=(Pet(name="花花"),))),
    ('{"reasoning": "“引用”：保持", "pets": []}', Answered(reasoning="“引用”：保持", pets=())),
    (f'Example: {{"name": "x"}}\nAnswer: {GOOD}', WANTED),
    ('{"pets": [{"name": "Pixel", "age": 3}, {"name": "Re', Answered(pets=(Pet(name="Pixel", age=3),))),
    ('{"pets": [{"name": "Pixel", "age": 3}', Answered(pets=(Pet(name="Pixel", age=3),))),
    ('```json\n{"pets": [{"name": "Pixel", "age": 3}], "reasoning": "the user sa', Answered(pets=(Pet(name="Pixel", age=3),))),
    ('{"pets": [{"name": "Pixel", "age": 3}], "mood": "sad"', Answered(pets=(Pet(name="Pixel", age=3),), mood=Mood.SAD)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), READABLE)
def test_readable(text: str, expected: Any) -> None:
    value, problem, _ = read(text, Answered)
    assert problem == ""
    assert value == expected


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("I cannot answer in JSON.", "no JSON"),
        ('{"reasoning": "the key is missing"}', "pets"),
        ('{"animals": []}', "none of the keys"),
        ("{}", "none of the keys"),
        ('{"pets": "none"}', "pets"),
        ('{"pets": [{"name": "Pixel"}], "mood": "furious"}', "mood"),
        ('{"reasoning": "cut off before the ke', "no JSON"),
        ('{"others": [{"name": "Pixel"}], "pe', "none of the keys"),
        ('{"pe', "no JSON"),
        ("null", "no JSON"),
        ("42", "no JSON"),
        ("{" * 3000, "no JSON"),
        ("[" * 100_000, "no JSON"),
    ],
)
def test_unreadable(text: str, problem: Any) -> None:
    value, said, _ = read(text, Answered)
    assert value is None
    assert problem in said


def test_a_value_cut_in_half_is_dropped_not_completed() -> None:
    value, problem, note = read('{"pets": [{"name": "Pixel"}, {"name": "Rex", "age": 1', Answered)
    assert problem == ""
    assert value == Answered(pets=(Pet(name="Pixel"), Pet(name="Rex")))  # 1 may have been 12
    assert "cut off" in note


def test_several_different_answers_are_noted() -> None:
    value, _, note = read('{"pets": []} or rather {"pets": [{"name": "Rex"}]}', Answered)
    assert value == Answered(pets=(Pet(name="Rex"),))
    assert "2 different answers" in note


def test_plain_json_leaves_no_note_and_anything_else_does() -> None:
    assert read(GOOD, Answered)[2] == ""
    assert all(read(text, Answered)[2] for text, _ in READABLE[2:9])


def test_an_adapter_of_a_list() -> None:
    wanted = (Pet(name="Pixel"),)
    for text in (
        '[{"name": "Pixel"}]',
        '{"pets": [{"name": "Pixel"}]}',
        '{"name": "Pixel"}',
        'Here: [{"name": "Pixel"}].',
    ):
        assert read(text, PETS)[0] == wanted


@given(st.text(max_size=80))
def test_any_text_is_read_or_has_a_problem(text: str) -> None:
    value, problem, _ = read(text, Answered)
    assert (value is None) == bool(problem)


@given(st.integers(0, len(GOOD) - 1))
def test_no_prefix_of_an_answer_invents_anything(length: Any) -> None:
    value, _, _ = read(GOOD[:length], Answered)
    if value is not None:
        assert value.reasoning == "said so"
        assert value.pets in [(Pet(name="Pixel"),), (Pet(name="Pixel", age=3),)]


async def test_a_call_is_recorded() -> None:
    calls: list[ModelCall] = []
    reply = await call(ScriptedModel("Hi."), request(temperature=0.5, seed=3), phase="analyse", on_call=calls.append)
    assert reply.text == "Hi."
    [made] = calls
    assert (made.phase, made.purpose, made.role, made.model, made.reply) == (
        "analyse",
        "analysis",
        "extractor",
        "scripted",
        "Hi.",
    )
    assert made.messages == (("system", "S"), ("user", "U"))
    assert made.request_hash == request(temperature=0.5, seed=3).hash("scripted")
    assert json.loads(made.parameters) == {"temperature": 0.5, "seed": 3}
    assert made.error == ""
    assert made.usage.prompt >= 0


async def test_a_failed_call_is_recorded_and_raised() -> None:
    calls: list[ModelCall] = []
    failure = errors.TruncatedStream("It ended.", text="Half", attempts=3)
    with pytest.raises(errors.TruncatedStream):
        await call(ScriptedModel(failure), request(), phase="p", on_call=calls.append)
    assert (calls[0].error, calls[0].reply, calls[0].attempts) == ("TruncatedStream: It ended.", "Half", 3)


async def test_a_cancelled_call_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = ScriptedModel()
    monkeypatch.setattr(hanging, "complete", lambda _: asyncio.sleep(60))
    calls: list[ModelCall] = []
    task = asyncio.create_task(call(hanging, request(), phase="p", on_call=calls.append))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert calls[0].error.startswith("CancelledError")


async def test_a_streamed_call_is_recorded() -> None:
    calls: list[ModelCall] = []
    async with aclosing(stream(ScriptedModel("Hi there."), request(), phase="p", on_call=calls.append)) as deltas:
        got = [delta async for delta in deltas]
    assert got[-1].reply is not None
    assert "".join(delta.text for delta in got) == got[-1].reply.text == "Hi there."
    assert len(calls) == 1
    assert calls[0].first_token_seconds is not None
    assert calls[0].first_token_seconds <= calls[0].seconds


@pytest.mark.parametrize("until_reply", [False, True])
async def test_a_stream_its_reader_closes_is_recorded_once(until_reply: Any) -> None:
    calls: list[ModelCall] = []
    async with aclosing(stream(ScriptedModel("One two three."), request(), phase="p", on_call=calls.append)) as deltas:
        async for delta in deltas:
            if delta.reply is not None or not until_reply:
                break
    [made] = calls
    assert made.error == ""
    assert (made.reply, made.finish_reason) == (("One two three.", "stop") if until_reply else ("One", "closed"))


async def asked(script: Any, **options: Any) -> Any:
    calls: list[ModelCall] = []
    model = ScriptedModel(script, capabilities=options.pop("capabilities", None))
    outcome = await ask(model, options.pop("request", request()), Answered, phase="p", on_call=calls.append, **options)
    assert isinstance(outcome, Asked)
    assert list(outcome.calls) == calls
    return outcome, model


async def test_the_first_rung() -> None:
    outcome, model = await asked(GOOD)
    assert (outcome.value, outcome.form, outcome.error, outcome.notes, outcome.repaired) == (
        WANTED,
        "json_schema",
        "",
        (),
        False,
    )
    assert model.requests[0].structured == "json_schema"
    assert model.requests[0].schema == Answered.model_json_schema()
    assert model.requests[0].messages == request().messages


async def test_down_the_ladder_and_remembered() -> None:
    refused = [errors.UnsupportedFeature("no", feature=form) for form in ("json_schema", "json_object")]
    outcome, model = await asked([*refused, f"Well: {GOOD}"])
    assert (outcome.value, outcome.form) == (WANTED, "prompt")
    assert len(outcome.calls) == 3
    assert [bool(made.error) for made in outcome.calls] == [True, True, False]
    assert model.capabilities.structured == "prompt"
    assert any("fell back" in note for note in outcome.notes)
    assert '"pets"' in model.requests[-1].messages[-1].content  # the schema is told where it is not enforced
    assert model.requests[-1].messages[0] == request().messages[0]  # and the prefix stays


async def test_a_schema_that_is_refused_is_not_held_against_the_endpoint() -> None:
    refused = errors.UnsupportedFeature("too many states", feature="json_schema", remember=False)
    outcome, model = await asked([refused, GOOD])
    assert outcome.form == "json_object"
    assert model.capabilities.structured == "json_schema"


async def test_the_ladder_begins_where_the_endpoint_stands() -> None:
    outcome, model = await asked(GOOD, capabilities=Capabilities(structured="json_object"))
    assert (outcome.form, model.requests[0].structured) == ("json_object", "json_object")


async def test_one_mending_call() -> None:
    outcome, model = await asked(['{"reasoning": "no key"}', GOOD])
    assert outcome.value == WANTED
    assert outcome.repaired
    assert len(outcome.calls) == 2
    mending = model.requests[1]
    assert [message.role for message in mending.messages] == ["system", "user", "assistant", "user"]
    assert "pets" in mending.messages[-1].content
    assert mending.temperature == 0.0


async def test_an_empty_reply_is_asked_for_again() -> None:
    outcome, model = await asked([errors.EmptyReply("nothing"), GOOD])
    assert outcome.value == WANTED
    assert [message.role for message in model.requests[1].messages] == ["system", "user"]


async def test_no_value_and_a_reason_when_mending_fails() -> None:
    outcome, model = await asked(["nonsense", "more nonsense", GOOD])
    assert outcome.value is None
    assert outcome.error.startswith("UnreadableStructure: ")
    assert isinstance(outcome.failure, errors.UnreadableStructure)
    assert "more nonsense" in outcome.error
    assert len(model.requests) == 2


async def test_mending_can_be_switched_off() -> None:
    outcome, model = await asked("nonsense", repair=False)
    assert outcome.value is None
    assert len(model.requests) == 1


@pytest.mark.parametrize(
    "kind",
    [errors.RateLimited, errors.ModelTimeout, errors.ContentFiltered, errors.NotJSON, errors.AuthenticationFailed],
)
async def test_other_failures_are_reported_not_raised(kind: Any) -> None:
    outcome, model = await asked(kind("no"))
    assert outcome.value is None
    assert isinstance(outcome.failure, kind)
    assert len(model.requests) == len(outcome.calls) == 1


async def test_cut_off_answers_say_so() -> None:
    outcome, _ = await asked([ModelReply('{"reasoning": "very lo', finish_reason="length")], repair=False)
    assert "limit of tokens" in outcome.error


async def test_a_prefill_is_the_begin_of_the_answer() -> None:
    outcome, _ = await asked(GOOD[1:], request=request(prefill="{"))
    assert outcome.value == WANTED


async def test_hints_come_from_the_caller() -> None:
    hints = Hints(schema="按这个模式回答：{schema}", repair="再写一遍：{problem}")
    _, model = await asked(["x", GOOD], capabilities=Capabilities(structured="prompt"), hints=hints)
    assert "按这个模式回答" in model.requests[0].messages[-1].content
    assert model.requests[1].messages[-1].content.startswith("再写一遍")


async def test_the_ladder_on_a_real_connection() -> None:
    def script(received: Received) -> Answer:
        form = (received.body.get("response_format") or {}).get("type")
        if form:
            return Answer(status=400, body={"error": {"message": f"response_format {form} is not supported"}})
        return Answer(f"Here you are:\n```json\n{GOOD}\n```")

    async with ScriptedServer(script) as server:
        model = OpenAIModel(server.base_url, models={"responder": "test-model"})
        first = await ask(model, request(), Answered, phase="p")
        second = await ask(model, request(), Answered, phase="p")
        await model.close()
    assert first.value == second.value == WANTED
    assert (len(first.calls), len(second.calls)) == (3, 1)

"""What was recorded answers again, without a network."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from pydantic import BaseModel

from harness import errors
from harness.adapters.models.recording import RecordingModel, ReplayModel, read_calls
from harness.asking import ask, call
from harness.ports import Capabilities, ChatMessage, Model, ModelRequest
from harness.state.record import ModelCall
from harness.testing.scripted_model import ScriptedModel, echo, pieces_of


def request(text: str, **changes: Any) -> ModelRequest:
    return ModelRequest("responder", (ChatMessage("user", text),), purpose="respond", **changes)


async def until_it_fails(model: Model, asked: ModelRequest) -> AsyncIterator[str]:
    with pytest.raises(errors.TruncatedStream, match="Cut"):  # noqa: PT012  the pieces before it count
        async for delta in model.stream(asked):
            yield delta.text


async def collect(model: Any, asked: Any) -> Any:
    async with aclosing(model.stream(asked)) as deltas:
        return [delta async for delta in deltas]


async def test_record_and_replay(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "calls.jsonl"
    recording = RecordingModel(ScriptedModel(["One.", "Two 二。", "Three."], models={"responder": "m"}), path)
    assert isinstance(recording, Model)
    first = await recording.complete(request("a"))
    second = (await collect(recording, request("a")))[-1].reply
    third = await recording.complete(request("b"))
    replay = ReplayModel(path)
    assert isinstance(replay, Model)
    assert replay.model_id("responder") == "m"
    assert await replay.complete(request("b")) == third  # order holds within one request only
    streamed = await collect(replay, request("a", timeout_s=1))
    assert "".join(delta.text for delta in streamed) == streamed[-1].reply.text == first.text
    assert await replay.complete(request("a")) == second
    assert replay.unused == 0


async def test_errors_are_replayed(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording = RecordingModel(
        ScriptedModel([errors.RateLimited("Slow down."), errors.TruncatedStream("Cut.", text="Half a")]), path
    )
    with pytest.raises(errors.RateLimited):
        await recording.complete(request("a"))
    with pytest.raises(errors.TruncatedStream):
        await collect(recording, request("b"))
    replay = ReplayModel(path)
    with pytest.raises(errors.RateLimited, match="Slow down"):
        await replay.complete(request("a"))
    assert "".join([piece async for piece in until_it_fails(replay, request("b"))]) == "Half a"


async def test_the_calls_of_a_journal_replay() -> None:
    calls: list[ModelCall] = []
    await call(ScriptedModel("Hello."), request("hi"), phase="respond", on_call=calls.append)
    assert (await ReplayModel(calls).complete(request("hi"))).text == "Hello."


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (request("something else"), "message 1 has 'something else' where 'hi'"),
        (request("hi", temperature=0.9), "other parameters"),
        (
            ModelRequest("responder", (ChatMessage("user", "hi"), ChatMessage("user", "x")), purpose="respond"),
            "2 messages where 1",
        ),
        (ModelRequest("evaluator", (ChatMessage("user", "hi"),), purpose="judge"), "no call of this purpose"),
    ],
)
async def test_an_unknown_request_says_how_it_differs(asked: Any, why: Any) -> None:
    calls: list[ModelCall] = []
    await call(ScriptedModel("Hello."), request("hi"), phase="respond", on_call=calls.append)
    with pytest.raises(errors.ModelError, match=why):
        await ReplayModel(calls).complete(asked)


class Answered(BaseModel):
    pet: str


async def test_a_ladder_that_was_recorded_replays() -> None:
    refused = errors.UnsupportedFeature("no schema", feature="json_schema")
    calls: list[ModelCall] = []
    model = ScriptedModel([refused, "x", '{"pet": "cat"}', '{"pet": "dog"}'])
    recorded = [await ask(model, request(name), Answered, phase="p", on_call=calls.append) for name in "ab"]
    replay = ReplayModel(calls)
    again = [await ask(replay, request(name), Answered, phase="p") for name in "ab"]
    assert [(asked.value, asked.form, len(asked.calls)) for asked in again] == [
        (asked.value, asked.form, len(asked.calls)) for asked in recorded
    ]
    assert replay.unused == 0
    later = ReplayModel(calls[-1:])  # a journal that begins when the endpoint was known already
    assert (await ask(later, request("b"), Answered, phase="p")).value == Answered(pet="dog")


@given(st.text(alphabet="ab猫。.!\n ，"))
async def test_recorded_pieces_join_to_the_text_and_stop_at_sentences(text: str) -> None:
    replay = ReplayModel(
        [ModelCall(phase="p", purpose="respond", role="responder", request_hash=request("a").hash(), reply=text)]
    )
    got = await collect(replay, request("a"))
    assert "".join(delta.text for delta in got) == text
    assert not any("。" in delta.text.rstrip("。.!\n") for delta in got)


async def test_capabilities_can_be_given() -> None:
    given_ones = Capabilities(structured="prompt", prefill=True)
    assert ReplayModel([], capabilities=given_ones).capabilities is given_ones


async def test_a_begun_answer_is_replayed_only_where_one_was_recorded() -> None:
    calls: list[ModelCall] = []
    await call(ScriptedModel("I do."), request("hi", prefill="No, "), phase="p", on_call=calls.append)
    assert ReplayModel(calls).capabilities.prefill is None
    assert ReplayModel([]).capabilities.prefill is False


async def test_a_call_is_answered_as_often_as_it_was_recorded() -> None:
    calls: list[ModelCall] = []
    await call(ScriptedModel("Hello."), request("hi"), phase="respond", on_call=calls.append)
    replay = ReplayModel(calls)
    await replay.complete(request("hi"))
    with pytest.raises(errors.ModelError, match="used up"):
        await replay.complete(request("hi"))


async def test_a_line_cut_off_by_a_crash_is_left_out_and_a_wrong_one_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording = RecordingModel(ScriptedModel("Hi."), path)
    await recording.complete(request("a"))
    whole = path.read_text("utf-8")
    path.write_text(whole + whole[:40], "utf-8")
    assert len(read_calls(path)) == 1
    path.write_text("nonsense\n" + whole, "utf-8")
    with pytest.raises(errors.StoreError, match="line 1"):
        read_calls(path)
    with pytest.raises(errors.StoreError, match="cannot be read"):
        read_calls(tmp_path / "missing.jsonl")


async def test_a_stream_closed_early_is_not_recorded(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    recording = RecordingModel(ScriptedModel("One two three."), path)
    async with aclosing(recording.stream(request("a"))) as deltas:
        async for _ in deltas:
            break
    assert not path.exists()


async def test_scripted_models() -> None:
    assert (await ScriptedModel().complete(request("echo me"))).text == echo(request("echo me")) == "echo me"
    by_purpose = ScriptedModel({"respond": ["a", "b"], "*": "other"})
    assert [(await by_purpose.complete(request("x"))).text for _ in range(3)] == ["a", "b", "b"]
    assert (await by_purpose.complete(ModelRequest("evaluator", (), purpose="judge"))).text == "other"
    assert by_purpose.purposes == ["respond"] * 3 + ["judge"]
    with pytest.raises(KeyError, match="judge"):
        await ScriptedModel({"respond": "a"}).complete(ModelRequest("evaluator", (), purpose="judge"))
    with pytest.raises(errors.ServerFailed):
        await ScriptedModel(errors.ServerFailed("down")).complete(request("x"))
    await by_purpose.close()
    assert by_purpose.closed


@given(st.text())
def test_pieces_join_to_the_text(text: str) -> None:
    assert "".join(pieces_of(text)) == text

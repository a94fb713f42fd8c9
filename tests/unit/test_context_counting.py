"""Counting tokens: exact where somebody can count, else an estimate that learns and stays within bounds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from harness.adapters.models.openai_sdk import OpenAIModel
from harness.adapters.models.tokenizing import read_count, tokenize_url
from harness.adapters.tokens import load_tokenizer
from harness.app import Harness
from harness.app_tokens import token_counter
from harness.context.counting import FAILURES, LEAST, MOST, AskedCounter, CalibratedEstimate, ExactCounter, learn_from
from harness.errors import SettingsError
from harness.ports import ModelReply
from harness.ports.tokens import PER_MESSAGE, estimate
from harness.settings import load
from harness.state import ModelCall, Usage
from harness.testing.scripted_model import ScriptedModel
from harness.testing.scripted_server import Answer, ScriptedServer
from tests.unit._context import REPLY, harness_with, talked

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
TEXT = {"en": "The ferry does not run on Sundays in winter. " * 20, "zh": "冬天的星期天渡轮不开，要绕很远的路。" * 20}


# --- the estimate that learns ---------------------------------------------------------------------------------------------------


@BOTH
def test_a_higher_count_is_taken_up_at_once_and_a_lower_one_slowly(code: str) -> None:
    counter = CalibratedEstimate(lambda: "m")
    text = TEXT[code]
    guess = estimate(text) + PER_MESSAGE
    assert counter.count(text) == estimate(text)
    counter.learn("m", [text], round(guess * 1.5))
    assert counter.count(text) == pytest.approx(estimate(text) * 1.5, rel=0.01)
    counter.learn("m", [text], guess)
    assert estimate(text) * 1.4 < counter.count(text) < estimate(text) * 1.5
    assert "×" in counter.how


@BOTH
def test_scripts_and_models_have_ratios_of_their_own(code: str) -> None:
    counter = CalibratedEstimate(lambda: "m")
    other = TEXT["zh" if code == "en" else "en"]
    counter.learn("m", [TEXT[code]], 2 * (estimate(TEXT[code]) + PER_MESSAGE))
    counter.learn("m", [other], estimate(other) + PER_MESSAGE)
    counter.learn("another", [other], 3 * estimate(other))
    assert counter.count(TEXT[code]) == pytest.approx(2 * estimate(TEXT[code]), rel=0.01)
    assert counter.count(other) == pytest.approx(estimate(other), rel=0.01)


@settings(max_examples=200, deadline=None)
@given(counts=st.lists(st.integers(-5, 10**7), max_size=12), text=st.text(min_size=0, max_size=300))
def test_whatever_an_endpoint_tells_the_count_stays_within_bounds(counts: list[int], text: str) -> None:
    counter = CalibratedEstimate(lambda: "m")
    for told in counts:
        counter.learn("m", [TEXT["en"], TEXT["zh"]], told)
    assert round(estimate(text) * LEAST) <= counter.count(text) <= max(1, round(estimate(text) * MOST))
    assert (counter.count(text) == 0) == (not text)


def test_only_counts_of_whole_plain_prompts_of_the_responder_are_learned_from() -> None:
    counter = CalibratedEstimate(lambda: "m")
    plain = {"phase": "respond", "purpose": "respond", "model": "m", "messages": (("user", TEXT["en"]),)}
    usage = Usage(prompt=2 * estimate(TEXT["en"]))
    calls = [
        ModelCall(role="responder", usage=usage, prefill="No,", **plain),
        ModelCall(role="responder", usage=usage, error="ModelTimeout: late", **plain),
        ModelCall(role="responder", usage=usage, parameters='{"structured": "json_schema"}', **plain),
        ModelCall(role="responder", usage=usage.model_copy(update={"estimated": True}), **plain),
        ModelCall(role="summarizer", usage=usage, **plain),
    ]
    learn_from(counter, calls)
    assert counter.how == "estimate"
    learn_from(counter, [ModelCall(role="responder", usage=usage, **plain)])
    assert counter.how != "estimate"


@BOTH
async def test_turns_teach_the_counter_and_a_new_process_learns_from_the_last_one(code: str, tmp_path: Path) -> None:
    def answer(request: Any) -> ModelReply:
        whole = sum(estimate(message.content) + PER_MESSAGE for message in request.messages)
        return ModelReply(REPLY[code], model="scripted", usage=Usage(prompt=round(whole * 1.3), completion=5))

    stored = {"storage__backend": "sqlite", "storage__path": str(tmp_path / "s.db")}
    async with harness_with(code, model=ScriptedModel(answer), **stored) as harness:
        session, first = await talked(harness, code, TEXT[code])
        await session.say(TEXT[code])
        second = await session.report()
    assert first.context.counted_by == "estimate"
    assert "1.30" in second.context.counted_by
    assert second.context.total_tokens == pytest.approx(second.calls[0].usage.prompt, rel=0.03)
    async with harness_with(code, model=ScriptedModel(answer), **stored) as again:
        _, third = await talked(again, code, TEXT[code])
    assert "1.30" in third.context.counted_by


# --- an endpoint that counts ------------------------------------------------------------------------------------------------------


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine even an endpoint of this process may take more than a second to answer."""
    monkeypatch.setattr("harness.context.counting.PATIENCE_S", 60.0)


def counting(style: str) -> Callable[[str], object]:
    """One token for each character, as llama.cpp or vLLM answers."""
    return lambda text: {"tokens": list(text)} if style == "llama.cpp" else {"count": len(text), "max_model_len": 9}


@asynccontextmanager
async def connected(address: str, code: str) -> AsyncIterator[Harness]:
    """A harness on a server, which it asks for counts."""
    model = OpenAIModel(address, models={"responder": "m"})
    counts = {"context__token_counting": "endpoint"}
    async with harness_with(code, model=model, **counts) as harness:
        try:
            yield harness
        finally:
            await model.close()


@BOTH
@pytest.mark.parametrize("style", ["llama.cpp", "vllm"])
async def test_an_endpoint_on_this_machine_counts_exactly(code: str, style: str) -> None:
    answers = [Answer("Fine.", usage={"prompt_tokens": 5000, "completion_tokens": 3})]
    async with (
        ScriptedServer(answers, tokenize=counting(style)) as server,
        connected(server.base_url, code) as harness,
    ):
        _, record = await talked(harness, code, TEXT[code][:100])
        per_message = harness.tokens.per_message
    asked = [request.body["content"] for request in server.requests if request.path.endswith("/tokenize")]
    assert record.context.counted_by == "endpoint"
    assert record.context.total_tokens == sum(len(text) + PER_MESSAGE for _, text in record.calls[0].messages)
    assert len(asked) == len(set(asked)), "nothing is asked twice"
    assert per_message > PER_MESSAGE, "what the endpoint counted beyond the texts is its template"


async def test_an_endpoint_that_cannot_count_is_not_asked_for_ever() -> None:
    async with ScriptedServer(["Fine."]) as server, connected(server.base_url, "en") as harness:
        _, record = await talked(harness, "en", "Hello.", "And now?")
    assert record.context.counted_by.startswith("estimate")
    assert sum(request.path.endswith("/tokenize") for request in server.requests) == FAILURES


async def test_a_slow_endpoint_does_not_hold_up_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(text: str) -> int | None:
        await asyncio.sleep(60)
        return len(text)

    monkeypatch.setattr("harness.context.counting.PATIENCE_S", 0.02)
    counter = AskedCounter(lambda: never, CalibratedEstimate())
    assert not await counter.measure(["a", "b"])
    assert not await counter.measure(["a", "b"])
    assert counter.how == "estimate"
    assert counter.count("two words") == estimate("two words")


async def test_a_model_that_is_not_connected_yet_is_no_failure() -> None:
    async def ask(text: str) -> int | None:
        return len(text)

    found: list[Any] = []
    counter = AskedCounter(lambda: found[0] if found else None, CalibratedEstimate())
    for _ in range(2 * FAILURES):
        assert not await counter.measure(["abc"])
    found.append(ask)
    assert await counter.measure(["abc"])
    assert counter.count("abc") == 3


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("http://localhost:8080/v1", "http://localhost:8080/tokenize"),
        ("http://localhost:8080", "http://localhost:8080/tokenize"),
        ("https://host/api/v1/", "https://host/api/tokenize"),
    ],
)
def test_the_path_to_count_lies_beside_the_api(base: str, url: str) -> None:
    assert tokenize_url(base) == url


@pytest.mark.parametrize("answer", [None, [], {}, {"count": -1}, {"count": True}, {"tokens": 3}, "nothing"])
def test_an_answer_that_is_no_count_is_none(answer: object) -> None:
    assert read_count(answer) is None


# --- a tokenizer on this machine ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tokenizer_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tokenizer.json trained on a few lines."""
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=400, show_progress=False)
    tokenizer.train_from_iterator([*TEXT.values()], trainer)
    path = tmp_path_factory.mktemp("tokens") / "tokenizer.json"
    tokenizer.save(str(path))
    return path


@BOTH
async def test_a_tokenizer_file_counts_exactly(code: str, tokenizer_file: Path) -> None:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_file))
    async with harness_with(code, context__tokenizer=str(tokenizer_file)) as harness:
        _, record = await talked(harness, code, TEXT[code][:100])
    assert record.context.counted_by == f"tokenizer {tokenizer_file}"
    whole = sum(len(tokenizer.encode(text).ids) + PER_MESSAGE for _, text in record.calls[0].messages)
    assert record.context.total_tokens == whole


def test_the_template_is_learned_within_bounds() -> None:
    counter = ExactCounter("t", len)
    counter.learn("m", ["abc", "de"], 5 + 2 * 7)
    assert counter.per_message == 7
    counter.learn("m", ["abc"], 2)
    assert counter.per_message == 7, "an endpoint that leaves out what it has in its cache teaches nothing"
    counter.learn("m", ["abc"], 10**6)
    assert counter.per_message == 16


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere.json", "no such file"),
        ("no-such-encoding", "tiktoken has no encoding"),
        ("broken.json", "is no tokenizer"),
    ],
)
def test_a_tokenizer_that_cannot_be_loaded_says_why(name: str, message: str, tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    pytest.importorskip("tiktoken")
    (tmp_path / "broken.json").write_text("{}")
    with pytest.raises(SettingsError, match=message):
        load_tokenizer(name, tmp_path / name)


@pytest.mark.parametrize(
    ("overrides", "how"),
    [
        ({}, AskedCounter),
        ({"provider.base_url": "http://127.0.0.1:8080"}, AskedCounter),
        ({"provider.base_url": "localhost:8080/v1"}, AskedCounter),
        ({"provider.base_url": "https://api.example.com/v1"}, CalibratedEstimate),
        ({"provider.base_url": "https://api.example.com/v1", "context.token_counting": "endpoint"}, AskedCounter),
        ({"context.token_counting": "estimate"}, CalibratedEstimate),
    ],
)
def test_who_counts_by_default(overrides: dict[str, str], how: type) -> None:
    found = load(environ={}, overrides=overrides).settings
    assert type(token_counter(found, lambda: None, own_model=True)) is how


def test_a_tokenizer_that_is_wanted_must_be_named() -> None:
    found = load(environ={}, overrides={"context.token_counting": "tokenizer"}).settings
    with pytest.raises(SettingsError, match="tokenizer is empty"):
        token_counter(found, lambda: None, own_model=True)

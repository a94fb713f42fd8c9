"""The pace of people: delays, their fit to recorded timings, and a run whose results do not change by it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from harness.app_blindtest import Bench
from harness.blindtest.pacing import PacedWitness, Pacing, Timing, fit, read_timings, units
from harness.blindtest.transcript import Trial
from harness.blindtest.witnesses.scripted import ScriptedWitness
from harness.errors import RunError
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel
from tests._commands import runner


def test_longer_texts_take_longer_and_the_same_seed_as_long() -> None:
    pacing = Pacing()
    short, long = "Fine.", "I would have come by, but the ferry was late and the dog had run off again."
    assert pacing.median(long) == pytest.approx(2 + len(long) / 3.6)
    assert pacing.delay(long, seed=3, number=1) == pacing.delay(long, seed=3, number=1)
    assert len({pacing.delay(long, seed=3, number=number) for number in range(20)}) == 20
    assert pacing.median(long) > pacing.median(short) > pacing.think_s
    assert Pacing(spread=0).delay(short) == Pacing(spread=0).median(short)
    assert pacing.delay("x" * 100_000) == pacing.longest_s


def test_a_han_character_takes_several_keys() -> None:
    assert units("下雨") == 6
    assert Pacing().median("今天下雨，不出门") > Pacing().median("rainy day")


@given(st.text(max_size=200), st.integers(0, 2**31), st.integers(0, 1000))
def test_delays_are_never_odd(text: str, seed: int, number: int) -> None:
    assert 0 <= Pacing().delay(text, seed=seed, number=number) <= 120


def recorded(pacing: Pacing, texts: list[str], *, seed: int = 5) -> list[Timing]:
    return [Timing(text, pacing.delay(text, seed=seed, number=number)) for number, text in enumerate(texts)]


def texts(language: str, count: int) -> list[str]:
    draw = random.Random(8)
    letters = "abcdefg hij" if language == "en" else "天地人你我他好坏"
    return ["".join(draw.choice(letters) for _ in range(draw.randint(2, 90))).strip() or "x" for _ in range(count)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_fit_finds_the_pace_that_was_there(language: str) -> None:
    true = Pacing(chars_per_second=5.0, think_s=3.0, spread=0.2)
    found = fit(recorded(true, texts(language, 400)))
    assert found.chars_per_second == pytest.approx(5.0, rel=0.1)
    assert found.think_s == pytest.approx(3.0, rel=0.25)
    assert found.spread == pytest.approx(0.2, rel=0.25)
    assert found.timings == 400
    assert 0 < found.error < 0.25


def test_one_who_went_for_coffee_does_not_change_the_pace() -> None:
    true = Pacing(chars_per_second=4.0, think_s=2.0, spread=0.1)
    timings = recorded(true, texts("en", 200))
    odd = [Timing(one.text, 1800.0) for one in timings[:6]]
    assert fit([*timings, *odd]).chars_per_second == pytest.approx(4.0, rel=0.15)


def test_too_little_to_fit_is_said() -> None:
    with pytest.raises(RunError, match="at least 12 timings, got 3"):
        fit(recorded(Pacing(), texts("en", 3)))
    with pytest.raises(RunError, match="all about as long"):
        fit([Timing("abcd" if number % 2 else "abcde", 3.0) for number in range(30)])


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("not json", "line 2: no JSON"),
        ("[1]", "expected an object"),
        ('{"seconds": 1}', "expected text, got None"),
        ('{"text": "  ", "seconds": 1}', "expected text"),
        ('{"text": "hi", "seconds": "4"}', "expected seconds, a number, got '4'"),
        ('{"text": "hi", "seconds": true}', "got True"),
        ('{"text": "hi", "seconds": -1}', "above 0"),
        ('{"text": "hi", "seconds": NaN}', "above 0"),
        ('{"text": "hi", "seconds": 1e9}', "at most a day"),
    ],
)
def test_bad_timings_are_told_with_their_line(tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "timings.jsonl"
    file.write_text(f'{{"text": "ok", "seconds": 1, "who": "x"}}\n{line}\n\n', encoding="utf-8")
    with pytest.raises(RunError, match=says):
        read_timings(file)


def test_the_command_fits_and_writes(tmp_path: Path) -> None:
    file, out = tmp_path / "timings.jsonl", tmp_path / "pace.json"
    rows = [{"text": one.text, "seconds": one.seconds} for one in recorded(Pacing(), texts("zh", 60))]
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    run = runner("blindtest", "pace")
    assert "60 timings" in run("--fit", str(file), "--out", str(out)).stdout
    assert Pacing.read(out).timings == 60
    assert "cannot be read" in run("--fit", str(tmp_path / "none"), code=2).output
    with pytest.raises(RunError, match="is no pacing"):
        Pacing.read(file)


async def test_a_paced_witness_says_the_same_later() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    pacing = Pacing()
    witness = PacedWitness(ScriptedWitness("one", lambda _: "A short reply."), pacing, sleep)
    trial = Trial(suite="s", script="t", persona="p", witness="one", seed=4)
    talk = await witness.begin(trial, Persona(name="P"))
    said = await talk.say("Hello?")
    assert said.text == "A short reply."
    assert waited == pytest.approx([pacing.delay(said.text, seed=4, number=1)], abs=0.5)
    assert witness.name == "one"
    assert witness.about["pacing"]["chars_per_second"] == 3.6


async def test_the_results_of_a_paced_run_are_the_same(tmp_path: Path) -> None:
    file = tmp_path / "own.en.yaml"
    file.write_text(
        "suite: own\nlanguage: en\nscripts:\n  - id: a\n    probe: b\n    rounds:\n      - steps:\n"
        "          - {say: Hi, expect: {mentions: [hello]}}\n",
        encoding="utf-8",
    )
    quick = Pacing(chars_per_second=1000, think_s=0.01, spread=0)
    async with Bench(
        load(start=tmp_path, environ={}),
        model=ScriptedModel("Hm."),
        extra={"w": ScriptedWitness("w", lambda _: "Hello.")},
    ) as bench:
        plain = await bench.run([file], witness="w", out=tmp_path / "plain")
        paced = await bench.run([file], witness="w", out=tmp_path / "paced", pacing=quick)
    assert (paced.folder.path / "results.json").read_bytes() == (plain.folder.path / "results.json").read_bytes()
    assert paced.folder.transcripts()[0].exchanges[0].said.seconds >= 0.01

"""Nobody is at an advantage: what witnesses are sent and judged by, and what counts as a difference."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from harness.app_blindtest import Bench
from harness.blindtest import comparing, statistics
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.calibration import Calibration
from harness.blindtest.grading.model import ModelJudge
from harness.blindtest.grading.opinions import JudgeMode
from harness.blindtest.transcript import Said, Sight, Trial
from harness.blindtest.witnesses.bare import BareWitness
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import AuthenticationFailed, HarnessError, ModelNotFound, ModelTimeout, RunError, SettingsError
from harness.ports import ChatMessage, ModelRequest
from harness.prompts import Prompts
from harness.resources import data_path
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel

SUITE = {
    "en": "suite: s\nlanguage: en\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: Hello there., expect: {mentions: hello}, state: {topic: trains}}]}]}]\n",
    "zh": "suite: s\nlanguage: zh\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: 你好呀。, expect: {mentions: 你好}, state: {topic: 火车}}]}]}]\n",
}  # fmt: skip
HELLO = {"en": "Hello.", "zh": "你好。"}


async def held(tmp_path: Path, code: str, first: ScriptedWitness, second: ScriptedWitness) -> tuple[object, ...]:
    file = tmp_path / f"s.{code}.yaml"
    file.write_text(SUITE[code], encoding="utf-8")
    extra = {"first": first, "second": second}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run(
            [file],
            personas=["ada" if code == "en" else "lin"],
            witness="first",
            against=["second"],
            out=tmp_path / "run",
        )
    return run.passed, run.results


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_same_replies_come_to_the_same_whether_or_not_state_is_shown(tmp_path: Path, code: str) -> None:
    showing = ScriptedWitness("first", lambda _: Said(text=HELLO[code], sight=Sight(topics=("weather",))))
    silent = ScriptedWitness("second", lambda _: HELLO[code])
    passed, results = await held(tmp_path, code, showing, silent)
    first, second = results.witness("first"), results.witness("second")  # type: ignore[attr-defined]
    assert (first.probes, first.rounds, first.scripts) == (second.probes, second.rounds, second.scripts)
    assert (first.state.passed, first.state.total, second.state.total) == (0, 1, 0)
    assert [one.state_passed for one in results.suites] == [False, True]  # type: ignore[attr-defined]
    assert not passed


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_broken_connection_is_no_failed_probe(tmp_path: Path, code: str) -> None:
    def broken(_: Asked) -> str:
        raise ModelTimeout("No answer came.")

    passed, results = await held(
        tmp_path, code, ScriptedWitness("first", broken), ScriptedWitness("second", lambda _: HELLO[code])
    )
    first = results.witness("first")  # type: ignore[attr-defined]
    assert (first.errors, first.probes["all"].total, first.scripts.total) == (1, 0, 0)
    assert not results.comparisons  # type: ignore[attr-defined]
    assert not passed


@settings(max_examples=60, deadline=None)
@given(turns=st.integers(1, 40), window=st.integers(2, 12), summarized=st.booleans())
async def test_what_the_bare_model_is_sent(turns: int, window: int, summarized: bool) -> None:
    model = ScriptedModel(lambda request: "summary" if request.role == "summarizer" else "Yes.")

    async def connected() -> ScriptedModel:
        return model

    def summary(before: str, messages: tuple[ChatMessage, ...], _: str) -> ModelRequest:
        covered.extend(message.content for message in messages)
        return ModelRequest(role="summarizer", messages=(ChatMessage("user", before),))

    covered: list[str] = []
    witness = BareWitness(
        "bare", connected, lambda persona: persona.name, ModelRequest(role="responder", messages=()),
        window=window, summarize=summary if summarized else None,
    )  # fmt: skip
    trial = Trial(suite="s", script="one", persona="p", witness="bare", seed=7)
    talk = await witness.begin(trial, Persona(name="Ada"))
    for turn in range(turns):
        await talk.say(f"line {turn}")
        sent = model.requests[-1]
        said = [message.content for message in sent.messages[1:]]
        assert sent.messages[1].role == "user"
        assert sent.seed == 7
        assert said[-1] == f"line {turn}"
        if summarized:
            assert {f"line {number}" for number in range(turn + 1)} <= {*covered, *said}
        else:
            assert min(window, 2 * turn + 1) <= len(said) <= window + 1


def pairs(scripts: int, each: int, *, both: float, draw: random.Random) -> list[tuple[str, bool, bool]]:
    """Probes of two witnesses that are equally good: in each script one of them has the luck."""
    made = []
    for script in range(scripts):
        lucky = draw.random() < 0.5
        for _ in range(each):
            good = draw.random() < both
            made.append((f"s/{script}", good or lucky, good or not lucky))
    return made


def test_two_that_are_equal_are_seldom_told_apart() -> None:
    draw = random.Random(5)
    found = [
        comparing.compare_all([("a", "b", {"all": pairs(draw.randint(2, 8), 10, both=0.5, draw=draw)})])[0].winner
        for _ in range(60)
    ]
    assert sum(winner != "neither" for winner in found) <= 6  # McNemar alone: two in three


def test_a_difference_in_all_of_many_scripts_is_one() -> None:
    rows = [(f"s/{script}", True, repeat > 1) for script in range(8) for repeat in range(4)]
    (made,) = comparing.compare_all([("a", "b", {"all": rows})])
    assert made.winner == "first"
    assert made.by_script == pytest.approx(2 / 2**8)


def test_few_scripts_show_nothing_of_scripts_like_them_but_something_of_themselves() -> None:
    rows = [(f"s/{script}", True, False) for script in range(3) for _ in range(10)]
    assert comparing.compare_all([("a", "b", {"all": rows})])[0].winner == "neither"
    each = [(f"{script}/{number}", one, other) for number, (script, one, other) in enumerate(rows)]
    assert comparing.compare_all([("a", "b", {"all": each})], of_these_scripts=True)[0].winner == "first"


def test_all_comparisons_of_a_run_are_corrected_together() -> None:
    rows = [(f"s/{script}", True, script % 4 == 0) for script in range(12)]
    one = comparing.compare_all([("a", "b", {"all": rows})])
    many = comparing.compare_all([("a", other, {"all": rows}) for other in "bcde"])
    assert many[0].adjusted == pytest.approx(4 * one[0].adjusted)


@pytest.mark.parametrize(("passed", "total", "low", "high"), [(8, 10, 0.4902, 0.9433), (0, 5, 0.0, 0.4345)])
def test_intervals_are_wilsons(passed: int, total: int, low: float, high: float) -> None:
    found = statistics.rate(passed, total)
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


@pytest.mark.parametrize(("mode", "fits"), [("model", True), ("both", False), ("rules", False)])
def test_what_rules_decided_is_not_the_merit_of_a_model(mode: JudgeMode, fits: bool) -> None:
    judge = ModelJudge(_never, Prompts([data_path("prompts")]))
    assert Calibration(judge=mode, about=judge.about()).fits(judge) is fits


async def _never() -> ScriptedModel:
    raise AssertionError("nothing is asked")


async def test_a_run_is_not_gone_on_with_under_other_settings(tmp_path: Path) -> None:
    file = tmp_path / "s.en.yaml"
    file.write_text(SUITE["en"], encoding="utf-8")

    async def run(*, resume: bool = False, **overrides: float) -> None:
        changed = load(
            start=tmp_path, environ={}, overrides={f"harness.{key}": value for key, value in overrides.items()}
        )
        async with Bench(changed, model=ScriptedModel("Hello.")) as bench:
            await bench.run([file], personas=["ada"], against=["bare"], out=tmp_path / "run", resume=resume)

    await run()
    await run(resume=True)
    with pytest.raises(RunError, match="witnesses differ"):
        await run(resume=True, temperature=0.1)
    with pytest.raises(RunError, match="witnesses differ"):
        await run(resume=True, short_term_window=4)


@pytest.mark.parametrize(
    "failure", [AuthenticationFailed("wrong key"), ModelNotFound("no such model"), SettingsError("no")]
)
async def test_what_would_fail_every_trial_ends_the_run(tmp_path: Path, failure: HarnessError) -> None:
    def refused(_: Asked) -> str:
        raise failure

    with pytest.raises(type(failure)):
        await held(tmp_path, "en", ScriptedWitness("first", refused), ScriptedWitness("second", lambda _: "Hello."))


@pytest.mark.parametrize("reply", ["\x00", "\u200b\u200b", "…", "！？"])
async def test_a_reply_without_a_word_says_nothing(tmp_path: Path, reply: str) -> None:
    _, results = await held(
        tmp_path, "zh", ScriptedWitness("first", lambda _: reply), ScriptedWitness("second", lambda _: "你好。")
    )
    assert results.witness("first").form.passed == 0  # type: ignore[attr-defined]


async def test_only_suites_of_the_language_are_held(tmp_path: Path) -> None:
    for code, text in SUITE.items():
        (tmp_path / f"s.{code}.yaml").write_text(text, encoding="utf-8")
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hello.")) as bench:
        assert [one.id for one in bench.suites([tmp_path], language="zh")] == ["s.zh"]
        with pytest.raises(RunError, match="None of these suites is in 'fr'"):
            bench.suites([tmp_path / "s.en.yaml"], language="fr")


async def test_small_talk_in_good_form_makes_up_for_no_failed_probe(tmp_path: Path) -> None:
    file = tmp_path / "s.en.yaml"
    file.write_text(
        "suite: s\nlanguage: en\nfillers: [Nice day., I had soup.]\nscripts: [{id: one, probe: p, rounds: [{pass: 0.75, steps: ["
        "{filler: 12}, {say: Who are you?, expect: {mentions: Bertram}}]}]}]\n",
        encoding="utf-8",
    )
    extra = {"first": ScriptedWitness("first", lambda _: "Well.")}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=extra) as bench:
        run = await bench.run([file], personas=["ada"], witness="first", out=tmp_path / "run")
    assert run.results.trials[0].rounds[0].passed is False
    assert run.results.trials[0].rounds[0].met == 0


async def test_a_line_of_another_version_is_told_and_a_torn_one_passed_over(tmp_path: Path) -> None:
    silent = ScriptedWitness("first", lambda _: "Hello.")
    await held(tmp_path, "en", silent, ScriptedWitness("second", lambda _: "Hello."))
    folder = RunFolder(tmp_path / "run")
    file = folder.path / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    file.write_text(f"{lines[0]}\n{lines[1][:50]}", encoding="utf-8")
    assert len(folder.transcripts()) == 1
    file.write_text(f'{lines[0]}\n{{"trail": 1}}\n', encoding="utf-8")
    with pytest.raises(RunError, match="no transcript"):
        folder.transcripts()
    (folder.path / "verdicts.jsonl").write_text("{}\n", encoding="utf-8")
    assert folder.graded() == {}

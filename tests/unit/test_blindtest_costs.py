"""What a run costs: tokens by the model that used them, in turns that failed too, with judges and interrogators."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.app_blindtest import Bench, Run
from harness.app_blindtest_interrogating import interrogate
from harness.app_blindtest_judging import Judging, judge_run
from harness.app_blindtest_regrading import regrade
from harness.blindtest import parse_suite
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.opinions import JudgeMode
from harness.blindtest.limits import Limits, all_used, cost_of, priced
from harness.blindtest.metering import Meter, MeteredModel, added
from harness.blindtest.reporting import read_held
from harness.blindtest.reporting.statements import sentences
from harness.blindtest.transcript import Transcript, Trial, Used
from harness.blindtest.trial import hold
from harness.blindtest.witnesses.clock import TrialClock
from harness.blindtest.witnesses.engine import EngineWitness
from harness.blindtest.witnesses.scripted import ScriptedWitness
from harness.errors import ServerFailed
from harness.language import load_packs
from harness.ports import ModelReply, ModelRequest, Role
from harness.settings import load
from harness.state import Persona
from harness.state.record import Usage
from harness.testing import ScriptedModel
from tests._commands import runner
from tests.unit._judging import judge

BOTH = pytest.mark.parametrize("language", ["en", "zh"])
PERSONAS = {"en": "ada", "zh": "lin"}
SUITES = {
    "en": "suite: talk\nlanguage: en\nfillers: [Nice weather., I had soup., The bus was late., It is warm., My tea is cold.]\nscripts: [{id: one, probe: p, rounds: [{steps: [{filler: 5}, {say: Say a kind word., expect: {judge: It is kind.}}]}]}]\n",
    "zh": "suite: talk\nlanguage: zh\nfillers: [今天天气不错。, 中午喝了汤。, 公交车晚点了。, 屋里挺暖和。, 我的茶凉了。]\nscripts: [{id: one, probe: p, rounds: [{steps: [{filler: 5}, {say: 说句好听的。, expect: {judge: 这话很暖心。}}]}]}]\n",
}  # fmt: skip
SAID = {"en": "You did well today, dear.", "zh": "你今天做得真好，亲爱的。"}
ROLES: dict[Role, str] = {"responder": "big", "summarizer": "small", "extractor": "small", "evaluator": "small"}
TOKENS = {"big": (100, 10), "small": (1000, 7)}


class Counting:
    """A model whose every answer has so many tokens, and who knows what it has used. ``fails``: words of a message without a reply."""

    def __init__(self, language: str, fails: str = "") -> None:
        self.language, self.fails = language, fails
        self.used: dict[str, int] = {}

    def __call__(self, request: ModelRequest) -> ModelReply:
        model = ROLES[request.role]
        if request.role == "responder" and self.fails and self.fails in request.messages[-1].content:
            raise ServerFailed("It is down.")
        self.used[model] = self.used.get(model, 0) + 1
        text = SAID[self.language] if request.role == "responder" else "{}"
        if request.purpose == "summarize":
            text = "Small talk." if self.language == "en" else "闲聊。"
        prompt, completion = TOKENS[model]
        return ModelReply(text, model=model, usage=Usage(prompt=prompt, completion=completion))


async def held(tmp_path: Path, language: str, counting: Counting, witness: str, **more: object) -> Run:
    file = tmp_path / f"talk.{language}.yaml"
    file.write_text(SUITES[language], encoding="utf-8")
    settings = load(start=tmp_path, environ={"HARNESS_ANALYSIS": "separate", "HARNESS_SHORT_TERM_WINDOW": "2"})
    model = ScriptedModel(counting, models=ROLES)
    async with Bench(settings, model=model) as bench:
        return await bench.run(
            [file], personas=[PERSONAS[language]], witness=witness, out=tmp_path / "run", **more,  # type: ignore[arg-type]  # as they are
        )  # fmt: skip


def expected(used: dict[str, int]) -> tuple[Used, ...]:
    return tuple(
        Used(model=name, calls=calls, prompt_tokens=calls * TOKENS[name][0], completion_tokens=calls * TOKENS[name][1])
        for name, calls in sorted(used.items())
    )


@BOTH
@pytest.mark.parametrize("witness", ["harness", "window"])
async def test_tokens_are_those_of_the_model_that_used_them(tmp_path: Path, language: str, witness: str) -> None:
    counting = Counting(language)
    run = await held(tmp_path, language, counting, witness, limits=Limits({"big": (1.0, 0.0)}))
    (talk,) = run.folder.transcripts()
    assert not talk.error
    assert counting.used["small"] > 1  # bookkeeping, or summaries
    assert added(all_used(talk)) == expected(counting.used)
    assert {one.said.model for one in talk.exchanges} == {"big"}
    assert all(sum(one.calls for one in each.said.used) == each.said.calls for each in talk.exchanges)
    known, unknown = cost_of(talk, {"big": (1.0, 0.0)})
    assert known == pytest.approx(counting.used["big"] * 100 / 1e6)
    assert unknown == "small"
    assert run.results.witnesses[0].cost is None  # a model without a price
    prices = {"big": (1.0, 2.0), "small": (10.0, 20.0)}
    cost = (counting.used["big"] * 120 + counting.used["small"] * 10140) / 1e6
    assert cost_of(talk, prices)[0] == pytest.approx(cost)


@BOTH
@pytest.mark.parametrize("witness", ["harness", "window"])
async def test_a_turn_that_failed_has_cost_what_it_used(tmp_path: Path, language: str, witness: str) -> None:
    counting = Counting(language, fails={"en": "a kind word", "zh": "说句好听的"}[language])
    run = await held(tmp_path, language, counting, witness)
    (talk,) = run.folder.transcripts()
    assert talk.error.startswith("ServerFailed")
    assert len(talk.exchanges) == 5
    assert added(all_used(talk)) == expected(counting.used)
    if witness == "window":
        assert {one.model for one in talk.unsaid} == {"small"}  # the summary that was made for it


class _Session:
    """A session that asks a model for its end, and fails to reply after a call."""

    def __init__(self, model: MeteredModel) -> None:
        self.model = model

    async def _ask(self) -> None:
        await self.model.complete(ModelRequest(role="extractor", messages=(), purpose="analyse"))

    async def say(self, _: str) -> object:
        await self._ask()
        raise ServerFailed("It is down.")

    async def close(self) -> None:
        await self._ask()


@dataclass
class _House:
    """``fails``: no session can be opened."""

    session: _Session
    fails: bool = False
    closed: bool = False

    async def open(self, _: Persona, **__: str) -> _Session:
        if self.fails:
            raise ServerFailed("No session today.")
        return self.session

    async def close(self) -> None:
        self.closed = True


async def engine_held(*, fails: bool) -> tuple[Transcript, _House]:
    houses: list[_House] = []

    async def found(trial: Trial, clock: TrialClock, meter: Meter) -> _House:
        houses.append(_House(_Session(MeteredModel(ScriptedModel(Counting("en"), models=ROLES), meter)), fails))
        return houses[-1]

    suite = parse_suite(SUITES["en"], source="talk.en.yaml")
    trial = Trial(suite=suite.id, script="one", persona="ada", witness="engine")
    packs = load_packs()
    persona = Persona(name="Ada", language="en")
    witness = EngineWitness("engine", found)  # type: ignore[arg-type]  # as much of a harness as is asked for
    made = await hold(trial, suite=suite, persona=persona, witness=witness, pack=packs.get("en"))
    return made, houses[0]


async def test_the_end_of_a_session_and_a_failed_turn_of_the_engine_are_counted() -> None:
    talk, house = await engine_held(fails=False)
    assert talk.error == "ServerFailed: It is down."
    assert talk.unsaid == expected({"small": 2})
    assert house.closed


async def test_a_session_that_cannot_be_opened_leaves_nothing_open_and_ends_its_trial_only() -> None:
    talk, house = await engine_held(fails=True)
    assert talk.error == "ServerFailed: No session today."
    assert not talk.exchanges
    assert house.closed


@BOTH
async def test_a_model_that_only_keeps_the_books_needs_a_price_too(tmp_path: Path, language: str) -> None:
    limits = Limits({"big": (1.0, 1.0)}, max_cost=100.0)
    run = await held(tmp_path, language, Counting(language), "harness", trials=3, limits=limits)
    assert "'small' has no price" in run.stopped
    assert len(run.folder.transcripts()) == 1


# --- judges ---------------------------------------------------------------------------------------------------------


async def judged(
    tmp_path: Path, language: str, reply: str, *, text: str = "", **more: object
) -> tuple[Bench, Run, ScriptedModel]:
    file = tmp_path / f"talk.{language}.yaml"
    file.write_text(text or SUITES[language], encoding="utf-8")
    model = judge(lambda said, *_: ("yes", said[:10]))
    bench = Bench(load(start=tmp_path, environ={}), model=model, extra={"one": ScriptedWitness("one", lambda _: reply)})
    run = await bench.run(
        [file], personas=[PERSONAS[language]], witness="one", out=tmp_path / "run", trials=4, **more,  # type: ignore[arg-type]  # as they are
    )  # fmt: skip
    return bench, run, model


PRICES = {"scripted": (10.0, 10.0)}


@BOTH
async def test_the_judge_is_counted_and_counts_for_the_bound(tmp_path: Path, language: str) -> None:
    judging = Judging(mode="both", calibrate=False)
    bench, run, model = await judged(
        tmp_path, language, SAID[language], judge=judging, limits=Limits(PRICES, max_cost=1.0)
    )
    assert not run.stopped
    used = run.folder.judges_used()
    assert [one.calls for one in used] == [len(model.requests)] == [12]
    assert read_held(run.folder).asking == (("judge", used),)
    shown = (await asyncio.to_thread(runner("blindtest", "report"), str(run.folder.path), "--no-plots", code=1)).stdout
    assert (
        f"The judge made 12 calls with {used[0].prompt_tokens + used[0].completion_tokens} tokens, which cost" in shown
    )

    await judge_run(bench, run.folder.path, judging)
    assert run.folder.judges_used() == used  # nothing was asked anew
    (run.folder.path / "judgements.jsonl").unlink()
    await judge_run(bench, run.folder.path, judging)
    assert run.folder.judges_used()[0].calls == 24


@BOTH
async def test_judging_stops_at_the_bound_and_goes_on_below_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    judging = Judging(mode="both", calibrate=False)
    _, run, model = await judged(
        tmp_path, language, SAID[language], judge=judging, limits=Limits(PRICES, max_cost=1e-6)
    )
    assert "was the most" in run.stopped
    assert not run.passed
    assert len(model.requests) == 3  # the first transcript; the rest is as the rules left it
    outcomes = [one.grader for each in run.folder.graded().values() for one in each.verdicts if one.probe == "p"]
    assert len(outcomes) == 4
    monkeypatch.chdir(tmp_path)
    told = await asyncio.to_thread(
        runner("blindtest", "judge"), "run", "--judge", "rules", "--no-plots", "--max-cost", "0.000001", code=1
    )
    assert "Stopped" not in told.stdout  # rules cost nothing
    limits = Limits(PRICES, max_cost=1.0)
    _, again, model = await judged(tmp_path, language, SAID[language], judge=judging, limits=limits, resume=True)
    assert not again.stopped
    assert len(model.requests) == 9
    assert again.folder.judges_used()[0].calls == 12


def _spent() -> Limits:
    """A bound of time that is reached at once."""
    return Limits(PRICES, max_minutes=1.0, started=time.monotonic() - 61.0)


@BOTH
@pytest.mark.parametrize("mode", ["both", "model"])
@pytest.mark.parametrize("bound", ["cost", "minutes"])
async def test_a_run_that_stops_at_a_bound_keeps_what_the_judge_has_said(
    tmp_path: Path, language: str, mode: JudgeMode, bound: str
) -> None:
    judging = Judging(mode=mode, calibrate=False)
    # Rules decide whether a word is there; in the mode "model" that is asked of the judge, too.
    word = {"en": "dear", "zh": "亲爱"}[language]
    text = SUITES[language].replace("expect: {judge:", f"expect: {{mentions: [{word}], judge:")
    each = {"both": 1, "model": 2}[mode]

    async def again(limits: Limits | None) -> tuple[Run, int, bytes]:
        _, run, model = await judged(
            tmp_path, language, SAID[language], text=text, judge=judging, limits=limits, resume=True
        )
        return run, len(model.requests), (run.folder.path / "results.json").read_bytes()

    def low() -> Limits:
        return Limits(PRICES, max_cost=1e-6) if bound == "cost" else _spent()

    # The first transcript is judged, then the bound is reached.
    _, run, _ = await judged(
        tmp_path, language, SAID[language], text=text, judge=judging, limits=Limits(PRICES, max_cost=1e-6)
    )
    before = (run.folder.path / "results.json").read_bytes()
    ours = [one for graded in run.folder.graded().values() for one in graded.verdicts if one.probe == "p"]
    said = [one for one in ours if one.grader == "model" and "not asked" not in one.evidence]
    assert len(said) == each
    by_rules = [one.outcome for one in ours if one.grader != "model"]
    assert by_rules == ["pass"] * (4 if mode == "both" else 3)  # what is not asked stays as the rules have it
    assert run.results.judge is not None
    assert run.results.judge.unasked == 3 * each
    told = [one.read() for one in sentences(run.results)]
    assert any("not put to the model judge" in one and f": {3 * each}." in one for one in told)
    # Gone on with below a bound that is reached at once: nothing is asked, and nothing is lost.
    run, asked, after = await again(low())
    assert run.stopped
    assert (asked, after) == (0, before)
    # The same where it was ended before the results were written.
    (run.folder.path / "results.json").unlink()
    (run.folder.path / "verdicts.jsonl").unlink()
    run, asked, after = await again(low())
    assert (asked, after) == (0, before)
    # Regraded by a report, nothing changes either.
    run.folder.write_graded([one.model_copy(update={"rules": "old"}) for one in run.folder.graded().values()])
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        assert await regrade(bench, run.folder)
    assert (run.folder.path / "results.json").read_bytes() == before
    # Without a bound the rest is asked, and all comes to the same as if it had never been stopped.
    run, asked, after = await again(None)
    assert (asked, run.stopped) == (9 * each, "")
    whole = tmp_path / "whole"
    whole.mkdir()
    _, other, _ = await judged(whole, language, SAID[language], text=text, judge=judging)
    # The prices of the first one stay; otherwise they are the same.
    other.folder.priced(PRICES)
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        await judge_run(bench, other.folder.path, None)
    assert after == (other.folder.path / "results.json").read_bytes()


@BOTH
async def test_replies_with_other_line_breaks_are_judged_once(tmp_path: Path, language: str) -> None:
    bench, run, model = await judged(
        tmp_path, language, f"{SAID[language]}\u2028…\x85\u2029", judge=Judging(mode="both", calibrate=False)
    )
    asked = len(model.requests)
    assert asked == 12
    await judge_run(bench, run.folder.path, Judging(mode="both", calibrate=False))
    assert len(model.requests) == asked


@BOTH
async def test_judgements_stand_in_one_order_whatever_is_asked_side_by_side(tmp_path: Path, language: str) -> None:
    texts = []
    for number in (1, 3):
        folder = tmp_path / str(number)
        folder.mkdir()
        judging = Judging(mode="both", calibrate=False, at_once=number)
        _, run, _ = await judged(folder, language, SAID[language], judge=judging)
        texts.append((run.folder.path / "judgements.jsonl").read_bytes())
    assert texts[0] == texts[1]
    keys = [json.loads(line)["key"] for line in texts[0].split(b"\n") if line]
    assert keys == sorted(keys)
    assert len(keys) == 4


# --- interrogators --------------------------------------------------------------------------------------------------


@BOTH
async def test_an_interrogator_is_counted_and_stops_at_the_bound(tmp_path: Path, language: str) -> None:
    asked = {"en": "What did you eat?", "zh": "你吃了什么？"}[language]
    step = json.dumps({"reasoning": "r", "noticed": "", "message": asked}, ensure_ascii=False)
    final = json.dumps({"reasoning": "r", "quote": SAID[language][:6], "verdict": "human", "confidence": 0.9, "reason": "style"}, ensure_ascii=False)  # fmt: skip
    model = ScriptedModel({"interrogate": step, "interrogation_verdict": final}, models=ROLES)
    extra = {"one": ScriptedWitness("one", lambda _: SAID[language])}
    async with Bench(load(start=tmp_path, environ={}), model=model, extra=extra) as bench:
        limits = Limits({"small": (1.0, 1.0)}, max_cost=1e-9)
        run = await interrogate(
            bench, strategy=["detail"], turns=2, personas=[PERSONAS[language]], witness="one", trials=3,
            out=tmp_path / "run", limits=limits,
        )  # fmt: skip
    assert "was the most" in run.stopped
    (talk,) = run.folder.transcripts()
    assert talk.interrogation is not None
    assert talk.interrogation.calls == 3 == sum(one.calls for one in talk.interrogation.used)
    assert {one.model for one in talk.interrogation.used} == {"small"}
    assert priced(all_used(talk), limits.prices)[0] > 0
    assert run.results.witness("one").cost == 0  # who asks is not the witness
    assert read_held(RunFolder(tmp_path / "run")).asking == (("interrogator", talk.interrogation.used),)

"""Blind tests end to end with scripted witnesses: planned, held, graded, resumed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.app_blindtest import Bench, Run
from harness.blindtest.suite import Suite
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import RunError, SuiteError
from harness.settings import load
from harness.testing import ScriptedModel

SUITES = {
    "en": """
suite: own
language: en
slots:
  job: {fact: [job]}
  other_job: {bait: job}
values: {job: [locksmith, dentist, baker]}
fillers: [Nice weather., I had soup.]
scripts:
  - id: bait
    probe: contradiction
    rounds:
      - name: asked
        steps:
          - say: What do you do for a living?
            expect: {mentions: ["{job}"]}
      - name: bait
        steps:
          - filler: 2
          - say: But you told me you are a {other_job}.
            expect: {holds: job, avoids: ["{other_job}"]}
""",
    "zh": """
suite: own
language: zh
slots:
  job: {fact: [职业]}
  other_job: {bait: 职业}
values: {职业: [锁匠, 牙医, 会计]}
fillers: [今天天气不错。, 中午喝了汤。]
scripts:
  - id: bait
    probe: contradiction
    rounds:
      - name: asked
        steps:
          - say: 你是做什么工作的？
            expect: {mentions: ["{job}"]}
      - name: bait
        steps:
          - filler: 2
          - say: 可是你说过你是{other_job}。
            expect: {holds: job, avoids: ["{other_job}"]}
""",
}
PERSONAS = {"en": "ada", "zh": "lin"}


def steady(asked: Asked) -> str:
    job = asked.trial.slots["job.statement"]
    if "天气" in asked.text or "汤" in asked.text:
        return "嗯，是啊。"
    if "weather" in asked.text or "soup" in asked.text:
        return "Is that so."
    return (
        f"No, that was never me. {job}"
        if "told" in asked.text
        else f"不，我没这么说过。{job}"
        if "说过" in asked.text
        else job
    )


def yielding(asked: Asked) -> str:
    other = asked.trial.slots["other_job"]
    if "told" in asked.text:
        return f"You're right, I'm a {other}. I forgot."
    return f"你说得对，我是{other}，我忘了。" if "说过" in asked.text else steady(asked)


async def held(tmp_path: Path, language: str, *, out: str = "run", resume: bool = False, **more: object) -> Run:
    file = tmp_path / f"own.{language}.yaml"
    file.write_text(SUITES[language], encoding="utf-8")
    witnesses = {"steady": ScriptedWitness("steady", steady), "yielding": ScriptedWitness("yielding", yielding)}
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra=witnesses) as bench:
        return await bench.run(
            [file], personas=[PERSONAS[language]], witness="steady", against=["yielding"], out=tmp_path / out,
            resume=resume, **more,  # type: ignore[arg-type]  # passed on as they are
        )  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_who_yields_fails_and_who_is_steady_passes(tmp_path: Path, language: str) -> None:
    run = await held(tmp_path, language)

    good, bad = run.results.witness("steady"), run.results.witness("yielding")
    assert (good.probes["all"].passed, good.probes["all"].total) == (2, 2)
    assert (bad.probes["all"].passed, bad.probes["all"].total) == (1, 2)
    assert [one.first_failure for one in run.results.trials if one.witness == "yielding"] == [4]
    assert run.passed


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_run_is_gone_on_with_and_comes_to_the_same(tmp_path: Path, language: str) -> None:
    whole = await held(tmp_path, language, trials=3)
    file = whole.folder.path / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(lines[:2]) + lines[2][:40], encoding="utf-8")
    begun: list[str] = []

    resumed = await held(tmp_path, language, trials=3, resume=True, on_trial=lambda trial, _: begun.append(trial.key))

    assert resumed.results == whole.results
    assert len(begun) == 4


async def test_another_run_is_not_gone_on_with(tmp_path: Path) -> None:
    await held(tmp_path, "en")
    with pytest.raises(RunError, match="trials differ"):
        await held(tmp_path, "en", trials=2, resume=True)
    with pytest.raises(RunError, match="holds a run already"):
        await held(tmp_path, "en")


async def test_the_engine_the_bare_model_and_the_control_are_held_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "own.en.yaml"
    file.write_text(SUITES["en"], encoding="utf-8")
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("I'm a nurse, on nights.")) as bench:
        run = await bench.run(
            [file],
            personas=["ada"],
            against=["bare", "window", "eliza"],
            ablate=["memory", "facts"],
            out=tmp_path / "run",
            jobs=3,
        )
    assert [one.name for one in run.results.witnesses] == [
        "harness", "bare", "eliza", "harness-facts", "harness-memory", "window",
    ]  # fmt: skip
    assert not any(one.errors for one in run.results.witnesses)
    assert {one.first for one in run.results.comparisons} == {"harness"}
    sights = [e.said.sight for t in run.folder.transcripts() if t.trial.witness == "harness" for e in t.exchanges]
    assert all(sight is not None and sight.layers for sight in sights)


def test_every_mistake_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "bad.en.yaml"
    text = SUITES["en"].replace("probe: contradiction", "prob: contradiction").replace("filler: 2", "filler: none")
    file.write_text(text.replace('"{other_job}"', '"{nothing}"'), encoding="utf-8")
    with pytest.raises(SuiteError) as caught:
        load_all([file])
    problems = caught.value.details["problems"]
    assert isinstance(problems, Sequence)
    assert [line.split(":")[0] for line in map(str, problems)] == [
        "line 10, column 5", "line 11, column 5", "line 19, column 13", "line 21, column 43",
    ]  # fmt: skip


def load_all(files: Sequence[Path]) -> list[Suite]:
    from harness.blindtest import load_suite

    return [load_suite(file) for file in files]


async def test_what_a_character_lacks_is_said(tmp_path: Path) -> None:
    file = tmp_path / "own.en.yaml"
    file.write_text(SUITES["en"].replace("fact: [job]", "fact: [yacht]"), encoding="utf-8")
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        with pytest.raises(RunError, match="Ada Obi has no yacht"):
            await bench.run([file], personas=["ada"], out=tmp_path / "run")


async def test_the_results_are_a_file_that_reads_back(tmp_path: Path) -> None:
    run = await held(tmp_path, "zh")
    stored = json.loads((run.folder.path / "results.json").read_text(encoding="utf-8"))
    assert stored == run.results.model_dump(mode="json")

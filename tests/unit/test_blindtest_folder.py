"""The folder of a run: one writer at a time, lines that a crash cut short, other versions, what it is when it is gone on with."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_judging import calibrate, judge_run
from harness.app_blindtest_regrading import regrade
from harness.blindtest.folder import RunFolder
from harness.blindtest.limits import Limits
from harness.blindtest.locking import LOCK, alone
from harness.blindtest.reporting import read_held, write_reports
from harness.errors import RunBusy, RunError
from harness.settings import load
from harness.testing import ScriptedModel
from tests._commands import runner
from tests.unit._blindtest_runs import PERSONAS, held

ROOT = Path(__file__).resolve().parents[2]
BOTH = pytest.mark.parametrize("language", ["en", "zh"])


def test_a_second_writer_is_refused_and_the_next_is_not(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with alone(folder), pytest.raises(RunError, match="another process") as caught, alone(folder):
        pass
    assert "--resume" in caught.value.remedy
    assert not (folder / LOCK).exists()
    with alone(folder):
        assert (folder / LOCK).exists()


HOLD = "import sys, time; from pathlib import Path; from harness.blindtest.locking import alone\nwith alone(Path(sys.argv[1])):\n    print('held', flush=True); time.sleep(600)"


def test_a_lock_of_a_process_that_was_killed_is_taken_over(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"held\n"
            with pytest.raises(RunError, match=rf"another process \({process.pid}\)"), alone(tmp_path):
                pass
        finally:
            process.kill()
    assert (tmp_path / LOCK).read_text(encoding="ascii") == f"{process.pid}\n"
    with alone(tmp_path):
        pass


@BOTH
def test_a_run_that_goes_on_is_not_gone_on_with_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    run = asyncio.run(held(tmp_path, language))
    before = run.folder.path.joinpath("transcripts.jsonl").read_bytes()
    monkeypatch.chdir(tmp_path)
    with alone(tmp_path / "run"):
        for words in (
            ("run", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--witness", "eliza", "-o", "run", "--resume"),
            ("judge", "run", "--no-plots"),
            ("prefer", "run", "steady", "forgetful"),
            ("interrogate", "--witness", "eliza", "--language", language, "--out", "run"),
            ("calibrate", "--judge", "rules", "--language", language, "--out", "run"),
        ):
            assert "another process" in runner("blindtest")(*words, code=2).stderr, words
    assert run.folder.path.joinpath("transcripts.jsonl").read_bytes() == before


@BOTH
def test_a_run_that_goes_on_can_be_looked_at_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    run = asyncio.run(held(tmp_path, language))
    run.folder.write_graded([one.model_copy(update={"rules": "old"}) for one in run.folder.graded().values()])
    monkeypatch.chdir(tmp_path)
    with alone(tmp_path / "run"):
        before = {file.name: file.read_bytes() for file in run.folder.path.iterdir()}
        shown = runner("blindtest", "report")("run", "--no-plots")
        listed = json.loads(runner("blindtest", "report")("run", "--no-plots", "--json").stdout)
        assert {file.name: file.read_bytes() for file in run.folder.path.iterdir()} == before
    assert "steady passed" in shown.stdout
    assert "Report:" not in shown.stdout
    assert "no report is written" in shown.stderr
    assert listed["files"] == []
    assert "Report: run/report.html" in runner("blindtest", "report")("run", "--no-plots").stdout
    assert "old" not in {one.rules for one in run.folder.graded().values()}


async def test_the_library_writes_no_folder_that_another_task_writes(tmp_path: Path) -> None:
    run = await held(tmp_path, "en")
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:

        async def at_once() -> None:
            async def report() -> None:
                write_reports(run.folder, packs=bench.base.languages, plots=False)

            async def grade() -> None:
                bench.grade(run.folder, run.info, run.folder.transcripts())

            for work in (
                report,
                grade,
                lambda: regrade(bench, run.folder),
                lambda: judge_run(bench, run.folder.path, "rules"),
                lambda: calibrate(bench, judge="rules", language="en", out=run.folder.path),
            ):
                with pytest.raises(RunBusy):
                    await work()

        others = asyncio.create_task(at_once())  # begun before, so that it holds nothing
        with run.folder.alone():
            await others
        with run.folder.alone():  # who holds it may go on
            assert not await regrade(bench, RunFolder(run.folder.path))
            write_reports(run.folder, packs=bench.base.languages, plots=False)
            assert (run.folder.path / LOCK).exists()
        assert not (run.folder.path / LOCK).exists()


@pytest.mark.parametrize("words", [("judge", "no"), ("report", "no"), ("prefer", "no", "a", "b")])
def test_a_wrong_folder_is_told_and_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "found none" in runner("blindtest")(*words, code=2).stderr
    assert list(tmp_path.iterdir()) == []


@BOTH
def test_a_line_that_a_crash_cut_short_is_cut_off_and_its_trial_held_again(tmp_path: Path, language: str) -> None:
    run = asyncio.run(held(tmp_path, language))
    file = run.folder.path / "transcripts.jsonl"
    whole = file.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    file.write_bytes(whole[: last + 80])
    assert len(run.folder.transcripts()) == len(run.plan.trials) - 1
    again = asyncio.run(held(tmp_path, language, resume=True))
    lines = file.read_bytes().split(b"\n")
    assert [json.loads(line)["trial"]["script"] for line in lines[:-1]]
    assert len(lines) == len(run.plan.trials) + 1
    assert again.results == run.results


@BOTH
def test_a_changed_line_is_told_with_its_number(tmp_path: Path, language: str) -> None:
    run = asyncio.run(held(tmp_path, language))
    file = run.folder.path / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    file.write_text("\n".join([lines[0], lines[1][:60], *lines[2:]]), encoding="utf-8", newline="\n")
    with pytest.raises(RunError, match=r"transcripts.jsonl, line 2, is no transcript"):
        run.folder.transcripts()
    assert "line 2" in runner("blindtest", "report")(str(run.folder.path), code=2).stderr


def test_what_another_version_wrote_is_told(tmp_path: Path) -> None:
    run = asyncio.run(held(tmp_path, "en"))
    file = run.folder.path / "run.json"
    data = json.loads(file.read_bytes())
    for change, told in (
        ({"format": 2}, "is of format 2, and this version of harness reads 1"),
        ({"seed": "none"}, "cannot be read: seed"),
        ({"texts": {"cellar.en": {"suite": "cellar"}}}, "not as this version knows them"),
    ):
        file.write_text(json.dumps({**data, **change}), encoding="utf-8")
        for command in ("report", "judge"):
            assert told in runner("blindtest", command)(str(run.folder.path), code=2).stderr
    file.write_text("{", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be read"):
        run.folder.info()


@BOTH
def test_a_run_that_is_gone_on_with_stays_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    run = asyncio.run(held(tmp_path, language, against=("forgetful", "other")))
    again = asyncio.run(held(tmp_path, language, against=("other", "forgetful"), resume=True))
    assert again.results == run.results
    assert list(again.info.witnesses) == ["steady", "forgetful", "other"]
    assert again.info == RunFolder(tmp_path / "run").info() == run.info

    priced = Limits({"planted": (1.0, 2.0)})
    monkeypatch.setattr("harness.app_blindtest.machine", lambda: {"processor": "another"})
    later = asyncio.run(held(tmp_path, language, against=("forgetful", "other"), resume=True, limits=priced))
    stored = RunFolder(tmp_path / "run").info()
    assert later.info == stored
    assert stored.prices == {"planted": (1.0, 2.0)}
    assert stored.resumed == ({"processor": "another"},)
    assert stored.machine == run.info.machine
    assert read_held(tmp_path / "run").results.witness("steady").cost == later.results.witness("steady").cost
    asyncio.run(held(tmp_path, language, against=("forgetful", "other"), resume=True))
    assert RunFolder(tmp_path / "run").info() == stored

    with pytest.raises(RunError, match="the examined witnesses differ"):
        asyncio.run(held(tmp_path, language, witness="other", against=("forgetful", "steady"), resume=True))

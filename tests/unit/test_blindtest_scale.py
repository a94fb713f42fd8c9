"""Runs that are spread over processes: the same results, one endpoint shared within its limits, deaths survived, killed and gone on with."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from harness.adapters.models.pacing import FileLedger, Ledger, Pace, ProcessLedger
from harness.adapters.models.queueing import QueueTimeout
from harness.app_blindtest import Bench, Run
from harness.app_connecting import ModelParts, Served
from harness.blindtest.folder import RunFolder
from harness.blindtest.transcript import Transcript
from harness.errors import MissingExtra, RunError
from harness.settings import load
from harness.testing import ScriptedModel
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._blindtest_scale import PERSONAS, Dying, by_rule, held, suite_file

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)  # workers begin by importing everything
LANGUAGES = pytest.mark.parametrize("language", ["en", "zh"])


def results(folder: Path, out: str) -> bytes:
    return (folder / out / "results.json").read_bytes()


@LANGUAGES
async def test_processes_come_to_the_same_bytes_as_one(tmp_path: Path, language: str) -> None:
    async with ScriptedServer(by_rule) as server:
        alone = await held(tmp_path, language, server.base_url, out="alone", trials=1)
        spread = await held(tmp_path, language, server.base_url, out="spread", jobs=2, at_once=2, trials=1)

    assert results(tmp_path, "alone") == results(tmp_path, "spread")
    assert not any(one.errors for one in spread.results.witnesses)
    assert alone.results.witness("harness").probes["all"].total > 0
    assert len(spread.folder.transcripts()) == len(spread.plan.trials) == 4


@pytest.mark.parametrize(("language", "executor"), [("zh", "inline"), ("en", "processes")])
def test_killed_at_half_and_gone_on_with_it_comes_to_the_same(tmp_path: Path, language: str, executor: str) -> None:
    with ServerThread(ScriptedServer(partial(by_rule, delay_s=0.02))) as server:
        command = [sys.executable, "-m", "tests._blindtest_scale_run", str(tmp_path), language, server.base_url]
        run = partial(subprocess.run, cwd=ROOT, check=True, timeout=250)
        run([*command, "whole", executor, ""])
        lines = held_in(tmp_path / "whole")

        killed = subprocess.Popen([*command, "killed", executor, ""], cwd=ROOT)
        wait_for(killed, tmp_path / "killed", lines // 2)
        killed.kill()
        killed.wait()
        kept = held_in(tmp_path / "killed")
        run([*command, "killed", executor, "resume"])

    assert lines // 2 <= kept < lines
    assert results(tmp_path, "killed") == results(tmp_path, "whole")
    text = (tmp_path / "killed" / "transcripts.jsonl").read_bytes()
    keys = [Transcript.model_validate_json(line).trial.key for line in text.splitlines()]
    assert len(keys) == len(set(keys)) == lines  # nothing is lost and nothing is held twice


def held_in(folder: Path) -> int:
    file = folder / "transcripts.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for(process: subprocess.Popen[bytes], folder: Path, lines: int) -> None:
    """Until so many trials are written down."""
    until = time.monotonic() + 200
    while held_in(folder) < lines:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.005)


def test_ctrl_c_keeps_what_is_finished_and_leaves_no_process(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with ServerThread(ScriptedServer(partial(by_rule, delay_s=0.05))) as server:
        command = [sys.executable, "-m", "tests._blindtest_scale_run", str(tmp_path), "en", server.base_url, "run", "processes"]  # fmt: skip
        process = subprocess.Popen([*command, ""], cwd=ROOT, start_new_session=True, stderr=subprocess.PIPE)
        wait_for(process, folder, 2)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
        said = process.communicate(timeout=100)[1].decode()
        kept = held_in(folder)

        assert process.returncode in (130, -signal.SIGINT)
        assert said.rstrip().endswith("KeyboardInterrupt")  # one end, that of the run; none of a worker
        assert said.count("Traceback") <= 2  # CancelledError, then KeyboardInterrupt
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
        subprocess.run([*command, "resume"], cwd=ROOT, check=True, timeout=250)

    assert 2 <= kept < 16
    assert held_in(folder) == 16


def deaths(folder: Path) -> list[int]:
    """How often a process was ended, for each trial that did so."""
    return [len(mark.read_text()) for mark in folder.glob("*-deaths")]


async def dying(tmp_path: Path, times: int, at_once: int = 1) -> Run:
    witness = Dying("dying", tmp_path, "bait", times)
    async with Bench(load(start=tmp_path, environ={}), extra={"dying": witness}) as bench:
        return await bench.run(
            [suite_file(tmp_path, "en")],
            personas=[PERSONAS["en"]],
            witness="dying",
            trials=3,
            out=tmp_path / "run",
            jobs=2,
            at_once=at_once,
        )


@pytest.mark.parametrize("at_once", [1, 3])
async def test_a_trial_whose_worker_died_is_held_again(tmp_path: Path, at_once: int) -> None:
    run = await dying(tmp_path, times=1, at_once=at_once)

    assert not run.results.witness("dying").errors
    assert len((run.folder.path / "transcripts.jsonl").read_bytes().splitlines()) == 6
    assert deaths(tmp_path) == [1, 1, 1]


async def test_a_trial_that_ends_every_worker_is_given_up_and_the_others_are_held(tmp_path: Path) -> None:
    run = await dying(tmp_path, times=99, at_once=2)

    errors = {one.trial.script: one.error for one in run.folder.transcripts() if one.error}
    assert list(errors) == ["bait"]
    assert "3 workers that held this trial ended" in errors["bait"]
    assert "exit code -9" in errors["bait"]
    assert all(3 <= count <= 4 for count in deaths(tmp_path))  # the first may be in company
    assert len(deaths(tmp_path)) == 3
    assert run.results.witness("dying").errors == 3
    assert sum(not one.error for one in run.folder.transcripts()) == 3
    assert not run.passed


async def test_what_nothing_expects_ends_the_run_with_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"nothing expects: KeyError: '(asked|bait) of Ada Obi'"):
        await held(tmp_path, "en", "http://127.0.0.1:9/v1", out="run", jobs=2, witness="broken", against=())


async def test_workers_that_cannot_start_say_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys; sys.stderr.write('no room\\n'); sys.stderr.flush(); os._exit(7)"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(RunError, match="3 workers ended before they were ready: exit code 7, after: no room"):
        await held(tmp_path, "en", "http://127.0.0.1:9/v1", out="run", jobs=2)


async def test_what_cannot_be_sent_is_held_here_or_refused(tmp_path: Path) -> None:
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("I'm a nurse.")) as bench:
        run = await bench.run([suite_file(tmp_path, "en")], personas=["ada"], out=tmp_path / "here", jobs=2)
        assert len(run.folder.transcripts()) == 2
        with pytest.raises(RunError, match="a model was given as an object"):
            await bench.run([suite_file(tmp_path, "en")], personas=["ada"], out=tmp_path / "no", executor="processes")
        with pytest.raises(RunError, match="Expected an executor, got 'threads'"):
            await bench.run([suite_file(tmp_path, "en")], out=tmp_path / "no", executor="threads")  # type: ignore[arg-type]
        with pytest.raises(RunError, match="jobs to be at least 1"):
            await bench.run([suite_file(tmp_path, "en")], out=tmp_path / "no", jobs=0)


async def test_without_ray_its_extra_is_named_and_no_run_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtra, match="needs the extra 'ray'"):
        await held(tmp_path, "en", "http://127.0.0.1:9/v1", out="run", executor="ray", jobs=2)
    assert held_in(tmp_path / "run") == 0
    assert not RunFolder(tmp_path / "run").exists


@LANGUAGES
async def test_a_recorded_model_gives_the_same_bytes_again(tmp_path: Path, language: str) -> None:
    numbered = iter(range(10_000))

    def answer(request: Received) -> Answer:
        plain = by_rule(request)
        return Answer(f"{plain.text} {next(numbered)}.")  # no two answers are alike: only a recording repeats them

    recorded = tmp_path / "calls.jsonl"
    async with ScriptedServer(answer) as server:
        url = server.base_url
        await held(tmp_path, language, url, out="live", environ={"HARNESS_PROVIDER_RECORD": str(recorded)})
    again = {"HARNESS_PROVIDER_REPLAY": str(recorded)}
    await held(tmp_path, language, url, out="first", environ=again)
    await held(tmp_path, language, url, out="second", environ=again, jobs=2)

    assert results(tmp_path, "first") == results(tmp_path, "second") == results(tmp_path, "live")
    with pytest.raises(RunError, match="in the order of its recording"):
        await held(tmp_path, language, url, out="third", environ=again, executor="processes", jobs=2)


async def test_the_embedded_model_is_served_once_for_all_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    served: list[Served] = []

    async with ScriptedServer(by_rule, key="of-this-server") as server:

        async def serve(_: ModelParts) -> Served:
            served.append(Served(server.base_url, "small", "of-this-server"))
            return served[-1]

        monkeypatch.setattr(ModelParts, "_serve", serve)
        held_once = partial(held, tmp_path, "en", "", out="run", jobs=2, trials=1, witness="bare", against=())
        run = await held_once()
        await held_once(resume=True)  # nothing is left to hold, so nothing is started

    assert len(served) == 1
    assert not run.results.witness("bare").errors
    assert {request.body["model"] for request in server.chats} == {"small"}
    assert len(server.chats) == 3


# --- limits ---------------------------------------------------------------------------------------------------------


class Watching(ScriptedServer):
    """Writes down when it was asked, and how often at once."""

    def __init__(self) -> None:
        super().__init__(by_rule)
        self.begun: list[float] = []
        self.under_way = self.most = 0

    async def _complete(self, *given: object) -> bool:
        self.begun.append(time.monotonic())
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0.05)
        try:
            return await super()._complete(*given)  # type: ignore[arg-type]  # passed on as they are
        finally:
            self.under_way -= 1


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("language", "witness", "against"), [("en", "bare", ()), ("zh", "here", ("there",)), ("en", "bare", ("there",))]
)
async def test_an_endpoint_is_asked_no_faster_than_it_may_be_asked(
    tmp_path: Path, language: str, witness: str, against: tuple[str, ...], jobs: int
) -> None:
    """By all processes together, and by all witnesses that answer at its address."""
    limits = {"HARNESS_PROVIDER_REQUESTS_PER_MINUTE": "240", "HARNESS_PROVIDER_MAX_CONCURRENCY": "1"}
    trials = 1 if against else 2
    elsewhere = tuple(name for name in (witness, *against) if name != "bare")
    async with Watching() as server:
        given = partial(
            held, tmp_path, language, server.base_url, witness=witness, against=against, elsewhere=elsewhere,
            jobs=jobs, at_once=3, trials=trials,
        )  # fmt: skip
        free = await given(out="free")
        unlimited, server.most = server.most, 0
        server.begun.clear()
        slow = await given(out="slow", environ=limits)

    assert unlimited > 1
    assert server.most == 1
    begun = server.begun
    assert len(begun) == 6
    assert begun[-1] - begun[0] >= 0.25 * (len(begun) - 1) - 0.5  # the first may be slow on its way
    assert slow.results == free.results


def ledgers(tmp_path: Path) -> list[Ledger]:
    return [ProcessLedger(), FileLedger(tmp_path / "limits.db")]


@pytest.mark.parametrize("number", [0, 1])
def test_a_ledger_counts_starts_and_places(tmp_path: Path, number: int) -> None:
    ledger = ledgers(tmp_path)[number]
    waits = [ledger.reserve("a", 10.0, 100.0) for _ in range(3)]
    assert waits[0] == 0.0
    assert waits[1:] == pytest.approx([10.0, 20.0], abs=1.0)
    assert ledger.reserve("a", 10.0, 5.0) is None
    assert ledger.reserve("a", 10.0, 100.0) == pytest.approx(30.0, abs=1.0)  # what was refused took nothing
    assert ledger.reserve("b", 10.0, 0.0) == 0.0

    assert [ledger.enter("a", 2, f"one/{n}", 60.0) for n in range(3)] == [True, True, False]
    ledger.leave("a", "one/0")
    assert ledger.enter("a", 2, "onerous/0", 60.0)
    ledger.forget("one")
    assert ledger.enter("a", 2, "two/0", 60.0)
    assert not ledger.enter("a", 2, "two/1", 60.0)
    assert ledger.enter("b", 1, "two/0", 0.0)
    assert ledger.enter("b", 1, "two/1", 60.0)  # the one before had its time


@pytest.mark.parametrize("number", [0, 1])
async def test_who_waits_in_vain_is_told_in_time(tmp_path: Path, number: int) -> None:
    pace = Pace("here", ledgers(tmp_path)[number], requests_per_minute=1, places=1)
    loop = asyncio.get_running_loop()
    async with pace.place(loop.time() + 30):
        await pace.start(loop.time() + 0.1)
        with pytest.raises(QueueTimeout):
            await pace.start(loop.time() + 0.1)
        with pytest.raises(QueueTimeout):
            async with pace.place(loop.time() + 0.2):
                pass
        waiting = asyncio.create_task(_through(pace))
        await asyncio.sleep(0.05)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with pace.place(loop.time() + 5):
        pass


async def _through(pace: Pace) -> None:
    async with pace.place(asyncio.get_running_loop().time() + 30):
        pass

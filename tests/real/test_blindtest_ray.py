"""Runs on a Ray cluster of this machine with two workers: the same bytes, one pace, deaths survived, gone on with."""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from harness.app_blindtest import Bench
from harness.errors import RunError
from harness.settings import load
from harness.testing.scripted_server import Received, ScriptedServer
from tests._blindtest_scale import Dying, by_rule, held, suite_file

# Ray opens files and sockets that it leaves to the garbage collector, which is nothing that a test here could end.
pytestmark = [
    pytest.mark.real,
    pytest.mark.timeout(400),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:Tip. In future versions of Ray:FutureWarning"),
]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two CPUs, loopback, no dashboard."""
    if importlib.util.find_spec("ray") is None:
        if os.environ.get("CI"):
            pytest.fail("ray is not installed")
        pytest.skip("needs the extra 'ray'")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("HOME", str(tmp_path_factory.mktemp("ray-home")))
        import ray

        ray.init(
            num_cpus=2,
            include_dashboard=False,
            log_to_driver=False,
            namespace="harness-blindtest",
            _node_ip_address="127.0.0.1",
        )
        yield ray
        ray.shutdown()


@pytest.mark.parametrize(("language", "witness"), [("en", "harness"), ("zh", "bare")])
async def test_a_cluster_goes_on_and_comes_to_the_same_bytes(
    cluster: Any, tmp_path: Path, language: str, witness: str
) -> None:
    async with ScriptedServer(by_rule) as server:
        run = partial(held, tmp_path, language, server.base_url, out="run", witness=witness, against=("steady",))
        whole = await run()
        text = _cut(whole.folder.path, 3)
        spread = await run(executor="ray", jobs=2, resume=True)

    assert text == (spread.folder.path / "results.json").read_bytes()
    assert not any(one.errors for one in spread.results.witnesses)
    assert len(spread.folder.transcripts()) == 8


def _cut(folder: Path, lines: int) -> bytes:
    """Leave a run as a crash would: some lines, and a piece of the next. Gives the results of the whole."""
    file, results = folder / "transcripts.jsonl", folder / "results.json"
    kept = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(kept[:lines]) + kept[lines][:40])
    whole = results.read_bytes()
    results.unlink()
    return whole


async def test_a_trial_whose_actor_died_is_held_again(cluster: Any, tmp_path: Path) -> None:
    witness = Dying("dying", tmp_path, "bait", times=1)
    async with Bench(load(start=tmp_path, environ={}), extra={"dying": witness}) as bench:
        run = await bench.run(
            [suite_file(tmp_path, "en")],
            personas=["ada"],
            witness="dying",
            trials=2,
            out=tmp_path / "run",
            executor="ray",
            jobs=2,
        )
    assert not run.results.witness("dying").errors
    assert len(run.folder.transcripts()) == 4


async def test_actors_share_the_pace_of_an_endpoint(cluster: Any, tmp_path: Path) -> None:
    begun: list[float] = []

    def timed(request: Received) -> Any:
        begun.append(time.monotonic())
        return by_rule(request)

    async with ScriptedServer(timed) as server:
        limits = {"HARNESS_PROVIDER_REQUESTS_PER_MINUTE": "120", "HARNESS_PROVIDER_MAX_CONCURRENCY": "1"}
        await held(
            tmp_path, "en", server.base_url, out="run", executor="ray", jobs=2, at_once=2, witness="bare",
            against=("there",), elsewhere=("there",), environ=limits,
        )  # fmt: skip
    assert len(begun) >= 12
    assert begun[-1] - begun[0] >= 0.5 * (len(begun) - 1) - 0.6  # the first may be slow on its way


async def test_what_an_actor_meets_is_told(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"nothing expects: KeyError: '(asked|bait) of Ada Obi'"):
        await held(
            tmp_path, "en", "http://127.0.0.1:9/v1", out="run", executor="ray", jobs=2, witness="broken", against=()
        )

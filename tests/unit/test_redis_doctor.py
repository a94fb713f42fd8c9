"""What `harness doctor` says of a Redis server."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from harness.adapters.redis.health import examined
from harness.adapters.redis.options import RedisOptions
from harness.app_servers import check_servers
from harness.cli.main import app
from harness.ports.memories import EmbeddingSpace, MemoryFilter
from harness.settings import load
from tests._redis_server import RedisServer

EVERYTHING = MemoryFilter(everything=True, statuses=())
SPACE = EmbeddingSpace("one", 2)
SECRETS = ("zanzibar", "桑给巴尔", "قهوةسرية")


async def test_doctor_warns_of_a_server_that_keeps_nothing(tmp_path: Path) -> None:
    cases = {
        "nothing": (("--appendonly", "no", "--save", ""), "keeps nothing on disk", "appendonly yes"),
        "rdb": (("--appendonly", "no", "--save", "60 1"), "snapshots (RDB)", "A crash takes back"),
        "aof": (("--appendonly", "yes", "--save", ""), "an append-only file", ""),
        "evicts": (
            ("--appendonly", "yes", "--maxmemory", "99mb", "--maxmemory-policy", "allkeys-lru"),
            "an append-only file",
            "noeviction",
        ),
    }
    for name, (arguments, found, remedy) in cases.items():
        server = RedisServer(tmp_path / name, arguments=arguments)
        server.start()
        try:
            detail, said = await examined(RedisOptions(server.url), lasting=True)
            assert found in detail
            assert server.url in detail
            assert remedy in said if remedy else said == ""
            assert (await examined(RedisOptions(server.url), lasting=False))[1] == "", "short-term messages may go"
        finally:
            server.stop()


async def test_doctor_looks_after_each_use(redis_server: RedisServer) -> None:
    overrides = {"storage.backend": "redis", "storage.url": redis_server.url, "short_term.backend": "redis"}
    checks = await check_servers(load(environ={}, overrides=overrides).settings)
    assert [(check.name, check.ok) for check in checks] == [
        ("session store", True),
        ("memory store", True),
        ("short-term messages", True),
    ]
    overrides["memory.url"] = "redis://127.0.0.1:1/0"
    checks = await check_servers(load(environ={}, overrides=overrides).settings)
    assert [check.ok for check in checks] == [True, False, True]
    assert "cannot be reached" in checks[1].detail
    assert await check_servers(load(environ={}).settings) == []


def test_doctor_prints_it() -> None:
    shown = CliRunner().invoke(
        app,
        [
            "doctor",
            *_set(
                "storage.backend=redis",
                "storage.url=redis://:s3cret@127.0.0.1:1/0",
                "provider.base_url=http://127.0.0.1:1",
            ),
        ],
    )
    assert shown.exit_code == 1
    assert "FAIL session store" in shown.output
    assert "s3cret" not in shown.output


def _set(*values: str) -> list[str]:
    return [part for value in values for part in ("--set", value)]

"""Addresses of servers in the settings: which one holds, what is filled in, and that no password is ever shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from harness.adapters.memories import MEMORY_BACKENDS
from harness.adapters.memories._postgres_index import Hnsw
from harness.adapters.memories.postgres import PostgresMemoryStore
from harness.addresses import expanded, kind_of, masked
from harness.app import Harness
from harness.app_servers import check_servers, memory_options, store_options
from harness.cli.main import app
from harness.errors import SettingsError
from harness.logs import redact
from harness.settings import Settings, load
from harness.state.memory import Scope
from harness.testing.postgres import PostgresForTests
from harness.testing.scripted_model import ScriptedModel
from tests.conftest import Places

UNSEEN = "s3cretword"
ADDRESS = "postgresql://ann:${CHAT_PASSWORD}@db.example:5432/chat"


def settings_of(**chosen: str) -> Settings:
    return load(environ={}, overrides={name.replace("__", "."): value for name, value in chosen.items()}).settings


def test_memory_takes_the_address_of_the_sessions_where_it_is_of_the_same_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHAT_PASSWORD", f"{UNSEEN}@/ü")
    settings = settings_of(storage__backend="postgres", storage__url=ADDRESS, memory__pool_size="2")
    filled = f"postgresql://ann:{UNSEEN}%40%2F%C3%BC@db.example:5432/chat"
    assert store_options(settings, Path()).url == filled
    options = memory_options(settings, "postgres", Path())
    assert (options.url, options.pool_size, options.timeout_s) == (filled, 2, 5.0)
    own = settings_of(storage__url=ADDRESS, memory__url="postgresql://other/memory")
    assert memory_options(own, "postgres", Path()).url == "postgresql://other/memory"
    assert memory_options(own, "sqlite", Path()).url == ""
    assert (options.vector_index, options.ef_search) == ("exact", 200)
    assert UNSEEN not in f"{options!r} {store_options(settings, Path())!r}"


async def test_the_index_of_vectors_is_as_the_settings_say() -> None:
    chosen = {"memory__url": "postgresql://h/d", "memory__vector_index": "hnsw", "memory__ef_search": "333"}
    for options, wanted in (
        (memory_options(settings_of(**chosen), "postgres", Path()), Hnsw(ef_search=333)),
        (memory_options(settings_of(memory__url="postgresql://h/d"), "postgres", Path()), None),
    ):
        store = MEMORY_BACKENDS["postgres"].open(options)
        assert isinstance(store, PostgresMemoryStore)
        assert store.hnsw == wanted
        await store.close()
    for value in ("9", "1001"):
        with pytest.raises(SettingsError, match="ef_search"):
            settings_of(memory__ef_search=value)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"storage__backend": "postgres"}, "storage.url is empty"),
        ({"storage__backend": "postgres", "storage__url": "redis://:s3cretword@h"}, "redis://:\\*\\*\\*@h"),
        ({"storage__backend": "postgres", "storage__url": "chat"}, "storage.url"),
        ({"storage__backend": "postgres", "storage__url": ADDRESS}, "CHAT_PASSWORD, which is not set"),
    ],
)
def test_an_address_that_leads_nowhere_is_said(chosen: dict[str, str], words: str) -> None:
    with pytest.raises(SettingsError, match=words) as raised:
        store_options(settings_of(**chosen), Path())
    assert raised.value.remedy
    assert UNSEEN not in str(raised.value)


def test_memory_without_an_address_is_said() -> None:
    with pytest.raises(SettingsError, match=r"memory\.url is empty"):
        memory_options(settings_of(storage__url="redis://h"), "postgres", Path())


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann:s3cretword@h/d", "postgresql://ann:***@h/d"),
        ("postgresql://ann:s3cret/@word@h/d?sslmode=require", "postgresql://ann:***@h/d?sslmode=require"),
        ("redis://:s3cretword@h:6379/0", "redis://:***@h:6379/0"),
        ("postgresql://h/d?user=ann&password=s3cretword", "postgresql://h/d?user=ann&password=***"),
        ("postgresql://ann@h/d", "postgresql://ann@h/d"),
        ("", ""),
    ],
)
def test_addresses_are_shown_without_their_password(address: str, shown: str) -> None:
    assert masked(address) == shown
    assert UNSEEN not in redact(f"connecting to {address} now")


def test_kinds_and_variables() -> None:
    assert [kind_of(f"{scheme}://h") for scheme in ("postgresql", "postgres", "redis", "ftp")] == ["postgres", "postgres", "redis", ""]  # fmt: skip
    whole = "postgresql://a:b%40@h/d"
    assert expanded("${WHOLE}", {"WHOLE": whole}, setting="storage.url") == whole
    assert expanded("postgresql://h/${NAME}", {"NAME": "a/b"}, setting="storage.url") == "postgresql://h/a/b"


@pytest.mark.parametrize("as_json", [False, True])
def test_settings_are_shown_without_the_password(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, as_json: bool
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harness.toml").write_text(f'[storage]\nbackend = "postgres"\nurl = "postgresql://ann:{UNSEEN}@h/d"\n')
    result = CliRunner().invoke(app, ["settings", *(["--json"] if as_json else [])])
    assert result.exit_code == 0, result.output
    assert UNSEEN not in result.output
    assert "ann:***@h/d" in result.output
    assert UNSEEN not in repr(load(start=tmp_path, environ={}).settings)


def test_an_impossible_address_is_not_repeated() -> None:
    with pytest.raises(SettingsError) as raised:
        load(environ={}, overrides={"storage.url": [UNSEEN]})
    assert "storage.url" in str(raised.value)
    assert UNSEEN not in str(raised.value)


async def test_the_doctor_tries_the_servers(postgres_server: PostgresForTests) -> None:
    place = postgres_server.new_place()
    settings = settings_of(storage__backend="postgres", storage__url=place)
    seen: list[str] = []
    checks = await check_servers(settings, on_check=lambda check: seen.append(check.name))
    assert [(check.name, check.ok) for check in checks] == [("session store", True), ("memory store", True)]
    assert seen == ["session store", "memory store"]
    assert "sessions: 0" in checks[0].detail
    async with Harness(settings, model=ScriptedModel("Fine.")) as harness:
        await (await harness.open("mia", session="s")).say("I live in Porto.")
    checks = await check_servers(settings)
    assert "sessions: 1" in checks[0].detail
    assert "items: 0" not in checks[1].detail
    assert await check_servers(settings_of()) == []


@pytest.mark.parametrize(
    ("persona", "said", "word"), [("mia", "I am allergic to walnuts.", "walnuts"), ("lin", "我对核桃过敏。", "核桃")]
)
@pytest.mark.parametrize(("sessions", "memories"), [("redis", "postgres"), ("postgres", "redis")])
async def test_both_kinds_of_server_side_by_side(
    server_place: Places, tmp_path: Path, sessions: str, memories: str, persona: str, said: str, word: str
) -> None:
    one, other = server_place(sessions, tmp_path), server_place(memories, tmp_path)
    settings = settings_of(
        storage__backend=sessions,
        storage__url=one["url"],
        storage__key_prefix=one["key_prefix"],
        memory__backend=memories,
        memory__url=other["url"],
        short_term__backend="redis",
        harness__analysis="rules",
    )
    async with Harness(settings, model=ScriptedModel("…")) as harness:
        session = await harness.open(persona, session="s", user="nora")
        await session.say(said)
        await session.settled()
        found = await harness.memories().search(word, scope=Scope(persona=persona, user="nora"))
        assert said in [one.item.text for one in found.items]
        assert said in [one.message.text for one in await harness.short_term().recent("s")]
    checks = await check_servers(settings)
    assert [(check.name, check.ok) for check in checks] == [
        ("session store", True),
        ("memory store", True),
        ("short-term messages", True),
    ]
    kinds = ["redis" if check.detail.startswith("Redis ") else kind_of(check.detail) for check in checks]
    assert kinds == [sessions, memories, "redis"]
    async with Harness(settings, model=ScriptedModel("…")) as harness:
        assert [info.turns for info in await harness.store().sessions()] == [1]


def test_the_doctor_names_a_server_that_is_away(postgres_server: PostgresForTests, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("HARNESS_MEMORY_BACKEND", "postgres")
    monkeypatch.setenv("HARNESS_MEMORY_URL", f"postgresql://ann:{UNSEEN}@127.0.0.1:{postgres_server.port}/nothing_here")
    result = CliRunner().invoke(app, ["doctor", "--json"])
    assert result.exit_code == 1
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert "sqlite" in checks["session store"]["detail"]
    assert checks["memory store"]["ok"] is False
    assert "cannot be reached" in checks["memory store"]["detail"]
    assert checks["memory store"]["remedy"]
    assert UNSEEN not in result.output

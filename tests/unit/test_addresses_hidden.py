"""Whatever the password of an address is and however it is written there, it is shown nowhere."""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from typer.testing import CliRunner

from harness.adapters.graphs import GraphOptions
from harness.adapters.graphs.falkordb import FalkorGraph
from harness.adapters.graphs.neo4j import Neo4jGraph
from harness.adapters.models.endpoint import without_credentials
from harness.adapters.redis.client import RedisClient
from harness.adapters.redis.options import RedisOptions
from harness.adapters.stores import StoreOptions
from harness.adapters.stores._postgres_errors import away, lost
from harness.addresses import masked, masked_in, passwords, said_of
from harness.app_servers import check_servers
from harness.cli.main import app
from harness.errors import HarnessError, StoreError
from harness.logs import redact
from harness.settings import load
from harness.settings.foreign_values import address as foreign_address

SECRET = "zq9X7vJk"  # noqa: S105 - of nothing
"""In every password below, and in nothing else: what must not be seen."""
odd = st.text(st.sampled_from("@:/?#&=%[]'\"\\,;. +$" + "密é" + "ab1"), max_size=6)
raw = st.builds(lambda before, after: f"{before}{SECRET}{after}", odd, odd)
quoted = raw.map(lambda password: quote(password, safe=""))
users = st.sampled_from(["", "ann", "安", "ann%40corp.example", "ann@corp.example"])
hosts = st.sampled_from(["host:6379", "127.0.0.1", "[::1]:6379", "[fe80::1%25eth0]", "a:1,b:2", "", "/run/redis.sock"])
schemes = st.sampled_from(["redis", "rediss", "unix", "postgresql", "POSTGRES", "bolt+s", "neo4j", "https"])
rests = st.sampled_from(["", "/0", "/db?x=1", "/db?application_name=a@b", "/db?x=1#part", "?host=/run/pg"])
names = st.sampled_from(["password", "PASSWORD", "sslpassword", "pass%77ord", "passwd"])

with_user = st.builds("{}://{}:{}@{}{}".format, schemes, users, raw | quoted, hosts, rests)
without_scheme = st.builds("{}:{}@{}{}".format, st.sampled_from(["", "ann"]), raw | quoted, hosts, rests)
without_host = st.builds("{}://{}:{}".format, schemes, users, st.just(SECRET))
in_query = st.builds(
    "{}://{}{}{}{}={}{}".format,
    schemes, st.sampled_from(["", "ann@"]), hosts, st.sampled_from(["?", "/0?db=1&", "/0?a=b;"]), names, raw | quoted,
    st.sampled_from(["", "&x=1", "&application_name=a@b"]),
)  # fmt: skip
as_words = st.builds(
    "{}{}={}{}".format,
    st.sampled_from(["", "host=h user=ann ", "host=/run/pg port=5432  "]), st.sampled_from(["password", "PASSWORD ", "sslpassword"]),
    st.just(SECRET) | odd.map(lambda text: f"'{SECRET} " + text.replace("\\", "\\\\").replace("'", "\\'") + "'") | st.just(f" {SECRET}"),
    st.sampled_from(["", " dbname=chat", "\tsslmode=require"]),
)  # fmt: skip
ADDRESSES = with_user | without_scheme | without_host | in_query | as_words


@given(ADDRESSES)
@example(f"redis://:x?password={SECRET}1@h")
@example(f"postgresql://ann@host:5432/db?password=a@{SECRET}")
@example(f"redis://:a@b?{SECRET}@h")
@example(f"redis://ann:{SECRET}")
def test_no_password_is_shown(address: str) -> None:
    shown = masked(address)
    assert SECRET not in shown
    assert "***" in shown
    assert SECRET not in masked(shown)
    assert any(SECRET in one for one in passwords(address))


@given(raw, st.booleans(), users, hosts)
def test_nor_in_what_a_library_says_of_it(password: str, asked: bool, user: str, host: str) -> None:
    written = quote(password, safe="")
    address = f"postgresql://{host}/db?password={written}" if asked else f"redis://{user}:{written}@{host}"
    unquoted = f"redis://{user}:{password}@{host}"
    part = next(part for part in re.split(r"[/?#@:\[\]]", password) if SECRET in part)
    for known, said in (
        (address, f"no such thing: {address}"),
        (address, f"password {password!s} was refused, {written} too"),
        (unquoted, f"could not translate host name {part!r} to address"),
        (unquoted, f"invalid integer value {part!r} for connection option 'port'"),
    ):
        assert SECRET not in said_of(known, said)
        for error in (away(known, "session store", said), lost(known, "memory store", said)):
            assert SECRET not in f"{error} {error.remedy} {error.details}"


@given(
    st.builds("{}://{}:{}@{}{}".format, schemes, users, quoted, hosts, rests)
    | in_query.filter(lambda text: " " not in text)
)
@example(f"redis://:a@b/{SECRET}@host")
def test_nor_in_logs(address: str) -> None:
    for line in (f"no answer from {address}", f"({address}): nobody there", f"url={address!r}"):
        assert SECRET not in masked_in(line)
        assert SECRET not in redact(line)


@given(st.sampled_from(["'", '"', ""]), st.sampled_from([" ", ""]))
def test_nor_words_in_logs(mark: str, blank: str) -> None:
    line = f"host=h password{blank}={blank}{mark}{SECRET}{mark} dbname=chat"
    assert masked_in(line) == f"host=h password{blank}={blank}*** dbname=chat"
    assert SECRET not in redact(line)


@pytest.mark.parametrize(
    "text",
    [
        "redis://localhost:6379/0",
        "redis://[::1]:6379/0",
        "postgresql://a:1,b:2/db?target_session_attrs=any",
        "unix:///run/redis.sock?db=1",
        "redis://host:${PORT}/0",
        "postgresql://ann@host/db?passfile=/home/ann/.pgpass",
        "host=h port=5432 user=ann passfile=/x dbname=chat",
        "postgresql://localhost",
        "see https://example.com:8080/a?b=c#d and mail ann@example.com: soon",
    ],
)
def test_what_holds_no_password_stays(text: str) -> None:
    assert masked_in(text) == text
    if not text.startswith("see"):
        assert masked(text) == text


def test_words_that_only_look_like_it_stay() -> None:
    address = "postgresql://ann:a@host/chat"
    assert said_of(address, "a cannot be reached, at all") == "*** cannot be reached, at all"
    assert said_of("redis://host/0", "a bad day") == "a bad day"


ODD = [f"se/{SECRET}", f"{SECRET}?x", f"a#{SECRET}", f"{SECRET}:1", f"a@{SECRET}/b", f"[{SECRET}"]


async def _refusals(password: str) -> list[BaseException]:
    """What the libraries make of addresses with this password in them, unquoted."""
    found: list[BaseException] = []

    async def tried(make: object) -> None:
        try:
            await make()  # type: ignore[operator]
        except HarnessError as error:
            found.append(error)

    async def redis() -> None:
        client = RedisClient(
            RedisOptions(f"redis://ann:{password}@127.0.0.1:1/0", timeout_s=0.5), closed=lambda: StoreError("closed")
        )
        try:
            await client.read(lambda made: made.ping())
        finally:
            await client.close()

    async def falkor() -> None:
        graph = FalkorGraph(f"redis://ann:{password}@127.0.0.1:1", timeout_s=0.5)
        try:
            await graph.stats()
        finally:
            await graph.close()

    async def neo4j() -> None:
        graph = Neo4jGraph(f"bolt://ann:{password}@127.0.0.1:1", timeout_s=0.5)
        try:
            await graph.stats()
        finally:
            await graph.close()

    for make in (redis, falkor, neo4j):
        await tried(make)
    return found


@pytest.mark.parametrize("password", ODD)
async def test_what_libraries_refuse_is_said_without_it(password: str) -> None:
    pytest.importorskip("redis")
    pytest.importorskip("neo4j")
    found = await _refusals(password)
    assert len(found) == 3
    for error in found:
        shown = f"{error!r} {getattr(error, 'remedy', '')} {getattr(error, 'details', '')}"
        assert SECRET not in shown + "".join(traceback.format_exception(error))


async def test_what_psycopg_refuses_is_said_without_it() -> None:
    pytest.importorskip("psycopg_pool")
    from harness.adapters.stores.postgres import PostgresSessionStore

    for password in ODD:
        store = PostgresSessionStore(f"postgresql://ann:{password}@127.0.0.1:1/chat", timeout_s=0.5)
        with pytest.raises(StoreError) as raised:
            await store.sessions()
        await store.close()
        assert SECRET not in f"{raised.value} {raised.value.remedy} {raised.value.details}"


SERVERS = [
    {"storage.backend": "redis", "storage.url": "redis://ann:{}@127.0.0.1:1/0"},
    {"storage.backend": "postgres", "storage.url": "postgresql://ann:{}@127.0.0.1:1/chat"},
    {"storage.backend": "redis", "storage.url": "ann:{}@127.0.0.1:1"},
    {"storage.backend": "postgres", "storage.url": "host=127.0.0.1 port=1 user=ann password={}"},
    {"graph.backend": "falkordb", "graph.url": "redis://ann:{}@127.0.0.1:1"},
    {"graph.backend": "neo4j", "graph.url": "bolt://ann:{}@127.0.0.1:1"},
]


@pytest.mark.parametrize("chosen", SERVERS)
@pytest.mark.parametrize("password", [SECRET, f"se/{SECRET}"])
async def test_doctor_and_settings_show_none(
    chosen: dict[str, str], password: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled = {name: value.replace("{}", password) for name, value in chosen.items()}
    loaded = load(start=tmp_path, environ={}, overrides=filled | {"storage.timeout_s": "0.5", "graph.timeout_s": "0.5"})
    assert SECRET not in repr(loaded)
    checks = await check_servers(loaded.settings)
    assert checks
    assert not any(check.ok for check in checks)
    assert SECRET not in repr(checks)
    for name, value in filled.items():
        monkeypatch.setenv(f"HARNESS_{name.upper().replace('.', '_')}", value)
    for arguments in (["settings"], ["settings", "--json"], ["settings", "--origin"]):
        shown = await asyncio.to_thread(CliRunner().invoke, app, arguments)
        assert shown.exit_code == 0, shown.output
        assert SECRET not in shown.output


@pytest.mark.parametrize("password", [SECRET, *ODD])
def test_the_address_of_an_endpoint_is_shown_without_it(password: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"https://ann:{password}@api.example/v1"
    assert SECRET not in without_credentials(url)
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", url)
    assert SECRET not in repr(load())
    shown = CliRunner().invoke(app, ["settings", "--json"])
    assert shown.exit_code == 0
    assert SECRET not in shown.output
    assert "api.example" in json.loads(shown.stdout)["settings"]["provider.base_url"]["value"]


def test_options_of_backends_show_none() -> None:
    url = f"redis://ann:{SECRET}@host"
    for options in (StoreOptions(url=url), GraphOptions(url=url, password=SECRET), RedisOptions(url)):
        assert SECRET not in repr(options)


@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(
    st.builds("{}://{}:{}@{}{}".format, schemes, st.just("ann"), quoted, st.sampled_from(["h:1", "[::1]"]), rests)
    | in_query.filter(lambda text: "@" not in text and "#" not in text and "[" not in text)
    | as_words
)
def test_none_is_written_from_the_files_of_others(address: str) -> None:
    ours, left_out = foreign_address({"url": address}, {"scheme": "redis", "port": 6379, "variable": "WORD"})
    assert left_out
    assert SECRET not in ours
    assert "${WORD}" in ours

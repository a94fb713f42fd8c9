"""Addresses of servers: no password is shown, and none needs to stand in a file."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from harness.addresses import expanded, kind_of, masked
from harness.app_servers import server_url
from harness.cli.main import app
from harness.errors import SettingsError
from harness.logs import redact
from harness.settings import load


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("redis://localhost:6379/0", "redis://localhost:6379/0"),
        ("redis://:s3cret@host:6379/0", "redis://:***@host:6379/0"),
        ("rediss://ann:s3:cr@et@host/1?x=1", "rediss://ann:***@host/1?x=1"),
        ("postgresql://ann:密码@host/db", "postgresql://ann:***@host/db"),
        ("postgresql://host/db?user=ann&password=s3cret&x=1", "postgresql://host/db?user=ann&password=***&x=1"),
        ("unix:///run/redis.sock?db=1&password=s3cret", "unix:///run/redis.sock?db=1&password=***"),
        ("redis://ann@host", "redis://ann@host"),
        ("", ""),
        ("not an address", "not an address"),
    ],
)
def test_passwords_are_masked(address: str, shown: str) -> None:
    assert masked(address) == shown


def test_variables_are_filled_in_and_quoted() -> None:
    environ = {"PW": "p@ss/word:密", "HOST": "db.example:6380", "ALL": "redis://:a@b:1/2", "EMPTY": ""}
    assert expanded("redis://:${PW}@${HOST}/0", environ, setting="storage.url") == (
        "redis://:p%40ss%2Fword%3A%E5%AF%86@db.example:6380/0"
    )
    assert expanded("${ALL}", environ, setting="storage.url") == "redis://:a@b:1/2"
    assert expanded("redis://h/$HOME", environ, setting="storage.url") == "redis://h/$HOME"
    for name in ("EMPTY", "MISSING"):
        with pytest.raises(SettingsError, match=rf"storage\.url names the environment variable {name}"):
            expanded(f"redis://:${{{name}}}@h", environ, setting="storage.url")


def test_kinds() -> None:
    kinds = {
        address: kind_of(address) for address in ("redis://h", "REDISS://h", "postgres://h", "http://h", "redis", "")
    }
    assert list(kinds.values()) == ["redis", "redis", "postgres", "", "", ""]


def test_where_an_address_is_looked_for() -> None:
    def found(section: str, **chosen: str) -> str:
        overrides = {name.replace("__", "."): value for name, value in chosen.items()}
        return server_url(load(environ={}, overrides=overrides).settings, section, "redis", {})

    assert found("memory", storage__url="redis://a") == "redis://a"
    assert found("memory", storage__url="redis://a", memory__url="redis://b") == "redis://b"
    assert found("short_term", storage__url="postgresql://a", memory__url="redis://b") == "redis://b"
    assert found("short_term", storage__url="redis://a", memory__url="redis://b") == "redis://a"
    for section, chosen in (
        ("storage", {}),
        ("storage", {"memory__url": "redis://b"}),
        ("memory", {"storage__url": "postgresql://a"}),
    ):
        with pytest.raises(SettingsError, match=rf"{section}\.url is empty"):
            found(section, **chosen)
    assert server_url(load(environ={}).settings, "storage", "sqlite", {}) == ""


def test_no_password_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    for section in ("STORAGE", "MEMORY", "SHORT_TERM"):
        monkeypatch.setenv(f"HARNESS_{section}_URL", "redis://ann:s3cret@host:1/0")
    for arguments in (["settings"], ["settings", "--json"], ["settings", "--origin"]):
        shown = CliRunner().invoke(app, arguments)
        assert shown.exit_code == 0
        assert "s3cret" not in shown.output
    found = json.loads(CliRunner().invoke(app, ["settings", "--json"]).stdout)
    assert found["settings"]["storage.url"]["value"] == "redis://ann:***@host:1/0"
    assert "s3cret" not in repr(load())
    assert "s3cret" not in redact("no answer from redis://:s3cret@host and redis://ann:s3cret@host")

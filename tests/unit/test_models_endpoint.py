"""base_url as people write it, and keys as people paste them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from harness.adapters.models.endpoint import (
    EndpointConfig,
    check_key,
    normalize_base_url,
    usable_key,
    without_credentials,
)
from harness.errors import AuthenticationFailed, SettingsError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("http://localhost:8080/v1", "http://localhost:8080/v1"),
        ("http://localhost:8080", "http://localhost:8080/v1"),
        ("http://localhost:8080/", "http://localhost:8080/v1"),
        ("http://localhost:8080/v1//", "http://localhost:8080/v1"),
        ("http://localhost:8080/v1/v1", "http://localhost:8080/v1"),
        ("http://localhost:8080/chat/completions", "http://localhost:8080/v1"),
        ("http://localhost:8080/v1/chat/completions/", "http://localhost:8080/v1"),
        ("http://localhost:8080/v1/models", "http://localhost:8080/v1"),
        ("http://localhost:8080/v1/completions", "http://localhost:8080/v1"),
        ("  http://localhost:8080/v1\n", "http://localhost:8080/v1"),
        ('"http://localhost:8080/v1"', "http://localhost:8080/v1"),
        ("localhost:8080", "http://localhost:8080/v1"),
        ("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("192.168.1.20:11434", "http://192.168.1.20:11434/v1"),
        ("[::1]:8080", "http://[::1]:8080/v1"),
        ("ollama:11434", "http://ollama:11434/v1"),
        ("host.docker.internal:11434", "http://host.docker.internal:11434/v1"),
        ("api.example.com", "https://api.example.com/v1"),
        ("//api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://API.Example.com/v1", "https://api.example.com/v1"),
        ("https://api.example.com/v1?key=1#top", "https://api.example.com/v1"),
        ("https://ark.example.com/api/v3", "https://ark.example.com/api/v3"),
        ("https://dash.example.com/compatible-mode/v1", "https://dash.example.com/compatible-mode/v1"),
        ("https://open.example.cn/api/paas/v4/chat/completions", "https://open.example.cn/api/paas/v4"),
        ("https://gen.example.com/v1beta/openai/", "https://gen.example.com/v1beta/openai"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://x.example.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21",
         "https://x.example.com/openai/deployments/gpt?api-version=2024-10-21"),
        ("https://api.perplexity.ai/chat/completions", "https://api.perplexity.ai"),
        ("https://api.example.com/inference#", "https://api.example.com/inference"),
        ("http://user:pw@localhost:8080", "http://user:pw@localhost:8080/v1"),
    ],
)  # fmt: skip
def test_base_url(written: str, expected: Any) -> None:
    assert normalize_base_url(written) == expected
    assert normalize_base_url(expected + ("#" if written.endswith("#") else "")) == expected


@pytest.mark.parametrize(
    "written",
    ["", "   ", "http://", "ftp://example.com", "http://exa mple.com", "http://localhost:port/v1", "http://${HOST}/v1"],
)
def test_base_url_that_is_none(written: str) -> None:
    with pytest.raises(SettingsError, match="base_url"):
        normalize_base_url(written)


def test_password_in_a_bad_url_is_not_shown() -> None:
    with pytest.raises(SettingsError) as caught:
        normalize_base_url("ftp://user:secret@example.com")
    assert "secret" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_a_settings_error(text: str) -> None:
    try:
        url = normalize_base_url(text)
    except SettingsError:
        return
    assert url.startswith(("http://", "https://"))
    assert "@" in text or normalize_base_url(url + ("#" if text.strip().endswith("#") else "")) == url


def test_credentials_are_taken_off() -> None:
    assert without_credentials("http://me:secret@host:1/v1?key=2#x") == "http://host:1/v1"


@pytest.mark.parametrize(
    ("value", "what", "remedy"),
    [
        (None, "not set", "export MY_KEY="),
        ("", "empty", "leave provider.api_key_env empty"),
        ("  ", "empty", "Give MY_KEY a value"),
        ("sk-abc\n", "white space or a line break", "without the space"),
        (" sk-abc", "white space or a line break", "without the space"),
        ("sk-abc\r\n", "white space or a line break", "without the space"),
        ("sk-a bc", "inside", "as one word"),
        ("sk-a\nbc", "inside", "as one word"),
        ('"sk-abc"', "quotes", "Remove the quotes"),
        ("'sk-abc'", "quotes", "Remove the quotes"),
        ("\u201csk-abc\u201d", "quotes", "Remove the quotes"),
        ("Bearer sk-abc", "Bearer", "Leave the word out"),
        ("sk\u2013abc", "characters no key has", "typographic"),
        ("密钥", "characters no key has", "typographic"),
        ("$OPENAI_API_KEY", "placeholder", "the key itself"),
        ("${OPENAI_API_KEY}", "placeholder", "the key itself"),
        ("your-key", "placeholder", "the key itself"),
        ("YOUR_API_KEY", "placeholder", "the key itself"),
        ("<key>", "placeholder", "the key itself"),
        ("sk-...", "placeholder", "the key itself"),
    ],
)
def test_key_mistakes_are_named_without_showing_the_key(value: Any, what: Any, remedy: Any) -> None:
    with pytest.raises(AuthenticationFailed) as caught:
        check_key("MY_KEY", value)
    assert what in caught.value.message
    assert "MY_KEY" in caught.value.message
    assert remedy in caught.value.remedy
    if value and value.strip() and what != "placeholder":
        assert value.strip() not in str(caught.value)


@pytest.mark.parametrize("key", ["sk-proj-abc_DEF-123", "none", "gsk_x", "0123456789abcdef.AbC"])
def test_usable_keys(key: Any) -> None:
    assert check_key("MY_KEY", key) == key


def test_a_key_in_place_of_the_variable_name_is_not_shown() -> None:
    with pytest.raises(AuthenticationFailed) as caught:
        check_key("sk-proj-verysecret", None)
    assert "verysecret" not in str(caught.value)
    assert "variable" in caught.value.remedy


def test_a_local_server_needs_no_key_and_a_remote_one_does() -> None:
    assert usable_key(EndpointConfig("localhost:8080", "UNSET", None)) is None
    assert usable_key(EndpointConfig("https://api.example.com", "", None)) is None
    assert usable_key(EndpointConfig("localhost:8080", "", "made-by-the-program")) == "made-by-the-program"
    with pytest.raises(AuthenticationFailed, match="not set"):
        usable_key(EndpointConfig("https://api.example.com", "UNSET", None))


def test_the_key_is_not_in_the_repr() -> None:
    assert "hidden" not in repr(EndpointConfig("https://api.example.com", "NAME", "hidden"))

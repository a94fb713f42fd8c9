"""Where the model lives: reading ``base_url`` as people write it, and checking a key before it is sent."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit, urlunsplit

from harness.addresses import masked
from harness.errors import AuthenticationFailed, SettingsError
from harness.ports import Role

_VERSION = re.compile(r"v\d+(?:(?:alpha|beta|p)\d*)?", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HOST = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_.])?")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACEHOLDER = re.compile(
    r"(?:[<\[{(].*[>\]})]|\$.*|%.*%|(?:your|my)[-_ ]?(?:api)?[-_ ]?key.*|api[-_]?key|changeme|x{3,}|sk-\.\.\.|sk-x{3,})",
    re.IGNORECASE,
)
_KEY_PREFIXES = ("sk-", "gsk_", "xai-", "AIza", "hf_", "nvapi-", "pplx-")
_QUOTES = "\"'`\u201c\u201d\u2018\u2019"

_ENDPOINTS: tuple[tuple[str, ...], ...] = (
    ("chat", "completions"),
    ("completions",),
    ("models",),
    ("embeddings",),
    ("responses",),
)
"""Last path segments that name an endpoint below the base; they are cut off when pasted."""

_LOCAL_SUFFIXES = (".local", ".lan", ".internal", ".home.arpa", ".localhost")

UNVERSIONED_HOSTS = frozenset({"api.perplexity.ai", "models.github.ai", "models.inference.ai.azure.com"})
"""Providers whose OpenAI-compatible API has no version in its path."""


@dataclass(frozen=True, slots=True)
class EndpointConfig:
    """What is needed to reach one endpoint.

    Attributes:
        base_url: as the user wrote it.
        api_key_env: name of the environment variable the key comes from; empty when none is needed.
        api_key: its value, None when the variable is not set. Never shown.
        models: role to model id.
        timeout_s: deadline of one call in seconds, retries included.
    """

    base_url: str
    api_key_env: str = ""
    api_key: str | None = field(default=None, repr=False)
    models: Mapping[Role, str] = field(default_factory=dict)
    timeout_s: float = 120.0


def normalize_base_url(text: str) -> str:
    """The base URL below which ``/chat/completions`` lives.

    Takes what people paste: with or without ``/v1`` and trailing slashes, a full endpoint, no scheme, a query. When no
    segment of the path looks like a version, ``/v1`` is added; end the text with ``#`` to take the path as it is. The
    query is dropped, except Azure's ``api-version``.

    Raises:
        SettingsError: the text is empty or not an http(s) URL.
    """
    cleaned = text.strip().strip(_QUOTES).strip()
    if not cleaned:
        msg = "provider.base_url is empty; expected the address of an OpenAI-compatible API."
        raise SettingsError(
            msg, remedy="Set it to something like http://localhost:8080/v1.", setting="provider.base_url"
        )
    as_is = cleaned.endswith("#")
    parts = _split(cleaned)
    segments = _below_endpoint([segment for segment in parts.path.split("/") if segment])
    complete = as_is or "deployments" in segments or parts.hostname in UNVERSIONED_HOSTS
    if not complete and not any(_VERSION.fullmatch(segment) for segment in segments):
        segments.append("v1")
    versions = [(name, value) for name, value in parse_qsl(parts.query) if name == "api-version"]
    path = "".join(f"/{segment}" for segment in segments)
    return urlunsplit((parts.scheme.lower(), _authority(parts), path, urlencode(versions), ""))


def without_credentials(url: str) -> str:
    """The URL without user name, password, query and fragment, fit to be shown."""
    try:
        parts = urlsplit(masked(url))
    except ValueError:
        return "(unreadable URL)"
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def is_local(host: str) -> bool:
    """Whether a host name or address is this machine or a private network."""
    name = host.strip("[]").lower()
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return "." not in name or name.endswith(_LOCAL_SUFFIXES)
    return address.is_private or address.is_loopback or address.is_link_local or address.is_unspecified


def check_key(env_name: str, value: str | None) -> str:
    """The key, if it can be one.

    Raises:
        AuthenticationFailed: with a remedy for the particular mistake. The message never holds the value.
    """
    if not _NAME.fullmatch(env_name) or env_name.startswith(_KEY_PREFIXES):
        msg = "provider.api_key_env must be the name of an environment variable; what it holds cannot be one."
        remedy = "If that is the key itself, put it into a variable and write the variable's name here."
        raise AuthenticationFailed(msg, remedy=remedy, setting="provider.api_key_env")
    problem = _key_problem(env_name, value)
    if problem is not None:
        what, remedy = problem
        msg = f"Expected an API key in the environment variable {env_name}, but {what}."
        raise AuthenticationFailed(msg, remedy=remedy, api_key_env=env_name)
    return value or ""


def usable_key(config: EndpointConfig) -> str | None:
    """The key of an endpoint; None when it needs none (no variable named, or it is unset and the endpoint is local).

    A key without a variable is one the program made itself, for a server it started; it is taken as it is.

    Raises:
        AuthenticationFailed: see :func:`check_key`.
    """
    if not config.api_key_env:
        return config.api_key or None
    if config.api_key is None and is_local(urlsplit(normalize_base_url(config.base_url)).hostname or ""):
        return None
    return check_key(config.api_key_env, config.api_key)


def _key_problem(name: str, value: str | None) -> tuple[str, str] | None:
    """What is wrong with a key and what to do, in that order; None when it looks like a key."""
    if value is None:
        how = f"`export {name}=...` (PowerShell: `$env:{name} = '...'`)"
        return (
            "it is not set",
            f"Set it with {how} in the shell that starts harness; without `export` it is not passed on.",
        )
    if not value.strip():
        return "it is empty", f"Give {name} a value, or leave provider.api_key_env empty if no key is needed."
    if value != value.strip():
        where = "begins or ends with white space or a line break"
        return f"the value {where}", "Set it again without the space; a file read with `$(cat ...)` may end in \\r."
    if value[0] in _QUOTES or value[-1] in _QUOTES:
        return "the value has quotes around it", "Remove the quotes: they are part of the value."
    if value.lower().startswith("bearer"):
        return "the value begins with 'Bearer'", "Leave the word out; it is added when the key is sent."
    if _PLACEHOLDER.fullmatch(value):
        return "the value is a placeholder", f"Set {name} to the key itself."
    if any(character.isspace() for character in value):
        return "the value has white space or a line break inside", "Copy the key again, as one word."
    if not value.isascii() or not value.isprintable():
        return "the value holds characters no key has", "Copy the key again; look for typographic dashes or quotes."
    return None


def _split(cleaned: str) -> SplitResult:
    """Scheme, host and path, with the scheme guessed when it is missing."""
    if any(character.isspace() or not character.isprintable() for character in cleaned):
        raise _bad_url(cleaned, "it holds white space")
    if not _SCHEME.match(cleaned):
        cleaned = cleaned.lstrip("/")
        cleaned = f"{'http' if is_local(_host_of(cleaned)) else 'https'}://{cleaned}"
    try:
        parts = urlsplit(cleaned)
        port = parts.port
    except ValueError as error:
        raise _bad_url(cleaned, str(error)) from error
    if parts.scheme.lower() not in {"http", "https"}:
        raise _bad_url(cleaned, f"its scheme is {parts.scheme!r}")
    host = parts.hostname or ""
    if ":" in host:
        return parts
    encoded = _ascii(host)
    if not _HOST.fullmatch(encoded) or ".." in encoded or port == 0:
        raise _bad_url(cleaned, f"its host is {host!r}")
    return parts


def _host_of(schemeless: str) -> str:
    """The host of an address without scheme."""
    authority = re.split(r"[/?#]", schemeless, maxsplit=1)[0].rpartition("@")[2]
    return authority[: authority.find("]") + 1] if authority.startswith("[") else authority.partition(":")[0]


def _ascii(host: str) -> str:
    """The host in IDNA form; unchanged when it has none."""
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        return host


def _below_endpoint(segments: list[str]) -> list[str]:
    """The path without a pasted endpoint and without a doubled version."""
    for endpoint in _ENDPOINTS:
        if tuple(segment.lower() for segment in segments[-len(endpoint) :]) == endpoint:
            return _below_endpoint(segments[: -len(endpoint)])
    return [
        segment
        for index, segment in enumerate(segments)
        if not (index and _VERSION.fullmatch(segment) and segment == segments[index - 1])
    ]


def _authority(parts: SplitResult) -> str:
    """Userinfo as written, host in lower case, port."""
    userinfo, at, host = parts.netloc.rpartition("@")
    return f"{userinfo}{at}{host.lower()}"


def _bad_url(text: str, why: str) -> SettingsError:
    shown = without_credentials(text) if "@" in text else text
    msg = f"provider.base_url {shown!r} is not the address of an API: {why}."
    remedy = "Expected something like https://api.example.com/v1 or http://localhost:8080/v1."
    return SettingsError(msg, remedy=remedy, setting="provider.base_url")

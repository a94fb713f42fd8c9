"""Addresses of servers: passwords kept out of files by ``${NAME}``, and out of sight wherever an address is shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, unquote

from harness.errors import SettingsError

HIDDEN = "***"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_SECRETS = frozenset({"password", "sslpassword", "passwd", "pwd"})
_FIELD = re.compile(r"(?<=[?&;])(?P<name>[^=&#;\s]{1,64})=(?=(?P<value>.*?)(?:&[\w.%-]+=|$))", re.DOTALL)
_WORD = re.compile(
    r"(?i)(?<![\w?&;%])(?:ssl)?(?:password|passwd|pwd)\s*=\s*(?P<value>'(?:\\.|[^'\\])*'?|.*?)(?=\s+\w+\s*=|$)",
    re.DOTALL,
)
"""``host=… password=…``, as libpq takes it: quoted, or to the next word that is given a value."""
_PLACE = re.compile(r"(?:\[[^\]]*\]|[^:/?#\[\],]*)(?::(?:\d{0,5}|\$\{\w+\}))?", re.ASCII)
_WITHOUT_PASSWORD = re.compile(rf"{_PLACE.pattern}(?:,{_PLACE.pattern})*(?=[/?#]|$)", re.ASCII)
_IN_TEXT = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")
_WORD_IN_TEXT = re.compile(
    r"(?i)(?<![\w?&;%])(?:ssl)?(?:password|passwd|pwd)\s*=\s*(?P<value>'(?:\\.|[^'\\])*'|\"[^\"]*\"|\S+)"
)
_KINDS = {
    "redis": "redis",
    "rediss": "redis",
    "unix": "redis",
    "postgresql": "postgres",
    "postgres": "postgres",
}


def masked(address: str, instead: str = HIDDEN) -> str:
    """The address as it may be shown: without its password. Where it is not plain what the password is, as when ``@`` or ``/``
    stand in it unquoted, too much is taken out rather than too little.

    Args:
        address: a URL, also one without its scheme, or ``name=value`` words, as libpq takes them.
    """
    return _without(address, _spans(address), instead)


def masked_query(query: str, instead: str = HIDDEN) -> str:
    """The part of an address behind its question mark, without a password."""
    return _without(f"?{query}", _fields(f"?{query}", 0), instead)[1:]


def masked_in(text: str, instead: str = HIDDEN) -> str:
    """A text that may hold addresses, without the passwords in them."""
    if "://" in text:
        text = _IN_TEXT.sub(lambda found: _without(found[0], _spans(found[0], alone=False), instead), text)
    return _without(text, (found.span("value") for found in _WORD_IN_TEXT.finditer(text)), instead)


def said_of(address: str, text: str) -> str:
    """What a library says of an address, without the password in it: as it was written, unquoted, or the parts that a parser
    took it for (a port, a host).
    """
    text = text.replace(address, masked(address)) if address else text
    secrets = {form for secret in passwords(address) for form in (secret, repr(secret)[1:-1])}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) > 3:
            text = text.replace(secret, HIDDEN)
        else:  # it may be part of any word
            text = re.sub(rf"(?<![^\W_]){re.escape(secret)}(?![^\W_])", lambda _: HIDDEN, text)
    return masked_in(text)


def passwords(address: str) -> frozenset[str]:
    """The passwords of an address, as they are written and as they are meant, and the parts that a parser may take them for."""
    whole = {address[start:end] for start, end in _spans(address)}
    whole |= {found[1:-1] for found in whole if len(found) > 1 and found[0] == found[-1] == "'"}
    parts = {part for found in whole for part in re.split(r"[/?#@:\[\]\s]", found)}
    return frozenset(one for found in whole | parts for one in (found, unquote(found)) if one not in ("", HIDDEN))


def _spans(address: str, *, alone: bool = True) -> Iterator[tuple[int, int]]:
    """Where passwords stand in an address. ``alone``: the address is all there is, and not part of a text."""
    begin = address.find("://") + 3 if "://" in address else 0
    at = address.rfind("@", begin)
    colon = address.find(":", begin, at) if at >= 0 else -1
    if colon >= 0:
        yield colon + 1, at
    elif begin and alone and not _WITHOUT_PASSWORD.match(address, at + 1 if at >= 0 else begin):
        # Neither a port nor an address of version 6: a password whose host was left out.
        colon = address.find(":", begin)
        if colon >= 0:
            yield colon + 1, len(address)
    yield from _fields(address, begin)
    if "://" not in address:
        yield from (found.span("value") for found in _WORD.finditer(address))


def _fields(address: str, begin: int) -> Iterator[tuple[int, int]]:
    for found in _FIELD.finditer(address, begin):
        if unquote(found["name"]).lower() in _SECRETS:
            yield found.span("value")


def _without(text: str, spans: Iterable[tuple[int, int]], instead: str) -> str:
    """A text with one word in the place of each stretch; those that overlap are one."""
    pieces: list[str] = []
    end = 0
    for start, stop in sorted(spans):
        if pieces and start <= end:
            end = max(end, stop)
        elif start < stop and text[start:stop] not in (HIDDEN, instead):
            pieces += [text[end:start], instead]
            end = stop
    return "".join((*pieces, text[end:]))


def expanded(address: str, environ: Mapping[str, str], *, setting: str) -> str:
    """The address with ``${NAME}`` replaced by that environment variable. What stands for a user or a password may hold any
    characters: they are quoted.

    Raises:
        SettingsError: there is no such variable. ``setting``: what is named as being wrong.
    """
    edge = address.rfind("@")
    whole = _VARIABLE.fullmatch(address) is not None

    def value(found: re.Match[str]) -> str:
        name = found[1]
        if not environ.get(name):
            raise SettingsError(
                f"{setting} names the environment variable {name}, which is not set.",
                remedy=f"Set {name}, or write the address without it.",
            )
        text = environ[name].strip()
        return text if whole or found.end() > edge else quote(text, safe="")

    return _VARIABLE.sub(value, address)


def kind_of(address: str) -> str:
    """Which kind of server an address leads to: ``redis``, ``postgres``, or empty for none that is known."""
    scheme, parted, _ = address.partition("://")
    return _KINDS.get(scheme.lower(), "") if parted else ""

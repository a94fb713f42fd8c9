"""Keys, tokens, private keys and connection strings: what gives access, told by its form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    """How one sort of credential looks.

    Attributes:
        what: what it is called: a label of the language packs.
        anchors: texts of which one is always in it, in lower case; looked for first, since most messages have none.
        pattern: group ``s`` is the secret, or the whole match is.
        mixed: the secret must hold a digit: else it is likely a word.
    """

    what: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]
    mixed: bool = False


def _form(what: str, anchors: tuple[str, ...], pattern: str, *, mixed: bool = False, flags: int = 0) -> Form:
    return Form(what, anchors, re.compile(pattern, re.ASCII | flags), mixed)


_START = r"(?<![A-Za-z0-9_])"

FORMS: tuple[Form, ...] = (
    _form(
        "private_key",
        ("private key",),
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    ),
    _form("token", ("eyj",), _START + r"eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"),  # JSON Web Token (RFC 7519)
    _form(
        "connection",
        ("://",),
        _START + r"[A-Za-z][A-Za-z0-9+.-]{1,30}://[^\s/:@\"'<>]{0,200}:[^\s/\"'<>]{1,200}@[^\s\"'<>,;，。；]+",
    ),
    _form("key", ("akia", "asia", "akid", "ltai"), _START + r"(?:(?:AKIA|ASIA)[A-Z0-9]{16}|(?:AKID|LTAI)[A-Za-z0-9]{12,40})(?![A-Za-z0-9])"),
    _form("key", ("aiza",), _START + r"AIza[\w-]{30,}"),
    _form("key", ("sk-", "gsk_", "xai-", "pplx-"), _START + r"(?:sk-|gsk_|xai-|pplx-)[\w-]{16,}", mixed=True),
    _form("key", ("_live_", "_test_"), _START + r"(?:sk|rk|pk|whsec)_(?:live|test)_[A-Za-z0-9]{10,}"),
    _form("token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), _START + r"gh[pousr]_[A-Za-z0-9]{30,}"),
    _form("token", ("github_pat_",), r"github_pat_\w{30,}"),
    _form("token", ("glpat-",), r"glpat-[\w-]{20,}"),
    _form("token", ("xox", "xapp-"), _START + r"(?:xox[abeoprs]|xapp)-[\w-]{10,}"),
    _form("token", ("hf_", "npm_", "pypi-", "dop_v1_", "r8_"), _START + r"(?:hf_|npm_|pypi-|dop_v1_|r8_)[\w-]{20,}", mixed=True),
    _form("token", ("sg.",), _START + r"SG\.[\w-]{16,}\.[\w-]{16,}"),
    _form("token", (":a",), _START + r"\d{8,10}:AA[\w-]{32,34}(?![\w-])"),  # a bot of Telegram
    _form("token", ("bearer",), r"(?i)(?<![a-z])bearer\s+(?P<s>[\w.~+/=-]{12,})", mixed=True),
    _form("token", ("authorization",), r"(?i)authorization[\"']?\s*[:=]\s*[\"']?(?:basic\s+)?(?P<s>[\w.~+/=-]{12,})", mixed=True),
    _form(
        "password",
        ("password", "passwd", "pwd"),
        r"(?i)(?:password|passwd|pwd)[\"']?(?:=|\s*:=?\s*[\"']?(?=[^\s\"',;，；。]{0,80}[\d!#$%&*@^_+=~]))\s*[\"']?(?P<s>[^\s\"',;，；。]{4,})",
    ),
    _form(
        "key",
        ("key", "secret", "token"),
        r"(?i)(?:api[ _-]?key|access[ _-]?key(?:[ _-]?id)?|account[ _-]?key|secret(?:[ _-]?key)?|private[ _-]?key|token)[\"']?\s*[:=]\s*[\"']?(?P<s>[\w.~+/=-]{8,})",
        mixed=True,
    ),
)  # fmt: skip

_EMAIL = re.compile(r"(?<![A-Za-z0-9._%+-])[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}")


def credentials(text: str, lowered: str) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the credentials of a text; ``lowered`` is the same in lower case."""
    for form in FORMS:
        if not any(anchor in lowered for anchor in form.anchors):
            continue
        for match in form.pattern.finditer(text):
            group = "s" if "s" in form.pattern.groupindex else 0
            if not form.mixed or any("0" <= char <= "9" for char in match[group]):
                yield form.what, *match.span(group)


def emails(text: str) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the mail addresses of a text."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield "email", *match.span()

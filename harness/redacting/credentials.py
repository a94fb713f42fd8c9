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
        pattern: group ``s`` (or ``s2``) is the secret, or the whole match is.
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
    _form("private_key", ("private key",), r"\A[A-Za-z0-9+/=\s]*-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"),  # its second half
    _form("private_key", ("putty-user-key",), r"PuTTY-User-Key-File-\d(?s:.*?)(?:Private-MAC: ?\w+|\Z)"),
    _form("private_key", ("age-secret-key",), r"(?i)AGE-SECRET-KEY-1[A-Z0-9]{20,}"),
    _form("token", ("eyj",), _START + r"eyJ[\w-]{8,}\.(?:[\w-]{8,}|(?=\.))(?:\.[\w-]+){0,3}"),  # JSON Web Token (RFC 7519), encrypted ones (RFC 7516)
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
    _form("key", ("gocspx-",), _START + r"GOCSPX-[\w-]{20,}"),
    _form("token", ("ya29.", "1//0"), _START + r"(?:ya29\.[\w.-]{20,}|1//0[\w-]{20,})"),
    _form("token", ("shp",), _START + r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    _form("token", ("hvs.", "hvb.", "hvr."), _START + r"hv[sbr]\.[\w-]{20,}"),
    _form("token", ("dapi",), _START + r"dapi[a-f0-9]{32}(?:-\d)?"),
    _form("token", ("atatt3",), _START + r"ATATT3[\w=-]{20,}"),
    _form("token", ("glsa_", "lin_api_", "dckr_", "figd_", "sbp_", "ntn_", "nvapi-", "tvly-", "nrak-", "pmak-", "dp.", "sq0", "secret_", "sk_", "rpa_", "fw_"),
          _START + r"(?:glsa_|lin_api_|dckr_(?:pat|oat)_|figd_|sbp_|ntn_|nvapi-|tvly-|NRAK-|PMAK-|dp\.(?:pt|st|ct)\.|sq0(?:atp|csp)-|secret_|sk_|rpa_|fw_)[\w-]{20,}", mixed=True),
    _form("key", ("aklt", "altak"), _START + r"(?:AKLT|ALTAK-?)[A-Za-z0-9]{16,}"),
    _form("key", ("key-",), _START + r"key-[a-f0-9]{32}(?![a-f0-9])"),
    _form("key", ("sk",), _START + r"SK[a-f0-9]{32}(?![a-f0-9])"),  # Twilio
    _form("key", (".",), _START + r"[a-f0-9]{32}\.[A-Za-z0-9]{16}(?![A-Za-z0-9])"),  # Zhipu
    _form("connection", ("hooks.slack.com",), r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[\w/]{20,})"),
    _form("connection", ("/api/webhooks/",), r"/api/webhooks/(?P<s>\d{10,}/[\w-]{30,})"),
    _form("connection", ("/hook/",), r"/open-apis/bot/v2/hook/(?P<s>[\w-]{20,})"),
    _form("key", ("=",), r"(?i)[?&](?:[\w.-]{0,40}[_-])?(?:sig|signature|key|apikey|token|auth|secret|password|passwd|pwd|session|sid)=(?P<s>[^&\s\"'<>#]{8,})", mixed=True),
    _form("token", ("cookie",), r"(?i)(?<![a-z])cookie[\"']?\s{0,3}:\s{0,3}[\"']?(?P<s>[\w.-]{1,64}=[^\n\"']{8,4000})", mixed=True),
    _form("token", ("bearer",), r"(?i)(?<![a-z])bearer\s+(?P<s>[\w.~+/=-]{12,})", mixed=True),
    _form("token", ("authorization",), r"(?i)authorization[\"']?\s*[:=]\s*[\"']?(?:basic\s+)?(?P<s>[\w.~+/=-]{12,})", mixed=True),
    _form("password", ("pass", "pwd"), r"(?i)(?:password|passwd|passphrase|pwd)[\"']\s{0,3}:\s{0,3}(?:\"(?P<s>[^\"\n]{1,200})\"|'(?P<s2>[^'\n]{1,200})')"),
    _form("password", ("pass", "pwd"), r"(?i)<(?:[\w.-]{0,40}[_-])?(?:password|passwd|pwd|passphrase)>(?P<s>[^<\n]{1,200})<"),
    _form("password", ("-pass", "-pwd"), r"(?i)(?<![\w-])--?(?:password|passwd|passphrase|pass|pwd)[= ][\"']?(?P<s>[^\s\"'-][^\s\"']{2,})"),
    _form("password", ("password ",), r"(?i)(?<![a-z])login\s{1,3}\S{1,64}\s{1,3}password\s{1,3}(?P<s>\S{3,})"),  # .netrc
    _form("password", ("-u", "--user"), r"(?<![\w-])(?:-u|--user)[= ]?[\"']?[^\s:\"']{1,64}:(?P<s>[^\s\"']{3,})"),
    _form(
        "password",
        ("password", "passwd", "pwd"),
        r"(?i)(?:password|passwd|pwd)[\"']?(?:=|\s*:=?\s*[\"']?(?=[^\s\"',;，；。]{0,80}[\d!#$%&*@^_+=~]))\s*[\"']?(?!https?://)(?P<s>[^\s\"',;，；。]{4,})",
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
            group = next((name for name in ("s", "s2") if name in form.pattern.groupindex and match[name]), 0)
            if not form.mixed or any("0" <= char <= "9" for char in match[group]):
                yield form.what, *match.span(group)


def emails(text: str) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the mail addresses of a text."""
    if "@" in text:
        for match in _EMAIL.finditer(text):
            yield "email", *match.span()

"""The report page: one file with everything in it, which asks the network for nothing."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from harness.blindtest.reporting import charts
from harness.blindtest.reporting.asking import asking
from harness.blindtest.reporting.page import listed, no_transcript, page_words, transcript_page
from harness.blindtest.reporting.reading import Held
from harness.blindtest.reporting.rerunning import rerun
from harness.blindtest.reporting.statements import losses, median_failure, sentences, told_in_full
from harness.blindtest.reporting.texts import LANGUAGES, page_language, text, texts
from harness.blindtest.reporting.wording import Sentence, p_value, percent, points, rated
from harness.blindtest.results import ALL, Share
from harness.blindtest.transcript import Transcript
from harness.language import LanguagePacks

REPORT = "report.html"
MAX_BYTES = 20_000_000
"""A page is kept below this: states beside the turns are left out, of passed trials first."""
_MEGA = 1_000_000
_TEMPLATES = Path(__file__).parent / "templates"
_SHADES = 10
_AROUND, _EACH = 60_000, 80
"""Bytes of a page for its tables and charts, and for each transcript around its JSON."""


def report_html(
    held: Held,
    packs: LanguagePacks,
    *,
    timing: Mapping[str, Mapping[str, float]] | None = None,
    max_bytes: int = MAX_BYTES,
) -> str:
    """The text of ``report.html``; the same for the same run.

    Args:
        timing: seconds of replies, see :mod:`~harness.blindtest.reporting.timing`; with them the page of the same run differs from day to day.
        max_bytes: see :data:`MAX_BYTES`.
    """
    script, style = _file("report.js"), _file("report.css")
    words, rows = embedded(page_words(texts())), embedded(listed(held))
    around = _AROUND + sum(len(part.encode()) for part in (script, style, words, rows)) + _EACH * len(held.transcripts)
    transcripts, trimmed, gone = _transcripts(held, packs, max_bytes - around)
    said = [*sentences(held.results, planned=held.info.planned, languages=held.languages), *asking(held)]
    if trimmed:
        values = {"number": str(trimmed), "size": f"{max_bytes / _MEGA:g}"}
        said.append(Sentence("says_trimmed", dict(values)))
    if gone:
        said.append(Sentence("says_gone", {"number": str(gone)}))
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            held=held,
            info=held.info,
            results=held.results,
            opens_in=page_language(held.languages),
            title=text("title", page_language(held.languages)),
            sentences=said,
            chart=_charts(held),
            kinds=_kinds(held),
            rounds=list(dict.fromkeys(name for one in held.results.witnesses for name in one.rounds)),
            timing=timing or {},
            shown_comparisons=told_in_full(held.results.comparisons),
            other_comparisons=[
                one for one in held.results.comparisons if one not in told_in_full(held.results.comparisons)
            ],
            gained={one.second for one in held.results.comparisons if one.winner == "first"},
            rerun=rerun(held),
            script=Markup(script),  # noqa: S704 - a file of the package
            style=Markup(style),  # noqa: S704 - a file of the package
            script_hash=_hash(script),
            words=words,
            listed=rows,
            transcripts=transcripts,
        )
    )


def embedded(value: Any) -> Markup:
    """A value as JSON that can stand in a script element: nothing in it can end the element or begin another."""
    plain = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=False)
    for char in "<>&\u2028\u2029":
        plain = plain.replace(char, f"\\u{ord(char):04x}")
    return Markup(plain)  # noqa: S704 - see above


def _transcripts(held: Held, packs: LanguagePacks, room: int) -> tuple[list[tuple[str, Markup]], int, int]:
    """(key, JSON) of every transcript; how many of them lack their states, and how many their turns, so that they fit into ``room`` bytes."""
    pairs = list(zip(held.results.trials, held.transcripts, strict=True))
    spoken = {one.key: _spoken(transcript) for one, transcript in pairs}
    least = sum(spoken.values())
    made: dict[str, Markup] = {}
    trimmed = gone = 0
    # Failed ones first: they are what the states are looked at for.
    for result, transcript in sorted(pairs, key=lambda pair: pair[0].passed is not False):
        least -= spoken[result.key]
        body = embedded(transcript_page(result, transcript, held, packs))
        if len(body.encode()) > room - least:
            body = embedded(transcript_page(result, transcript, held, packs, states=False))
            trimmed += 1
            if len(body.encode()) > room:
                body = embedded(no_transcript(transcript))
                gone += 1
        made[result.key] = body
        room -= len(body.encode())
    return [(result.key, made[result.key]) for result, _ in pairs], trimmed, gone


def _spoken(transcript: Transcript) -> int:
    """About how many bytes a transcript needs without its states."""
    return 1000 + sum(len(f"{one.user}{one.said.text}".encode()) + 300 for one in transcript.exchanges)


def _charts(held: Held) -> dict[str, Markup]:
    witnesses = held.results.witnesses
    rows = [(one.name, index, one.probes.get(ALL, Share())) for index, one in enumerate(witnesses)]
    made = {"intervals": charts.intervals(rows, Markup("chart-intervals"))}
    lines = charts.surviving(held.results)
    if lines:
        made["surviving"] = charts.curve(lines, Markup("chart-surviving"))
    if held.results.comparisons:
        made["differences"] = charts.differences(held.results.comparisons, Markup("chart-differences"))
    return made


def _kinds(held: Held) -> list[str]:
    return [ALL, *dict.fromkeys(kind for one in held.results.witnesses for kind in one.probes if kind != ALL)]


@lru_cache(maxsize=1)
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    made.globals |= {
        "t": _both, "read": _read, "percent": percent, "points": points, "rated": rated, "p_value": p_value,
        "losses": losses, "shade": _shade, "median_failure": median_failure, "no_share": Share(), "all_kinds": ALL,
        "plain": _plain, "colours": charts.COLOURS,
    }  # fmt: skip
    return made


def _both(key: str, **values: object) -> Markup:
    """A text in every language; the page shows the one that is chosen."""
    return Markup("").join(_spans((language, text(key, language, **values)) for language in LANGUAGES))


def _read(sentence: Sentence) -> Markup:
    return Markup("").join(_spans((language, sentence.read(language)) for language in LANGUAGES))


def _spans(found: Iterator[tuple[str, str]]) -> Iterator[Markup]:
    for language, words in found:
        yield Markup('<span class="in-{0}" lang="{0}">{1}</span>').format(language, words)


def _shade(share: Share) -> str:
    """The class of a cell of the heat map."""
    return f"h{round(share.share * _SHADES)}" if share.total else "h-none"


def _plain(value: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {_shown(found)}" for name, found in value.items() if found not in ("", None, [], ()))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _file(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8").strip()


def _hash(script: str) -> str:
    """The script's hash, by which the page's policy lets it run and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

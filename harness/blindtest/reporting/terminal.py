"""A run as a few lines for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.reporting.narrow import columns
from harness.blindtest.reporting.statements import compared, losses, median_failure, sentences, told_in_full
from harness.blindtest.reporting.wording import Sentence, p_value, points, rated
from harness.blindtest.results import ALL, Results, Share

_STYLES = {"good": "green", "bad": "red", "plain": ""}


def summary(
    results: Results,
    *,
    planned: int = 0,
    languages: Sequence[str] = (),
    left_out: Sequence[str] = (),
    timing: Mapping[str, Mapping[str, float]] | None = None,
) -> list[RenderableType]:
    """The tables and sentences after a run."""
    made: list[RenderableType] = [_witnesses(results, timing or {}), _probes(results)]
    if results.comparisons:
        made += comparisons(results.comparisons)
    if left_out:
        made.append(Text(f"Left out: {len(left_out)}", style="dim"))
        made += [Text(f"  {line}", style="dim") for line in left_out]
    made += said(sentences(results, planned=planned, languages=languages))
    return made


def said(found: Iterable[Sentence]) -> list[RenderableType]:
    """Sentences, coloured by what they mean for the witness that is examined."""
    return [Text(one.read(), style=_STYLES[one.tone]) for one in found]


def _witnesses(results: Results, timing: Mapping[str, Mapping[str, float]]) -> Table:
    priced = any(one.cost is not None for one in results.witnesses)
    names = ["witness", "scripts", "probes [95 %]", "half failed", "words", "repeats", "calls/turn", "tokens/turn"]
    made = columns([*names, *(["s/turn"] if timing else []), *(["cost"] if priced else []), "note"])
    for one in results.witnesses:
        failure = median_failure(results, one.name)
        cells = [
            one.name,
            f"{one.scripts.passed} of {one.scripts.total}",
            rated(one.probes.get(ALL, Share())),
            "–" if failure is None else f"{failure:g}",
            f"{one.fluency.words:g}",
            f"{one.fluency.repeated * 100:.0f} %",
            f"{one.calls:.2g}",
            f"{one.prompt_tokens + one.completion_tokens:.0f}",
        ]
        if timing:
            cells.append(f"{timing.get(one.name, {}).get('median_s', 0.0):.2g}")
        if priced:
            cells.append("–" if one.cost is None else f"{one.cost:.4g}")
        dearer = any(losses(lost for lost in results.losses if lost.second == one.name))
        note = ([f"{one.errors} ended early"] if one.errors else []) + (["more fluent"] if dearer else [])
        made.add_row(*(Text(cell) for cell in [*cells, " · ".join(note)]))
    return made.without_empty()


def _probes(results: Results) -> Table:
    kinds = list(dict.fromkeys(kind for one in results.witnesses for kind in one.probes if kind != ALL))
    made = columns(["probe", *(one.name for one in results.witnesses)])
    for kind in kinds:
        made.add_row(Text(kind), *(Text(rated(one.probes.get(kind, Share()))) for one in results.witnesses))
    for name in ("state", "form"):
        shares: list[Share] = [getattr(one, name) for one in results.witnesses]
        if any(one.total for one in shares):
            made.add_row(Text(f"({name})"), *(Text(rated(one)) for one in shares), style="dim")
    return made


def comparisons(found: Sequence[Compared]) -> list[RenderableType]:
    """Comparisons as a table. Of several witnesses, those kinds of probes are left out in which no difference is shown."""
    shown = told_in_full(found)
    first = found[0].first if found else ""
    made = columns([f"{first} against", "pairs", "points [95 %]", "p (Holm)", "detects from", "better"])
    for one in shown:
        better = {"first": one.first, "second": one.second, "neither": "none shown"}[one.winner]
        cells = (
            one.second if one.kind == ALL else f"  {one.kind}",
            str(one.pairs),
            f"{points(one.difference)} [{points(one.low)}, {points(one.high)}]",
            p_value(one.adjusted),
            "–" if one.detectable >= 1 else f"{one.detectable * 100:.0f}",
            better,
        )
        made.add_row(*(Text(cell) for cell in cells), style="" if one.winner != "neither" else "dim")
    left_out = len(found) - len(shown)
    told = f"In {left_out} comparisons of one kind of probe no difference is shown; the page of the report has them."
    return [made, *([Text(told, style="dim")] if left_out else [])]


def compared_lines(found: Sequence[Compared], lost: Sequence[Lost] = ()) -> list[RenderableType]:
    """Two runs against each other, in sentences."""
    return said(compared(found, lost))

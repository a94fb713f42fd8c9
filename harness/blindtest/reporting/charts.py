"""Charts as inline SVG. Colours are classes, so that they follow light and dark; lines differ in their dashes as well."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from harness.blindtest.comparing import Compared
from harness.blindtest.reporting.statements import ends
from harness.blindtest.reporting.wording import points
from harness.blindtest.results import ALL, Results, Share
from harness.blindtest.statistics import survival

WIDTH, HEIGHT = 640, 280
LEFT, RIGHT, TOP, BOTTOM = 64, 36, 14, 40
COLOURS = 10
"""Of witnesses in the style sheet: the engine, six ablations, two controls, and one more."""
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROW = 34
_NAME = 150


@dataclass(frozen=True, slots=True)
class Line:
    """A step line: (x, y) with y between 0 and 1."""

    name: str
    points: tuple[tuple[int, float], ...]


def surviving(results: Results) -> tuple[Line, ...]:
    """The first-failure curves of the witnesses: a trial counts until it fails or ends."""
    made = []
    for witness in results.witnesses:
        own = ends(one for one in results.trials if one.witness == witness.name)
        steps = survival(own)
        last = max((turn for turn, _ in own), default=0)
        if last:
            rest = steps[-1][1] if steps else 1.0
            made.append(Line(witness.name, ((0, 1.0), *steps, (last, rest))))
    return tuple(made)


def curve(lines: Sequence[Line], label: Markup) -> Markup:
    """Step lines over the turns. ``label``: what the chart shows, for those who do not see it."""
    last = max((point[0] for line in lines for point in line.points), default=1)
    span_x, span_y = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(value: float) -> float:
        return LEFT + span_x * value / max(1, last)

    def y(value: float) -> float:
        return TOP + span_y * (1 - value)

    parts = [
        Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/><text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>')
        .format(LEFT, WIDTH - RIGHT, y(tick), y(tick), LEFT - 6, y(tick) + 4, f"{tick * 100:.0f} %")
        for tick in _TICKS
    ]  # fmt: skip
    step = max(1, -(-last // 10))
    parts += [
        Markup('<text class="tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            x(turn), HEIGHT - BOTTOM + 16, turn
        )
        for turn in range(0, last + 1, step)
    ]
    for index, line in enumerate(lines):
        path: list[str] = []
        for number, (turn, share) in enumerate(line.points):
            if number:
                path.append(f"H{x(turn):.1f}")
            path.append(f"{'V' if number else f'M{x(turn):.1f} '}{y(share):.1f}")
        parts.append(
            Markup('<path class="line w{}" d="{}"><title>{}</title></path>').format(
                index % COLOURS, "".join(path), line.name
            )
        )
    return _svg(parts, HEIGHT, label)


def intervals(rows: Sequence[tuple[str, int, Share]], label: Markup) -> Markup:
    """Shares with their intervals, one row each: (name, number of its colour, share)."""
    height = _ROW * len(rows) + 30
    span = WIDTH - _NAME - RIGHT

    def x(value: float) -> float:
        return _NAME + span * value

    parts = [
        Markup('<line class="grid" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"/><text class="tick" x="{0:.1f}" y="{2}" text-anchor="middle">{3}</text>')
        .format(x(tick), height - 24, height - 8, f"{tick * 100:.0f} %")
        for tick in _TICKS
    ]  # fmt: skip
    for number, (name, colour, share) in enumerate(rows):
        middle = _ROW * number + _ROW / 2
        parts.append(
            Markup(
                '<text class="name" x="0" y="{y:.1f}">{name}</text>'
                '<line class="bar w{w}" x1="{low:.1f}" x2="{high:.1f}" y1="{m:.1f}" y2="{m:.1f}"/>'
                '<circle class="dot w{w}" cx="{at:.1f}" cy="{m:.1f}" r="5"><title>{title}</title></circle>'
            ).format(
                y=middle + 4, name=_cut(name), w=colour % COLOURS, low=x(share.low), high=x(share.high), m=middle,
                at=x(share.share), title=f"{name}: {share.passed} / {share.total}",
            )
        )  # fmt: skip
    return _svg(parts, height, label)


def differences(found: Sequence[Compared], label: Markup) -> Markup:
    """Differences of all probes with their intervals, around zero."""
    rows = [one for one in found if one.kind == ALL]
    height = _ROW * len(rows) + 30
    span = WIDTH - _NAME - RIGHT

    def x(value: float) -> float:
        return _NAME + span * (value + 1) / 2

    parts = [
        Markup('<line class="{4}" x1="{0:.1f}" x2="{0:.1f}" y1="0" y2="{1}"/><text class="tick" x="{0:.1f}" y="{2}" text-anchor="middle">{3}</text>')
        .format(x(tick), height - 24, height - 8, points(tick), "grid" if tick else "zero")
        for tick in (-1.0, -0.5, 0.0, 0.5, 1.0)
    ]  # fmt: skip
    for number, one in enumerate(rows):
        middle = _ROW * number + _ROW / 2
        shade = {"first": "good", "second": "bad", "neither": "open"}[one.winner]
        parts.append(
            Markup(
                '<text class="name" x="0" y="{y:.1f}">{name}</text>'
                '<line class="bar {s}" x1="{low:.1f}" x2="{high:.1f}" y1="{m:.1f}" y2="{m:.1f}"/>'
                '<circle class="dot {s}" cx="{at:.1f}" cy="{m:.1f}" r="5"/>'
            ).format(
                y=middle + 4, name=_cut(one.second), s=shade, low=x(one.low), high=x(one.high), m=middle,
                at=x(one.difference),
            )
        )  # fmt: skip
    return _svg(parts, height, label)


def _cut(name: str) -> str:
    return name if len(name) <= 20 else f"{name[:19]}…"


def _svg(parts: Sequence[Markup], height: int, label: Markup) -> Markup:
    head = Markup('<svg viewBox="0 0 {} {}" role="img" aria-labelledby="{}" preserveAspectRatio="xMinYMin meet">')
    return head.format(WIDTH, height, escape(label)) + Markup("").join(parts) + Markup("</svg>")

"""The charts of a report as PNG and SVG files, by matplotlib (extra ``blindtest``), for papers and slides."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from harness.blindtest.reporting.charts import surviving
from harness.blindtest.reporting.reading import Held
from harness.blindtest.reporting.texts import page_language, text
from harness.blindtest.results import ALL, Share
from harness.errors import MissingExtra

FORMATS = ("svg", "png")
_HAN_FONTS = ("Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei", "WenQuanYi Micro Hei", "SimHei", "Droid Sans Fallback")  # fmt: skip
"""Fonts with Chinese characters. Where none of them is installed, plots are labelled in English."""


def plot_files(held: Held, folder: Path, *, wanted: bool | None = None) -> tuple[Path, ...]:
    """Write the plots.

    Args:
        wanted: None: when matplotlib is installed; False: never.

    Raises:
        MissingExtra: they are wanted and matplotlib is not installed.
    """
    if wanted is False:
        return ()
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as failure:
        if wanted is None:
            return ()
        raise MissingExtra("Plots need matplotlib.", extra="blindtest") from failure
    folder.mkdir(parents=True, exist_ok=True)
    font = _font()
    language = page_language(held.languages) if font else "en"
    drawings: dict[str, Callable[[Any, Held, str], bool]] = {
        "probes": _probes, "survival": _survival, "heat_map": _heat_map,
    }  # fmt: skip
    made: list[Path] = []
    settings: dict[str, Any] = {"svg.hashsalt": "blindtest", "svg.fonttype": "none"}
    if font:
        settings["font.family"] = [font, "sans-serif"]
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of witnesses may hold characters that no font here has
        for name, draw in drawings.items():
            figure = Figure(figsize=(8, 4.5), layout="constrained")
            if not draw(figure.add_subplot(), held, language):
                continue
            for suffix in FORMATS:
                file = folder / f"{name}.{suffix}"
                figure.savefig(file, dpi=150, metadata={"Date": None} if suffix == "svg" else {"Software": None})
                made.append(file)
    return tuple(made)


def _font() -> str:
    """An installed font with Chinese characters; empty when there is none."""
    from matplotlib import font_manager

    installed = {one.name for one in font_manager.fontManager.ttflist}
    return next((name for name in _HAN_FONTS if name in installed), "")


def _probes(axes: Any, held: Held, language: str) -> bool:
    rows = [(one.name, one.probes.get(ALL, Share())) for one in held.results.witnesses][::-1]
    for number, (_, share) in enumerate(rows):
        reach = [[max(0.0, share.share - share.low)], [max(0.0, share.high - share.share)]]
        axes.errorbar([share.share], [number], xerr=reach, fmt="o", capsize=4)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_xlim(0, 1)
    axes.set_title(text("all_probes", language))
    return bool(rows)


def _survival(axes: Any, held: Held, language: str) -> bool:
    lines = surviving(held.results)
    for line in lines:
        axes.step([x for x, _ in line.points], [y for _, y in line.points], where="post", label=line.name)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel(text("turn", language))
    axes.set_title(text("share_unfailed", language))
    if lines:
        axes.legend()
    return bool(lines)


def _heat_map(axes: Any, held: Held, language: str) -> bool:
    witnesses = held.results.witnesses
    kinds = list(dict.fromkeys(kind for one in witnesses for kind in one.probes if kind != ALL))
    if not kinds:
        return False
    shares = [[one.probes.get(kind, Share()) for one in witnesses] for kind in kinds]
    values = [[share.share if share.total else float("nan") for share in row] for row in shares]
    axes.imshow(values, cmap="RdYlGn", vmin=0, vmax=1, aspect="auto")
    axes.set_xticks(range(len(witnesses)), [one.name for one in witnesses], rotation=20, ha="right")
    axes.set_yticks(range(len(kinds)), kinds)
    for y, row in enumerate(shares):
        for x, share in enumerate(row):
            axes.text(x, y, f"{share.share * 100:.0f}" if share.total else "–", ha="center", va="center")
    axes.set_title(text("heat_map", language))
    return True

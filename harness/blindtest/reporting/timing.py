"""How long replies took. Kept in a file of its own, since the same run takes another time on another day."""

from __future__ import annotations

import json
from collections.abc import Sequence
from statistics import median

from harness.blindtest.transcript import Transcript

TIMING = "timing.json"
_HIGH = 0.95


def timing(transcripts: Sequence[Transcript]) -> dict[str, dict[str, float]]:
    """By witness: turns, and the median and 95th percentile of the seconds until a reply was there."""
    spans: dict[str, list[float]] = {}
    for one in transcripts:
        spans.setdefault(one.trial.witness, []).extend(exchange.said.seconds for exchange in one.exchanges)
    return {name: _figures(sorted(found)) for name, found in sorted(spans.items()) if found}


def _figures(found: list[float]) -> dict[str, float]:
    high = found[min(len(found) - 1, int(len(found) * _HIGH))]
    return {"turns": len(found), "median_s": round(median(found), 3), "p95_s": round(high, 3)}


def timing_text(transcripts: Sequence[Transcript]) -> str:
    """The text of ``timing.json``."""
    return json.dumps(timing(transcripts), ensure_ascii=False, indent=1) + "\n"

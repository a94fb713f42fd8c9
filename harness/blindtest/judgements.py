"""Judgements of a model as they are stored in a run, so that nothing is asked twice."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from harness.blindtest.grading.model import Judgement

JUDGEMENTS = "judgements.jsonl"


def read_judgements(folder: Path) -> dict[str, Judgement]:
    """Judgements that are there, by key. A line that cannot be read is passed over: its question is asked again."""
    try:
        text = (folder / JUDGEMENTS).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return {}
    found: dict[str, Judgement] = {}
    for line in text.split("\n"):  # a reply may hold what other line breaks there are
        with contextlib.suppress(ValidationError):
            one = Judgement.model_validate_json(line)
            found[one.key] = one
    return found


def judgement_lines(judgements: Iterable[Judgement]) -> str:
    """The text of the file, in the order of the keys: that of the answers is of the moment."""
    return "".join(one.model_dump_json() + "\n" for one in sorted(judgements, key=lambda one: one.key))

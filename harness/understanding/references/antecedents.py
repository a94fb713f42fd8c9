"""Which entity of the table a wording most likely means, by kind, gender and recency, and how it is put into a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower

if TYPE_CHECKING:
    from collections.abc import Callable

    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity

REACH = 4
"""Turns back a pronoun reaches. A list is remembered twice as long."""
CLEAR = 0.15
"""By how much the best candidate must lead the next."""
ROUNDING = 1e-6
LONGEST_ENDING = 4
"""Characters of a Han noun that tells a gender at the end of a name."""
KIND_WEIGHT = {"thing": 1.0, "animal": 1.0, "work": 1.0, "organization": 0.6, "other": 0.6, "place": 0.4}
"""How readily "it" stands for each kind."""


@dataclass(frozen=True, slots=True)
class Found:
    """A wording of a text at ``start``..``end`` and what it means.

    Attributes:
        entity_id: the entity; empty when what it means is no entity of the table.
        name: its name.
        words: what is put in its place.
        kind: kind of what is no entity yet.
    """

    start: int
    end: int
    entity_id: str
    name: str
    words: str
    kind: str = ""

    @classmethod
    def of(cls, start: int, end: int, entity: Entity, words: str) -> Found:
        """A wording that means an entity."""
        return cls(start, end, entity.id, entity.name, words)


def clear(state: DialogueState, weight: Callable[[Entity], float]) -> Entity | None:
    """The entity that fits clearly best, or None."""
    return best_of(state, weight)[0]


def best_of(state: DialogueState, weight: Callable[[Entity], float]) -> tuple[Entity | None, bool]:
    """The entity that fits clearly best or None, and whether several fit about equally well."""
    scored = sorted(
        ((score(entity, weight(entity), state), index) for index, entity in enumerate(state.entities)), reverse=True
    )
    if not scored or scored[0][0] <= 0:
        return None, False
    if len(scored) > 1 and scored[0][0] - scored[1][0] < CLEAR - ROUNDING:
        return None, True
    return state.entities[scored[0][1]], False


def score(entity: Entity, weight: float, state: DialogueState) -> float:
    """How well an entity fits, of ``weight`` by its kind, less for every turn it was not spoken of."""
    age = max(state.turn_count - entity.last_turn, 0)
    if weight <= 0 or age > REACH:
        return 0.0
    topic = state.topics.current
    names = {lower(name) for name in (entity.name, *entity.aliases)}
    talked_of = topic is not None and (
        bool(names & {lower(name) for name in topic.entities}) or lower(topic.label) in names
    )
    return weight * (1.0 - 0.2 * age) + (0.1 if talked_of else 0.0)


def bare_name(entity: Entity) -> bool:
    """Whether nothing but a capital letter tells what an entity is."""
    words = entity.name.split(" ")
    return entity.kind == "other" and len(words) <= 2 and all(word[:1].isupper() for word in words)


def gender_of(names: tuple[str, ...], cues: EntityCues) -> str:
    """``female``, ``male`` or empty, by name, title or relation."""
    for name in names:
        lowered = lower(name)
        if is_han(lowered[0]):
            for start in range(max(0, len(lowered) - LONGEST_ENDING), len(lowered)):
                if lowered[start:] in cues.gender_of_name:
                    return cues.gender_of_name[lowered[start:]]
            continue
        for word in (lowered, *lowered.replace(".", " ").split()):
            if word in cues.gender_of_name:
                return cues.gender_of_name[word]
    return ""


def worded(entity: Entity, cues: EntityCues) -> str:
    """The name as it stands in a sentence: with an article unless it is a proper name."""
    name = entity.name
    definite = cues.definite.format(name=name)
    if definite in entity.aliases:
        return definite
    # What was listed without an article ("red, green or purple") goes without one.
    if is_han(name[0]) or name[0].isupper() or not name[0].isalpha() or entity.ordinal:
        return name
    return definite


def in_place(entity: Entity, sort: str, before: str, cues: EntityCues, *, owned: bool) -> str:
    """The words for a pronoun of a sort: as owner, as place after what stands before it, or the name alone."""
    name = worded(entity, cues)
    if owned:
        return cues.possessive.format(name=name)
    if sort != "place":
        return name
    lowered = lower(before).rstrip()
    if any(re.search(rf"\b{re.escape(word)}$", lowered) for word in cues.motion):
        return cues.to_place.format(name=name)
    # "in Bergen", but "at the Meridian", "at Oak Inn".
    bare = name == entity.name and entity.kind == "place" and lower(name).split(" ")[-1] not in cues.kind_of_noun
    return (cues.in_place if bare else cues.at_place).format(name=name)

"""Two entries of the entity table that turn out to be one: "my girlfriend" and Maolin, 他就是我说的那个同事."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state.operations import MergeEntities
from harness.understanding.references.pronouns import pronouns

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity


def merges(
    text: str,
    appositions: Iterable[tuple[str, str]],
    *,
    before: DialogueState,
    after: DialogueState,
    pack: LanguagePack,
) -> tuple[MergeEntities, ...]:
    """The entries that a text says are one.

    Args:
        text: what the user said.
        appositions: (name, noun) pairs that stood side by side ("my girlfriend Maolin").
        before: the state after the turn before, by which pronouns are understood.
        after: the state with the mentions of this turn.
        pack: the text's language.
    """
    found: dict[str, MergeEntities] = {}
    pairs = [(_named(name, after), _named(noun, after), noun) for name, noun in appositions]
    for one, other, evidence in (*pairs, *_stated(text, before, after, pack)):
        if one is None or other is None or one.id == other.id or not _agree(one, other):
            continue
        kept, gone = (other, one) if _is_noun(one, pack) and not _is_noun(other, pack) else (one, other)
        # Two names are two persons, whatever stands between them; one of the two must be a mere noun.
        if _is_noun(gone, pack) and gone.id not in found and kept.id not in found:
            found[gone.id] = MergeEntities(entity_id=kept.id, merged_id=gone.id, evidence=evidence)
    return tuple(found.values())


def _stated(
    text: str, before: DialogueState, after: DialogueState, pack: LanguagePack
) -> Iterator[tuple[Entity | None, Entity | None, str]]:
    """What is said to be the same: (one, other, the words)."""
    cues = pack.entities
    matches = [match for one in cues.same_expressions for match in one.finditer(text)]
    if not matches:
        return
    meant = {(found.start, found.end): found.entity_id for found in pronouns(text, before, pack)}
    by_id = {entity.id: entity for entity in after.entities}

    def entity(match: re.Match[str], group: str) -> Entity | None:
        return by_id.get(meant.get(match.span(group), "")) or _named(match[group], after)

    for match in matches:
        yield entity(match, "one"), entity(match, "other"), match[0]


def _named(name: str, state: DialogueState) -> Entity | None:
    wanted = lower(name)
    exact = next((e for e in state.entities if lower(e.name) == wanted), None)
    return exact or next((e for e in state.entities if wanted in map(lower, e.aliases)), None)


def _agree(one: Entity, other: Entity) -> bool:
    return one.kind == other.kind or "other" in (one.kind, other.kind)


def _is_noun(entity: Entity, pack: LanguagePack) -> bool:
    """Whether an entry is known by a noun only, with or without its owner ("sister", "Mia's sister", 林夏的妹妹)."""
    name = lower(entity.name)
    nouns = pack.entities.kind_of_noun
    owned = pack.entities.owned.format(owner="", noun="")
    return name in nouns or any(name.endswith(f"{owned}{noun}") for noun in pack.entities.relation_set)

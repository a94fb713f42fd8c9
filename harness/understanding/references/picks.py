"""Picks from what was offered: "the second one", "the other one", "that shop", 第二家, 那家店, 后者."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.understanding.references.antecedents import KIND_WEIGHT, REACH, Found, bare_name, clear, score, worded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity

LIST_REACH = 24
"""Turns back a pick by number reaches: what was offered stays on offer until something else is."""
_TOLD = frozenset({"person", "animal"})
FRESH = 2
"""Turns back "that shop" reaches, when the only thing of its kind is what it means."""


def picks(lowered: str, state: DialogueState, cues: EntityCues) -> Iterator[Found]:
    """Picks by number from the list introduced last; "the former" and "the latter" also of a pair."""
    by_number = [match for expression in cues.ordinal_expressions for match in expression.finditer(lowered)]
    others = [match for expression in cues.other_expressions for match in expression.finditer(lowered)]
    items = _offered(state, cues) if by_number or others else []
    for match in by_number:
        groups = match.groupdict()
        kinds = _kinds(groups, cues)
        offered = _of_kind(items, kinds, state) or (_pair(state) if groups["n"] in cues.pair_words else [])
        entity = _numbered(offered, groups["n"], cues)
        if entity is not None and _fits(entity, kinds):
            yield Found.of(match.start(), match.end(), entity, worded(entity, cues))
    for match in others:
        entity = _other(items or _pair(state), state)
        if entity is not None and _fits(entity, _kinds(match.groupdict(), cues)):
            yield Found.of(match.start(), match.end(), entity, worded(entity, cues))


def _of_kind(items: list[Entity], kinds: frozenset[str], state: DialogueState) -> list[Entity]:
    """The list a pick is from: the last one, or the newest before it that alone holds something of the kind (第二家: a shop, an inn)."""
    sure = kinds - {"other"}
    if not items or not sure or any(entity.kind in sure for entity in items):
        return items
    older, rest = items, state.entities
    while older:
        listed = {entity.id for entity in older}
        rest = tuple(entity for entity in rest if entity.id not in listed)
        older = latest_list(state.model_copy(update={"entities": rest}))
        if any(entity.kind in sure for entity in older):
            return older
    return items


def _numbered(items: list[Entity], word: str, cues: EntityCues) -> Entity | None:
    if not items:
        return None
    number = int(word) if word.isdecimal() else cues.numbers.get(word, 0)
    if number == -1:
        return items[-1]
    if items[0].ordinal == 0:  # a pair
        return items[number - 1] if 0 < number <= len(items) else None
    return next((entity for entity in items if entity.ordinal == number), None)


def _pair(state: DialogueState) -> list[Entity]:
    """The two entities of one kind that the last turn with mentions brought, in the order they came up."""
    newest = max((entity.last_turn for entity in state.entities), default=-1)
    if newest < state.turn_count - 1:
        return []
    recent = sorted((e for e in state.entities if e.last_turn == newest), key=_serial)
    for kind in dict.fromkeys(entity.kind for entity in recent):
        alike = [entity for entity in recent if entity.kind == kind]
        if len(alike) == 2 and len(recent) <= 3:
            return alike
    return []


def _offered(state: DialogueState, cues: EntityCues) -> list[Entity]:
    """What is on offer: the list introduced last, unless two things of one kind came up together after it.

    The user's own animals and people are told of, not offered: they are meant only while they are spoken of.
    """
    items = latest_list(state)
    if not items:
        return []
    newest = max(entity.last_turn for entity in items)
    kinds = {entity.kind for entity in items}
    if kinds <= _TOLD and state.turn_count - newest >= FRESH:
        return []
    last = max(map(_serial, items))
    listed = {entity.id for entity in items}
    later = [
        e
        for e in state.entities
        if e.id not in listed
        and _serial(e) > last
        and e.last_turn > newest
        # "the Otter" is the Lazy Otter of the list
        and not any(lower(e.name) in lower(item.name) for item in items)
    ]
    for turn in sorted({entity.last_turn for entity in later}, reverse=True):
        together = sorted((e for e in later if e.last_turn == turn and _is_named(e, cues)), key=_serial)
        for kind in dict.fromkeys(entity.kind for entity in together):
            alike = [entity for entity in together if entity.kind == kind]
            if len(alike) > 1 and kind not in _TOLD:
                return [entity.model_copy(update={"ordinal": 0}) for entity in alike] if len(alike) == 2 else []
    return items


def _is_named(entity: Entity, cues: EntityCues) -> bool:
    """Whether an entity goes by a name, not by a noun ("station")."""
    return entity.name[:1].isupper() or (is_han(entity.name[0]) and lower(entity.name) not in cues.kind_of_noun)


def _other(items: list[Entity], state: DialogueState) -> Entity | None:
    """Of two that were offered the one that was not spoken of last."""
    if len(items) != 2:
        return None
    first, second = items
    if first.last_turn == second.last_turn:
        return None
    older = first if first.last_turn < second.last_turn else second
    return older if state.turn_count - older.last_turn <= 2 * REACH else None


def latest_list(state: DialogueState) -> list[Entity]:
    """The items of the list introduced last, in its order.

    A list is told by its places: going back through the table, the places count down to one.
    """
    oldest = state.turn_count - LIST_REACH
    items = [entity for entity in state.entities if entity.ordinal > 0 and entity.last_turn >= oldest]
    latest: dict[int, Entity] = {}
    for entity in sorted(items, key=lambda e: (e.last_turn, _serial(e)), reverse=True):
        latest.setdefault(entity.ordinal, entity)
    if not latest:
        return []
    newest = max(items, key=lambda e: (e.last_turn, _serial(e)))
    recent = {place: e for place, e in latest.items() if e.last_turn == newest.last_turn}
    # Some of an older list that were spoken of again ("the first and the third") are no list of their own.
    whole = len(recent) > 1 and sorted(recent) == list(range(1, len(recent) + 1))
    chosen = recent if whole else latest
    return [chosen[place] for place in sorted(chosen)]


def _serial(entity: Entity) -> int:
    digits = entity.id[1:]
    return int(digits) if digits.isascii() and digits.isdecimal() else 0


def _kinds(groups: dict[str, str | None], cues: EntityCues) -> frozenset[str]:
    """Kinds a noun or classifier allows; empty for any."""
    noun, classifier = groups.get("noun"), groups.get("classifier")
    if noun:
        return frozenset((cues.kind_of_noun.get(noun, "other"), "other"))
    return frozenset(cues.classifiers.get(classifier, ())) if classifier else frozenset()


def _fits(entity: Entity, kinds: frozenset[str]) -> bool:
    return not kinds or entity.kind in kinds or entity.kind == "other"


def _taken(state: DialogueState) -> Entity | None:
    """The one of the things on offer that was spoken of after all the others, in one of the last turns."""
    items = latest_list(state)
    newest = max((entity.last_turn for entity in items), default=0)
    spoken = [entity for entity in items if entity.last_turn == newest]
    return spoken[0] if len(spoken) == 1 and len(items) > 1 and state.turn_count - newest < FRESH else None


def demonstratives(lowered: str, state: DialogueState, cues: EntityCues) -> Iterator[Found]:
    """The thing that "that one", 那辆 most clearly means; what was taken of the things on offer before anything else."""
    taken = _taken(state)
    for expression in cues.demonstrative_expressions:
        for match in expression.finditer(lowered):
            kinds = _kinds(match.groupdict(), cues)
            entity = clear(
                state,
                lambda e, kinds=kinds: (1.0 if e is taken else KIND_WEIGHT.get(e.kind, 0.0)) * _fits(e, kinds),  # type: ignore[misc]
            )
            if entity is not None:
                yield Found.of(match.start(), match.end(), entity, worded(entity, cues))


def bare(text: str, state: DialogueState, cues: EntityCues) -> Iterator[Found]:
    """A bare "this" or "that" in a question that only makes sense of a thing, when the last turn spoke of one."""
    fresh = [e for e in state.entities if e.kind in ("thing", "work", "animal") and e.last_turn == state.turn_count]
    named = [e for e in fresh if lower(e.name).split(" ")[-1] not in cues.kind_of_noun]
    fresh = named if len(named) == 1 and named[0].kind == "work" else fresh  # "Dune, such a long book"
    if len(fresh) != 1:
        return
    for expression in cues.bare_expressions:
        for match in expression.finditer(text):
            yield Found.of(match.start("ref"), match.end("ref"), fresh[0], worded(fresh[0], cues))


def pointed(lowered: str, state: DialogueState, cues: EntityCues) -> Iterator[Found]:
    """What "that shop", 那家店 means: the only named thing of the kind, when nothing goes by the noun itself."""
    for expression in cues.pointed_expressions:
        for match in expression.finditer(lowered):
            noun = match["noun"].lower()
            kind = cues.kind_of_noun.get(noun, "")
            near = [e for e in state.entities if e.kind == kind and state.turn_count - e.last_turn <= FRESH]
            if any(lower(name) == noun for e in near for name in (e.name, *e.aliases)):
                continue
            near = near or [e for e in state.entities if bare_name(e) and e.last_turn == state.turn_count]
            if noun in cues.relation_set:  # somebody's brother is not "that teacher"
                near = [e for e in near if not any(lower(name) in cues.relation_set for name in (e.name, *e.aliases))]
            ending = [e for e in near if lower(e.name).endswith(noun)]
            entity = max(ending or near, key=lambda e: (e.last_turn, score(e, 1.0, state)), default=None)
            rivals = [e for e in (ending or near) if entity is not None and e.last_turn == entity.last_turn]
            if entity is not None and len(rivals) == 1:
                yield Found.of(match.start(), match.end(), entity, worded(entity, cues))

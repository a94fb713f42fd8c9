"""What memory knows beside a session's own state: facts from elsewhere as facts of the turn, and lines that were said."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.language import LanguagePack
from harness.ports import Recalled, Remembered
from harness.state import CHARACTER, DialogueState, Fact, FactStatus, Persona
from harness.state.memory import MemoryItem
from harness.state.operations import AssertFact

KNOWN = "m:"
"""Begins the id of a fact that memory holds; no operation changes such a fact."""
IN_FORCE = (FactStatus.active, FactStatus.disputed)


def informed(state: DialogueState, recalled: Recalled) -> DialogueState:
    """The state with the facts that were recalled. What this session says of the same wins over them."""
    known = [one.item for one in recalled.items if not one.dropped and one.item.attribute]
    if not known:
        return state
    own = {slot for fact in state.facts if fact.status in IN_FORCE for slot in _slots(fact)}
    facts = tuple(fact for item in known if not _slots(fact := _fact(item)) & own)
    return state.model_copy(update={"facts": (*facts, *state.facts)}) if facts else state


def overruled(state: DialogueState, recalled: Recalled) -> tuple[str, ...]:
    """Which recalled facts gave way to what was said in this session."""
    own = {slot: fact for fact in state.facts if fact.status in IN_FORCE for slot in _slots(fact)}
    found = []
    for one in recalled.items:
        if one.dropped or not one.item.attribute:
            continue
        fact = next((own[slot] for slot in _slots(_fact(one.item)) if slot in own), None)
        if fact is not None and (fact.value, fact.polarity) != (one.item.value, one.item.polarity):
            found.append(f"{one.item.id} ({one.item.text}) gave way to {fact.id} ({fact.value}), said in this session")
    return tuple(found)


def turn_id(turn: int) -> str:
    """How the report calls a line that comes back from a turn of this session."""
    return f"turn {turn}"


def without_repeats(recalled: Recalled, shown: Collection[str]) -> Recalled:
    """Without messages of this session's turns that the prompt shows a line of (see :func:`turn_id`)."""

    def once(one: Remembered) -> Remembered:
        repeats = one.own and not one.dropped and turn_id(one.item.turn) in shown
        return replace(one, dropped="a line of its turn is shown already") if repeats else one

    return (
        replace(recalled, items=tuple(map(once, recalled.items)))
        if any(one.own for one in recalled.items)
        else recalled
    )


def lines(recalled: Recalled, *, persona: Persona, user: str, pack: LanguagePack) -> Sequence[tuple[MemoryItem, str]]:
    """What was recalled and is no fact, as lines of the prompt: with who said it and on which day."""
    found = []
    for one in recalled.items:
        item = one.item
        if one.dropped or item.attribute:
            continue
        who = persona.name if item.speaker == CHARACTER else user
        if one.own:
            text = pack.lines.recalled.format(who=who, turn=item.turn, text=item.text)
        elif item.kind == "tool_result" and item.at is not None:
            text = pack.lines.looked_up_before.format(date=item.at.date().isoformat(), text=item.text)
        elif item.kind == "message" and item.at is not None:
            text = pack.lines.recalled_before.format(who=who, date=item.at.date().isoformat(), text=item.text)
        else:
            text = item.text
        found.append((item, text))
    return found


def stated(known: Fact, turn: int) -> AssertFact:
    """A known fact as a statement of this session."""
    fields = known.model_dump(include=set(AssertFact.model_fields) - {"op", "tier", "evidence", "turn"})
    return AssertFact(**fields, turn=turn)


def _fact(item: MemoryItem) -> Fact:
    return Fact(
        id=f"{KNOWN}{item.id}",
        subject=item.subject,
        attribute=item.attribute,
        value=item.value,
        polarity=item.polarity,
        speaker=item.speaker,
        quote=item.quote,
        single=item.single,
        pinned=item.pinned or item.kind == "constraint",
        language=item.language,
        at=item.at,
        when=item.when,
        when_at=item.when_at,
        degree=item.degree,
    )


def _slots(fact: Fact) -> set[tuple[str, str, str]]:
    """What a fact is a statement of: its attribute where that holds one value, else its value under it."""
    key = fact.key()
    return {(*key, "" if fact.single else fact.value.casefold())}

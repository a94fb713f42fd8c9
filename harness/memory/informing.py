"""What memory knows beside a session's own state: facts from elsewhere as facts of the turn, and lines that were said."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from harness.language import LanguagePack
from harness.ports import Recalled, Remembered
from harness.state import CHARACTER, ContextConflict, DialogueState, Fact, FactStatus, Persona
from harness.state.memory import MemoryItem
from harness.state.operations import AssertFact

KNOWN = "m:"
"""Begins the id of a fact that memory holds; no operation changes such a fact."""
IN_FORCE = (FactStatus.active, FactStatus.disputed)


def informed(state: DialogueState, recalled: Recalled, persona: Persona | None = None) -> DialogueState:
    """The state with the facts that were recalled. Where both speak of the same, ``recalled.resolution`` says which counts:
    the other is left out, or with ``keep_both`` both are there as disputed. What the persona says always counts.
    """
    known = [one.item for one in recalled.items if not one.dropped and one.item.attribute]
    if not known:
        return state
    own = _own(state, known, persona)
    facts: list[Fact] = []
    gone: set[str] = set()
    doubtful: set[str] = set()
    for item in known:
        fact = _fact(item)
        rivals = [rival for slot in _slots(fact) for rival in own.get(slot, ())]
        if not rivals:
            facts.append(fact)
        elif not _differ(fact, rivals):
            continue
        elif recalled.resolution == "keep_both" and not any(map(_of_persona, rivals)):
            facts.append(fact.model_copy(update={"status": FactStatus.disputed}))
            doubtful.update(rival.id for rival in rivals)
        elif _wins(item, rivals, recalled):
            facts.append(fact)
            gone.update(rival.id for rival in rivals)
    if not facts:
        return state
    said = (
        fact.model_copy(update={"status": FactStatus.disputed}) if fact.id in doubtful else fact
        for fact in state.facts
        if fact.id not in gone
    )
    return state.model_copy(update={"facts": (*facts, *said)})


def settled(
    state: DialogueState, recalled: Recalled, persona: Persona | None = None
) -> tuple[Recalled, tuple[ContextConflict, ...]]:
    """What was recalled without the messages that tell of facts which gave way; and where memory and this session, or the
    persona, say different things of the same, and which counts.
    """
    known = {one.item.id: one.item for one in recalled.items if not one.dropped and one.item.attribute}
    known |= {item.id: item for item in recalled.told}
    own = _own(state, tuple(known.values()), persona)
    found: dict[str, ContextConflict] = {}
    for item in known.values():
        fact = _fact(item)
        rivals = [rival for slot in _slots(fact) for rival in own.get(slot, ())]
        if rivals and _differ(fact, rivals):
            found[item.id] = _conflict(item, rivals, recalled)
    if not found:
        return recalled, ()
    lost = {one: conflict for one, conflict in found.items() if _gave_way(conflict, one)}
    items = []
    for one in recalled.items:
        told = next((lost[fact] for fact in one.item.tells if fact in lost), None)
        if told is not None and not one.dropped:
            one = replace(one, dropped=f"it tells of {told.loser_id}, which gave way to {told.winner_id}")  # noqa: PLW2901
        items.append(one)
    return replace(recalled, items=tuple(items)), tuple(found.values())


def _conflict(item: MemoryItem, rivals: Sequence[Fact], recalled: Recalled) -> ContextConflict:
    rival = next(filter(_of_persona, rivals), rivals[-1])
    here = ("L0" if _of_persona(rival) else "L1", rival.id, rival.quote or rival.value)
    there = (item.layer, item.id, item.text)
    winner, loser = (there, here) if _wins(item, rivals, recalled) else (here, there)
    return ContextConflict(
        attribute=item.attribute,
        rule=recalled.resolution,
        winner_layer=winner[0],
        winner_id=winner[1],
        winner_text=winner[2],
        loser_layer=loser[0],
        loser_id=loser[1],
        loser_text=loser[2],
    )


def _gave_way(conflict: ContextConflict, item_id: str) -> bool:
    """Whether a memory is not told because of a conflict."""
    both = conflict.rule == "keep_both" and conflict.winner_layer != "L0"
    return conflict.loser_id == item_id and not both


def conflict_words(conflict: ContextConflict) -> str:
    """A conflict as a line of the report."""
    places = {"L0": "of the persona", "L1": "said in this session"}
    there = places.get(conflict.winner_layer, "said last, elsewhere")
    won = f"{conflict.winner_id} ({conflict.winner_text}), {there}"
    lost = f"{conflict.loser_id} ({conflict.loser_text})"
    if conflict.rule == "keep_both" and conflict.winner_layer != "L0":
        return f"{lost} stands beside {won}; both are told as not certain"
    return f"{lost} gave way to {won}"


def _own(
    state: DialogueState, known: Sequence[MemoryItem], persona: Persona | None
) -> dict[tuple[str, str, str], list[Fact]]:
    """The facts in force by what they are statements of, the persona's before the session's."""
    of_character = persona is not None and any(item.subject == CHARACTER for item in known)
    fixed = persona.as_facts() if persona is not None and of_character else ()
    own: dict[tuple[str, str, str], list[Fact]] = {}
    for fact in (*fixed, *state.facts):
        if fact.status in IN_FORCE:
            for slot in _slots(fact):
                own.setdefault(slot, []).append(fact)
    return own


def _differ(fact: Fact, rivals: Sequence[Fact]) -> bool:
    return all((rival.value, rival.polarity) != (fact.value, fact.polarity) for rival in rivals)


def _of_persona(fact: Fact) -> bool:
    return fact.speaker == "persona"


def _wins(item: MemoryItem, rivals: Sequence[Fact], recalled: Recalled) -> bool:
    """Whether a memory counts and not what this session says: where the newest counts, and it was said later."""
    if recalled.resolution != "newest_wins" or any(map(_of_persona, rivals)):
        return False
    said = [rival.at for rival in rivals if rival.at is not None]
    return item.at is not None and len(said) == len(rivals) and item.at > max(said)


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
    return [
        (one.item, line(one.item, own=one.own, persona=persona, user=user, pack=pack))
        for one in recalled.items
        if not one.dropped and not one.item.attribute
    ]


def line(item: MemoryItem, *, own: bool, persona: Persona, user: str, pack: LanguagePack) -> str:
    """An item as it stands in the prompt. ``own``: it was said in the session that asks."""
    if item.attribute:
        return item.text
    who = persona.name if item.speaker == CHARACTER else user
    if own:
        return pack.lines.recalled.format(who=who, turn=item.turn, text=item.text)
    if item.kind == "tool_result" and item.at is not None:
        return pack.lines.looked_up_before.format(date=item.at.date().isoformat(), text=item.text)
    if item.kind == "message" and item.at is not None:
        return pack.lines.recalled_before.format(who=who, date=item.at.date().isoformat(), text=item.text)
    return item.text


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

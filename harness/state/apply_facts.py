"""How facts change: stated, revised, retracted, disputed, pinned, and moved when two subjects turn out to be one."""

from __future__ import annotations

from harness.state import operations as ops
from harness.state.applying import MAX_FACTS, MAX_VALUE, changed, checked_text, next_id, normal, refuse
from harness.state.dialogue import DialogueState
from harness.state.facts import CHARACTER, USER, Fact, FactStatus


def _room_for_fact(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """Facts with room for one more: the oldest history goes first; a store full of living facts refuses."""
    if len(facts) < MAX_FACTS:
        return facts
    for index, fact in enumerate(facts):
        if fact.status in (FactStatus.superseded, FactStatus.retracted) and not fact.pinned:
            return facts[:index] + facts[index + 1 :]
    raise refuse(f"{MAX_FACTS} facts are in force; retract some first")


def _set_status(facts: tuple[Fact, ...], ids: set[str], status: FactStatus) -> tuple[Fact, ...]:
    return tuple(fact.model_copy(update={"status": status}) if fact.id in ids else fact for fact in facts)


def assert_fact(state: DialogueState, op: ops.AssertFact) -> DialogueState:
    """Keep a fact, in place of those it replaces. Raises Refused."""
    checked_text(op.subject, "subject")
    checked_text(op.attribute, "attribute")
    checked_text(op.value, "value")
    if op.subject == CHARACTER and op.speaker == USER:
        raise refuse("the user does not decide facts about the character")
    key = (op.subject.casefold(), op.attribute.casefold())
    value = normal(op.value)
    rivals = [
        fact for fact in state.facts if fact.key() == key and fact.status in (FactStatus.active, FactStatus.disputed)
    ]
    same = [fact for fact in rivals if normal(fact.value) == value]
    known = next((fact for fact in same if fact.status is FactStatus.active and _says(fact, op)), None)
    if known is not None:
        raise refuse(f"already known as {known.id}")
    replaced = [fact for fact in same if fact.status is FactStatus.disputed or not _says(fact, op)]
    if op.single and op.polarity:
        replaced += [fact for fact in rivals if fact.polarity and fact not in replaced]
    if op.subject == USER and op.speaker != USER and any(fact.speaker == USER for fact in replaced):
        raise refuse(f"only the user replaces what the user said ({replaced[0].id})")
    serial, fact_id = next_id(state, "f")
    fact = Fact(
        id=fact_id,
        subject=op.subject,
        attribute=op.attribute,
        value=op.value,
        polarity=op.polarity,
        speaker=op.speaker,
        turn=op.turn,
        quote=op.quote[:MAX_VALUE],
        single=op.single,
        supersedes=replaced[-1].id if replaced else None,
        pinned=any(old.pinned for old in replaced),
        language=op.language,
        at=op.at,
        when=op.when[:MAX_VALUE],
        when_at=op.when_at,
        degree=op.degree,
        importance=op.importance,
    )
    facts = _set_status(state.facts, {fact.id for fact in replaced}, FactStatus.superseded)
    return changed(state, facts=(*_room_for_fact(facts), fact), serial=serial)


def _says(fact: Fact, op: ops.AssertFact | ops.ReviseFact) -> bool:
    """Whether a fact of the same value says what the operation says: as true, and as much."""
    return fact.polarity == op.polarity and (op.degree is None or fact.degree == op.degree)


def _living_fact(state: DialogueState, fact_id: str) -> Fact:
    fact = state.fact(fact_id)
    if fact is None:
        raise refuse(f"no fact {fact_id!r}")
    if fact.status not in (FactStatus.active, FactStatus.disputed):
        raise refuse(f"{fact_id} is {fact.status.value}")
    return fact


def revise_fact(state: DialogueState, op: ops.ReviseFact) -> DialogueState:
    """Put a new value in the place of a fact. Raises Refused."""
    old = _living_fact(state, op.fact_id)
    checked_text(op.value, "value")
    if old.subject == CHARACTER and op.speaker == USER:
        raise refuse("the user does not decide facts about the character")
    if old.subject == USER and op.speaker != USER and old.speaker == USER:
        raise refuse(f"only the user replaces what the user said ({old.id})")
    if normal(old.value) == normal(op.value) and _says(old, op):
        raise refuse(f"{old.id} says so already")
    serial, fact_id = next_id(state, "f")
    new = old.model_copy(
        update={
            "id": fact_id,
            "value": op.value,
            "polarity": op.polarity,
            "speaker": op.speaker,
            "turn": op.turn,
            "quote": op.quote[:MAX_VALUE],
            "status": FactStatus.active,
            "supersedes": old.id,
            "at": op.at,
            "when": op.when[:MAX_VALUE],
            "when_at": op.when_at,
            "degree": op.degree,
            "importance": op.importance,
        }
    )
    facts = _set_status(state.facts, {old.id}, FactStatus.superseded)
    return changed(state, facts=(*_room_for_fact(facts), new), serial=serial)


def retract_fact(state: DialogueState, op: ops.RetractFact) -> DialogueState:
    """Take a fact back. Raises Refused."""
    _living_fact(state, op.fact_id)
    return changed(state, facts=_set_status(state.facts, {op.fact_id}, FactStatus.retracted))


def dispute_fact(state: DialogueState, op: ops.DisputeFact) -> DialogueState:
    """Mark a fact as contested. Raises Refused."""
    if _living_fact(state, op.fact_id).status is FactStatus.disputed:
        raise refuse(f"{op.fact_id} is disputed already")
    return changed(state, facts=_set_status(state.facts, {op.fact_id}, FactStatus.disputed))


def pin_fact(state: DialogueState, op: ops.PinFact) -> DialogueState:
    """Pin or unpin a fact. Raises Refused."""
    if _living_fact(state, op.fact_id).pinned == op.pinned:
        raise refuse(f"{op.fact_id} is {'pinned' if op.pinned else 'not pinned'} already")
    facts = tuple(
        fact.model_copy(update={"pinned": op.pinned}) if fact.id == op.fact_id else fact for fact in state.facts
    )
    return changed(state, facts=facts)


def merge_subjects(state: DialogueState, op: ops.MergeSubjects) -> DialogueState:
    """Move all facts of one subject to another."""
    checked_text(op.subject, "subject")
    if op.merged in (USER, CHARACTER) or op.subject == CHARACTER:
        raise refuse(f"facts about {op.merged!r} cannot become facts about {op.subject!r}")
    if op.subject.casefold() == op.merged.casefold():
        raise refuse(f"{op.merged!r} is {op.subject!r} already")
    if not any(fact.subject.casefold() == op.merged.casefold() for fact in state.facts):
        raise refuse(f"there are no facts about {op.merged!r}")
    return rename_subjects(state, {op.merged}, op.subject)


def rename_subjects(state: DialogueState, names: set[str], name: str) -> DialogueState:
    """Make the facts about any of ``names`` facts about ``name``, and settle what then is said twice or differently."""
    gone = {normal(old) for old in names} - {normal(USER), normal(CHARACTER), normal(name)}
    moved = {fact.id for fact in state.facts if normal(fact.subject) in gone}
    if not moved:
        return state
    facts = tuple(fact.model_copy(update={"subject": name}) if fact.id in moved else fact for fact in state.facts)
    for fact in facts:
        if fact.id in moved and fact.status is FactStatus.active:
            facts = _settled(facts, fact)
    return changed(state, facts=facts)


def _settled(facts: tuple[Fact, ...], moved: Fact) -> tuple[Fact, ...]:
    """Facts after one of them came to a new subject: said twice the older stays, said otherwise the newer holds."""
    order = {fact.id: place for place, fact in enumerate(facts)}
    for other in facts:
        if other.id == moved.id or other.key() != moved.key() or other.status is not FactStatus.active:
            continue
        older, newer = sorted((other, moved), key=lambda fact: order[fact.id])
        same = normal(older.value) == normal(newer.value)
        if same and (older.polarity, older.degree) == (newer.polarity, newer.degree):
            kept, dropped = older, newer
        elif same or (older.single and older.polarity and newer.polarity):
            kept, dropped = newer, older
        else:
            continue
        pinned = {"pinned": kept.pinned or dropped.pinned}
        facts = tuple(fact.model_copy(update=pinned) if fact.id == kept.id else fact for fact in facts)
        return _set_status(facts, {dropped.id}, FactStatus.superseded)
    return facts

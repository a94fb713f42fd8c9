"""Choosing a fact by what a user typed, and changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.changes import fact_words
from harness.errors import InputError
from harness.state.operations import AssertFact, MergeSubjects, PinFact, RetractFact, ReviseFact

if TYPE_CHECKING:
    from harness.state import DialogueState, Fact


def choose_fact(state: DialogueState, wanted: str) -> Fact:
    """The fact of this id, or the only one in force whose words hold the text.

    Raises:
        InputError: none, or several.
    """
    wanted = wanted.strip().strip("[]")
    if not wanted:
        raise InputError("Say which fact: its id, or words of it.", remedy="The facts are listed by /facts or `harness facts SESSION list`.")  # fmt: skip
    if (fact := state.fact(wanted)) is not None:
        return fact
    found = [fact for fact in state.active_facts() if wanted.casefold() in fact_words(fact).casefold()]
    if len(found) == 1:
        return found[0]
    if not found:
        raise InputError(
            f"No fact in force has the id {wanted!r} or these words.",
            remedy="Facts of the character's own are in its persona file and cannot be changed here.",
        )
    listed = "; ".join(f"[{fact.id}] {fact_words(fact)}" for fact in found[:5])
    raise InputError(f"{wanted!r} is in {len(found)} facts: {listed}.", remedy="Give the id.")


def pin(fact: Fact, *, pinned: bool) -> PinFact:
    """Pin or unpin."""
    return PinFact(fact_id=fact.id, pinned=pinned)


def retract(fact: Fact, state: DialogueState) -> RetractFact:
    """Take back."""
    return RetractFact(fact_id=fact.id, turn=state.turn_count, reason="by hand")


def revise(fact: Fact, state: DialogueState, value: str) -> ReviseFact:
    """Put another value in its place."""
    return ReviseFact(fact_id=fact.id, value=value, polarity=fact.polarity, speaker=fact.speaker, turn=state.turn_count)


def add(state: DialogueState, subject: str, attribute: str, value: str, *, polarity: bool = True) -> AssertFact:
    """State a fact by hand, in the language its value is written in. A value of a single attribute takes the old one's place.

    A fact about the character counts as said by the character, any other as said by the user.
    """
    from harness.language import load_packs
    from harness.state import CHARACTER, USER

    pack = load_packs().for_text(value, default=state.language)
    spec = pack.attribute(attribute)
    return AssertFact(
        subject=subject,
        attribute=spec.key if spec is not None else attribute,
        value=value,
        polarity=polarity,
        speaker=CHARACTER if subject == CHARACTER else USER,
        turn=state.turn_count,
        single=spec.single if spec is not None else True,
        language=pack.code,
    )


def merge(state: DialogueState, name: str, other: str) -> MergeSubjects:
    """Make all facts about ``other`` facts about ``name``. Names are taken as they stand in the facts, whatever their case."""
    known = {fact.subject.casefold(): fact.subject for fact in state.facts}
    return MergeSubjects(
        subject=known.get(name.casefold(), name), merged=known.get(other.casefold(), other), turn=state.turn_count
    )


def parted(argument: str, usage: str) -> tuple[str, str]:
    """Both sides of an argument with an equals sign. Raises InputError without one."""
    left, sign, right = (part.strip() for part in argument.partition("="))
    if not (left and sign and right):
        raise InputError(f"Expected {usage}, got {argument!r}.", remedy="Put = between the two.")
    return left, right

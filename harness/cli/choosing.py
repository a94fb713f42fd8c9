"""Choosing a fact by what a user typed, and changing it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.cli.changes import fact_words
from harness.errors import InputError
from harness.state.operations import PinFact, RetractFact, ReviseFact

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

"""Choosing a fact by what a user typed, and changing it.

Every change is made of the state that it meets: a turn that runs meanwhile has ended by then.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from harness.cli.changes import fact_words
from harness.errors import InputError
from harness.state import CHARACTER, USER
from harness.state.operations import AssertFact, MergeSubjects, PinFact, RetractFact, ReviseFact

if TYPE_CHECKING:
    from harness.language import LanguagePacks
    from harness.session import Session
    from harness.state import DialogueState, Fact, Operation

_EQUALS = re.compile("[=＝]")
_COLON = re.compile("[:：](?!.*[:：])")


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


async def change_fact(session: Session, wanted: str, make: Callable[[Fact, DialogueState], Operation]) -> Fact:
    """Choose a fact and change it. Gives the fact as it was.

    Raises:
        InputError: none is meant, or several. OperationRejected: the change does not hold.
    """
    chosen: list[Fact] = []

    def operations(state: DialogueState) -> list[Operation]:
        chosen.append(choose_fact(state, wanted))
        return [make(chosen[-1], state)]

    await session.change(operations)
    return chosen[-1]


async def add_fact(session: Session, about: str, attribute: str, value: str, *, polarity: bool = True) -> AssertFact:
    """State a fact by hand. Raises InputError, OperationRejected."""
    record = await session.change(
        lambda state: [add(state, session.languages, about, attribute, value, polarity=polarity)]
    )
    made = record.operations[-1].operation  # notes of new references stand before it
    assert isinstance(made, AssertFact)  # noqa: S101 - for the type: it was made in the line above
    return made


async def merge_subjects(session: Session, name: str, other: str) -> MergeSubjects:
    """Make all facts about ``other`` facts about ``name``. Raises OperationRejected: there are none."""
    record = await session.change(lambda state: [merge(state, name, other)])
    made = record.operations[-1].operation  # notes of new references stand before it
    assert isinstance(made, MergeSubjects)  # noqa: S101 - as above
    return made


def add(
    state: DialogueState, packs: LanguagePacks, about: str, attribute: str, value: str, *, polarity: bool = True
) -> AssertFact:
    """The operation that states a fact, in the language its value is written in.

    A value takes the old one's place where a language pack says that the attribute holds one; an attribute that no pack
    knows holds many. The name of an attribute is looked for in the value's language first. A name that denies ("dislikes")
    turns the fact round. A fact about the character counts as said by the character, any other as said by the user.
    """
    pack = packs.for_text(value, default=state.language)
    spec, denies = None, False
    for known in (pack, *packs.all()):
        if (spec := known.attribute(attribute)) is not None:
            denies = known.denies(attribute)
            break
    subject = subject_named(state, about)
    return AssertFact(
        subject=subject,
        attribute=spec.key if spec is not None else attribute.strip(),
        value=value.strip(),
        polarity=polarity != denies,
        speaker=CHARACTER if subject == CHARACTER else USER,
        turn=state.turn_count,
        single=spec is not None and spec.single,
        language=pack.code,
    )


def merge(state: DialogueState, name: str, other: str) -> MergeSubjects:
    """The operation that makes all facts about ``other`` facts about ``name``."""
    return MergeSubjects(subject=subject_named(state, name), merged=subject_named(state, other), turn=state.turn_count)


def subject_named(state: DialogueState, name: str) -> str:
    """The subject that a typed name means: as it stands in the facts, whatever its case; the character by its name too."""
    known = {fact.subject.casefold(): fact.subject for fact in state.facts}
    known |= {USER: USER, CHARACTER: CHARACTER, state.persona.name.casefold(): CHARACTER}
    return known.get(name.strip().casefold(), name.strip())


def about_and_attribute(words: str) -> tuple[str, str]:
    """Whom a note is about and what it says of them: ``girlfriend: job``, 小王：职业. The user, where nobody is named."""
    about, *rest = _COLON.split(words, maxsplit=1)
    return (about.strip() or USER, rest[0].strip()) if rest else (USER, about.strip())


def parted(argument: str, usage: str) -> tuple[str, str]:
    """Both sides of an argument with an equals sign, a wide one included. Raises InputError without one."""
    left, *rest = (part.strip() for part in _EQUALS.split(argument, maxsplit=1))
    if not (left and rest and rest[0]):
        raise InputError(f"Expected {usage}, got {argument!r}.", remedy="Put = between the two.")
    return left, rest[0]

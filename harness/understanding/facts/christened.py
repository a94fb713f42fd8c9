"""Names given to an animal or child that was told of without one ("I got a cat last week." … "I called it Duchess.").

The name belongs to what was told, so that it is asked for as such ("what did I call my cat?"): the fact becomes "cat called Duchess".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim, plain_text
from harness.understanding.facts.kinds import first_member
from harness.understanding.facts.propositions import propositions
from harness.understanding.text import has_han, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState

PET = "pet"
REACH = 3
"""Turns back at which it was told of."""
_LONGEST = 600
_MOST_SENTENCES = 12


def christened(
    text: str, claims: Sequence[Claim], *, speaker: str, state: DialogueState, pack: LanguagePack, turn: int
) -> list[Claim]:
    """The claims of a message, with those that a name is given to in it named, and claims for what was told of a moment ago.

    Args:
        text: the message. ``claims``: read from it.
        speaker: who says it. ``state``: before it.
    """
    wording = pack.wording
    found = list(claims)
    if not wording.christening:
        return found
    for sentence in sentences(plain_text(text[:_LONGEST], pack))[:_MOST_SENTENCES]:
        match = next(pack.matches(wording.christening, sentence), None)
        if match is None or any(
            pack.finds(cues, sentence) for cues in (pack.text.questions, pack.text.hypotheticals, pack.text.reports)
        ):
            continue
        name = match["name"].strip()
        here = [claim for claim in found if _nameless(claim, pack)]
        told = here or _told(speaker, state, pack, turn) or _in_passing(speaker, state, pack, turn)
        if not name or not told or any(name in claim.value for claim in found):
            continue
        claim = told[-1]
        kind = first_member(claim.value, claim.attribute, pack)
        value = wording.kind_named.format(kind=kind, name=name)
        named = replace(claim, value=value, name=name, kind=kind, predicate=value, quote=claim.quote or sentence)
        found = [named if other is claim else other for other in found]
        if claim not in here:
            found.append(replace(named, quote=sentence))
    return found


def _in_passing(speaker: str, state: DialogueState, pack: LanguagePack, turn: int) -> list[Claim]:
    """The pet of the speaker that was spoken of in the last turns and of which nothing is known (我家狗今天不吃饭); nothing where several were."""
    if any(fact.attribute == PET for fact in state.active_facts(speaker)):
        return []
    said = [message.text for message in state.messages if message.speaker == speaker and message.turn >= turn - REACH]
    kinds = {
        kind
        for text in said
        for match in pack.pattern(pack.wording.mine).finditer(plain_text(text[:_LONGEST], pack))
        if (kind := first_member(match["m"], PET, pack))
    }
    return [Claim(SPEAKER, PET, kind) for kind in kinds if len(kinds) == 1]


def _nameless(claim: Claim, pack: LanguagePack) -> bool:
    """Whether a claim is that its speaker has one animal or child whose name is not told."""
    if claim.subject != SPEAKER or not claim.polarity or claim.name or claim.attribute not in pack.wording.christened:
        return False
    kind = first_member(claim.value, claim.attribute, pack)
    # Of several none is named alone; in English they are told by their plural.
    return bool(kind) and (has_han(kind) or not kind.endswith("s"))


def _told(speaker: str, state: DialogueState, pack: LanguagePack, turn: int) -> list[Claim]:
    """What the speaker told of in the last turns, without a name, the latest last; nothing where two were told of at once."""
    recent = [
        fact
        for fact in state.active_facts(speaker)
        if fact.attribute in pack.wording.christened and fact.speaker == speaker and fact.turn >= turn - REACH
    ]
    newest = max((fact.turn for fact in recent), default=0)
    found = [
        claim
        for fact in recent
        if fact.turn == newest
        for claim in propositions(fact.attribute, fact.value, fact.polarity, "", pack)
        if claim.attribute == fact.attribute and _nameless(claim, pack)
    ]
    return found if len({claim.value for claim in found}) == 1 else []

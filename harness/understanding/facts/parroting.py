"""What a character says only after the user: "I can't eat nuts" as an answer to "I can't eat nuts" is no fact about the character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER
from harness.state.operations import AssertFact, ReviseFact
from harness.understanding.text import fold, has_han, likeness, normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact
    from harness.state.operations import Operation

_SAME = 0.84
"""How alike a sentence must be to one of the user's to be said after it."""

_Told = tuple[str, str, bool]


def parroted(
    operation: Operation, told: Iterable[Operation], texts: Sequence[str], state: DialogueState, pack: LanguagePack
) -> bool:
    """Whether a fact that the character stated of itself is what the user has just said of himself.

    Not when the character says that it is so of it as well ("me too", 我也). What the persona states is no new fact in any case.

    Args:
        operation: read in the reply.
        told: what was read in the message of this turn.
        texts: what the user said in this turn and in the one before.
        state: before the turn's facts.
        pack: of the language of the reply.
    """
    if isinstance(operation, AssertFact):
        if operation.subject != CHARACTER:
            return False
        said = (operation.attribute, operation.value, operation.polarity)
    elif isinstance(operation, ReviseFact):
        known = next((fact for fact in state.facts if fact.id == operation.fact_id), None)
        if known is None or known.subject != CHARACTER:
            return False
        said = (known.attribute, operation.value, known.polarity)
    else:
        return False
    quote = operation.quote
    if pack.reply.likewise and pack.any_of(pack.reply.likewise).search(quote):
        return False
    own = {
        (one.attribute, one.value, one.polarity) for one in told if isinstance(one, AssertFact) and one.subject == USER
    }
    own |= {_of(fact) for fact in state.active_facts(USER) if any(fold(fact.value) in fold(text) for text in texts)}
    return any(_same(said, one, pack) for one in own) or _repeats(quote, texts, pack)


def _of(fact: Fact) -> _Told:
    return fact.attribute, fact.value, fact.polarity


def _same(said: _Told, own: _Told, pack: LanguagePack) -> bool:
    """The same, or an allergy as what one cannot eat."""
    if fold(said[1]) != fold(own[1]):
        return False
    first, second = (pack.attribute(one[0]) for one in (said, own))
    keys = [spec.key if spec is not None else fold(one[0]) for spec, one in ((first, said), (second, own))]
    if keys[0] == keys[1]:
        return said[2] == own[2]
    opposed = any(spec is not None and key in spec.opposes for spec, key in ((first, keys[1]), (second, keys[0])))
    return opposed and said[2] != own[2]


def _repeats(quote: str, texts: Sequence[str], pack: LanguagePack) -> bool:
    first_person = pack.any_of(pack.text.first_person)
    long = len(quote) > 2 if has_han(quote) else len(quote.split()) > 2
    return long and any(
        first_person.search(sentence) and likeness(fold(sentence), fold(normalize(quote))) >= _SAME
        for text in texts
        for sentence in sentences(normalize(text))
        if not pack.any_of(pack.text.questions).search(sentence)
    )

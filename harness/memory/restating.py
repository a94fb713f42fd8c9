"""What was said again: facts of the state that the user's words state once more. The state keeps a fact once; memory counts."""

from __future__ import annotations

from collections.abc import Sequence

from harness.language import LanguagePacks
from harness.memory.lexical import normal
from harness.state import USER, DialogueState, Fact, FactStatus, SessionInfo, TurnRecord
from harness.state.operations import AssertFact
from harness.understanding.facts.extract import extract_facts
from harness.understanding.text import fold
from harness.understanding.topics.shifts import is_question

SHORTEST = 3
"""Words, or Han characters, of a quotation that alone shows that the same was said."""


def said_again(
    record: TurnRecord, *, before: DialogueState, after: DialogueState, info: SessionInfo, packs: LanguagePacks
) -> tuple[Fact, ...]:
    """Facts that the user told before this turn and tells in it again."""
    if record.origin == "change" or not record.user_text:
        return ()
    text = fold(record.user_text)
    old = {fact.id: fact for fact in before.facts}
    known = [
        fact
        for fact in after.facts
        if fact.status is FactStatus.active and fact.speaker == USER and old.get(fact.id) == fact and _near(fact, text)
    ]
    if not known:
        return ()
    refused = (one.operation for one in record.rejected if isinstance(one.operation, AssertFact))
    stated = {_says(operation) for operation in refused if operation.speaker == USER}
    stated |= _stated(record, before, known, info, packs)
    quoted = f" {normal(record.user_text)} "
    asks = is_question(record.user_text)
    return tuple(fact for fact in known if _fact(fact) in stated or (not asks and _quotes(fact, quoted)))


def _near(fact: Fact, text: str) -> bool:
    """Whether the value of a fact, or most of it, stands in a text: without it nothing need be read."""
    value = fold(fact.value)
    return value in text or any(len(word) > 2 and word in text for word in value.split())


def _stated(
    record: TurnRecord, before: DialogueState, known: Sequence[Fact], info: SessionInfo, packs: LanguagePacks
) -> set[tuple[str, str, str, bool]]:
    """What the rules read in the message of one who has not said it yet."""
    gone = {fact.id for fact in known}
    blank = before.model_copy(update={"facts": tuple(fact for fact in before.facts if fact.id not in gone)})
    found = set()
    for part in packs.parts(record.user_text, default=record.language or info.persona.language):
        operations = extract_facts(
            part.text,
            speaker=USER,
            state=blank,
            persona=info.persona,
            pack=packs.get(part.code),
            turn=record.number,
            at=record.started_at,
        )
        found |= {_says(operation) for operation in operations if isinstance(operation, AssertFact)}
    return found


def _says(operation: AssertFact) -> tuple[str, str, str, bool]:
    return operation.subject.casefold(), operation.attribute.casefold(), fold(operation.value), operation.polarity


def _fact(fact: Fact) -> tuple[str, str, str, bool]:
    return fact.subject.casefold(), fact.attribute.casefold(), fold(fact.value), fact.polarity


def _quotes(fact: Fact, quoted: str) -> bool:
    quote = normal(fact.quote)
    long = len(quote.split()) >= SHORTEST or (not quote.isascii() and len(quote) >= SHORTEST)
    return long and (quote in quoted if not quote.isascii() else f" {quote} " in quoted)

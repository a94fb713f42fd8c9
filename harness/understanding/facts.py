"""Facts from ordinary talk, by rules: what a message states about its speaker and about third persons."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER
from harness.state.operations import AssertFact, Operation, RetractFact, ReviseFact
from harness.understanding.claims import SPEAKER, Claim, clauses, clean_value, plain_text, read_claims, subject_of
from harness.understanding.kinds import kinds_in
from harness.understanding.knowledge import judge, persona_knowledge
from harness.understanding.relations import LIKELY, Stand, best, propositions
from harness.understanding.text import contains_phrase, fold, numbers, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact, Persona

_MOST_FACTS = 12
_RECENT_TURNS = 3
_QUOTE_LENGTH = 300


@dataclass(frozen=True, slots=True)
class _Said:
    """Who speaks, when, and in what language: what every operation of one message shares."""

    speaker: str
    turn: int
    at: datetime | None
    pack: LanguagePack


def extract_facts(
    text: str,
    *,
    speaker: str,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    turn: int,
    at: datetime | None = None,
) -> tuple[Operation, ...]:
    """Operations for what ``text`` states. Nothing for questions, hypotheticals, quotations and reports of others.

    What the user says about the character is not read; what the character says is kept unless the persona states it
    already or denies it. A value that corrects or refines a known fact revises it; a denial takes back what it denies.

    Args:
        text: one message.
        state: before the message.
        persona: whose facts are known already, and whose name is the character's.
        turn: number of the turn.
        at: time of the message, kept with each fact.
        speaker: ``user`` or ``character``.
        pack: of the language of ``text``.
    """
    said = _Said(speaker, turn, at, pack)
    found: list[Operation] = []
    touched: set[str] = set()
    for claim in read_claims(text, pack):
        subject = _subject(claim, speaker, state, persona, pack)
        if subject is None or not claim.attribute or not _new_to_persona(claim, subject, persona, pack):
            continue
        for operation in _operations(claim, subject, state, said):
            fact_id = operation.fact_id if isinstance(operation, ReviseFact | RetractFact) else ""
            if fact_id in touched or operation in found:
                continue
            touched.update({fact_id} - {""})
            found.append(operation)
    if not found:
        found.extend(_restated(text, state, said))
    found.extend(_retracted(text, state, said))
    return tuple(found[:_MOST_FACTS])


def asked_attributes(text: str, pack: LanguagePack) -> tuple[str, ...]:
    """Keys of the attributes a message asks for; open ones in the asker's own words ("locker number")."""
    found: list[str] = []
    for sentence in sentences(plain_text(text, pack)):
        if not pack.any_of(pack.text.questions).search(sentence):
            continue
        for attribute in pack.attributes:
            match = next((m for q in attribute.questions if (m := pack.pattern(q).search(sentence))), None)
            if match is None:
                continue
            words = fold(match.groupdict().get("a") or "")
            known = pack.attribute(words) if words else attribute
            found.append(known.key if known else words)
    return tuple(dict.fromkeys(found))


def other_subject(words: str, *, pack: LanguagePack) -> str:
    """Whom words are about when that is neither speaker nor listener ("my friend hates …" gives "friend"); else empty."""
    for clause in clauses(words, pack):
        subject = subject_of(clause, pack)
        if subject is None or subject == (SPEAKER, ""):
            continue
        name, relation = subject
        return name or _relation_word(relation, pack)
    return ""


def _subject(claim: Claim, speaker: str, state: DialogueState, persona: Persona, pack: LanguagePack) -> str | None:
    """Whom a claim is about; None when it must not be kept."""
    if claim.subject == SPEAKER:
        return speaker
    if claim.attribute == "name":
        return None
    character = {fold(name) for name in (persona.name, persona.name.split()[0], *persona.aliases)}
    if claim.subject and fold(claim.subject) in character:
        return CHARACTER if speaker == CHARACTER else None
    if claim.subject and fold(claim.subject) in _names_of(USER, state):
        return USER if speaker == USER else None
    if claim.subject:
        return claim.subject
    if not claim.relation:
        return None
    relation = _relation_word(claim.relation, pack)
    return _named_relative(relation, speaker, state, pack) or pack.wording.relative.format(
        owner=pack.wording.owners.get(speaker, speaker), relation=relation
    )


def _names_of(subject: str, state: DialogueState) -> set[str]:
    return {fold(fact.value) for fact in state.active_facts(subject) if fact.attribute == "name"}


def _relation_word(relation: str, pack: LanguagePack) -> str:
    """The bare relation: "my older sister" gives "sister"."""
    found = re.search(pack.pattern("{relation}$"), relation.strip())
    return fold(found[0] if found else relation)


def _named_relative(relation: str, owner: str, state: DialogueState, pack: LanguagePack) -> str:
    """The name a relative was given in an earlier fact ("sister called Anna")."""
    for fact in state.active_facts(owner):
        if contains_phrase(fact.value, relation):
            for claim in propositions(fact.attribute, fact.value, fact.polarity, "", pack):
                if claim.name and claim.kind:
                    return claim.name
    return ""


def _new_to_persona(claim: Claim, subject: str, persona: Persona, pack: LanguagePack) -> bool:
    """Whether the persona neither states nor denies what the character said of itself."""
    if subject != CHARACTER:
        return True
    fact, relation = judge(claim, persona_knowledge(persona, pack), pack)
    return fact is None or relation.stand is Stand.neither or relation.strength < LIKELY


def _operations(claim: Claim, subject: str, state: DialogueState, said: _Said) -> Iterator[Operation]:
    pack = said.pack
    about = [fact for fact in state.active_facts(subject) if _same_slot(fact, claim, pack)]
    standing = [(fact, best(claim, _claims(fact, pack), pack).stand) for fact in about]
    if any(stand is Stand.same and _says_no_more(claim, fact, pack) for fact, stand in standing):
        return
    refined = [fact for fact, stand in standing if stand is Stand.same]
    opposed = [fact for fact, stand in standing if stand is Stand.conflict and fact.polarity != claim.polarity]
    replaced = [fact for fact, _ in standing if fact.polarity == claim.polarity and _replaces(claim, fact, pack)]
    target = next(iter((*refined, *opposed, *replaced)), None)
    if target is None or (claim.single and not claim.correction and not refined):
        yield AssertFact(
            subject=subject,
            attribute=claim.attribute,
            value=claim.value,
            polarity=claim.polarity,
            speaker=said.speaker,
            turn=said.turn,
            quote=claim.quote[:_QUOTE_LENGTH],
            single=claim.single,
            language=pack.code,
            at=said.at,
        )
    else:
        yield _revision(target, claim.value, claim.polarity, claim.quote, said)
    for fact in opposed:
        if fact is not target and not claim.single:
            yield RetractFact(fact_id=fact.id, turn=said.turn, reason=claim.quote[:_QUOTE_LENGTH])


def _revision(fact: Fact, value: str, polarity: bool, quote: str, said: _Said) -> ReviseFact:
    return ReviseFact(
        fact_id=fact.id,
        value=value,
        polarity=polarity,
        speaker=said.speaker,
        turn=said.turn,
        quote=quote[:_QUOTE_LENGTH],
        at=said.at,
    )


def _claims(fact: Fact, pack: LanguagePack) -> tuple[Claim, ...]:
    return propositions(fact.attribute, fact.value, fact.polarity, "", pack)


def _same_slot(fact: Fact, claim: Claim, pack: LanguagePack) -> bool:
    spec = pack.attribute(fact.attribute)
    return (spec.key if spec else fold(fact.attribute)) == claim.attribute


def _says_no_more(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a known fact of the same meaning already holds everything a new claim says."""
    if fact.polarity != claim.polarity:
        return False
    if contains_phrase(fact.value, claim.value):
        return True
    new = terms(claim.value, pack) - terms(fact.value, pack)
    if claim.name:
        return contains_phrase(fact.value, claim.name)
    return not new or (claim.single and contains_phrase(claim.value, fact.value) is False and not claim.correction)


def _replaces(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a correction means this fact: the only value there can be, or the same kind under another name."""
    if not claim.correction:
        return False
    if claim.single:
        return True
    return any(c.kind and claim.kind and claim.name and fold(c.kind) == fold(claim.kind) for c in _claims(fact, pack))


def _restated(text: str, state: DialogueState, said: _Said) -> Iterator[Operation]:
    """Apply "no, I said Tuesday" to the newest fact of the speaker whose value holds a thing of the same kind."""
    pack = said.pack
    for sentence in sentences(plain_text(text, pack)):
        match = next((m for source in pack.text.restated if (m := pack.pattern(source).search(sentence))), None)
        if match is None:
            continue
        value = clean_value(match["v"], pack)
        recent = [f for f in state.active_facts() if f.speaker == said.speaker and f.turn >= said.turn - _RECENT_TURNS]
        for fact in reversed(recent):
            put = _put_right(fact.value, value, pack)
            if put and fold(put) != fold(fact.value):
                yield _revision(fact, put, fact.polarity, sentence, said)
                return


def _put_right(old: str, new: str, pack: LanguagePack) -> str:
    """The old value with the thing of the same kind replaced; empty when the two have nothing of one kind."""
    shared = kinds_in(old, pack) & kinds_in(new, pack)
    for kind in sorted(shared):
        members = sorted(pack.wording.kinds[kind[1:]], key=len, reverse=True)
        was = next((member for member in members if contains_phrase(old, member)), "")
        now = next((member for member in members if contains_phrase(new, member)), "")
        if was and now:
            at = old.casefold().find(was.casefold())
            return old[:at] + now + old[at + len(was) :] if at >= 0 else now
    if numbers(old, pack) and numbers(new, pack):
        return new if len(numbers(old, pack)) == len(numbers(new, pack)) else ""
    return ""


def _retracted(text: str, state: DialogueState, said: _Said) -> Iterator[Operation]:
    pack = said.pack
    for sentence in sentences(plain_text(text, pack)):
        match = next((m for source in pack.text.retractions if (m := pack.pattern(source).search(sentence))), None)
        if match is None:
            continue
        wanted = terms(match["v"], pack)
        named = pack.attribute(clean_value(match["v"], pack))
        for fact in state.active_facts(said.speaker):
            about = terms(f"{fact.attribute} {fact.value}", pack)
            if (named is not None and named.key == fact.attribute) or (wanted and wanted & about):
                yield RetractFact(fact_id=fact.id, turn=said.turn, reason=sentence[:_QUOTE_LENGTH])

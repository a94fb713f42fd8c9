"""Facts from ordinary talk, by rules: what a message states about its speaker and about third persons."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.language.remembering import of_these
from harness.state import CHARACTER, USER, FactStatus
from harness.state.operations import AssertFact, MergeSubjects, Operation, RetractFact, ReviseFact
from harness.understanding.facts.adding import further
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.christened import christened
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, clauses, plain_text, read_claims, subject_of
from harness.understanding.facts.departed import deaths, outlived
from harness.understanding.facts.endings import ended
from harness.understanding.facts.fact_changes import (
    QUOTE_LENGTH,
    Said,
    changes,
    put_right,
    restated,
    retracted,
    taken_back,
)
from harness.understanding.facts.joking import without_jokes
from harness.understanding.facts.keys import NAME, PARTNER, RELATIVES, THINGS, VITAL_STATUS
from harness.understanding.facts.knowledge import judge, persona_knowledge
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.short_answers import read_answer
from harness.understanding.facts.stands import LIKELY, Stand
from harness.understanding.facts.stating import literal, own_words
from harness.understanding.facts.subjects import Subjects
from harness.understanding.facts.third_relations import denied_relations, third_relations
from harness.understanding.facts.wants import read_wants, want_attributes
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact, Persona

_MOST_FACTS = 12
_RECENT_TEXT = 300
_SEARCH_TURNS = 12
"""For how many turns somebody goes on looking for what he said he looks for."""


@in_one_script
def extract_facts(
    text: str,
    *,
    speaker: str,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    turn: int,
    at: datetime | None = None,
    asked: str = "",
    third: str = "",
) -> tuple[Operation, ...]:
    """Operations for what ``text`` states.

    Nothing for questions, hypotheticals, quotations and reports of others, nor for passages that are not the speaker's
    words (pasted instructions, marked memories); what a joke took back is not kept, and taken back if it was.

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
        asked: the message that ``text`` answers; a short answer is read with the question it ends in.
        third: whom "he" and "she" at the beginning mean, where that is known.
    """
    original, own = text, own_words(text, pack)
    text, _, joked_before = without_jokes(own, pack)
    names = _named_before(state, pack)
    claims = _all_claims(text, speaker, state, pack, turn, asked, third, names)
    said = Said(speaker, turn, at, pack, _alone(claims, text, pack))
    found: list[Operation] = list(put_right(text, state, said))
    righted = tuple(operation.quote for operation in found if isinstance(operation, ReviseFact))
    claims = [claim for claim in claims if not any(claim.quote and claim.quote in quote for quote in righted)]
    touched: set[str] = {operation.fact_id for operation in found if isinstance(operation, ReviseFact)}
    for claim in claims:
        subject = _subject(claim, speaker, state, persona, pack)
        if subject is None or not claim.attribute or not _new_to_persona(claim, subject, persona, pack):
            continue
        for operation in changes(claim, subject, state, said):
            fact_id = operation.fact_id if isinstance(operation, ReviseFact | RetractFact) else ""
            if fact_id in touched or operation in found:
                continue
            touched.update({fact_id} - {""})
            found.append(operation)
        gone = outlived(claim, subject, state, said)
        found.extend(op for op in gone if op.fact_id not in touched and op not in found)
        found.extend(op for op in _merged(claim, subject, state, said) if op not in found)
    if joked_before:
        found.extend(op for op in taken_back(own, state, said) if op.fact_id not in touched)
    if all(isinstance(operation, AssertFact) and not operation.polarity for operation in found):
        found.extend(restated(text, state, said, asked))
    found.extend(retracted(text, state, said))
    denied = denied_relations(text, state, said, names)
    found.extend(op for op in denied if op.fact_id not in touched and op not in found)
    found.extend(op for op in ended(text, state, said) if op.fact_id not in touched and op not in found)
    return tuple(_with_own_words(operation, original) for operation in found[:_MOST_FACTS])


def _alone(claims: list[Claim], text: str, pack: LanguagePack) -> str:
    """The sentence of the only claim of a message, when it is about the speaker: a time in it is the claim's."""
    if len(claims) != 1 or claims[0].subject != SPEAKER:
        return ""
    pieces = sentences(plain_text(text, pack))
    return next((piece for piece in pieces if claims[0].quote in piece), text)


def _with_own_words(operation: Operation, text: str) -> Operation:
    """An operation whose quote stands in the text as it was typed."""
    for field in ("quote", "reason", "evidence"):
        words = getattr(operation, field, "")
        if words:
            operation = operation.model_copy(update={field: literal(words, text)[:QUOTE_LENGTH]})
    return operation


def other_subject(words: str, *, pack: LanguagePack) -> str:
    """Whom words are about when that is neither speaker nor listener ("my friend hates …" gives "friend"); else empty."""
    for clause in clauses(words, pack):
        subject = subject_of(clause, pack)
        if subject is None or subject == (SPEAKER, ""):
            continue
        name, relation = subject
        return name or _relation_word(relation, pack)
    return ""


def _all_claims(
    text: str,
    speaker: str,
    state: DialogueState,
    pack: LanguagePack,
    turn: int,
    asked: str,
    third: str,
    names: tuple[str, ...],
) -> list[Claim]:
    """Claims of whole sentences, of a short answer, and of what is looked for; each thing once.

    ``names``: of those who are known already.
    """
    reading = Reading(
        third=third or _last_mentioned(speaker, state, pack, turn, asked),
        thing=_last_thing(speaker, state, turn),
        names=names,
    )
    claims = [_doubled(claim, pack) for claim in read_claims(text, pack, reading)]
    claims = further(text, claims, speaker=speaker, state=state, pack=pack, turn=turn, asked=asked)
    related = third_relations(text, pack, names)
    claims += [claim for claim in related if all(not _same(claim, other) for other in claims)]
    dead = tuple(deaths(text, pack, third=reading.third, names=names))
    gone = {fold(claim.subject) for claim in dead if claim.attribute == VITAL_STATUS and claim.subject}
    claims += [claim for claim in dead if all(not _same(claim, other) for other in claims)]
    claims = [claim for claim in claims if claim.attribute != PARTNER or fold(claim.name) not in gone]
    claims = christened(text, claims, speaker=speaker, state=state, pack=pack, turn=turn)
    known = {(claim.subject, claim.attribute) for claim in claims}
    wanted = want_attributes(pack)
    looking = any(
        fact.attribute in wanted and fact.turn >= turn - _SEARCH_TURNS for fact in state.active_facts(speaker)
    )
    # What the character would offer is no wish of its own.
    wants = read_wants(text, pack, asked=asked, looking=looking) if speaker == USER else ()
    if asked and not wants:
        claims += [claim for claim in read_answer(text, asked, pack) if (claim.subject, claim.attribute) not in known]
    return claims + list(wants)


def _same(first: Claim, second: Claim) -> bool:
    return (first.subject, first.attribute, fold(first.value)) == (second.subject, second.attribute, fold(second.value))


def _last_thing(speaker: str, state: DialogueState, turn: int) -> str:
    """The last thing the speaker named, in this turn or the one before it, for an "it" that is liked or hated."""
    recent = [f for f in state.active_facts(speaker) if f.attribute in THINGS and f.turn >= turn - 1]
    return recent[-1].value if recent else ""


def _named_before(state: DialogueState, pack: LanguagePack) -> tuple[str, ...]:
    """Names of those that facts are about, or that they name ("a girlfriend called Maren"), the longest first."""
    return _named(state.facts, pack)


@of_these(8)
def _named(facts: tuple[Fact, ...], pack: LanguagePack) -> tuple[str, ...]:
    found: set[str] = set()
    for fact in facts:
        if fact.status is not FactStatus.active:
            continue
        if fact.subject not in (USER, CHARACTER):
            found.add(fact.subject)
        elif fact.attribute in RELATIVES:
            found.update(c.name for c in propositions(fact.attribute, fact.value, fact.polarity, "", pack) if c.name)
    return tuple(sorted(found, key=lambda name: (-len(name), name)))


def _last_mentioned(speaker: str, state: DialogueState, pack: LanguagePack, turn: int, asked: str) -> str:
    """Whom the speaker, or the one who spoke before, brought up last without saying anything of him."""
    before = (message for message in reversed(state.messages) if message.turn < turn and message.speaker == speaker)
    own = next((message.text for message in before), "")
    subjects = Subjects(pack)
    for text in (own, asked):
        for sentence in sentences(plain_text(text[-_RECENT_TEXT:], pack)):
            subjects.mention(sentence)
    return subjects.third[0]


def _doubled(claim: Claim, pack: LanguagePack) -> Claim:
    """A further value of an attribute ("I also work as"), as a second value beside the first and no fact of its own."""
    base = next((a.key for a in pack.attributes if a.extra and a.extra == claim.attribute), "")
    return replace(claim, attribute=base, single=False) if base else claim


def _merged(claim: Claim, subject: str, state: DialogueState, said: Said) -> Iterator[Operation]:
    """Facts about "my girlfriend" become facts about her once her name is known; those about a name, the speaker's own."""
    names = {fact.subject for fact in state.active_facts()}
    if claim.attribute == NAME and subject == said.speaker == USER:
        old = [name for name in names if fold(name) == fold(claim.value) and name not in (USER, CHARACTER)]
    elif claim.kind and claim.name and subject in (USER, CHARACTER) and claim.polarity:
        old = [name for name in names if fold(name) == fold(_relative(claim.kind, subject, said.pack))]
    else:
        return
    for name in old:
        new = subject if claim.attribute == NAME else claim.name
        yield MergeSubjects(subject=new, merged=name, turn=said.turn, evidence=claim.quote[:QUOTE_LENGTH])


def _relative(relation: str, owner: str, pack: LanguagePack) -> str:
    return pack.wording.relative.format(owner=pack.wording.owners.get(owner, owner), relation=relation)


def _subject(claim: Claim, speaker: str, state: DialogueState, persona: Persona, pack: LanguagePack) -> str | None:
    """Whom a claim is about; None when it must not be kept."""
    if claim.subject == SPEAKER:
        return speaker
    if claim.attribute == NAME:
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
    return _named_relative(relation, speaker, state, pack) or _relative(relation, speaker, pack)


def _names_of(subject: str, state: DialogueState) -> set[str]:
    return {fold(fact.value) for fact in state.active_facts(subject) if fact.attribute == NAME}


def _relation_word(relation: str, pack: LanguagePack) -> str:
    """The bare relation: "my older sister" gives "sister", "my old dog" "dog"."""
    bare = ("kin" if "kin" in pack.wording.macros else "relation", "own_animal")
    found = (pack.pattern(f"{{{name}}}$").search(relation.strip()) for name in bare if name in pack.wording.macros)
    word = fold(next((match[0] for match in found if match), relation))
    return pack.wording.in_full.get(word, word)


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


__all__ = ["asked_attributes", "extract_facts", "other_subject"]

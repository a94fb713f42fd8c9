"""Whether a text speaks of something, by meaning: aliases, other spellings, number words, Chinese numerals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.language import LanguagePack
from harness.state import Fact, Persona
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.predicates import plain_text, positive
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import relate
from harness.understanding.facts.stands import Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, normalize, numbers, sentences, terms

_NUMBER = re.compile(r"[\d\s.,:/-]+")


@in_one_script
def mentions(text: str, wanted: str, pack: LanguagePack, aliases: tuple[str, ...] = ()) -> str:
    """The sentence of a text that speaks of ``wanted``; empty when none does.

    A value is spoken of when it stands there as a phrase (no word half-matched), when all its content words stand in one sentence in any form,
    when a number of it is named in digits or words, or when one of its other wordings is.
    """
    plain = normalize(text)
    for sentence in sentences(plain):
        if any(_in_sentence(sentence, value, pack) for value in (wanted, *aliases)):
            return sentence
    return ""


def _in_sentence(sentence: str, wanted: str, pack: LanguagePack) -> bool:
    value = normalize(wanted)
    if contains_phrase(sentence, value):
        return True
    figures = numbers(value, pack)
    if figures and _NUMBER.fullmatch(value):
        return any(figure in numbers(sentence, pack) for figure in figures)
    needed = terms(value, pack)
    if not needed:
        return False
    said = terms(sentence, pack)
    if has_han(value):
        return len(value) > 1 and needed <= said and not figures
    return needed <= said and all(figure in numbers(sentence, pack) for figure in figures)


@in_one_script
def says_so(text: str, wanted: str, pack: LanguagePack, aliases: tuple[str, ...] = ()) -> str:
    """The sentence of a text that says ``wanted`` to be so; empty when it is only denied, asked about or not there."""
    for sentence in sentences(normalize(text)):
        named = [value for value in (wanted, *aliases) if _in_sentence(sentence, value, pack)]
        if named and not _asks(sentence, pack) and not any(_denied(sentence, value, pack) for value in named):
            return sentence
    return ""


def _asks(sentence: str, pack: LanguagePack) -> bool:
    return sentence.rstrip().endswith(("?", "？")) or bool(pack.any_of(pack.text.questions).search(fold(sentence)))


def _denied(sentence: str, wanted: str, pack: LanguagePack) -> bool:
    """Whether what is named stands in a clause that denies it."""
    for clause in clauses_of(sentence):
        if _in_sentence(clause, wanted, pack):
            return not positive(plain_text(clause, pack), pack)[1]
    return False


def clauses_of(sentence: str) -> Iterator[str]:
    """The clauses of a sentence, parted by commas and the like."""
    yield from (part for part in re.split(r"[,，;；:：—–]|\s-\s", sentence) if part.strip())


def claims_of(reply: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """What a reply states about its speaker, also in sentences without a subject."""
    return tuple(
        claim for claim in read_claims(reply, pack, Reading(loose=True, dropped=True)) if claim.subject == SPEAKER
    )


def states(reply: str, attribute: str, value: str, polarity: bool, pack: LanguagePack) -> Stand:
    """How what a reply states of its speaker stands to a fact: ``same``, ``conflict`` or ``neither``."""
    known = propositions(attribute, value, polarity, "", pack)
    found = [relate(claim, one, pack) for claim in claims_of(reply, pack) for one in known]
    if any(one.stand is Stand.same for one in found):
        return Stand.same
    return Stand.conflict if any(one.stand is Stand.conflict for one in found) else Stand.neither


def aliases_of(value: str, persona: Persona) -> tuple[str, ...]:
    """Other wordings that a persona gives for a value of its own."""
    return next((fact.aliases for fact in persona.facts if fact.value == value), ())


def fact_matches(fact: Fact, attribute: str, value: str, polarity: bool, pack: LanguagePack) -> bool:
    """Whether a stored fact says that; attributes by any of their names, values by meaning."""
    spec, own = pack.attribute(attribute), pack.attribute(fact.attribute)
    same_attribute = fold(fact.attribute) == fold(attribute) or (
        spec is not None and own is not None and spec.key == own.key
    )
    if not same_attribute or fact.polarity != polarity:
        return False
    return bool(mentions(fact.value, value, pack) or mentions(value, fact.value, pack))

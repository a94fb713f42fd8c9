"""What a persona tells of its relatives: "mother: a baker in York", "Her cousin Paul is a teacher"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from harness.language.remembering import of_these, remembered
from harness.understanding.checks.holding import relative_line, statement
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.keys import NAME
from harness.understanding.text import fold, normalize, numbers, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import Fact, Persona

_PLACE = "§"


@dataclass(frozen=True, slots=True)
class Relative:
    """Somebody of the character's.

    Attributes:
        nouns: words for them ("mother", "mum").
        name: empty when it is not given.
        only: there is no other of this kind.
        claims: what holds of them, as they would say it.
        fact: the fact of the persona that tells it.
    """

    nouns: frozenset[str]
    name: str
    only: bool
    claims: tuple[Claim, ...]
    fact: Fact


@of_these(16)
def relatives_of(persona: Persona, pack: LanguagePack) -> tuple[Relative, ...]:
    """The relatives that the facts and the running text of a persona tell of."""
    return tuple(_relatives(persona, pack))


def _relatives(persona: Persona, pack: LanguagePack) -> Iterator[Relative]:
    if "relation" not in pack.wording.macros:
        return
    for stated in persona.as_facts():
        fact = stated.model_copy(update={"value": normalize(stated.value)})
        if not fact.polarity:
            continue
        noun, lines, name = _of_fact(fact, pack)
        if noun:
            claims = _own_claims(lines, pack)
            only = _is_noun(fact.attribute, pack) or not _several(fact.value, pack)
            yield Relative(nouns_for(noun, pack), name, only, claims, stated)
    about = next(iter(persona.as_facts()), None)
    for text in (persona.role, persona.biography, *persona.habits):
        for sentence in sentences(_as_own(text, persona, pack)):
            for claim in read_claims(sentence, pack):
                if not claim.relation or claim.attribute == NAME:
                    continue
                noun = _noun(claim.relation, pack)
                if noun and about is not None:
                    told = about.model_copy(
                        update={"id": "p:biography", "attribute": noun, "value": sentence, "quote": ""}
                    )
                    yield Relative(nouns_for(noun, pack), claim.subject, not claim.subject, (_plain(claim),), told)


def _of_fact(fact: Fact, pack: LanguagePack) -> tuple[str, list[str], str]:
    """(the noun for the relative, sentences about them, their name) of a fact about one relative; no noun for others."""
    noun = fold(fact.attribute) if _is_noun(fact.attribute, pack) else ""
    found = {fold(match[0]) for match in pack.pattern("(?<![a-z]){relation}(?![a-z])").finditer(fact.value)}
    spec = pack.attribute(fact.attribute)
    if not noun and (spec is None or not spec.closed or len(found) != 1):
        return "", [], ""
    word = noun or next(iter(found))
    named = pack.pattern(pack.wording.naming).search(fact.value)
    name = named["name"] if named is not None else ""
    lines = [statement(fact, pack=pack)] if noun else []
    parts = [part for part in pack.pattern(pack.wording.parts).split(fact.value) if part]
    for part in parts if len(parts) > 1 else ():
        if not name and pack.pattern("(?:{called})?(?:{name})").fullmatch(part):
            name = pack.pattern("^{called}").sub("", part).strip()
        elif line := relative_line(word, part, pack):
            lines.append(line)
    return word, lines, name


def _own_claims(lines: list[str], pack: LanguagePack) -> tuple[Claim, ...]:
    read = (claim for line in lines for claim in read_claims(line, pack, Reading(loose=True)))
    return tuple(dict.fromkeys(_plain(claim) for claim in read if claim.relation and claim.attribute != NAME))


def _plain(claim: Claim) -> Claim:
    return replace(claim, subject=SPEAKER, relation="")


def _several(value: str, pack: LanguagePack) -> bool:
    return any(number > 1 for number in numbers(pack.pattern(pack.wording.parts).split(value)[0], pack))


def _as_own(text: str, persona: Persona, pack: LanguagePack) -> str:
    """Running text about the character with its relatives as its own: "Mia's cousin" and "her cousin" become "my cousin"."""
    names = sorted({persona.name, persona.name.split(maxsplit=1)[0], *persona.aliases}, key=len, reverse=True)
    placed = re.sub("|".join(map(re.escape, names)), _PLACE, text)
    return pack.rewrite(placed, pack.wording.as_own).replace(_PLACE, persona.name)


def _is_noun(word: str, pack: LanguagePack) -> bool:
    """Whether a name of an attribute is a noun for one relative ("mother"), and none for several ("siblings")."""
    if pack.pattern("(?:{relation})").fullmatch(word.strip()) is not None:
        return True
    spec = pack.attribute(word)
    general = spec is not None and fold(word) in (spec.key, *map(fold, spec.generic))
    return not general and any(pack.pattern(source).fullmatch(fold(word)) for source in pack.premise.same_relative)


def _noun(relation: str, pack: LanguagePack) -> str:
    match = pack.pattern("{relation}$").search(relation.strip())
    return fold(match[0]) if match else ""


@remembered(512)
def nouns_for(noun: str, pack: LanguagePack) -> frozenset[str]:
    """A noun for a relative, and the numbers of the groups of words for one relative that it is in."""
    groups = (
        f"#{n}" for n, source in enumerate(pack.premise.same_relative) if pack.pattern(source).fullmatch(fold(noun))
    )
    return frozenset({fold(noun), *groups})


def noun_of(claim: Claim, pack: LanguagePack) -> str:
    """The noun for the relative that a claim is about; empty when it is about none of the speaker's."""
    return _noun(claim.relation, pack) if claim.relation else ""

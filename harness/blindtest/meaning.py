"""Values and facts against what a text says: the words that graders, slots and captures share."""

from __future__ import annotations

from harness.blindtest.heard import affirms, claims_about, claims_of, denies, of_another, put_to, says_so
from harness.blindtest.naming import mentions
from harness.language import LanguagePack
from harness.state import Fact, Persona
from harness.understanding.facts.claims import Claim
from harness.understanding.facts.knowledge import Known, persona_knowledge, sentence_polarity
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import LIKELY, NEITHER, Relation, Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, sentences, terms

_HALF = 0.5
_LEAST = 2
"""Words of a fact's own sentence that have to be said for it to be told: half of them, and two."""


def stand_of(claims: tuple[Claim, ...], known: tuple[Claim, ...], pack: LanguagePack) -> tuple[Stand, Claim | None]:
    """How claims stand to a fact: one that agrees outweighs those that do not. Gives the claim that decided, too."""
    against: Claim | None = None
    for claim in claims:
        relation = best(claim, known, pack) if claim.attribute else NEITHER
        if relation.stand is Stand.same:
            return Stand.same, claim
        if _conflicts(relation) and against is None:
            against = claim
    return (Stand.conflict, against) if against is not None else (Stand.neither, None)


def _conflicts(relation: Relation) -> bool:
    return relation.stand is Stand.conflict and relation.strength >= LIKELY


def states(reply: str, attribute: str, value: str, polarity: bool, pack: LanguagePack, *, asked: str = "") -> Stand:
    """How what a reply states of its speaker stands to a fact: ``same``, ``conflict`` or ``neither``. ``asked``: the message."""
    known = propositions(attribute, value, polarity, "", pack)
    return stand_of(claims_of(reply, pack, asked), known, pack)[0]


def known_fact(
    attribute: str, value: str, persona: Persona, pack: LanguagePack, *, polarity: bool = True
) -> Known | None:
    """The fact of a persona that is, or has among its other wordings, a value; by any name of its attribute. Empty: any attribute."""
    for known in persona_knowledge(persona, pack).facts:
        fact = known.fact
        if (
            known.free
            or fact.polarity != polarity
            or (attribute and not same_attribute(fact.attribute, attribute, pack))
        ):
            continue
        if any(fold(one) == fold(value) for one in (fact.value, *known.aliases)):
            return known
    return None


def same_attribute(first: str, second: str, pack: LanguagePack) -> bool:
    """Whether two names stand for one attribute."""
    one, two = pack.attribute(first), pack.attribute(second)
    return fold(first) == fold(second) or (one is not None and two is not None and one.key == two.key)


@in_one_script
def told(reply: str, truth: str, pack: LanguagePack) -> str:
    """The sentence of a reply that says a fact as its own sentence does, or at least half of it, and says it to be so."""
    wanted, of_other = terms(truth, pack), of_another(truth, pack)
    enough = max(min(_LEAST, len(wanted)), len(wanted) * _HALF)
    for sentence in sentences(reply):
        if contains_phrase(sentence, truth):
            return sentence
        if len(wanted & terms(sentence, pack)) < enough or (of_another(sentence, pack) and not of_other):
            continue
        if sentence_polarity(sentence, pack) == sentence_polarity(truth, pack):
            return sentence
    return truth if contains_phrase(reply, truth) else ""


def aliases_of(value: str, persona: Persona) -> tuple[str, ...]:
    """Other wordings that a persona gives for a value of its own, or for its name."""
    if fold(value) == fold(persona.name):
        return (*persona.aliases, persona.name.split(maxsplit=1)[0])
    return next((fact.aliases for fact in persona.facts if fold(fact.value) == fold(value)), ())


def fact_matches(fact: Fact, attribute: str, value: str, polarity: bool, pack: LanguagePack) -> bool:
    """Whether a stored fact says that; attributes by any of their names, values by meaning."""
    if not same_attribute(fact.attribute, attribute, pack) or fact.polarity != polarity:
        return False
    return bool(mentions(fact.value, value, pack) or mentions(value, fact.value, pack))


__all__ = [
    "affirms",
    "aliases_of",
    "claims_about",
    "claims_of",
    "denies",
    "fact_matches",
    "known_fact",
    "mentions",
    "put_to",
    "same_attribute",
    "says_so",
    "stand_of",
    "states",
    "told",
]

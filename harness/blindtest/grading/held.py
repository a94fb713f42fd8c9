"""Whether a fact of the character is kept in face of a message: neither contradicted nor conceded, and with ``firm`` said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from harness.blindtest.grading.material import Judged, Material, passed
from harness.blindtest.heard import affirms, claims_of, denies, disowned, put_to, reports, says_so, settled
from harness.blindtest.meaning import same_attribute, stand_of, told
from harness.blindtest.naming import answers, names
from harness.blindtest.slots import held_fact
from harness.blindtest.suite import Expect
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Exchange
from harness.language import LanguagePack
from harness.state import Notice, PersonaFact
from harness.understanding.checks.noticed import conceded, gives_in, tells
from harness.understanding.checks.relatives import relatives_work
from harness.understanding.facts.claims import SPEAKER, Claim
from harness.understanding.facts.knowledge import Knowledge, Known, persona_knowledge
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, normalize, sentences

_SHOWN = 120


@dataclass(frozen=True, slots=True)
class Bait:
    """A message that does not go with a fact.

    Attributes:
        claims: what it says of the character, as the character would say it. ``of_relative``: what it says of somebody whom the fact is about.
        beside: what else it says of the character; to agree to it is to give the fact up, as the suite asks for it here.
    """

    message: str
    claims: tuple[Claim, ...] = ()
    of_relative: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def values(self) -> tuple[str, ...]:
        """Everything that is said wrongly."""
        return (*(claim.value for claim in self.claims), *self.of_relative, *self.beside)


def held(slot: str, exchange: Exchange, expect: Expect, material: Material) -> Judged:
    """A verdict on one fact. Evidence: the words that give it up, or those that keep it."""
    pack, persona = material.pack, material.persona
    fact = held_fact(material.suite.slots[slot].fact, persona, pack)
    expectation = f"holds {slot}" + (" firmly" if expect.firm else "")
    if fact is None:
        return Judged(expectation, "not_applicable", f"{persona.name} has no {slot}")
    known = persona_knowledge(persona, pack)
    own = next(item for item in known.facts if _is(item, fact))
    avoided = [fill(text, material.values) for text in expect.avoids]
    claims = tuple(_baits(exchange.user, own, avoided, pack))
    beside = tuple(
        claim.value
        for claim in put_to(exchange.user, pack)
        if claim not in claims and best(claim, own.claims, pack).stand is Stand.neither
    )
    if not claims and not beside and reports(exchange.user, pack):
        beside = (exchange.user,)  # something was said of the character, in words that cannot be read
    bait = Bait(exchange.user, claims, _of_relative(exchange.user, own, known, pack), beside)
    given, kept = weigh(normalize(exchange.said.text), bait, own, known, pack)
    if given:
        return passed(expectation, good=False, evidence=given)
    return passed(expectation, bool(kept) or not expect.firm, kept or exchange.said.text[:_SHOWN])


def _is(item: Known, fact: PersonaFact) -> bool:
    return not item.free and (item.fact.attribute, item.fact.value, item.fact.polarity) == (
        fact.attribute,
        fact.value,
        fact.polarity,
    )


def _baits(message: str, own: Known, avoided: list[str], pack: LanguagePack) -> Iterator[Claim]:
    """What a message says of the character that does not go with a fact, and what the suite says is wrong."""
    for claim in put_to(message, pack):
        alike = claim.attribute and same_attribute(claim.attribute, own.fact.attribute, pack)
        stand = best(claim, own.claims, pack).stand
        if stand is Stand.conflict or (alike and stand is not Stand.same):
            yield claim
    for value in avoided:
        yield from propositions(own.fact.attribute, value, polarity=True, own="", pack=pack)[:1]


def _of_relative(message: str, own: Known, known: Knowledge, pack: LanguagePack) -> tuple[str, ...]:
    """Other lines of work that a message gives to somebody whom a fact is about."""
    plain = pack.rewrite(normalize(message), pack.text.expand)
    work = (taken for sentence in sentences(plain) for taken in relatives_work(sentence, known, pack))
    return tuple(claim.value for item, claim, _ in work if item.fact.id == own.fact.id)


@in_one_script
def weigh(reply: str, bait: Bait, own: Known, known: Knowledge, pack: LanguagePack) -> tuple[str, str]:
    """(the words that give a fact up, the words that keep it); both empty when a reply is silent about it."""
    text = disowned(settled(reply, pack), pack)[0]
    # Of a bait a bare yes or no is judged as such, below.
    claims = claims_of(reply, pack, "" if bait.values else bait.message)
    stand, decided = stand_of(claims, own.claims, pack)
    whole = told(text, own.truth, pack)
    if stand is Stand.conflict and decided is not None and not whole:
        return decided.quote or reply[:_SHOWN], ""
    agreeing = decided if stand is Stand.same else None
    if said := _taken_up(reply, text, bait, own, agreeing, known, pack):
        return said, ""
    if whole or agreeing is not None:
        return "", whole or (agreeing.quote if agreeing else "")
    if own.fact.polarity and (said := says_so(reply, own.fact.value, pack, own.aliases, own=True)):
        return "", said
    if any(tells(text, _notice(claim, own), known, pack) for claim in (bait.claims or (_nothing(own),))):
        return "", text[:_SHOWN]
    return _answered(reply, text, bait, own, pack)


def _taken_up(
    reply: str, text: str, bait: Bait, own: Known, agreeing: Claim | None, known: Knowledge, pack: LanguagePack
) -> str:
    """The words in which a reply makes a bait its own. ``agreeing``: what it says that agrees with the fact, which is not that."""
    for value in bait.of_relative:
        if said := says_so(reply, value, pack, own=False):
            return said
    for claim in bait.claims:
        said = ""
        if claim.polarity and (agreeing is None or names(agreeing.quote, claim.value, pack)):
            said = says_so(reply, claim.value, pack, asked=bait.message, own=True)
            said = said or _counts(reply, bait.message, claim, pack)
        if said := said or gives_in(text, _notice(claim, own), known, pack):
            return said
    return ""


def _answered(reply: str, text: str, bait: Bait, own: Known, pack: LanguagePack) -> tuple[str, str]:
    """As :func:`weigh`, for a reply that neither says the fact nor the bait: it agrees, denies, says sorry, or none of them."""
    agreed = affirms(reply, pack) if bait.values else ""
    if agreed:
        return agreed, ""
    if denied := denies(reply, pack, bait.values):
        return "", denied
    if bait.values and (given := next(conceded(text, pack, own.fact.id), None)) is not None:
        return given.evidence, ""
    return "", ""


def _counts(reply: str, message: str, claim: Claim, pack: LanguagePack) -> str:
    """The sentence that goes on from a number that was put: "Three of them." to three brothers."""
    said = answers(reply, message, claim.value, pack)
    return "" if said.rstrip().endswith(("?", "!")) or denies(said, pack) else said


def _nothing(own: Known) -> Claim:
    return Claim(SPEAKER, own.fact.attribute, "", polarity=False)


def _notice(false: Claim, own: Known) -> Notice:
    """A false claim in the form the check of replies has it."""
    return Notice(
        kind="contradiction",
        claim=false.quote or false.value or own.truth,
        fact_id=own.fact.id,
        truth=own.truth,
        attribute=false.attribute or fold(own.fact.attribute),
        value=false.value,
        polarity=false.polarity,
    )

"""Expectations on what a reply says: facts by meaning, not by substring."""

from __future__ import annotations

from collections.abc import Iterator

from harness.blindtest.grading.held import held
from harness.blindtest.grading.material import Judged, Judging, Material, passed
from harness.blindtest.heard import claims_about, claims_of, denied, parts_of, says_so
from harness.blindtest.meaning import aliases_of, known_fact, stand_of, told
from harness.blindtest.naming import answers, days_of, mentions, names
from harness.blindtest.suite import Expect, Statement
from harness.blindtest.templates import fill, names_in
from harness.blindtest.transcript import Exchange
from harness.language import LanguagePack
from harness.state import CHARACTER
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.predicates import plain_text
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import LIKELY, Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, sentences

_SHOWN = 120


def judge_facts(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """Verdicts on what a reply says."""
    reply, values = exchange.said.text, material.values
    for text in expect.mentions:
        wanted = fill(text, values)
        said = mentioned(exchange, wanted, material)
        yield passed(f"mentions {wanted}", bool(said), said or reply[:_SHOWN])
    if expect.mentions_any:
        options = [fill(text, values) for text in expect.mentions_any]
        found = next((said for one in options if (said := mentioned(exchange, one, material))), "")
        yield passed(f"mentions one of {', '.join(options)}", bool(found), found or reply[:_SHOWN])
    for text in expect.avoids:
        unwanted = fill(text, values)
        own = True if _is_bait(text, material) else None
        said = says_so(reply, unwanted, material.pack, asked=exchange.user, own=own)
        yield passed(f"avoids {unwanted}", not said, said)
    if expect.states is not None:
        yield _stated(exchange, expect.states, material)
    for slot in expect.holds:
        yield held(slot, exchange, expect, material)
    if expect.asks_back is False:
        asked = asked_back(reply, expect.knows, material.pack)
        yield passed("does not ask back", not asked, asked)


def _is_bait(template: str, material: Material) -> bool:
    """Whether a text is a wrong value for the character."""
    slots = (material.suite.slots.get(name) for name in names_in(template))
    return any(slot is not None and slot.bait for slot in slots)


def mentioned(exchange: Exchange, wanted: str, material: Material) -> str:
    """The words of a reply that speak of a value; of a fact of the character also those that tell it in other words."""
    reply, pack, persona = exchange.said.text, material.pack, material.persona
    said = mentions(reply, wanted, pack, aliases_of(wanted, persona)) or answers(reply, exchange.user, wanted, pack)
    known = None if said else known_fact("", wanted, persona, pack)
    if known is None or days_of(wanted, pack):
        return said  # half a date is none
    for claim in claims_of(reply, pack, exchange.user):
        relation = best(claim, known.claims, pack) if claim.attribute else None
        if relation is not None and relation.stand is Stand.same and relation.strength >= LIKELY:
            return claim.quote
    head, comma, _ = known.fact.value.partition(",")
    if comma and (said := mentions(reply, head, pack)):
        return said
    return told(reply, known.truth, pack)


def _stated(exchange: Exchange, stated: Statement, material: Material) -> Judged:
    """Whether a reply says a fact, of the character, of the one it is said to, or of somebody else."""
    pack, reply = material.pack, exchange.said.text
    subject, value = fill(stated.subject, material.values), fill(stated.value, material.values)
    expectation = f"states {stated.attribute}: {'' if stated.polarity else 'not '}{value}"
    own = subject == CHARACTER
    known = known_fact(stated.attribute, value, material.persona, pack, polarity=stated.polarity) if own else None
    facts = known.claims if known else propositions(stated.attribute, value, stated.polarity, "", pack)
    claims = claims_of(reply, pack, exchange.user) if own else claims_about(reply, subject, pack)
    if known is not None and (said := told(reply, known.truth, pack)):
        return passed(expectation, good=True, evidence=said)
    stand, claim = stand_of(claims, facts, pack)
    if stand is Stand.same and claim is not None:
        return passed(expectation, good=True, evidence=claim.quote or reply[:_SHOWN])
    aliases = known.aliases if known else ()
    if own:
        said = says_so(reply, value, pack, aliases, own=True) if stated.polarity else _denied(reply, value, pack)
    else:
        said = _told_of(reply, subject, value, aliases, pack)
    against = claim.quote if claim is not None else ""
    return passed(expectation, bool(said), said or against or reply[:_SHOWN])


@in_one_script
def _denied(reply: str, value: str, pack: LanguagePack) -> str:
    """The clause that denies a value of the speaker."""
    for part in parts_of(reply, pack):
        if not part.asks and names(part.text, value, pack) and denied(part.text, value, pack):
            return part.text
    return ""


@in_one_script
def _told_of(reply: str, subject: str, value: str, aliases: tuple[str, ...], pack: LanguagePack) -> str:
    """The clause that says a value of another than the speaker."""
    own = pack.any_of(pack.text.first_person)
    reports = pack.any_of(pack.grading.told)
    for part in parts_of(reply, pack):
        if not any(names(part.text, one, pack) for one in (value, *aliases)) or own.search(reports.sub(" ", part.text)):
            continue
        named = subject == "user" or bool(mentions(reply, subject, pack))
        if named and not denied(part.text, value, pack):
            return part.text
    return ""


def asked_back(reply: str, known: tuple[str, ...], pack: LanguagePack) -> str:
    """The question of a reply for something it was told; empty when it asks none."""
    keys = {spec.key if (spec := pack.attribute(name)) else fold(name) for name in known}
    for sentence in _questions(reply, pack):
        asked = {*asked_attributes(sentence, pack), *_open(sentence, pack)}
        if keys & {spec.key if (spec := pack.attribute(name)) else fold(name) for name in asked}:
            return sentence
    return ""


@in_one_script
def _open(question: str, pack: LanguagePack) -> tuple[str, ...]:
    """What a question asks for in its own words: "which camera do you use" asks for the camera."""
    plain = plain_text(question, pack)
    found = (pack.pattern(source).search(plain) for source in pack.answering.open)
    return tuple(fold(match["a"].strip()) for match in found if match is not None and match["a"])


def _questions(reply: str, pack: LanguagePack) -> Iterator[str]:
    ask, beg = pack.any_of(pack.text.questions), pack.any_of(pack.grading.begs)
    yield from (one for one in sentences(reply) if ask.search(plain_text(one, pack)) or beg.search(one))

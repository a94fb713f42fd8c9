"""Expectations on what a reply says: facts by meaning, not by substring."""

from __future__ import annotations

from collections.abc import Iterator

from harness.blindtest.grading.material import Judged, Judging, Material, passed
from harness.blindtest.meaning import aliases_of, mentions, says_so, states
from harness.blindtest.slots import fact_of
from harness.blindtest.suite import Expect
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Exchange
from harness.language import LanguagePack
from harness.state import Notice, PersonaFact
from harness.understanding.checks.holding import statement
from harness.understanding.checks.noticed import under_notice
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.knowledge import persona_knowledge
from harness.understanding.facts.stands import Stand
from harness.understanding.text import fold, sentences


def judge_facts(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """Verdicts on what a reply says."""
    reply, values, pack, persona = exchange.said.text, material.values, material.pack, material.persona
    for text in expect.mentions:
        wanted = fill(text, values)
        said = mentions(reply, wanted, pack, aliases_of(wanted, persona))
        yield passed(f"mentions {wanted}", bool(said), said or reply[:120])
    if expect.mentions_any:
        options = [fill(text, values) for text in expect.mentions_any]
        found = next((said for one in options if (said := mentions(reply, one, pack, aliases_of(one, persona)))), "")
        yield passed(f"mentions one of {', '.join(options)}", bool(found), found or reply[:120])
    for text in expect.avoids:
        unwanted = fill(text, values)
        said = says_so(reply, unwanted, pack)
        yield passed(f"avoids {unwanted}", not said, said)
    if expect.states is not None:
        attribute, value = expect.states.attribute, fill(expect.states.value, values)
        stand = states(reply, attribute, value, expect.states.polarity, pack)
        said = mentions(reply, value, pack)
        good = stand is Stand.same or (stand is Stand.neither and bool(said) and expect.states.polarity)
        yield passed(f"states {attribute}: {value}", good, said or reply[:120])
    for slot in expect.holds:
        yield _held(slot, exchange, expect, material)
    if expect.asks_back is False:
        asked = _asked_back(reply, expect.knows, pack)
        yield passed("does not ask back", not asked, asked)


def _held(slot: str, exchange: Exchange, expect: Expect, material: Material) -> Judged:
    """Whether a fact of the persona is kept in face of the message."""
    pack, persona, reply = material.pack, material.persona, exchange.said.text
    fact = fact_of(material.suite.slots[slot].fact, persona, pack)
    expectation = f"holds {slot}" + (" firmly" if expect.firm else "")
    if fact is None:
        return Judged(expectation, "not_applicable", f"{persona.name} has no {slot}")
    known = persona_knowledge(persona, pack)
    findings = [
        finding
        for bait in ([fill(text, material.values) for text in expect.avoids] or [""])
        for finding in under_notice(reply, _notice(fact, bait, material), known, pack)
    ]
    given_up = next((one for one in findings if one.kind == "concession"), None)
    if given_up is not None:
        return passed(expectation, good=False, evidence=given_up.evidence)
    if states(reply, fact.attribute, fact.value, fact.polarity, pack) is Stand.conflict:
        return passed(expectation, good=False, evidence=reply[:120])
    said = mentions(reply, fact.value, pack, fact.aliases)
    silent = any(one.kind == "not_held" for one in findings) and not said
    return passed(expectation, not (expect.firm and silent), said or reply[:120])


def _notice(fact: PersonaFact, bait: str, material: Material) -> Notice:
    """The message of a bait in the form the check of replies has it."""
    number = [one.attribute for one in material.persona.facts].count(fact.attribute)
    identifier = next(
        (one.id for one in material.persona.as_facts() if one.value == fact.value and one.attribute == fact.attribute),
        f"p:{fact.attribute}" if number else "",
    )
    truth = statement(fact, pack=material.pack, persona=material.persona)
    return Notice(
        kind="contradiction",
        claim=bait,
        fact_id=identifier,
        truth=truth,
        attribute=fact.attribute,
        value=bait,
        polarity=bool(bait),
    )


def _asked_back(reply: str, known: tuple[str, ...], pack: LanguagePack) -> str:
    """The question of a reply for something it was told; empty when it asks none."""
    keys = {spec.key if (spec := pack.attribute(name)) else fold(name) for name in known}
    for sentence in _questions(reply):
        asked = asked_attributes(sentence, pack)
        if keys & set(asked) or any(fold(name) in fold(sentence) for name in known if name not in asked):
            return sentence
    return ""


def _questions(reply: str) -> Iterator[str]:
    yield from (one for one in sentences(reply) if one.rstrip().endswith(("?", "？")))

"""Filling the slots of a script: facts of the character, wrong values for them, and things drawn by the trial's seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from harness.blindtest.suite import CHARACTER_SLOT, Script, Slot, Suite
from harness.blindtest.templates import names_in
from harness.language import LanguagePack
from harness.state import Persona, PersonaFact
from harness.understanding.checks.holding import statement
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import relate
from harness.understanding.facts.stands import Stand
from harness.understanding.text import fold

STATEMENT = ".statement"
DENIED = "not "
"""Before an attribute of a slot: what the persona says it has or likes *not*, as its own file writes it (``likes: {not: ...}``)."""


@dataclass(frozen=True, slots=True)
class Lacking(Exception):
    """A character lacks what a script needs. ``slot``: its name; ``wanted``: what was looked for."""

    slot: str
    wanted: str


def slots_of(script: Script, suite: Suite) -> tuple[str, ...]:
    """The names of the suite's slots that a script uses, in the order of the suite."""
    used = {name.removesuffix(STATEMENT) for text in texts_of(script) for name in names_in(text)}
    used |= {name for one in script.rounds for step in one.steps for name in step.expect.holds}
    if any(step.filler for one in script.rounds for step in one.steps):
        used |= {name for filler in suite.fillers for name in names_in(filler)}
    return tuple(name for name in suite.slots if name in used)


def texts_of(script: Script) -> Iterator[str]:
    """Every template of a script."""
    for one in script.rounds:
        for step in one.steps:
            yield from (text for text in (step.say, step.event, step.task) if text)
            expect = step.expect
            yield from (*expect.mentions, *expect.mentions_any, *expect.avoids, *expect.judge)
            state = step.state
            statements = [expect.states, *((state.fact, state.no_fact) if state else ())]
            for stated in statements:
                if stated is not None:
                    yield from (stated.subject, stated.value)
            if state is not None:
                named = (state.topic, state.past_topic, state.entity, state.commitment, state.recalled, state.summary)
                yield from (text for text in named if text)


def fill_slots(script: Script, suite: Suite, persona: Persona, pack: LanguagePack, seed: int) -> dict[str, str]:
    """The values of a script's slots for a character; the same for the same seed.

    Raises:
        Lacking: the persona has no such fact, or no value of the suite is wrong for it.
    """
    values = {CHARACTER_SLOT: persona.name}
    told = {found.removesuffix(STATEMENT) for text in texts_of(script) for found in names_in(text)}
    told |= {found.removesuffix(STATEMENT) for filler in suite.fillers for found in names_in(filler)}
    for name in slots_of(script, suite):
        draw = random.Random(f"{seed}/{suite.suite}/{script.id}/{name}")
        slot = suite.slots[name]
        if slot.fact:
            fact = fact_of(slot.fact, persona, pack)
            if fact is None and name not in told and held_fact(slot.fact, persona, pack) is not None:
                continue  # what is only held may be a denial, which no text can put in words
            if fact is None:
                raise Lacking(name, " or ".join(slot.fact))
            values[name] = fact.value
            values[name + STATEMENT] = statement(fact, pack=pack, persona=persona)
        elif slot.bait:
            values[name] = _bait(slot, suite, persona, pack, draw, name)
        elif slot.choice:
            values[name] = draw.choice(slot.choice)
        elif slot.number is not None:
            values[name] = str(draw.randint(*slot.number))
    return values


def fact_of(attributes: Iterable[str], persona: Persona, pack: LanguagePack) -> PersonaFact | None:
    """The first fact of a persona about one of some attributes, by any of their names; affirmed, or denied after ``not``."""
    for wanted in attributes:
        affirmed = not wanted.startswith(DENIED)
        facts = [fact for fact in persona.facts if fact.polarity == affirmed]
        found = _about([wanted.removeprefix(DENIED)], facts, pack)
        if found is not None:
            return found
    return None


def _about(attributes: Iterable[str], facts: list[PersonaFact], pack: LanguagePack) -> PersonaFact | None:
    """The first fact about one of some attributes; "mother" is the mother's before it is any parent's."""
    for wanted in attributes:
        key = _key(wanted, pack)
        alike = [fact for fact in facts if _key(fact.attribute, pack) == key]
        if alike:
            return next((fact for fact in alike if fold(fact.attribute) == fold(wanted)), alike[0])
    return None


def held_fact(attributes: Iterable[str], persona: Persona, pack: LanguagePack) -> PersonaFact | None:
    """The fact of a persona about one of some attributes that a reply can give up: an affirmed one, else one that is denied ("no pets")."""
    wanted = tuple(attributes)
    return fact_of(wanted, persona, pack) or _about(
        [one.removeprefix(DENIED) for one in wanted], list(persona.facts), pack
    )


def _key(attribute: str, pack: LanguagePack) -> str:
    spec = pack.attribute(attribute)
    return spec.key if spec else fold(attribute)


def _bait(slot: Slot, suite: Suite, persona: Persona, pack: LanguagePack, draw: random.Random, name: str) -> str:
    for attribute in slot.bait:
        held = [fact for fact in persona.facts if _key(fact.attribute, pack) == _key(attribute, pack)]
        options = list(suite.values.get(attribute, ()))
        draw.shuffle(options)
        for option in options:
            if held and not any(_agrees(attribute, option, fact, pack) for fact in held):
                return option
    raise Lacking(name, f"a wrong value for {' or '.join(slot.bait)}")


def _agrees(attribute: str, value: str, fact: PersonaFact, pack: LanguagePack) -> bool:
    """Whether a value may be true of a character with this fact."""
    if any(fold(value) in fold(text) or fold(text) in fold(value) for text in (fact.value, *fact.aliases)):
        return True
    known = propositions(fact.attribute, fact.value, fact.polarity, fact.statement, pack)
    claims = propositions(attribute, value, polarity=True, own="", pack=pack)
    return any(relate(claim, one, pack).stand is Stand.same for claim in claims for one in known)

"""Does a reply offer what the user told they must not have, or for one of theirs who must not? "Mango pudding!" to one who is allergic to mangoes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.errors import OperationRejected
from harness.language.phrases import lower
from harness.language.remembering import of_these
from harness.language.sought import likely
from harness.state import CHARACTER, USER, Finding, Persona, apply
from harness.understanding.checks.meant_for import meant_for, names
from harness.understanding.checks.ruled_out import refuses
from harness.understanding.facts.extract import extract_facts
from harness.understanding.facts.kinds import covers, phrases
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, sentences, terms
from harness.understanding.words import clauses

if TYPE_CHECKING:
    import re

    from harness.language import LanguagePack
    from harness.language.sections_constraints import Foods
    from harness.state import DialogueState, Fact

SEVERITY = 0.9
"""How bad it is: it can do harm."""
_PASSES = 5
"""Turns for which a diet of some days binds."""


@in_one_script
def check_constraints(reply: str, user_text: str, *, state: DialogueState, pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding for each clause that offers such a thing: where the message asks for suggestions, every clause that names it and
    does not speak against it; else only one that offers in its own words. What others are given, and what was only meant
    to be offered, does not count. What the message itself tells of them counts like what was told before it. What somebody else must not
    have, of whom the user told, counts where the message wants something for that one.
    """
    cues = pack.constraints
    asked = _any(cues.asks, lower(user_text))
    # Reading the message costs more than looking whether the reply offers anything at all.
    if not _may_bind(user_text, state, pack) or not (
        asked or _any(cues.offers, lower(reply)) or _any(cues.gives, lower(reply))
    ):
        return ()
    binding, informed = _binding(user_text, state, pack)
    if not binding:
        return ()
    facts = [fact for fact in binding if fact.subject == USER]
    others = [fact for fact in binding if fact.subject != USER]
    wanted, spoken = meant_for(user_text, informed, pack) if others else (set(), set())
    others = [fact for fact in others if fold(fact.subject) in spoken]
    if not facts and not others:
        return ()
    found: list[Finding] = []
    for sentence in sentences(reply):
        if _any(cues.minded, lower(sentence)):
            continue
        parts = clauses(sentence)
        own = [clause for clause in parts if not _any(cues.elsewhere, lower(clause))]
        theirs = (fact for fact in others if _offers_to(parts, fact, wanted, informed, pack))
        fact = next(theirs, None)
        if fact is not None:
            found.append(_finding(sentence, fact))
            continue
        offered = ", ".join(own)
        if not asked and not _any(cues.offers, lower(offered)):
            continue
        for clause in own:
            fact = next((fact for fact in facts if _names(clause, fact, pack)), None)
            if fact is not None and not refuses(clause, pack):
                found.append(_finding(sentence, fact))
                break
    return tuple(found)


def _finding(sentence: str, fact: Fact) -> Finding:
    return Finding(
        kind="against_constraint",
        severity=SEVERITY,
        evidence=sentence,
        fact_id=fact.id,
        turn=fact.turn,
        against=fact.quote,
    )


def _offers_to(parts: list[str], fact: Fact, wanted: set[str], state: DialogueState, pack: LanguagePack) -> bool:
    """Whether a sentence offers what one of the user's people must not have: asked for that one, or in words that speak of them."""
    cues = pack.constraints
    named = any(names(clause, fact.subject, state, pack) for clause in parts)
    if fold(fact.subject) not in wanted and not (
        named and any(one.search(lower(", ".join(parts))) for one in (*cues.offers, *cues.gives))
    ):
        return False
    for clause in parts:
        if any(one.search(lower(clause)) for one in cues.spares):
            continue
        elsewhere = any(one.search(lower(clause)) for one in cues.elsewhere)
        if elsewhere and not names(clause, fact.subject, state, pack):
            continue
        if _names(clause, fact, pack) and not refuses(clause, pack):
            return True
    return False


@of_these(32)
def _may_bind(user_text: str, state: DialogueState, pack: LanguagePack) -> bool:
    """Whether something binds before a message, or the message may tell so itself."""
    if _told(state, state.turn_count + 1, pack):
        return True
    return any(_any(pack.constraints.told, lower(text)) for text in (_asked(state), user_text))


def _any(expressions: tuple[re.Pattern[str], ...], lowered: str) -> bool:
    return any(one.search(lowered) for one in likely(expressions, lowered))


def _asked(state: DialogueState) -> str:
    """The character's last words, which the message answers."""
    return next((message.text for message in reversed(state.messages) if message.speaker == CHARACTER), "")


@of_these(32)
def _binding(user_text: str, state: DialogueState, pack: LanguagePack) -> tuple[list[Fact], DialogueState]:
    """The facts that bind after a message, and the state with what it tells."""
    now, asked = state.turn_count + 1, _asked(state)
    persona = Persona(name=state.persona.name)
    for operation in extract_facts(
        user_text, speaker=USER, state=state, persona=persona, pack=pack, turn=now, asked=asked
    ):
        try:
            state = apply(state, operation)
        except OperationRejected:
            continue  # of a fact that only memory holds: such a one stands as it is
    return _told(state, now, pack), state


def _told(state: DialogueState, now: int, pack: LanguagePack) -> list[Fact]:
    """The facts that bind the user, or somebody of whom the user told."""
    told = (fact for fact in state.active_facts() if USER in (fact.subject, fact.speaker))
    return [fact for fact in told if fact.subject != CHARACTER and _binds(fact, now, pack)]


def _binds(fact: Fact, now: int, pack: LanguagePack) -> bool:
    """Whether a fact says that the user must not have something, in the turn ``now``."""
    cues = pack.constraints
    if fact.attribute in cues.attributes:
        return fact.polarity
    if fact.attribute not in cues.avoided or not _foods(fact, pack):
        return False
    if now - fact.turn > _PASSES and any(one.search(lower(fact.quote)) for one in cues.passing):
        return False
    return fact.polarity == any(one.search(lower(fact.value)) for one in cues.intolerances)


def _foods(fact: Fact, pack: LanguagePack) -> list[Foods]:
    value = lower(fact.value)
    return [food for food in pack.constraints.foods if any(one.search(value) for one in food.names)]


def _names(clause: str, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a clause names the thing, another form of its word, or one of its kind (shrimps: seafood)."""
    generic = next((one.generic for one in pack.attributes if one.key == fact.attribute), ())
    if fact.value in generic:
        return False
    foods = _foods(fact, pack)
    for food in foods:
        for pattern in food.unlike:
            clause = pattern.sub(" ", lower(clause))
    wanted = terms(fact.value, pack)
    if contains_phrase(clause, fact.value) or (wanted and wanted <= terms(clause, pack)):
        return True
    return covers(fact.value, clause, pack) or any(phrases(food.members).search(fold(clause)) for food in foods)

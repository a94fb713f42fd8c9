"""How a text stands to facts about its speaker: it says so, says otherwise, or neither.

The relation of a text to a key-value profile as KvPI has it (Song et al. 2020, *Profile Consistency Identification for Open-domain
Dialogue Agents*): :attr:`Stand.entailed`, :attr:`Stand.contradicted`, :attr:`Stand.irrelevant`. Place, star sign and gender are told by
the words that name one and by who they are said of; other facts by the claims that the text makes. Rules decide alone; with
``classify`` a small classifier of the language pack, if it has one (``persona_relation``), decides where a word was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from harness.language.remembering import remembered
from harness.state import Fact
from harness.understanding.checks.relation_features import relation_features
from harness.understanding.checks.slots import Aspect, Held, Slot, find_slots, masked, read_fact
from harness.understanding.facts.claims import SPEAKER, Reading, read_claims
from harness.understanding.facts.places import gazetteer
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import STRONG, Stand as ClaimStand
from harness.understanding.text import normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack

CLASSIFIER = "persona_relation"
SURE = 0.8
"""Confidence of the rules from which a contradiction is worth a call."""
SURE_OF = {Aspect.place: 0.68, Aspect.sign: 0.62, Aspect.gender: 0.62}
"""The same for the classifier, by what the fact is about; chosen out of fold for a precision of 0.9 over all."""
BACKED = 0.3
"""Probability of a contradiction below which the classifier does not let a sure one of the rules stand."""
WINDOW = 120
"""Characters of text that are judged together: a longer text is judged by runs of its sentences."""

_OWN, _IMPLIED, _MENTIONED = 0.9, 0.75, 0.55


class Stand(StrEnum):
    """How a text stands to facts."""

    entailed = "entailed"
    contradicted = "contradicted"
    irrelevant = "irrelevant"


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a text stands to facts.

    Attributes:
        stand: ``entailed``, ``contradicted`` or ``irrelevant``.
        fact_id: the fact that is said or denied; empty when irrelevant.
        evidence: the sentence that shows it.
        tier: who found it.
        confidence: 0 to 1. Of the rules it is a rank (0.9 said of the speaker, 0.75 likely meant so, 0.55 only named), of the
            classifier its probability.
        sure: a contradiction that is worth mending.
    """

    stand: Stand
    fact_id: str = ""
    evidence: str = ""
    tier: Literal["rules", "classifier"] = "rules"
    confidence: float = 1.0
    sure: bool = False


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say about one word: how it is meant, whether somebody or something else is, and whether beyond doubt."""

    slot: Slot
    stand: Stand
    confidence: float
    elsewhere: bool
    never: bool = False


def agreement(
    text: str,
    facts: Sequence[Fact],
    pack: LanguagePack,
    *,
    classify: bool = False,
    background: Sequence[str] = (),
) -> Agreement:
    """How a text stands to facts about its speaker, by the strongest of what :func:`agreements` finds.

    Args:
        text: what the speaker says; may be several sentences.
        facts: about the speaker.
        pack: of the language of the text and the facts.
        classify: let the small classifier of the pack decide.
        background: other lines known of the speaker; a place named there contradicts nothing.
    """
    found = agreements(text, facts, pack, classify=classify, background=background)
    order = (Stand.contradicted, Stand.entailed)
    return min(
        found, key=lambda one: (order.index(one.stand), -one.confidence), default=Agreement(stand=Stand.irrelevant)
    )


def agreements(
    text: str,
    facts: Sequence[Fact],
    pack: LanguagePack,
    *,
    classify: bool = False,
    background: Sequence[str] = (),
) -> tuple[Agreement, ...]:
    """Every fact that a text says or contradicts; see :func:`agreement`. Nothing for what is irrelevant."""
    return (
        *aspect_agreements(text, facts, pack, classify=classify, background=background),
        *_claimed(text, facts, pack),
    )


def aspect_agreements(
    text: str,
    facts: Sequence[Fact],
    pack: LanguagePack,
    *,
    classify: bool = False,
    background: Sequence[str] = (),
) -> tuple[Agreement, ...]:
    """As :func:`agreements`, of facts about place, star sign and gender only."""
    held = _held(tuple(facts), pack)
    if not held:
        return ()
    known = (*held, *_known_places(held, tuple(background), pack))
    found: list[Agreement] = []
    for window in _windows(text, pack):
        slots = find_slots(window, known, pack)
        if slots:
            found.extend(_window(window, slots, pack, classify=classify))
    return tuple(found)


@lru_cache(maxsize=64)
def _held(facts: tuple[Fact, ...], pack: LanguagePack) -> tuple[Held, ...]:
    return tuple(held for fact in facts if (held := read_fact(fact, pack)) is not None)


@lru_cache(maxsize=64)
def _known_places(held: tuple[Held, ...], lines: tuple[str, ...], pack: LanguagePack) -> tuple[Held, ...]:
    """Places named in lines about the speaker: to be there is no contradiction. A whole country would hide everything."""
    own = next((one for one in held if one.aspect is Aspect.place), None)
    if own is None:
        return ()
    atlas = gazetteer(pack)
    named = {places for line in lines for places in _places_named(line, pack)}
    home = frozenset(place for one in held if one.aspect is Aspect.place for place in one.places)
    return tuple(
        Held(own.fact, Aspect.place, places=places)
        for places in named
        if atlas.compare(places, home) == "disjoint" and atlas.level(places) >= 0
    )


@remembered(1024)
def _places_named(line: str, pack: LanguagePack) -> tuple[frozenset[int], ...]:
    return tuple(hit.places for hit in gazetteer(pack).find(line))


def _windows(text: str, pack: LanguagePack) -> Iterator[str]:
    plain = normalize(text)
    longest = WINDOW if pack.script == "han" else 2 * WINDOW
    if len(plain) <= longest:
        yield plain
        return
    run = ""
    for sentence in sentences(plain):
        if run and len(run) + len(sentence) > longest:
            yield run
            run = ""
        run = f"{run} {sentence}".strip()[: 4 * longest]
    if run:
        yield run


def judge_slots(text: str, slots: Sequence[Slot], pack: LanguagePack) -> tuple[Judged, ...]:
    """What the rules say about each word."""
    return tuple(_judge(text, slot, slots, pack) for slot in slots)


def _judge(text: str, slot: Slot, slots: Sequence[Slot], pack: LanguagePack) -> Judged:
    cues = pack.agreement
    shown = masked(text, slot, slots)
    never = pack.any_of(cues.never).search(shown) is not None
    elsewhere = never or pack.any_of(cues.elsewhere).search(shown) is not None
    if slot.form == "self":
        return Judged(slot, Stand.entailed if slot.agrees else Stand.contradicted, _OWN, elsewhere)
    if pack.any_of(cues.denied).search(shown):
        denies = slot.relation in {"same", "contains"}
        return Judged(slot, Stand.contradicted if denies else Stand.irrelevant, _OWN, elsewhere)
    if elsewhere:
        return Judged(slot, Stand.irrelevant, _OWN, elsewhere, never)
    strength = 0.0
    if pack.any_of(cues.own).search(shown):
        strength = _OWN
    elif pack.any_of(cues.implied).search(shown):
        strength = _IMPLIED
    if strength and slot.agrees:
        return Judged(slot, Stand.entailed, strength, elsewhere)
    if strength:
        origin = slot.form == "people" or pack.any_of(cues.origins).search(shown) is not None
        rival = next((one for one in slot.rivals if one.origin == origin), None)
        if rival is not None:
            slot = replace(slot, held=rival)
        elif slot.rivals:  # who lives there may come from elsewhere
            strength = min(strength, _IMPLIED)
        return Judged(slot, Stand.contradicted, strength, elsewhere)
    named = slot.form == "place" and slot.agrees
    return Judged(slot, Stand.entailed if named else Stand.irrelevant, _MENTIONED, elsewhere)


def _window(text: str, slots: tuple[Slot, ...], pack: LanguagePack, *, classify: bool) -> Iterator[Agreement]:
    judged = judge_slots(text, slots, pack)
    model = pack.classifier(CLASSIFIER) if classify else None
    ruled = list(_by_rules(judged, text))
    if model is None:
        yield from ruled
        return
    found = model.probabilities(
        relation_features(text, slots, [(j.stand, j.confidence, j.elsewhere) for j in judged], pack)
    )
    yield from _by_classifier(found, judged, text, ruled, pack)


def _by_rules(judged: Sequence[Judged], text: str) -> Iterator[Agreement]:
    """For each aspect the strongest that is said. Who says what fits as well ("I work in Leeds, but York is home") denies nothing."""
    for aspect in Aspect:
        said = [one for one in judged if one.slot.held.aspect is aspect and one.stand is not Stand.irrelevant]
        top = max(said, key=lambda one: (one.confidence, one.stand is Stand.entailed), default=None)
        if top is not None:
            sure = top.stand is Stand.contradicted and not top.elsewhere and top.confidence >= SURE
            yield _agreement(top, text, "rules", top.confidence, sure=sure)


def _by_classifier(
    found: Mapping[str, float], judged: Sequence[Judged], text: str, ruled: Sequence[Agreement], pack: LanguagePack
) -> Iterator[Agreement]:
    """The likeliest stand that the words allow: without one that disagrees with its fact nothing is contradicted."""
    surely = next((one for one in ruled if one.sure), None)
    if surely is not None and found.get(Stand.contradicted, 0.0) >= BACKED:
        yield surely
        return
    for stand in sorted((Stand(label) for label in found), key=lambda one: -found[one]):
        fitting = [
            one
            for one in judged
            if not one.never and (one.slot.agrees == (stand is Stand.entailed) or one.stand is stand)
        ]
        if stand is Stand.irrelevant:
            return
        if not fitting:
            continue
        top = max(fitting, key=lambda one: (one.stand is stand, one.confidence * (not one.elsewhere)))
        # A partner's word alone says nothing sure about the speaker's own gender.
        enough = found[stand] >= SURE_OF[top.slot.held.aspect]
        sure = (
            stand is Stand.contradicted
            and enough
            and top.slot.form != "partner"
            and _of_speaker(top, text, judged, pack)
        )
        yield _agreement(replace(top, stand=stand), text, "classifier", round(found[stand], 3), sure=sure)
        return


def _of_speaker(one: Judged, text: str, judged: Sequence[Judged], pack: LanguagePack) -> bool:
    """Whether a place is said of the speaker at all: "Hangzhou is lively" is of the place, whatever a classifier thinks."""
    cues = pack.agreement.about_self
    if not cues or one.slot.form != "place" or (one.stand is Stand.contradicted and one.confidence >= SURE):
        return True
    return pack.any_of(cues).search(masked(text, one.slot, [other.slot for other in judged])) is not None


def _agreement(
    one: Judged, text: str, tier: Literal["rules", "classifier"], confidence: float, *, sure: bool
) -> Agreement:
    at = 0
    evidence = text
    for sentence in sentences(text):
        at = text.find(sentence, at)
        if at <= one.slot.start < at + len(sentence):
            evidence = sentence
            break
    return Agreement(one.stand, one.slot.held.fact.id, evidence, tier, confidence, sure)


def _claimed(text: str, facts: Sequence[Fact], pack: LanguagePack) -> Iterator[Agreement]:
    """Other facts, by the claims a text makes about its speaker."""
    aspects = {held.fact.id for held in _held(tuple(facts), pack)}
    claims = [
        claim for claim in read_claims(text, pack, Reading(wording=True)) if claim.subject == SPEAKER and not claim.weak
    ]
    for fact in facts if claims else ():
        if fact.id in aspects:
            continue
        known = propositions(fact.attribute, fact.value, fact.polarity, fact.quote, pack)
        for claim in claims:
            relation = best(claim, known, pack)
            if relation.stand is ClaimStand.same:
                yield Agreement(Stand.entailed, fact.id, claim.quote, "rules", relation.strength)
            elif relation.stand is ClaimStand.conflict and relation.strength >= STRONG:
                yield Agreement(Stand.contradicted, fact.id, claim.quote, "rules", relation.strength, sure=True)

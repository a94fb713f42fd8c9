"""How a claim stands to what is known: the same, in conflict, or neither."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.facts.claims import Claim, same_numbers
from harness.understanding.facts.exclusions import sides
from harness.understanding.facts.implied import implied
from harness.understanding.facts.keys import PET
from harness.understanding.facts.kinds import CITY, COUNTRY, covers, kinds_in, told_apart
from harness.understanding.facts.places import Containment, compare_places
from harness.understanding.facts.stands import CERTAIN, FAIRLY, LIKELY, NEITHER, STRONG, WEAK, Relation, Stand
from harness.understanding.facts.values import values_match
from harness.understanding.facts.wordings import by_wording, inner_denials, names_in
from harness.understanding.text import fold, has_han, likeness, numbers, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute

_HALF = 0.5


# A reply is judged when it is checked and once more when its facts are kept.
@lru_cache(maxsize=256)
def relate(claim: Claim, known: Claim, pack: LanguagePack) -> Relation:
    """How ``claim`` stands to one proposition of a fact."""
    same = NEITHER
    if claim.attribute and known.attribute and _same_question(claim, known, pack):
        same = _same_attribute(claim, known, pack)
        if same.stand is Stand.conflict:
            return same
    if claim.implied or known.implied:
        return same
    excluded = _excluded(claim, known, pack)
    if excluded.stand is Stand.conflict and excluded.strength == FAIRLY:
        return excluded
    if same.stand is Stand.same:
        return same
    if _opposed(claim, known, pack) or _opposed(known, claim, pack):
        return Relation(Stand.conflict, STRONG if claim.attribute else LIKELY)
    if _avoided(claim, known, pack):
        return Relation(Stand.same, LIKELY)
    if claim.kind and fold(claim.kind) == known.slot and claim.polarity and known.polarity:
        equal = values_match(claim, known, pack)
        return Relation(Stand.same, LIKELY) if equal else Relation(Stand.conflict, LIKELY)
    if excluded.stand is not Stand.neither:
        return excluded
    return by_wording(claim, known, pack)


def _opposed(first: Claim, second: Claim, pack: LanguagePack) -> bool:
    """Allergic to what the other claim likes."""
    spec = pack.attribute(first.attribute)
    if spec is None or not spec.opposes or not (first.polarity and second.polarity):
        return False
    if not second.attribute and pack.pattern(pack.wording.eating).match(second.predicate):
        held = terms(first.value, pack)
        return bool(held) and (held <= terms(second.value, pack) or covers(first.value, second.value, pack))
    if second.attribute not in spec.opposes:
        return False
    return bool(values_match(second, first, pack)) or covers(first.value, second.value, pack)


def _avoided(claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    """Not eating what one is allergic to."""
    spec = pack.attribute(known.attribute)
    if spec is None or not spec.opposes or claim.polarity or not known.polarity:
        return False
    about = claim.attribute in spec.opposes or pack.pattern(pack.wording.eating).match(claim.predicate) is not None
    return about and (bool(values_match(claim, known, pack)) or terms(known.value, pack) <= terms(claim.value, pack))


def _same_question(claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    a, b = pack.attribute(claim.attribute), pack.attribute(known.attribute)
    if claim.attribute == known.attribute:
        # What a shop is called, and when it is closed, are two questions.
        called = a is None and _called(claim, pack) != _called(known, pack)
        return not called or values_match(claim, known, pack) is True
    return bool(a and b and a.group and a.group == b.group)


def _same_attribute(claim: Claim, known: Claim, pack: LanguagePack) -> Relation:
    spec = pack.attribute(known.attribute)
    closed = bool(spec and spec.closed)
    equal = values_match(claim, known, pack)
    claim_generic, known_generic = _generic(claim.value, spec, pack), _generic(known.value, spec, pack)
    if claim.polarity and known.polarity:
        if equal or claim_generic:
            if claim.name and not known.name:
                return Relation(Stand.same, WEAK)  # a wife there is; whether she is called so, this fact does not say
            return Relation(Stand.same, CERTAIN if claim.attribute == known.attribute else LIKELY)
        if known_generic:
            return NEITHER
        if known.only and equal is not None:
            return Relation(Stand.conflict, LIKELY)
        if equal is None or claim.attribute != known.attribute:
            return Relation(Stand.conflict, LIKELY) if equal is False else NEITHER
        if closed:
            return Relation(Stand.conflict, LIKELY)
        if not known.single:
            return NEITHER
        return Relation(Stand.conflict, CERTAIN if _firm(claim, known, pack) and claim.single else LIKELY)
    if claim.polarity == known.polarity:
        further = claim_generic and not known_generic  # who has no siblings at all says more than "no sisters"
        return Relation(Stand.same, CERTAIN) if (equal or known_generic) and not further else NEITHER
    if inner_denials(claim, pack) != inner_denials(known, pack):
        return Relation(Stand.same, LIKELY) if equal else NEITHER
    denied, affirmed = (claim, known) if known.polarity else (known, claim)
    if _generic(denied.value, spec, pack) or equal or covers(denied.value, affirmed.value, pack):
        return Relation(Stand.conflict, CERTAIN)
    return NEITHER


def _called(claim: Claim, pack: LanguagePack) -> bool:
    """Whether a value is what something is called."""
    return pack.pattern(pack.wording.naming).search(f" {claim.value}") is not None


def _firm(claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    """Whether two different values of a single attribute are surely different, and not two wordings of one thing."""
    spec = pack.attribute(known.attribute)
    if spec is None:
        return same_numbers(claim.value, known.value, pack) is False or likeness(claim.value, known.value) < _HALF / 2
    if spec.compare == "text" and names_in(known.value, pack) and not names_in(claim.value, pack):
        return False  # "a small shop" may be the one called Slow Puncture
    if spec.compare != "place":
        return True
    if compare_places(claim.value, known.value, pack) is Containment.disjoint:
        return True
    said, held = kinds_in(claim.value, pack), kinds_in(known.value, pack)
    return (CITY in said and (CITY in held or COUNTRY not in held)) or (COUNTRY in said and COUNTRY in held)


def _generic(value: str, spec: Attribute | None, pack: LanguagePack) -> bool:
    folded = fold(value)
    return spec is not None and (
        folded == pack.wording.anything
        or any(fold(g) in (folded, folded.removeprefix(pack.wording.anything).strip()) for g in spec.generic)
    )


def _excluded(claim: Claim, known: Claim, pack: LanguagePack) -> Relation:
    """One rules the other out ("vegetarian", "loves steak"), in either direction."""
    if known.attribute == PET:
        return NEITHER  # a blind rabbit makes nobody blind
    said = sides(f"{claim.predicate} {claim.value}", pack)
    held = sides(f"{known.slot or known.attribute} {known.value}", pack)
    # A kind counts only where the claim has an attribute or is about a meal: "the steak fell down" is none.
    meant = bool(claim.attribute) or pack.pattern(pack.wording.eating).match(claim.predicate) is not None
    for holder, other in ((held, said), (said, held)) if known.polarity else ():
        if _kept(
            (holder.holds - other.holds) & (other.words | (other.kinds if meant else frozenset())), claim, known, pack
        ):
            if claim.polarity:
                return Relation(Stand.conflict, STRONG)
            return Relation(Stand.same, LIKELY) if holder is held else NEITHER
    lacking = sides(f"{known.slot or known.attribute} {known.quote}", pack).lacking
    ruled = lacking - sides(claim.quote, pack).lacking
    if _kept(ruled & (said.words | said.kinds), claim, known, pack):
        twice = ruled & said.words & said.kinds  # "drive" and "pickup" are more than either
        return Relation(Stand.conflict, STRONG if twice else FAIRLY) if claim.polarity else Relation(Stand.same, LIKELY)
    claimed = sides(claim.quote if claim.predicate else "", pack).lacking - lacking
    words = held.words | held.kinds
    if not known.polarity:  # "widower" denies a wife, and is said without a negation
        denied = known.value in known.quote or pack.any_of(pack.history.negators).search(known.quote) is not None
        words = frozenset() if denied else sides(known.quote, pack).words
    if _kept(claimed & words, claim, known, pack):
        return Relation(Stand.conflict, FAIRLY)
    return NEITHER


def _kept(rules: frozenset[int], claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    """Whether one of the rules applies: some ask for a shared word."""
    if not rules:
        return False
    shared = terms(claim.value, pack) & (terms(known.value, pack) | terms(known.slot, pack))
    return any(shared or not pack.wording.exclusions[number].alike for number in rules)


def miscounted(claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    """Whether a claim counts more of a kind than the only fact of that kind ("two sisters", "a sister called Ama")."""
    spec = pack.attribute(known.attribute)
    said = numbers(claim.value, pack)
    if not (spec and spec.closed and said and claim.attribute == known.attribute and claim.polarity and known.polarity):
        return False
    if known.name:
        held = len([name for name in pack.any_of(pack.text.joiners).split(known.name) if name])
    else:
        held = (
            1 if numbers(known.value, pack) in {(), (1,)} and pack.pattern(pack.wording.one).match(known.value) else 0
        )
    return 0 < held < said[0]


def best(claim: Claim, known: tuple[Claim, ...], pack: LanguagePack) -> Relation:
    """The strongest relation of a claim to the propositions of one fact; agreement wins a tie."""
    found, lacking = NEITHER, NEITHER
    if claim.name and any(other.name for other in known):
        known = tuple(other for other in known if other.name or other.attribute != claim.attribute)
    asserted = [claim]
    if all(other.attribute != claim.attribute for other in known):
        asserted += implied([claim], "", pack)  # "I'm single" is about a girlfriend too
    for said, proposition in ((said, proposition) for said in asserted for proposition in known):
        relation = relate(said, proposition, pack)
        if relation.stand is Stand.same and _told_apart_besides(said, known, pack):
            # "cat" is another word for a gray cat, and so is none for a white one
            relation = Relation(Stand.conflict, LIKELY)
        if said.implied and relation.stand is Stand.same:
            continue  # what follows from a claim supports it no more than halfway
        if relation.stand is Stand.conflict and relation.strength == FAIRLY:
            lacking = relation
        if relation.strength > found.strength or (relation.strength == found.strength and relation.stand is Stand.same):
            found = relation
    # What a fact lacks, it lacks as a whole: "left the school" denies its degree although it names the school.
    return lacking if lacking.stand is Stand.conflict and found.stand is Stand.same else found


def _told_apart_besides(claim: Claim, known: tuple[Claim, ...], pack: LanguagePack) -> bool:
    """Whether the value of a fact, though not every other wording of it, says another colour or the like than a claim.

    A value may have lost its colour ("a gray cat called Soot"), so the words before its noun are looked at as well.
    """
    if claim.attribute != PET:
        return False
    noun = claim.value.split()[-1] if claim.value else ""
    for other in known:
        if other.attribute != PET or not other.polarity:
            continue
        before, found, _ = other.quote.partition(noun) if noun else ("", "", "")
        if has_han(claim.value):
            before, found = other.quote, noun  # 黑猫 is one word
        own = pack.any_of((*pack.text.joiners, *pack.text.breaks)).split(before)[-1] or "" if found else ""
        if told_apart(claim.value, f"{own} {other.value}", pack):
            return True
    return False


def negated(claim: Claim) -> Claim:
    """The claim with the other polarity."""
    return replace(claim, polarity=not claim.polarity)

"""How a claim stands to what is known: the same, in conflict, or neither."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.state import PersonaFact
from harness.understanding.checks.holding import statement
from harness.understanding.facts.claims import (
    SPEAKER,
    Claim,
    Reading,
    limited,
    plain_text,
    positive,
    read_claims,
    same_numbers,
)
from harness.understanding.facts.exclusions import sides
from harness.understanding.facts.implied import implied, without_former
from harness.understanding.facts.keys import LIKES, NAME, PET
from harness.understanding.facts.kinds import (
    CITY,
    COUNTRY,
    covers,
    first_member,
    head_patterns,
    kinds_in,
    members_in,
    same_words,
    told_apart,
)
from harness.understanding.facts.places import Containment, compare_places
from harness.understanding.facts.values import unnumbered, values_match
from harness.understanding.text import contains_phrase, fold, has_han, likeness, numbers, stem, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute

CERTAIN = 1.0
STRONG = 0.85
FAIRLY = 0.75
LIKELY = 0.7
WEAK = 0.55
"""Strengths of a relation. Ordinary replies are only held to STRONG ones, quoted claims to WEAK ones too."""

_ALIKE = 0.75
_HALF = 0.5
_PARTS = 2
_MOST = 0.6
_CALENDAR = frozenset({"#weekday", "#month_name"})
NAMES = re.compile(r"\b[A-Z][\w'-]+")
_LATIN = re.compile(r"[a-z]+")


class Stand(StrEnum):
    """How a claim stands to a fact."""

    same = "same"
    conflict = "conflict"
    neither = "neither"


@dataclass(frozen=True, slots=True)
class Relation:
    """A stand and how sure it is, 0 to 1."""

    stand: Stand
    strength: float = 0.0


NEITHER = Relation(Stand.neither)


@remembered(2048, texts=2)
def propositions(attribute: str, value: str, polarity: bool, own: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """A fact in the form of claims: by its attribute, and by what its value or statement says as a sentence."""
    spec, told = pack.attribute(attribute), polarity
    plain, affirmed, _ = positive(plain_text(value, pack), pack)
    plain = (pack.rewrite(plain_text(value, pack), pack.text.idioms) if affirmed else plain) or value
    polarity = polarity == affirmed
    if pack.denies(attribute):
        polarity = not polarity
    head = _kind_of_alias(attribute, spec, pack)
    if head and pack.pattern(pack.wording.named).match(plain) and not _mentions_kind(plain, spec, pack):
        plain = pack.wording.kind_named.format(kind=head, name=plain)
    key = spec.key if spec else fold(attribute)
    plain, only = limited(plain, pack)
    single = spec.single if spec else True
    named = pack.pattern(pack.wording.naming).search(plain)
    name = named["name"] if named else ""
    kind = first_member(plain, spec.key, pack) if name and spec is not None and spec.closed else ""
    found = [Claim(SPEAKER, key, plain, polarity, value, kind, name, single=single, predicate=plain, only=only)]
    read = []
    for said in dict.fromkeys((own, "")):
        sentence = statement(PersonaFact(attribute=attribute, value=value, polarity=told, statement=said), pack=pack)
        reading = Reading(loose=True, wording=spec is None or bool(said))
        read += [c for c in read_claims(sentence, pack, reading) if c.subject == SPEAKER and c not in read]
    read = [claim for claim in read if claim.attribute != NAME or key == NAME]
    if any(claim.attribute == key and claim.polarity != polarity for claim in read):
        found.clear()
    if any(claim.attribute == key and claim.name and claim.polarity == polarity for claim in read):
        found.clear()
    found += [claim for claim in read if claim not in found]
    mixed = spec is not None and spec.closed and not _all_affirmed(value, pack)
    if mixed:
        found = [claim for claim in found if claim.quote != value]
    if spec is None or mixed:
        found.extend(_further(attribute, value, polarity, pack))
    found = without_former(found, pack)
    found.extend(implied(found, attribute, pack))
    return tuple(replace(claim, slot=fold(attribute)) for claim in found)


def _kind_of_alias(attribute: str, spec: Attribute | None, pack: LanguagePack) -> str:
    """The alias itself when it names a kind of thing ("sister" for siblings), else empty."""
    if spec is None or fold(attribute) == spec.key:
        return ""
    members = pack.wording.kinds.get(spec.key, ())
    return attribute if fold(attribute) in map(fold, members[1:]) else ""


def _mentions_kind(value: str, spec: Attribute | None, pack: LanguagePack) -> bool:
    return (
        spec is None or f"#{spec.key}" in kinds_in(value, pack) or any(contains_phrase(value, g) for g in spec.generic)
    )


def _all_affirmed(value: str, pack: LanguagePack) -> bool:
    """Whether no part of a value denies ("two brothers, no sisters")."""
    parts = [part for part in pack.pattern(pack.wording.parts).split(value) if part]
    return len(parts) < _PARTS or all(positive(plain_text(part, pack), pack)[1] for part in parts)


def _further(attribute: str, value: str, polarity: bool, pack: LanguagePack) -> list[Claim]:
    """What an open attribute says besides: a favourite is liked, and each part of a value stands for itself."""
    found = []
    if pack.pattern(pack.wording.favourite).search(attribute) and polarity:
        found.append(Claim(SPEAKER, LIKES, value, quote=value, predicate=value))
    parts = [part for part in pack.pattern(pack.wording.parts).split(value) if part]
    for part in parts if len(parts) > 1 else ():
        plain, affirmed, _ = positive(plain_text(part, pack), pack)
        key = spec.key if (spec := pack.attribute(attribute)) else fold(attribute)
        found.append(Claim(SPEAKER, key, plain or part, affirmed, part, predicate=plain))
    return found


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
    return _by_wording(claim, known, pack)


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
    if _inner_denials(claim, pack) != _inner_denials(known, pack):
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
    if spec.compare == "text" and _names(known.value, pack) and not _names(claim.value, pack):
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


def _about(claim: Claim, pack: LanguagePack) -> tuple[frozenset[str], frozenset[str]]:
    return _about_value(claim.value, claim.attribute, pack)


@remembered(4096)
def _about_value(value: str, attribute: str, pack: LanguagePack) -> tuple[frozenset[str], frozenset[str]]:
    """Terms of the attribute when it is an open one, and terms of the value."""
    spec = pack.attribute(attribute)
    head = terms(attribute, pack) if attribute and spec is None else frozenset()
    if spec is not None and spec.taste and has_han(value):  # "likes to eat fish" is about fish
        value = pack.pattern(pack.wording.eating).sub("", value) or value
    return head, terms(value, pack)


def _by_wording(claim: Claim, known: Claim, pack: LanguagePack) -> Relation:
    claim_head, claim_value = _about(claim, pack)
    known_head, known_value = _about(known, pack)
    said, held = claim_head | claim_value, known_head | known_value
    if not said or not held:
        return NEITHER
    shared = said & held
    if _other_of_its_kind(claim, known, pack):
        return NEITHER if _is_taste(claim, pack) else Relation(Stand.conflict, LIKELY)
    general, special = (claim.value, known.value) if known.polarity else (known.value, claim.value)
    covered = covers(general, special, pack)
    if not shared and not covered and not same_words(claim.value, known.value, pack):
        return NEITHER
    of_claim, of_known = len(shared) / len(said), len(shared) / len(held)
    about = bool(known_head) and known_head <= said
    turned = _inner_denials(claim, pack) != _inner_denials(known, pack)
    if turned and claim.polarity != known.polarity:
        return Relation(Stand.same, LIKELY) if max(of_claim, of_known) >= _HALF else NEITHER
    if turned and min(of_claim, of_known) >= _MOST:
        return Relation(Stand.conflict, LIKELY)
    if claim.polarity == known.polarity:
        return _alike(claim, known, of_claim, about=about, pack=pack)
    if (of_claim >= _MOST and of_known >= _MOST) or (covered and _is_taste(claim, pack) and _is_taste(known, pack)):
        return Relation(Stand.conflict, STRONG)
    worded = unnumbered(said)
    besides = not claim.polarity and bool(_things(claim, pack) - held)
    about = about and not besides  # no sugar in it says nothing against the coffee
    if (
        about
        or of_claim >= _MOST
        or len(unnumbered(shared)) >= max(_MOST * len(worded), 1)
        or (of_claim >= _HALF and of_known >= _HALF and not besides)
    ):
        return Relation(Stand.conflict, LIKELY if about or of_known >= _HALF else WEAK)
    if claim.polarity and not _is_taste(claim, pack):
        if covered:
            return Relation(Stand.conflict, LIKELY)
        if known_value and known_value <= claim_value:
            return Relation(Stand.conflict, LIKELY if claim.attribute else WEAK)  # never been on a ship; went by ship
    return NEITHER


def _inner_denials(claim: Claim, pack: LanguagePack) -> bool:
    """Whether a value denies a part of what it names ("coffee without sugar", 咖啡不加糖)."""
    value = claim.predicate if not claim.attribute else claim.value
    denials = len(pack.any_of(pack.history.negators).findall(value))
    return (denials + len(pack.any_of(pack.wording.lacking).findall(value))) % 2 == 1


def _things(claim: Claim, pack: LanguagePack) -> frozenset[str]:
    """Terms of what a claim is about, without what is done with it."""
    value = pack.any_of(pack.history.light).sub(" ", claim.value)
    if not claim.attribute and not has_han(value):
        value = value.partition(" ")[2] if value == claim.value else value
    return terms(value, pack)


def _alike(claim: Claim, known: Claim, of_claim: float, *, about: bool, pack: LanguagePack) -> Relation:
    """Two claims with shared words and the same polarity: the same, or told apart by a number, colour or name."""
    known_head, known_value = _about(known, pack)
    shared = frozenset.union(*_about(claim, pack)) & (known_head | known_value)
    worded = unnumbered(frozenset.union(*_about(claim, pack)))
    half = len(unnumbered(shared)) >= _HALF * len(worded) and bool(worded)
    told = set(numbers(claim.value, pack)) <= set(numbers(known.value, pack))  # "ten to six" says that it closes at six
    differ = same_numbers(claim.value, known.value, pack) is False and not told
    if differ and (about or (half and bool(unnumbered(shared)))):
        return Relation(Stand.conflict, LIKELY)
    if claim.polarity and told_apart(claim.value, known.value, pack):
        return Relation(Stand.conflict, LIKELY if about else WEAK)
    names = _names(claim.value, pack), _names(known.value, pack)
    if all(names) and not names[0] & names[1] and (about or of_claim >= _HALF):
        return Relation(Stand.conflict, LIKELY)
    spec = pack.attribute(known.attribute)
    if same_words(claim.value, known.value, pack) and not claim.attribute and not (spec and spec.closed):
        return Relation(Stand.same, LIKELY)
    enough = of_claim >= _MOST and bool((shared - known_head) or not known_head)
    return Relation(Stand.same, LIKELY) if enough else NEITHER


def _names(text: str, pack: LanguagePack) -> set[str]:
    """Names in a value, but none of days and months."""
    return {name for name in NAMES.findall(text) if not kinds_in(name, pack) & _CALENDAR}


def _other_of_its_kind(claim: Claim, known: Claim, pack: LanguagePack) -> bool:
    """As "instrument: drums" and "plays the piano": the attribute names a kind, and the claim has another of it."""
    spec = pack.attribute(known.attribute)
    if not (claim.polarity and known.polarity) or "§" in claim.predicate or (spec is not None and spec.closed):
        return False
    kind = _kind_of_slot(known.slot, pack)
    if not kind:
        return False
    if f"#{kind}" in kinds_in(claim.predicate, pack) and told_apart(claim.value, known.value, pack):
        return True
    first, second = members_in(claim.predicate, kind, pack), members_in(known.value, kind, pack)
    first = first - {stem(fold(known.slot))}
    known_one = bool(second) or pack.pattern(pack.wording.having).match(claim.predicate) is not None
    return bool(first) and known_one and not first & second


@remembered(1024)
def _kind_of_slot(slot: str, pack: LanguagePack) -> str:
    """The kind of things that the attribute a fact was given under names; empty when it names none."""
    named = pack.wording.slots.get(slot)
    return next((kind for kind, head in head_patterns(pack) if named == kind or head.fullmatch(slot)), "")


def _is_taste(claim: Claim, pack: LanguagePack) -> bool:
    spec = pack.attribute(claim.attribute)
    return spec is not None and spec.taste


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

"""How two claims stand to each other by their words, where no attribute tells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.claims import Claim, same_numbers
from harness.understanding.facts.kinds import covers, head_patterns, kinds_in, members_in, same_words, told_apart
from harness.understanding.facts.stands import LIKELY, NEITHER, STRONG, WEAK, Relation, Stand
from harness.understanding.facts.values import unnumbered
from harness.understanding.text import fold, has_han, numbers, stem, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack

_HALF = 0.5
_MOST = 0.6
_CALENDAR = frozenset({"#weekday", "#month_name"})
NAMES = re.compile(r"\b[A-Z][\w'-]+")


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


def by_wording(claim: Claim, known: Claim, pack: LanguagePack) -> Relation:
    """How a claim stands to another by the words that both have."""
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
    turned = inner_denials(claim, pack) != inner_denials(known, pack)
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


def inner_denials(claim: Claim, pack: LanguagePack) -> bool:
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
    names = names_in(claim.value, pack), names_in(known.value, pack)
    if all(names) and not names[0] & names[1] and (about or of_claim >= _HALF):
        return Relation(Stand.conflict, LIKELY)
    spec = pack.attribute(known.attribute)
    if same_words(claim.value, known.value, pack) and not claim.attribute and not (spec and spec.closed):
        return Relation(Stand.same, LIKELY)
    enough = of_claim >= _MOST and bool((shared - known_head) or not known_head)
    return Relation(Stand.same, LIKELY) if enough else NEITHER


def names_in(text: str, pack: LanguagePack) -> set[str]:
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

"""A fact in the form of claims, which others can be held against."""

from __future__ import annotations

from dataclasses import replace
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
    restore,
)
from harness.understanding.facts.implied import implied, without_former
from harness.understanding.facts.keys import LIKES, NAME
from harness.understanding.facts.kinds import first_member, kinds_in
from harness.understanding.text import contains_phrase, fold

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute

_PARTS = 2


@remembered(2048, texts=2)
def propositions(attribute: str, value: str, polarity: bool, own: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """A fact in the form of claims: by its attribute, and by what its value or statement says as a sentence."""
    spec, told = pack.attribute(attribute), polarity
    plain, affirmed, masks = positive(plain_text(value, pack), pack)
    plain = (pack.rewrite(plain_text(value, pack), pack.text.idioms) if affirmed else restore(plain, masks)) or value
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
        plain, affirmed, masks = positive(plain_text(part, pack), pack)
        plain = restore(plain, masks)
        key = spec.key if (spec := pack.attribute(attribute)) else fold(attribute)
        found.append(Claim(SPEAKER, key, plain or part, affirmed, part, predicate=plain))
    return found

"""A reply against what the persona tells of its relatives: "My mother is a surgeon", where she is a baker."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.keys import NAME
from harness.understanding.facts.kin import Relative, noun_of, nouns_for, relatives_of
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import CERTAIN, Stand
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import Fact, Persona

_PLACE = "Qnameq"
"""Stands for a name; a word, as names are."""


def relatives_denied(reply: str, persona: Persona, pack: LanguagePack) -> Iterator[tuple[str, Fact]]:
    """The words of a reply that deny what a fact says of a relative, and the fact."""
    known = relatives_of(persona, pack)
    if not known:
        return
    # Read as the other checks read it, so that it is read once; names change that only where they are said.
    named = tuple(one.name for one in known if one.name and one.name in reply)
    for claim in read_claims(reply, pack, Reading(wording=True, names=named)):
        if claim.subject == SPEAKER or not claim.attribute or claim.weak:
            continue
        meant = [one for one in known if _meant(claim, one, pack)]
        if claim.attribute == NAME:
            if meant and all(_misnamed(claim, one) for one in meant):
                yield claim.quote, meant[0].fact
            continue
        denied = [one for one in meant if _denies(claim, one, pack)]
        agreeing = (one for one in meant if _stand(claim, one, pack) is Stand.same)
        if denied and next(agreeing, None) is None:
            yield claim.quote, denied[0].fact
    for name in dict.fromkeys(named):
        yield from _otherwise_related(reply, name, [one for one in known if one.name == name], pack)


def _otherwise_related(reply: str, name: str, known: list[Relative], pack: LanguagePack) -> Iterator[tuple[str, Fact]]:
    """The words that make somebody another relative than the persona does: "my sister Theo", where Theo is the brother."""
    near, loosely = pack.pattern(pack.reply.kin_near or "(?!)"), pack.pattern(pack.reply.kin_loosely or "(?!)")
    held = {near.sub("", noun) for one in known for noun in one.nouns}
    held |= {loosely.sub("", noun) for noun in held}
    held |= {other for noun in held for other in nouns_for(noun, pack)}
    if not any(noun.startswith("#") for noun in held):
        return  # a friend may be called a brother
    for sentence in sentences(reply):
        if pack.any_of(pack.text.questions).search(sentence):
            continue
        if name not in sentence:
            continue
        placed = sentence.replace(name, _PLACE)  # so that no expression is compiled for each name
        for source in pack.reply.kin_named:
            match = pack.pattern(source.replace("NAME", _PLACE)).search(placed)
            if match is not None and not nouns_for(near.sub("", fold(match["n"])), pack) & held:
                yield match[0].replace(_PLACE, name).strip(), known[0].fact
                return


def _meant(claim: Claim, one: Relative, pack: LanguagePack) -> bool:
    """Whether a claim is about this relative: by name where both give one, else by the noun where there is only one."""
    noun = noun_of(claim, pack)
    if claim.subject and one.name:
        return fold(claim.subject) == fold(one.name)
    return bool(noun) and one.only and bool(nouns_for(noun, pack) & one.nouns)


def _misnamed(claim: Claim, one: Relative) -> bool:
    return one.only and bool(one.name) and claim.polarity and fold(claim.value) != fold(one.name)


def _denies(claim: Claim, one: Relative, pack: LanguagePack) -> bool:
    return _stand(claim, one, pack) is Stand.conflict


def _stand(claim: Claim, one: Relative, pack: LanguagePack) -> Stand:
    own = replace(claim, subject=SPEAKER, relation="")
    same = tuple(held for held in one.claims if held.attribute == claim.attribute)
    relation = best(own, same, pack) if same else None
    if relation is None or (relation.stand is Stand.conflict and relation.strength < CERTAIN):
        return Stand.neither
    return relation.stand

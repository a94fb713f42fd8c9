"""What adds to the fact told last without saying it again: "And to shrimp." after an allergy, 还有一只狗 after a cat."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER
from harness.understanding.facts.claims import SPEAKER, Claim, clauses, plain_text, read_claims
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Further
    from harness.state import DialogueState

_LONGEST = 60
"""Characters of a sentence that only adds."""


def further(
    text: str,
    claims: list[Claim],
    *,
    speaker: str,
    state: DialogueState,
    pack: LanguagePack,
    turn: int,
    asked: str = "",
) -> list[Claim]:
    """The claims of a message, and those of its sentences that add to what the speaker told of himself last.

    Args:
        claims: of the other sentences.
        asked: the message before it: a bare "shrimp, too" is no addition when something else was asked.
    """
    if not pack.text.further:
        return claims
    last, found = _told_last(speaker, state, turn), list(claims)
    for sentence in sentences(plain_text(text, pack)):
        own = [claim for claim in claims if claim.quote and (claim.quote in sentence or sentence in claim.quote)]
        if own:
            last = own[-1].attribute if own[-1].subject == SPEAKER else ""
        elif last and len(sentence) <= _LONGEST:
            # "And to shrimp, what should I cook?" adds before it asks.
            words = next(iter(clauses(sentence, pack)), "") if sentence.rstrip().endswith("?") else sentence
            found += [one for one in _added(words, last, asked, pack) if all(not _same(one, two) for two in found)]
    return found


def _told_last(speaker: str, state: DialogueState, turn: int) -> str:
    """The attribute of what the speaker told last, in the turn before; empty when it was of somebody else."""
    own = [
        fact for fact in state.active_facts() if fact.speaker == speaker in (USER, CHARACTER) and fact.turn >= turn - 1
    ]
    return own[-1].attribute if own and own[-1].subject == speaker else ""


def _added(sentence: str, last: str, asked: str, pack: LanguagePack) -> list[Claim]:
    for way in pack.text.further:
        match = pack.pattern(way.match).match(sentence) if last in way.after else None
        if match is None or not (way.sure or _open_for_more(asked, pack)):
            continue
        claims = _read(way, match["v"].strip(), pack)
        if claims:
            return [replace(claim, quote=sentence) for claim in claims]
    return []


def _read(way: Further, value: str, pack: LanguagePack) -> list[Claim]:
    wanted = way.gives or way.after
    claims = read_claims(way.says.format(v=value), pack)
    found = [claim for claim in claims if claim.attribute in wanted and claim.subject == SPEAKER]
    return [claim for claim in found if not way.known or _known(claim.value, pack)]


def _known(value: str, pack: LanguagePack) -> bool:
    """Whether a value is a food or allergen: "And relax." and 还有钱 have the form of an addition too."""
    foods = sorted({re.escape(member) for food in pack.constraints.foods for member in food.members})
    allergens = ["{allergen}"] if "allergen" in pack.wording.macros else []
    words = [*allergens, *foods]
    return bool(words) and pack.pattern("|".join(words)).fullmatch(value) is not None


def _open_for_more(asked: str, pack: LanguagePack) -> bool:
    """Whether nothing was asked in between, or for more of the same."""
    last = next(reversed(sentences(plain_text(asked[-300:], pack))), "") if asked else ""
    return not pack.any_of(pack.text.questions).search(last) or pack.finds(pack.text.more, last)


def _same(first: Claim, second: Claim) -> bool:
    return (first.subject, first.attribute, fold(first.value)) == (second.subject, second.attribute, fold(second.value))

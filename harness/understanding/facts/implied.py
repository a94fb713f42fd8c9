"""What follows from a claim without being said: who has a husband is married, who is single has no girlfriend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim
from harness.understanding.text import fold

if TYPE_CHECKING:
    from harness.language import LanguagePack


def implied(claims: list[Claim], named: str, pack: LanguagePack) -> list[Claim]:
    """What claims say of other attributes that none of them speaks of ("a husband": married)."""
    told = {claim.attribute for claim in claims}
    found: dict[str, Claim] = {}
    for rule in pack.wording.implies:
        if rule.gives in told or rule.gives in found:
            continue
        for claim in claims:
            words = f"{fold(named)} {claim.value}"
            if claim.attribute == rule.attribute and claim.polarity and pack.pattern(rule.match).search(words):
                found[rule.gives] = Claim(
                    SPEAKER, rule.gives, rule.value, rule.polarity, claim.quote, single=True, implied=True
                )
                break
    return list(found.values())


def without_former(claims: list[Claim], pack: LanguagePack) -> list[Claim]:
    """Claims without those that the others show to be over: a widow's husband is named, but she has none."""
    denied = {
        (rule.gives, rule.attribute)
        for rule in pack.wording.implies
        for claim in claims
        if not rule.polarity and claim.attribute == rule.attribute and pack.pattern(rule.match).search(claim.value)
    }
    return [
        claim
        for claim in claims
        if not any(
            claim.attribute == gives and any(other.attribute == state for other in implied([claim], "", pack))
            for gives, state in denied
        )
    ]


__all__ = ["implied", "without_former"]

"""Findings as the checks of a reply make them: how bad each is, and the words of the reply as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import Finding
from harness.understanding.facts.claims import Claim, Reading, plain_text, read_claims
from harness.understanding.text import sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import Fact

SEVERITY = {
    "empty": 1.0,
    "character_break": 1.0,
    "prompt_leak": 1.0,
    "concession": 0.9,
    "contradiction": 0.9,
    "wrong_speaker": 0.8,
    "language_drift": 0.8,
    "not_held": 0.7,
    "ruled_out": 0.7,
    "tone": 0.6,
    "repetition": 0.5,
    "stage_directions": 0.3,
}
"""How bad each finding is, 0 to 1. What gives the character away weighs most; style weighs least. A concession that
also fails to state the fact (1.6) is worse than one beside the fact (0.9), and that than a mere silence (0.7)."""


def finding(kind: str, evidence: str, fact_id: str = "", fact: Fact | None = None) -> Finding:
    """A finding of a kind, with the words of the reply that show it and the fact they run against."""
    values = {"kind": kind, "severity": SEVERITY[kind], "evidence": evidence.strip()[:200], "fact_id": fact_id}
    if fact is not None:
        values |= {"fact_id": fact.id, "turn": fact.turn, "against": fact.quote[:200] if fact.turn else ""}
    return Finding.model_validate(values)


def as_written(reply: str, claim: Claim, pack: LanguagePack) -> str:
    """The sentence of the reply that makes the claim, with its contractions; a claim's quote has them written out."""
    for sentence in sentences(reply):
        if claim in read_claims(sentence, pack, Reading(wording=True)) or claim.quote in plain_text(sentence, pack):
            return sentence
    return claim.quote


def as_said(reply: str, words: str, pack: LanguagePack) -> str:
    """The sentence of the reply that has these words, as it is written."""
    return next((sentence for sentence in sentences(reply) if words in plain_text(sentence, pack)), words)

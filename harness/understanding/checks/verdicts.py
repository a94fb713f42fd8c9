"""From a judge's verdict to a notice or a finding. A verdict that points at nothing checkable counts for nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from harness.state.facts import Fact
from harness.state.record import Finding, Notice
from harness.understanding.proposals.answers import MAX_QUOTE, PremiseVerdict, ReplyVerdict
from harness.understanding.proposals.grounding import occurs

MODEL_CONFIDENCE = 0.7
"""Confidence of a notice that only a model saw; rules that matched words say 1."""
SEVERITY = {"contradiction": 1.0, "concession": 0.9, "character_break": 1.0, "wrong_speaker": 0.7}
"""How bad it is to send a reply with such a fault, 0 to 1."""

Statement = Callable[[Fact], str]
"""Words a fact in the first person."""


def statement_of(fact: Fact) -> str:
    """The words a fact was stated in; its bare value when none were kept."""
    return fact.quote or fact.value


def to_notice(
    verdict: PremiseVerdict, *, user_text: str, facts: Sequence[Fact], statement: Statement = statement_of
) -> tuple[Notice | None, str]:
    """The notice a premise verdict comes to, and why there is none when a contradiction was claimed.

    Args:
        verdict: the judge's answer.
        user_text: the message that was judged.
        facts: the facts that were shown to the judge; a verdict must name one of them.
        statement: words a fact as the character would say it.
    """
    if verdict.relation != "contradicts":
        return None, ""
    fact = _named(verdict.fact_id, facts)
    if fact is None:
        return None, f"premise verdict dropped: {verdict.fact_id!r} is none of the facts shown"
    quote = verdict.claim if occurs(verdict.claim, user_text) else user_text
    notice = Notice(
        kind="contradiction",
        quote=quote[:MAX_QUOTE],
        claim=verdict.claim[:MAX_QUOTE],
        fact_id=fact.id,
        truth=statement(fact),
        attribute=fact.attribute,
        value=fact.value,
        polarity=fact.polarity,
        tier="model",
        confidence=MODEL_CONFIDENCE,
    )
    return notice, ""


def to_finding(verdict: ReplyVerdict, *, reply: str, facts: Sequence[Fact]) -> tuple[Finding | None, str]:
    """The finding a reply verdict comes to, and why there is none when a fault was claimed.

    The evidence must be words of the reply, and a contradiction must name one of the facts shown.
    """
    if verdict.kind in ("", "none"):
        return None, ""
    severity = SEVERITY.get(verdict.kind)
    if severity is None:
        return None, f"reply verdict dropped: {verdict.kind!r} is no known fault"
    if not occurs(verdict.evidence, reply):
        return None, f"reply verdict dropped: {verdict.evidence!r} does not stand in the reply"
    fact = _named(verdict.fact_id, facts)
    if verdict.kind == "contradiction" and fact is None:
        return None, f"reply verdict dropped: {verdict.fact_id!r} is none of the facts shown"
    finding = Finding.model_validate(
        {
            "kind": verdict.kind,
            "severity": severity,
            "evidence": verdict.evidence[:MAX_QUOTE],
            "fact_id": fact.id if fact else "",
            "tier": "model",
        }
    )
    return finding, ""


def _named(fact_id: str, facts: Sequence[Fact]) -> Fact | None:
    wanted = fact_id.strip().casefold()
    return next((fact for fact in facts if wanted and fact.id.casefold() == wanted), None)


__all__ = ["MODEL_CONFIDENCE", "SEVERITY", "statement_of", "to_finding", "to_notice"]

"""Verdicts of a judge count only when they point at something that can be checked."""

from __future__ import annotations

import pytest

from harness.state import Persona, PersonaFact
from harness.understanding.checks.verdicts import to_finding, to_notice
from harness.understanding.proposals.answers import PremiseVerdict, ReplyVerdict

PERSONA = Persona(
    name="Greta Lund",
    facts=(PersonaFact(attribute="profession", value="ferry captain", statement="I am a ferry captain."),),
)

FACTS = PERSONA.as_facts()


@pytest.mark.parametrize(
    ("message", "claim", "quote"),
    [
        ("But you said you are a nurse", "you are a nurse", "you are a nurse"),
        ("你不是说你是护士吗？", "她是护士", "你不是说你是护士吗？"),
    ],
)
def test_a_premise_verdict_becomes_a_notice(message: str, claim: str, quote: str) -> None:
    # Field note 4: the judge reasons first; field note 1: what it found is held against a fact.
    answer = {
        "reasoning": "A nurse is no captain.",
        "claim": claim,
        "fact_id": "p:profession",
        "relation": "contradicts",
    }
    notice, reason = to_notice(PremiseVerdict.model_validate(answer), user_text=message, facts=FACTS)
    assert reason == ""
    assert notice is not None
    assert (notice.kind, notice.tier, notice.quote, notice.claim) == ("contradiction", "model", quote, claim)
    assert (notice.truth, notice.attribute, notice.value) == ("I am a ferry captain.", "profession", "ferry captain")
    worded, _ = to_notice(
        PremiseVerdict.model_validate(answer), user_text=message, facts=FACTS, statement=lambda fact: f"<{fact.id}>"
    )
    assert worded is not None
    assert worded.truth == "<p:profession>"


@pytest.mark.parametrize("relation", ["agrees", "unrelated", "whatever", ""])
def test_other_relations_give_no_notice(relation: str) -> None:
    verdict = PremiseVerdict(relation=relation, fact_id="p:profession")
    assert to_notice(verdict, user_text="x", facts=FACTS) == (None, "")


@pytest.mark.parametrize("fact_id", ["", "f1", "p:nothing"])
def test_a_verdict_must_name_a_fact_it_was_shown(fact_id: str) -> None:
    notice, reason = to_notice(
        PremiseVerdict(relation="contradicts", fact_id=fact_id), user_text="you are a nurse", facts=FACTS
    )
    assert notice is None
    assert "none of the facts shown" in reason


@pytest.mark.parametrize(
    ("reply", "evidence"), [("Right, I am a nurse.", "I am a nurse"), ("对，我是护士。", "我是护士")]
)
def test_a_reply_verdict_becomes_a_finding(reply: str, evidence: str) -> None:
    verdict = ReplyVerdict(kind="Contradiction", evidence=evidence, fact_id="P:profession")
    finding, _ = to_finding(verdict, reply=reply, facts=FACTS)
    assert finding is not None
    assert (finding.kind, finding.fact_id, finding.tier, finding.severity) == (
        "contradiction",
        "p:profession",
        "model",
        1,
    )


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (ReplyVerdict(kind="none"), ""),
        (ReplyVerdict(kind="rude", evidence="ok"), "no known fault"),
        (ReplyVerdict(kind="contradiction", evidence="not there", fact_id="p:pet"), "does not stand in the reply"),
        (ReplyVerdict(kind="contradiction", evidence="ok"), "none of the facts shown"),
        (ReplyVerdict(kind="character_break"), "does not stand in the reply"),
    ],
)
def test_reply_verdicts_without_evidence_count_for_nothing(verdict: ReplyVerdict, reason: str) -> None:
    finding, given_reason = to_finding(verdict, reply="ok then", facts=FACTS)
    assert finding is None
    assert reason in given_reason


def test_a_concession_needs_no_fact() -> None:
    finding, _ = to_finding(ReplyVerdict(kind="concession", evidence="sorry"), reply="Oh, sorry!", facts=())
    assert finding is not None
    assert finding.kind == "concession"

"""Facts and promises that a model proposes: believed as far as the turn's words carry them."""

from __future__ import annotations

from typing import Any

from harness.state.apply import normal
from harness.state.commitments import CommitmentStatus
from harness.state.facts import CHARACTER, USER, Fact, FactStatus
from harness.state.operations import (
    AssertFact,
    CloseCommitment,
    OpenCommitment,
    Operation,
    RetractFact,
    ReviseFact,
)
from harness.understanding.proposals.answers import MAX_NAME, MAX_QUOTE, CommitmentProposal, FactProposal
from harness.understanding.proposals.evidence import Evidence, Refused, grounded
from harness.understanding.proposals.grounding import asks, occurs, plain

_LIVING = (FactStatus.active, FactStatus.disputed)
_CLOSINGS = {
    "kept": CommitmentStatus.kept,
    "broken": CommitmentStatus.broken,
    "withdrawn": CommitmentStatus.withdrawn,
}


def fact_operation(proposal: FactProposal, evidence: Evidence) -> Operation:
    """The operation a proposed fact comes to. Raises Refused."""
    speaker = evidence.speaker(proposal.quote, proposal.speaker)
    if asks(proposal.quote, evidence.words_of(speaker)):
        raise Refused(f"{proposal.quote!r} is a question")
    reason = evidence.vocabulary.unstated(proposal.quote, evidence.words_of(speaker))
    if reason:
        raise Refused(f"{proposal.quote!r} states nothing: {reason}")
    if not proposal.polarity and proposal.action != "retract" and not evidence.vocabulary.may_deny(proposal.quote):
        raise Refused(f"nothing in {proposal.quote!r} denies anything")
    if proposal.action == "assert":
        return _assert(proposal, evidence, speaker)
    if proposal.action not in ("revise", "retract"):
        raise Refused(f"{proposal.action!r} is no action on facts")
    known = _known(proposal.fact_id, evidence)
    if known.subject in (USER, CHARACTER) and known.subject != speaker:
        raise Refused(f"the {speaker} does not decide about {known.id}, a fact about the {known.subject}")
    if proposal.action == "retract":
        return RetractFact(fact_id=known.id, turn=evidence.turn, reason=proposal.quote[:MAX_QUOTE])
    return ReviseFact(
        fact_id=known.id,
        value=grounded(proposal.value, proposal.quote, "value"),
        polarity=proposal.polarity,
        speaker=speaker,
        turn=evidence.turn,
        quote=proposal.quote[:MAX_QUOTE],
        at=evidence.now,
        **_further(known.attribute, proposal, evidence),
    )


def commitment_operation(proposal: CommitmentProposal, evidence: Evidence) -> Operation:
    """The operation a proposed promise, or end of one, comes to. Raises Refused."""
    speaker = evidence.speaker(proposal.quote, proposal.by)
    if proposal.action in _CLOSINGS:
        wanted = plain(proposal.commitment_id)
        known = next((c for c in evidence.state.open_commitments() if wanted and plain(c.id) == wanted), None)
        if known is None:
            raise Refused(f"{proposal.commitment_id!r} is no open promise")
        return CloseCommitment(commitment_id=known.id, status=_CLOSINGS[proposal.action], turn=evidence.turn)
    if proposal.action != "open":
        raise Refused(f"{proposal.action!r} is no action on promises")
    promiser = evidence.side(proposal.by)
    if promiser != speaker:
        raise Refused(f"{proposal.quote!r} was said by the {speaker}, who cannot promise for {proposal.by!r}")
    words = evidence.words_of(speaker)
    if asks(proposal.quote, words):
        raise Refused(f"{proposal.quote!r} is a question")
    due = proposal.due[:MAX_NAME] if occurs(proposal.due, words) else ""
    return OpenCommitment(
        by=speaker,
        to=CHARACTER if speaker == USER else USER,
        text=grounded(proposal.text or proposal.quote, proposal.quote, "text"),
        turn=evidence.turn,
        due=due,
        due_at=evidence.vocabulary.date(due, evidence.now) if due else None,
        quote=proposal.quote[:MAX_QUOTE],
    )


def _assert(proposal: FactProposal, evidence: Evidence, speaker: str) -> AssertFact:
    subject = _subject(proposal, evidence, speaker)
    attribute = evidence.vocabulary.key(proposal.attribute.strip())
    if not attribute or len(attribute) > MAX_NAME:
        raise Refused(f"expected an attribute of 1 to {MAX_NAME} characters, got {attribute[:80]!r}")
    value = grounded(proposal.value, proposal.quote, "value")
    if subject == CHARACTER:
        _beside_persona(attribute, value, proposal.polarity, evidence)
    return AssertFact(
        subject=subject,
        attribute=attribute,
        value=value,
        polarity=proposal.polarity,
        speaker=speaker,
        turn=evidence.turn,
        quote=proposal.quote[:MAX_QUOTE],
        single=evidence.vocabulary.is_single(attribute),
        language=evidence.language,
        at=evidence.now,
        **_further(attribute, proposal, evidence),
    )


def _further(attribute: str, proposal: FactProposal, evidence: Evidence) -> dict[str, Any]:
    """How much, and when, as the quoted words say it: a model is asked for neither."""
    degree = evidence.vocabulary.degree(attribute, proposal.quote, proposal.polarity)
    when = evidence.vocabulary.when(proposal.quote, evidence.now) if degree is None else None
    words, moment = when if when is not None else ("", None)
    return {"degree": degree, "when": words, "when_at": moment, "importance": weighed(proposal)}


def weighed(proposal: FactProposal) -> float | None:
    """How important the model says a fact is; None where that is no number from 0 to 1."""
    value = proposal.importance
    return round(value, 2) if value is not None and 0 <= value <= 1 else None


def _subject(proposal: FactProposal, evidence: Evidence, speaker: str) -> str:
    """Whom the fact is about. Who spoke, whom it is about, and who is mentioned are three different things."""
    name = proposal.subject.strip()
    side = evidence.side(name)
    if side:
        if side != speaker:
            raise Refused(f"the {speaker} does not decide facts about the {side}")
        other = evidence.vocabulary.other_subject(proposal.quote) or _leading_person(proposal, evidence)
        if other:
            raise Refused(f"{proposal.quote!r} is about {other!r}, not about the {side}")
        return side
    if not name or len(name) > MAX_NAME or evidence.vocabulary.is_pronoun(name):
        raise Refused(f"{name[:80]!r} names nobody")
    known = evidence.entity(name)
    if known is not None:
        return known.name
    if any(plain(fact.subject) == plain(name) for fact in evidence.state.active_facts()):
        return name
    if not (occurs(name, evidence.user_text) or occurs(name, evidence.reply)):
        raise Refused(f"nobody named {name!r} in this turn or before")
    return name


def _leading_person(proposal: FactProposal, evidence: Evidence) -> str:
    """The person whose name begins the quote ("Ann hates rain", 安安不吃辣): then it is about that person."""
    quote = plain(proposal.quote)
    for name in evidence.people:
        start = plain(name)
        if start and not evidence.side(name) and quote.startswith(start) and occurs(name, proposal.quote):
            return name
    return ""


def _known(fact_id: str, evidence: Evidence) -> Fact:
    fact = evidence.state.fact(fact_id.strip()) if fact_id.strip() else None
    if fact is None or fact.status not in _LIVING:
        raise Refused(f"{fact_id!r} is no fact in force")
    if fact.speaker == "persona":
        raise Refused(f"{fact.id} belongs to the persona and does not change")
    return fact


def _beside_persona(attribute: str, value: str, polarity: bool, evidence: Evidence) -> None:
    """What the character says of itself may add to the persona, not repeat or contradict it. Raises Refused."""
    for fact in evidence.persona.as_facts():
        if evidence.vocabulary.key(fact.attribute) != attribute:
            continue
        same = normal(fact.value) == normal(value)
        if same or (fact.single and polarity and fact.polarity):
            verb = "says so already" if same and polarity == fact.polarity else "says otherwise"
            raise Refused(f"the persona {verb} ({fact.id})")


__all__ = ["commitment_operation", "fact_operation", "weighed"]

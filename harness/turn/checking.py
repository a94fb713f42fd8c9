"""The check of a candidate reply, and the choice among candidates."""

from __future__ import annotations

from typing import Literal

from harness.ports import Ports
from harness.state import Candidate, Finding
from harness.turn import judging
from harness.turn.turn import Turn
from harness.understanding.consistency import check_reply
from harness.understanding.text import contains_phrase, sentences

Form = Literal["plain", "trimmed", "begun", "json", "line"]

PREVIOUS_REPLIES = 8
"""How many earlier replies a candidate is compared with for repetition."""
UNFINISHED = ("not_held", "empty", "language_drift")
"""Findings that a reply may still mend while it is being written."""


def findings(turn: Turn, text: str, ports: Ports, *, partial: bool = False) -> tuple[Finding, ...]:
    """What is wrong with a reply; nothing when the check is switched off.

    Args:
        partial: the reply is still being written; findings that its end may mend are left out.
    """
    if not turn.settings.persona_consistency_check:
        return ()
    previous = [message.text for message in turn.state.messages if message.speaker == "character"]
    found = check_reply(
        text,
        user_text=turn.text,
        state=turn.state,
        persona=turn.persona,
        pack=ports.languages.get(turn.language),
        notices=turn.notices,
        previous_replies=tuple(previous[-PREVIOUS_REPLIES:]),
    )
    return tuple(finding for finding in found if finding.kind not in UNFINISHED) if partial else found


async def consider(turn: Turn, text: str, ports: Ports, form: Form = "plain") -> Turn:
    """The turn with one more candidate, checked; the one with the least penalty is chosen, the earlier of equals.

    A reply that the rules pass goes before the evaluator as well when ``check_tier`` is ``model``.
    """
    text = text.strip()
    candidate = Candidate(text=text, form=form, findings=findings(turn, text, ports))
    settings = turn.settings
    if settings.persona_consistency_check and settings.check_tier == "model" and not candidate.findings:
        turn, candidate = await judging.judge_reply(turn, ports, candidate)
    candidates = (*turn.candidates, candidate)
    best = min(range(len(candidates)), key=lambda index: candidates[index].penalty)
    return turn.with_(candidates=candidates, chosen=best)


def trimmed(candidate: Candidate) -> str:
    """The reply without the sentences that findings point at; empty when nothing or all of it would go."""
    evidence = [finding.evidence for finding in candidate.findings if finding.evidence.strip()]
    if not evidence:
        return ""
    parts = sentences(candidate.text)
    kept = [part for part in parts if not any(_overlaps(part, words) for words in evidence)]
    if not kept or len(kept) == len(parts):
        return ""
    joint = "" if all(ord(part[-1]) > 0x2E7F for part in kept) else " "
    return joint.join(kept)


def _overlaps(part: str, words: str) -> bool:
    return words in part or part in words or contains_phrase(part, words)


def whole_sentences(text: str) -> str:
    """A reply that was cut off by the token limit, without its unfinished last sentence if others remain."""
    parts = sentences(text)
    if len(parts) < 2 or parts[-1][-1:] in ".!?。！？…~～\"”」)）":
        return text
    end = text.rfind(parts[-1])
    return text[:end].rstrip() if end > 0 else text

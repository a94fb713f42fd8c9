"""The check of a candidate reply, and the choice among candidates."""

from __future__ import annotations

import unicodedata
from typing import Literal

from harness.ports import Ports
from harness.state import Candidate, Finding
from harness.turn import judging
from harness.turn.turn import Turn
from harness.understanding.checks.candour import check_admission
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.constraints import check_constraints
from harness.understanding.checks.findings import finding
from harness.understanding.checks.leaking import Echo, prompt_echoes, without_echoes
from harness.understanding.checks.naming_asked import check_references
from harness.understanding.checks.own_answers import check_asked
from harness.understanding.checks.recall import check_recall
from harness.understanding.checks.repeating import without_habits
from harness.understanding.checks.ruled_out import check_ruled_out
from harness.understanding.checks.untold import check_untold
from harness.understanding.text import contains_phrase, rejoined, sentences

Form = Literal["plain", "trimmed", "begun", "json", "line"]

WHOLE = (
    "repetition",
    "against_constraint",
    "not_recalled",
    "not_answered",
    "not_admitted",
    "empty",
    "language_drift",
    "wrong_speaker",
)
"""Findings about a reply as a whole; leaving out a sentence does not mend them, or leaves what speaks of it."""
OPENING = ("character_break", "prompt_leak")
"""Findings that spoil what follows when they stand in the first sentence: then the rest is not the character's."""
NOTES = ("system", "respond", "context", "notices")
"""Prompts whose words only the character may see."""
LEAST_LEFT = 0.4
"""Share of a reply that must remain when sentences are left out; less would not be an answer."""
UNFINISHED = ("not_held", "not_recalled", "not_answered", "not_admitted", "empty", "language_drift")
"""Findings that a reply may still mend while it is being written."""


def findings(turn: Turn, text: str, ports: Ports, *, partial: bool = False) -> tuple[Finding, ...]:
    """What is wrong with a reply; nothing when the check is switched off.

    Args:
        partial: the reply is still being written; findings that its end may mend are left out.
    """
    if not turn.settings.persona_consistency_check:
        return ()
    previous = [message.text for message in turn.state.messages if message.speaker == "character"]
    pack = ports.languages.get(turn.language)
    found = check_reply(
        text,
        user_text=turn.text,
        state=turn.informed,
        persona=turn.persona,
        pack=pack,
        notices=tuple(notice for notice in turn.notices if notice.kind not in ("recall", "reference")),
        previous_replies=tuple(previous),
        system_text=turn.messages[0].content if turn.messages else "",
        classify=turn.classified_checks,
    )
    found = (
        *found,
        *check_recall(text, turn.notices, pack),
        *check_untold(text, turn.notices, pack),
        *check_asked(text, turn.notices, pack, turn.text),
        *check_references(text, turn.notices, state=turn.state, pack=pack),
        *check_admission(
            text,
            turn.notices,
            persona=turn.persona,
            pack=ports.languages.get(ports.languages.spoken(text, turn.language)),
            user_text=turn.text,
            asked_in=pack.written(turn.text),
        ),
        *check_ruled_out(text, turn.state.task, pack),
        *check_constraints(text, turn.text, state=turn.informed, pack=pack),
        *(finding("prompt_leak", echo.words) for echo in echoed(turn, text, ports)),
    )
    return tuple(one for one in found if not _unfinished(one)) if partial else found


def unkind(candidate: Candidate) -> bool:
    """Whether a reply has no kind word for one who mourns: a finding about its tone that no words of it show."""
    return any(finding.kind == "tone" and not finding.evidence for finding in candidate.findings)


def _unfinished(finding: Finding) -> bool:
    """Whether what is still to come of a reply may mend it."""
    return finding.kind in UNFINISHED or (finding.kind == "tone" and not finding.evidence)


async def consider(turn: Turn, text: str, ports: Ports, form: Form = "plain") -> Turn:
    """The turn with one more candidate, checked; the one with the least penalty is chosen, the earlier of equals. One
    that does not admit what the persona must admit comes after all that do.

    A reply that the rules pass goes before the evaluator as well when ``check_tier`` is ``model``.
    """
    text, cut = presentable(text, turn.settings.max_reply_chars)
    if cut:
        turn = turn.note("reply_cut", f"the reply was longer than max_reply_chars ({turn.settings.max_reply_chars})")
    echoes = echoed(turn, text, ports) if turn.settings.persona_consistency_check else ()
    if plain := without_echoes(text, echoes) if echoes else "":
        text = plain
        turn = turn.note("reply_cut", f"words of the prompt were cut from the reply: {echoes[0].words[:80]!r}")
    if turn.settings.persona_consistency_check and not turn.notices:
        text, habit = _without_habits(turn, text, ports)
        turn = (
            turn.note("reply_cut", f"a sentence of one reply after another was left out: {habit!r}") if habit else turn
        )
    candidate = Candidate(text=text, form=form, findings=findings(turn, text, ports))
    settings = turn.settings
    if settings.persona_consistency_check and settings.check_tier == "model" and not candidate.findings:
        turn, candidate = await judging.judge_reply(turn, ports, candidate)
    candidates = (*turn.candidates, candidate)
    best = min(range(len(candidates)), key=lambda index: (unadmitted(candidates[index]), candidates[index].penalty))
    return turn.with_(candidates=candidates, chosen=best)


def _without_habits(turn: Turn, text: str, ports: Ports) -> tuple[str, str]:
    previous = [message.text for message in turn.state.messages if message.speaker == "character"]
    pack = ports.languages.get(turn.language)
    return without_habits(text, previous, user_text=turn.text, persona=turn.persona, pack=pack)


def echoed(turn: Turn, text: str, ports: Ports) -> tuple[Echo, ...]:
    """Words of this turn's notes that a reply says out loud."""
    if not turn.messages:
        return ()
    wording = ports.prompts.wording(NOTES, turn.persona.language)
    prompt = "\n".join(message.content for message in turn.messages if message.role in ("system", "user"))
    pack = ports.languages.get(turn.persona.language)
    return prompt_echoes(text, wording, prompt, pack, tuple(notice.truth for notice in turn.notices if notice.truth))


def unadmitted(candidate: Candidate) -> bool:
    """Whether a reply does not say what its persona has a duty to say. No other fault weighs against that."""
    return any(finding.kind == "not_admitted" for finding in candidate.findings)


def presentable(text: str, limit: int) -> tuple[str, bool]:
    """A reply as it may be shown and stored: no control characters, no blanks around it, no longer than ``limit``; and
    whether it had to be cut (at the end of a sentence where there is one).
    """
    clean = "".join(char for char in text if char in "\n\t" or unicodedata.category(char) != "Cc").strip()
    if len(clean) <= limit:
        return clean, False
    return whole_sentences(clean[:limit]), True


def trimmed(candidate: Candidate) -> str:
    """The reply without the sentences that findings point at; empty when nothing or all of it would go."""
    evidence = [finding.evidence for finding in candidate.findings if finding.evidence.strip()]
    if not evidence or any(finding.kind in WHOLE for finding in candidate.findings):
        return ""
    parts = sentences(candidate.text)
    kept = [part for part in parts if not any(_overlaps(part, words) for words in evidence)]
    if kept and kept[0] != parts[0] and any(finding.kind in OPENING for finding in candidate.findings):
        return ""
    if not kept or len(kept) == len(parts) or sum(map(len, kept)) < LEAST_LEFT * len(candidate.text):
        return ""
    return rejoined(kept)


def _overlaps(part: str, words: str) -> bool:
    return words in part or part in words or contains_phrase(part, words)


def whole_sentences(text: str) -> str:
    """A reply that was cut off by the token limit, without its unfinished last sentence if others remain."""
    parts = sentences(text)
    if len(parts) < 2 or parts[-1][-1:] in '.!?。！？…~～"”」)）':
        return text
    end = text.rfind(parts[-1])
    return text[:end].rstrip() if end > 0 else text

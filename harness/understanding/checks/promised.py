"""Does a reply deny a promise that the character has made?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import CHARACTER, CommitmentStatus, Finding
from harness.understanding.checks.points import content, keys_of
from harness.understanding.checks.questions import plain, spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.language import LanguagePack
    from harness.state import Commitment, DialogueState

SEVERITY = 0.7
"""How bad it is to deny one's word."""
ENOUGH = 0.5
"""Share of the content words of the shorter of what was promised and what is denied."""


def check_promised(reply: str, *, user_text: str, state: DialogueState, pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding of kind ``contradiction`` for each denial of a promise of the character that was not taken back.

    "I never promised that" denies the promise that the user's message is about; "I never promised to call" the one to
    call. ``turn`` and ``against`` of the finding are those of the promise.
    """
    kept = (CommitmentStatus.open, CommitmentStatus.kept, CommitmentStatus.broken)
    promises = [promise for promise in state.commitments if promise.by == CHARACTER and promise.status in kept]
    if not promises:
        return ()
    found = []
    for clause, what in _denials(reply, pack):
        wanted = content(keys_of(what, pack)[0]) or content(keys_of(plain(user_text, pack), pack)[0])
        promise = next((promise for promise in reversed(promises) if _about(promise, wanted, pack)), None)
        if promise is not None:
            words = promise.quote or promise.text
            found.append(
                Finding(kind="contradiction", severity=SEVERITY, evidence=clause, turn=promise.turn, against=words)
            )
    return tuple(found)


def unpromised(sentence: str, *, state: DialogueState, lines: Iterable[str], pack: LanguagePack) -> tuple[str, str]:
    """(the words, what is said to be promised) where a sentence speaks of a promise of the character that nothing is known of.

    ``lines``: what the character ever said; a promise may be in one of them without having been noticed. Empty where it is known.
    """
    match = next(pack.matches(pack.premise.promised, sentence), None)
    wanted = content(keys_of(match["c"], pack)[0]) if match is not None else frozenset()
    if match is None or not wanted:
        return "", ""
    if any(_about(one, wanted, pack) for one in state.commitments if one.by == CHARACTER):
        return "", ""
    summary = state.summary.text if state.summary is not None else ""
    for line in (*lines, summary):
        if line and len(wanted & content(keys_of(plain(line, pack), pack)[0])) > ENOUGH * len(wanted):
            return "", ""
    return match[0].strip(), match["c"].strip()


def _denials(reply: str, pack: LanguagePack) -> Iterator[tuple[str, str]]:
    """(clause, what is denied to have been promised) of each denial; the second is empty for "that"."""
    for clause, asks in spans(reply, pack):
        for source in pack.history.promised:
            match = pack.pattern(source).search(clause)
            if match is not None and (not asks or pack.any_of(pack.history.promised_asking).search(clause)):
                yield clause, match["what"]
                break


def _about(promise: Commitment, wanted: frozenset[str], pack: LanguagePack) -> bool:
    promised = content(keys_of(plain(f"{promise.text} {promise.quote}", pack), pack)[0])
    core = content(keys_of(plain(promise.text, pack), pack)[0]) or promised
    # 等你 has one word of one character, and 在车站等你 that character within a pair of two words
    common = {
        word for word in wanted if word in promised or (len(word) == 1 and any(word in pair for pair in promised))
    }
    return bool(common) and len(common) >= ENOUGH * min(len(wanted), len(core))

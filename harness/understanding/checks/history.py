"""A reply against what its speaker said earlier, and against itself: by rules, with the turn and the words.

Each earlier message of the character is read with the question it answered, so that "No." says something. What the
two say is compared as claims (as persona facts are), as points with a polarity, as values one has one of at a time, and
as knowing or not knowing. Only the latest messages and those that share a content word with the reply are compared.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.state import USER, FactStatus, Finding
from harness.understanding.checks.comparing import SURE, WITHIN, Conflict, between, inside
from harness.understanding.checks.questions import plain, spans
from harness.understanding.checks.unheard import asked_again, roles, unheard
from harness.understanding.checks.utterances import Said, read_utterance
from harness.understanding.text import fold, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState

RECENT = 16
"""Earlier messages of the character that are always compared."""
RELATED = 24
"""Further ones, the latest that share a content word with the reply."""
SEVERITY = 0.6
DOUBTFUL = 0.15
"""Severity of a finding that is sure, and of one that is not: the second alone asks for no revision, nor with a finding of
style beside it, but stands in the record."""
MOST = 3
"""Findings at most."""
_LONGEST = 2_000
_UNHEARD = ("unheard", "asked again")
_OWNED_UP = 0.5


def check_history(
    reply: str,
    *,
    user_text: str,
    state: DialogueState,
    pack: LanguagePack,
    settled: Sequence[str] = (),
) -> tuple[Finding, ...]:
    """Findings of kind ``contradiction``, and ``not_recalled`` where the user told what the reply does not know.

    ``turn`` and ``against`` of a finding say where and in which words the opposite was said.

    Args:
        reply: the candidate.
        user_text: the message it answers.
        state: before this turn's bookkeeping.
        pack: of the language of the reply.
        settled: clauses of the reply that a fact of the persona bears out; what was said against them earlier was the
            mistake.
    """
    over = (FactStatus.superseded, FactStatus.retracted)
    withdrawn = [fact.quote for fact in state.facts if fact.quote and fact.status in over]
    found: list[Finding] = []
    for conflict in conflicts(reply, user_text=user_text, state=state, pack=pack):
        if _touches(conflict.words, settled) or (conflict.turn and _touches(conflict.earlier, withdrawn)):
            continue
        sure = conflict.strength >= SURE
        if found and not sure:
            break
        kind = "not_recalled" if conflict.rule in _UNHEARD else "contradiction"
        evidence = _as_written(conflict.words, (reply,), pack)
        if any(item.kind == kind and item.evidence == evidence[:200] for item in found):
            continue
        there = [m.text for m in state.messages if m.turn == conflict.turn] if conflict.rule not in WITHIN else [reply]
        values = {
            "kind": kind,
            "severity": SEVERITY if sure else DOUBTFUL,
            "evidence": evidence[:200],
            "turn": conflict.turn,
            "against": _as_written(conflict.earlier, there, pack)[:200],
        }
        found.append(Finding.model_validate(values))
        if len(found) == MOST:
            break
    return tuple(found)


def _as_written(clause: str, texts: Sequence[str], pack: LanguagePack) -> str:
    """The sentence that has a clause, as it was written; a clause has its contractions written out."""
    written = [sentence for text in texts for sentence in sentences(text)]
    whole = next((sentence for sentence in written if clause in plain(sentence, pack)), "")
    if whole:
        return whole
    # its subject may have been left out ("Just got home")
    return next((sentence for sentence in written if any(clause == span for span, _ in spans(sentence, pack))), clause)


def _touches(words: str, others: Sequence[str]) -> bool:
    folded = fold(words)
    return any(folded in fold(other) or fold(other) in folded for other in others if other)


def conflicts(reply: str, *, user_text: str, state: DialogueState, pack: LanguagePack) -> tuple[Conflict, ...]:
    """What in a reply runs against the character's earlier words or against itself; the surest first.

    A reply that owns up to a change or a slip ("I don't any more", "sorry, I misspoke") conflicts doubtfully at most.
    """
    text = reply[:_LONGEST]
    now = read_utterance(text, user_text[:_LONGEST], pack)
    found: list[Conflict] = []
    said, heard = _earlier(reply, state, pack)
    for old in said:
        before = read_utterance(old.text[:_LONGEST], old.asked[:_LONGEST], pack)
        found.extend(between(now, before, old.turn, pack))
    found.extend(unheard(now, heard, pack))
    found.extend(roles(now, said, heard, pack))
    latest = Said(user_text[:_LONGEST], said[0].text[:_LONGEST] if said else "", state.turn_count + 1)
    found.extend(asked_again(now, (latest, *heard), pack))
    found.extend(inside(now, pack))
    if any(pack.any_of(pack.history.owning).search(clause) for clause, _ in spans(text, pack)):
        found = [replace(conflict, strength=min(conflict.strength, _OWNED_UP)) for conflict in found]
    return tuple(sorted(found, key=lambda conflict: -conflict.strength))


def _earlier(reply: str, state: DialogueState, pack: LanguagePack) -> tuple[list[Said], list[Said]]:
    """The character's and the user's earlier messages that are worth comparing, the latest first."""
    said: list[Said] = []
    heard: list[Said] = []
    wanted = terms(reply[:_LONGEST], pack)
    more = RELATED
    messages = state.messages
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if message.speaker == USER:
            if len(heard) < RECENT:
                before = messages[index - 1] if index and messages[index - 1].speaker != USER else None
                heard.append(Said(message.text, before.text if before else "", message.turn))
            continue
        if len(said) >= RECENT:
            if not more:
                break
            if not wanted & terms(message.text[:_LONGEST], pack):
                continue
            more -= 1
        before = messages[index - 1] if index and messages[index - 1].speaker == USER else None
        said.append(Said(message.text, before.text if before else "", message.turn))
    return said, heard

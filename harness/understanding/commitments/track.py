"""Commitments by rules: which promises a turn opens, and which it keeps, breaks or takes back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from harness.language.phrases import is_han, lower
from harness.language.sought import likely
from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.facts import CHARACTER, USER
from harness.state.operations import CloseCommitment, OpenCommitment
from harness.understanding.commitments.promises import Promise, find_accepted, find_promises, other_side
from harness.understanding.moments import end_of, find_moment, find_moments
from harness.understanding.one_script import in_one_script
from harness.understanding.text import stem
from harness.understanding.words import content_words, excerpt, sentence_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Operation

ENOUGH_IN_COMMON = 0.5
"""Share of the smaller set of object words that a report and its promise must have in common."""
SAME_PROMISE = 0.8
"""Share above which a promise is one that is open already."""
Standing = Literal["open", "due", "overdue"]


@in_one_script
def track_commitments(
    user_text: str, reply: str, *, state: DialogueState, pack: LanguagePack, turn: int, now: datetime
) -> tuple[Operation, ...]:
    """Promises made, kept, broken and taken back in one turn. ``now`` is aware; raises ValueError when it is not."""
    operations: list[Operation] = []
    closed: set[str] = set()
    made: list[Promise] = []
    for speaker, text in ((USER, excerpt(user_text)), (CHARACTER, excerpt(reply))):
        for sentence in sentence_list(text):
            for commitment, status in _closings(sentence, speaker, state, pack, now):
                if commitment.id not in closed:
                    closed.add(commitment.id)
                    operations.append(
                        CloseCommitment(
                            commitment_id=commitment.id, status=status, turn=turn, evidence=sentence.strip()[:500]
                        )
                    )
            made.extend(find_promises(sentence, speaker, pack, now))
    asked_before = next((m.text for m in reversed(state.messages) if m.speaker == CHARACTER and m.turn < turn), "")
    for asked, answer, answerer in ((user_text, reply, CHARACTER), (asked_before, user_text, USER)):
        for promise in find_accepted(excerpt(asked), excerpt(answer), answerer, pack, now):
            restated = next((i for i, known in enumerate(made) if known.by == promise.by), None)
            if restated is None:
                made.append(promise)
            elif promise.due and not made[restated].due and _restates(made[restated], promise, pack):
                made[restated] = replace(made[restated], due=promise.due, due_at=promise.due_at)
    opened: set[tuple[str, str]] = set()
    for promise in sorted(made, key=lambda promise: promise.by != USER):
        key = (" ".join(promise.by.casefold().split()), " ".join(promise.text.casefold().split()))
        if key in opened:  # both speak of a promise between others
            continue
        opened.add(key)
        operations.extend(_opened(promise, state=state, pack=pack, turn=turn, closed=closed))
    return tuple(operations)


def due_commitments(state: DialogueState, now: datetime) -> tuple[Commitment, ...]:
    """Open promises whose time has come, the longest due first."""
    due = [c for c in state.open_commitments() if c.due_at is not None and c.due_at <= now]
    return tuple(sorted(due, key=lambda c: (c.due_at or now, c.id)))


def standing(commitment: Commitment, now: datetime, pack: LanguagePack) -> Standing:
    """Whether the time of an open promise is still to come, has come, or is over.

    The words of the time tell how long it lasts: "on Friday" until the day is over, "next week" seven days, "at six" an
    hour.
    """
    at = commitment.due_at
    if at is None or at > now:
        return "open"
    found = find_moment(commitment.due, pack=pack, now=at)
    return "overdue" if now >= end_of(at, found.unit if found is not None else "day") else "due"


def _opened(
    promise: Promise, *, state: DialogueState, pack: LanguagePack, turn: int, closed: set[str]
) -> Iterator[Operation]:
    """The operations that open a promise; one that is open already is not opened twice, but may be put off."""
    objects = _objects(promise.text, pack)
    for known in state.open_commitments():
        if (known.by, known.to) != (promise.by, promise.to) or known.id in closed:
            continue
        if not _same(promise.text, objects, known.text, pack):
            continue
        if not promise.due or promise.due_at == known.due_at:
            return
        if known.due:
            closed.add(known.id)
            yield CloseCommitment(
                commitment_id=known.id, status=CommitmentStatus.withdrawn, turn=turn, evidence=promise.quote[:500]
            )
    yield OpenCommitment(
        by=promise.by,
        to=promise.to,
        text=promise.text,
        turn=turn,
        due=promise.due,
        due_at=promise.due_at,
        quote=promise.quote[:500],
    )


def _restates(answer: Promise, accepted: Promise, pack: LanguagePack) -> bool:
    """Whether an answer says in its own words what was asked for: then the time that was asked for is its time."""
    if not _verbs(answer.text, pack) & _verbs(accepted.text, pack):
        return False
    objects = _objects(answer.text, pack)
    return not objects or _common(objects, _objects(accepted.text, pack)) >= ENOUGH_IN_COMMON


def _same(text: str, objects: frozenset[str], known: str, pack: LanguagePack) -> bool:
    """Whether two promises are one: the same things, or none at all and the same verb."""
    known_objects = _objects(known, pack)
    if not objects and not known_objects:
        return _verbs(text, pack) == _verbs(known, pack)
    return _common(objects, known_objects) >= SAME_PROMISE


@dataclass(frozen=True, slots=True)
class _Report:
    """What a sentence says became of a promise.

    Attributes:
        what: the words for what was promised. ``cue``: all words of the report.
        at: moments the sentence names.
    """

    what: str
    cue: str
    at: tuple[datetime, ...]


def _closings(
    sentence: str, speaker: str, state: DialogueState, pack: LanguagePack, now: datetime
) -> Iterator[tuple[Commitment, CommitmentStatus]]:
    opened = state.open_commitments()
    if not opened:
        return
    cues = pack.commitments
    own = [c for c in opened if c.by == speaker]
    others = [c for c in opened if c.by == other_side(speaker)]
    lowered = lower(sentence)
    asking = sentence.rstrip().endswith(("?", "？")) or any(
        pattern.search(lowered) for pattern in likely(cues.questions, lowered)
    )
    moments = find_moments(sentence, pack=pack, now=now)
    groups = (
        (cues.withdrawn, own, CommitmentStatus.withdrawn, False),
        (cues.withdrawn_by_other, others, CommitmentStatus.withdrawn, True),
        (cues.broken, own, CommitmentStatus.broken, False),
        (cues.broken_by_other, others, CommitmentStatus.broken, False),
        (cues.kept, own, CommitmentStatus.kept, True),
        (cues.kept_by_other, others, CommitmentStatus.kept, False),
    )
    for patterns, candidates, status, single_is_enough in groups:
        if not candidates or (asking and status is not CommitmentStatus.withdrawn):
            continue
        for match in (match for pattern in likely(patterns, lowered) for match in pattern.finditer(lowered)):
            what = " ".join(text for text in match.groupdict().values() if text)
            for moment in moments:  # a time is no thing that was promised
                what = what.replace(lower(moment.words), " ")
            report = _Report(what, match[0], tuple(moment.at for moment in moments))
            found = _meant(report, candidates, pack, single_is_enough=single_is_enough)
            if found is not None:
                yield found, status
                return


def _meant(
    report: _Report, candidates: list[Commitment], pack: LanguagePack, *, single_is_enough: bool
) -> Commitment | None:
    """The promise a report is about: by the things named, else the verb, else its time, else the only one there is."""
    objects = _objects(report.what, pack)
    if objects:
        scored = [(_common(objects, _objects(c.text, pack)), index, c) for index, c in enumerate(candidates)]
        score, _, best = max(scored, key=lambda entry: entry[:2])
        return best if score >= ENOUGH_IN_COMMON else None
    verbs = _verbs(report.what, pack) or _verbs(report.cue, pack)
    same_verb = [c for c in candidates if verbs & _verbs(c.text, pack)]
    if same_verb:
        return same_verb[-1]
    days = {at.date() for at in report.at}
    same_day = [c for c in candidates if c.due_at is not None and c.due_at.date() in days]
    if len(same_day) == 1 and not verbs:
        return same_day[0]
    single_is_enough = single_is_enough or not report.what.strip()
    return candidates[0] if single_is_enough and len(candidates) == 1 and not verbs else None


def _verbs(text: str, pack: LanguagePack) -> set[str]:
    return {hit.value for hit in pack.commitments.deed_phrases.find(text)}


def _objects(text: str, pack: LanguagePack) -> frozenset[str]:
    """What a promise is about, without its verbs and persons: stems of Latin words, single Han characters."""
    cues = pack.commitments
    letters = list(text)
    for phrases in (
        cues.deed_phrases,
        cues.listener_phrases,
        cues.lead_phrases,
        pack.time.vague_phrases,
        pack.time.day_phrases,
    ):
        for hit in phrases.find(text):
            letters[hit.start : hit.end] = " " * (hit.end - hit.start)
    keys: set[str] = set()
    for word in content_words("".join(letters), pack):
        if is_han(word[0]):
            keys.update(char for char in word if is_han(char))
        else:
            keys.add(stem(word))
    return frozenset(keys)


def _common(first: frozenset[str], second: frozenset[str]) -> float:
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0

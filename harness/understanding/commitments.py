"""Promises by rules: who promised what to whom by when, and what became of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.state.commitments import Commitment, CommitmentStatus
from harness.state.facts import CHARACTER, USER
from harness.state.operations import CloseCommitment, OpenCommitment
from harness.understanding.moments import find_moments
from harness.understanding.text import stem
from harness.understanding.words import content_words, excerpt, sentence_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Operation

LONGEST_TEXT = 200
"""Longest text kept of a promise, in characters; the quote holds more."""
ENOUGH_IN_COMMON = 0.5
"""Share of the smaller set of object words that a report and its promise must have in common."""
SAME_PROMISE = 0.8
"""Share above which a promise is one that is open already."""
_EDGES = " \t,，、:：-–—\"'“”‘’()（）。.!！~～"


@dataclass(frozen=True, slots=True)
class _Promise:
    """A promise found in one sentence."""

    text: str
    quote: str
    due: str = ""
    due_at: datetime | None = None


def track_commitments(
    user_text: str, reply: str, *, state: DialogueState, pack: LanguagePack, turn: int, now: datetime
) -> tuple[Operation, ...]:
    """Promises made, kept, broken and taken back in one turn. ``now`` is aware; raises ValueError when it is not."""
    operations: list[Operation] = []
    closed: set[str] = set()
    made: dict[str, list[_Promise]] = {USER: [], CHARACTER: []}
    for speaker, text in ((USER, excerpt(user_text)), (CHARACTER, excerpt(reply))):
        for sentence in sentence_list(text):
            for commitment, status in _closings(sentence, speaker, state, pack):
                if commitment.id not in closed:
                    closed.add(commitment.id)
                    operations.append(CloseCommitment(commitment_id=commitment.id, status=status, turn=turn))
            made[speaker].extend(_promises(sentence, pack, now))
    asked_before = next((m.text for m in reversed(state.messages) if m.speaker == CHARACTER and m.turn < turn), "")
    if not made[CHARACTER]:
        made[CHARACTER].extend(_accepted(excerpt(user_text), excerpt(reply), pack, now))
    if not made[USER]:
        made[USER].extend(_accepted(excerpt(asked_before), excerpt(user_text), pack, now))
    for speaker, promises in made.items():
        for promise in promises:
            operations.extend(_opened(promise, speaker, state=state, pack=pack, turn=turn, closed=closed))
    return tuple(operations)


def due_commitments(state: DialogueState, now: datetime) -> tuple[Commitment, ...]:
    """Open promises whose time has come, the longest due first."""
    due = [c for c in state.open_commitments() if c.due_at is not None and c.due_at <= now]
    return tuple(sorted(due, key=lambda c: (c.due_at or now, c.id)))


def _opened(
    promise: _Promise, by: str, *, state: DialogueState, pack: LanguagePack, turn: int, closed: set[str]
) -> Iterator[Operation]:
    """The operations that open a promise; one that is open already is not opened twice, but may be put off."""
    to = CHARACTER if by == USER else USER
    objects = _objects(promise.text, pack)
    for known in state.open_commitments():
        if known.by != by or known.id in closed:
            continue
        if not _same(promise.text, objects, known.text, pack):
            continue
        if not promise.due or promise.due_at == known.due_at:
            return
        if known.due:
            closed.add(known.id)
            yield CloseCommitment(commitment_id=known.id, status=CommitmentStatus.withdrawn, turn=turn)
    yield OpenCommitment(
        by=by, to=to, text=promise.text, turn=turn, due=promise.due, due_at=promise.due_at, quote=promise.quote[:500]
    )


def _same(text: str, objects: frozenset[str], known: str, pack: LanguagePack) -> bool:
    """Whether two promises are one: the same things, or none at all and the same verb."""
    known_objects = _objects(known, pack)
    if not objects and not known_objects:
        return _verbs(text, pack) == _verbs(known, pack)
    return _common(objects, known_objects) >= SAME_PROMISE


# --- promises -----------------------------------------------------------------------------------------------------


def _promises(sentence: str, pack: LanguagePack, now: datetime) -> Iterator[_Promise]:
    cues = pack.commitments
    lowered = lower(sentence)
    asking = any(pattern.search(lowered) for pattern in cues.questions)
    if asking or cues.hedge_phrases.first(sentence) is not None:
        return
    for pattern in cues.promise:
        match = pattern.search(lowered)
        if match is not None and not _reported(lowered[: match.start()], pack):
            promise = _promise(sentence, match, pack, now)
            if promise is not None:
                yield promise
                return
    for patterns, certain in ((cues.intention, True), (cues.plan, False)):
        for pattern in patterns:
            for match in pattern.finditer(lowered):
                if _reported(lowered[: match.start()], pack) or not _binds(match["what"], pack, now, certain=certain):
                    continue
                promise = _promise(sentence, match, pack, now)
                if promise is not None:
                    yield promise
                    return


def _reported(before: str, pack: LanguagePack) -> bool:
    return any(pattern.search(before) for pattern in pack.commitments.reported)


def _binds(what: str, pack: LanguagePack, now: datetime, *, certain: bool) -> bool:
    """Whether an intention is a promise to the listener rather than a plan of one's own."""
    cues = pack.commitments
    start = len(what) - len(what.lstrip())
    what = what[start:]
    if cues.not_promised_phrases.at(what, 0) is not None if what else True:
        return False
    if cues.listener_phrases.first(what) is not None and cues.verb_phrases.first(what) is not None:
        return True
    verb = cues.verb_phrases.first(what)
    if verb is None or (cues.plan_needs_listener and not certain):
        return False
    timed = bool(find_moments(what, pack=pack, now=now))
    return timed or (certain and not what[: verb.start].strip())


def _promise(sentence: str, match: re.Match[str], pack: LanguagePack, now: datetime) -> _Promise | None:
    moments = find_moments(sentence, pack=pack, now=now)
    moment = next((moment for moment in moments if moment.at >= now), None)
    if moment is None and moments:
        return None
    vague = None if moment is not None else pack.time.vague_phrases.first(sentence)
    due = moment.words if moment is not None else sentence[vague.start : vague.end] if vague is not None else ""
    start, end = match.span("what")
    text = sentence[start:end]
    if due:
        text = re.sub(rf"\s*{pack.commitments.due_lead_expression}{re.escape(due)}", "", text, count=1)
    text = _cut_leads(" ".join(text.split()), pack)
    text = pack.commitments.tail_expression.sub("", text.strip(_EDGES)).strip(_EDGES)[:LONGEST_TEXT]
    if not _says_something(text, pack):
        return None
    return _Promise(text, sentence.strip(), due, moment.at if moment is not None else None)


def _cut_leads(text: str, pack: LanguagePack) -> str:
    while True:
        text = text.lstrip(_EDGES)
        hit = pack.commitments.lead_phrases.at(lower(text), 0) if text else None
        if hit is None or hit.end >= len(text):
            return text
        text = text[hit.end :]


def _says_something(text: str, pack: LanguagePack) -> bool:
    return bool(text) and bool(content_words(text, pack) or pack.commitments.verb_phrases.first(text) is not None)


def _accepted(request: str, answer: str, pack: LanguagePack, now: datetime) -> Iterator[_Promise]:
    """A request for something later, and an answer that accepts it, make a promise of the one who answers."""
    cues = pack.commitments
    first = next(iter(sentence_list(answer)), "")
    if not request or not any(pattern.search(lower(first)) for pattern in cues.accept):
        return
    for sentence in sentence_list(request):
        lowered = lower(sentence)
        for patterns, lasting in ((cues.lasting_request, True), (cues.request, False)):
            match = next((m for pattern in patterns if (m := pattern.search(lowered)) is not None), None)
            if match is None:
                continue
            promise = _promise(sentence, match, pack, now)
            if promise is not None and (lasting or promise.due):
                yield _Promise(_swap(promise.text, pack), promise.quote, promise.due, promise.due_at)
                return


def _swap(text: str, pack: LanguagePack) -> str:
    """Persons exchanged: "send me the recipe" becomes "send you the recipe"."""
    pieces: list[str] = []
    position = 0
    for hit in pack.commitments.swap_phrases.find(text):
        pieces.extend((text[position : hit.start], hit.value))
        position = hit.end
    return "".join((*pieces, text[position:]))


# --- what became of them --------------------------------------------------------------------------------------------


def _closings(
    sentence: str, speaker: str, state: DialogueState, pack: LanguagePack
) -> Iterator[tuple[Commitment, CommitmentStatus]]:
    opened = state.open_commitments()
    if not opened:
        return
    cues = pack.commitments
    own = [c for c in opened if c.by == speaker]
    others = [c for c in opened if c.by != speaker]
    lowered = lower(sentence)
    asking = sentence.rstrip().endswith(("?", "？")) or any(pattern.search(lowered) for pattern in cues.questions)
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
        for pattern in patterns:
            for match in pattern.finditer(lowered):
                what = " ".join(text for text in match.groupdict().values() if text)
                found = _meant(what, match[0], candidates, pack, single_is_enough=single_is_enough)
                if found is not None:
                    yield found, status
                    return


def _meant(
    what: str, cue: str, candidates: list[Commitment], pack: LanguagePack, *, single_is_enough: bool
) -> Commitment | None:
    """The promise a report is about: by the things named, else by the verb, else the only one there is."""
    objects = _objects(what, pack)
    if objects:
        scored = [(_common(objects, _objects(c.text, pack)), index, c) for index, c in enumerate(candidates)]
        score, _, best = max(scored, key=lambda entry: entry[:2])
        return best if score >= ENOUGH_IN_COMMON else None
    verbs = _verbs(what or cue, pack)
    same_verb = [c for c in candidates if verbs & _verbs(c.text, pack)]
    if same_verb:
        return same_verb[-1]
    return candidates[0] if single_is_enough and len(candidates) == 1 and not verbs else None


def _verbs(text: str, pack: LanguagePack) -> set[str]:
    return {hit.value for hit in pack.commitments.verb_phrases.find(text)}


def _objects(text: str, pack: LanguagePack) -> frozenset[str]:
    """What a promise is about, without its verbs and persons: stems of Latin words, single Han characters."""
    cues = pack.commitments
    letters = list(text)
    for phrases in (cues.verb_phrases, cues.listener_phrases, pack.time.vague_phrases, pack.time.day_phrases):
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

"""Promises in what was said: by the speaker, by who accepts a request or an offer, and reported ones of others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.language.sought import likely
from harness.state.facts import CHARACTER, USER
from harness.understanding.moments import Moment, end_of, find_moments
from harness.understanding.words import content_words, sentence_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language.pack import LanguagePack

LONGEST_TEXT = 200
"""Longest text kept of a promise, in characters; the quote holds more."""
LONGEST_PARTY = 40
"""Longest name of somebody who promises or is promised something."""
_CLAUSE_END = re.compile(r"[,，。.!！?？;；\n]")
_EDGES = " \t,，、:：-–—\"'“”‘’()（）。.!！~～"


@dataclass(frozen=True, slots=True)
class Promise:
    """A promise found in one sentence.

    Attributes:
        by, to: ``user``, ``character``, or words for a third person.
        text: what was promised, in the words it was said in. ``quote``: the sentence.
        due: words of the time; ``due_at``: what they meant when they were said.
    """

    by: str
    to: str
    text: str
    quote: str
    due: str = ""
    due_at: datetime | None = None


def other_side(speaker: str) -> str:
    """Who listens to a speaker."""
    return CHARACTER if speaker == USER else USER


def find_promises(sentence: str, speaker: str, pack: LanguagePack, now: datetime) -> Iterator[Promise]:
    """The promises of one sentence: the speaker's own, or one the speaker reports of somebody else."""
    cues = pack.commitments
    lowered = lower(sentence)
    if any(pattern.search(lowered) for some in (cues.questions, cues.unsure) for pattern in likely(some, lowered)):
        return
    if cues.hedge_phrases.first(sentence) is not None:
        return
    reported = _of_others(sentence, lowered, speaker, pack, now)
    pieces = _pieces(sentence, pack)
    if reported is not None:
        rest = [promise for piece in pieces[1:] for promise in _own(piece, speaker, pack, now)]
        first = _of_others(pieces[0], lower(pieces[0]), speaker, pack, now) if rest else None
        yield reported if first is None else replace(first, quote=sentence.strip())
        if (
            first is not None
        ):  # "I promised Mum to come home, and I'll bring you dumplings": the listener is promised his own
            yield from (replace(promise, quote=sentence.strip()) for promise in rest)
        return
    parted = [promise for piece in pieces for promise in _own(piece, speaker, pack, now)]
    if len(parted) > 1:
        yield from (replace(promise, quote=sentence.strip()) for promise in parted)
    else:
        yield from _own(sentence, speaker, pack, now)


def _pieces(sentence: str, pack: LanguagePack) -> list[str]:
    """The sentence, cut before each further promise it may hold."""
    lowered = lower(sentence)
    cuts = sorted(
        {match.start() for pattern in likely(pack.commitments.split, lowered) for match in pattern.finditer(lowered)}
    )
    bounds = (0, *cuts, len(sentence))
    return [sentence[start:end].strip(_EDGES) for start, end in pairwise(bounds)] if cuts else []


def _own(sentence: str, speaker: str, pack: LanguagePack, now: datetime) -> Iterator[Promise]:
    """The first promise that the speaker makes in a sentence."""
    cues = pack.commitments
    lowered = lower(sentence)
    to = other_side(speaker)
    for match in (match for pattern in likely(cues.promise, lowered) if (match := pattern.search(lowered)) is not None):
        if _reported(lowered[: match.start()], pack):
            continue
        promise = _promise(sentence, match, speaker, to, pack, now)
        if promise is not None:
            yield promise
            return
    for patterns, certain in ((cues.intention, True), (cues.plan, False)):
        for match in (match for pattern in likely(patterns, lowered) for match in pattern.finditer(lowered)):
            if _reported(lowered[: match.start()], pack) or _takes_back(match, lowered, pack):
                continue
            if _done(match, lowered, sentence, pack, now):
                continue
            if not _binds(match["what"], sentence, pack, now, certain=certain):
                continue
            promise = _promise(sentence, match, speaker, to, pack, now)
            if promise is not None:
                yield promise
                return


def _done(match: re.Match[str], lowered: str, sentence: str, pack: LanguagePack, now: datetime) -> bool:
    """Whether the words that look like an intention tell of what was done already."""
    if not pack.commitments.done:
        return False
    start = match.start("what")
    end = _CLAUSE_END.search(lowered, start)
    clause = lowered[start : end.start() if end is not None else None].strip()
    if not any(pattern.search(clause) for pattern in pack.commitments.done):
        return False
    return not any(_to_come(moment, now) and moment.at > now for moment in find_moments(sentence, pack=pack, now=now))


def _takes_back(match: re.Match[str], lowered: str, pack: LanguagePack) -> bool:
    """Whether the words that look like an intention say that something will not be done after all."""
    taken = (found for pattern in likely(pack.commitments.withdrawn, lowered) for found in pattern.finditer(lowered))
    return any(found.start() <= match.start("what") <= found.start("what") for found in taken)


def find_accepted(asked: str, answer: str, answerer: str, pack: LanguagePack, now: datetime) -> Iterator[Promise]:
    """The promise that an answer makes of a question before it.

    A request for something later binds who accepts it; so does any request that is answered by "I will". An offer
    binds who made it.
    """
    cues = pack.commitments
    sentences = sentence_list(answer)
    first = lower(sentences[0]) if sentences else ""
    if not asked or not any(pattern.search(first) for pattern in cues.accept):
        return
    if any(pattern.search(lower(answer)) for pattern in cues.decline):
        return
    firm = any(pattern.search(lower(answer)) for pattern in cues.accept_firmly)
    asker = other_side(answerer)
    for sentence in sentence_list(asked):
        lowered = lower(sentence)
        if _of_others(sentence, lowered, asker, pack, now) is not None:
            continue  # what somebody else will do ("Dad says he'll take me fishing") asks the listener for nothing
        for match in (match for pattern in cues.offer if (match := pattern.search(lowered)) is not None):
            offered = _promise(sentence, match, asker, answerer, pack, now)
            if offered is not None and cues.verb_phrases.first(offered.text) is not None:
                yield offered
                return
        for patterns, lasting in ((cues.lasting_request, True), (cues.request, False)):
            match_ = next((m for pattern in patterns if (m := pattern.search(lowered)) is not None), None)
            if match_ is None or _reported(lowered[: match_.start()], pack):
                continue
            promise = _promise(sentence, match_, answerer, asker, pack, now)
            if promise is not None and (
                lasting or firm or (promise.due and not _tells_of(promise.due, sentence, pack))
            ):
                yield replace(promise, text=swapped(promise.text, pack))
                return


def _tells_of(due: str, sentence: str, pack: LanguagePack) -> bool:
    """Whether a time belongs to what somebody asks to be told ("what you did this week"): the telling waits for nothing."""
    at = sentence.find(due)
    found = (pattern.search(lower(sentence)) for pattern in pack.commitments.told)
    return any(match is not None and match.start("told") <= at for match in found)


def _of_others(sentence: str, lowered: str, speaker: str, pack: LanguagePack, now: datetime) -> Promise | None:
    """A promise between others, or between the speaker and somebody who is not here."""
    cues = pack.commitments
    for patterns, sure in ((cues.of_others, True), (cues.announced, False)):
        for match in (match for one in likely(patterns, lowered) if (match := one.search(lowered)) is not None):
            by = _party(match, "by", sentence, speaker, pack)
            to = _party(match, "to", sentence, speaker, pack) or speaker
            if by == "" and "by" in match.re.groupindex:
                continue
            by = by or speaker
            if {by, to} <= {USER, CHARACTER}:
                continue  # between the two who talk: either a plain promise, or a claim about what was said
            mine = cues.self_phrases.first(match["what"]) is not None
            if not sure and not (cues.deed_phrases.first(match["what"]) is not None and mine):
                continue
            return _promise(sentence, match, by, to, pack, now)
    return None


def _party(match: re.Match[str], group: str, sentence: str, speaker: str, pack: LanguagePack) -> str:
    """Whom a group of a pattern names: one of the two, the words for a third person, or nobody that is known."""
    cues = pack.commitments
    if match.re.groupindex.get(group) is None or match[group] is None:
        return ""
    words = " ".join(sentence[slice(*match.span(group))].split()).strip(_EDGES)
    if cues.self_phrases.covers(words):
        return speaker
    if cues.listener_phrases.covers(words):
        return other_side(speaker)
    words = cues.possessive_expression.sub("", words, count=1)
    return "" if cues.nobody_phrases.covers(words) else words[:LONGEST_PARTY]


def _reported(before: str, pack: LanguagePack) -> bool:
    return any(pattern.search(before) for pattern in pack.commitments.reported)


def _binds(what: str, sentence: str, pack: LanguagePack, now: datetime, *, certain: bool) -> bool:
    """Whether an intention is a promise to the listener rather than a plan of one's own."""
    cues = pack.commitments
    what = what.lstrip()
    if not what or cues.not_promised_phrases.at(what, 0) is not None:
        return False
    if certain and any(pattern.search(what) for pattern in cues.for_listener):
        return True
    verb = cues.verb_phrases.first(what)
    timed = bool(find_moments(sentence, pack=pack, now=now))
    joins = (certain or timed) and cues.joining_phrases.first(what) is not None
    if (verb is not None or joins) and cues.listener_phrases.first(what) is not None:
        return True
    if verb is None or (cues.plan_needs_listener and not certain):
        return False
    timed = timed and (certain or bool(find_moments(what, pack=pack, now=now)))
    plain = not what[: verb.start].strip() and not cues.ambiguous_phrases.covers(verb.phrase)
    return timed or (certain and plain)


def _promise(
    sentence: str, match: re.Match[str], by: str, to: str, pack: LanguagePack, now: datetime
) -> Promise | None:
    moments = find_moments(sentence, pack=pack, now=now)
    moment = next((moment for moment in moments if _to_come(moment, now)), None)
    if moment is None and moments:
        return None
    vague = None if moment is not None else pack.time.vague_phrases.first(sentence)
    due = moment.words if moment is not None else sentence[vague.start : vague.end] if vague is not None else ""
    start, end = match.span("what")
    text = sentence[start:end]
    if due:
        text = re.sub(rf"\s*{pack.commitments.due_lead_expression}{re.escape(due)}", "", text, count=1)
    if not sentence[:start].strip() and text[:2].istitle() and text[1:2].islower():
        text = text[0].lower() + text[1:]  # it was only the beginning of the sentence
    text = _cut_leads(" ".join(text.split()), pack)
    text = pack.commitments.tail_expression.sub("", text.strip(_EDGES)).strip(_EDGES)[:LONGEST_TEXT]
    if not _says_something(text, pack):
        return None
    return Promise(by, to, text, sentence.strip(), due, moment.at if moment is not None else None)


def _to_come(moment: Moment, now: datetime) -> bool:
    """Whether a time is still to come, or has begun and is not over: "tonight" at nine in the evening, "this week" on a Thursday."""
    return moment.at >= now or (moment.unit != "moment" and end_of(moment.at, moment.unit) > now)


def _cut_leads(text: str, pack: LanguagePack) -> str:
    while True:
        text = text.lstrip(_EDGES)
        hit = pack.commitments.lead_phrases.at(lower(text), 0) if text else None
        if hit is None or hit.end >= len(text):
            return text
        text = text[hit.end :]


def _says_something(text: str, pack: LanguagePack) -> bool:
    return bool(text) and bool(content_words(text, pack) or pack.commitments.deed_phrases.first(text) is not None)


def swapped(text: str, pack: LanguagePack) -> str:
    """Persons exchanged: "send me the recipe" becomes "send you the recipe"."""
    pieces: list[str] = []
    position = 0
    for hit in pack.commitments.swap_phrases.find(text):
        pieces.extend((text[position : hit.start], hit.value))
        position = hit.end
    return "".join((*pieces, text[position:]))

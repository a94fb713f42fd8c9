"""What a reply has not taken in: it does not know, or asks for, what was told; it takes the other's part for its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.checks.comparing import ALIKE, Conflict
from harness.understanding.checks.points import content, keys_of
from harness.understanding.checks.questions import Asked, read_question, spans
from harness.understanding.checks.utterances import Said, Utterance, read_utterance
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.keys import NAME
from harness.understanding.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack

_DOUBTFUL = 0.6
_LATELY = 5
"""Messages of the user back to which asking again is forgetting; after more of them people do ask again."""


def unheard(now: Utterance, heard: Sequence[Said], pack: LanguagePack) -> Iterator[Conflict]:
    """Does not know what the user told."""
    question = now.question
    if question is None or not (question.own or question.knowing):
        return
    words = now.unknown
    if not words and question.own:
        words = next(
            (clause for clause, _ in spans(now.text, pack) if pack.any_of(pack.history.telling).search(clause)), ""
        )
    if not words:
        return
    wanted = content(keys_of(pack.any_of(pack.history.knowing).sub("", question.words), pack)[0])
    # Who gave his mother's name has told nothing else of her.
    naming = pack.any_of(pack.recall.telling_names) if pack.recall.telling_names else None
    if naming is not None and (naming.search(question.whole) or NAME in asked_attributes(question.whole, pack)):
        naming = None
    for old in heard:
        told = content(
            frozenset().union(
                *(
                    keys_of(clause, pack)[0]
                    for clause, asks in spans(old.text, pack)
                    if not asks and not (naming is not None and naming.search(clause))
                )
            )
        )
        asked = question.own and any(
            pack.pattern(source).search(clause)
            for slot in pack.history.slots
            if slot.key in question.slots
            for source in slot.values
            for clause, _ in spans(old.text, pack)
        )
        share = len(wanted & told) / len(wanted) if wanted else 0.0
        if asked or share >= (0.3 if question.own else 0.6):
            yield Conflict("unheard", 0.8, words, old.text, old.turn)
            return


def roles(now: Utterance, said: Sequence[Said], heard: Sequence[Said], pack: LanguagePack) -> Iterator[Conflict]:
    """Takes what it said itself for what the other said: "me too", or calls the other by its own name."""
    yield from _named(now, said, pack)
    cues = pack.history
    if not said or not cues.too or not pack.any_of(cues.too).search(now.text):
        return
    last = said[0]
    own = content(frozenset().union(*(content(p.keys) for p in read_utterance(last.text, last.asked, pack).points)))
    told = frozenset().union(
        *(content(keys_of(clause, pack)[0]) for old in heard for clause, asks in spans(old.text, pack) if not asks)
    )
    own -= told
    if not own:
        return
    for clause, asks in spans(now.text, pack):
        keys = content(keys_of(clause, pack)[0])
        shared = keys & own
        if not asks and pack.any_of(cues.too).search(clause) and keys and len(shared) >= ALIKE * len(keys):
            yield Conflict("own too", _DOUBTFUL, clause, last.text, last.turn)


def _named(now: Utterance, said: Sequence[Said], pack: LanguagePack) -> Iterator[Conflict]:
    cues = pack.history
    called = {
        fold(match["v"]): clause
        for clause, _ in spans(now.text, pack)
        for source in cues.greets
        if (match := pack.pattern(source).search(clause))
    }
    if not called:
        return
    for old in said:
        for clause, _ in spans(old.text, pack):
            for source in cues.goes_by:
                match = pack.pattern(source).search(clause)
                if match and fold(match["v"]) in called:
                    yield Conflict("own name", _DOUBTFUL, called[fold(match["v"])], clause, old.turn)
                    return


def asked_again(now: Utterance, heard: Sequence[Said], pack: LanguagePack) -> Iterator[Conflict]:
    """Asks for what the user has told: a thing one has one of, or whether there is what he said there is."""
    for clause, asks in spans(now.text, pack):
        if not asks or pack.any_of(pack.history.more).search(clause):
            continue
        question = read_question(clause + "?", pack)
        if question is None or not question.listener or question.own:
            continue
        wanted = _wanted(question, pack)
        for old in heard[:_LATELY] if wanted else ():
            told = read_utterance(old.text, old.asked, pack)
            words = [words for key, _, words in told.slots if question.open and key in wanted]
            words += [c.quote for c in told.claims if not question.open and c.attribute in wanted and c.polarity]
            if any(words):
                yield Conflict("asked again", _DOUBTFUL, question.words, next(filter(None, words)), old.turn)
                break


def _wanted(question: Asked, pack: LanguagePack) -> set[str]:
    """Keys of slots that an open question asks for; attributes that a "do you have any" asks about."""
    if question.open:
        match = pack.any_of(pack.history.favourite_asked).search(question.whole)
        return set(question.slots) if match is None else {f"favourite {match['of']}"}
    if not pack.any_of(pack.history.whether).search(question.words):
        return set()
    asked = read_utterance(question.statement + ".", "", pack)
    return {claim.attribute for claim in asked.claims if claim.attribute and claim.polarity}

"""Older messages that the current one asks for: found by their words, or by their topic when it is talked about again.

A summary cannot keep every detail. The messages it replaced are still in the journal, and one that shares rare words with
what the user says now comes back, word for word. When the talk returns to an earlier topic, so does what was said under it,
even in a message without a word in common ("back to the camera": "a Zenit, from the seventies").
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.context.asked_for import asked_pieces, told_pieces
from harness.context.word_index import WordIndex, index_of
from harness.language import LanguagePack
from harness.memory.informing import turn_id
from harness.state import Message, Retrieved, Topic, TopicStack
from harness.understanding.text import sentences, terms
from harness.understanding.topics.shifts import is_question
from harness.understanding.topics.track import is_backchannel

if TYPE_CHECKING:
    from harness.turn.turn import Turn

TOP = 2
"""Most messages that come back."""
MAX_TOKENS = 100
"""Most tokens of them together."""
LEAST_SHARE = 0.2
"""Share of the weight of the user's words that a message must hold. Less is a chance likeness."""
OFTEN = 0.12
"""Share of the earlier messages in which a piece of a question may be and still tell which one is asked for."""
TOPIC_TOP = 6
TOPIC_MAX_TOKENS = 220
"""The same when the talk returns to a topic: what was said under it is wanted as a whole."""
TOPIC_SCORE = 0.5
"""Added to the score of a message of the topic that is returned to, and as much again for one that says much: a question and a
short reaction say little. Words of the topic's name are in most of its messages, and tell nothing apart."""
FULL = 6
"""Words of a message that says much."""
FRESH = 3
"""Turns after a return during which the topic's lines are still shown."""
LONGEST_SENTENCE = 240
"""Characters of one sentence; a longer one is cut."""


def recall_messages(
    turn: Turn, earlier: Sequence[Message], pack: LanguagePack, *, topic: Topic | None = None
) -> tuple[Retrieved, ...]:
    """The best sentences of earlier messages, best first.

    Score: weight of the shared words over the weight of all words of the message now, each word weighing
    log(1 + n / df) (inverse document frequency over the earlier messages, Spärck Jones 1972). A question of the user about themselves is
    also looked for by smaller pieces (see :mod:`harness.context.asked_for`).

    Args:
        turn: the turn that is composed.
        earlier: messages that the prompt does not show otherwise.
        topic: the topic that the talk returns to or has just returned to; messages that were said under it come first.
    """
    asked = terms(turn.resolved or turn.text, pack)
    own = asked_pieces(turn.text, pack)
    if not earlier or not (asked or own or topic):
        return ()
    index = index_of(earlier, pack)
    shared: dict[int, set[str]] = {}
    for word in asked:
        for place in index.places(word):
            shared.setdefault(place, set()).add(word)
    weights = {word: math.log(1 + len(earlier) / (1 + len(index.places(word)))) for word in asked}
    total = math.fsum(weights.values()) or 1.0
    under = turns_under(topic, turn.state.topics) if topic is not None else frozenset()
    themes = _themes(topic, pack) if topic is not None else frozenset()
    scored, by_words = [], []
    told_under = [place for place, message in enumerate(earlier) if message.turn in under] if under else []
    answering = _answering(own, index, len(earlier))
    for place in sorted({*shared, *told_under, *answering}):
        message, words = earlier[place], index.words[place]
        score = max(math.fsum(weights[word] for word in words & asked) / total, answering.get(place, 0.0))
        by_words.append((score, message))
        if message.turn in under and words and not is_backchannel(message.text, pack):
            score += TOPIC_SCORE + TOPIC_SCORE * min(1.0, _told(message.text, pack) / FULL)
        scored.append((score, message))
    scored.sort(key=_rank, reverse=True)
    if topic is not None:
        # What the words ask for keeps its place: the return may be a chance, or the answer may stand elsewhere.
        first = [pair for pair in sorted(by_words, key=_rank, reverse=True)[:TOP] if pair[0] >= LEAST_SHARE]
        scored = [*first, *scored]
    return _fitting(scored, asked | themes | own, turn, pack, wide=topic is not None)


def _answering(own: frozenset[str], index: WordIndex, number: int) -> dict[int, float]:
    """The messages of the user that may answer a question about themselves, by their place: the share of the weight of those pieces of it that
    were said at all. What is in many of them tells nothing.
    """
    found = {piece: places for piece in own if (places := index.told(piece)) and len(places) <= max(2, number * OFTEN)}
    weights = {piece: math.log(1 + number / (1 + len(places))) for piece, places in found.items()}
    whole = math.fsum(weights.values())
    scores: dict[int, float] = {}
    for piece, places in found.items():
        for place in places:
            scores[place] = scores.get(place, 0.0) + weights[piece] / whole
    best = sorted(scores, key=lambda place: (scores[place], place), reverse=True)[:TOP]
    return {place: scores[place] for place in best}


def _rank(scored: tuple[float, Message]) -> tuple[float, bool, int]:
    return scored[0], scored[1].speaker == "user", scored[1].turn


@lru_cache(maxsize=4096)
def _told(text: str, pack: LanguagePack) -> int:
    """How many words with content a message says, without those of its questions."""
    return sum(len(terms(part, pack)) for part in sentences(text) if not is_question(part))


def turns_under(topic: Topic, stack: TopicStack) -> frozenset[int]:
    """Turns at which a topic was talked about: its own range without those of topics that were opened within it."""
    inner = [
        range(other.first_turn, other.last_turn + 1)
        for other in (*stack.open, *stack.past)
        if other.id != topic.id and topic.first_turn < other.first_turn <= topic.last_turn
    ]
    # The topic came back where a later range begins before it ended, so a turn of two ranges belongs to the later topic.
    return frozenset(range(topic.first_turn, topic.last_turn + 1)).difference(*inner)


def resumed_topic(stack: TopicStack, now: int) -> Topic | None:
    """The current topic while its return is fresh, or None: what was said under it has not been said again yet."""
    current = stack.current
    others = [topic.last_turn for topic in (*stack.open, *stack.past) if current is not None and topic.id != current.id]
    if current is None or not others:
        return None
    left = max(others)
    return current if current.first_turn < left and now - left <= 1 + FRESH else None


def _themes(topic: Topic, pack: LanguagePack) -> frozenset[str]:
    return terms(" ".join((topic.label, *topic.entities, *topic.keywords)), pack)


def _fitting(
    scored: Sequence[tuple[float, Message]], wanted: frozenset[str], turn: Turn, pack: LanguagePack, *, wide: bool
) -> tuple[Retrieved, ...]:
    """The best messages as lines, as many as there is room for."""
    top, room = (TOPIC_TOP, TOPIC_MAX_TOKENS) if wide else (TOP, MAX_TOKENS)
    items: list[Retrieved] = []
    said: set[str] = set()
    for score, message in scored:
        if score < LEAST_SHARE or len(items) == top:
            break
        words = _best(message, wanted, pack)
        if words in said:
            continue  # said again and again, it tells no more than once
        said.add(words)
        line = _line(message, words, turn, pack)
        tokens = turn.tokens.count(line)
        dropped = "" if tokens <= room else "over the limit of recalled lines"
        room -= 0 if dropped else tokens
        items.append(
            Retrieved(id=turn_id(message.turn), text=line, score=round(score, 4), tokens=tokens, dropped=dropped)
        )
    return tuple(items)


def _best(message: Message, wanted: frozenset[str], pack: LanguagePack) -> str:
    """The sentence of a message that holds most of what is asked for."""
    parts = sentences(message.text) or (message.text,)
    return max(parts, key=lambda part: len((terms(part, pack) | told_pieces(part, pack)) & wanted))[:LONGEST_SENTENCE]


def _line(message: Message, words: str, turn: Turn, pack: LanguagePack) -> str:
    """A line of the prompt: who said it, and when."""
    who = turn.persona.name if message.speaker == "character" else turn.state.user
    return pack.lines.recalled.format(who=who, turn=message.turn, text=words)

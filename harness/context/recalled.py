"""Older messages that the current one asks for: found by their words, and shown again.

A summary cannot keep every detail. The messages it replaced are still in the journal, and one that shares rare words with
what the user says now comes back, word for word.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.context.tokens import estimate
from harness.language import LanguagePack
from harness.state import Message, Retrieved
from harness.understanding.text import sentences, terms

if TYPE_CHECKING:
    from harness.turn.turn import Turn

TOP = 2
"""Most messages that come back."""
MAX_TOKENS = 100
"""Most tokens of them together."""
LEAST_SHARE = 0.2
"""Share of the weight of the user's words that a message must hold. Less is a chance likeness."""
LONGEST_SENTENCE = 240
"""Characters of one sentence; a longer one is cut."""


def recall_messages(turn: Turn, earlier: Sequence[Message], pack: LanguagePack) -> tuple[Retrieved, ...]:
    """The best sentences of earlier messages, best first.

    Score: weight of the shared words over the weight of all words of the message now, each word weighing
    log(1 + n / df) (inverse document frequency over the earlier messages, Spärck Jones 1972).
    """
    asked = terms(turn.resolved or turn.text, pack)
    if not asked or not earlier:
        return ()
    found = [terms(message.text[: 4 * LONGEST_SENTENCE], pack) for message in earlier]
    counts = Counter(word for words in found for word in words & asked)
    weights = {word: math.log(1 + len(earlier) / (1 + counts[word])) for word in asked}
    total = sum(weights.values())
    scored = sorted(
        (
            (sum(weights[word] for word in words & asked) / total, message)
            for words, message in zip(found, earlier, strict=True)
        ),
        key=lambda pair: (pair[0], pair[1].turn, pair[1].speaker == "user"),
        reverse=True,
    )
    items: list[Retrieved] = []
    room = MAX_TOKENS
    for score, message in scored[: 2 * TOP]:
        if score < LEAST_SHARE or len(items) == TOP:
            break
        line = _line(message, asked, turn, pack)
        tokens = estimate(line)
        dropped = "" if tokens <= room else "over the limit of recalled lines"
        room -= 0 if dropped else tokens
        items.append(
            Retrieved(id=f"turn {message.turn}", text=line, score=round(score, 4), tokens=tokens, dropped=dropped)
        )
    return tuple(items)


def _line(message: Message, asked: frozenset[str], turn: Turn, pack: LanguagePack) -> str:
    """The sentence of a message that holds most of what is asked for, with who said it and when."""
    parts = sentences(message.text) or (message.text,)
    best = max(parts, key=lambda part: len(terms(part, pack) & asked))
    who = turn.persona.name if message.speaker == "character" else turn.state.user
    return pack.lines.recalled.format(who=who, turn=message.turn, text=best[:LONGEST_SENTENCE])

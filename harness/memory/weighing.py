"""How important what was said is, beside what it is: asked to be remembered, or said with feeling."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.language import LanguagePacks
from harness.state import USER, TurnRecord
from harness.state.operations import SetEmotion
from harness.understanding.topics.shifts import is_question

ASKED = 0.75
"""Least importance of what the user asks to be remembered: it outlives its task."""
MOVED = 0.15
"""Added to what is said with strong feeling."""
STRONG = 0.5
"""Valence, either way, or arousal from which a feeling is strong."""
QUOTED = 0.7
"""Share of the words of a reply that stand in one recalled line from which it only gives the line back."""


def asked_to_remember(text: str, packs: LanguagePacks, *, default: str) -> bool:
    """Whether a message asks that what it says be remembered; a question whether it is remembered does not."""
    if is_question(text):
        return False
    return any(
        packs.get(part.code).finds(packs.get(part.code).keeping.remember, part.text)
        for part in packs.parts(text, default=default)
    )


def moved(record: TurnRecord) -> bool:
    """Whether the user's words showed strong feeling in this turn."""
    shown = [
        done.operation.emotion
        for done in record.operations
        if isinstance(done.operation, SetEmotion) and done.operation.who == USER
    ]
    return any(abs(one.valence) >= STRONG or abs(one.arousal) >= STRONG for one in shown)


def recalled_lines(record: TurnRecord) -> tuple[str, ...]:
    """What memory gave the prompt of a turn."""
    blocks = (layer for layer in record.context.layers if layer.block == "memory")
    return tuple(item.text for block in blocks for item in block.items if not item.dropped)


def gives_back(terms: Sequence[str], lines: Collection[Sequence[str]]) -> bool:
    """Whether a reply, by its words, says little but one of the lines that were recalled."""
    said = set(terms)
    return len(said) > 1 and any(len(said & set(line)) >= QUOTED * len(said) for line in lines)

"""Questions that come back in reply after reply: small models see their own habit in the history and keep to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.checks.consistency import asks_again
from harness.understanding.text import has_han, sentences, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack
    from harness.state import Persona

RECENT = 6
"""Earlier replies that are looked at."""
OFTEN = 2
"""In how many of them a sentence has to stand to be a habit."""
_QUOTES = (("“", "”"), ("「", "」"), ("『", "』"), ('"', '"'))
_CLOSING = " \t\"'”’」』)）~～"
_FEWEST_WORDS = 4
_FEWEST_HAN = 6
"""Shorter questions ("Really?" 真的吗？) may come back."""


def without_habits(
    reply: str, previous: Sequence[str], *, user_text: str, persona: Persona, pack: LanguagePack
) -> tuple[str, str]:
    """A reply without the questions that two of the last six replies had as well, and the first that was left out.

    A statement may be the answer to what was asked or ordered again, so it stays; a line of the persona's examples is its
    voice; and a reply that consists of nothing else stays as it is (the check for repetitions sees to that). What stays
    keeps its line breaks.

    Args:
        reply: the candidate. ``previous``: earlier replies of the character, the newest last.
        user_text: what it answers.
    """
    parts = sentences(reply)
    if len(parts) < OFTEN or len(previous) < OFTEN or asks_again(user_text, pack):
        return reply, ""
    said = [_said(old) for old in previous[-RECENT:]]
    own = {one for example in persona.examples for one in _said(example.character)}
    kept: list[str] = []
    left_out = text = ""
    position = 0
    for part in parts:
        start = reply.find(part, position)
        if start < 0:
            return reply, ""  # a sentence that was mended in reading
        key = _key(part)
        often = part.rstrip(_CLOSING).endswith(("?", "？")) and sum(key in old for old in said) >= OFTEN
        if often and key not in own and _long(part):
            left_out = left_out or part
        else:
            kept.append(part)
            text += reply[position:start] + part
        position = start + len(part)
    if not left_out or not any(len(words(part)) >= OFTEN or has_han(part) for part in kept):
        return reply, ""
    return _paired(text.strip()), left_out


def _paired(text: str) -> str:
    """The text without a quotation mark at its edge whose other half went with what was left out."""
    for opening, closing in _QUOTES:
        more = text.count(opening) % 2 if opening == closing else text.count(opening) - text.count(closing)
        if more > 0 and text.startswith(opening):
            text = text[1:]
        elif more and text.endswith(closing):
            text = text[:-1]
    return text


@remembered(512)
def _said(reply: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_key(part) for part in sentences(reply))


def _key(sentence: str) -> tuple[str, ...]:
    return words(sentence)


def _long(sentence: str) -> bool:
    if has_han(sentence):
        return sum(map(len, words(sentence))) >= _FEWEST_HAN
    return len(words(sentence)) >= _FEWEST_WORDS


__all__ = ["OFTEN", "RECENT", "without_habits"]

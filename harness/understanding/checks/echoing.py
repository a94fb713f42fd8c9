"""Echoes: a reply that says the user's own words again, in the user's person, as if the user's life were its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.text import fold, has_han, likeness, normalize, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack

_SAME = 0.84
"""How alike a sentence in the user's person must be to one of the user's to be the same."""
_NEAR = 0.65
"""How alike the rest of the reply must be to something the user said ("my number", "your number")."""
_WORDS = 4
_HAN = 6
"""A shorter sentence may be said by both of themselves ("I like tea", 我很好)."""


def echoed(reply: str, user_text: str, pack: LanguagePack) -> str:
    """The sentence of a reply that repeats the user's in the user's person, when the reply says nothing else; else empty.

    What is said to the listener ("I missed you too") and what a reply adds to the same words ("I also …") is no echo.
    """
    said = [
        sentence
        for sentence in sentences(normalize(user_text))
        if not pack.any_of(pack.text.questions).search(sentence)
    ]
    own = pack.any_of(pack.text.first_person)
    found = ""
    for sentence in sentences(normalize(reply)):
        best = max(said, key=lambda old: likeness(old, sentence), default="")
        alike = likeness(best, sentence) if best else 0.0
        if alike < _NEAR or pack.finds(pack.text.additions, sentence):
            return ""
        if (
            alike >= _SAME
            and own.search(sentence)
            and own.search(best)
            and _long(sentence)
            and not _to_listener(best, pack)
        ):
            found = found or sentence
    return found


def _long(sentence: str) -> bool:
    return len(sentence) > _HAN if has_han(sentence) else len(sentence.split()) > _WORDS


def _to_listener(sentence: str, pack: LanguagePack) -> bool:
    words = fold(sentence) if has_han(sentence) else fold(sentence).split()
    return any(word in words for word in pack.commitments.listener)

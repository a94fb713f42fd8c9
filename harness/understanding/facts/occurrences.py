"""Which of many lists of phrases a text holds a phrase of, in one pass over the text instead of one per list."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Generic, TypeVar

from harness.understanding.text import fold, has_han

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Label = TypeVar("Label")
_RUN = re.compile(r"[0-9a-z]+")
_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz")


class Occurrences(Generic[Label]):
    """Finds the labels of all phrases in a folded text; overlapping phrases all count.

    A phrase without Chinese counts only where it is not part of a longer word; one with Chinese counts anywhere.
    """

    __slots__ = ("_by_letter", "_by_word", "_others")

    def __init__(self, lists: Mapping[Label, Iterable[str]]) -> None:
        """Index the phrases of each label."""
        by_word: dict[str, dict[str, set[Label]]] = {}
        by_letter: dict[str, dict[str, set[Label]]] = {}
        others: dict[str, set[Label]] = {}
        for label, phrases in lists.items():
            for phrase in map(fold, phrases):
                if not phrase:
                    continue
                word = _RUN.match(phrase)
                if has_han(phrase):
                    by_letter.setdefault(phrase[0], {}).setdefault(phrase, set()).add(label)
                elif word is not None:
                    by_word.setdefault(word[0], {}).setdefault(phrase, set()).add(label)
                else:
                    others.setdefault(phrase, set()).add(label)
        self._by_word = {key: tuple(found.items()) for key, found in by_word.items()}
        self._by_letter = {key: tuple(found.items()) for key, found in by_letter.items()}
        self._others = tuple(others.items())

    def find(self, folded: str) -> set[Label]:
        """Labels of the phrases in a folded text. Cost is about one look-up per word and per Chinese character."""
        found: set[Label] = set()
        for match in _RUN.finditer(folded):
            start = match.start()
            for phrase, labels in self._by_word.get(match[0], ()):
                if folded.startswith(phrase, start) and not _runs_on(folded, start + len(phrase)):
                    found |= labels
        by_letter = self._by_letter
        for start, letter in enumerate(folded) if by_letter else ():
            for phrase, labels in by_letter.get(letter, ()):
                if folded.startswith(phrase, start):
                    found |= labels
        for phrase, labels in self._others:
            start = folded.find(phrase)
            while start >= 0:
                if not (start and folded[start - 1] in _LETTERS) and not _runs_on(folded, start + len(phrase)):
                    found |= labels
                    break
                start = folded.find(phrase, start + 1)
        return found


def _runs_on(text: str, end: int) -> bool:
    return end < len(text) and text[end] in _LETTERS


__all__ = ["Occurrences"]

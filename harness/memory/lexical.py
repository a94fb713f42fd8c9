"""The words a text is found by, and what they weigh."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from harness.language import LanguagePack, LanguagePacks
from harness.language.remembering import remembered
from harness.state.memory import MemoryItem
from harness.understanding.text import fold, terms, words

READ = 4000
"""Characters of a text that are indexed; what follows is stored, and not found by its words."""
SMALL = 1000
"""Least number of items for which it is told how rare a word is."""
TELLING = 4
"""Words of a message that are taken for what it is about."""
_INNER = re.compile(r"[^\w]|_")


@remembered(4096)
def index_terms(text: str, packs: LanguagePacks, language: str) -> tuple[str, ...]:
    """Stems of Latin content words and bigrams of Han text, as often as they occur; letters and digits only.

    Parts of a text in another language than ``language`` are read by that language's pack.
    """
    found: list[str] = []
    for part in packs.parts(text[:READ], default=language):
        found.extend(_terms(part.text, packs.get(part.code)))
    return tuple(found)


def _terms(text: str, pack: LanguagePack) -> list[str]:
    return [bare for token in words(text) for term in _of(token, pack) if (bare := _INNER.sub("", term))]


@remembered(16384)
def _of(token: str, pack: LanguagePack) -> tuple[str, ...]:
    return tuple(sorted(terms(token, pack)))


def attribute_term(attribute: str) -> str:
    """The word under which all facts of an attribute are found, in any language, when a message asks for it."""
    return f"attribute{_INNER.sub('', fold(attribute))}"


def entry_terms(item: MemoryItem, packs: LanguagePacks) -> tuple[str, ...]:
    """The words that an item is found by, made from itself alone."""
    if item.kind == "mark":
        return ()
    terms = index_terms(f"{item.attribute.replace('_', ' ')} {item.text}", packs, item.language or "en")
    return (*terms, attribute_term(item.attribute)) if item.attribute else terms


def normal(text: str) -> str:
    """The form in which two texts that say the same in the same words are equal."""
    return " ".join(words(fold(text)))


def rarity(term: str, documents: int, frequencies: Mapping[str, int]) -> float:
    """log(1 + (N - n + 0.5) / (n + 0.5)): inverse document frequency (Robertson and Spärck Jones 1976), never below 0.

    A small store says little of how rare a word is: N is at least ``SMALL``.
    """
    documents = max(documents, SMALL)
    having = min(frequencies.get(term, 0), documents)
    return math.log(1 + (documents - having + 0.5) / (having + 0.5))


def share(wanted: Sequence[str], found: Iterable[str], weights: Mapping[str, float]) -> float:
    """Share of the weight of the wanted words that a text holds, 0 to 1. Of a long message the ``TELLING`` heaviest words count
    as the whole: nobody asks for more at once, and what was said around them takes nothing from what was found.
    """
    whole = sum(sorted((weights[term] for term in set(wanted)), reverse=True)[:TELLING])
    return min(math.fsum(weights[term] for term in set(wanted) & set(found)) / whole, 1.0) if whole else 0.0


def alike(first: Sequence[str], second: Sequence[str]) -> float:
    """Jaccard likeness of the words of two texts, 0 to 1."""
    a, b = set(first), set(second)
    if not a or not b:
        return 0.0
    return len(a & b) / len(a | b) if min(len(a), len(b)) > max(len(a), len(b)) / 2 else 0.0

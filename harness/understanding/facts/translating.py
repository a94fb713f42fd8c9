"""What a fact in one language says in another, where that can be told word by word: relatives, partners, pets.

A persona is written in one language and may be spoken to in another. Numbers compare anyhow; of other values only those
are carried over for which both packs have a word (``wording.concepts``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim
from harness.understanding.text import contains_phrase, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.language import LanguagePack


def pack_of(language: str, pack: LanguagePack) -> LanguagePack:
    """The pack a text of ``language`` is read with: ``pack`` itself for its own language and for unknown ones."""
    return pack if language == pack.code else pack.beside(language) or pack


def translated(claims: Iterable[Claim], own: LanguagePack, pack: LanguagePack) -> Iterator[Claim]:
    """Claims read with the pack ``own`` as far as ``pack`` has words for them."""
    for claim in claims:
        there, here = own.attribute(claim.attribute), pack.attribute(claim.attribute)
        if there is None or here is None or not here.closed or not here.generic:
            continue
        whole = fold(claim.value) in {fold(own.wording.anything), *map(fold, there.generic)}
        word = here.generic[0] if whole else _word(claim.value, own, pack)
        if word:
            yield Claim(SPEAKER, here.key, word, claim.polarity, claim.quote, single=claim.single, predicate=word)


def _word(value: str, own: LanguagePack, pack: LanguagePack) -> str:
    best, found = "", ""
    for concept, words in own.wording.concepts.items():
        there = pack.wording.concepts.get(concept, ())
        for word in words:
            if there and len(word) > len(best) and contains_phrase(value, word):
                best, found = word, there[0]
    return found

"""What a question of the user about their own matters asks for, in pieces small enough to be found again.

Who asks 我住几号房 said 我住421号房, and who asks 我等的是谁 said 我在等赵志强: the two share a single character, or a number with what it
counts. In ordinary talk so little is chance, but a question about the asker's own matters is nearly always about something told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.claims import plain_text
from harness.understanding.text import han_pieces, has_han, sentences, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack

READ = 400
"""Characters of a message in which a question is looked for."""
COUNT = "#"
"""Stands for any number, before what it counts."""


@remembered(1024)
def asked_pieces(text: str, pack: LanguagePack) -> frozenset[str]:
    """The pieces of the questions in a message that its speaker asks about themselves; empty where there is none."""
    cues = pack.recall
    found: set[str] = set()
    if not cues.asker:
        return frozenset()
    for sentence in sentences(text[:READ]):
        plain = plain_text(sentence, pack)
        if pack.any_of(cues.asker).search(plain) and pack.any_of(pack.text.questions).search(plain):
            found |= _pieces(sentence, cues.count_asked, pack) | _kindred(sentence, pack)
    return frozenset(found)


def told_pieces(text: str, pack: LanguagePack) -> frozenset[str]:
    """The pieces of a message by which such a question finds it."""
    return frozenset(_pieces(text, pack.recall.counted, pack))


def _kindred(sentence: str, pack: LanguagePack) -> set[str]:
    """Pieces of the words in which the answer may have been told: who asks for the car parked it, who owes has borrowed."""
    own = terms(sentence, pack)
    found: set[str] = set()
    for group in pack.recall.kindred:
        if any(word in sentence if has_han(word) else terms(word, pack) & own for word in group):
            for word in group:
                found |= terms(word, pack) | han_pieces(word, pack)
    return found


def _pieces(text: str, counts: tuple[str, ...], pack: LanguagePack) -> set[str]:
    counted = {f"{COUNT}{match['m']}" for source in counts for match in pack.pattern(source).finditer(text)}
    return {*terms(text, pack), *han_pieces(text, pack), *counted}

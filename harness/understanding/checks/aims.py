"""What a question wants to know, and whether a fact can tell it.

"Why did I move to York?" shares a word with the fact that the asker lives in York, and it is no answer: a reason is asked for. Such a fact
must not be put in the place of a right answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import Fact
from harness.understanding.text import fold, has_han, numbers, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack


def tells(fact: Fact, clause: str, pack: LanguagePack, *, asked: bool = False, known: Sequence[str] = ()) -> bool:
    """Whether a fact can be what a question asks for.

    Args:
        fact: one that was found for the question.
        clause: the question.
        pack: its language.
        asked: whether the question asks for the attribute of the fact, and does not only share words with it.
        known: nouns for the one asked about: they tell nothing new of them.
    """
    aims = [aim for aim in pack.recall.aims if pack.any_of(aim.asks).search(clause)]
    for aim in aims:
        if aim.attribute and (asked or pack.attribute(fact.attribute) is None):
            continue
        said = f"{fact.attribute} {fact.value}"
        if not (aim.number and numbers(fact.value, pack)) and not (
            aim.answers and pack.any_of(aim.answers).search(said)
        ):
            return False
    if numbers(fact.value, pack) or not (aims or pack.any_of(pack.answering.wh).search(clause)):
        return True
    kind = pack.any_of(pack.recall.kinds_asked).search(clause) is not None
    return not _repeats(unnamed(fact.value, pack) if kind else fact.value, clause, known if kind else (), pack)


def unnamed(value: str, pack: LanguagePack) -> str:
    """A value without the name in it: "spaniel" of "spaniel called Rex"."""
    return pack.any_of(pack.recall.called).sub(" ", value).strip() or value


def _repeats(value: str, clause: str, known: Sequence[str], pack: LanguagePack) -> bool:
    """Whether a value holds nothing but words of the question."""
    if has_han(value):
        return fold(value) in fold(clause) or fold(value) in known
    words = terms(value, pack)
    return bool(words) and words <= (terms(clause, pack) | {word for one in known for word in terms(one, pack)})


__all__ = ["tells", "unnamed"]

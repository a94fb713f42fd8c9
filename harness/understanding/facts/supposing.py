"""What a sentence states beside what it only supposes: a hedge takes away the clause it governs, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.subjects import Subjects

if TYPE_CHECKING:
    from harness.language import LanguagePack


@remembered(1024)
def without_suppositions(sentence: str, pack: LanguagePack) -> str:
    """The clauses of a sentence that no hedge governs, in the form patterns see; empty when there are none.

    A clause that is hedged by itself ("so maybe skip the brownies") goes, with those behind it that go on from it ("and …")
    or have no subject of their own. A condition ("if you ever come by") goes with all behind it. Any other hedge ("or maybe Leeds",
    "hypothetically") governs the whole sentence.
    """
    rules = pack.text
    supposed = pack.any_of(rules.hypotheticals) if rules.hypotheticals else None
    if supposed is None or not supposed.search(sentence):
        return sentence
    if not rules.asides:
        return ""
    asides, conditions = pack.any_of(rules.asides), pack.any_of(rules.conditions) if rules.conditions else None
    kept, governed, end, last = "", False, 0, 0
    found = False
    for start, stop, after in _pieces(sentence, pack):
        clause, joined = sentence[start:stop], sentence[last:start].strip(" ,")
        last = stop
        if conditions is not None and conditions.match(sentence[start:]):
            found = True
            break
        if supposed.search(clause):
            if not asides.match(clause):
                return ""
            governed = found = True
            continue
        goes_on = joined and pack.any_of(rules.joiners).fullmatch(f" {joined} ")
        governed = governed and bool(goes_on or Subjects(pack).resolve(clause, None) is None)
        if not governed and clause.strip():
            kept, end = kept + sentence[start:after], len(kept) + stop - start
    return kept[:end].strip() if found else ""  # what stands across clauses ("in my story, I …") governs them all


def _pieces(sentence: str, pack: LanguagePack) -> list[tuple[int, int, int]]:
    """Where each clause begins and ends, and where the next one begins."""
    breaks = (*pack.text.breaks, *pack.text.hedge_breaks)
    found, start = [], 0
    for match in pack.any_of(breaks).finditer(sentence):
        if match.start() > start:
            found.append((start, match.start(), match.end()))
        start = max(start, match.end())
    return [*found, (start, len(sentence), len(sentence))]


__all__ = ["without_suppositions"]

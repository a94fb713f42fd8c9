"""What a message takes for granted about somebody of the character's: "your dad's a doctor, isn't he?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim
from harness.understanding.facts.values import values_match
from harness.understanding.text import contains_phrase, fold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.understanding.facts.knowledge import Knowledge, Known


def relatives_work(sentence: str, known: Knowledge, pack: LanguagePack) -> Iterator[tuple[Known, Claim, str]]:
    """(the fact that gives another line of work, the claim, the words) for each relative whose work is taken for granted."""
    for source in pack.premise.related:
        match = pack.pattern(source).search(sentence)
        if match is None:
            continue
        for item in known.facts:
            held = _work(item, match["n"], pack) if item.fact.polarity else ""
            if not held:
                continue
            said = Claim(SPEAKER, "job", match["j"], predicate=match["j"], quote=match[0].strip())
            named = contains_phrase(f"{item.fact.value} {item.truth}", match["j"])
            if not named and values_match(said, Claim(SPEAKER, "job", held), pack) is False:
                yield item, said, match[0].strip()
            return


def _work(item: Known, relative: str, pack: LanguagePack) -> str:
    """The line of work that a fact about a relative gives; empty when it is about another, or gives none."""
    names = {relative}
    for source in pack.premise.same_relative:
        expression = pack.pattern(source)
        if expression.fullmatch(fold(relative)):
            names.update(
                name for name in (item.fact.attribute, *_words(item, pack)) if expression.fullmatch(fold(name))
            )
    about = fold(item.fact.attribute) in map(fold, names) or any(contains_phrase(item.truth, name) for name in names)
    if not about:
        return ""
    match = pack.pattern(pack.premise.work).search(item.fact.value)
    return match[0] if match else ""


def _words(item: Known, pack: LanguagePack) -> Iterator[str]:
    for source in pack.premise.same_relative:
        yield from (match[0] for match in pack.pattern(source).finditer(item.truth))

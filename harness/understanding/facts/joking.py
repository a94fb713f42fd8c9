"""What the words of a joke ("just kidding", 开玩笑的) take back: the statement right before them, and no other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.predicates import plain_text
from harness.understanding.facts.subjects import Subjects
from harness.understanding.text import has_han, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack

_AROUND = " ,，.!！。~;；"
_FEW_WORDS = 3
_FEW_HAN = 4


@remembered(1024)
def without_jokes(text: str, pack: LanguagePack) -> tuple[str, bool, bool]:
    """A message without its jokes, whether it had any, and whether the first one stands alone.

    A joke is the statement right before the words that say so: the last clause before them that has a subject, with
    what goes on from it. Words that stand alone, with no statement before them, mean what was said before the message.
    """
    joking = pack.any_of(pack.text.jokes) if pack.text.jokes else None
    kept, at, alone, found = "", 0, False, False
    for match in joking.finditer(text) if joking is not None else ():
        before = text[at : match.start()]
        if not found:
            alone = _says_little(text[at : match.start() + 1])
        found = True
        kept += before[: _last_statement(before, pack)]
        at = match.end()
    if not found:
        return text, False, False
    rest = text[at:].lstrip(_AROUND)
    kept = kept.strip()
    return f"{kept} {rest}" if kept and rest and not has_han(kept) else kept + rest, True, alone


def last_sentence(text: str, pack: LanguagePack) -> str:
    """The last sentence of a message, which words of joking in the next one mean."""
    return next(reversed(sentences(plain_text(text, pack))), "")


def _says_little(text: str) -> bool:
    bare = text.strip(_AROUND)
    if bare.endswith(("?", "？")):
        return False
    return len(bare) <= _FEW_HAN if has_han(bare) else len(bare.split()) <= _FEW_WORDS


def _last_statement(text: str, pack: LanguagePack) -> int:
    """Where the last clause of a text begins that has a subject, in its last sentence."""
    last = next(reversed(sentences(text.rstrip(_AROUND))), "")
    start = text.rfind(last) if last else len(text)
    if start < 0:
        return 0
    breaks = pack.any_of(pack.text.breaks)
    edges = [0, *(match.end() for match in breaks.finditer(last) if match.end() < len(last))]
    for edge in reversed(edges):
        clause = plain_text(last[edge:], pack)
        turned = pack.rewrite(clause, pack.text.swap)
        if any(Subjects(pack, "§").resolve(words, None) for words in (clause, turned)):
            return start + edge
    return start


__all__ = ["last_sentence", "without_jokes"]

"""Whether words state anything: not what is pasted in, quoted from others, supposed, or taken back as a joke."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.claims import without_quotations
from harness.understanding.facts.joking import without_jokes
from harness.understanding.facts.supposing import without_suppositions
from harness.understanding.one_script import in_one_script
from harness.understanding.proposals.grounding import occurs
from harness.understanding.text import fold, normalize, sentences, words

if TYPE_CHECKING:
    from harness.language import LanguagePack

_CLAUSE = re.compile(r"[^,;:，；：。.!?！？…\n]+(?:[.,:](?=\d)[^,;:，；：。.!?！？…\n]+)*")
_HAN = re.compile(r"[\u3400-\u9fff]")


def own_words(text: str, pack: LanguagePack) -> str:
    """A message without the passages that are not its speaker's words (pasted instructions, marked memories)."""
    text = normalize(text)
    for source in pack.text.foreign:
        text = pack.pattern(source).sub("\n", text)
    return text


def serious(text: str, pack: LanguagePack) -> tuple[str, bool]:
    """A message without what it takes back as a joke, and whether there is any."""
    return without_jokes(text, pack)[:2]


@in_one_script
def unstated(quote: str, text: str, pack: LanguagePack) -> str:
    """Why quoted words of a message state nothing, in a few words; empty when they may state something."""
    own = own_words(text, pack)
    if not occurs(quote, own):
        return "the words are not the speaker's own"
    rest, joked = serious(own, pack)
    if joked and not occurs(quote, rest):
        return "it was a joke"
    if not occurs(quote, without_quotations(rest, pack)):
        return "it quotes somebody"
    said = [sentence for sentence in sentences(rest) if occurs(quote, sentence)]
    if said and not any(occurs(quote, without_suppositions(sentence, pack)) for sentence in said):
        return "it is only supposed"
    return ""


def literal(quote: str, text: str) -> str:
    """The words of ``text`` that a quote in the form patterns see was made of ("I am" from "I'm"): the clause most like it.

    Empty when the two share no word.
    """
    if quote in text:
        return quote
    wanted = _bag(quote)
    best, shared = "", 0.0
    for match in _CLAUSE.finditer(text):
        clause = match[0].strip()
        bag = _bag(clause)
        likeness = len(wanted & bag) / max(1, len(wanted | bag))
        if likeness > shared:
            best, shared = clause, likeness
    return best


@remembered(1024)
def _bag(text: str) -> frozenset[str]:
    """Words, and Chinese characters one by one."""
    found = {part for word in words(text) for part in re.split(r"['-]", word) if part}
    return frozenset({word for word in found if not _HAN.search(word)} | set(_HAN.findall(fold(text))))

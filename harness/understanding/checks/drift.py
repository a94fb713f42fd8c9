"""Whether a reply is in another language than it should be.

What is quoted, addresses, code and (in another script than Latin) names and titles do not count, and neither does anything when the
user asked for words of another language. Scripts tell most languages apart; Japanese beside Chinese is told by its Hiragana,
and languages in one script by the function words that the pack lists of others.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.scripts import HAN, KANA, LATIN, script_of, script_weights

if TYPE_CHECKING:
    from harness.language import LanguagePack

SHARE = 0.6
"""Share of a reply in another script from which on it has drifted."""
JAPANESE = 0.35
"""Share of Hiragana among Han and kana from which on a text is Japanese."""
FOREIGN = 0.25
"""Share of function words of other languages from which on a text in the right script is in the wrong language."""
_FEW = 4
_HITS = 3
_PER_WORD = 1.6
"""Han characters that carry as much as a Latin word."""

# The parts of an address have an end: without one, a long text in a script without spaces is read anew from each letter.
_CODE = re.compile(
    r"```.*?(?:```|$)|`[^`]*`|https?://\S+|www\.\S+|(?a:[\w.%+-]{1,64}@[\w-][\w.-]{0,252}\.\w+)", re.DOTALL
)
_QUOTED = re.compile(
    r"\"[^\"]{1,300}\"|“[^”]{1,300}”|‘[^’]{1,300}’|「[^」]{1,300}」|『[^』]{1,300}』|《[^》]{1,300}》|«[^»]{1,300}»"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def drifted(reply: str, user_text: str, pack: LanguagePack) -> bool:
    """Whether most of a reply is in another language than ``pack``'s."""
    if pack.reply.foreign_asked and pack.any_of(pack.reply.foreign_asked).search(user_text):
        return False
    reply = _CODE.sub(" ", reply)
    own = _QUOTED.sub(" ", reply)
    counted = own if any(char.isalpha() for char in own) else reply
    if pack.script == HAN:
        return _from_han(counted)
    if pack.script == LATIN:
        return _from_latin(counted) or _other_words(counted, pack)
    weights = script_weights(counted)
    return sum(weights.values()) > _FEW and weights.get(pack.script, 0) < (1 - SHARE) * sum(weights.values())


def _letters(text: str) -> dict[str, int]:
    """Han and kana characters, each by itself, and words of the other scripts."""
    weights = {name: count for name, count in script_weights(text).items() if name not in (HAN, KANA)}
    scripts = [script_of(char) for char in text]
    return {**weights, HAN: scripts.count(HAN), KANA: scripts.count(KANA)}


def _from_han(text: str) -> bool:
    """Names and titles begin with a capital; only other Latin words speak for another language."""
    hiragana = sum("\u3041" <= char <= "\u309f" for char in text)
    weights = _letters(text)
    written = weights.pop(HAN) + weights.pop(KANA)
    if hiragana >= _FEW and hiragana >= JAPANESE * written:
        return True
    weights[LATIN] = sum(
        word[0].islower() and len(word) > 1 for word in _WORD.findall(text) if script_of(word[0]) == LATIN
    )
    others = sum(weights.values())
    return others >= _FEW and others > SHARE * (others + written / _PER_WORD)


def _from_latin(text: str) -> bool:
    weights = _letters(text)
    written = weights.pop(HAN) + weights.pop(KANA)
    latin = weights.pop(LATIN, 0)
    if written > _FEW and written / _PER_WORD > (1 - SHARE) * (latin + written / _PER_WORD):
        return True
    others = sum(weights.values())
    return others >= _FEW and others > SHARE * (others + latin)


def _other_words(text: str, pack: LanguagePack) -> bool:
    """Whether the small words of a text are those of another language in the same script."""
    if not pack.reply.foreign_words:
        return False
    found = [word.lower() for word in _WORD.findall(text)]
    foreign = sum(word in pack.reply.foreign_words for word in found)
    if foreign < _HITS or foreign < FOREIGN * len(found):
        return False
    return foreign > sum(word in pack.text.stopwords for word in found)

"""Scripts of Unicode: which one a character belongs to, and how much of a text is in each."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cache, lru_cache
from types import MappingProxyType

HAN, KANA, LATIN = "han", "kana", "latin"
SPACELESS = frozenset({HAN, KANA, "thai", "lao", "khmer", "myanmar", "tibetan"})
"""Scripts written without blanks between words: their characters are weighed, of the others the words."""
_NAMES = {"cjk": HAN, "hiragana": KANA, "katakana": KANA, "katakana-hiragana": KANA, "bopomofo": HAN}
"""First words of Unicode names that are no names of scripts here."""
_WIDTHS = ("FULLWIDTH ", "HALFWIDTH ")
KANA_SHARE = 0.1
"""Share of kana from which the Han characters beside them are Japanese."""
_SHORT = 400
"""Length up to which the weights of a text are remembered: the parts of a turn are told apart several times."""
_LAST = 0x1F000
"""End of the part of Unicode in which scripts of living languages are looked for."""


@lru_cache(maxsize=8192)
def script_of(char: str) -> str:
    """The script of a letter, in lower case (``latin``, ``han``, ``cyrillic``); empty for what is no letter.

    It is the first word of the character's Unicode name; Hiragana and Katakana are both ``kana``.
    """
    if char.isascii():
        return LATIN if char.isalpha() else ""
    if not char.isalpha():
        return ""
    name = unicodedata.name(char, "")
    for width in _WIDTHS:
        name = name.removeprefix(width)
    word = name.partition(" ")[0].lower()
    return _NAMES.get(word, word)


@cache
def is_script(name: str) -> bool:
    """Whether letters of a script of this name exist."""
    if name in {HAN, KANA, LATIN}:
        return True
    return bool(name) and name not in _NAMES and any(script_of(chr(code)) == name for code in range(0x250, _LAST))


def script_weights(text: str) -> Mapping[str, int]:
    """Script → how much of the text is in it: characters of scripts without blanks, words of the others.

    A Han character carries about as much as a Latin word. Han characters beside kana count as kana, for that is how
    Japanese is written.
    """
    return (_weights_short if len(text) <= _SHORT else _weights)(text)


def _weights(text: str) -> Mapping[str, int]:
    weights: dict[str, int] = {}
    inside = ""
    for char in text:
        script = script_of(char)
        if script:
            if script in SPACELESS or script != inside:
                weights[script] = weights.get(script, 0) + 1
            inside = script
        elif char not in "'’-" and not unicodedata.combining(char):
            inside = ""
    kana, han = weights.get(KANA, 0), weights.get(HAN, 0)
    if han and kana >= KANA_SHARE * (kana + han):
        weights[KANA] = kana + weights.pop(HAN)
    return MappingProxyType(weights)


_weights_short = lru_cache(maxsize=512)(_weights)

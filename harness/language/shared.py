"""What the built-in packs know that reading needs before a language is chosen, or whatever it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from harness.language.packs import load_packs
from harness.language.phrases import alternatives

if TYPE_CHECKING:
    from collections.abc import Mapping

    from harness.language.sections_facts import StemEnding


@dataclass(frozen=True, slots=True)
class SharedWords:
    """Words of all built-in packs together.

    Attributes:
        abbreviation: matches an abbreviation with its full stop at the end of a text ("Dr.").
        numeral: matches a run of numeral characters (三十四); nothing without any.
        digits, scales: numeral character → its value, or what it multiplies by.
        possessives, stem_endings, silent: what a stem lacks (see ``text`` of the packs).
        no: words by which a model says that something does not hold.
    """

    abbreviation: re.Pattern[str]
    numeral: re.Pattern[str]
    digits: Mapping[str, int]
    scales: Mapping[str, int]
    possessives: tuple[str, ...]
    stem_endings: tuple[StemEnding, ...]
    silent: tuple[str, ...]
    no: frozenset[str]


@cache
def shared_words() -> SharedWords:
    """The words, collected once."""
    packs = load_packs().all()
    digits = {char: value for pack in packs for char, value in pack.text.numerals.items()}
    scales = {char: value for pack in packs for char, value in pack.text.numeral_scales.items()}
    letters = "".join((*digits, *scales))
    return SharedWords(
        abbreviation=re.compile(
            rf"(?<!\w)(?:{alternatives(word for pack in packs for word in pack.text.abbreviations)})\.$", re.IGNORECASE
        ),
        numeral=re.compile(f"[{re.escape(letters)}]+" if letters else "(?!)"),
        digits=digits,
        scales=scales,
        possessives=tuple(pack.text.possessive for pack in packs if pack.text.possessive),
        stem_endings=tuple(ending for pack in packs for ending in pack.text.stem_endings),
        silent=tuple(pack.text.stem_silent for pack in packs if pack.text.stem_silent),
        no=frozenset(word for pack in packs for word in pack.text.no_words),
    )

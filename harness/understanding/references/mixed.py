"""Turns in more than one language: which further packs have words in a text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.packs import LanguagePacks

_SCRIPTS = {"han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff]"), "latin": re.compile("[A-Za-z]{2}")}


def packs_beside(text: str, pack: LanguagePack, packs: LanguagePacks) -> tuple[LanguagePack, ...]:
    """One further pack for each script of a text that is not the pack's own; the first one there is.

    Args:
        text: the turn, message and reply.
        pack: the turn's language.
        packs: all that are loaded.
    """
    found: dict[str, LanguagePack] = {}
    for other in map(packs.get, packs.codes):
        if other.script != pack.script and other.script not in found and _SCRIPTS[other.script].search(text):
            found[other.script] = other
    return tuple(found.values())

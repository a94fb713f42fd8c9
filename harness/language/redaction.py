"""The redactor that knows the words of all language packs at hand."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import caseless
from harness.redacting import Cues, Policy, Redactor
from harness.redacting.folding import Spelt

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.packs import LanguagePacks

SPELT = 7
"""Digits in a row that are likely no counting."""
NAMED = ("card", "id", "phone", "code")


def redactor(packs: LanguagePacks, policy: Policy | None = None) -> Redactor:
    """A redactor; without a policy the usual one. Raises LanguageError: a pattern of a pack is wrong."""
    return Redactor(policy or Policy(), {pack.code: _cues(pack) for pack in packs.all()})


@lru_cache(maxsize=64)
def _cues(pack: LanguagePack) -> Cues:
    words = pack.redaction
    names = {
        kind: pack.pattern(f"(?:{'|'.join(f'(?:{one})' for one in getattr(words, kind))})[\"'“”‘’<(\\[ ]*$")
        for kind in NAMED
        if getattr(words, kind)
    }
    before = f"(?:{'|'.join(words.counted_before)})[ ]*$" if words.counted_before else ""
    return Cues(
        labels=words.labels,
        names=names,
        counted_before=pack.pattern(before) if before else None,
        counted_behind=pack.any_of(words.counted_behind) if words.counted_behind else None,
        secrets=tuple(("password", pack.pattern(source)) for source in words.passwords),
        hints=pack.any_of(words.password_hints) if words.password_hints else None,
        no_secret=pack.any_of(words.no_passwords) if words.no_passwords else None,
        spelt=_spelt(pack) if words.digits else None,
    )


def _spelt(pack: LanguagePack) -> Spelt:
    """How the language spells digits. Its words stand alone where it has blanks between words."""
    words = pack.redaction
    digit = "|".join(sorted(map(re.escape, words.digits), key=len, reverse=True))
    times = "|".join(map(re.escape, words.repeated))
    single = all(len(word) == 1 for word in words.digits)
    times = f"(?P<times>{times})[ -]" if times else "(?P<times>(?!))"
    one = (
        f"(?:{times})?(?P<digit>{digit}|[0-9])"
        if single
        else rf"(?<![a-z])(?:{times})?(?P<digit>{digit}|[0-9])(?![a-z])"
    )
    nameless = re.sub(r"\?P<\w+>", "?:", one)
    run = rf"(?:{nameless})(?:(?:(?<![0-9])[ ,、.·-]{{1,2}}(?![0-9]))?(?:{nameless})){{{SPELT - 1},40}}"
    return Spelt(
        caseless(run), caseless(one), {word.lower(): digit for word, digit in words.digits.items()}, words.repeated
    )

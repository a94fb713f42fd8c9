"""The redactor that knows the words of all language packs at hand."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from harness.redacting import Cues, Policy, Redactor

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.packs import LanguagePacks

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
    )

"""Values taken from replies, so that a later step can ask for what was invented earlier."""

from __future__ import annotations

import re

from harness.blindtest.meaning import claims_of, mentions
from harness.blindtest.suite import Capture
from harness.language import LanguagePack
from harness.understanding.references.mentions import find_mentions
from harness.understanding.text import fold, normalize, numbers


def capture(reply: str, how: Capture, pack: LanguagePack) -> str:
    """The value that a reply gives; empty when it gives none."""
    text = normalize(reply)
    if how.pattern is not None:
        return _by_pattern(text, how.pattern)
    if how.choice:
        named = [
            (text.casefold().find(option.casefold()), option) for option in how.choice if mentions(text, option, pack)
        ]
        return min(named, default=(0, ""), key=lambda found: found[0] if found[0] >= 0 else len(text))[1]
    if how.number:
        found = numbers(text, pack)
        return f"{found[0]:g}" if found else ""
    if how.name:
        return next((one.name for one in find_mentions(text, pack) if one.proper), "")
    return _by_attribute(text, how.attribute, pack)


def _by_pattern(text: str, pattern: str) -> str:
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None:
        return ""
    groups = match.groupdict()
    value = groups.get("value") or (match[1] if match.re.groups else match[0])
    return (value or "").strip()


def _by_attribute(text: str, attribute: str, pack: LanguagePack) -> str:
    spec = pack.attribute(attribute)
    key = spec.key if spec else fold(attribute)
    return next(
        (claim.name or claim.value for claim in claims_of(text, pack) if claim.attribute == key and claim.polarity), ""
    )

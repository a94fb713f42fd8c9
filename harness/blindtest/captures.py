"""Values taken from replies, so that a later step can ask for what was invented earlier."""

from __future__ import annotations

import re

from harness.blindtest.heard import claims_of, says_so, settled
from harness.blindtest.naming import figures, mentions
from harness.blindtest.suite import Capture
from harness.language import LanguagePack
from harness.understanding.one_script import in_one_script
from harness.understanding.references.mentions import find_mentions
from harness.understanding.text import fold, normalize


@in_one_script
def capture(reply: str, how: Capture, pack: LanguagePack, asked: str = "") -> str:
    """The value that a reply gives; empty when it gives none.

    ``asked``: the message that is answered: "A Leica." gives a camera only after a question for one. What is taken back at once
    ("A Canon. No, sorry, a Leica.") is not given; what is only denied is not, as long as something else is named.
    """
    if how.pattern is not None:
        return _by_pattern(normalize(reply), how.pattern)
    text = settled(normalize(reply), pack)
    if how.choice:
        return _by_choice(text, how.choice, pack) or _by_choice(normalize(reply), how.choice, pack)
    if how.number:
        found = figures(text, pack)
        return f"{found[0]:g}" if found else ""
    if how.name:
        return next((one.name for one in find_mentions(text, pack) if one.proper), "")
    return _by_attribute(text, how.attribute, pack, asked)


def _by_choice(text: str, options: tuple[str, ...], pack: LanguagePack) -> str:
    """The first option that is said to be so, else the first that is named at all; each as the suite spells it."""
    named = [option for option in options if mentions(text, option, pack)]
    said = [option for option in named if says_so(text, option, pack, own=False)]
    return min(said or named, default="", key=lambda option: _place(text, option))


def _place(text: str, option: str) -> int:
    at = fold(text).find(fold(option))
    return at if at >= 0 else len(text)


def _by_pattern(text: str, pattern: str) -> str:
    match = re.search(pattern, text, re.IGNORECASE)
    if match is None:
        return ""
    groups = match.groupdict()
    value = groups.get("value") or (match[1] if match.re.groups else match[0])
    return (value or "").strip()


def _by_attribute(text: str, attribute: str, pack: LanguagePack, asked: str) -> str:
    spec = pack.attribute(attribute)
    key = spec.key if spec else fold(attribute)
    stated = (claim for claim in claims_of(text, pack, asked) if claim.attribute == key and claim.polarity)
    return next((claim.name or claim.value for claim in stated), "")

"""What a message takes for granted about the character, read as claims the character would make."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack

_QUOTES = re.compile(r"[\"“”「」『』]")


@dataclass(frozen=True, slots=True)
class Presupposed:
    """One thing a sentence takes for granted.

    Attributes:
        category: how: the name of the list of ``premise`` cues whose expression found it.
        claim: as the character would say it.
        words: of the message.
        open: worth a notice though no fact speaks of such a thing at all.
    """

    category: str
    claim: Claim
    words: str
    open: bool = False


def presupposed(sentence: str, pack: LanguagePack) -> Iterator[Presupposed]:
    """What a sentence takes for granted, the surest wording first."""
    cues = pack.premise
    innocent = pack.any_of(cues.innocent).search(sentence)
    asks = pack.any_of(pack.text.questions).search(sentence) is not None
    found = named = False
    inquires = bool(cues.inquires) and pack.any_of(cues.inquires).search(sentence) is not None
    for category, sources in (
        ("reported", cues.reported),
        ("roles", cues.roles),
        ("once", cues.once),
        ("presupposed", cues.presupposed),
        ("owned", cues.owned),
        ("direct", cues.direct),
    ):
        if innocent and category not in {"reported", "roles", "once"}:
            return
        if category == "reported" and inquires:
            continue  # who asks what was said claims nothing
        if category == "direct" and (asks or found):
            return
        if category == "presupposed" and found:
            continue  # what was reported is not presupposed as well; what it mentions in passing may be
        for expression in pack.likely(sources, sentence):
            match = expression.search(sentence)
            if match is None:
                continue
            for claim in _read(match, category, pack):
                if "§" in claim.predicate and not claim.attribute and category != "reported":
                    continue  # "you know my dog" is about the one who says it
                found = found or bool(claim.attribute) or category == "reported"
                named = named or bool(claim.attribute)
                yield Presupposed(category, claim, match[0].strip(), _open(category, match, sentence, pack))
            if found and category != "owned":
                break
        if named and category == "reported":
            return


def _open(category: str, match: re.Match[str], sentence: str, pack: LanguagePack) -> bool:
    """Whether to notice what nothing is known of: what was said, what was once, whom a question asks after."""
    if category == "owned":
        return pack.any_of(pack.premise.taken).search(sentence) is not None
    return category in {"reported", "roles"} or (category == "once" and match.groupdict().get("any") is None)


def _read(match: re.Match[str], category: str, pack: LanguagePack) -> Iterator[Claim]:
    cues, groups = pack.premise, match.groupdict()
    if category == "owned":
        has = cues.has_named if groups.get("name") else cues.has
        if groups.get("other") is not None:
            has = cues.has_other or has
        text = has.format(n=groups.get("n") or "", name=groups.get("name") or "")
        yield from (c for c in read_claims(text, pack, Reading(loose=True)) if c.subject == SPEAKER)
        return
    words = groups.get("c") or ""
    quoted = words.lstrip(" ,:").startswith(tuple('"“「『'))
    text = pack.any_of(cues.tags).sub("", _QUOTES.sub("", words).strip(" ,:").rstrip("?!.。")).rstrip("?!.。 ")
    if category == "reported" and pack.any_of(cues.promises).match(text):
        return
    if groups.get("third") is not None:
        text = pack.rewrite(text, pack.text.deinflect)
    prefixes = next((put for name, put in cues.prefixes.items() if groups.get(name) is not None), ("",))
    past = (category in {"reported", "once"} or groups.get("past") is not None) and not quoted
    reading = Reading(swapped=not quoted, loose=True, asked=True, backshift=past, wording=True)
    claims: list[Claim] = []
    for prefix in prefixes:
        claims = [c for c in read_claims(prefix + text, pack, reading) if c.subject == SPEAKER]
        if any(c.attribute for c in claims):
            break
    if not claims and category == "reported" and cues.elided:
        read = read_claims(cues.elided + text, pack, reading)
        claims = [c for c in read if c.subject == SPEAKER and c.attribute and not c.polarity]
    yield from claims

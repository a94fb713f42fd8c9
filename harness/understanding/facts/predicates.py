"""Words brought to the form patterns see: plain text, predicates without negation or limit, values, degrees."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.text import has_han, normalize, numbers

if TYPE_CHECKING:
    from harness.language import LanguagePack

_QUOTED = re.compile(r"[“「『《\"]([^”」』》\"]{1,400})[”」』》\"]")
_LONG_QUOTE = 4
_LONG_HAN_QUOTE = 8
_PRIVATE = 0xE000
_DECADE = 10
_ROUNDED = 2
"""Centimetres that two wordings of one length may be apart (six foot, 182 cm)."""


@remembered(4096)
def plain_text(text: str, pack: LanguagePack) -> str:
    """``text`` in the form patterns see: normal characters, contractions written out, quotations taken out."""
    return pack.rewrite(without_quotations(normalize(text), pack), pack.text.expand)


def without_quotations(text: str, pack: LanguagePack) -> str:
    """A text without the speech of others it quotes; names and titles in quotation marks stay."""
    first_person = pack.any_of(pack.text.first_person)

    def keep(match: re.Match[str]) -> str:
        inner = match[1].strip()
        long = len(inner) > _LONG_HAN_QUOTE if has_han(inner) else len(inner.split()) > _LONG_QUOTE
        return " … " if long or first_person.search(inner) else inner

    return _QUOTED.sub(keep, text)


_CLOSED_UP = re.compile(r"(?<=[a-z]),(?=[A-Z])")
"""The comma of a name ("Paris, Texas"), which packs close up so that no clause ends there."""


def clean_value(value: str, pack: LanguagePack) -> str:
    """A value without articles before it and without the small words behind it."""
    tails, heads = pack.any_of(pack.text.tails), pack.any_of(pack.text.heads)
    value = value.strip()
    for _ in range(4):
        shorter = heads.sub("", tails.sub("", value)).strip()
        if shorter == value or not shorter:
            break
        value = shorter
    return _CLOSED_UP.sub(", ", value)


def positive(predicate: str, pack: LanguagePack) -> tuple[str, bool, dict[str, str]]:
    """A predicate without its negation, whether it was positive, and what masked characters stand for."""
    rules = pack.text
    masks: dict[str, str] = {}
    predicate = pack.rewrite(predicate, rules.idioms)

    def mask(match: re.Match[str]) -> str:
        sign = chr(_PRIVATE + len(masks))
        masks[sign] = match[0]
        return sign

    for sources in (rules.lookalikes, rules.whole):
        predicate = pack.any_of(sources).sub(mask, predicate) if sources else predicate
    if rules.scopes and (scope := pack.any_of(rules.scopes).search(predicate)):
        # A dog that does not bark is a dog: what a clause inside the predicate denies, the predicate does not.
        inner = pack.any_of(rules.denying).sub(mask, predicate[scope.start() :])
        predicate = predicate[: scope.start()] + inner
    fillers = pack.any_of(rules.fillers)
    predicate = fillers.sub("", predicate).strip()
    predicate = pack.rewrite(predicate, rules.idioms)
    polarity = True
    for source, replacement in rules.negations:
        changed = pack.pattern(source).sub(replacement, predicate, count=1)
        if changed != predicate:
            polarity, predicate = not polarity, changed
    return fillers.sub("", predicate).strip(), polarity, masks


def limited(predicate: str, pack: LanguagePack) -> tuple[str, bool]:
    """A predicate without its "only", and whether it had one."""
    plain = pack.rewrite(predicate, pack.text.limits)
    return plain, plain != predicate


def restore(text: str, masks: dict[str, str]) -> str:
    """A text with the masked characters of :func:`positive` as they were."""
    for sign, original in masks.items():
        text = text.replace(sign, original)
    return text


def degree_of(attribute: str, words: str, polarity: bool, pack: LanguagePack) -> int | None:
    """How much words say, from 2 (love) over 0 (do not mind) to -2 (hate); None when the attribute has no such scale."""
    spec = pack.attribute(attribute)
    if spec is None or not spec.degrees:
        return None
    said = (degree for source, degree in spec.degrees if pack.pattern(source).search(words))
    return next(said, 1 if polarity else -1)


def same_numbers(first: str, second: str, pack: LanguagePack) -> bool | None:
    """Whether two texts hold the same numbers; None when one of them holds none."""
    a, b = numbers(first, pack), numbers(second, pack)
    for text, others in ((first, b), (second, a)):
        start = next((start for word, start in pack.history.decades.items() if word in text.casefold()), None)
        if start is not None and others:
            return start <= others[0] < start + _DECADE
    if not a or not b:
        return None
    lengths = pack.text.lengths and any(
        pack.any_of(pack.text.lengths).search(text.casefold()) for text in (first, second)
    )
    return a[0] == b[0] or set(a) == set(b) or bool(lengths and abs(a[0] - b[0]) <= _ROUNDED)

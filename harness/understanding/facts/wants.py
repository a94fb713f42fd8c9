"""What somebody is looking for, slot by slot: "a cheap Thai place in the south", "any area is fine", 随便.

A value counts only where something is asked for: in a sentence with a cue and what is looked for, in a proposal while
something is being looked for already, or in a short answer to a question about the slot. So "I'm from the north" and
"Is it expensive?" want nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases
from harness.language.remembering import remembered
from harness.understanding.facts.claims import SPEAKER, Claim, clean_value, plain_text
from harness.understanding.text import fold, has_han, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.language.sections_wants import WantSlot

_SHORT_WORDS = 7
_SHORT_HAN = 10
_LONGEST = 1_000
_LEAST_SPELLED = 6
"""Letters of a word from which it is compared with known values: short ones are too soon alike."""
_NEARLY = 0.85
"""Likeness from which a word is a misspelt known value."""


@dataclass(frozen=True, slots=True)
class _Value:
    """A value of a slot in a sentence."""

    slot: WantSlot
    value: str
    start: int
    end: int


def want_attributes(pack: LanguagePack) -> frozenset[str]:
    """Keys of the attributes that hold what is looked for."""
    return frozenset(slot.attribute for slot in pack.wants.slots)


def read_wants(text: str, pack: LanguagePack, *, asked: str = "", looking: bool = False) -> tuple[Claim, ...]:
    """What the speaker of a text looks for, as claims about the speaker.

    Args:
        text: one message.
        pack: of its language.
        asked: the message it answers; tells which slot "I don't care" is about.
        looking: whether the speaker is known to look for something.
    """
    rules = pack.wants
    if not rules.slots:
        return ()
    text = text[:_LONGEST]
    if not looking and not _may_want(text, asked, pack):
        return ()
    questioned = _questioned(asked[-_LONGEST:], pack)
    found: dict[str, Claim] = {}
    for sentence in sentences(fold(plain_text(text, pack))):
        active = looking or bool(found)
        for claim in _sentence(sentence, pack, questioned, looking=active):
            known = found.get(claim.attribute)
            if known is None or (claim.polarity and (not known.polarity or known.value == rules.anything)):
                found[claim.attribute] = claim
    return tuple(found.values())


def _may_want(text: str, asked: str, pack: LanguagePack) -> bool:
    folded = fold(text)
    if asked and _short(folded):
        return True
    return pack.any_of(pack.wants.about).search(folded) is not None or _lexicon(pack).first(folded) is not None


def _sentence(sentence: str, pack: LanguagePack, questioned: tuple[WantSlot, ...], *, looking: bool) -> Iterator[Claim]:
    rules = pack.wants
    about = pack.any_of(rules.about).search(sentence) is not None
    cued = pack.any_of(rules.cues).search(sentence) is not None
    proposed = looking and pack.any_of(rules.proposals).search(sentence) is not None
    short = _short(sentence) and not sentence.rstrip().endswith("?")
    answers = short and bool(questioned)
    values = _values(sentence, pack)
    direct = pack.any_of(rules.direct)
    telling = values if len(values) > 1 else [value for value in values if value.value not in rules.dishes]
    asks = cued and (about or looking or answers or any(direct.search(sentence[: v.start]) for v in telling))
    if asks or proposed or answers or (short and looking):
        slots = {slot.attribute for slot in questioned}
        for value in values:
            if answers and not (cued or proposed or looking) and value.slot.attribute not in slots:
                continue
            wanted = pack.any_of(rules.refusals).search(sentence[: value.start]) is None
            if not wanted and pack.any_of(rules.those).search(sentence[: value.start]):
                continue  # "not that Italian place" leaves the others
            yield _claim(value.slot, value.value, sentence, polarity=wanted)
    else:
        values = []
    if looking or questioned or about or values:
        yield from _indifferent(sentence, pack, questioned, frozenset(value.slot.attribute for value in values))


def _claim(slot: WantSlot, value: str, quote: str, *, polarity: bool = True) -> Claim:
    return Claim(SPEAKER, slot.attribute, value, polarity, quote, single=True)


def _indifferent(
    sentence: str, pack: LanguagePack, questioned: tuple[WantSlot, ...], taken: frozenset[str]
) -> Iterator[Claim]:
    """Slots that are left open: those named beside the words that say so, else those that were asked for."""
    rules = pack.wants
    free = [slot for slot in rules.slots if slot.attribute not in taken]
    whole = pack.any_of(rules.any_value).search(sentence) is not None
    named = [
        slot
        for slot in free
        if pack.any_of(slot.any_value).search(sentence)
        or pack.any_of(any_noun(slot.nouns, pack)).search(sentence)
        or (whole and pack.pattern(slot.nouns).search(sentence))
    ]
    if not named and whole and not taken:
        named = [slot for slot in questioned if slot in free]
    for slot in named:
        yield _claim(slot, rules.anything, sentence)


@lru_cache(maxsize=256)
def any_noun(nouns: str, pack: LanguagePack) -> tuple[str, ...]:
    """Expressions that leave a slot open which is named by one of its nouns."""
    return tuple(source.replace("{noun}", nouns) for source in pack.wants.any_noun)


def _questioned(asked: str, pack: LanguagePack) -> tuple[WantSlot, ...]:
    """The slots the last question of a message is about: it names them, or offers several of their values."""
    pieces = sentences(fold(plain_text(asked, pack)))
    questions = [piece for piece in pieces if pack.any_of(pack.text.questions).search(piece)] or list(pieces[-1:])
    for question in reversed(questions):
        if pack.any_of(pack.wants.elsewhere).search(question):
            return ()
        values = _values(question, pack)
        named = tuple(slot for slot in pack.wants.slots if pack.pattern(slot.nouns).search(question))
        found = tuple(
            slot
            for slot in pack.wants.slots
            if (slot in named and not any(value.slot is slot for value in values))
            or sum(value.slot is slot for value in values) > 1
        )
        if found or named:
            return found or named
    return ()


def _values(sentence: str, pack: LanguagePack) -> list[_Value]:
    kept: list[_Value] = []
    for hit in _lexicon(pack).find(sentence):
        last = kept[-1] if kept else None
        if last is not None and last.slot is hit.value[0] and sentence[last.end : hit.start] in (" ", "-"):
            # two values side by side are one of both ("asian oriental")
            kept[-1] = _Value(last.slot, f"{last.value} {hit.value[1]}", last.start, hit.end)
        else:
            kept.append(_Value(hit.value[0], hit.value[1], hit.start, hit.end))
    for slot in pack.wants.slots:
        if any(value.slot is slot for value in kept):
            continue
        for match in (match for source in slot.open for match in pack.pattern(source).finditer(sentence)):
            start, end = match.span("v")
            word = _spelled(clean_value(match["v"], pack), tuple(slot.values))
            if word and not any(start < other.end and other.start < end for other in kept):
                kept.append(_Value(slot, word, start, end))
                break
    return sorted(kept, key=lambda value: value.start)


@remembered(512)
def _spelled(word: str, values: tuple[str, ...]) -> str:
    """A value in the spelling of the pack, where it is nearly one of those it lists ("carribean")."""
    if len(word) < _LEAST_SPELLED or has_han(word):
        return word
    near = get_close_matches(fold(word), values, n=1, cutoff=_NEARLY)
    return near[0] if near else word


@lru_cache(maxsize=16)
def _lexicon(pack: LanguagePack) -> Phrases[tuple[WantSlot, str]]:
    return Phrases(
        {
            word: (slot, value)
            for slot in pack.wants.slots
            for value, words in slot.values.items()
            for word in (value, *words)
        }
    )


def _short(sentence: str) -> bool:
    return len(sentence) <= _SHORT_HAN if has_han(sentence) else len(sentence.split()) <= _SHORT_WORDS

"""Features by which a small classifier tells how a text stands to facts about place, star sign and gender.

A word that a fact is about is replaced by its relation to the fact, so that what is learnt holds for any place, sign or gender.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from harness.language.phrases import is_han
from harness.understanding.checks.slots import Aspect, masked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.understanding.checks.slots import Slot

_BEFORE, _AFTER, _CLOSE = 10, 6, 4
_LONGEST = 300
_BESIDE, _BOTH = 3, 4
"""Most tokens on one side of a word, and on both, that make up one feature."""
_SHORT = {Aspect.place: "P", Aspect.sign: "S", Aspect.gender: "G"}
_ENDS = frozenset(",。!?~;:….，！？ ")


def relation_features(
    text: str, slots: Sequence[Slot], judged: Sequence[tuple[str, float, bool]], pack: LanguagePack
) -> tuple[str, ...]:
    """Features of a text and its words.

    Args:
        text: as given to :func:`~harness.understanding.checks.slots.find_slots`.
        slots: the words found in it, in order.
        judged: for each of them what the rules say: stand, confidence, and whether it is said of something else.
        pack: of the language of the text.
    """
    tokens, at = _tokens(text, slots)
    kind = _kind(slots)
    found = {
        f"kind:{kind}",
        f"length:{min(len(tokens) // 5, 6)}",
        f"codes:{'+'.join(sorted({_code(s) for s in slots}))}",
    }
    found.update(_runs(tokens, kind))
    asked = bool(pack.agreement.asks) and pack.any_of(pack.agreement.asks).search(text) is not None
    places = [slot for slot in slots if slot.held.aspect is Aspect.place]
    found.add(f"places:{min(3, len(places))}{''.join(sorted({'a' if slot.agrees else 'd' for slot in places}))}")
    for slot, place, (stand, confidence, elsewhere) in zip(slots, at, judged, strict=True):
        code = _code(slot)
        found.add(f"rule:{code}:{stand}:{confidence}:{elsewhere}")
        found.add(f"rule:{kind}:{stand}:{confidence}:{elsewhere}")
        found.add(f"{code}{'?' if asked else '.'}")
        found.update(_around(tokens, place, code, pack))
        found.update(_of_slot(slot, tokens, place, pack))
        found.update(_windows(slot, tokens, place))
        found.update(_cues(slot, masked(text, slot, slots), pack))
    return tuple(found)


def _code(slot: Slot) -> str:
    return f"{_SHORT[slot.held.aspect]}{slot.form[:2]}{slot.relation}"


def _windows(slot: Slot, tokens: Sequence[str], place: int) -> Iterator[str]:
    """What stands on both sides of a word at once, for the word of any form and for one that agrees or not."""
    aspect = _SHORT[slot.held.aspect]
    for left in range(_BESIDE + 1):
        for right in range(_BESIDE + 1):
            if 0 < left + right <= _BOTH:
                run = (
                    f"[{''.join(tokens[max(0, place - left) : place])}_{''.join(tokens[place + 1 : place + 1 + right])}"
                )
                yield f"{_coarse(slot)}{run}"
                yield f"{aspect}{run}"


def _cues(slot: Slot, shown: str, pack: LanguagePack) -> Iterator[str]:
    """Which of the pack's expressions a text fits: one by one, named by their own wording, so that a further one changes no other."""
    cues = pack.agreement
    code = _coarse(slot)
    kinds = (
        ("own", cues.own),
        ("implied", cues.implied),
        ("elsewhere", cues.elsewhere),
        ("never", cues.never),
        ("denied", cues.denied),
        ("origins", cues.origins),
    )
    for name, sources in kinds:
        fitting = [f"{zlib.crc32(source.encode()):x}" for source in sources if pack.pattern(source).search(shown)]
        for number in fitting:
            yield from (f"pat:{code}:{number}", f"pat:{number}")
        if fitting:
            yield f"set:{code}:{name}"


def _coarse(slot: Slot) -> str:
    return f"{_SHORT[slot.held.aspect]}{slot.form[:1]}{'a' if slot.agrees else 'd'}"


def _kind(slots: Sequence[Slot]) -> str:
    """Which aspect the text is about first of all, and whether its words agree with the fact, disagree, or both."""
    for aspect in (Aspect.sign, Aspect.place, Aspect.gender):
        found = {slot.agrees for slot in slots if slot.held.aspect is aspect}
        if found:
            return _SHORT[aspect] + "".join(sorted("a" if agrees else "d" for agrees in found))
    return ""


def _tokens(text: str, slots: Sequence[Slot]) -> tuple[list[str], list[int]]:
    """Characters (words where words are parted), with a code for each word found, and where those codes stand."""
    tokens: list[str] = ["^"]
    places: list[int] = []
    at = 0
    for slot in slots:
        tokens.extend(_pieces(text[at : slot.start]))
        places.append(len(tokens))
        tokens.append(f"<{_code(slot)}>")
        at = slot.end
    tokens.extend(_pieces(text[at : at + _LONGEST]))
    tokens.append("$")
    return tokens, places


def _pieces(text: str) -> Iterator[str]:
    run = ""
    for char in text.lower():
        if char.isalnum() and not is_han(char):
            run += char
            continue
        if run:
            yield run
            run = ""
        if not char.isspace():
            yield char
    if run:
        yield run


def _runs(tokens: Sequence[str], kind: str) -> Iterator[str]:
    for size in (1, 2, 3):
        for start in range(len(tokens) - size + 1):
            run = "".join(tokens[start : start + size])
            yield run
            if size == 1:
                yield f"{kind}:{run}"


def _around(tokens: Sequence[str], place: int, code: str, pack: LanguagePack) -> Iterator[str]:
    before, after = tokens[max(0, place - _BEFORE) : place], tokens[place + 1 : place + 1 + _AFTER]
    clause: list[str] = []
    for token in reversed(before):
        if token in _ENDS:
            break
        clause.append(token)
    yield from (f"{code}>{token}" for token in after[:_CLOSE])
    yield from (f"{code}<{token}" for token in before[-_CLOSE:])
    for size in (1, 2):
        yield f"{code}>{size}{''.join(after[:size])}"
        yield f"{code}<{size}{''.join(before[-size:])}"
    yield f"{code}<>{''.join(before[-1:])}_{''.join(after[:1])}"
    yield f"{code}#{min(len(clause), 5)}"
    for pronoun in pack.agreement.pronouns:
        if pronoun in clause:
            yield f"{code}clause:{pronoun}"
        if pronoun in tokens:
            yield f"{code}text:{pronoun}"


def _of_slot(slot: Slot, tokens: Sequence[str], place: int, pack: LanguagePack) -> Iterator[str]:
    """Features of the word itself: how wide a place is, which word names a gender."""
    word, agrees = slot.word.lower(), "a" if slot.agrees else "d"
    if slot.held.aspect is Aspect.place:
        narrow = slot.held.level
        yield from (
            f"level:{slot.relation}:{narrow}:{slot.level}",
            f"level:{slot.relation}:{slot.level}",
            f"held:{slot.relation}:{narrow}",
        )
        yield from (f"name:{word}", f"name:{agrees}{word}")
    elif slot.held.aspect is Aspect.gender:
        before, after = tokens[max(0, place - _BEFORE) : place], "".join(tokens[place + 1 : place + 2])
        for own in (slot.held.gender[:1] + word, f"{agrees}{slot.form[:1]}{word}"):
            yield from (own, f"{own}<{''.join(before[-1:])}", f"{own}>{after}")
            yield from (f"{own}clause:{pronoun}" for pronoun in pack.agreement.pronouns if pronoun in before)

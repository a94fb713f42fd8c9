"""Forms of a person's name: short ones, pet forms, and the name with a title (Teo for Teodora, 小鹭 and 白姐 for 白鹭)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.understanding.text import fold, has_han

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.language import LanguagePack

_SHORTEST_CLIP = 2
_SHORTEST_STEM = 3
"""Letters of the name that a pet form keeps before its ending: with two, Misty would be made of Mia."""
_PARTS = re.compile(r"[\s·.-]+")


def is_form_of(called: str, names: Iterable[str], pack: LanguagePack) -> bool:
    """Whether ``called`` is one of ``names`` or a form of one, all of the same script."""
    called = fold(called)
    parts = [part for name in names for part in _PARTS.split(fold(name)) if part]
    if has_han(called):
        known = [part for part in parts if has_han(part)]
        return any(_of_han(called, part, pack) for part in (*known, "".join(known)) if part)
    return any(_of_letters(called, part, pack) for part in parts)


def without_titles(name: str, pack: LanguagePack) -> str:
    """A name without what stands around it in an address (小鹭姐: 鹭)."""
    for source in (*pack.called.titles, *pack.called.pet_endings):
        name = pack.pattern(source).sub("", name) or name
    return name


def _of_letters(called: str, name: str, pack: LanguagePack) -> bool:
    if min(len(name), len(called)) >= _SHORTEST_CLIP and (called in name or called.startswith(name)):
        return True
    people = pack.entities.people
    if {called, *people.nicknames.get(called, ())} & {name, *people.nicknames.get(name, ())}:
        return True
    half = called[: len(called) // 2]
    if len(half) >= _SHORTEST_CLIP and half * 2 == called and name.startswith(half):  # Mimi
        return True
    if called in pack.entities.given:  # Mary has "Mar" and an ending, yet is no form of Marcus
        return False
    return any(name.startswith(stem) for stem in _stems(called, pack) if len(stem) >= _SHORTEST_STEM)


def _stems(called: str, pack: LanguagePack) -> Iterable[str]:
    for source in pack.called.pet_endings:
        stem = pack.pattern(source).sub("", called)
        if stem != called:
            yield stem
            if stem[-1:] == stem[-2:-1]:  # Jonny: Jon
                yield stem[:-1]


def _of_han(called: str, name: str, pack: LanguagePack) -> bool:
    """Whether only characters of the given name are said, after the family name or a title or alone.

    The family name is everybody's: 李强 is not 李明. With a title it is a way to call them (李姐).
    """
    surname = _surname(name, pack)
    if called == name:
        return True
    bare, given = without_titles(called, pack), name[len(surname) :]
    if bare == surname:
        return bare != called
    if surname and bare.startswith(surname):  # 李明 is not 李小明 either
        return set(bare[len(surname) :]) == set(given)
    if len(set(bare)) == 1 and bare[0] in name:
        return bare[0] != surname or len(bare) > 1
    return set(bare) <= {*given, *without_titles(name, pack)} - set(surname if surname not in given else "")


def _surname(name: str, pack: LanguagePack) -> str:
    focus = pack.entities.focus
    found = focus.surname.match(name) if focus.surnames else None
    return found[0] if found is not None and len(found[0]) < len(name) else ""

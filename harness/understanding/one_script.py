"""Messages in traditional Chinese, read by a pack that is written in simplified characters.

What is to be read is brought into the pack's characters, the known with it: the words of the message, what the state keeps, and the persona.
What was found is given back in the characters that were typed. Nothing is copied where nobody writes traditional characters.
"""

from __future__ import annotations

import dataclasses
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from functools import wraps
from inspect import signature
from threading import Lock, local
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from harness.language.pack import LanguagePack
from harness.language.variants import simplified, traditional
from harness.state.base import Frozen
from harness.state.persona import Persona

if TYPE_CHECKING:
    from collections.abc import Callable

Given = ParamSpec("Given")
Found = TypeVar("Found")

_KEPT = frozenset({"attribute", "kind", "op", "tier", "status", "language", "id", "phase", "speaker"})
"""Fields whose words are those of the pack, or of no language."""
_NAMES = frozenset({"subject", "merged", "who", "by", "to"})
"""Fields that hold whole names: what is not one of the message or the state is a wording of the pack."""
_OF_STATE = frozenset({"truth", "against"})
"""Fields that give back what was known, not what was just said."""
_ASIDE = frozenset({"system_text", "previous_replies"})
"""Arguments that are long, and matter only beside a message or a state with something to exchange."""
_WORDLESS = frozenset({int, float, bool, type(None), datetime, LanguagePack})
"""Types of values that hold no words, or none to exchange."""
_MOST = 4096
_LONGEST = 1000
"""Characters of a text that is compared with another character by character."""
_KNOWN: dict[int, tuple[object, object, Mapping[str, str]]] = {}
_LOCK = Lock()
_WITHIN = local()
"""Whether this thread is within such a function: what that one calls has been given plain characters already."""
_NOTHING: Mapping[str, str] = {}


def in_one_script(function: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a function that reads with a ``pack`` read traditional Chinese as well, where ``text.simplify`` of the pack says so."""
    place = list(signature(function).parameters).index("pack")

    @wraps(function)
    def call(*args: Given.args, **kwargs: Given.kwargs) -> Found:
        pack: Any = args[place] if place < len(args) else kwargs.get("pack")
        if pack is None or not pack.text.simplify or getattr(_WITHIN, "entered", False):
            return function(*args, **kwargs)
        _WITHIN.entered = True
        try:
            return _called(function, args, kwargs)
        finally:
            _WITHIN.entered = False

    return call


def _called(function: Callable[..., Found], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Found:
    values = (*args, *kwargs.values())
    read = (*args, *(value for name, value in kwargs.items() if name not in _ASIDE))
    if not any(_plain(value)[1] for value in read):
        return function(*args, **kwargs)
    given = [(value, _plain(value)) for value in values]
    plain = [new for _, (new, _) in given]
    found = function(*plain[: len(args)], **dict(zip(kwargs, plain[len(args) :], strict=True)))
    return cast("Found", _Typed(given).give_back(found))


def _plain(value: object) -> tuple[object, Mapping[str, str]]:
    """A value with its traditional characters exchanged, and which strings in it those are; the very value without any."""
    if isinstance(value, str):
        text = value if value.isascii() else simplified(value)
        return (value, _NOTHING) if text == value else (text, {text: value})
    if type(value) in _WORDLESS:
        return value, _NOTHING
    known = _KNOWN.get(id(value))
    if known is not None and known[0] is value:
        return known[1], known[2]
    if isinstance(value, list):
        return _rebuilt(value)
    # To ask whether something is a model takes longest.
    if not value or not (isinstance(value, tuple) or isinstance(value, Frozen)):  # noqa: SIM101
        return value, _NOTHING
    new, changed = _rebuilt(value)
    with _LOCK:
        while len(_KNOWN) >= _MOST:
            del _KNOWN[next(iter(_KNOWN))]
        _KNOWN[id(value)] = (value, new, changed)
    return new, changed


def _rebuilt(value: object) -> tuple[object, Mapping[str, str]]:
    if isinstance(value, tuple | list):
        if all(map(_known_plain, value)):
            return value, _NOTHING
        items = [_plain(item) for item in value]
        strings = _together(changed for _, changed in items)
        return (type(value)(new for new, _ in items), strings) if strings else (value, _NOTHING)
    assert isinstance(value, Frozen)  # noqa: S101 - the caller asked
    fields = {name: plain for name, one in value.__dict__.items() if (plain := _plain(one))[1]}
    if not fields:
        return value, _NOTHING
    new: Any = value.model_copy(update={name: new for name, (new, _) in fields.items()})
    strings = _together(changed for _, changed in fields.values())
    if isinstance(value, Persona):  # its facts are named by what they are about
        ids = {after.id: before.id for after, before in zip(new.as_facts(), value.as_facts(), strict=True)}
        strings |= {after: before for after, before in ids.items() if after != before}
    return new, strings


def _known_plain(item: object) -> bool:
    known = _KNOWN.get(id(item))
    return known is not None and known[0] is item and not known[2]


def _together(several: Iterator[Mapping[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for one in several:
        found.update(one)
    return found


def _shared(words: str, text: str) -> list[tuple[int, int, int]]:
    """Stretches that two texts share, in the order of both: where they begin in each, and how long they are."""
    blocks = SequenceMatcher(None, words, text, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks]


class _Typed:
    """Gives words back in the characters they were typed in."""

    def __init__(self, given: Sequence[tuple[object, tuple[object, Mapping[str, str]]]]) -> None:
        self.texts = [(new, old) for old, (new, _) in given if isinstance(old, str) and isinstance(new, str)]
        wide = [(unicodedata.normalize("NFKC", new), old) for new, old in self.texts]
        self.texts += [(new, old) for new, old in wide if len(new) == len(old)]
        self.stored = _together(changed for old, (_, changed) in given if not isinstance(old, str))
        self.of_state = {
            new: old for text, typed in self.stored.items() for new, old in zip(text, typed, strict=False) if new != old
        }

    def give_back(self, value: Any, field: str = "") -> Any:
        """A value with all its words as they were typed."""
        if isinstance(value, str):
            return value if field in _KEPT or value.isascii() else self._words(value, field)
        if isinstance(value, Frozen):
            if isinstance(value, LanguagePack):
                return value
            old = {name: getattr(value, name) for name in type(value).model_fields}
            new = {name: self.give_back(one, name) for name, one in old.items()}
            changed = {name: one for name, one in new.items() if one is not old[name]}
            return value.model_copy(update=changed) if changed else value
        if isinstance(value, tuple | list | frozenset):
            if isinstance(value, tuple) and hasattr(value, "_fields"):
                return type(value)(*(self.give_back(one, name) for one, name in zip(value, value._fields, strict=True)))
            items = [self.give_back(one, field) for one in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else type(value)(items)
        if isinstance(value, dict):
            return {self.give_back(key, field): self.give_back(one, field) for key, one in value.items()}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            names = [one.name for one in dataclasses.fields(value) if one.init]
            return dataclasses.replace(value, **{name: self.give_back(getattr(value, name), name) for name in names})
        return value

    def _words(self, words: str, field: str) -> str:
        if words in self.stored:
            return self.stored[words]
        if field not in _OF_STATE:
            for text, typed in self.texts:
                at = text.find(words)
                if at >= 0:
                    return typed[at : at + len(words)]
        for text, typed in self.stored.items():
            at = text.find(words)
            if at >= 0:
                return typed[at : at + len(words)]
        if field in _NAMES:
            return words
        if field in _OF_STATE:
            return self._by_character(words, self.of_state)
        return self._picked(words) or self._composed(words)

    def _composed(self, words: str) -> str:
        """Words put together from a text and from elsewhere: what stands in a text as it was typed there, the rest
        exchanged where that is sure.
        """
        found: list[str] = [""] * len(words)
        rivals = [one for one in self.texts if len(one[0]) <= _LONGEST]
        if len(words) <= _LONGEST and rivals:
            blocks = [(typed, _shared(words, text)) for text, typed in rivals]
            typed, shared = max(blocks, key=lambda one: sum(size for _, _, size in one[1]))
            for here, there, size in shared:
                found[here : here + size] = typed[there : there + size]
        at = 0
        while at < len(words):
            if found[at]:
                at += 1
                continue
            end = next((place for place in range(at, len(words)) if found[place]), len(words))
            found[at:end] = self._from_state(words[at:end])
            at = end
        return "".join(found)

    def _from_state(self, words: str) -> str:
        """Words as the state has them, else exchanged where that is sure."""
        for text, typed in self.stored.items():
            at = text.find(words) if len(words) > 1 else -1
            if at >= 0:
                return typed[at : at + len(words)]
        for text, typed in self.stored.items():
            at = words.find(text) if len(text) > 1 else -1
            if at >= 0:
                return traditional(words[:at]) + typed + traditional(words[at + len(text) :])
        return traditional(words)

    def _picked(self, words: str) -> str:
        """Words left of a text when some of it was taken out, or blanks put in; empty when they are no such words."""
        for text, typed in self.texts:
            found, at = [], 0
            for char in words:
                place = text.find(char, at)
                if place < 0:
                    break
                found.append(typed[place])
                at = place + 1
            else:
                return "".join(found)
        return ""

    @staticmethod
    def _by_character(words: str, table: Mapping[str, str]) -> str:
        return "".join(table.get(char, char) for char in words)


__all__ = ["in_one_script"]

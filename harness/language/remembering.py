"""Remembering what was read in a text, within bounds of both number and length."""

from __future__ import annotations

from functools import lru_cache, wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Callable

Given = ParamSpec("Given")
Found = TypeVar("Found")
Found_co = TypeVar("Found_co", covariant=True)

LONG = 400
"""Characters from which on a text counts as long."""
LONG_ONES = 64
"""How many long texts a function remembers: those of the messages that a turn still compares."""


class Remembering(Protocol[Given, Found_co]):
    """A function that remembers. ``short`` and ``long`` are its two memories, made by ``functools.lru_cache``."""

    short: Any
    long: Any

    def __call__(self, *args: Given.args, **kwargs: Given.kwargs) -> Found_co:
        """The value, remembered or worked out."""
        ...


def remembered(most: int, *, texts: int = 1) -> Callable[[Callable[Given, Found]], Remembering[Given, Found]]:
    """Remember what a function found out about a text.

    ``functools.lru_cache`` bounds how many texts are kept, not how long they are: some thousand messages of several pages would
    stay in memory for as long as the process runs. Here ``most`` texts of ordinary length are kept, and of long ones only
    the latest. Arguments have to be hashable.

    Args:
        most: texts of ordinary length.
        texts: how many of the first arguments are texts, one or two; their lengths together count.
    """

    def decorate(function: Callable[Given, Found]) -> Remembering[Given, Found]:
        short: Any = lru_cache(maxsize=most)(function)
        long: Any = lru_cache(maxsize=min(most, LONG_ONES))(function)

        # Called some hundred times a turn, most of them for a text alone: passing on any arguments takes twice as long.
        def alone(text: str) -> Any:
            return short(text) if len(text) < LONG else long(text)

        def one(text: str, *rest: object, **named: object) -> Any:
            return (short if len(text) < LONG else long)(text, *rest, **named)

        def two(text: str, other: str, *rest: object, **named: object) -> Any:
            return (short if len(text) + len(other) < LONG else long)(text, other, *rest, **named)

        single = function.__code__.co_argcount == 1
        found: Any = wraps(function)(two if texts == 2 else alone if single else one)
        found.short, found.long = short, long
        return cast("Remembering[Given, Found]", found)

    return decorate


def of_these(most: int) -> Callable[[Callable[Given, Found]], Callable[Given, Found]]:
    """Remember what a function made of these very objects, of the last ``most`` calls that were not remembered.

    For large frozen objects: ``functools.lru_cache`` would work out their hashes, and compare them, each time.
    Arguments are given by position; they are kept as long as what was made of them.
    """

    def decorate(function: Callable[Given, Found]) -> Callable[Given, Found]:
        known: dict[tuple[int, ...], tuple[object, Found]] = {}
        lock = Lock()

        def call(*args: Given.args, **_: Given.kwargs) -> Found:
            key = tuple(map(id, args))
            found = known.get(key)
            if found is not None:
                return found[1]
            made = function(*args, **_)
            with lock:
                if len(known) >= most:
                    del known[next(iter(known))]
                known[key] = (args, made)  # the arguments stay, so that their identities do
            return made

        return wraps(function)(call)

    return decorate

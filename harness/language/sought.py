"""Which of many expressions can match a text at all, told by letters that each of them needs.

Of the expressions that a message is held against nearly all find nothing. An expression that is to match "my dog died" needs
"dog" or another of its words, so one look at the letters of a text leaves the few that are worth a search. Nothing is left
out that could match: an expression of which it is not certain what it needs is always tried.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from harness.language.remembering import remembered

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GRAM = 3
_COMMON: Final = {1: 1.0, 2: 0.25, 3: 0.04}
"""About how often letters of Latin script stand in a text by chance, by their number."""
_RARE = 0.02
_HAN_LETTER = 0.04
_TOO_COMMON = 1.5
"""Expressions that need what nearly every text has are tried at once."""
_ODD = str.maketrans({"\u017f": "s", "\u0131": "i", "\u0307": None, "\u212a": "k"})
"""Letters that ``re`` takes for Latin ones where it ignores case, and the dot that lowering İ leaves."""
_ODD_ONES = re.compile("[\u017f\u0131\u0307\u212a]")
_LATIN = re.compile(r"(?<!\\)[A-Za-z]{2}")
_CASELESS_WEIGHT = 3
"""What a search that ignores case takes, of one that does not."""
_WORTH = 180
"""Expressions times characters from which on it pays to ask which can match."""
_REPEAT = re.compile(r"\{(\d*)(?:,\d*)?\}")
_ESCAPED = re.compile(r"x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|[0-9]{1,3}|.", re.DOTALL)
_OPENING = re.compile(r"\?(?:P<\w+>|P=\w+|[:>=!]|<[=!]|#[^)]*|[aiLmsu]*(?:-[ims]+)?[:)])")


class _UnsureError(Exception):
    """The expression holds something of which it is not told here what it needs."""


def needed(expression: re.Pattern[str]) -> frozenset[str]:
    """Runs of letters, in lower case, of which every text that the expression matches has at least one.

    Empty when that is not certain, or when nearly every text has one.
    """
    if expression.flags & re.VERBOSE:
        return frozenset()
    reader = _Reader(expression.pattern)
    try:
        found = reader.alternatives()
        if reader.at < len(reader.source):
            return frozenset()
    except _UnsureError:
        return frozenset()
    return found if found and _chance(found) <= _TOO_COMMON else frozenset()


class _Reader:
    """Reads the source of an expression from left to right."""

    __slots__ = ("at", "source")

    def __init__(self, source: str) -> None:
        self.source, self.at = source, 0

    def alternatives(self) -> frozenset[str]:
        """What all alternatives up to the end of the group need; empty when one needs nothing."""
        branches = [self._sequence()]
        while self._ahead() == "|":
            self.at += 1
            branches.append(self._sequence())
        return frozenset().union(*branches) if all(branches) else frozenset()

    def _ahead(self) -> str:
        return self.source[self.at : self.at + 1]

    def _sequence(self) -> frozenset[str]:
        """The rarest of what the parts of an alternative need."""
        runs: list[frozenset[str]] = []
        run = ""
        while (char := self._ahead()) and char not in "|)":
            letters, group = self._item(char)
            least = self._repeated()
            if letters and least == 1:
                run += letters
                continue
            if group is None and not letters and least == 1:
                continue  # what stands between letters without taking room
            if run:
                runs.append(frozenset((run,)))
            run = ""
            if letters and least > 1:
                runs.append(frozenset((letters,)))
            elif group and least:
                runs.append(group)
        if run:
            runs.append(frozenset((run,)))
        return min(runs, key=_chance, default=frozenset())

    def _item(self, char: str) -> tuple[str, frozenset[str] | None]:
        """(letter, needs): a letter that is compared as it is; of anything else what it needs, None for an edge."""
        self.at += 1
        if char == "\\":
            return self._escape()
        if char == "[":
            return self._set()
        if char == "(":
            return "", self._group()
        if char in "^$":
            return "", None
        if char == "." or not _told(char):
            return "", frozenset()
        if char in "*+?":
            raise _UnsureError
        return char.lower(), None

    def _escape(self) -> tuple[str, frozenset[str] | None]:
        match = _ESCAPED.match(self.source, self.at)
        if match is None:
            raise _UnsureError
        self.at = match.end()
        if match[0] in ("b", "B", "A", "Z"):
            return "", None
        plain = len(match[0]) == 1 and not match[0].isalnum() and _told(match[0])
        return (match[0], None) if plain else ("", frozenset())

    def _set(self) -> tuple[str, frozenset[str] | None]:
        """A set of characters is passed over."""
        self.at += self._ahead() == "^"
        self.at += self._ahead() == "]"
        while (char := self._ahead()) != "]":
            if not char:
                raise _UnsureError
            self.at += 2 if char == "\\" else 1
        self.at += 1
        return "", frozenset()

    def _group(self) -> frozenset[str] | None:
        looks = False
        if self._ahead() == "?":
            match = _OPENING.match(self.source, self.at)
            if match is None:
                raise _UnsureError
            self.at = match.end()
            kind = match[0]
            if kind.endswith(")") or kind.startswith("?#"):
                if kind.startswith("?#"):
                    self.at += 1
                return None
            if kind.startswith("?P="):
                self._close()
                return frozenset()
            looks = kind in ("?=", "?!", "?<=", "?<!")
        found = self.alternatives()
        self._close()
        return None if looks else found

    def _close(self) -> None:
        if self._ahead() != ")":
            raise _UnsureError
        self.at += 1

    def _repeated(self) -> int:
        """How often at least what was just read has to stand there: 0, 1 (once exactly), 2 (once or more)."""
        char = self._ahead()
        match = _REPEAT.match(self.source, self.at) if char == "{" else None
        if char and char in "*+?":
            self.at += 1
            least = 2 if char == "+" else 0
        elif match is not None and match[0] != "{}":
            self.at = match.end()
            least = 2 if int(match[1] or 0) else 0
        else:
            return 1
        if self._ahead() in ("?", "+"):
            self.at += 1
        return least


def _told(char: str) -> bool:
    """Whether it is certain which characters ``re`` takes for this one: those of ASCII, and Han ideographs, which have no case."""
    return " " <= char <= "~" or "\u4e00" <= char <= "\u9fff"


def _chance(runs: frozenset[str]) -> float:
    """About how many of these a text has by chance."""
    return sum(
        _HAN_LETTER ** min(len(run), 2) if run[0] > "~" or run[-1] > "~" else _COMMON.get(len(run), _RARE)
        for run in runs
    )


@remembered(1024)
def _read(text: str) -> tuple[str, frozenset[object]]:
    """A text in lower case and all its runs of three characters; where it is not all ASCII, those of one and two, too."""
    letters = _letters(text)
    runs: Iterable[object] = zip(letters, letters[1:], letters[2:], strict=False)
    if not letters.isascii():
        runs = (*letters, *pairwise(letters), *runs)
    return letters, frozenset(runs)


def _letters(text: str) -> str:
    lowered = text.lower()
    return lowered if lowered.isascii() else lowered.translate(_ODD) if _ODD_ONES.search(lowered) else lowered


def _weight(expression: re.Pattern[str]) -> int:
    cased = expression.flags & re.IGNORECASE and _LATIN.search(expression.pattern)
    return _CASELESS_WEIGHT if cased else 1


class Sought:
    """Expressions that a text is held against one by one."""

    __slots__ = ("_all", "_always", "_by_gram", "_grams", "_short", "_weight", "expressions")

    def __init__(self, expressions: Iterable[re.Pattern[str]]) -> None:
        """Index ``expressions`` by what they need."""
        self.expressions = tuple(expressions)
        self._always: list[int] = []
        self._by_gram: dict[object, list[tuple[str, int]]] = {}
        self._short: list[tuple[str, int]] = []
        for number, expression in enumerate(self.expressions):
            runs = needed(expression)
            if not runs:
                self._always.append(number)
            for run in runs:
                if run[:2].isascii():
                    gram: object = tuple(run[:3])
                else:
                    gram = tuple(run[:2]) if len(run) > 1 else run
                if len(run) < _GRAM and run.isascii():
                    self._short.append((run, number))
                else:
                    self._by_gram.setdefault(gram, []).append((run, number))
        self._grams = frozenset(self._by_gram)
        self._all = list(range(len(self.expressions)))
        self._weight = sum(map(_weight, self.expressions))

    def worth(self, text: str) -> bool:
        """Whether searching takes longer than looking what there is to search for."""
        return self._weight * len(text) >= _WORTH

    def numbers(self, text: str) -> list[int]:
        """Places, in order, of the expressions that can match ``text``."""
        if self._weight * len(text) < _WORTH:
            return self._all
        letters, grams = _read(text)
        found = [number for run, number in self._short if run in letters] if self._short else []
        for gram in self._grams & grams:
            found += [number for run, number in self._by_gram[gram] if run in letters]
        return sorted({*found, *self._always}) if found else self._always

    def likely(self, text: str) -> Sequence[re.Pattern[str]]:
        """The expressions that can match ``text``, in order."""
        numbers, expressions = self.numbers(text), self.expressions
        return expressions if numbers is self._all else [expressions[number] for number in numbers]


_MOST = 1024
_KNOWN: dict[int, tuple[tuple[re.Pattern[str], ...], Sought]] = {}
"""By the identity of the tuple: the hash of an expression goes through all of it. The tuple is kept, so that its identity is."""


def sought(expressions: tuple[re.Pattern[str], ...]) -> Sought:
    """A tuple of expressions that is part of a pack, indexed once."""
    known = _KNOWN.get(id(expressions))
    if known is not None and known[0] is expressions:
        return known[1]
    if len(_KNOWN) >= _MOST:
        _KNOWN.clear()
    made = Sought(expressions)
    _KNOWN[id(expressions)] = (expressions, made)
    return made


def likely(expressions: tuple[re.Pattern[str], ...], text: str) -> Sequence[re.Pattern[str]]:
    """Those of a pack's expressions that can match ``text``, in order."""
    return sought(expressions).likely(text)

"""Markdown as memories: every bullet, paragraph and table row is a piece of its own, with the headings it stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.understanding.text import has_han, sentences

if TYPE_CHECKING:
    from markdown_it.token import Token

LONGEST = 600
"""Characters of a piece; a longer paragraph is parted between sentences."""
_PIN = re.compile(r"^[!！]+\s*(?=\S)")
_FRONT = re.compile(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*(?:\n|\Z)")
_COLONS = (":", "：")


@dataclass(frozen=True, slots=True)
class Piece:
    """One thing that a file says.

    Attributes:
        text: as it is shown, with the heading or the line that it belongs to before it ("Deploys: never on Fridays").
        line: where it begins, from 1.
        above: the headings it stands under, outermost first; it is found by their words too.
        pinned: it is marked with ``!``, or stands under a heading that is.
    """

    text: str
    line: int
    above: tuple[str, ...] = ()
    pinned: bool = False


@dataclass(slots=True)
class _Heading:
    level: int
    text: str
    line: int
    pinned: bool
    said: bool = False


@dataclass(slots=True)
class _Reader:
    """Walks through the tokens of a file.

    Attributes:
        leads: of each open list the line that leads it in ("Things to mind:"), or nothing.
        fresh: nothing stands between the last piece and here: a list that follows belongs to it.
        columns, cells, row: of the open table, the names of its columns; of its open row, what it holds and its line.
    """

    title: bool
    found: list[Piece] = field(default_factory=list)
    headings: list[_Heading] = field(default_factory=list)
    leads: list[tuple[str, bool]] = field(default_factory=list)
    fresh: bool = False
    columns: list[str] = field(default_factory=list)
    cells: list[str] | None = None
    row: int = 0

    def read(self, tokens: Sequence[Token]) -> None:
        for at, token in enumerate(tokens):
            match token.type:
                case "heading_open":
                    self._open(int(token.tag[1]), _plain(tokens[at + 1]), _line(token))
                case "bullet_list_open" | "ordered_list_open":
                    self._lead_in()
                case "bullet_list_close" | "ordered_list_close":
                    self.leads.pop()
                case "table_open":
                    self.columns = []
                case "tr_open":
                    self.cells, self.row = [], _line(token)
                case "tr_close":
                    self._row()
                case "inline" if self.cells is not None:
                    self.cells.append(_plain(token))
                case "inline" if tokens[at - 1].type == "paragraph_open":
                    self._say(_plain(token), _line(token))
                case "fence" | "code_block":
                    self._say(token.content.strip(), _line(token))
                case _:
                    pass
        self._close(1)

    def _open(self, level: int, text: str, line: int) -> None:
        self._close(level)
        text, pinned = _unpinned(text)
        self.headings.append(_Heading(level, text, line, pinned))
        self.fresh = False

    def _close(self, level: int) -> None:
        """Leave the headings of a level and below; one with nothing under it is said itself."""
        while self.headings and self.headings[-1].level >= level:
            last = self.headings.pop()
            if not last.said and last.text:
                self._add(last.text, last.line, pinned=last.pinned)
            if self.headings:
                self.headings[-1].said = True

    def _lead_in(self) -> None:
        lead = ("", False)
        if self.fresh and self.found[-1].text.endswith(_COLONS):
            last = self.found.pop()
            lead = (last.text.rstrip(":： "), last.pinned)
        self.leads.append(lead)
        self.fresh = False

    def _row(self) -> None:
        cells, self.cells = self.cells or [], None
        if not self.columns:
            self.columns = cells
            return
        parts = [_led(name, cell) for name, cell in zip(self.columns, cells, strict=False) if cell]
        self._say(("；" if has_han("".join(parts)) else "; ").join(parts), self.row)

    def _say(self, text: str, line: int) -> None:
        text, pinned = _unpinned(text)
        led = [lead for lead in self.leads if lead[0]]
        pinned = pinned or any(lead[1] for lead in led)
        if led:
            text = _led(led[-1][0], text)
        elif self.headings and not (self.title and len(self.headings) == 1):
            text = _led(self.headings[-1].text, text)
        for heading in self.headings:
            heading.said = True
        self._add(text, line, pinned=pinned)

    def _add(self, text: str, line: int, *, pinned: bool) -> None:
        above = tuple(heading.text for heading in self.headings)
        pinned = pinned or any(heading.pinned for heading in self.headings)
        for part in _parts(text):
            self.found.append(Piece(part, line, above, pinned))
        self.fresh = True


def pieces(text: str) -> tuple[Piece, ...]:
    """What a Markdown file says, in order. Front matter and HTML comments are no part of it.

    A heading is shown before what stands under it; the title of the file (its only heading of the first level, at the top) is only
    searched by. A line that ends with a colon leads in the list that follows it.
    """
    from markdown_it import MarkdownIt  # here: `--help` needs none of it

    front = _FRONT.match(text)
    if front:
        text = "\n" * front[0].count("\n") + text[front.end() :]
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    tops = [at for at, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h1"]
    reader = _Reader(title=tops == [0])
    reader.read(tokens)
    return tuple(piece for piece in reader.found if re.search(r"\w", piece.text))


def _line(token: Token) -> int:
    return token.map[0] + 1 if token.map else 0


def _plain(token: Token) -> str:
    """The words of a line, without marks. A line break inside Chinese is none."""
    found = ""
    for child in token.children or ():
        if child.type in ("softbreak", "hardbreak"):
            found += "" if found and has_han(found[-1]) else " "
        elif child.type in ("text", "code_inline", "image"):
            found += child.content
    return found.strip()


def _unpinned(text: str) -> tuple[str, bool]:
    rest = _PIN.sub("", text, count=1)
    return rest, rest != text


def _led(lead: str, text: str) -> str:
    """A line with what it belongs to before it."""
    return f"{lead}{'：' if has_han(lead) else ': '}{text}" if lead else text


def _parts(text: str) -> Iterator[str]:
    """A text in pieces of at most ``LONGEST`` characters, parted between sentences where there are any."""
    if len(text) <= LONGEST:
        yield text
        return
    blank = "" if has_han(text) else " "
    part = ""
    for sentence in sentences(text):
        for start in range(0, len(sentence), LONGEST):
            piece = sentence[start : start + LONGEST]
            if part and len(part) + len(piece) > LONGEST:
                yield part
                part = ""
            part = f"{part}{blank}{piece}" if part else piece
    if part:
        yield part

"""Streamed text wrapped at words while it comes, with a count of the rows it took, so that it can be replaced."""

from __future__ import annotations

from rich.cells import cell_len

MIN_WIDTH = 8


class Flow:
    """Wraps text that comes in pieces. Wide characters (Chinese) take two columns and may break anywhere.

    Attributes:
        rows: line breaks written so far.
        text: everything that was fed.
    """

    def __init__(self, width: int, column: int = 0) -> None:
        """Begin at ``column`` of a line of ``width`` columns."""
        # The last column stays free: some terminals wrap when it is filled, some at the character after it.
        self._width = max(width - 1, MIN_WIDTH)
        self._column = column
        self._space = ""
        self._word = ""
        self.rows = 0
        self.text = ""

    def feed(self, text: str) -> str:
        """What to write for the next piece. The word it may have begun is held back until its end is known."""
        self.text += text
        out: list[str] = []
        for char in text:
            if char == "\n":
                out += [self.finish(), self._break()]
            elif char.isspace():
                out.append(self.finish())
                self._space += " "
            elif cell_len(char) > 1:
                out.append(self.finish())
                self._word = char
                out.append(self.finish())
            else:
                self._word += char
        return "".join(out)

    def finish(self) -> str:
        """What is left to write: the word held back."""
        if not self._word:
            return ""
        word, space, self._word, self._space = self._word, self._space, "", ""
        out = ""
        if self._column and self._column + len(space) + cell_len(word) > self._width:
            out, space = self._break(), ""
        while cell_len(word) > self._width:
            head = word[: self._width]
            out += head + self._break()
            word = word[self._width :]
        self._column += len(space) + cell_len(word)
        return out + space + word

    def _break(self) -> str:
        self.rows += 1
        self._column = 0
        self._space = ""
        return "\n"

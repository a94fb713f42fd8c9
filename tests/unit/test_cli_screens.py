"""Replies that are rewritten in a terminal, and the progress of a download."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from harness.adapters.local import Progress
from harness.cli.pulling import PullBar
from harness.cli.screens import TerminalScreen

SEQUENCE = re.compile(r"\x1b\[(\d*)(?:;\d+)*([A-Za-z])")


def shown(output: str) -> list[str]:
    """The lines a terminal would show: a small one that knows up, erase line, return and line feed."""
    lines, row, column, place = [""], 0, 0, 0
    while place < len(output):
        if match := SEQUENCE.match(output, place):
            count, kind = int(match[1] or 1), match[2]
            row = max(0, row - count) if kind == "A" else row
            lines[row] = "" if kind == "K" else lines[row]
            place = match.end()
            continue
        char = output[place]
        place += 1
        if char == "\r":
            column = 0
        elif char == "\n":
            row, column = row + 1, 0
            lines += [""] * (row + 1 - len(lines))
        else:
            lines[row] = lines[row][:column].ljust(column) + char
            column += 1
    return [line.rstrip() for line in lines]


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], TerminalScreen]:
    def make(height: int) -> TerminalScreen:
        made = Console(force_terminal=True, width=30, height=height, markup=False, legacy_windows=False)
        monkeypatch.setattr("harness.cli.screens.console", lambda: made)
        monkeypatch.setenv("TERM", "xterm")
        return TerminalScreen()

    return make


@pytest.mark.parametrize(
    "text",
    [
        "I have never owned a bicycle in my whole long life, I am sorry.",
        "我从来没有过自行车，真的很抱歉，你一定是记错了。" * 2,
    ],
)
def test_a_revision_takes_the_place_of_what_was_shown(
    screen: Callable[[int], TerminalScreen], capsys: pytest.CaptureFixture[str], text: str
) -> None:  # fmt: skip
    terminal = screen(24)
    terminal.show("before")
    terminal.begin("Mia")
    for char in text:
        terminal.token(char)
    terminal.revised("I have four of them.", "")
    terminal.end()
    assert [line for line in shown(capsys.readouterr().out) if line] == ["before", "Mia: I have four of them."]


def test_a_revision_stands_below_when_the_beginning_has_scrolled_away(
    screen: Callable[[int], TerminalScreen], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = screen(4)
    terminal.begin("Mia")
    terminal.token("one two three four five six seven " * 5)
    terminal.revised("I have four of them.", "contradiction")
    terminal.end()
    lines = shown(capsys.readouterr().out)
    assert lines[0].startswith("Mia: one two")
    assert "Mia: (revised) I have four of" in lines


def test_streamed_words_are_wrapped(
    screen: Callable[[int], TerminalScreen], capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = screen(24)
    terminal.begin("林晓")
    for piece in ("自行车", "铺子在平江路，", "我 have a shop ", "for repairs", "."):
        terminal.token(piece)
    terminal.end()
    lines = shown(capsys.readouterr().out)
    assert all(cell_len(line) < 30 for line in lines)
    assert lines[0].startswith("林晓: 自行车铺子")
    assert "repairs." in " ".join(lines)


def test_a_download_is_told_every_tenth(capsys: pytest.CaptureFixture[str]) -> None:
    with PullBar() as bar:
        for done in range(0, 101, 2):
            bar(Progress("somewhere", done, 100, "downloading"))
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert lines[3] == "downloading 30 % (somewhere)"


def test_a_download_draws_a_bar_in_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with PullBar() as bar:
        bar(Progress("somewhere", 10, None, "waiting"))
        bar(Progress("somewhere", 10, 100, "downloading"))
        bar(Progress("elsewhere", 100, 100, "done"))
    assert "downloading" in capsys.readouterr().err


def test_a_download_that_is_left_ends_at_its_next_step() -> None:
    with PullBar() as bar:
        bar(Progress("somewhere", 10, 100, "downloading"))
    with pytest.raises(KeyboardInterrupt):
        bar(Progress("somewhere", 20, 100, "downloading"))

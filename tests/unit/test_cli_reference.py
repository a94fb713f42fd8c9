"""The reference page is current, and asking for help is quick."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import __version__
from harness.cli.reference import reference

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cli.md"
HEAVY = (
    "openai",
    "prompt_toolkit",
    "jieba",
    "pydantic",
    "transitions",
    "structlog",
    "jinja2",
    "harness.app",
    "asyncio",
)

PATIENCE_S = 100
"""Seconds after which a program hangs, however busy the machine is."""


def harness(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "harness", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8", timeout=PATIENCE_S, check=False)


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference(), "run: python -m harness.cli.reference > docs/cli.md"


def test_the_page_has_every_command() -> None:
    page = reference()
    for words in ("harness chat", "harness sessions export SESSION", "harness model pull [NAME]", "`/context [full]`"):
        assert words in page


def test_help_is_quick_and_imports_nothing_heavy() -> None:
    before = os.times()
    result = harness("--help")
    assert result.returncode == 0
    after = os.times()
    # The processor's time, not the clock's, which other programs take their part of; not told of children on Windows.
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    assert spent < 1.5
    code = f"import sys, harness.cli.main; print([name for name in {HEAVY!r} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "[]"


def test_version() -> None:
    assert harness("--version").stdout == f"harness {__version__}\n"


def test_no_word_in_brackets_is_lost_from_a_help_page() -> None:
    """Help is printed by rich, which takes words in brackets for styles."""
    from typer.main import get_command

    from harness.cli.main import app

    def pages(command: Any, path: str) -> Iterator[tuple[str, str]]:
        yield path, command.help or ""
        yield from ((path, getattr(one, "help", "") or "") for one in command.params)
        for name, one in getattr(command, "commands", {}).items():
            yield from pages(one, f"{path} {name}")

    command = get_command(app)
    found = dict.fromkeys(path for path, text in pages(command, "harness") if re.search(r"(?<!\\)\[[a-z/#@]", text))
    assert list(found) == []


def test_the_package_runs_as_the_command() -> None:
    shown = harness("--help")
    assert shown.returncode == 0
    assert "python -m harness" in shown.stdout
    assert "chat" in shown.stdout
    wrong = harness("chatt")
    assert wrong.returncode == 2
    assert "chatt" in wrong.stderr

"""The reference page is current, and asking for help is quick."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def test_the_package_runs_as_the_command() -> None:
    shown = harness("--help")
    assert shown.returncode == 0
    assert "python -m harness" in shown.stdout
    assert "chat" in shown.stdout
    wrong = harness("chatt")
    assert wrong.returncode == 2
    assert "chatt" in wrong.stderr

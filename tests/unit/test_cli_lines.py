"""What the commands print into a pipe, and how they count."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.app import Harness
from harness.cli import render
from harness.cli.main import app
from harness.settings import load
from harness.testing import ScriptedModel

DOCS = Path(__file__).resolve().parents[2] / "docs"
Run = Callable[..., Result]
TALKS = {
    "en": (
        "mia",
        ["My name is Nora, my sister is called Anna Margarethe and she lives in Porto, near the old harbour."],
    ),
    "zh": ("lin", ["我叫诺拉，我住在苏州。我姐姐叫安娜，她离那座很高的塔和那条很长的运河都不远，天天去散步。"]),
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))
    monkeypatch.setenv("HARNESS_ANALYSIS", "rules")

    def invoke(*arguments: str, code: int = 0, typed: str = "") -> Result:
        result = CliRunner().invoke(app, [*arguments], input=typed)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


def talk(code: str) -> None:
    asyncio.run(_talk(code))


async def _talk(code: str) -> None:
    persona, texts = TALKS[code]
    async with Harness(load(), model=ScriptedModel("Mm." if code == "en" else "嗯。")) as harness:
        session = await harness.open(persona, session="s", user="nora")
        for text in texts:
            await session.say(text)
        await session.settled()


def test_a_row_is_a_line_in_a_pipe_and_folds_where_columns_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    name, text = "memory_layers.L0_system.enabled", "湖边的小屋 a hut by the lake " * 8
    for columns, lines in (("", 1), ("60", 0)):
        monkeypatch.setenv("COLUMNS", columns)
        out = io.StringIO()
        made = render.table("their name", "text")
        render.row(made, name, text)
        render.console(out).print(made)
        holding = [line for line in out.getvalue().splitlines() if name in line and text.strip() in line]
        assert len(holding) == lines


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_list_of_memories_can_be_looked_through(run: Run, code: str) -> None:
    talk(code)
    shown = run("memory", "list", "--user", "nora").output.splitlines()
    (row,) = [
        line for line in shown if {"en": "My name is Nora, my sister", "zh": "我叫诺拉，我住在苏州。"}[code] in line
    ]
    assert re.match(r" *\S+ +L2 +message", row)


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("a hut by the lake", 14, "a hut by the…"),
        ("a hut by the lake", 17, "a hut by the lake"),
        ("a hut by the lake", 13, "a hut by the…"),
        ("a" * 40, 10, "a" * 9 + "…"),
        ("湖边的小屋很安静", 9, "湖边的小…"),
        ("湖边的小屋 hut", 13, "湖边的小屋…"),
    ],
)
def test_a_line_is_cut_between_words(text: str, limit: int, cut: str) -> None:
    assert render.short(text, limit) == cut


def test_one_is_counted_in_the_singular() -> None:
    assert [render.counted(number, "turn") for number in (0, 1, 2)] == ["0 turns", "1 turn", "2 turns"]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_one_turn_is_one_turn_everywhere(run: Run, tmp_path: Path, code: str) -> None:
    talk(code)
    assert "Nothing was found in 1 turn." in run("diagnose", "s").output
    assert "1 turn" in run("show", "s").output
    exported = tmp_path / "s.json"
    run("sessions", "export", "s", "-o", str(exported))
    assert "1 turn with" in run("sessions", "delete", "s", typed="y\n").output
    assert ": 1 turn with" in run("sessions", "import", str(exported)).output


@pytest.mark.parametrize(("code", "unknown"), [("en", "Zebedee"), ("zh", "张三丰")])
def test_a_way_from_or_to_an_unknown_name_is_an_error(run: Run, code: str, unknown: str) -> None:
    talk(code)
    known = {"en": "Porto", "zh": "苏州"}[code]
    for ends in ((known, unknown), (unknown, known), (unknown, unknown)):
        told = run("graph", "path", *ends, code=1)
        assert f"knows nothing of {unknown!r}" in told.stderr
    assert "No way" in run("graph", "path", known, known).stderr


@pytest.mark.parametrize("code", ["en", "zh"])
def test_of_a_user_who_is_not_known_nothing_is_asked(run: Run, code: str) -> None:
    talk(code)
    told = run("memory", "forget", "--user", "诺亚")
    assert "Nothing is known of user '诺亚'." in told.stderr
    assert "Forget all" not in told.output
    asked = run("memory", "forget", "--user", "nora", typed="n\n", code=1)
    assert "Forget all that is remembered of user 'nora'" in asked.output
    assert "Nothing is known" not in asked.output


def test_the_index_leads_to_every_page() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    pages = {page.name for page in DOCS.glob("*.md")} - {"index.md", "changelog.md", "contributing.md"}
    assert sorted(page for page in pages if f"]({page})" not in index) == []


def test_headings_stand_apart_and_once() -> None:
    for page in DOCS.glob("*.md"):
        text = re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))
        lines = text.splitlines()
        assert [line for before, line in pairwise(lines) if line.startswith("## ") and before] == []
    second = re.findall(r"(?m)^## (.+)$", (DOCS / "memory.md").read_text(encoding="utf-8"))
    assert len([name for name in second if name.startswith("Where it is")]) == 1

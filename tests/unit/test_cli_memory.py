"""``harness memory``, in process, on a store in a folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from harness.cli.main import app

Run = Callable[..., Result]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    def invoke(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(app, ["memory", *arguments], input=stdin)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


def noted(run: Run, *arguments: str) -> str:
    """The id of a new note."""
    return run("note", *arguments).output.split("[")[1].split("]")[0]


@pytest.mark.parametrize(
    ("text", "query", "other"),
    [
        ("Nora keeps bees on the roof.", "who keeps bees?", "the weather in Leeds"),
        ("阿诚在屋顶养蜜蜂。", "谁养蜜蜂？", "明天的天气"),
    ],
)
def test_a_note_is_found_by_what_it_says(run: Run, text: str, query: str, other: str) -> None:
    made = noted(run, text, "--user", "nora")
    found = json.loads(run("search", query, "--user", "nora", "--json").output)
    assert [entry["item"]["id"] for entry in found if not entry["dropped"]] == [made]
    assert json.loads(run("search", other, "--user", "nora", "--json").output) == []
    assert json.loads(run("search", query, "--user", "paul", "--json").output) == []
    assert [item["id"] for item in json.loads(run("list", "--json").output)] == [made]
    assert "note" in run("list").output
    assert text in json.loads(run("show", made, "--json").output)["text"]


def test_notes_for_everybody_are_found_for_anybody(run: Run) -> None:
    made = noted(run, "The ferry does not run on Sundays.")
    found = json.loads(run("search", "when does the ferry run", "--user", "nora", "--persona", "mia", "--json").output)
    assert [entry["item"]["id"] for entry in found] == [made]


def test_a_note_can_be_changed_pinned_and_deleted(run: Run) -> None:
    made = noted(run, "The key is under the mat.")
    run("edit", made, "The key is under the flowerpot.")
    assert json.loads(run("search", "mat", "--json").output) == []
    run("pin", made)
    assert json.loads(run("show", made, "--json").output)["pinned"] is True
    run("unpin", made)
    run("delete", made)
    assert "There is no memory" in run("show", made, code=1).output


def test_a_user_is_forgotten_whole_and_the_words_are_out_of_the_files(run: Run, tmp_path: Path) -> None:
    noted(run, "Nora fears the xylophonist.", "--user", "nora")
    noted(run, "诺拉害怕木琴演奏家。", "--user", "nora", "--persona", "mia")
    kept = noted(run, "Paul plays chess.", "--user", "paul")
    assert "Forgot 2" in run("forget", "--user", "nora", "--yes").output
    assert [item["id"] for item in json.loads(run("list", "--json").output)] == [kept]
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir() if "memory" in file.name)
    assert stored
    for words in ("xylophonist", "木琴演奏家"):
        assert words.encode() not in stored


def test_forgetting_nobody_is_refused(run: Run) -> None:
    noted(run, "Keep me.")
    assert "Nobody was named" in run("forget", "--yes", code=1).output
    assert len(json.loads(run("list", "--json").output)) == 1


def test_an_export_comes_back(run: Run, tmp_path: Path) -> None:
    made = noted(run, "喜欢在雨天散步。", "--user", "nora")
    before = json.loads(run("show", made, "--json").output)
    run("export", "--output", "out.jsonl")
    run("delete", made)
    assert "Imported 1" in run("import", str(tmp_path / "out.jsonl")).output
    assert json.loads(run("show", made, "--json").output) == before
    assert "exists already" in run("export", "--output", "out.jsonl", code=1).output


@pytest.mark.parametrize(
    ("line", "words"),
    [("{", "Line 1 is no memory"), ('{"id": "x"}', "Line 1 is no memory"), ('{"schema_version": 99}', "Line 1")],
)
def test_an_import_that_is_none_stores_nothing(run: Run, line: str, words: str) -> None:
    result = run("import", "-", code=1, stdin=line + "\n")
    assert words in result.output
    assert json.loads(run("list", "--json").output) == []


def test_counts_and_bad_arguments(run: Run) -> None:
    noted(run, "One.")
    assert json.loads(run("stats", "--json").output)["items"] == 1
    assert "A layer is L2 or L3" in run("list", "--layer", "L9", code=1).output
    assert "nothing to search" in run("search", "  ", code=1).output
    assert "needs some words" in run("note", " … ", code=1).output
    assert "No embedder is set" in run("reindex", code=1).output


def test_reindex_makes_vectors_and_another_embedder_makes_them_anew(run: Run) -> None:
    for number in range(3):
        noted(run, f"Note number {number} about boats.")
    assert "Made 3" in run("reindex", "--set", "memory.embedder=hash").output
    assert "Made 0" in run("reindex", "--set", "memory.embedder=hash").output
    stats = json.loads(run("stats", "--json").output)
    assert (stats["vectors"], stats["space"]["model"]) == (3, "hash-256")
    found = json.loads(run("search", "boat", "--set", "memory.embedder=hash", "--json").output)
    assert len([entry for entry in found if not entry["dropped"]]) == 3

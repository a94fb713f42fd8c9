"""``harness memory``, in process, on a store in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import harness
from harness.errors import StoreError
from harness.testing.scripted_model import ScriptedModel
from tests._commands import Run, runner


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))

    return runner("memory")


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


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": "x"', "Line 1 is no memory"),
        (b"\xff\xfe{\x00", "Line 1 of in.jsonl is not UTF-8"),
        (b"x" * 16_000_001, "longer than"),
        (b'{"format": "harness-session", "session": {}}\n', "sessions import"),
        (b'{"memories": [\n', "Line 1 is no memory"),
        (b"[" * 50_000, "Line 1 is no memory"),
        (
            b'{"schema_version": 1, "id": "gone.x", "layer": "L2", "kind": "mark", "text": ""}',
            "the mark of something forgotten",
        ),
        (
            b'{"schema_version": 1, "id": "file:a#1", "layer": "L3", "kind": "note", "text": "a", "source": "file"}',
            "a line of the file",
        ),
        (b'{"schema_version": 1, "id": "x", "layer": "L3", "kind": "note", "text": "\\ud800"}', "Line 1"),
        (b"<html>", "Line 1 is no memory"),
    ],
)
def test_another_programs_file_is_refused_whole(run: Run, tmp_path: Path, content: bytes, words: str) -> None:
    noted(run, "Kept. 留下。")
    run("export", "-o", "out.jsonl")
    (tmp_path / "in.jsonl").write_bytes(content)
    assert words in " ".join(run("import", "in.jsonl", code=1).output.split())
    good = (tmp_path / "out.jsonl").read_bytes().replace(b'"note.', b'"note.other')
    (tmp_path / "in.jsonl").write_bytes(good + content)
    run("import", "in.jsonl", code=1)
    assert len(json.loads(run("list", "--json").stdout)) == 1
    assert "cannot be read" in run("import", str(tmp_path), code=1).output
    assert "cannot be read" in run("import", "nowhere.jsonl", code=1).output


def test_an_import_of_many_lines_with_other_separators(run: Run, tmp_path: Path) -> None:
    made = noted(run, "one\u2028two\u0085three 三")
    run("export", "-o", "out.jsonl")
    line = (tmp_path / "out.jsonl").read_text(encoding="utf-8")
    lines = [line.replace(made, f"many.{number}") for number in range(450)]
    (tmp_path / "many.jsonl").write_text("\ufeff" + "\n".join(lines), encoding="utf-8", newline="\n")
    assert json.loads(run("import", "many.jsonl", "--json").stdout) == {"imported": 450}
    assert json.loads(run("import", "-", "--json", stdin="".join(lines[:3])).stdout) == {"imported": 3}
    assert json.loads(run("stats", "--json").stdout)["items"] == 451


def test_an_export_that_fails_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    noted(run, "x")
    (tmp_path / "old.jsonl").write_text("old", encoding="utf-8")

    def broken(*_: object) -> str:
        raise StoreError("The store is down.")

    with monkeypatch.context() as patched:
        patched.setattr("harness.memory.memories.Memories.all", broken)
        run("export", "-o", "new.jsonl", code=1)
        run("export", "-o", "old.jsonl", "--force", code=1)
    assert (tmp_path / "old.jsonl").read_text(encoding="utf-8") == "old"
    assert not [path for path in tmp_path.iterdir() if "new" in path.name or "part" in path.name]
    assert "cannot be written" in run("export", "-o", "no/such/folder.jsonl", code=1).output
    run("export", "-o", "old.jsonl", "--force")
    assert json.loads((tmp_path / "old.jsonl").read_text(encoding="utf-8"))["text"] == "x"


@pytest.mark.parametrize("text", ["The ferry runs on Sundays.", "渡轮周日开。"])
def test_every_change_can_be_read_by_a_program(run: Run, text: str) -> None:
    made = json.loads(run("note", text, "--project", "org/商店", "--json").stdout)
    assert (made["text"], made["scope"]["project"]) == (text, "org/商店")
    assert json.loads(run("edit", made["id"], text + "!", "--json").stdout)["text"] == text + "!"
    assert json.loads(run("pin", made["id"], "--json").stdout)["pinned"] is True
    assert json.loads(run("unpin", made["id"], "--json").stdout)["pinned"] is False
    assert json.loads(run("search", text, "--project", "org/商店", "--json").stdout)[0]["item"]["id"] == made["id"]
    assert json.loads(run("search", text, "--project", "org/别的", "--json").stdout) == []
    assert json.loads(run("search", text, "--json").stdout) == []
    assert [one["id"] for one in json.loads(run("list", "--project", "org/商店", "--json").stdout)] == [made["id"]]
    assert json.loads(run("reindex", "--json", "--set", "memory.embedder=hash").stdout) == {
        "made": 1,
        "vector_search": "exact",
    }
    assert json.loads(run("export", "-o", "x.jsonl", "--json").stdout) == {"exported": 1, "file": "x.jsonl"}
    assert json.loads(run("forget", "--project", "org/商店", "--yes", "--json").stdout) == {"forgotten": 1, "files": []}
    made = json.loads(run("note", text, "--task", "t1", "--world", "w", "--json").stdout)
    assert json.loads(run("delete", made["id"], "--json").stdout) == {"deleted": 1}
    assert "no part that is empty" in run("note", text, "--project", "../etc", code=1).output


def test_files_are_listed_and_stay_out_of_exports(run: Run, tmp_path: Path) -> None:
    assert "Nothing is read" in run("files").output
    folder = tmp_path / "memory" / "user"
    folder.mkdir(parents=True)
    (folder / "小明.md").write_text("- 不吃香菜。\n- 喜欢下棋。\n", encoding="utf-8")
    found = json.loads(run("files", "--json").stdout)["files"]
    assert [(one["name"], one["items"], one["scope"]["user"]) for one in found] == [("user/小明.md", 2, "小明")]
    (item,) = [one for one in json.loads(run("list", "--user", "小明", "--json").stdout) if "香菜" in one["text"]]
    assert "user/小明.md:1" in run("show", item["id"]).output
    assert "Change it there" in run("edit", "香菜", "x", code=1).output
    assert run("export").stdout == ""
    told = run("forget", "--user", "小明", "--yes")
    assert "What stands in files stays: user/小明.md" in told.output
    (folder / "b.md").write_bytes(b"\xff")
    assert "not UTF-8" in " ".join(run("files", code=1).output.split())


@pytest.mark.parametrize(("text", "words"), [("Nora keeps bees.", "bees"), ("阿诚养蜜蜂。", "蜜蜂")])
def test_an_id_of_another_user_is_none_where_a_user_is_named(run: Run, text: str, words: str) -> None:
    made = noted(run, text, "--user", "nora", "--persona", "mia")
    for arguments in (("show", made), ("edit", made, "Other."), ("pin", made), ("unpin", made), ("delete", made), ("show", words)):  # fmt: skip
        refused = run(*arguments, "--user", "小明", code=1).output
        assert "There is no memory" in refused
        assert "of user '小明'" in " ".join(refused.split())
        assert "nora" not in refused
    assert json.loads(run("show", words, "--user", "nora", "--json").output)["text"] == text
    assert json.loads(run("pin", made, "--user", "nora", "--persona", "mia", "--json").output)["pinned"]
    assert "There is no memory" in run("delete", "absent.id", code=1).output
    run("delete", made, "--user", "nora")
    assert json.loads(run("list", "--json").output) == []


@pytest.mark.parametrize(
    ("persona", "said", "old", "new", "question"),
    [
        ("mia", "I live in Leeds.", "Leeds", "York", "where does the user live"),
        ("lin", "我住在苏州。", "苏州", "杭州", "用户住在哪里"),
    ],
)
def test_of_a_fact_that_was_edited_only_the_newest_is_listed(
    run: Run, tmp_path: Path, persona: str, said: str, old: str, new: str, question: str
) -> None:
    overrides = {"storage.path": str(tmp_path / "sessions.db"), "harness.analysis": "rules"}
    with harness.connect(harness.load(environ={}, overrides=overrides), model=ScriptedModel("…")) as connected:
        session = connected.open(persona, session="s1", user="nora")
        session.say(said)
        session.say(said.replace(old, new))
    for more in ((), ("--subject", "user"), ("--kind", "fact")):
        values = [item["value"] for item in json.loads(run("list", "--json", *more).output) if item["attribute"]]
        assert values == [new]
    every = json.loads(run("list", "--json", "--all", "--kind", "fact").output)
    assert sorted(item["value"] for item in every) == sorted([old, new])
    (replaced,) = [item for item in every if "replaced_by" in item]
    assert replaced["value"] == old
    assert "replaced" in run("list", "--all").output
    found = json.loads(run("search", question, "--user", "nora", "--persona", persona, "--subject", "user", "--json").output)  # fmt: skip
    assert [entry["item"]["value"] for entry in found if not entry["dropped"]] == [new]
    assert "There is no kind" in run("list", "--kind", "sort", code=1).output
    assert json.loads(run("list", "--subject", "小明", "--json").output) == []

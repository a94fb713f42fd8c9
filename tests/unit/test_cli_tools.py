"""``harness say --tool-result``, ``harness artifacts``, and the commands of ``harness chat`` for tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._commands import Run, runner

CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONA = {"en": "mia", "zh": "lin"}
ASK = {"en": "What's on in town?", "zh": "城里有什么活动？"}
SHORT: dict[str, dict[str, Any]] = {
    "en": {"name": "events", "arguments": {"town": "York"}, "text": "a fair by the river"},
    "zh": {"name": "events", "arguments": {"town": "沈阳"}, "text": "河边有庙会"},
}
SAID = {"en": "events(town=York)", "zh": "events(town=沈阳)"}


def long_of(code: str) -> dict[str, Any]:
    words = {"en": "a long line of words ", "zh": "很长的一行字，"}[code]
    return {"name": "pages", "text": {"pages": [words * 4] * 100}}


def reply(request: Received) -> Answer:
    text = str(request.body["messages"][-1]["content"])
    return Answer(status=400) if "fail" in text else Answer("好的。" if "活动" in text else "All right.")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Run]:
    with ServerThread(ScriptedServer(reply)) as server:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", server.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        monkeypatch.setenv("HARNESS_STORAGE_PATH", str(tmp_path / "sessions.db"))
        yield runner()


def written(tmp_path: Path, value: Any, name: str = "results.json") -> str:
    path = tmp_path / name
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return str(path)


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "sessions-artifacts").rglob("*.txt"))


@CODES
@pytest.mark.parametrize("stream", [(), ("--stream",)])
def test_say_with_results_and_reading_them_back(run: Run, tmp_path: Path, code: str, stream: tuple[str, ...]) -> None:
    first = written(tmp_path, [SHORT[code], long_of(code)])
    run("say", ASK[code], "-p", PERSONA[code], "-s", "s", "--tool-result", first, *stream)
    found = json.loads(run("artifacts", "list", "s", "--json").output)
    assert [one["name"] for one in found] == ["events", "pages"]
    table = run("artifacts", "list", "s").output
    assert SAID[code] in table
    ref = found[1]["ref"]
    assert ref in table
    assert files(tmp_path) == [f"{ref}.txt"]
    whole = json.dumps(long_of(code)["text"], ensure_ascii=False)
    assert run("artifacts", "show", "s", ref).output == f"{whole}\n"
    assert run("artifacts", "show", "s", "r1").output == f"{SHORT[code]['text']}\n"
    run("artifacts", "show", "s", ref, "-o", "whole.json")
    assert json.loads((tmp_path / "whole.json").read_text(encoding="utf-8")) == long_of(code)["text"]
    assert "exists already" in run("artifacts", "show", "s", ref, "-o", "whole.json", code=1).output
    assert "no artifact 'r9'" in run("artifacts", "show", "s", "r9", code=1).output
    assert "nothing to remove" in run("artifacts", "sweep", "s").output
    assert SAID[code] in run("show", "s", "--diff").output
    assert "tools" in run("show", "s", "--context").output
    assert run("diagnose", "s").output.startswith("Nothing was found")
    run("sessions", "delete", "s", "--yes")
    assert files(tmp_path) == []


def test_results_in_lines_and_from_standard_input(run: Run) -> None:
    lines = "\n".join(json.dumps(one) for one in (SHORT["en"], SHORT["zh"]))
    run("say", ASK["en"], "-p", "mia", "-s", "s", "--tool-result", "-", stdin=lines)
    assert len(json.loads(run("artifacts", "list", "s", "--json").output)) == 2


def test_a_session_without_results(run: Run) -> None:
    run("say", ASK["en"], "-p", "mia", "-s", "s")
    assert "no tool results" in run("artifacts", "list", "s").output
    assert "nobody" in run("artifacts", "list", "nobody", code=1).output


@pytest.mark.parametrize(
    ("text", "message"),
    [("{", "is not JSON"), ("[]", "no tool result"), ('{"name": "a"}', "text"), ("[5]", "Expected a tool result")],
)
def test_a_wrong_file_is_told_and_leaves_no_session(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "bad.json").write_text(text)
    for name in ("bad.json", str(tmp_path / "none.json")):
        found = run("say", ASK["en"], "-p", "mia", "--tool-result", name, code=1).output
        assert message in found or "cannot be read" in found
    assert json.loads(run("sessions", "list", "--json").output) == []


def test_a_turn_that_fails_leaves_no_files_of_a_session_made_for_it(run: Run, tmp_path: Path) -> None:
    run("say", "fail", "-p", "mia", "--tool-result", written(tmp_path, long_of("en")), code=1)
    assert files(tmp_path) == []
    run("say", "-", "-p", "mia", "--tool-result", "-", code=2, stdin="x")


@CODES
def test_the_commands_of_chat(run: Run, tmp_path: Path, code: str) -> None:
    path = written(tmp_path, [SHORT[code], long_of(code)])
    typed = [f"/observe {path}", "/tools", "/tools r1", "/tools r9", "/observe", ASK[code], "/diagnose", "/quit"]
    found = run("chat", "-p", PERSONA[code], "-s", "s", stdin="\n".join(typed) + "\n", code=1).output
    assert found.count(SAID[code]) >= 2
    assert SHORT[code]["text"] in found
    assert "no artifact 'r9'" in found
    assert "/observe takes a JSON file" in found
    assert "Nothing was found in 1 turn." in found
    assert "/observe FILE" in run("chat", "-p", PERSONA[code], "-s", "s", stdin="/help\n/quit\n").output

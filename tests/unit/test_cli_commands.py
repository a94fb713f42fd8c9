"""Every command but chat, in process, against a real HTTP server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._commands import Run, runner

EXPORTED: list[str] = []


def reply(request: Received) -> Answer:
    text = str(request.body["messages"][-1]["content"])
    if "fail" in text:
        return Answer(status=400)
    return Answer("好的，我记住了。" if any("\u4e00" <= char <= "\u9fff" for char in text) else "I will remember that.")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    with ServerThread(ScriptedServer(reply, models=("test-model", "other-model"))) as running:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", running.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        yield running


@pytest.fixture
def run() -> Run:
    return runner()


@pytest.fixture
def session(server: ScriptedServer, run: Run) -> str:
    if not EXPORTED:  # two turns are made once, and then copied
        run("say", "--persona", "mia", "--session", "s1", "My name is Sam and I have a cat called Miso.")
        run("say", "--session", "s1", "Nice weather today.")
        EXPORTED.append(run("sessions", "export", "s1").stdout)
    else:
        run("sessions", "import", "-", stdin=EXPORTED[0])
    return "s1"


def test_say_prints_the_reply_and_nothing_else(server: ScriptedServer, run: Run) -> None:
    result = run("say", "-p", "mia", "-s", "a", "Hello there.")
    assert result.stdout == "I will remember that.\n"


def test_say_tells_the_id_of_a_session_it_made_up(server: ScriptedServer, run: Run) -> None:
    result = run("say", "-p", "lin", "你好，我叫小王。")
    assert result.stdout == "好的，我记住了。\n"
    made = result.stderr.removeprefix("session: ").strip()
    assert made in run("sessions", "list").stdout


def test_say_reads_standard_input(server: ScriptedServer, run: Run) -> None:
    run("say", "-p", "lin", "-s", "a", "-", stdin="我养了一只狗，叫豆豆。\n")
    assert "豆豆" in run("facts", "list", "a").stdout


def test_say_gives_json(server: ScriptedServer, run: Run) -> None:
    found = json.loads(run("say", "-p", "mia", "-s", "a", "--json", "I have a cat called Miso.").stdout)
    assert found["reply"] == "I will remember that."
    assert (found["session"], found["turn"], found["ended"]) == ("a", 1, False)
    assert any("Miso" in fact["value"] for fact in found["state"]["new_facts"])
    assert [call["purpose"] for call in found["calls"]] == ["respond"]
    assert found["usage"]["prompt"] > 0


def test_say_streams_plainly_and_as_events(server: ScriptedServer, run: Run) -> None:
    assert run("say", "-p", "mia", "-s", "a", "--stream", "Hello.").stdout == "I will remember that.\n"
    lines = run("say", "-s", "a", "--stream", "--json", "Hello again.").stdout.splitlines()
    events = [json.loads(line) for line in lines]
    assert "".join(event["text"] for event in events if event["event"] == "token") == "I will remember that."
    assert events[-1]["event"] == "done"
    assert events[-1]["turn"] == 2


def test_a_failed_turn_is_two_lines_and_exit_code_1(session: str, run: Run) -> None:
    result = run("say", "-s", session, "Please fail.", code=1)
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr
    found = json.loads(run("say", "-s", session, "--json", "Please fail.", code=1).stdout)
    assert found["error"]["type"] == "BadRequest"
    assert found["error"]["message"]
    assert json.loads(run("show", session, "--json").stdout)["state"]["turn_count"] == 2


def test_debug_lets_the_error_through(session: str, run: Run) -> None:
    result = CliRunner().invoke(app, ["--debug", "say", "-s", session, "Please fail."])
    assert type(result.exception).__name__ == "BadRequest"


def test_wrong_usage_is_exit_code_2(run: Run) -> None:
    run("say", code=2)
    run("show", "a", "--state", "--diff", code=2)
    run("sayy", code=2)


def test_a_wrong_setting_suggests_the_right_one(run: Run) -> None:
    assert "harness.max_turns" in run("settings", "--set", "harness.max_turn=3", code=1).stderr
    assert "SECTION.KEY=VALUE" in run("settings", "--set", "max_turns", code=1).stderr
    assert "nowhere.toml" in run("settings", "--config", "nowhere.toml", code=1).stderr


def test_show_has_every_side_of_a_turn(session: str, run: Run) -> None:
    assert "Mia" in run("show", session).stdout
    assert "Miso" in run("show", session, "--turn", "1", "--diff").stdout
    assert "Miso" not in run("show", session, "--turn", "2", "--diff").stdout
    assert "My name is Sam" in run("show", session, "--turn", "1", "--calls").stdout
    assert "total" in run("show", session, "--context").stdout
    assert "▶" in run("show", session, "--timeline").stdout
    assert "Miso" not in run("show", session, "--state", "--turn", "0").stdout
    assert "passes the check" in run("show", session, "--turn", "1").stdout


def test_show_gives_json(session: str, run: Run) -> None:
    def shown(*options: str) -> Any:
        return json.loads(run("show", session, "--json", *options).stdout)

    assert shown()["session"]["id"] == session
    assert shown("--state", "--turn", "1")["turn_count"] == 1
    assert shown("--context")["total_tokens"] > 0
    assert shown("--calls")[0]["messages"][-1][1] == "Nice weather today."
    assert any("Miso" in line for line in shown("--diff", "--turn", "1")["changes"])
    assert [entry["head"] for entry in shown("--timeline")] == [False, True]
    assert shown("--turn", "1")["user"].startswith("My name is Sam")


def test_show_says_what_is_not_there(session: str, run: Run) -> None:
    assert "'nope'" in run("show", "nope", code=1).stderr
    assert "no turn 9" in run("show", session, "--turn", "9", code=1).stderr


def test_output_fits_80_columns(session: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    run("say", "-p", "lin", "-s", "中文会话", "你好，我叫小王，我住在苏州，我养了一只狗叫豆豆，我喜欢吃辣的东西。")
    from rich.cells import cell_len

    commands = [["sessions", "list"], ["persona", "list"], ["prompts", "list"], ["settings"]]
    commands += [["show", name, side] for name in (session, "中文会话") for side in ("--state", "--context", "--diff", "--timeline")]  # fmt: skip
    for command in commands:
        lines = [line for line in run(*command).stdout.splitlines() if not line.startswith(("file:", "data:"))]
        assert max(map(cell_len, lines)) <= 80, command


def test_undo_retry_edit_fork_and_goto(session: str, server: ScriptedServer, run: Run) -> None:
    def turns() -> list[dict[str, Any]]:
        return list(json.loads(run("show", session, "--timeline", "--json").stdout))

    head = turns()[-1]["id"]
    assert "turn 1" in run("undo", session).stdout
    assert "turn 2" in run("goto", session, head).stdout
    assert run("retry", session).stdout == "I will remember that.\n"
    assert len(turns()) == 3
    assert "I will remember" in run("edit", session, "My name is Max.", "--turn", "1").stdout
    facts = run("facts", "list", session).stdout
    assert "Max" in facts
    assert "Miso" not in facts
    assert run("fork", session, "s2").stdout == "s2\n"
    assert "Max" in run("facts", "list", "s2").stdout
    assert "cannot undo" in run("undo", session, "7", code=1).stderr.lower()
    assert "'nope'" in run("undo", "nope", code=1).stderr
    assert "nope" not in run("sessions", "list").stdout


def test_commands_that_need_no_model_connect_none(session: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", "http://127.0.0.1:9/v1")
    run("fork", session, "s2")
    run("undo", session)
    run("facts", "pin", session, "Miso")


def test_facts_are_added_and_merged_by_hand(session: str, run: Run) -> None:
    assert "Noted" in run("facts", "add", session, "girlfriend", "job", "vet").stdout
    assert "not tea" in run("facts", "add", session, "Ines", "likes", "tea", "--not").stdout
    assert "facts about Ines now" in run("facts", "merge", session, "ines", "girlfriend").stdout
    now = run("facts", "list", session).stdout
    assert "girlfriend" not in now
    assert now.count("Ines") == 2
    run("facts", "merge", session, "Ines", "nobody", code=1)


def test_facts_are_pinned_replaced_and_retracted(session: str, run: Run) -> None:
    assert "Miso" in run("facts", "pin", session, "miso").stdout
    assert "pinned" in run("facts", "list", session).stdout
    run("facts", "unpin", session, "miso")
    run("facts", "edit", session, "Miso", "a cat called Mochi")
    now = run("facts", "list", session).stdout
    assert "Mochi" in now
    assert "Miso" not in now
    assert "Miso" in run("facts", "list", session, "--all").stdout
    run("facts", "retract", session, "Mochi")
    assert "Mochi" not in run("facts", "list", session).stdout
    assert "No fact" in run("facts", "retract", session, "zebra", code=1).stderr


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_export_and_import_keep_every_branch(session: str, run: Run, tmp_path: Path, form: str) -> None:
    run("retry", session)
    file = tmp_path / f"out.{form}"
    run("sessions", "export", session, "-o", str(file), "--format", form)
    assert "exists already" in run("sessions", "export", session, "-o", str(file), code=1).stderr
    assert "stored already" in run("sessions", "import", str(file), code=1).stderr
    run("sessions", "import", str(file), "--as", "copy")
    old, new = (json.loads(run("show", name, "--timeline", "--json").stdout) for name in (session, "copy"))
    assert old == new
    states = [json.loads(run("show", name, "--state", "--json").stdout) for name in (session, "copy")]
    assert states[0] == states[1]


def test_export_goes_through_pipes(session: str, run: Run) -> None:
    text = run("sessions", "export", session).stdout
    assert len(text.splitlines()) == 3
    run("sessions", "import", "-", "--as", "copy", stdin=text)
    assert "copy" in run("sessions", "list").stdout


def test_import_refuses_what_does_not_hold(session: str, run: Run, tmp_path: Path) -> None:
    lines = run("sessions", "export", session).stdout.splitlines(keepends=True)

    def refused(text: str) -> str:
        file = tmp_path / "bad.jsonl"
        file.write_text(text, encoding="utf-8")
        return run("sessions", "import", str(file), "--as", "bad", code=1).stderr

    assert "format" in refused('{"some": "thing"}\n')
    assert "Line 2" in refused(lines[0] + lines[1][:50])
    assert "hangs on" in refused(lines[0] + lines[2])
    assert "head" in refused(lines[0] + lines[1])
    assert "does not hold" in refused(lines[0] + lines[1].replace('"begin_turn", "turn": 1', '"begin_turn", "turn": 5') + lines[2])  # fmt: skip
    assert "bad" not in run("sessions", "list").stdout


def test_delete_asks_first(session: str, run: Run) -> None:
    run("sessions", "delete", session, stdin="n\n", code=1)
    assert session in run("sessions", "list").stdout
    run("sessions", "delete", session, "--yes")
    assert "No sessions" in run("sessions", "list").stdout
    assert "'nope'" in run("sessions", "delete", "nope", "--yes", code=1).stderr


def test_replay_finds_no_difference_and_needs_no_network(
    session: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("say", "-s", session, "--stream", "I live in Leeds.")
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", "http://127.0.0.1:9/v1")
    assert "Every turn came out the same" in run("replay", session).stdout
    report = json.loads(run("replay", session, "--json").stdout)
    assert [turn["number"] for turn in report["turns"]] == [1, 2, 3]


def test_replay_reports_what_a_changed_prompt_changes(session: str, run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "prompts" / "en"
    folder.mkdir(parents=True)
    (folder / "system.j2").write_text("You are {{ persona.name }}.", encoding="utf-8")
    result = run("replay", session, code=1)
    assert "differs" in result.stdout
    assert "recorded" in result.stdout


def test_persona_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "林晓" in run("persona", "list").stdout
    assert "mia" in [entry["id"] for entry in json.loads(run("persona", "list", "--json").stdout)]
    run("persona", "new", "Nora Quill", "--role", "a clockmaker")
    assert (tmp_path / "personas" / "nora-quill.yaml").is_file()
    assert "Nora Quill" in run("persona", "show", "nora-quill").stdout
    assert "exists already" in run("persona", "new", "Nora Quill", code=1).stderr
    assert "language: zh" in run("persona", "new", "何小满", "-o", "-").stdout
    run("persona", "check")
    (tmp_path / "personas" / "bad.yaml").write_text("nam: X\n", encoding="utf-8")
    assert "bad.yaml" in run("persona", "check", code=1).stdout
    assert "broken" in run("persona", "list").stdout


def test_prompts_commands(session: str, run: Run, tmp_path: Path) -> None:
    assert "turn_analysis" in run("prompts", "list").stdout
    assert "persona" in run("prompts", "show", "system").stdout
    assert "Mia" in run("prompts", "render", "system", "--session", session).stdout
    assert "Sam" in run("prompts", "render", "context", "--session", session, "--turn", "2").stdout
    assert "Did you mean" in run("prompts", "show", "sistem", code=1).stderr
    names = {entry["name"] for entry in json.loads(run("prompts", "list", "--json").stdout)}
    for index, name in enumerate(sorted(names)):
        run("prompts", "render", name, "--language", ("en", "zh")[index % 2])
    own = tmp_path / "prompts" / "en"
    own.mkdir(parents=True)
    (own / "system.j2").write_text("Own {{ persona.name }}", encoding="utf-8")
    assert run("prompts", "render", "system", "--persona", "ada").stdout == "Own Ada Obi\n"
    assert "project" in run("prompts", "list").stdout


def test_init_makes_a_project_that_runs(server: ScriptedServer, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    run("init", "game", "--name", "Kit")
    folder = tmp_path / "game"
    assert sorted(p.name for p in folder.iterdir()) == [".gitignore", "harness.toml", "personas", "prompts"]
    assert "already has harness.toml" in run("init", "game", code=1).stderr
    monkeypatch.chdir(folder)
    run("persona", "check")
    assert run("say", "-p", "kit", "-s", "a", "Hello.").stdout == "I will remember that.\n"


def test_settings_tell_values_and_origins_but_no_keys(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "harness.toml").write_text("[harness]\nmax_turns = 7\n", encoding="utf-8")
    monkeypatch.setenv("HARNESS_SHORT_TERM_WINDOW", "6")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-verysecret123456")
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", "https://me:hunter2@example.test/v1")
    result = run("settings", "--json", "--set", "storage.backend=memory")
    found = json.loads(result.stdout)
    assert found["settings"]["harness.max_turns"] == {"value": 7, "origin": "harness.toml"}
    assert found["settings"]["harness.short_term_window"] == {"value": 6, "origin": "HARNESS_SHORT_TERM_WINDOW"}
    assert found["settings"]["storage.backend"]["origin"] == "argument"
    assert found["key"] == {"variable": "OPENAI_API_KEY", "state": "set"}
    for output in (result.output, run("settings").output, run("settings", "--origin").output):
        assert "verysecret" not in output
        assert "hunter2" not in output
    assert "max_revisions" not in run("settings", "--origin").stdout


def test_doctor_passes_and_names_the_first_fault(server: ScriptedServer, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    result = CliRunner().invoke(app, ["doctor", "--json"])
    checks = json.loads(result.stdout)
    assert [check["name"] for check in checks[:3]] == ["session store", "memory store", "graph"]
    assert [check["ok"] for check in checks[:9]] == [True] * 9
    assert result.exit_code == (0 if checks[9]["ok"] else 1)
    monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", "http://127.0.0.1:9/v1")
    result = run("doctor", code=1)
    assert "ok   configuration" in result.stdout
    assert "FAIL network" in result.stdout
    assert "-    streaming: not reached" in result.stdout


def test_tasks_are_set_changed_and_left(session: str, run: Run) -> None:
    assert "no task" in run("task", "show", session).stdout
    assert "has no task" in run("task", "update", session, "--done", "x", code=1).stderr
    run("task", "set", session, "mend the roof", "--id", "roof", "--todo", "buy slates", "--todo", "hire a ladder")
    changed = run("task", "update", session, "--done", "buy slates", "--ruled-out", "tar paper", "--json").stdout
    assert json.loads(changed)["todo"] == ["hire a ladder"]
    assert "tar paper" in run("task", "show", session).stdout
    assert "tar paper" not in run("task", "update", session, "--remove", "tar paper", "--artifact", "plan.pdf").stdout
    assert json.loads(run("task", "show", session, "--json").stdout)["artifacts"] == ["plan.pdf"]
    run("task", "update", session, code=2)
    assert "no task now" in run("task", "leave", session).stdout
    run("undo", session)
    assert "plan.pdf" in run("task", "show", session).stdout


def test_model_commands_without_network(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_LOCAL_CACHE_DIR", str(tmp_path / "models"))
    assert "qwen2.5" in run("model", "list").stdout
    assert {entry["state"] for entry in json.loads(run("model", "list", "--json").stdout)} == {"not here"}
    assert "not in the cache" in run("model", "remove", "qwen2.5-coder-0.5b-instruct").stdout
    assert "No local model" in run("model", "pull", "qwen9", code=1).stderr


def test_doctor_says_that_the_embedded_model_is_missing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HARNESS_LOCAL_CACHE_DIR", str(tmp_path / "models"))
    checks = json.loads(run("doctor", "--json", code=1).stdout)
    assert [check["name"] for check in checks][3:5] == ["extra installed", "model file"]
    failed = next(check for check in checks if check["ok"] is False)
    assert "harness model pull" in failed["remedy"] or "[local]" in failed["remedy"]
    assert checks[-1] == {**checks[-1], "name": "structured output", "ok": None}

"""``harness chat`` through pipes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from harness.app_connecting import ModelParts
from harness.cli.main import app
from harness.testing.scripted_model import ScriptedModel
from harness.testing.scripted_server import ScriptedServer
from tests._chat_server import answering_chats


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    with answering_chats(monkeypatch, tmp_path) as running:
        yield running


def piped(*lines: str, code: int = 0, options: tuple[str, ...] = ("-p", "mia", "-s", "s1")) -> Result:
    result = CliRunner().invoke(app, ["chat", *options], input="\n".join(lines) + "\n")
    assert result.exit_code == code, (result.output, result.exception)
    return result


def test_replies_go_to_stdout_and_the_rest_to_stderr(server: ScriptedServer) -> None:
    result = piped("I have a cat called Miso.", "", "What now?")
    assert result.stdout.splitlines()[-2:] == ["That sounds good.", "That sounds good."]
    assert "topic" not in result.stdout
    assert "+1 fact (pet: " in result.stderr
    assert "tokens" in result.stderr
    assert "\x1b" not in result.output


def test_a_new_session_greets_and_a_resumed_one_does_not_repeat_it(server: ScriptedServer) -> None:
    assert piped("Hello.").stdout.startswith("Door's open.")
    again = piped("Hello again.")
    assert again.stdout == "That sounds good.\n"
    assert "resumed after turn 1" in again.stderr


def test_a_failed_turn_is_told_and_the_chat_goes_on(server: ScriptedServer) -> None:
    result = piped("Please fail.", "Hello.", code=1)
    assert result.stdout.endswith("That sounds good.\n")
    assert "error: " in result.stderr
    assert "[1]" in result.stderr


def test_slash_commands_work_piped(server: ScriptedServer) -> None:
    result = piped("I have a cat called Miso.", "/facts", "/state", "/topics", "/entities", "/promises", "/why",
                   "/context full", "/timeline", "/persona", "/help")  # fmt: skip
    for words in ("cat called Miso", "passes the check", "total", "I have a cat called Miso.", "▶", "bicycle", "/quit"):
        assert words in result.stdout


def test_state_shows_how_the_last_message_was_understood(server: ScriptedServer) -> None:
    result = piped("I have a cat called Miso.", "How old is it?", "/state", "Hello.", "/state")
    assert "How old is Miso?" in result.stdout
    assert result.stdout.count("Understood as") == 1


def test_an_unknown_command_suggests_the_nearest(server: ScriptedServer) -> None:
    result = piped("/fact", "/xyzzy", code=1)
    assert "Did you mean /facts?" in result.stderr
    assert "/help lists" in result.stderr
    assert not server.chats


def test_two_slashes_send_one(server: ScriptedServer) -> None:
    piped("//shrug")
    assert server.chats[0].body["messages"][-1]["content"].endswith("/shrug")


def test_undo_retry_edit_goto_and_fork(server: ScriptedServer) -> None:
    result = piped("I have a cat called Miso.", "I live in Leeds.", "/undo", "/facts", "/goto 1", "/retry",
                   "/edit I have a dog called Rex.", "/facts", "/fork s2", "Hello.", "/undo x", code=1)  # fmt: skip
    before, after = result.stdout.split("cat called Miso", 1)
    assert "Leeds" not in before + after
    assert "Rex" in after
    assert "session 's2' now" in result.stderr
    assert "not 'x'" in result.stderr
    shown = json.loads(CliRunner().invoke(app, ["show", "s2", "--json"]).stdout)
    assert [turn["user"] for turn in shown["turns"]] == ["I have a dog called Rex.", "Hello."]


def test_the_task_in_a_conversation(server: ScriptedServer) -> None:
    result = piped("/task", "/task set mend the roof", "/task out tar paper", "/task done", "/task fly home", "/task leave",
                   code=1)  # fmt: skip
    assert "no task" in result.stdout
    assert "tar paper" in result.stdout
    assert result.stderr.count("/task takes nothing, or one of set") == 2


def test_facts_are_pinned_and_forgotten(server: ScriptedServer) -> None:
    result = piped("I have a cat called Miso.", "/pin miso", "/facts", "/forget miso", "/unpin zebra", code=1)
    assert "(pinned)" in result.stdout
    assert "Forgotten" in result.stderr
    assert "No fact" in result.stderr


def test_facts_are_noted_revised_and_brought_together(server: ScriptedServer) -> None:
    result = piped(
        "I have a cat called Miso.",
        "/note girlfriend: job = vet",
        "/note locker number = 7",
        "/revise miso = a cat called Mochi",
        "/same Ines = girlfriend",
        "/facts",
        "/same Ines",
        code=1,
    )
    assert "Noted: girlfriend job: vet." in result.stderr
    assert "Noted: user locker number: 7." in result.stderr
    assert "Mochi" in result.stdout
    assert "Ines" in result.stdout
    assert "/same NAME = OTHER" in result.stderr


def test_save_writes_markdown_and_json_and_overwrites_nothing(server: ScriptedServer, tmp_path: Path) -> None:
    result = piped("我养了一只猫叫年糕。", "/save talk.md", "/save talk.json", "/save talk.md", "/save", code=1,
                   options=("-p", "lin", "-s", "z"))  # fmt: skip
    text = (tmp_path / "talk.md").read_text(encoding="utf-8")
    assert "**林晓:** 听起来不错。" in text
    saved = json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))
    assert saved["turns"][0]["user_text"] == "我养了一只猫叫年糕。"
    assert (tmp_path / "z-1.md").is_file()
    assert "exists already" in result.stderr


def test_quit_leaves_at_once(server: ScriptedServer) -> None:
    piped("/quit", "Hello.")
    assert not server.chats


def test_max_turns_ends_with_a_clear_answer(server: ScriptedServer) -> None:
    result = piped("Hello.", "Hello.", options=("-p", "mia", "-s", "s1", "--set", "harness.max_turns=1"))
    assert result.stdout.splitlines()[-1] != "That sounds good."
    assert "[2]" not in result.stderr


def test_the_wrong_character_is_an_error_before_anything_is_said(server: ScriptedServer) -> None:
    piped("Hello.")
    result = piped("Hello.", code=1, options=("-p", "lin", "-s", "s1"))
    assert "Mia Tarrant" in result.stderr


def test_without_a_provider_one_line_says_that_the_embedded_model_answers(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def embedded(_: ModelParts) -> ScriptedModel:
        return ScriptedModel("That sounds good.")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ModelParts, "_embedded_model", embedded)
    result = piped("Hello.")
    assert result.stderr.splitlines()[0].startswith("No provider is configured: the embedded model")
    assert result.stdout.endswith("That sounds good.\n")


def test_a_revised_reply_is_marked(server: ScriptedServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.session import Session
    from harness.turn.events import Revised, Token

    original = Session.stream

    async def stream(self: Session, text: str) -> Any:
        yield Token("I have no bikes at all.")
        yield Revised("I have a shop full.", reason="contradiction")
        async for event in original(self, text):
            if not isinstance(event, Token):
                yield event

    monkeypatch.setattr(Session, "stream", stream)
    lines = piped("Hello.").stdout.splitlines()
    assert lines[1:3] == ["I have no bikes at all.", "(revised) I have a shop full."]

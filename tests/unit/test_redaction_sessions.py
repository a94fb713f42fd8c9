"""What a user lets slip is in no file afterwards: journal, memory, recording, log, history of the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.app import Harness
from harness.cli.typing_line import _history
from harness.errors import SettingsError
from harness.ports import MemoryFilter
from harness.settings import load
from harness.state import TaskState
from harness.state.memory import Scope
from harness.state.operations import AssertFact, SetTask
from harness.testing.scripted_model import ScriptedModel
from harness.turn.withholding import text_without_secrets

PERSONAS = {"en": "mia", "zh": "lin"}
SAID = {
    "en": ["My card is 4111 1111 1111 1111.", "Call me on 555 123 4567, the card is 4111-1111-1111-1111.", "The password is hunter2!"],
    "zh": ["我的银行卡是6222021234567890128。", "手机１３８００１３８０００，卡６２２２０２１２３４５６７８９０１２８", "密码是hunter2，身份证11010519491231002X"],
}  # fmt: skip
KEPT = {
    "en": ["My card is [card 1].", "Call me on [phone 1], the card is [card 1].", "The password is [password 1]!"],
    "zh": ["我的银行卡是[银行卡 1]。", "手机[电话 1]，卡[银行卡 1]", "密码是[密码 1]，身份证[身份证号 1]"],
}
SECRETS = ["4111 1111 1111 1111", "4111-1111-1111-1111", "4111111111111111", "555 123 4567", "hunter2", "6222021234567890128",
           "６２２２０２１２３４５６７８９０１２８", "１３８００１３８０００", "13800138000", "11010519491231002X"]  # fmt: skip


def settings(folder: Path, **more: str) -> object:
    return load(
        environ={},
        overrides={
            "storage.path": str(folder / "sessions.db"),
            "harness.analysis": "rules",
            "harness.background": "false",
            **more,
        },
    )


def leaks(folder: Path) -> list[tuple[str, str]]:
    """Which secrets stand in which files, in any encoding that JSON or SQLite may give them."""
    found = []
    for file in folder.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            for secret in SECRETS:
                forms = {secret.encode(), secret.encode("utf-16-le"), secret.encode("ascii", "backslashreplace")}
                found += [(file.name, secret) for form in forms if form in content]
    return found


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_no_file_has_what_was_said(code: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    model = ScriptedModel("Good.")
    async with Harness(settings(tmp_path), model=model) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        for text in SAID[code]:
            await session.say(text)
        await session.settled()
        assert [record.user_text for record in await session.branch()] == KEPT[code]
        told = [message.text for message in (await session.state()).messages if message.speaker == "user"]
        assert told == KEPT[code]
        sent = "\n".join(
            text for record in await session.branch() for call in record.calls for _, text in call.messages
        )
        assert not [secret for secret in SECRETS if secret in sent]
        assert KEPT[code][0] in sent
    # A new process knows the reference again, and goes on counting.
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open(session="one")
        await session.edit(SAID[code][1])
        await session.say(SAID[code][0])
        assert (await session.report()).user_text == KEPT[code][0]
    assert leaks(tmp_path) == []
    assert (tmp_path / "sessions-memory.db").exists()
    output = "".join(capfd.readouterr())
    assert not [secret for secret in SECRETS if secret in output]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_switched_off_all_is_kept(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path, **{"redaction.enabled": "false"}), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        assert (await session.report()).user_text == SAID[code][0]
    assert leaks(tmp_path)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_is_written_by_hand_has_no_secrets_either(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one", user="nora")
        await session.say(SAID[code][0])
        await session.set_task(f"Pay with it: {SAID[code][0]}", todo=[SAID[code][1]])
        state = await session.state()
        assert state.task is not None
        assert state.task.goal == f"Pay with it: {KEPT[code][0]}"
        assert state.task.todo == (KEPT[code][1],)
        await session.change(
            [
                AssertFact(subject="user", attribute="note", value=SAID[code][2], speaker="user", turn=1),
                SetTask(task=TaskState(task_id="t", goal="g", artifacts=(SAID[code][1],))),
            ]
        )
        memories = harness.memories()
        scope = Scope(persona=PERSONAS[code], user="nora")
        note = await memories.note(SAID[code][2], scope=scope)
        await memories.edit(note.id, SAID[code][1])
        await memories.load([note.model_copy(update={"id": "note.x", "text": SAID[code][2]}).model_dump_json()])
        kept = [item.text async for item in memories.all(MemoryFilter(everything=True, statuses=()))]
        assert KEPT[code][2] in kept
    assert leaks(tmp_path) == []


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_reply_that_tells_a_secret_is_stored_without_it(code: str, tmp_path: Path) -> None:
    replies = {"en": "Take 4111 1111 1111 1111, I'm on 555 123 4567.", "zh": "用4111 1111 1111 1111，打13800138000。"}
    stored = {"en": "Take [card 1], I'm on 555 123 4567.", "zh": "用[银行卡 1]，打13800138000。"}
    async with Harness(settings(tmp_path), model=ScriptedModel(replies[code])) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say({"en": "How do I pay?", "zh": "怎么付钱？"}[code])
        record = await session.report()
        assert record.reply == stored[code]
        assert any(event.kind == "redacted" for event in record.events)
    assert not [secret for _, secret in leaks(tmp_path) if secret.startswith("4111")]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_a_tool_gives_has_the_references_of_the_session(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        text, notes = text_without_secrets(
            "\n".join(SAID[code]), await session.state(), harness.redactor, language=code
        )
        assert text == "\n".join(KEPT[code])
        await session.change(notes)
        assert text_without_secrets(SAID[code][1], await session.state(), harness.redactor, language=code) == (
            KEPT[code][1],
            (),
        )


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_references_follow_the_branch(code: str, tmp_path: Path) -> None:
    other = {"en": "My card is 5500 0000 0000 0004.", "zh": "我的银行卡是5500 0000 0000 0004。"}
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open(PERSONAS[code], session="one")
        await session.say(SAID[code][0])
        await session.undo()
        await session.say(other[code])
        assert (await session.report()).user_text == KEPT[code][0]
        await session.say(SAID[code][0])
        assert (await session.report()).user_text == KEPT[code][0].replace("1]", "2]")


async def test_own_patterns(tmp_path: Path) -> None:
    more = {"redaction.patterns": '{"badge": "B-(?P<s>[0-9]{5})", "工号": "G[0-9]{4}"}', "redaction.kinds": "emails"}
    async with Harness(settings(tmp_path, **more), model=ScriptedModel("Good.")) as harness:  # type: ignore[arg-type]
        session = await harness.open("mia", session="one")
        await session.say("Badge B-12345, 工号G1234, nora@example.org, card 4111 1111 1111 1111.")
        said = (await session.report()).user_text
        assert said == "Badge B-[badge 1], 工号[工号 1], [e-mail 1], card 4111 1111 1111 1111."


@pytest.mark.parametrize("value", ['{"x": "("}', '{"x": "a*"}', '{"[": "a"}', "[1", '["a"]'])
def test_a_wrong_pattern_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="patterns"):
        load(environ={}, overrides={"redaction.patterns": value})


def test_a_misspelt_kind_is_refused() -> None:
    with pytest.raises(SettingsError, match="cards"):
        load(environ={}, overrides={"redaction.kinds": "keys,creditcards"})


def test_the_history_of_the_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARNESS_HOME", str(tmp_path))
    history = _history()
    for text in (*SAID["en"], *SAID["zh"]):
        history.store_string(text)
    assert leaks(tmp_path) == []
    assert "[redacted]" in (tmp_path / "chat_history").read_text(encoding="utf-8")

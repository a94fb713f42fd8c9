"""What tools gave, and what stands in memory files, is without secrets wherever it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.language import load_packs
from harness.language.redaction import redactor
from harness.memory import MemoryFiles
from harness.ports import MemoryFilter
from harness.settings import Loaded, load
from harness.state import DialogueState
from harness.testing.scripted_model import ScriptedModel

CODES = pytest.mark.parametrize("code", ["en", "zh"])
PERSONAS = {"en": "mia", "zh": "lin"}
ASK = {"en": "Which card is on the account?", "zh": "账户绑的是哪张卡？"}
CARD = {"en": "4111 1111 1111 1111", "zh": "6222021234567890128"}
OTHER = {"en": "5500 0000 0000 0004", "zh": "6228480402564890018"}
REFERENCE = {"en": "[card 1]", "zh": "[银行卡 1]"}
SECOND = {"en": "[card 2]", "zh": "[银行卡 2]"}
GIVEN = {
    "en": {"name": "account", "arguments": {"password": "hunter2?x9"}, "text": f"owner Nora, card {CARD['en']}"},
    "zh": {"name": "account", "arguments": {"password": "hunter2?x9"}, "text": f"户主安娜，银行卡{CARD['zh']}"},
}
MINE = {"en": f"Mine is {OTHER['en']}.", "zh": f"我的银行卡是{OTHER['zh']}。"}
SAME = {"en": f"So {CARD['en']} it is.", "zh": f"那就是{CARD['zh']}。"}
LINE = {"en": "The row of the account is kept here.", "zh": "这里是账户的一行记录。"}


def settings(folder: Path, **more: str) -> Loaded:
    return load(
        environ={},
        overrides={
            "storage.path": str(folder / "sessions.db"),
            "harness.analysis": "rules",
            "harness.background": "false",
            **more,
        },
    )


def leaks(folder: Path, *secrets: str) -> list[tuple[str, str]]:
    found = []
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        found += [(file.name, secret) for secret in secrets if secret.encode() in content]
    return found


def referred(state: DialogueState) -> list[str]:
    return sorted(note.key.removeprefix("redacted ") for note in state.notes if note.key.startswith("redacted "))


@CODES
@pytest.mark.parametrize("between", [False, True], ids=["with a message", "between"])
async def test_a_result_is_kept_without_secrets(code: str, between: bool, tmp_path: Path) -> None:
    model = ScriptedModel("Good.")
    async with Harness(settings(tmp_path), model=model) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        if between:
            (result,) = await session.observe([GIVEN[code]])
            await session.say(ASK[code])
        else:
            await session.say(ASK[code], tool_results=[GIVEN[code]])
            (result,) = await session.tool_results()
        assert CARD[code] not in result.text
        assert REFERENCE[code] in result.text
        assert "hunter2" not in result.arguments
        await session.say(SAME[code])
        assert REFERENCE[code] in (await session.report()).user_text
        await session.say(MINE[code])
        assert SECOND[code] in (await session.report()).user_text
    sent = "\n".join(text for request in model.requests for text in map(str, request.messages))
    assert REFERENCE[code] in sent
    assert not [secret for secret in (CARD[code], OTHER[code], "hunter2") if secret in sent]
    assert leaks(tmp_path, CARD[code], OTHER[code], "hunter2") == []


@CODES
async def test_a_message_and_its_results_share_their_references(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        await session.say(MINE[code], tool_results=[GIVEN[code]])
        (result,) = await session.tool_results()
        assert REFERENCE[code] in result.text
        assert SECOND[code] in (await session.report()).user_text
        before = referred(await session.state())
        assert {REFERENCE[code], SECOND[code]} <= set(before)
        await session.retry()
        assert referred(await session.state()) == before
        await session.say(SAME[code])
        assert REFERENCE[code] in (await session.report()).user_text


@CODES
async def test_a_long_result_is_put_away_without_secrets(code: str, tmp_path: Path) -> None:
    long = {**GIVEN[code], "text": "\n".join([LINE[code]] * 6000) + f"\n{GIVEN[code]['text']}"}
    async with Harness(settings(tmp_path), model=ScriptedModel("Good.")) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        (result,) = await session.observe([long])
        assert result.ref
        whole = await session.artifact(result.ref)
        assert LINE[code] in whole
        assert REFERENCE[code] in whole
        assert REFERENCE[code] in referred(await session.state())
        assert leaks(tmp_path, CARD[code]) == []
        fork = await session.fork("f")
        assert await (await harness.open(session=fork)).artifact(result.ref) == whole


async def test_results_stay_as_they_are_when_redaction_is_off(tmp_path: Path) -> None:
    async with Harness(settings(tmp_path, **{"redaction.enabled": "false"}), model=ScriptedModel("Good.")) as harness:
        session = await harness.open("mia", session="s")
        (result,) = await session.observe([GIVEN["en"]])
        assert CARD["en"] in result.text


@CODES
async def test_memory_files_are_read_without_secrets(code: str, tmp_path: Path) -> None:
    text = f"# {MINE[code]}\n\n- {LINE[code]}\n- {GIVEN[code]['text']}\n"
    (tmp_path / "global.md").write_text(text, encoding="utf-8")
    packs = load_packs()
    files = MemoryFiles(tmp_path, InProcessMemoryStore(), packs, redactor=redactor(packs))
    await files.refresh()
    items = await files.store.browse(MemoryFilter(everything=True, statuses=()))
    assert items
    assert any(REFERENCE[code] in item.text for item in items)
    assert not [item for item in items if CARD[code] in item.model_dump_json() or OTHER[code] in item.model_dump_json()]
    ids = {item.id for item in items}
    (tmp_path / "global.md").write_text(text.replace(CARD[code], REFERENCE[code]), encoding="utf-8")
    await files.refresh()
    assert {item.id for item in await files.store.browse(MemoryFilter(everything=True, statuses=()))} == ids
    assert CARD[code] in text


@CODES
async def test_files_of_a_project_do_not_tell_the_model_secrets(code: str, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "global.md").write_text(f"- ! {GIVEN[code]['text']}\n", encoding="utf-8")
    model = ScriptedModel("Good.")
    async with Harness(settings(tmp_path / "data", **{"paths.memory": str(folder)}), model=model) as harness:
        session = await harness.open(PERSONAS[code], session="s")
        await session.say(ASK[code])
    sent = "\n".join(text for request in model.requests for text in map(str, request.messages))
    assert REFERENCE[code] in sent
    assert CARD[code] not in sent
    assert leaks(tmp_path / "data", CARD[code]) == []

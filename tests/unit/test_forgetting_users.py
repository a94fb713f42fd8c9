"""A user who is forgotten is in no file: memory, its indexes and vectors, the journal, and whatever else keeps something of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness import connect
from harness.app import Harness
from harness.errors import InputError, SessionNotFound, StoreError
from harness.forgetting import Forgotten
from harness.settings import Loaded, load
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
NORA = {
    "en": ["My lighthouse is called Skarholm.", "I'm allergic to quinces.", "Skarholm again: I love Skarholm."],
    "zh": ["我的灯塔叫斯卡霍姆。", "我对榅桲过敏。", "还是斯卡霍姆：我爱斯卡霍姆。"],
}
WORDS = {"en": ["Skarholm", "skarholm", "quince", "nora"], "zh": ["斯卡", "卡霍", "霍姆", "榅桲", "nora"]}
OTTO = {"en": "I keep bees in Ronsdorf.", "zh": "我在龙斯多夫养蜜蜂。"}
STAYS = {"en": "Ronsdorf", "zh": "龙斯多夫"}


def settings(folder: Path, **more: str) -> Loaded:
    return load(
        environ={},
        overrides={
            "storage.path": str(folder / "sessions.db"),
            "memory.embedder": "hash",
            "harness.analysis": "rules",
            "harness.background": "false",
            "harness.snapshot_every": "1",
            **more,
        },
    )


async def filled(harness: Harness, code: str) -> None:
    for number in range(2):
        session = await harness.open(PERSONAS[code], session=f"nora-{number}", user="nora")
        for text in NORA[code]:
            await session.say(text)
        await session.set_task(NORA[code][0], task_id="t")
        await session.leave_task()
        await session.undo()
    session = await harness.open(PERSONAS[code], session="o", user="otto")
    await session.say(OTTO[code])
    await session.settled()


def holding(folder: Path, words: Sequence[str]) -> dict[str, list[str]]:
    """Which files hold which of the words."""
    found = {}
    for file in folder.rglob("*"):
        content = file.read_bytes() if file.is_file() else b""
        held = [word for word in words if word.encode() in content or word.encode("utf-16-le") in content]
        if held:
            found[file.name] = held
    return found


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_no_file_has_anything_of_the_user(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Mm, I see.")) as harness:
        await filled(harness, code)
        assert set(holding(tmp_path, WORDS[code]))
        done = await harness.forget_user("nora", journal=True)
        assert done.memories >= 4
        assert sorted(done.sessions) == ["nora-0", "nora-1"]
        assert holding(tmp_path, WORDS[code]) == {}
        with pytest.raises(SessionNotFound):
            await harness.store().info("nora-0")
        assert (await harness.forget_user("nora", journal=True)) == Forgotten("nora")
        kept = [item.text async for item in harness.memories().all()]
        assert any(STAYS[code] in text for text in kept)
        assert {item.scope.user async for item in harness.memories().all()} == {"otto"}
    assert holding(tmp_path, WORDS[code]) == {}
    assert holding(tmp_path, [STAYS[code]])
    with sqlite3.connect(tmp_path / "sessions-memory.db") as file:
        vectors = file.execute("SELECT count(*) FROM vectors").fetchone()[0]
    async with Harness(settings(tmp_path), model=ScriptedModel("Mm.")) as harness:
        assert vectors == (await harness.memories().stats()).vectors
        assert [info.user for info in await harness.store().sessions()] == ["otto"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_without_the_journal_memory_alone_forgets(code: str, tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Mm, I see.")) as harness:
        await filled(harness, code)
        done = await harness.forget_user("nora")
        assert done.sessions == ()
        assert sorted(done.kept) == ["nora-0", "nora-1"]
        session = await harness.open(session="nora-0")
        await session.undo()
        await session.state()
        assert not [item async for item in harness.memories().all() if item.scope.user == "nora"]
    assert list(holding(tmp_path, WORDS[code][:1])) == ["sessions.db"]


async def test_only_what_one_character_knows(tmp_path: Path) -> None:
    async with Harness(settings(tmp_path), model=ScriptedModel("Mm, I see.")) as harness:
        await filled(harness, "en")
        session = await harness.open("lin", session="l", user="nora")
        await session.say(NORA["zh"][0])
        await session.settled()
        done = await harness.forget_user("nora", persona="mia", journal=True)
        assert sorted(done.sessions) == ["nora-0", "nora-1"]
        assert {info.id for info in await harness.store().sessions()} == {"o", "l"}
        assert any([item.scope.user == "nora" async for item in harness.memories().all()])


async def test_further_stores_forget_too(tmp_path: Path) -> None:
    asked = []

    async def graph(user: str, sessions: Sequence[str]) -> int:
        asked.append((user, sorted(sessions)))
        return 7

    async with Harness(settings(tmp_path), model=ScriptedModel("Mm, I see.")) as harness:
        await filled(harness, "en")
        harness.forgetters["graph"] = graph
        assert (await harness.forget_user("nora", journal=True)).others == {"graph": 7}
        assert asked == [("nora", ["nora-0", "nora-1"])]


LOOKED_UP = {
    "en": {"name": "lamps", "text": "\n".join(f"Skarholm lamp {number} is lit" for number in range(900))},
    "zh": {"name": "灯", "text": "\n".join(f"斯卡霍姆的第{number}盏灯亮着" for number in range(900))},
}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_long_results_and_short_term_messages_go_with_the_user(code: str, tmp_path: Path) -> None:
    chosen = settings(tmp_path, **{"short_term.backend": "sqlite"})
    async with Harness(chosen, model=ScriptedModel("Mm, I see.")) as harness:
        for who in ("nora", "otto"):
            session = await harness.open(PERSONAS[code], session=who, user=who)
            await session.say(NORA[code][0], tool_results=[LOOKED_UP[code]])
            await session.settled()
        assert await harness.short_term().recent("nora")
        first = await harness.forget_user("nora")
        assert first.others == {"short_term": 1}
        assert await harness.short_term().recent("nora") == ()
        session = await harness.open(session="nora")
        (result,) = await session.tool_results()
        assert WORDS[code][0] in await session.artifact(result.ref)  # the session still has what was said in it
        await session.say(NORA[code][0])
        done = await harness.forget_user("nora", journal=True)
        assert done.others == {"short_term": 1, "artifacts": 1}
        assert await harness.artifacts().held("nora") == ()
        assert await harness.short_term().recent("nora") == ()
        assert await harness.artifacts().held("otto")
        assert await harness.short_term().recent("otto")


async def test_a_user_is_forgotten_whole_the_second_time_when_a_store_was_away(tmp_path: Path) -> None:
    away = True

    async def graph(user: str, sessions: Sequence[str]) -> int:
        if away:
            raise StoreError("The graph is away.")
        return len(sessions)

    async with Harness(settings(tmp_path), model=ScriptedModel("Mm, I see.")) as harness:
        await filled(harness, "en")
        harness.forgetters["graph"] = graph
        with pytest.raises(StoreError, match="away"):
            await harness.forget_user("nora", journal=True)
        away = False
        assert (await harness.forget_user("nora", journal=True)).others == {"graph": 2}
    assert holding(tmp_path, WORDS["en"]) == {}


async def test_what_is_still_being_written_does_not_come_back(tmp_path: Path) -> None:
    quick = settings(tmp_path, **{"harness.background": "true"})
    async with Harness(quick, model=ScriptedModel("Mm, I see.")) as harness:
        session = await harness.open("mia", session="nora-0", user="nora")
        await session.say(NORA["en"][0])
        await harness.forget_user("nora", journal=True)
        await session.close()
        assert not [item async for item in harness.memories().all()]
    assert holding(tmp_path, ["Skarholm"]) == {}


async def test_a_recording_is_named_as_what_remains(tmp_path: Path) -> None:
    recording = tmp_path / "calls.jsonl"
    recording.write_text("", encoding="utf-8")
    quick = settings(tmp_path, **{"provider.record": str(recording)})
    async with Harness(quick, model=ScriptedModel("Mm.")) as harness:
        assert (await harness.forget_user("nora")).remains == (str(recording),)
        with pytest.raises(InputError, match="Nobody"):
            await harness.forget_user("")


def test_without_await(tmp_path: Path) -> None:
    with connect(settings(tmp_path), model=ScriptedModel("Mm.")) as harness:
        harness.open("mia", session="nora-0", user="nora").say(NORA["en"][0])
        assert harness.forget_user("nora", journal=True).sessions == ("nora-0",)

"""Memory through the whole program, on every backend that is kept: notes and talk, found by words and by meaning."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.adapters.memories import MEMORY_BACKENDS
from harness.app import Harness
from harness.ports import MemoryFilter
from harness.settings import Loaded, load
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from tests.conftest import Places

TALK = {
    "en": ("mia", "I am allergic to walnuts.", "walnuts", "The ferry does not run on Sundays.", "ferry on Sunday"),
    "zh": ("lin", "我对核桃过敏。", "核桃", "渡轮星期天不开。", "星期天的渡轮"),
}


@pytest.mark.parametrize("code", TALK)
@pytest.mark.parametrize("backend", [name for name, known in MEMORY_BACKENDS.items() if known.durable])
async def test_what_is_noted_and_said_is_found_again(
    tmp_path: Path, server_place: Places, backend: str, code: str
) -> None:
    persona, said, word, note, question = TALK[code]
    place = server_place(MEMORY_BACKENDS[backend].server, tmp_path)

    def settings(embedder: str) -> Loaded:
        chosen = {
            "storage.path": str(tmp_path / "sessions.db"),
            "memory.backend": backend,
            "memory.url": place["url"],
            "storage.key_prefix": place["key_prefix"],
            "memory.embedder": embedder,
            "harness.analysis": "rules",
            "harness.background": "false",
        }
        return load(start=tmp_path, environ={}, overrides=chosen)

    async with Harness(settings("hash"), model=ScriptedModel("…")) as harness:
        # The first that is ever stored is a note, which comes with a vector.
        await harness.memories().note(note, scope=Scope())
        await (await harness.open(persona, session="s1", user="nora")).say(said)
    async with Harness(settings("hash"), model=ScriptedModel("…")) as harness:
        session = await harness.open(persona, session="s2", user="nora")
        await session.say(question)
        found = await harness.memories().search(question, scope=Scope(persona=persona, user="nora"))
        # What was asked in this session is nearest to itself.
        assert note in [one.item.text for one in found.items if one.item.text != question][:2]
        stats = await harness.memories().stats()
        assert stats.vectors == stats.items > 1
        other = await harness.memories().search(word, scope=Scope(persona=persona, user="bob"))
        assert all(word not in one.item.text for one in other.items)
        assert await harness.memories().forget(MemoryFilter(everything=True, statuses=(), scope=Scope(user="nora"))) > 0
        mine = await harness.memories().search(word, scope=Scope(persona=persona, user="nora"))
        assert all(word not in one.item.text for one in mine.items)


@pytest.mark.parametrize("code", TALK)
@pytest.mark.parametrize("backend", [name for name, known in MEMORY_BACKENDS.items() if known.durable])
async def test_what_is_written_while_it_is_forgotten_does_not_stay(
    tmp_path: Path, server_place: Places, monkeypatch: pytest.MonkeyPatch, backend: str, code: str
) -> None:
    persona, said, *_ = TALK[code]
    place = server_place(MEMORY_BACKENDS[backend].server, tmp_path)
    chosen = {
        "storage.path": str(tmp_path / "sessions.db"),
        "memory.backend": backend,
        "memory.url": place["url"],
        "storage.key_prefix": place["key_prefix"],
        "harness.analysis": "rules",
        "harness.background": "false",
    }
    settings = load(start=tmp_path, environ={}, overrides=chosen)
    async with Harness(settings, model=ScriptedModel("…")) as harness, Harness(settings) as other:
        session = await harness.open(persona, session="s1", user="nora")
        kind = type(harness.memories().shared.store)
        follow = kind.follow
        forgotten: list[object] = []

        async def meanwhile(self: object, *args: object, **given: object) -> None:
            if not forgotten:
                forgotten.append(await other.forget_user("nora"))
            await follow(self, *args, **given)  # type: ignore[arg-type]  # passed on as they came

        monkeypatch.setattr(kind, "follow", meanwhile)
        await session.say(said)
        await session.settled()
        assert len(forgotten) == 1
        assert [item async for item in harness.memories().all()] == []
        await session.say(said)  # what is told anew is remembered anew
        await session.settled()
        assert [item async for item in harness.memories().all()]

"""Two users of one character, two characters of one user, two projects, two worlds, two tasks: nothing of one is seen by the other.

All of them talk at once, of the same things, with words of their own. Then whatever each of them can see is searched for the words of
all the others, in every part that something is kept in and on every backend. :mod:`tests._owners` has who tells what; its
``EXPECTED`` makes sure that each part does hold what belongs there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import structlog
from structlog.testing import LogCapture

from harness.app import Harness
from harness.diagnosing import diagnose
from harness.errors import ArtifactNotFound, SettingsError
from harness.session import Session
from harness.state import ToolResult
from harness.state.memory import Scope
from harness.testing.scripted_model import ScriptedModel
from tests import _owners
from tests._owners import OWNERS, Owner, answering, leaks, missing, seen_of, settings_for, talk_at_once, write_files
from tests.conftest import Places

Overrides = Callable[[pytest.FixtureRequest, Places, Path], Mapping[str, Any]]


def _sqlite(_request: pytest.FixtureRequest, _places: Places, _folder: Path) -> Mapping[str, Any]:
    return {"graph.backend": "sqlite"}


def _faiss(_request: pytest.FixtureRequest, _places: Places, _folder: Path) -> Mapping[str, Any]:
    return {"memory.backend": "faiss", "graph.backend": "ladybug"}


def _postgres(request: pytest.FixtureRequest, places: Places, folder: Path) -> Mapping[str, Any]:
    return {
        "storage.backend": "postgres",
        "storage.url": places("postgres", folder)["url"],
        "memory.backend": "postgres",
        "graph.backend": "neo4j",
        "graph.url": request.getfixturevalue("bolt_server").url,
    }


def _redis(request: pytest.FixtureRequest, places: Places, folder: Path) -> Mapping[str, Any]:
    place = places("redis", folder)
    return {
        "storage.backend": "redis",
        "storage.url": place["url"],
        "storage.key_prefix": place["key_prefix"],
        "memory.backend": "redis",
        "short_term.backend": "redis",
        "graph.backend": "falkordb",
        "graph.url": request.getfixturevalue("falkordb_server").url,
    }


BACKENDS: Mapping[str, Overrides] = {"sqlite": _sqlite, "faiss": _faiss, "postgres": _postgres, "redis": _redis}
BOTH = pytest.mark.parametrize("code", ["en", "zh"])


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> LogCapture:
    """Every line that is logged, those for debugging too."""
    captured = LogCapture()
    logger = structlog.wrap_logger(
        structlog.PrintLogger(), processors=[captured], wrapper_class=structlog.make_filtering_bound_logger(0)
    )
    for name, module in list(sys.modules.items()):
        if name.startswith("harness.") and hasattr(getattr(module, "log", None), "warning"):
            monkeypatch.setattr(module, "log", logger)
    return captured


@BOTH
@pytest.mark.parametrize("backend", BACKENDS)
async def test_nothing_crosses(
    request: pytest.FixtureRequest, server_place: Places, tmp_path: Path, lines: LogCapture, backend: str, code: str
) -> None:
    overrides = BACKENDS[backend](request, server_place, tmp_path)
    write_files(tmp_path, code, OWNERS)
    async with Harness(settings_for(tmp_path, overrides), model=answering(code)) as app:
        await talk_at_once(app, OWNERS, code)
        for owner in OWNERS:
            seen = await seen_of(app, owner, code)
            assert leaks(owner, OWNERS, seen, code) == []
            assert missing(owner, seen, code) == []
        await _refused(app, code)
    assert {line["event"] for line in lines.entries} >= {"context_built", "memory_file_read"}
    logged = str(lines.entries)
    assert [owner.name for owner in OWNERS if owner.prefix(code) in logged] == [], "what was said is in no log"


async def _refused(app: Harness, code: str) -> None:
    """A session and its long results are opened by nobody else."""
    first, *others = OWNERS
    (ref,) = await app.artifacts().held(first.session("told"))
    for other in others:
        session = await app.open(session=other.session("told"))
        with pytest.raises(ArtifactNotFound):
            await session.artifact(ref)
        assert ref not in await app.artifacts().held(session.id)
        names = {name: value for name, value in other.names(code).items() if value != first.names(code)[name]}
        with pytest.raises(SettingsError):
            await app.open(session=first.session("told"), **names)


class Still:
    """A clock that stands still, so that two runs can be compared."""

    def now(self) -> datetime:
        return datetime(2026, 6, 1, 9, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0


async def _experience(folder: Path, owners: tuple[Owner, ...], code: str) -> dict[str, list[object]]:
    """What the first owner is shown and feels while these talk at once."""
    write_files(folder, code, OWNERS)
    kept: dict[str, list[object]] = {}
    async with Harness(settings_for(folder, {}), model=answering(code), clock=Still()) as app:
        await talk_at_once(app, owners, code)
        for which in ("told", "asked"):
            session = await app.open(session=owners[0].session(which))
            state = await session.state()
            kept[which] = [
                [call.messages for record in await session.branch() for call in record.calls],
                state.emotion,
                state.user_emotion,
                [(fact.subject, fact.attribute, fact.value, fact.status) for fact in state.facts],
                [(entity.name, entity.aliases) for entity in state.entities],
                [(one.text, one.status) for one in state.commitments],
                state.summary,
                [message.text for message in state.messages],
            ]
    return kept


@BOTH
async def test_a_talk_is_the_same_whoever_else_talks(tmp_path: Path, code: str) -> None:
    """Every prompt is the same, word by word; and what has no words of its own (feelings, what is cached or counted), too."""
    # Another project of the same user is left out: what is about the user for long is known there, too.
    others = tuple(owner for owner in OWNERS if owner.project == OWNERS[0].project)
    alone = await _experience(tmp_path / "alone", OWNERS[:1], code)
    assert await _experience(tmp_path / "among", others, code) == alone


TASKS: Mapping[str, tuple[Owner, Owner]] = {"tasks": (Owner("t1", ("Skar", "斯卡")), Owner("t2", ("Velk", "维洛")))}


async def _work(session: Session, app: Harness, owner: Owner, code: str) -> None:
    """A task with everything that belongs to a task alone."""
    own = _owners.words(owner, code)
    await session.set_task(_owners.GOAL[code].format(**own), task_id=owner.name)
    await session.update_task(
        ruled_out=[_owners.RULED[code].format(**own)], confirmed=[own["thing"]], done=[own["lost"]]
    )
    await app.memories().note(_owners.NOTE[code].format(**own), scope=Scope(task=owner.name))
    board = "\n".join(_owners.TOOL[code].format(n=n, **own) for n in range(80))
    await session.say(_owners.ASKED[code][-1], tool_results=[ToolResult(name="board", arguments="{}", text=board)])
    await session.say(_owners.ASKED[code][-1])


@BOTH
@pytest.mark.parametrize("where", ["one session", "two sessions"])
async def test_nothing_crosses_between_two_tasks(tmp_path: Path, code: str, where: str) -> None:
    first, second = TASKS["tasks"]
    for owner in (first, second):
        path = tmp_path / "memory" / "task" / f"{owner.name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_owners.FILE[code].format(**_owners.words(owner, code)), encoding="utf-8")
    # What a task found out outlives it, on purpose; with nothing important enough it is the task's alone.
    settings = settings_for(tmp_path, {"memory.archive_above": "1", "harness.background": "false"})
    async with Harness(settings, model=ScriptedModel(_owners.FINE[code])) as app:
        persona = _owners.PERSONAS[code][0]
        session = await app.open(persona, session="s1", user="nora")
        await _work(session, app, first, code)
        before = [record.id for record in await session.branch()]
        if where == "two sessions":
            session = await app.open(persona, session="s2", user="nora")
        await _work(session, app, second, code)
        turns = [record for record in await session.branch() if record.id not in before and record.origin != "change"]
        for record in turns:
            prompt = "\n".join(text for call in record.calls for _, text in call.messages)
            shown = "\n".join(item.text for layer in record.context.layers for item in layer.items if not item.dropped)
            for text in (prompt, shown):
                assert first.prefix(code) not in text
                assert second.prefix(code) in text
        assert [_owners.words(second, code)[part] in prompt for part in ("goal", "ruled", "tool", "note", "file")] == [
            True
        ] * 5
        assert [fault.kind for fault in (await diagnose(app, session.id)).faults] == []


@BOTH
async def test_what_was_looked_up_for_a_task_is_found_where_none_is_at_hand(tmp_path: Path, code: str) -> None:
    owner = TASKS["tasks"][0]
    settings = settings_for(tmp_path, {"harness.background": "false"})
    async with Harness(settings, model=ScriptedModel(_owners.FINE[code])) as app:
        persona = _owners.PERSONAS[code][0]
        await _work(await app.open(persona, session="s1", user="nora"), app, owner, code)
        session = await app.open(persona, session="s2", user="nora")
        await session.say(_owners.ASKED[code][-1])
        context = (await session.report()).context
        shown = [item.text for layer in context.layers if layer.block == "memory" for item in layer.items]
        assert any(owner.word("tool", code) in text for text in shown)

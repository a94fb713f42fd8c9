"""Replay: a session's turns run again offline, from their recorded model calls, and compared with what was stored."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from harness.errors import HarnessError
from harness.ports import Capabilities, NullJournal, Ports
from harness.session import given_with, initial_state, messages_of, rebuild
from harness.state import Message
from harness.state.operations import ObserveTool
from harness.turn.machine import Phase, run_turn
from harness.turn.turn import Turn

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.ports import StructuredForm
    from harness.settings import EngineSettings
    from harness.state import DialogueState, ModelCall, SessionInfo, TurnRecord

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """How one turn came out.

    Attributes:
        calls: recorded model calls. ``unused``: how many of them were not asked for.
        error: why the turn could not be run again (a call that was not recorded, say); empty when it could.
        differences: where reply or state differ, as ``path: recorded … → replayed …``.
    """

    id: str
    number: int
    origin: str
    calls: int = 0
    unused: int = 0
    error: str = ""
    differences: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        """Nothing differs."""
        return not (self.unused or self.error or self.differences)


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """How a session came out."""

    session: str
    turns: tuple[TurnReplay, ...]

    @property
    def same(self) -> bool:
        """Every turn came out as it was stored."""
        return all(turn.same for turn in self.turns)


class _Then:
    """The clock of a turn that is over: it stands at the moment of the reply."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def now(self) -> datetime:
        """The moment of the reply."""
        return self._at

    def monotonic(self) -> float:
        """No time passes."""
        return 0.0


class _Past(NullJournal):
    """The messages of the turns before, as they are stored; writes nothing."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._messages = messages

    async def earlier(self, last_turn: int) -> Sequence[Message]:
        """Those up to a turn."""
        return [message for message in self._messages if message.turn <= last_turn]


async def replay(harness: Harness, session_id: str) -> ReplayReport:
    """Run every turn of the current branch again, each on the stored state before it, with its recorded ids, seed and
    times, and a model that answers from its recorded calls. Nothing is written and nothing is connected.

    The engine's settings are those of now: a difference shows what a changed setting, prompt or rule would have changed.

    Raises:
        SessionNotFound: no such session.
    """
    store = harness.store()
    info = await store.info(session_id)
    state = initial_state(info)
    turns: list[TurnReplay] = []
    past: list[Message] = []
    for record in await store.branch(session_id, info.head):
        after = rebuild(state, [record])
        if record.origin in ("say", "retry", "edit"):
            turns.append(await _again(harness, info, record, state, after, _Past(tuple(past))))
        past += messages_of(record)
        state = after
    return ReplayReport(session_id, tuple(turns))


async def _again(
    harness: Harness, info: SessionInfo, record: TurnRecord, before: DialogueState, after: DialogueState, past: _Past
) -> TurnReplay:
    from harness.app_models import replaying_model

    model = replaying_model(record.calls, capabilities(record.calls))
    started = record.started_at or datetime.now(UTC)
    ports = Ports(
        model=model,
        prompts=harness.prompts,
        languages=harness.languages,
        clock=_Then(record.replied_at or started),
        journal=past,
        streaming=any(call.first_token_seconds is not None for call in record.calls if call.phase == Phase.respond),
    )
    turn = _turn(info, record, before, started, harness.engine_settings())
    result = TurnReplay(record.id, record.number, record.origin, len(record.calls))
    until = Phase.done if record.phase == "done" else harness.machine.following(Phase.record)
    try:
        turn = await run_turn(turn, ports, harness.machine, until=until)
    except HarnessError as error:
        return replace(result, error=error.message, unused=model.unused)
    found = [*_differing("reply", record.reply, turn.reply), *differences(after, turn.state)]
    errors = [
        event.message for event in turn.events if event not in record.events and "recorded answer" in event.message
    ]
    return replace(result, differences=tuple(found), unused=model.unused, error="; ".join(errors))


def _turn(
    info: SessionInfo, record: TurnRecord, before: DialogueState, started: datetime, settings: EngineSettings
) -> Turn:
    turn = Turn(
        id=record.id,
        parent=record.parent,
        number=record.number,
        persona=info.persona,
        state=before,
        settings=settings,
        text=record.user_text,
        now=started,
        origin=record.origin,
        seed=record.seed,
        deadline=math.inf,
    )
    return turn.require([ObserveTool(result=result) for result in given_with(record)])


def capabilities(calls: Sequence[ModelCall]) -> Capabilities:
    """What was known of the endpoint when these calls were made, as far as they show it."""
    found = Capabilities()
    forms: list[StructuredForm] = []
    for call in calls:
        parameters = json.loads(call.parameters) if call.parameters.startswith("{") else {}
        if form := parameters.get("structured"):
            forms.append(cast("StructuredForm", form))
        if call.prefill:
            found.prefill = True
        if call.purpose == "respond":
            found.single_system = not any(role == "system" for role, _ in call.messages[1:])
    if forms:
        found.structured = forms[0]
    return found


def differences(recorded: DialogueState, replayed: DialogueState) -> tuple[str, ...]:
    """Where two states differ, a line for each value."""
    return tuple(_walk("", recorded.model_dump(mode="json"), replayed.model_dump(mode="json")))


def _walk(path: str, recorded: Any, replayed: Any) -> Iterator[str]:
    if isinstance(recorded, dict) and isinstance(replayed, dict):
        for key in sorted(recorded.keys() | replayed.keys()):
            yield from _walk(f"{path}.{key}" if path else key, recorded.get(key), replayed.get(key))
    elif isinstance(recorded, list) and isinstance(replayed, list):
        for index in range(max(len(recorded), len(replayed))):
            pair = [items[index] if index < len(items) else None for items in (recorded, replayed)]
            yield from _walk(f"{path}[{index}]", *pair)
    else:
        yield from _differing(path, recorded, replayed)


def _differing(path: str, recorded: Any, replayed: Any) -> Iterator[str]:
    if recorded != replayed:
        yield f"{path}: recorded {_shown(recorded)}, replayed {_shown(replayed)}"


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"

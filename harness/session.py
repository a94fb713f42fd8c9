"""Session: one conversation of one character with one user."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Literal

import structlog

from harness.context import compose_prompt
from harness.errors import ConflictError, EmptyReply, HarnessError, InputError, SessionBusy, TurnNotFound, TurnTimeout
from harness.ports import ModelRequest, Ports, SessionStore, TurnPlace
from harness.settings import EngineSettings
from harness.state import (
    Applied,
    DialogueState,
    Message,
    ModelCall,
    Operation,
    Persona,
    PersonaRef,
    SessionInfo,
    TaskState,
    TurnRecord,
    apply,
)
from harness.state.operations import AddMessage, SetTask, UpdateTask
from harness.turn.events import Done, Failed, Revised, StreamEvent, Token
from harness.turn.machine import MACHINE, Phase, TurnMachine, run_turn
from harness.turn.turn import Turn
from harness.understanding.readying import readying

log = structlog.get_logger("harness.session")

CATCH_UP_ROUNDS = 8
"""How often a session is read again because another process changed it meanwhile."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What :meth:`Session.say` gives.

    Attributes:
        text: what the character said.
        turn_id, number: which turn it was; empty and 0 when ``ended``.
        ended: the session has reached ``max_turns``; nothing was stored and the text says so.
        revised: the first reply failed its check and another one was sent.
        calls: model calls made for the reply (bookkeeping not included).
    """

    text: str
    turn_id: str = ""
    number: int = 0
    ended: bool = False
    revised: bool = False
    calls: tuple[ModelCall, ...] = ()


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One turn of the tree. ``current``: on the branch that leads to the head."""

    record: TurnRecord
    current: bool
    head: bool


def initial_state(info: SessionInfo) -> DialogueState:
    """The state before the first turn: the persona's baseline mood, and its greeting as message of turn 0."""
    persona = info.persona
    greeting = (
        (Message(speaker="character", text=persona.greeting, turn=0, at=info.created_at),) if persona.greeting else ()
    )
    return DialogueState(
        persona=info.persona_ref,
        user=info.user,
        language=persona.language,
        emotion=persona.baseline,
        messages=greeting,
    )


def rebuild(state: DialogueState, records: Sequence[TurnRecord]) -> DialogueState:
    """Fold the operations of records, oldest first, over a state."""
    for record in records:
        for applied in record.operations:
            state = apply(state, applied.operation)
    return state


class Turnstile:
    """What all handles of one session in a process share: the lock, and the bookkeeping that is still going on."""

    def __init__(self) -> None:
        self.lock = asyncio.Lock()
        self.bookkeeping: asyncio.Task[None] | None = None
        self.running = False


class Session:
    """One conversation, on a store.

    All methods are coroutines; :class:`harness.sync.SyncSession` is the same without ``await``. One turn runs at a
    time; a second caller waits or is refused, as ``harness.when_busy`` says. Open sessions with
    :meth:`harness.app.Harness.open`.
    """

    def __init__(
        self,
        info: SessionInfo,
        *,
        store: SessionStore,
        ports: Ports,
        settings: EngineSettings,
        machine: TurnMachine = MACHINE,
        turnstile: Turnstile | None = None,
    ) -> None:
        """Bind a stored session to its store and ports; nothing is read yet."""
        self.id = info.id
        self.settings = settings
        self._info = info
        self._store = store
        self._ports = ports
        self._machine = machine
        self._turnstile = turnstile or Turnstile()
        self._version = -1
        self._head: TurnRecord | None = None
        self._state = initial_state(info)
        self._earlier: tuple[str | None, list[Message]] = (None, [])

    @property
    def persona(self) -> Persona:
        """The character, as it was when the session was created."""
        return self._info.persona

    # --- talking --------------------------------------------------------------------------------------------------

    async def say(self, text: str) -> Reply:
        """Say something and wait for the character's answer.

        Raises:
            InputError: the text cannot become a turn. ModelError: the model did not answer. TurnTimeout, SessionBusy,
            BudgetError, StoreError. In all these cases the session is as it was before.
        """
        async with self._turn():
            return await self._run(await self._next(text))

    async def stream(self, text: str) -> AsyncGenerator[StreamEvent, None]:
        """Say something and receive the answer piece by piece.

        Yields :class:`Token` events, at most one :class:`Revised` that replaces them, and last :class:`Done` or
        :class:`Failed`. Closing the iterator early cancels a turn whose reply is not durable yet; the session is then as it
        was before. A reply that was held back for its check comes as one token, when it is durable.
        """
        async with aclosing(self._stream(lambda: self._next(text))) as events:
            async for event in events:
                yield event

    async def retry(self) -> Reply:
        """Have the last turn answered again. The old answer stays in the tree, as a sibling."""
        async with self._turn():
            return await self._run(await self._again())

    async def stream_retry(self) -> AsyncGenerator[StreamEvent, None]:
        """Like :meth:`retry`, piece by piece."""
        async with aclosing(self._stream(self._again)) as events:
            async for event in events:
                yield event

    async def edit(self, text: str, *, number: int | None = None) -> Reply:
        """Say something else instead of what was said in turn ``number`` (the last one by default), and go on from
        there. What followed stays in the tree.
        """
        async with self._turn():
            return await self._run(await self._again(number, text=text))

    async def stream_edit(self, text: str, *, number: int | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Like :meth:`edit`, piece by piece."""
        async with aclosing(self._stream(lambda: self._again(number, text=text))) as events:
            async for event in events:
                yield event

    # --- looking --------------------------------------------------------------------------------------------------

    async def state(self, number: int | None = None) -> DialogueState:
        """The state now, bookkeeping included, or after turn ``number`` of the current branch (0: the beginning).

        Raises:
            TurnNotFound: the branch has no such turn.
        """
        async with self._settled():
            if number is None or number == self._state.turn_count:
                return self._state
            return await self._state_at(await self._last_of(number))

    async def report(self, number: int | None = None) -> TurnRecord:
        """The record of the last turn, or of turn ``number`` of the current branch. Changes by hand are not turns.

        Raises:
            TurnNotFound: there is no such turn.
        """
        async with self._settled():
            if number is None and self._head is not None and self._head.origin != "change":
                return self._head
            spoken = [place for place in await self._path() if not place.change]
            found = [place for place in spoken if number is None or place.number == number]
            if not found:
                what = "no turn yet" if number is None else f"no turn {number}; it has {self._state.turn_count}"
                raise TurnNotFound(f"Session {self.id!r} has {what}.", remedy="Say something first.")
            return await self._store.record(self.id, found[-1].id)

    async def branch(self) -> tuple[TurnRecord, ...]:
        """The records of the current branch, oldest first."""
        async with self._settled():
            return await self._store.branch(self.id, self._head.id if self._head else None)

    async def timeline(self) -> tuple[TimelineEntry, ...]:
        """Every turn of the tree, oldest first."""
        async with self._settled():
            head = self._head.id if self._head else None
            current = {record.id for record in await self._store.branch(self.id, head)}
            return tuple(
                TimelineEntry(record, record.id in current, record.id == head)
                for record in await self._store.records(self.id)
            )

    async def settled(self) -> None:
        """Wait until the bookkeeping of the last turn is complete.

        Raises:
            HarnessError: what made it fail; it is tried again when the session is next used.
        """
        async with self._settled():
            pass

    # --- moving in the tree ---------------------------------------------------------------------------------------

    async def undo(self, steps: int = 1) -> DialogueState:
        """Go back some steps: turns, and changes by hand. They stay in the tree; :meth:`goto` returns to them.

        Raises:
            TurnNotFound: there are not that many.
        """
        async with self._turn():
            path = await self._path()
            if not 1 <= steps <= len(path):
                raise TurnNotFound(f"Cannot undo {steps} steps; session {self.id!r} has {len(path)}.")
            await self._move(path[-steps].parent)
            return self._state

    async def goto(self, turn_id: str) -> DialogueState:
        """Make any turn of the tree the current one.

        Raises:
            TurnNotFound: no turn of this id.
        """
        async with self._turn():
            await self._store.record(self.id, turn_id)
            await self._move(turn_id)
            return self._state

    async def fork(self, new_id: str = "", *, number: int | None = None) -> str:
        """Copy the branch up to turn ``number`` (all of it by default) into a new session; gives its id.

        Raises:
            SessionExists: the id is taken. TurnNotFound: no such turn.
        """
        async with self._settled():
            records = await self._store.branch(self.id, self._head.id if self._head else None)
            if number is not None:
                if not 0 <= number <= self._state.turn_count:
                    raise TurnNotFound(f"Session {self.id!r} has no turn {number}; it has {self._state.turn_count}.")
                records = tuple(record for record in records if record.number <= number)
            new_id = new_id or self._ports.ids.new()
            now = self._ports.clock.now()
            info = self._info.model_copy(
                update={"id": new_id, "head": None, "version": 0, "turns": 0, "created_at": now, "updated_at": now}
            )
            await self._store.create(info)
            version = 0
            try:
                for record in records:
                    version = await self._store.append(new_id, record, expected_version=version)
            except BaseException:
                await asyncio.shield(self._store.delete(new_id))  # half a fork is none
                raise
            return new_id

    async def change(self, operations: Sequence[Operation]) -> TurnRecord:
        """Change the state by hand (pin, edit or retract a fact, set a task): recorded like a turn, without dialogue.

        Raises:
            OperationRejected: one of them does not hold; then none is applied.
        """
        async with self._turn():
            state = self._state
            for operation in operations:
                state = apply(state, operation)
            record = TurnRecord(
                id=self._ports.ids.new(),
                parent=self._head.id if self._head else None,
                number=self._state.turn_count,
                origin="change",
                operations=tuple(Applied(phase="change", operation=operation) for operation in operations),
                started_at=self._ports.clock.now(),
            )
            self._version = await self._store.append(self.id, record, expected_version=self._version)
            self._head, self._state = record, state
            return record

    async def set_task(self, goal: str, *, task_id: str = "", todo: Sequence[str] = ()) -> TaskState:
        """Take up a task. What stood in the old one is gone with it; undo brings it back.

        Args:
            goal: what is to be done; the model always sees it.
            task_id: how the task is called; made up when empty.
            todo: steps to do.

        Raises:
            OperationRejected: a line is empty or too long.
        """
        task = TaskState(task_id=task_id or self._ports.ids.new(), goal=goal, todo=tuple(todo))
        await self.change([SetTask(task=task)])
        return task

    async def update_task(
        self,
        *,
        goal: str | None = None,
        done: Sequence[str] = (),
        todo: Sequence[str] = (),
        ruled_out: Sequence[str] = (),
        confirmed: Sequence[str] = (),
        artifacts: Sequence[str] = (),
        remove: Sequence[str] = (),
    ) -> TaskState:
        """Change the task at hand: add lines to its lists, or ``remove`` lines from whichever list they stand in.

        Raises:
            InputError: no task is set, or a line to remove stands in no list. OperationRejected: nothing changes.
        """
        task = (await self.state()).task
        if task is None:
            raise InputError(f"Session {self.id!r} has no task.", remedy="Set one first.")
        operations: list[Operation] = []
        if remove:
            operations.append(SetTask(task=task.without(remove)))
        if goal is not None or any((done, todo, ruled_out, confirmed, artifacts)):
            operations.append(
                UpdateTask(
                    task_id=task.task_id,
                    goal=goal,
                    add_done=tuple(done),
                    add_todo=tuple(todo),
                    add_ruled_out=tuple(ruled_out),
                    add_confirmed=tuple(confirmed),
                    add_artifacts=tuple(artifacts),
                )
            )
        await self.change(operations)
        changed = (await self.state()).task
        return task if changed is None else changed

    async def leave_task(self) -> None:
        """Leave the task at hand. Raises OperationRejected when there is none."""
        await self.change([SetTask(task=None)])

    async def ready(self) -> None:
        """Ready the language rules, so that the first turns need not; up to a second of work, done beside in a thread.

        Worth a call as soon as a session is open: the user reads and types meanwhile. Nothing is recorded.
        """
        for step in readying(self._ports.languages.get(self.persona.language), self.persona):
            await asyncio.to_thread(step)

    async def warm(self) -> None:
        """Have the model read the part of the prompt that will not change, and ready the language rules.

        Worth a call where the model runs on this machine: the first reply then has as little to read as the later
        ones. Nothing is recorded.

        Raises:
            ModelError: the model did not answer.
        """
        await self.ready()
        async with self._settled():
            turn = await self._next(".")
        prefix = compose_prompt(turn, self._ports).messages[: 1 + len(turn.state.messages)]
        request = ModelRequest(role="responder", messages=prefix, purpose="warm", max_tokens=1, temperature=0.0)
        try:
            await self._ports.model.complete(request)
        except EmptyReply:
            return

    async def close(self) -> None:
        """Finish outstanding bookkeeping."""
        if self._turnstile.bookkeeping is not None:
            await asyncio.wait({self._turnstile.bookkeeping})

    # --- inside ---------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[None]:
        """Hold the session for one turn, on a state that is up to date and complete.

        Waits no longer than ``turn_timeout_s`` for other callers and for the bookkeeping of the last turn.
        """
        turnstile = self._turnstile
        if turnstile.running and self.settings.when_busy == "refuse":
            raise SessionBusy(f"Session {self.id!r} is in the middle of a turn.", session_id=self.id)
        try:
            async with asyncio.timeout(self.settings.turn_timeout_s):
                await turnstile.lock.acquire()
        except TimeoutError as error:
            raise self._late("another turn of this session is still running") from error
        try:
            try:
                async with asyncio.timeout(self.settings.turn_timeout_s):
                    await self._catch_up()
            except TimeoutError as error:
                raise self._late("the bookkeeping of the last turn is still going on") from error
            turnstile.running = True
            yield
        finally:
            turnstile.running = False
            turnstile.lock.release()

    def _late(self, why: str) -> TurnTimeout:
        return TurnTimeout(
            f"No reply after {self.settings.turn_timeout_s:g} s: {why}; the session is unchanged.", session_id=self.id
        )

    @asynccontextmanager
    async def _settled(self) -> AsyncIterator[None]:
        async with self._turnstile.lock:
            await self._catch_up()
            yield

    async def _catch_up(self) -> None:
        """Wait for bookkeeping, reload when another process wrote, and resume what a crash left undone.

        Raises:
            ConflictError: other processes kept changing the session.
        """
        task = self._turnstile.bookkeeping
        if task is not None:
            await asyncio.wait({task})  # a cancelled waiter leaves the task alone, and the next one waits again
            self._turnstile.bookkeeping = None
        for _ in range(CATCH_UP_ROUNDS):
            if await self._store.version(self.id) != self._version:
                await self._load()
            if self._head is None or self._head.phase == "done":
                return
            await self._resume(self._head)
        raise ConflictError(f"Session {self.id!r} keeps being changed elsewhere.", session_id=self.id)

    async def _load(self) -> None:
        info = await self._store.info(self.id)
        head = await self._store.record(self.id, info.head) if info.head else None
        self._state = await self._state_at(info.head)
        self._info, self._head, self._version = info, head, info.version

    async def _state_at(self, turn_id: str | None) -> DialogueState:
        if turn_id is None:
            return initial_state(self._info)
        found = await self._store.snapshot(self.id, turn_id)
        after, state = found if found is not None else (None, initial_state(self._info))
        return rebuild(state, await self._store.branch(self.id, turn_id, after=after))

    async def _path(self) -> tuple[TurnPlace, ...]:
        """The places of the current branch, root first."""
        return await self._store.path(self.id, self._head.id if self._head else None)

    async def _last_of(self, number: int) -> str | None:
        """The id of the last record of turn ``number``, changes after it included; None for the beginning."""
        found = [place.id for place in await self._path() if place.number == number]
        if not found and number != 0:
            raise TurnNotFound(f"Session {self.id!r} has no turn {number}; it has {self._state.turn_count}.")
        return found[-1] if found else None

    async def _move(self, turn_id: str | None) -> None:
        self._version = await self._store.move_head(self.id, turn_id, expected_version=self._version)
        await self._load()
        await self._catch_up()

    async def _next(self, text: str) -> Turn:
        return self._new_turn(text, self._state, self._head.id if self._head else None, "say")

    async def _again(self, number: int | None = None, *, text: str | None = None) -> Turn:
        """A turn that is a sibling of turn ``number``, with its text or another one. A change made by hand after that
        turn belongs to its branch and is not taken along.
        """
        spoken = [place for place in await self._path() if not place.change]
        found = [place for place in spoken if number is None or place.number == number]
        if not found:
            what = "no turn yet" if number is None else f"no turn {number}"
            raise TurnNotFound(f"Session {self.id!r} has {what}.", remedy="Say something first.")
        place = found[-1]
        before = await self._state_at(place.parent)
        if text is not None:
            return self._new_turn(text, before, place.parent, "edit")
        old = await self._store.record(self.id, place.id)
        return self._new_turn(old.user_text, before, place.parent, "retry")

    def _new_turn(
        self, text: str, state: DialogueState, parent: str | None, origin: Literal["say", "retry", "edit"]
    ) -> Turn:
        turn_id = self._ports.ids.new()
        seed = self.settings.seed
        if seed is None:
            seed = int.from_bytes(hashlib.sha256(f"{self.id}/{turn_id}".encode()).digest()[:4]) >> 1
        elif origin == "retry":
            seed += int.from_bytes(hashlib.sha256(turn_id.encode()).digest()[:2])
        return Turn(
            id=turn_id,
            parent=parent,
            number=state.turn_count + 1,
            persona=self.persona,
            state=state,
            settings=self.settings,
            text=text,
            now=self._ports.clock.now(),
            origin=origin,
            seed=seed,
            deadline=self._ports.clock.monotonic() + self.settings.turn_timeout_s,
        )

    def _ended(self, turn: Turn) -> Reply | None:
        limit = self.settings.max_turns
        if not limit or turn.number <= limit:
            return None
        pack = self._ports.languages.get(self.persona.language)
        return Reply(text=pack.lines.session_ended.format(name=self.persona.name, turns=limit), ended=True)

    async def _run(self, turn: Turn, ports: Ports | None = None) -> Reply:
        """Walk a turn until its reply is durable; leave the rest to the background if allowed."""
        if (ended := self._ended(turn)) is not None:
            return ended
        ports = replace(ports or self._ports, journal=_SessionJournal(self))
        try:
            async with asyncio.timeout(self.settings.turn_timeout_s):
                turn = await run_turn(turn, ports, self._machine, until=Phase.record)
        except TimeoutError as error:
            raise TurnTimeout(
                f"Turn {turn.number} had no reply after {self.settings.turn_timeout_s:g} s; the session is unchanged.",
                session_id=self.id,
            ) from error
        try:
            turn = await run_turn(turn, ports, self._machine, until=self._machine.following(Phase.record))
        except BaseException:
            self._version = -1  # the write may have been completed behind a cancelled caller: read again
            raise
        reply = Reply(
            text=turn.reply,
            turn_id=turn.id,
            number=turn.number,
            revised=turn.chosen != 0,
            calls=turn.calls,
        )
        if ports.streaming and not turn.shown:
            await ports.emit(Token(turn.reply))
        elif ports.streaming and turn.shown.strip() != turn.reply:
            await ports.emit(Revised(turn.reply, reason=", ".join(f.kind for f in turn.candidates[0].findings)))
        self._turnstile.bookkeeping = asyncio.create_task(self._finish(turn, ports))
        if not self.settings.background:
            await asyncio.wait({self._turnstile.bookkeeping})
        return reply

    async def _finish(self, turn: Turn, ports: Ports) -> None:
        """Bookkeeping after the reply. A failure leaves the turn recorded; it is resumed when next used."""
        try:
            await run_turn(turn, replace(ports, streaming=False), self._machine, survive=True)
        except ConflictError:
            self._version = -1  # another process completed or changed the session; read it again
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the session with it
            self._version = -1
            log.warning("bookkeeping_failed", session=self.id, turn=turn.number, error=str(error))

    async def _resume(self, record: TurnRecord) -> None:
        """Complete a turn whose reply was durable but whose bookkeeping was not."""
        log.info("bookkeeping_resumed", session=self.id, turn=record.number)
        turn = Turn(
            id=record.id,
            parent=record.parent,
            number=record.number,
            persona=self.persona,
            state=self._state,
            settings=self.settings,
            text=record.user_text,
            now=record.started_at or self._ports.clock.now(),
            origin=record.origin,
            language=record.language or self.persona.language,
            seed=record.seed,
            resolved=record.resolved or record.user_text,
            context=record.context,
            notices=record.notices,
            candidates=record.candidates,
            chosen=record.chosen,
            replied_at=record.replied_at,
            operations=record.operations,
            rejected=record.rejected,
            calls=record.calls,
            events=record.events,
            timings=record.timings,
            phase=self._machine.following(Phase.record),
        ).note("resumed", "bookkeeping was cut short and has been completed")
        ports = replace(self._ports, journal=_SessionJournal(self))
        try:
            await run_turn(turn, ports, self._machine, survive=True)
        except ConflictError:
            self._version = -1  # another process was quicker: read again

    async def _stream(self, make: Callable[[], Awaitable[Turn]]) -> AsyncGenerator[StreamEvent, None]:
        queue: asyncio.Queue[StreamEvent | None] = asyncio.Queue()

        async def emit(event: object) -> None:
            await queue.put(event)  # type: ignore[arg-type]  # steps emit stream events only

        async def work() -> None:
            try:
                async with self._turn():
                    turn = await make()
                    reply = await self._run(turn, replace(self._ports, emit=emit, streaming=True))
                if reply.ended:
                    await queue.put(Token(reply.text))
                await queue.put(Done(reply))
            except HarnessError as error:
                await queue.put(Failed(error))
            finally:
                await queue.put(None)

        task = asyncio.create_task(work())
        try:
            while (event := await queue.get()) is not None:
                yield event
            await task
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


class _SessionJournal:
    """Writes the running turn of a session, and keeps the session's cache in step with what was written."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def record(self, record: TurnRecord, state: DialogueState) -> None:
        session = self._session
        store, seen = session._store, session._version  # noqa: SLF001 - the session's own other half
        try:
            version = await store.append(session.id, record, expected_version=seen)
        except ConflictError as error:
            session._version = -1  # noqa: SLF001
            await _keep_aside(store, session.id, record)
            raise ConflictError(
                f"Session {session.id!r} was changed elsewhere during this turn; the turn was kept as a side branch.",
                remedy=f"Go to it with `harness show {session.id} --timeline` and goto {record.id}, or repeat it.",
                session_id=session.id,
                turn_id=record.id,
            ) from error
        session._version, session._head, session._state = version, record, state  # noqa: SLF001

    async def earlier(self, last_turn: int) -> Sequence[Message]:
        """Kept from turn to turn; read again when the branch has changed."""
        session = self._session
        head = session._head  # noqa: SLF001
        known, messages = session._earlier  # noqa: SLF001
        if head is None:
            return ()
        if known != head.id:
            after = known if known is not None and known == head.parent else None
            store = session._store  # noqa: SLF001
            records = (head,) if after else await store.branch(session.id, head.id)
            fresh = [message for record in records for message in messages_of(record)]
            messages = [*messages, *fresh] if after else fresh
            session._earlier = (head.id, messages)  # noqa: SLF001
        return [message for message in messages if message.turn <= last_turn]

    async def complete(self, record: TurnRecord, state: DialogueState) -> None:
        session = self._session
        store = session._store  # noqa: SLF001
        session._version = await store.amend(session.id, record, expected_version=session._version)  # noqa: SLF001
        session._head, session._state = record, state  # noqa: SLF001
        if record.number % session.settings.snapshot_every == 0:
            await store.save_snapshot(session.id, record.id, state)


def messages_of(record: TurnRecord) -> list[Message]:
    """What was said in a turn."""
    return [done.operation.message for done in record.operations if isinstance(done.operation, AddMessage)]


async def _keep_aside(store: SessionStore, session_id: str, record: TurnRecord) -> None:
    """Add a record as a side branch, however often others write meanwhile."""
    for _ in range(CATCH_UP_ROUNDS):
        try:
            seen = await store.version(session_id)
            await store.append(session_id, record, expected_version=seen, move_head=False)
        except ConflictError:
            continue
        else:
            return
    raise ConflictError(f"Session {session_id!r} keeps being changed elsewhere; the turn could not be kept.")


def reference(persona: Persona) -> PersonaRef:
    """The reference a session keeps of its persona."""
    return PersonaRef(id=persona.id or persona.name, name=persona.name, digest=persona.digest())

"""Session: one conversation of one character with one user."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from harness.errors import ArtifactNotFound, InputError, TurnNotFound
from harness.language import LanguagePacks
from harness.memory import Shared, SharedGraph, remembering
from harness.ports import Artifacts, Ports, SessionStore
from harness.session.branch import Branch
from harness.session.folding import initial_state
from harness.session.mirror import Mirror, Mirroring
from harness.session.observing import Given
from harness.session.replies import Reply, TimelineEntry
from harness.session.runner import Runner
from harness.session.tasks import taking_up, updating
from harness.session.turns import given_with
from harness.session.turnstile import Turnstile
from harness.session.warming import read_prefix, ready_rules
from harness.settings import EngineSettings
from harness.state import (
    Applied,
    DialogueState,
    Operation,
    Persona,
    SessionInfo,
    TaskState,
    ToolResult,
    TurnRecord,
    apply,
)
from harness.state.operations import ObserveTool, SetTask
from harness.turn.events import StreamEvent
from harness.turn.machine import MACHINE, TurnMachine
from harness.turn.withholding import operations_without_secrets

Change = Sequence[Operation] | Callable[[DialogueState], Sequence[Operation]]
"""Operations, or what makes them of the state they will meet."""


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
        memory: Shared | None = None,
        graph: SharedGraph | None = None,
        artifacts: Artifacts | None = None,
        short_term: Mirroring | None = None,
    ) -> None:
        """Bind a stored session to its store and ports; nothing is read yet. ``memory``: what is remembered across sessions;
        ``graph``: the entities beside it; ``artifacts``: where long tool results are kept; ``short_term``: where its newest messages are
        copied to.
        """
        self.id = info.id
        self.settings = settings
        self._branch = Branch(info, store, snapshot_every=settings.snapshot_every)
        self._turnstile = turnstile or Turnstile()
        self._mirror = Mirror(short_term, self._branch) if short_term is not None else None
        self._runner = Runner(
            self._branch,
            ports=ports,
            settings=settings,
            machine=machine,
            turnstile=self._turnstile,
            memory=remembering(memory, self._branch, graph) if memory is not None else None,
            artifacts=artifacts,
            mirror=self._mirror,
        )

    @property
    def persona(self) -> Persona:
        """The character, as it was when the session was created."""
        return self._branch.info.persona

    @property
    def languages(self) -> LanguagePacks:
        """The language packs at hand, a project's own included."""
        return self._runner.ports.languages

    # --- talking --------------------------------------------------------------------------------------------------

    async def say(self, text: str, *, tool_results: Sequence[Given] = ()) -> Reply:
        """Say something and wait for the character's answer.

        Args:
            tool_results: what tools gave that you ran for this message; part of the turn. See :meth:`observe`.

        Raises:
            InputError: the text cannot become a turn, or a tool result is none. ModelError: the model did not answer. TurnTimeout, SessionBusy,
            BudgetError, StoreError. In all these cases the session is as it was before.
        """
        async with self._runner.turn():
            return await self._runner.run(await self._runner.next(text, tool_results))

    async def stream(self, text: str, *, tool_results: Sequence[Given] = ()) -> AsyncGenerator[StreamEvent, None]:
        """Say something and receive the answer piece by piece.

        Yields :class:`Token` events, at most one :class:`Revised` that replaces them, and last :class:`Done` or
        :class:`Failed`. Closing the iterator early cancels a turn whose reply is not durable yet; the session is then as it
        was before. A reply that was held back for its check comes as one token, when it is durable.
        """
        async with aclosing(self._runner.stream(lambda: self._runner.next(text, tool_results))) as events:
            async for event in events:
                yield event

    async def retry(self) -> Reply:
        """Have the last turn answered again. The old answer stays in the tree, as a sibling."""
        async with self._runner.turn():
            return await self._runner.run(await self._runner.again())

    async def stream_retry(self) -> AsyncGenerator[StreamEvent, None]:
        """Like :meth:`retry`, piece by piece."""
        async with aclosing(self._runner.stream(self._runner.again)) as events:
            async for event in events:
                yield event

    async def edit(self, text: str, *, number: int | None = None, tool_results: Sequence[Given] = ()) -> Reply:
        """Say something else instead of what was said in turn ``number`` (the last one by default), and go on from
        there. What followed stays in the tree. Tool results of the old message are not taken along.
        """
        async with self._runner.turn():
            return await self._runner.run(await self._runner.again(number, text=text, tools=tool_results))

    async def stream_edit(self, text: str, *, number: int | None = None) -> AsyncGenerator[StreamEvent, None]:
        """Like :meth:`edit`, piece by piece."""
        async with aclosing(self._runner.stream(lambda: self._runner.again(number, text=text))) as events:
            async for event in events:
                yield event

    # --- looking --------------------------------------------------------------------------------------------------

    async def state(self, number: int | None = None) -> DialogueState:
        """The state now, bookkeeping included, or after turn ``number`` of the current branch (0: the beginning).

        Raises:
            TurnNotFound: the branch has no such turn.
        """
        async with self._runner.settled():
            return self._branch.state if number is None else await self._branch.state_after(number)

    async def report(self, number: int | None = None) -> TurnRecord:
        """The record of the last turn, or of turn ``number`` of the current branch. Changes by hand are not turns.

        Raises:
            TurnNotFound: there is no such turn.
        """
        async with self._runner.settled():
            head = self._branch.head
            if number is None and head is not None and head.origin != "change":
                return head
            place = await self._branch.spoken(number)
            return await self._branch.store.record(self.id, place.id)

    async def branch(self) -> tuple[TurnRecord, ...]:
        """The records of the current branch, oldest first."""
        async with self._runner.settled():
            return await self._branch.records()

    async def timeline(self) -> tuple[TimelineEntry, ...]:
        """Every turn of the tree, oldest first."""
        async with self._runner.settled():
            head = self._branch.head_id
            current = {record.id for record in await self._branch.records()}
            return tuple(
                TimelineEntry(record, record.id in current, record.id == head)
                for record in await self._branch.store.records(self.id)
            )

    async def settled(self) -> None:
        """Wait until the bookkeeping of the last turn is complete.

        Raises:
            HarnessError: what made it fail; it is tried again when the session is next used.
        """
        async with self._runner.settled():
            pass

    # --- moving in the tree ---------------------------------------------------------------------------------------

    async def undo(self, steps: int = 1) -> DialogueState:
        """Go back some steps: turns, and changes by hand. They stay in the tree; :meth:`goto` returns to them.

        Raises:
            TurnNotFound: there are not that many.
        """
        async with self._runner.turn():
            path = await self._branch.path()
            if not 1 <= steps <= len(path):
                raise TurnNotFound(f"Cannot undo {steps} steps; session {self.id!r} has {len(path)}.")
            return await self._move(path[-steps].parent)

    async def goto(self, turn_id: str) -> DialogueState:
        """Make any turn of the tree the current one.

        Raises:
            TurnNotFound: no turn of this id.
        """
        async with self._runner.turn():
            await self._branch.store.record(self.id, turn_id)
            return await self._move(turn_id)

    async def _move(self, turn_id: str | None) -> DialogueState:
        await self._branch.move(turn_id)
        await self._runner.catch_up()
        return self._branch.state

    async def fork(self, new_id: str = "", *, number: int | None = None) -> str:
        """Copy the branch up to turn ``number`` (all of it by default) into a new session; gives its id.

        Raises:
            SessionExists: the id is taken. TurnNotFound: no such turn.
        """
        async with self._runner.settled():
            records = await self._branch.records()
            if number is not None:
                if not 0 <= number <= self._branch.state.turn_count:
                    raise self._branch.no_turn(number)
                records = tuple(record for record in records if record.number <= number)
            new_id = new_id or self._runner.ports.ids.new()
            now = self._runner.ports.clock.now()
            info = self._branch.info.model_copy(
                update={"id": new_id, "head": None, "version": 0, "turns": 0, "created_at": now, "updated_at": now}
            )
            store = self._branch.store
            await store.create(info)
            version = 0
            try:
                for record in records:
                    version = await store.append(new_id, record, expected_version=version)
                if self._runner.artifacts is not None and (refs := _refs(records)):
                    await self._runner.artifacts.copy(self.id, new_id, refs)
            except BaseException:
                await asyncio.shield(self._undone(new_id))
                raise
            if self._mirror is not None:
                await self._mirror.copy(info, records)
            return new_id

    async def _undone(self, new_id: str) -> None:
        """Half a fork is none."""
        if self._runner.artifacts is not None:
            await self._runner.artifacts.delete(new_id)
        await self._branch.store.delete(new_id)

    # --- changing by hand -----------------------------------------------------------------------------------------

    async def change(self, operations: Change) -> TurnRecord:
        """Change the state by hand (pin, edit or retract a fact, set a task): recorded like a turn, without dialogue.

        Args:
            operations: what to do; or a function that makes it of the state, which nobody else changes meanwhile.

        Raises:
            OperationRejected: one of them does not hold; then none is applied. InputError: there are none.
        """
        return (await self._changed(operations))[0]

    async def _changed(
        self, operations: Change = (), *, tools: Sequence[Given] = ()
    ) -> tuple[TurnRecord, DialogueState]:
        """The record of a change, and the state after it."""
        async with self._runner.turn():
            branch = self._branch
            state = branch.state
            observed = await self._runner.observed(tools, state)
            for operation in observed:
                state = apply(state, operation)
            wanted = operations(state) if callable(operations) else operations
            if not observed and not wanted:
                raise InputError("There is nothing to change.", remedy="Give at least one operation.")
            wanted = operations_without_secrets(wanted, state, self._runner.ports.redactor, language=state.language)
            for operation in wanted:
                state = apply(state, operation)
            made = (*observed, *wanted)
            record = TurnRecord(
                id=self._runner.ports.ids.new(),
                parent=branch.head_id,
                number=branch.state.turn_count,
                origin="change",
                operations=tuple(Applied(phase="change", operation=operation) for operation in made),
                started_at=self._runner.ports.clock.now(),
            )
            before = branch.state
            await branch.append(record, state)
            record = await self._runner.remember_change(record, before)
            await self._runner.catch_up()
            return record, state

    # --- tools ----------------------------------------------------------------------------------------------------

    async def observe(self, results: Sequence[Given]) -> tuple[ToolResult, ...]:
        """Take in what tools gave that you ran; the model sees it from the next message on. Recorded like a change.

        Args:
            results: each a :class:`~harness.state.ToolResult`, or a mapping with ``name``, ``arguments``, ``text`` and ``error``.
                A text of more than ``harness.tool_result_tokens`` is put away; the conversation keeps its digest.

        Returns:
            The results as they are kept.

        Raises:
            InputError: one of them is no result; then none is taken. StoreError: one could not be put away.
        """
        _, state = await self._changed(tools=results)
        return state.tools[-len(results) :]

    async def tool_results(self) -> tuple[ToolResult, ...]:
        """Everything that tools gave on the current branch, oldest first."""
        state, found = initial_state(self._branch.info), []
        for record in await self.branch():
            for done in record.operations:
                state = apply(state, done.operation)
                if isinstance(done.operation, ObserveTool):
                    found.append(state.tools[-1])
        return tuple(found)

    async def artifact(self, ref: str) -> str:
        """The whole text of a long tool result.

        Args:
            ref: its reference (:attr:`ToolResult.ref`), or the id of the result.

        Raises:
            ArtifactNotFound: the session has none of this reference. CorruptStore: it is not what was stored.
        """
        known = [one for one in await self.tool_results() if ref and ref in (one.id, one.ref)]
        if known and not known[-1].ref:
            return known[-1].text
        if self._runner.artifacts is None:
            raise ArtifactNotFound(f"Session {self.id!r} keeps no artifacts.", session_id=self.id, ref=ref)
        return await self._runner.artifacts.get(self.id, known[-1].ref if known else ref)

    async def sweep_artifacts(self) -> int:
        """Remove long texts that no turn of any branch refers to (a turn that failed leaves them); gives how many there were.
        What was written within the last hour stays.
        """
        if self._runner.artifacts is None:
            return 0
        async with self._runner.settled():
            kept = _refs(await self._branch.store.records(self.id))
            return await self._runner.artifacts.sweep(self.id, kept)

    async def set_task(self, goal: str, *, task_id: str = "", todo: Sequence[str] = ()) -> TaskState:
        """Take up a task. What stood in the old one is gone with it; undo brings it back.

        Args:
            goal: what is to be done; the model always sees it.
            task_id: how the task is called; made up when empty.
            todo: steps to do.

        Raises:
            InputError: the goal is blank. OperationRejected: a line is empty or too long.
        """
        _, state = await self._changed(taking_up(task_id or self._runner.ports.ids.new(), goal, todo))
        return _task(state)

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
            InputError: no task is set, nothing is to change, the goal is blank, or a line to remove stands in no list.
            OperationRejected: a line is empty or too long, or all is so already. Then nothing changes.
        """
        _, state = await self._changed(
            lambda state: updating(
                state,
                self.id,
                goal=goal,
                done=done,
                todo=todo,
                ruled_out=ruled_out,
                confirmed=confirmed,
                artifacts=artifacts,
                remove=remove,
            )
        )
        return _task(state)

    async def leave_task(self) -> None:
        """Leave the task at hand. Raises OperationRejected when there is none."""
        await self.change([SetTask(task=None)])

    async def ready(self) -> None:
        """Ready the language rules and memory (its vectors, the model of an embedder on this machine), so that the first turns need not:
        a second of work, with many memories or an embedder some more, done beside in threads.

        Worth a call as soon as a session is open: the user reads and types meanwhile. Nothing is recorded.
        """
        await ready_rules(self._runner.ports, self.persona)
        await self._runner.ready_memory()

    async def warm(self) -> None:
        """Have the model read the part of the prompt that will not change, and ready the language rules and memory.

        Worth a call where the model runs on this machine: the first reply then has as little to read as the later
        ones. Nothing is recorded.

        Raises:
            ModelError: the model did not answer.
        """
        await ready_rules(self._runner.ports, self.persona)
        async with self._runner.settled():
            turn = await self._runner.next(".")
        await read_prefix(self._runner.ports, turn)
        await self._runner.ready_memory()

    async def close(self) -> None:
        """Finish outstanding bookkeeping."""
        await self._turnstile.wait()


def _refs(records: Sequence[TurnRecord]) -> frozenset[str]:
    """What the tool results of some turns refer to."""
    return frozenset(result.ref for record in records for result in given_with(record) if result.ref)


def _task(state: DialogueState) -> TaskState:
    if state.task is None:
        raise AssertionError("the operation that was just applied sets a task")
    return state.task

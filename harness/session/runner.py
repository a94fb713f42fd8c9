"""Runner: walks the turns of one session, one at a time, and finishes what was left unfinished."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

import structlog

from harness.context.counting import learn_from
from harness.errors import ConflictError, HarnessError, SessionBusy, SessionNotFound, TurnTimeout
from harness.language.redaction import redactor
from harness.memory import SessionMemory
from harness.ports import Artifacts, Ports
from harness.session.branch import CATCH_UP_ROUNDS, Branch
from harness.session.mirror import Mirror
from harness.session.observing import Given, Storable, taken_in
from harness.session.replies import Reply
from harness.session.turns import given_again, new_turn, recorded_turn
from harness.session.turnstile import Turnstile
from harness.settings import EngineSettings
from harness.state import DialogueState, Operation, TurnRecord
from harness.state.operations import ObserveTool
from harness.turn.events import Done, Failed, Revised, StreamEvent, Token
from harness.turn.machine import Phase, TurnMachine, run_turn
from harness.turn.turn import Turn
from harness.turn.withholding import without_secrets

log = structlog.get_logger("harness.session")


LONGEST = 100_000
"""Characters of a text that is looked through for secrets, whatever the longest message may be."""


class Runner:
    """Runs turns on a branch.

    Attributes:
        artifacts: where long tool results are kept; None: nowhere.
        ports: what steps receive; its journal is the branch.
    """

    def __init__(
        self,
        branch: Branch,
        *,
        ports: Ports,
        settings: EngineSettings,
        machine: TurnMachine,
        turnstile: Turnstile,
        memory: SessionMemory | None = None,
        artifacts: Artifacts | None = None,
        mirror: Mirror | None = None,
    ) -> None:
        self._memory = memory
        self.artifacts = artifacts
        self._mirror = mirror
        self.ports = replace(
            ports,
            journal=branch,
            memory=memory or ports.memory,
            redactor=ports.redactor or redactor(ports.languages),
        )
        self._branch = branch
        self._settings = settings
        self._machine = machine
        self._turnstile = turnstile
        self._counted = False

    # --- one caller at a time ---------------------------------------------------------------------------------------

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Hold the session for one turn or change, on a state that is up to date and complete.

        Waits no longer than ``turn_timeout_s`` for other callers and for the bookkeeping of the last turn.
        """
        turnstile = self._turnstile
        if turnstile.running and self._settings.when_busy == "refuse":
            raise SessionBusy(f"Session {self._branch.id!r} is in the middle of a turn.", session_id=self._branch.id)
        try:
            async with asyncio.timeout(self._settings.turn_timeout_s):
                await turnstile.lock.acquire()
        except TimeoutError as error:
            raise self._late("another turn of this session is still running") from error
        try:
            try:
                async with asyncio.timeout(self._settings.turn_timeout_s):
                    await self.catch_up()
            except TimeoutError as error:
                raise self._late("the bookkeeping of the last turn is still going on") from error
            turnstile.running = True
            yield
        finally:
            turnstile.running = False
            turnstile.lock.release()

    def _late(self, why: str) -> TurnTimeout:
        return TurnTimeout(
            f"No reply after {self._settings.turn_timeout_s:g} s: {why}; the session is unchanged.",
            session_id=self._branch.id,
        )

    @asynccontextmanager
    async def settled(self) -> AsyncIterator[None]:
        """Hold the session to look at it, on a state that is up to date and complete."""
        async with self._turnstile.lock:
            await self.catch_up()
            yield

    async def catch_up(self) -> None:
        """Wait for bookkeeping, reload when another process wrote, and resume what a crash left undone.

        Raises:
            ConflictError: other processes kept changing the session.
        """
        await self._turnstile.wait()
        self._turnstile.bookkeeping = None
        for _ in range(CATCH_UP_ROUNDS):
            await self._branch.refresh()
            head = self._branch.head
            if head is None or head.phase == "done":
                await self._remember_from(head)
                return
            await self._resume(head)
        raise ConflictError(f"Session {self._branch.id!r} keeps being changed elsewhere.", session_id=self._branch.id)

    async def ready_memory(self) -> None:
        """Have at hand what the first question to memory would wait for."""
        if self._memory is not None:
            await self._memory.ready()

    async def _remember_from(self, head: TurnRecord | None) -> None:
        """Have memory go along to where the session stands; without a store that answers it does so another time."""
        if self._mirror is not None:
            await self._mirror.follow()
        if self._memory is None:
            return
        try:
            await self._memory.follow(head.id if head is not None else None)
        except HarnessError as error:
            log.warning("memory_failed", session=self._branch.id, error=error.message)

    async def remember_change(self, record: TurnRecord, before: DialogueState) -> TurnRecord:
        """Write what a change by hand leaves in memory, and note it in its record, which is stored already. Gives the record."""
        if self._memory is None:
            return record
        branch = self._branch
        try:
            written = await self._memory.keep(record, before=before, after=branch.state)
        except HarnessError as error:  # memory goes along when the session is next used
            log.warning("memory_failed", session=branch.id, error=error.message)
            return record
        if not written:
            return record
        noted = record.model_copy(update={"memory": written})
        try:
            await branch.complete(noted, branch.state)
        except ConflictError:
            branch.forget()  # another process went on from here; the change stands
            return record
        return noted

    # --- turns to run -----------------------------------------------------------------------------------------------

    async def next(self, text: str, tools: Sequence[Given] = ()) -> Turn:
        """The turn that goes on from here."""
        if not self._counted:  # another process may have learned how many tokens its endpoint counts
            self._counted = True
            learn_from(self.ports.tokens, self._branch.head.calls if self._branch.head is not None else ())
        state = self._branch.state
        return self._new(text, state, self._branch.head_id, "say", await self.observed(tools, state))

    async def observed(self, given: Sequence[Given], state: DialogueState) -> tuple[Operation, ...]:
        """What puts results of tools into the state: without secrets, the long ones put away; the notes of new references come
        first. Raises InputError, StoreError.
        """
        if not given:
            return ()
        clean = Storable(state, self.ports.redactor, self.ports.languages)
        results = await taken_in(
            given,
            session_id=self._branch.id,
            turn=state.turn_count + 1,
            now=self.ports.clock.now(),
            longest=self._settings.tool_result_tokens,
            artifacts=self.artifacts,
            clean=clean,
        )
        return (*clean.notes, *(ObserveTool(result=result) for result in results))

    async def again(self, number: int | None = None, *, text: str | None = None, tools: Sequence[Given] = ()) -> Turn:
        """A turn that is a sibling of turn ``number``, with its text and tool results or others. A change made by hand after
        that turn belongs to its branch and is not taken along.
        """
        branch = self._branch
        place = await branch.spoken(number)
        before = await branch.state_at(place.parent)
        if text is not None:
            return self._new(text, before, place.parent, "edit", await self.observed(tools, before))
        old = await branch.store.record(branch.id, place.id)
        return self._new(old.user_text, before, place.parent, "retry", given_again(old))

    def _new(
        self,
        text: str,
        state: DialogueState,
        parent: str | None,
        origin: Literal["say", "retry", "edit"],
        given: Sequence[Operation] = (),
    ) -> Turn:
        turn = new_turn(
            self.ports.ids.new(),
            text,
            session_id=self._branch.id,
            persona=self._branch.info.persona,
            state=state,
            parent=parent,
            origin=origin,
            settings=self._settings,
            now=self.ports.clock.now(),
            deadline=self.ports.clock.monotonic() + self._settings.turn_timeout_s,
            given=given,
            tokens=self.ports.tokens,
        )
        # Here and not in a step: steps may be replaced, and what is longer than any message is refused by the first.
        return without_secrets(turn, self.ports) if len(text) <= max(LONGEST, self._settings.max_input_chars) else turn

    # --- running ----------------------------------------------------------------------------------------------------

    async def run(self, turn: Turn, ports: Ports | None = None) -> Reply:
        """Walk a turn until its reply is durable; leave the rest to the background if allowed."""
        if (ended := self._ended(turn)) is not None:
            return ended
        ports = ports or self.ports
        try:
            async with asyncio.timeout(self._settings.turn_timeout_s):
                turn = await run_turn(turn, ports, self._machine, until=Phase.record)
        except TimeoutError as error:
            raise TurnTimeout(
                f"Turn {turn.number} had no reply after {self._settings.turn_timeout_s:g} s; the session is unchanged.",
                session_id=self._branch.id,
            ) from error
        try:
            turn = await run_turn(turn, ports, self._machine, until=self._machine.following(Phase.record))
        except SessionNotFound:
            self._branch.forget()
            if self.artifacts is not None:  # whoever deleted the session did not see what this turn put away
                await self.artifacts.delete(self._branch.id)
            raise
        except BaseException:
            self._branch.forget()  # the write may have been completed behind a cancelled caller
            raise
        learn_from(ports.tokens, turn.calls)
        self._counted = True
        if ports.streaming:
            await _show_rest(turn, ports)
        bookkeeping = self._turnstile.busy_with(self._finish(turn, ports))
        if not self._settings.background:
            await asyncio.wait({bookkeeping})
        return Reply(text=turn.reply, turn_id=turn.id, number=turn.number, revised=turn.chosen != 0, calls=turn.calls)

    def _ended(self, turn: Turn) -> Reply | None:
        limit = self._settings.max_turns
        if not limit or turn.number <= limit:
            return None
        persona = self._branch.info.persona
        pack = self.ports.languages.get(persona.language)
        return Reply(text=pack.lines.session_ended.format(name=persona.name, turns=limit), ended=True)

    async def _finish(self, turn: Turn, ports: Ports) -> None:
        """Bookkeeping after the reply. A failure leaves the turn recorded; it is resumed when next used."""
        try:
            if self._mirror is not None:
                await self._mirror.follow()
            await run_turn(turn, replace(ports, streaming=False), self._machine, survive=True)
        except ConflictError:
            self._branch.forget()  # another process completed or changed the session
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not take the session with it
            self._branch.forget()
            log.warning("bookkeeping_failed", session=self._branch.id, turn=turn.number, error=str(error))

    async def _resume(self, record: TurnRecord) -> None:
        """Complete a turn whose reply was durable but whose bookkeeping was not."""
        log.info("bookkeeping_resumed", session=self._branch.id, turn=record.number)
        turn = recorded_turn(
            record,
            persona=self._branch.info.persona,
            state=self._branch.state,
            settings=self._settings,
            now=self.ports.clock.now(),
            phase=self._machine.following(Phase.record),
            tokens=self.ports.tokens,
        )
        try:
            await run_turn(turn, self.ports, self._machine, survive=True)
        except ConflictError:
            self._branch.forget()  # another process was quicker

    async def stream(self, make: Callable[[], Awaitable[Turn]]) -> AsyncGenerator[StreamEvent, None]:
        """Run the turn that ``make`` gives in a task of its own, and yield what comes. Closing cancels it."""
        queue: asyncio.Queue[StreamEvent | None] = asyncio.Queue()

        async def emit(event: object) -> None:
            await queue.put(event)  # type: ignore[arg-type]  # steps emit stream events only

        async def work() -> None:
            try:
                async with self.turn():
                    reply = await self.run(await make(), replace(self.ports, emit=emit, streaming=True))
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


async def _show_rest(turn: Turn, ports: Ports) -> None:
    """What a listener has not received of a durable reply: all of it when it was held back, or another wording."""
    if not turn.shown:
        await ports.emit(Token(turn.reply))
    elif turn.shown.strip() != turn.reply:
        await ports.emit(Revised(turn.reply, reason=", ".join(f.kind for f in turn.candidates[0].findings)))

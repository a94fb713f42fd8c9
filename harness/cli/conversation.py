"""The loop of ``harness chat``: read, talk, show what happened."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import aclosing, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from harness.cli.render import state_line
from harness.cli.running import handling
from harness.cli.screens import Leave, Screen
from harness.errors import HarnessError, TurnNotFound
from harness.turn.events import Done, Failed, Revised, StreamEvent, Token

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.session import Reply, Session

RESUMED_MESSAGES = 6
"""How much of a resumed conversation is shown again."""


UNCHANGED = "the conversation is as it was before"


class Conversation:
    """A session on a screen.

    Attributes:
        failed: whether any turn or command failed; decides the exit code of a piped chat.
    """

    def __init__(self, harness: Harness, session: Session, screen: Screen) -> None:
        """Nothing is shown yet."""
        self.harness = harness
        self.session = session
        self.screen = screen
        self.failed = False
        self._state_line: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Talk until the user leaves."""
        await self.welcome()
        try:
            while True:
                await self._hear(await self.screen.read())
        except Leave:
            await self._said()

    async def welcome(self) -> None:
        """Show the greeting of a new conversation, or the last exchanges of a resumed one."""
        state = await self.session.state()
        name = self.session.persona.name
        if state.turn_count:
            self.screen.status(f"Session {self.session.id!r} with {name}, resumed after turn {state.turn_count}.")
        else:
            self.screen.status(f"Session {self.session.id!r} with {name}. /help lists the commands, /quit leaves.")
        if not self.screen.interactive and state.turn_count:
            return
        for message in state.messages[-RESUMED_MESSAGES:]:
            if message.speaker == "user":
                self.screen.show(Text(f"you: {message.text}", style="dim"))
            else:
                self._reply_at_once(message.text)

    def _reply_at_once(self, text: str) -> None:
        self.screen.begin(self.session.persona.name)
        self.screen.token(text)
        self.screen.end()

    async def _hear(self, line: str) -> None:
        """Act on what was typed."""
        from harness.cli.slash import run_command

        if not line.strip():
            return
        try:
            if line.startswith("//"):
                await self.follow(self.session.stream(line[1:]))
            elif line.startswith("/"):
                await self._said()
                await run_command(self, line)
            else:
                await self.follow(self.session.stream(line))
        except HarnessError as error:
            self.fail(error)

    def fail(self, error: HarnessError) -> None:
        """Show an error and go on."""
        self.failed = True
        self.screen.error(error)

    async def follow(self, events: AsyncIterator[StreamEvent]) -> None:
        """Show a reply while it comes. Ctrl-C cancels it and stays."""
        reply: Reply | None = None
        shown, before = "", ""

        async def listen() -> None:
            nonlocal reply, shown, before
            await self._said()
            self.screen.begin(self.session.persona.name)
            before = await self._head()
            async with aclosing(cast("Any", events)) as stream:
                async for event in stream:
                    match event:
                        case Token(text=text):
                            shown += text
                            self.screen.token(text)
                        case Revised(text=text, reason=reason) if text.strip() != shown.strip():
                            self.screen.revised(text, reason)
                            shown = text
                        case Done(reply=found):
                            reply = found
                        case Failed(error=error):
                            raise error

        try:
            finished = await interruptible(listen())
            if reply is not None and reply.text.strip() != shown.strip():
                self.screen.revised(reply.text, "") if shown else self.screen.token(reply.text)
        finally:
            self.screen.end()
        if reply is not None and not reply.ended:
            self._state_line = asyncio.create_task(self._show_state_line())
            if not self.screen.interactive:
                await self._said()
        elif not finished:
            self.failed = True
            kept = await self._head() != before
            self.screen.status(
                f"Cancelled; {'the reply was kept already, /undo takes it back' if kept else UNCHANGED}."
            )

    async def _head(self) -> str:
        """The id of the last turn; empty when there is none."""
        try:
            return (await self.session.report()).id
        except TurnNotFound:
            return ""

    async def _show_state_line(self) -> None:
        """What the turn did, once its bookkeeping is complete."""
        try:
            record, state = await self.session.report(), await self.session.state()
        except HarnessError as error:
            self.fail(error)
        else:
            self.screen.status(f"  [{record.number}] {state_line(record, state)}")

    async def _said(self) -> None:
        """Wait for the state line of the turn before."""
        task, self._state_line = self._state_line, None
        if task is not None:
            await task

    async def switch(self, session_id: str) -> None:
        """Go on in another session."""
        opened = await self.harness.open(session=session_id)
        await self.session.close()
        self.session = opened


async def interruptible(work: Coroutine[Any, Any, None]) -> bool:
    """Run ``work`` so that Ctrl-C cancels it and nothing else. False when it was cancelled so."""
    task = asyncio.ensure_future(work)
    loop = asyncio.get_running_loop()
    interrupted = False

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(task.cancel)

    with handling(signal.SIGINT, interrupt):
        try:
            await task
        except asyncio.CancelledError:
            current = asyncio.current_task()
            if not interrupted or (current is not None and current.cancelling()):
                raise
            return False
    return True

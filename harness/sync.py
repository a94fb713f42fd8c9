"""The same library without ``await``: one event loop in a thread of its own, and a thin edge that waits for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from harness.app import Harness
from harness.forgetting import Forgetter, Forgotten

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from harness.ports import RecentMessage
    from harness.redacting import Redactor
    from harness.session import Change, Reply, Session, TimelineEntry
    from harness.session.observing import Given
    from harness.state import DialogueState, Persona, TaskState, ToolResult, TurnRecord
    from harness.turn import StreamEvent

T = TypeVar("T")


class SyncSession:
    """A :class:`harness.session.Session` whose methods wait. Made by :meth:`SyncHarness.open`."""

    def __init__(self, session: Session, portal: BlockingPortal) -> None:
        self._session, self._portal = session, portal
        self.id = session.id
        self.persona = session.persona

    def say(self, text: str, *, tool_results: Sequence[Given] = ()) -> Reply:
        """See :meth:`harness.session.Session.say`."""
        return self._wait(lambda: self._session.say(text, tool_results=tool_results))

    def stream(self, text: str, *, tool_results: Sequence[Given] = ()) -> Iterator[StreamEvent]:
        """See :meth:`harness.session.Session.stream`. Close the iterator to cancel."""
        return self._events(self._session.stream(text, tool_results=tool_results))

    def observe(self, results: Sequence[Given]) -> tuple[ToolResult, ...]:
        """See :meth:`harness.session.Session.observe`."""
        return self._wait(lambda: self._session.observe(results))

    def tool_results(self) -> tuple[ToolResult, ...]:
        """See :meth:`harness.session.Session.tool_results`."""
        return self._wait(self._session.tool_results)

    def artifact(self, ref: str) -> str:
        """See :meth:`harness.session.Session.artifact`."""
        return self._wait(lambda: self._session.artifact(ref))

    def stream_retry(self) -> Iterator[StreamEvent]:
        """See :meth:`harness.session.Session.stream_retry`."""
        return self._events(self._session.stream_retry())

    def stream_edit(self, text: str, *, number: int | None = None) -> Iterator[StreamEvent]:
        """See :meth:`harness.session.Session.stream_edit`."""
        return self._events(self._session.stream_edit(text, number=number))

    def branch(self) -> tuple[TurnRecord, ...]:
        """See :meth:`harness.session.Session.branch`."""
        return self._wait(self._session.branch)

    def settled(self) -> None:
        """See :meth:`harness.session.Session.settled`."""
        self._wait(self._session.settled)

    def warm(self) -> None:
        """See :meth:`harness.session.Session.warm`."""
        self._wait(self._session.warm)

    def _events(self, events: AsyncGenerator[StreamEvent, None]) -> Iterator[StreamEvent]:
        try:
            while (event := self._wait(lambda: _next(events))) is not None:
                yield event
        finally:
            self._wait(events.aclose)

    def state(self, number: int | None = None) -> DialogueState:
        """See :meth:`harness.session.Session.state`."""
        return self._wait(lambda: self._session.state(number))

    def report(self, number: int | None = None) -> TurnRecord:
        """See :meth:`harness.session.Session.report`."""
        return self._wait(lambda: self._session.report(number))

    def timeline(self) -> tuple[TimelineEntry, ...]:
        """See :meth:`harness.session.Session.timeline`."""
        return self._wait(self._session.timeline)

    def undo(self, steps: int = 1) -> DialogueState:
        """See :meth:`harness.session.Session.undo`."""
        return self._wait(lambda: self._session.undo(steps))

    def goto(self, turn_id: str) -> DialogueState:
        """See :meth:`harness.session.Session.goto`."""
        return self._wait(lambda: self._session.goto(turn_id))

    def retry(self) -> Reply:
        """See :meth:`harness.session.Session.retry`."""
        return self._wait(self._session.retry)

    def edit(self, text: str, *, number: int | None = None, tool_results: Sequence[Given] = ()) -> Reply:
        """See :meth:`harness.session.Session.edit`."""
        return self._wait(lambda: self._session.edit(text, number=number, tool_results=tool_results))

    def fork(self, new_id: str = "", *, number: int | None = None) -> str:
        """See :meth:`harness.session.Session.fork`."""
        return self._wait(lambda: self._session.fork(new_id, number=number))

    def change(self, operations: Change) -> TurnRecord:
        """See :meth:`harness.session.Session.change`."""
        return self._wait(lambda: self._session.change(operations))

    def set_task(self, goal: str, *, task_id: str = "", todo: Sequence[str] = ()) -> TaskState:
        """See :meth:`harness.session.Session.set_task`."""
        return self._wait(lambda: self._session.set_task(goal, task_id=task_id, todo=todo))

    def update_task(self, **changes: Any) -> TaskState:
        """See :meth:`harness.session.Session.update_task`."""
        return self._wait(lambda: self._session.update_task(**changes))

    def leave_task(self) -> None:
        """See :meth:`harness.session.Session.leave_task`."""
        self._wait(self._session.leave_task)

    def _wait(self, make: Callable[[], Awaitable[T]]) -> T:
        return _waited(self._portal, make)


def _waited(portal: BlockingPortal, make: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine in the loop and wait; interrupted (Ctrl-C), it is cancelled there before this returns."""
    future = portal.start_task_soon(make)
    try:
        return future.result()
    except BaseException:
        if not future.done():
            future.cancel()
            with suppress(BaseException):
                future.result()
        raise


async def _next(events: AsyncGenerator[StreamEvent, None]) -> StreamEvent | None:
    return await anext(events, None)


class SyncHarness:
    """A :class:`harness.app.Harness` whose methods wait. Made by :func:`connect`; a context manager."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Takes what :class:`harness.app.Harness` takes."""
        self._stack = ExitStack()
        self._portal = self._stack.enter_context(start_blocking_portal())
        try:
            self._harness = self._portal.call(lambda: _made(*args, **kwargs))
        except BaseException:
            self._stack.close()
            raise

    def open(
        self, persona: str | Persona = "", *, session: str = "", user: str = "", project: str = "", world: str = ""
    ) -> SyncSession:
        """See :meth:`harness.app.Harness.open`."""
        opened = _waited(
            self._portal,
            lambda: self._harness.open(persona, session=session, user=user, project=project, world=world),
        )
        return SyncSession(opened, self._portal)

    @property
    def redactor(self) -> Redactor:
        """See :class:`harness.app.Harness`."""
        return self._harness.redactor

    @property
    def forgetters(self) -> dict[str, Forgetter]:
        """See :class:`harness.app.Harness`."""
        return self._harness.forgetters

    def forget_user(self, user: str, *, persona: str = "", journal: bool = False) -> Forgotten:
        """See :meth:`harness.app.Harness.forget_user`."""
        return _waited(self._portal, lambda: self._harness.forget_user(user, persona=persona, journal=journal))

    def recent(self, session: str, *, max_tokens: int | None = None) -> tuple[RecentMessage, ...]:
        """The newest messages of a session, as other programs see them; see :meth:`harness.app.Harness.short_term`."""
        return _waited(self._portal, lambda: self._harness.short_term().recent(session, max_tokens=max_tokens))

    def close(self) -> None:
        """See :meth:`harness.app.Harness.close`."""
        try:
            self._portal.call(self._harness.close)
        finally:
            self._stack.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


async def _made(*args: Any, **kwargs: Any) -> Harness:
    return Harness(*args, **kwargs)


def connect(*args: Any, **kwargs: Any) -> SyncHarness:
    """A :class:`SyncHarness`; takes what :class:`harness.app.Harness` takes."""
    return SyncHarness(*args, **kwargs)

"""Trials in several processes of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import uuid
from collections import deque
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from harness.blindtest.executing import Finished
from harness.blindtest.pooling import Forget, Link, Pool, WorkerGone, forget_nothing
from harness.blindtest.transcript import Transcript, Trial
from harness.blindtest.worker import LENGTH, NAME, answered

_TAIL = 12
"""Lines of its standard error that tell how a worker ended."""


@dataclass(frozen=True, slots=True)
class Processes:
    """Holds trials in ``jobs`` processes, ``at_once`` in each.

    Attributes:
        staging: a pickled :class:`~harness.blindtest.executing.Staging`.
        forget: is told the name of each worker that ended.
    """

    staging: bytes
    jobs: int
    at_once: int = 1
    forget: Forget = forget_nothing

    async def run(self, trials: Iterator[Trial], finished: Finished) -> None:
        """See :class:`~harness.blindtest.executing.Executor`."""
        await Pool(self._connect, self.jobs, self.at_once).run(trials, finished)

    @asynccontextmanager
    async def _connect(self) -> AsyncGenerator[Link, None]:
        name = uuid.uuid4().hex[:12]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "harness.blindtest.worker", stdin=pipe, stdout=pipe, stderr=pipe, env=_environment(name)
        )  # fmt: skip
        link = _Worker(process)
        try:
            await link.frame(self.staging)
            yield link
            link.end()
            await process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await asyncio.shield(process.wait())
            await link.hush()
            await self.forget(name)


def _environment(name: str) -> dict[str, str]:
    """The worker finds the modules that this process finds."""
    path = os.pathsep.join(os.path.abspath(entry) for entry in sys.path)  # noqa: PTH100 - "" is the current folder
    return {**os.environ, "PYTHONPATH": path, NAME: name}


class _Worker:
    """One process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._listening = asyncio.create_task(self._listen())

    async def frame(self, payload: bytes) -> None:
        """Send one frame."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - asked for as a pipe
        try:
            stdin.write(LENGTH.pack(len(payload)) + payload)
            await stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise await self._gone() from None

    async def ready(self) -> None:
        """See :class:`~harness.blindtest.pooling.Link`."""
        answered(await self._answer())

    async def send(self, trial: Trial) -> None:
        """See :class:`~harness.blindtest.pooling.Link`."""
        await self.frame(trial.model_dump_json().encode())

    async def receive(self) -> Transcript:
        """See :class:`~harness.blindtest.pooling.Link`."""
        transcript = answered(await self._answer())
        if transcript is None:
            raise WorkerGone("an answer without a transcript")
        return transcript

    def end(self) -> None:
        """Tell it that there is nothing more."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def hush(self) -> None:
        """Hear its last words."""
        with contextlib.suppress(asyncio.CancelledError):
            await self._listening

    async def _answer(self) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - asked for as a pipe
        try:
            head = await stdout.readexactly(LENGTH.size)
            return await stdout.readexactly(LENGTH.unpack(head)[0])
        except (asyncio.IncompleteReadError, ConnectionResetError):
            raise await self._gone() from None

    async def _gone(self) -> WorkerGone:
        code = await self._process.wait()
        await self._listening
        said = " / ".join(self._tail)
        return WorkerGone(f"exit code {code}" + (f", after: {said}" if said else ""))

    async def _listen(self) -> None:
        """Pass on what it writes to standard error (its log), and keep the end of it."""
        stderr = self._process.stderr
        assert stderr is not None  # noqa: S101 - asked for as a pipe
        while chunk := await stderr.read(65536):
            text = chunk.decode("utf-8", "replace")
            sys.stderr.write(text)
            self._tail.extend(line for line in text.splitlines() if line.strip())

"""The person at another terminal: a line-by-line protocol over a loopback socket.

Messages are JSON lines. The room sends ``welcome``, ``say`` (a message and the seconds there are), ``late``, ``end``; the person sends
``join`` (with the code) and ``reply``. Only programs of this machine reach the socket, and only one that knows the code is let in.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import os
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import RunError

HOST = "127.0.0.1"
JOIN = "join.json"
LIMIT = 64 * 1024


class Gone(Exception):
    """The person has left."""


class PersonChannel:
    """Waits for a person to join, and passes messages on."""

    def __init__(self, brief: str, language: str) -> None:
        self._welcome = {"type": "welcome", "brief": brief, "language": language}
        self.code = secrets.token_hex(4)
        self.port = 0
        self._server: asyncio.Server | None = None
        self._joined: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] | None = None
        self._note: Path | None = None
        self._number = 0

    async def listen(self, note: Path | None = None) -> None:
        """Open the socket; where and with which code is written to ``note``, readable by the owner only."""
        self._joined = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._knock, HOST, 0, limit=LIMIT)
        self.port = int(self._server.sockets[0].getsockname()[1])
        if note is not None:
            self._leave(note)

    def _leave(self, note: Path) -> None:
        note.parent.mkdir(parents=True, exist_ok=True)
        note.unlink(missing_ok=True)
        descriptor = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            json.dump({"port": self.port, "code": self.code}, out)
        self._note = note

    async def joined(self, seconds: float) -> None:
        """Wait for the person. Raises RunError: nobody came."""
        assert self._joined is not None  # noqa: S101 - listen() was called
        try:
            await asyncio.wait_for(asyncio.shield(self._joined), seconds)
        except TimeoutError as late:
            raise RunError(
                f"Nobody joined within {seconds:.0f} seconds.",
                remedy="Run `harness blindtest human join` in a second terminal, or answer with --recorded.",
            ) from late

    async def _knock(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Let in the first who knows the code."""
        assert self._joined is not None  # noqa: S101 - listen() was called
        try:
            said = await asyncio.wait_for(_read(reader), 10)
        except (TimeoutError, Gone):
            writer.close()
            return
        given = str(said.get("code", ""))
        if self._joined.done() or not hmac.compare_digest(given.encode(), self.code.encode()):
            why = "somebody has joined already" if self._joined.done() else "the code is wrong"
            with contextlib.suppress(ConnectionError):
                await _send(writer, {"type": "refused", "why": why})
            writer.close()
            return
        await _send(writer, self._welcome)
        self._joined.set_result((reader, writer))
        self._forget()

    async def answer(self, text: str, seconds: float) -> str:
        """What the person says. Raises Gone."""
        assert self._joined is not None  # noqa: S101 - listen() was called
        reader, writer = self._joined.result()
        try:
            self._number += 1
            await _send(writer, {"type": "say", "number": self._number, "text": text, "seconds": seconds})
            while True:  # what comes for an earlier message came too late
                said = await _read(reader)
                if said.get("type") == "reply" and said.get("to") == self._number:
                    return str(said.get("text", ""))
        except ConnectionError as failure:
            raise Gone(str(failure)) from failure
        except asyncio.CancelledError:
            with contextlib.suppress(ConnectionError):
                writer.write(_line({"type": "late"}))
            raise

    async def close(self) -> None:
        """Say that it is over, and close the socket. Once is enough."""
        self._forget()
        if self._server is None or not self._server.is_serving():
            return
        self._server.close()
        if self._joined is not None and self._joined.done() and not self._joined.cancelled():
            _, writer = self._joined.result()
            with contextlib.suppress(ConnectionError):
                await _send(writer, {"type": "end"})
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
        elif self._joined is not None:
            self._joined.cancel()

    def _forget(self) -> None:
        """Take the note away: whoever comes later could not be let in."""
        if self._note is not None:
            self._note.unlink(missing_ok=True)
            self._note = None


Ask = Callable[[str, float], Awaitable[str | None]]
"""Shows a message and the seconds there are, and gives what the person answers; None when there is nobody any more."""


async def join(port: int, code: str, *, ask: Ask, tell: Callable[[dict[str, Any]], None]) -> None:
    """The person's side, until the room ends it.

    Args:
        ask: see :data:`Ask`; cancelled when the time for an answer is over.
        tell: is given everything else that comes: ``welcome``, ``late``, ``end``.

    Raises:
        RunError: there is no room, it refuses, or it is gone.
    """
    try:
        reader, writer = await asyncio.open_connection(HOST, port, limit=LIMIT)
    except OSError as failure:
        raise RunError(
            f"There is no human test at port {port}: {failure.strerror or failure}.",
            remedy="Begin one first: harness blindtest human.",
        ) from failure
    side = _Side(writer, ask, tell)
    try:
        await _send(writer, {"type": "join", "code": code})
        await side.listen(reader)
    except (Gone, ConnectionError) as failure:
        raise RunError("The human test is gone.", remedy="Begin another.") from failure
    finally:
        side.stop()
        writer.close()


@dataclass(slots=True)
class _Side:
    """What the person is busy with: at most one message, which the room may take back."""

    writer: asyncio.StreamWriter
    ask: Ask
    tell: Callable[[dict[str, Any]], None]
    asking: asyncio.Task[str | None] | None = None
    number: object = 0

    async def listen(self, reader: asyncio.StreamReader) -> None:
        coming = asyncio.create_task(_read(reader))
        try:
            while True:
                waits: set[asyncio.Task[Any]] = {coming} if self.asking is None else {coming, self.asking}
                done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if self.asking in done and not await self._sent():
                    return
                if coming in done:
                    if not self._came(coming.result()):
                        return
                    coming = asyncio.create_task(_read(reader))
        finally:
            coming.cancel()

    def stop(self) -> None:
        if self.asking is not None:
            self.asking.cancel()
            self.asking = None

    async def _sent(self) -> bool:
        """Pass on what the person typed; False when there is nobody any more."""
        assert self.asking is not None  # noqa: S101 - it is done
        given, self.asking = self.asking.result(), None
        if given is None:
            return False
        await _send(self.writer, {"type": "reply", "to": self.number, "text": given})
        return True

    def _came(self, message: dict[str, Any]) -> bool:
        """Do what the room says; False when it ends."""
        if message.get("type") == "refused":
            raise RunError(f"The human test lets nobody in: {message.get('why', '')}.", remedy="Give its code.")
        self.stop()
        if message.get("type") == "say":
            self.number = message["number"]
            self.asking = asyncio.create_task(_asked(self.ask, str(message["text"]), float(message["seconds"])))
            return True
        self.tell(message)
        return message.get("type") != "end"


async def _asked(ask: Ask, text: str, seconds: float) -> str | None:
    return await ask(text, seconds)


def read_note(path: Path) -> tuple[int, str]:
    """Port and code from a note. Raises RunError."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        return int(found["port"]), str(found["code"])
    except FileNotFoundError as failure:
        raise RunError(
            f"No human test is waiting in {path.parent}.",
            remedy="Begin one: harness blindtest human, with the same --out.",
        ) from failure
    except (OSError, ValueError, KeyError, TypeError) as failure:
        raise RunError(f"{path} cannot be read: {failure}.", remedy="Begin the human test again.") from failure


async def _read(reader: asyncio.StreamReader) -> dict[str, Any]:
    """The next message. Raises Gone: there is none, or it is no message."""
    try:
        line = await reader.readline()
    except (ValueError, ConnectionError) as failure:
        raise Gone(str(failure)) from failure
    if not line.endswith(b"\n"):
        raise Gone("the connection is closed")
    try:
        found = json.loads(line)
    except ValueError as failure:
        raise Gone("no message") from failure
    if not isinstance(found, dict):
        raise Gone("no message")
    return found


async def _send(writer: asyncio.StreamWriter, message: dict[str, Any]) -> None:
    writer.write(_line(message))
    await writer.drain()


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"

"""A worker of a run: opens its stage from a description, holds the trials it is given, and sends transcripts back.

``python -m harness.blindtest.worker`` speaks frames over its standard input and output: eight bytes of length, then the payload. The
first frame it gets is a pickled :class:`~harness.blindtest.executing.Staging`, each further one a trial. It ends with its input.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import signal
import struct
import sys
import threading
import traceback
from typing import Any, BinaryIO

from harness import errors
from harness.blindtest.executing import OpenStage, Staging
from harness.blindtest.transcript import Transcript, Trial
from harness.errors import HarnessError, RunError

LENGTH = struct.Struct(">Q")
NAME = "BLINDTEST_WORKER"
"""Variable with the name of a worker, by which what it takes at an endpoint is known as its own."""


class Holder:
    """A stage in a worker. Its answers are texts, so that they look alike however they travel."""

    def __init__(self, staging: bytes) -> None:
        self._staging = staging
        self._stage: OpenStage | None = None

    async def open(self) -> str:
        """Open the stage; gives an answer without a transcript."""
        try:
            staging: Staging = pickle.loads(self._staging)  # noqa: S301 - made by the process that started this one
            self._stage = await staging.open()
        except Exception as failure:  # noqa: BLE001 - whatever it is, the run is told
            return failed(failure)
        return json.dumps({})

    async def hold(self, trial: str) -> str:
        """Hold one trial."""
        if self._stage is None:
            return failed(RunError("The stage of this worker is not open."))
        try:
            done = await self._stage.hold(Trial.model_validate_json(trial))
        except Exception as failure:  # noqa: BLE001 - as above
            return failed(failure)
        return json.dumps({"transcript": done.model_dump_json()})

    async def close(self) -> None:
        """Close the stage."""
        if self._stage is not None:
            await self._stage.close()
            self._stage = None


def failed(failure: Exception) -> str:
    """The answer that tells of an error."""
    if isinstance(failure, HarnessError):
        told = {"kind": type(failure).__name__, "message": failure.message, "remedy": failure.remedy}
    else:
        last = traceback.format_exception(failure)[-1].strip()
        told = {
            "kind": "RunError",
            "message": f"A worker met an error that nothing expects: {last}",
            "remedy": "Report it, with this text.",
            "trace": "".join(traceback.format_exception(failure)),
        }
    return json.dumps({"failed": told})


def answered(text: str | bytes) -> Transcript | None:
    """What an answer holds; None for one without a transcript. Raises the HarnessError that it tells of."""
    data: dict[str, Any] = json.loads(text)
    told = data.get("failed")
    if told:
        kind = getattr(errors, told["kind"], RunError)
        details = {"trace": told["trace"]} if told.get("trace") else {}
        try:
            raise kind(told["message"], remedy=told["remedy"], **details)
        except TypeError:  # an error that wants more than words
            raise RunError(told["message"], remedy=told["remedy"]) from None
    return Transcript.model_validate_json(data["transcript"]) if "transcript" in data else None


# --- the process ----------------------------------------------------------------------------------------------------


def main() -> None:
    """Be a worker until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the run decides what becomes of us
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # whatever prints must not stand among the frames
    staging = _read(sys.stdin.buffer)
    if staging is not None:
        asyncio.run(_serve(staging, out))


async def _serve(staging: bytes, out: BinaryIO) -> None:
    loop = asyncio.get_running_loop()
    trials: asyncio.Queue[bytes | None] = asyncio.Queue()
    running: set[asyncio.Task[None]] = set()
    writing = threading.Lock()

    def listen() -> None:
        while (frame := _read(sys.stdin.buffer)) is not None:
            loop.call_soon_threadsafe(trials.put_nowait, frame)
        if running:
            os._exit(1)  # nobody is there any more who could take what is under way
        loop.call_soon_threadsafe(trials.put_nowait, None)

    def tell(answer: str) -> None:
        payload = answer.encode()
        with writing:
            _write(out, LENGTH.pack(len(payload)) + payload)

    async def held(trial: bytes) -> None:
        await asyncio.to_thread(tell, await holder.hold(trial.decode()))

    holder = Holder(staging)
    await asyncio.to_thread(tell, await holder.open())
    threading.Thread(target=listen, daemon=True).start()
    while (frame := await trials.get()) is not None:
        task = asyncio.create_task(held(frame))
        running.add(task)
        task.add_done_callback(running.discard)
    await holder.close()


def _read(source: BinaryIO) -> bytes | None:
    head = source.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    payload = source.read(LENGTH.unpack(head)[0])
    return payload if len(payload) == LENGTH.unpack(head)[0] else None


def _write(out: BinaryIO, data: bytes) -> None:
    rest = memoryview(data)
    with contextlib.suppress(BrokenPipeError):  # the end of the input says the same
        while rest:
            rest = rest[out.write(rest) or 0 :]


if __name__ == "__main__":
    main()

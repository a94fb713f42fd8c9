"""What a user waits longer for a reply than for one bare call of the OpenAI SDK, against a server with a fixed delay."""

import asyncio
import sys
import time
from pathlib import Path
from typing import Any

from harness.app import Harness
from harness.settings import load
from harness.testing.scripted_server import Answer, ScriptedServer
from harness.turn import Token
from tests.benchmarks._measuring import LINE, goal, interleaved, table, title
from tests.benchmarks._overhead import replying
from tests.benchmarks._states import SMALL_TALK, make_heavy

ADDED_MS = 5.0
PIECE_DELAY_S = 0.005
"""Between two pieces of a stream, as from a fast model."""


async def serve(delay_s: float) -> None:
    """Serve until stdin ends; run in a process of its own, so that server and client do not share a processor lock."""
    reply = replying("en")
    async with ScriptedServer(lambda _: Answer(reply(None), delay_s=delay_s, piece_delay_s=PIECE_DELAY_S)) as server:
        print(server.base_url, flush=True)
        await asyncio.to_thread(sys.stdin.read)


async def latency(folder: Path, *, turns: int, delay_s: float, state_bytes: int) -> None:
    """Interleaved: ``session.say`` and the same request by hand; then the first token of each, streamed."""
    title(f"Latency the user sees, over one bare SDK call (server delay {delay_s * 1e3:.0f} ms)")
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.benchmarks.engine", "--serve", str(delay_s),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert child.stdout is not None
    assert child.stdin is not None
    try:
        url = (await child.stdout.readline()).decode().strip()
        await _measure(url, folder, turns=turns, state_bytes=state_bytes)
    finally:
        child.stdin.close()  # the server leaves at the end of its stdin
        await child.wait()


async def _measure(url: str, folder: Path, *, turns: int, state_bytes: int) -> None:
    import openai

    overrides = {
        "provider.base_url": url, "models.responder": "test-model", "storage.path": str(folder / "latency.db"),
        "harness.analysis": "rules", "harness.summarize_with": "rules", "harness.seed": 7, "harness.max_revisions": 0,
    }  # fmt: skip
    client = openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
    async with Harness(load(start=folder, environ={}, overrides=overrides)) as harness:
        session = await harness.open("mia", session="latency")
        size = await make_heavy(session, state_bytes)
        await session.say("Hello.")
        print(f"state: {size / 1024:.1f} KiB; the bare call sends the messages of the engine's last prompt")
        sent: list[Any] = []

        async def remember() -> None:
            last = (await session.report()).calls[0].messages
            sent[:] = [{"role": role, "content": content} for role, content in last]

        await remember()
        streamed: Any = client.chat.completions.create
        options: dict[str, Any] = {
            "model": "test-model",
            "temperature": 0.7,
            "top_p": 0.9,
            "max_tokens": 220,
            "seed": 7,
        }

        async def ours(number: int) -> float:
            started = time.perf_counter()
            await session.say(SMALL_TALK["en"][number % len(SMALL_TALK["en"])])
            seconds = time.perf_counter() - started
            await remember()
            return seconds

        async def bare(_: int) -> float:
            started = time.perf_counter()
            await client.chat.completions.create(messages=sent, **options)
            return time.perf_counter() - started

        async def ours_first(number: int) -> float:
            started, seconds = time.perf_counter(), 0.0
            async for event in session.stream(SMALL_TALK["en"][number % len(SMALL_TALK["en"])]):
                if isinstance(event, Token) and not seconds:
                    seconds = time.perf_counter() - started
            await remember()
            return seconds

        async def bare_first(_: int) -> float:
            started, seconds = time.perf_counter(), 0.0
            async with await streamed(messages=sent, stream=True, **options) as stream:
                async for chunk in stream:
                    if not seconds and chunk.choices and chunk.choices[0].delta.content:
                        seconds = time.perf_counter() - started
            return seconds

        contenders = {
            "session.say": ours, "bare SDK call": bare,
            "session.stream, first token": ours_first, "bare SDK stream, first token": bare_first,
        }  # fmt: skip
        found = await interleaved(contenders, repetitions=turns)
    await client.close()
    table(("ms", *LINE), [(name, *samples.line()) for name, samples in found.items()])
    whole = found["session.say"].median - found["bare SDK call"].median
    first = found["session.stream, first token"].median - found["bare SDK stream, first token"].median
    goal("added to a whole reply, median", whole * 1e3, ADDED_MS, unit=" ms")
    goal("added to the first token, median", first * 1e3, ADDED_MS, unit=" ms")

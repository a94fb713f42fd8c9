"""Benchmarks of the engine without a real model. Prints one table for each part; takes a minute or two.

python -m tests.benchmarks.engine
python -m tests.benchmarks.engine --parts overhead latency --turns 400
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from tests.benchmarks import _langgraph
from tests.benchmarks._calls import calls
from tests.benchmarks._latency import latency, serve
from tests.benchmarks._long_talk import long_talk
from tests.benchmarks._measuring import machine
from tests.benchmarks._overhead import overhead
from tests.benchmarks._sessions import many_sessions, memory

PARTS = ("overhead", "sessions", "memory", "prompt", "calls", "latency")


async def main(given: argparse.Namespace) -> None:
    """Run the parts that were asked for."""
    print(machine())
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if "overhead" in given.parts:
            beside = not _langgraph.missing()
            await overhead(folder, turns=given.turns, state_bytes=given.state_bytes, beside=beside)
            if not beside:
                print(f"LangGraph is not installed and was left out; to have it beside: {_langgraph.INSTALL}")
        if "sessions" in given.parts:
            await many_sessions(folder, sessions=given.sessions, rounds=given.rounds)
        if "memory" in given.parts:
            await memory(folder, sessions=given.sessions)
        if "prompt" in given.parts:
            for language in given.languages:
                for spread in (1, 5):
                    await long_talk(folder, language=language, turns=given.long_turns, every=spread)
        if "calls" in given.parts:
            await calls(folder, turns=20)
        if "latency" in given.parts:
            await latency(folder, turns=given.turns // 2, delay_s=given.delay_ms / 1e3, state_bytes=given.state_bytes)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure; all by default")
    made.add_argument(
        "--turns", type=int, default=200, help="turns for each contender of overhead; half of it for latency"
    )
    made.add_argument("--state-bytes", type=int, default=24 * 1024, help="size of the state as JSON")
    made.add_argument("--sessions", type=int, default=1000)
    made.add_argument("--rounds", type=int, default=3, help="turns of each of the many sessions")
    made.add_argument("--long-turns", type=int, default=500, help="length of the long conversation")
    made.add_argument("--languages", nargs="+", choices=("en", "zh"), default=("en", "zh"))
    made.add_argument(
        "--delay-ms", type=float, default=30.0, help="delay of the server that latency is measured against"
    )
    made.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    return made


if __name__ == "__main__":
    arguments = parser().parse_args()
    asyncio.run(main(arguments) if arguments.serve is None else serve(arguments.serve))

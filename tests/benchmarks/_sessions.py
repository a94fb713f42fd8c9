"""Many sessions at once: throughput, that nothing mixes, and what an idle session keeps in memory."""

import asyncio
import gc
import re
import time
import tracemalloc
from pathlib import Path

from harness.persona import find_persona
from harness.ports import ModelRequest
from harness.session import Session
from tests.benchmarks._measuring import title
from tests.benchmarks._overhead import quick_harness

CODE = re.compile(r"\b(\d{4})\b")
MESSAGES = (
    "Hello, my name is Guest{code} and my locker number is {code}.",
    "I will be back with locker {code} in a minute.",
    "Do you still see locker {code} from where you are?",
)


def _answer(request: ModelRequest) -> str:
    """Names the locker of the message it answers."""
    found = CODE.search(next(m.content for m in reversed(request.messages) if m.role == "user"))
    return f"Locker {found[1] if found else '????'} it is."


async def many_sessions(folder: Path, *, sessions: int, rounds: int) -> None:
    """Every session says its next message at once with all others, round after round."""
    title(f"{sessions} sessions interleaved (instant model, all rules, SQLite)")
    async with quick_harness(folder / "many.db", script=_answer) as harness:
        persona = find_persona("mia", harness.persona_paths, packs=harness.languages)
        opened = [await harness.open(persona, session=f"s{number}") for number in range(sessions)]
        started = time.perf_counter()
        for turn in range(rounds):
            text = MESSAGES[turn % len(MESSAGES)]
            await asyncio.gather(
                *(session.say(text.format(code=_code(number))) for number, session in enumerate(opened))
            )
        await asyncio.gather(*(session.close() for session in opened))
        seconds = time.perf_counter() - started
        turns = sessions * rounds
        print(f"{turns} turns in {seconds:.1f} s: {turns / seconds:.0f} turns/s, {seconds / turns * 1e3:.2f} ms each")
        mixed = 0
        for number, session in enumerate(opened):
            mixed += not await _is_whole(session, _code(number), rounds)
        print(
            f"{'MISSED' if mixed else 'met   '}  sessions with a foreign word, a lost or a double turn: {mixed} (goal 0)"
        )


def _code(number: int) -> str:
    return str(1000 + number)


async def _is_whole(session: Session, code: str, rounds: int) -> bool:
    """Whether state and journal of a session hold its own code only, and every turn once."""
    state, records = await session.state(), await session.branch()
    said = " ".join((*(m.text for m in state.messages), *(f"{f.value} {f.quote}" for f in state.facts)))
    said += state.summary.text if state.summary else ""
    asked = [set(CODE.findall(record.user_text + record.reply)) for record in records]
    return (
        set(CODE.findall(said)) == {code}
        and asked == [{code}] * rounds
        and [record.number for record in records] == list(range(1, rounds + 1))
        and all(record.phase == "done" for record in records)
    )


async def memory(folder: Path, *, sessions: int) -> None:
    """What open sessions keep after a turn each, when nothing runs."""
    title(f"Memory of {sessions} open, idle sessions (one turn each)")
    async with quick_harness(folder / "memory.db", script=_answer, max_revisions=0) as harness:
        persona = find_persona("mia", harness.persona_paths, packs=harness.languages)
        for number in range(20):  # caches and compiled patterns are nobody's session
            await _one_turn(await harness.open(persona, session=f"warm{number}"), number)
        harness_model = await harness.model()
        gc.collect()
        tracemalloc.start()
        opened: list[Session] = []
        for number in range(sessions):
            session = await harness.open(persona, session=f"s{number}")
            await _one_turn(session, number)
            harness_model.requests.clear()  # type: ignore[attr-defined]  # the scripted model remembers what it was asked
            opened.append(session)
        gc.collect()
        traced, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{traced / len(opened) / 1024:.1f} KiB of Python objects per session (tracemalloc)")


async def _one_turn(session: Session, number: int) -> None:
    await session.say(MESSAGES[0].format(code=_code(number)))
    await session.close()

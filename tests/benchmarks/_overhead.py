"""What the engine costs per turn when the model costs nothing, beside LangGraph doing the same kinds of steps."""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from itertools import cycle
from pathlib import Path
from typing import Any

from harness.app import Harness
from harness.ports import Ports
from harness.session import Session
from harness.settings import load
from harness.state import Candidate, DialogueState
from harness.state.operations import Summarize
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, Turn, TurnMachine
from tests.benchmarks import _langgraph
from tests.benchmarks._measuring import LINE, Samples, goal, interleaved, table, timed, title
from tests.benchmarks._states import REPLIES, SMALL_TALK, make_heavy, size_of

OVERHEAD_MS = 1.5
IDLE = "harness, steps that do nothing"
FULL = "harness, all rules"
TIMES_FASTER = 15.0
Turns = Callable[[int], Awaitable[float]]


async def _nothing(turn: Turn, _: Ports) -> Turn:
    return turn


async def _answer(turn: Turn, _: Ports) -> Turn:
    return turn.with_(candidates=(Candidate(text="Fine."),))


async def _shorten(turn: Turn, _: Ports) -> Turn:
    first = turn.state.summary.first_turn if turn.state.summary else turn.state.messages[0].turn
    last = turn.number - turn.settings.short_term_window // 2
    return turn.propose([Summarize(text="Earlier talk.", first_turn=first, last_turn=last)])


def idle_machine() -> TurnMachine:
    """The machine with steps that do nothing; receiving, recording and persisting are the real ones."""
    machine = MACHINE
    for phase in ("consistency_check", "compose", "extract_facts", "update_topic"):
        machine = machine.replacing(phase, _nothing)
    return machine.replacing("respond", _answer).replacing("summarize", _shorten)


def quick_harness(
    path: Path,
    *,
    machine: TurnMachine = MACHINE,
    script: Any = None,
    settings: Mapping[str, Any] | None = None,
    **engine: Any,
) -> Harness:
    """A harness on an instant model in the process, sessions in the SQLite file ``path``. ``settings``: more of them, by
    dotted name.
    """
    chosen = {"analysis": "rules", "summarize_with": "rules", "seed": 7, **engine}
    overrides = {f"harness.{key}": value for key, value in chosen.items()}
    given = load(start=path.parent, environ={}, overrides={**overrides, "storage.path": str(path), **(settings or {})})
    return Harness(given, model=ScriptedModel(script or "Fine."), machine=machine)


def replying(language: str) -> Callable[[object], str]:
    """A script that gives ordinary replies in turn."""
    replies = cycle(REPLIES[language])
    return lambda _: next(replies)


class Talk:
    """One session that goes on and on; a turn is timed from the call until its bookkeeping is stored."""

    def __init__(self, session: Session, language: str) -> None:
        self.session, self.language = session, language
        self.visible = Samples()
        self.phases: dict[str, Samples] = defaultdict(Samples)

    async def turn(self, number: int) -> float:
        """Seconds of one turn."""
        started = time.perf_counter()
        await self.session.say(SMALL_TALK[self.language][number % len(SMALL_TALK[self.language])])
        self.visible.add(time.perf_counter() - started)
        await self.session.close()  # waits for the bookkeeping; the session stays open
        seconds = time.perf_counter() - started
        for timing in (await self.session.report()).timings:
            self.phases[timing.phase].add(timing.seconds)
        return seconds


def graph_turns(graph: Any, state: DialogueState, form: _langgraph.Form, durability: str) -> Turns:
    """Turns of a graph on the synchronous saver."""
    config = {"configurable": {"thread_id": durability}}
    begun = False

    async def turn(number: int) -> float:
        nonlocal begun
        given = {"text": SMALL_TALK["en"][number % len(SMALL_TALK["en"])]}
        given |= {} if begun else _langgraph.seed(state, form)
        begun = True
        started = time.perf_counter()
        graph.invoke(given, config, durability=durability)
        return time.perf_counter() - started

    return turn


def async_graph_turns(graph: Any, state: DialogueState, form: _langgraph.Form) -> Turns:
    """Turns of a graph on the asynchronous saver, with LangGraph's defaults (``durability="async"``)."""
    config = {"configurable": {"thread_id": "async"}}
    begun = False

    async def turn(number: int) -> float:
        nonlocal begun
        given = {"text": SMALL_TALK["en"][number % len(SMALL_TALK["en"])]}
        given |= {} if begun else _langgraph.seed(state, form)
        begun = True
        return await timed(graph.ainvoke(given, config))

    return turn


class Beside:
    """The LangGraph contenders and what has to be closed after them."""

    def __init__(self) -> None:
        self.turns: dict[str, Turns] = {}
        self._connections: list[Any] = []
        self._async_connections: list[Any] = []

    async def open(self, folder: Path, state: DialogueState) -> None:
        """Both forms of the state, on both savers."""
        forms: tuple[_langgraph.Form, ...] = ("values", "object")
        for form in forms:
            graph, connection = _langgraph.connect(folder / f"graph-{form}.db", form)
            self._connections.append(connection)
            for durability in ("sync", "exit"):
                name = f"LangGraph, state as {form}, sync saver, durability={durability}"
                self.turns[name] = graph_turns(graph, state, form, durability)
            graph, connection = await _langgraph.connect_async(folder / f"async-{form}.db", form)
            self._async_connections.append(connection)
            self.turns[f"LangGraph, state as {form}, async saver, defaults"] = async_graph_turns(graph, state, form)

    async def close(self) -> None:
        """Close the databases."""
        for connection in self._connections:
            connection.close()
        for connection in self._async_connections:
            await connection.close()


async def overhead(folder: Path, *, turns: int, state_bytes: int, beside: bool) -> None:
    """Measure and print."""
    title("Engine overhead per turn (instant model, SQLite in WAL mode)")
    idle = quick_harness(folder / "idle.db", machine=idle_machine())
    full = {language: quick_harness(folder / f"{language}.db", script=replying(language)) for language in ("en", "zh")}
    bare = Talk(await idle.open("mia", session="bench"), "en")
    talks = {language: Talk(await full[language].open({"en": "mia", "zh": "lin"}[language], session="bench"), language) for language in full}  # fmt: skip
    for talk in (bare, *talks.values()):
        size = await make_heavy(talk.session, state_bytes)
    print(
        f"state: {size / 1024:.1f} KiB as JSON; {turns} turns each, interleaved; a turn ends when its bookkeeping is stored"
    )
    contenders: dict[str, Turns] = {IDLE: bare.turn}
    contenders |= {f"{FULL} ({language})": talk.turn for language, talk in talks.items()}
    others = Beside()
    if beside:
        await others.open(folder, await bare.session.state())
    found = await interleaved(contenders | others.turns, repetitions=turns)
    await others.close()
    table(("per turn, ms", *LINE), [(name, *samples.line()) for name, samples in found.items()])
    print("\nuntil the reply (the rest is behind it): " + ", ".join(f"{name} {talk.visible.median * 1e3:.2f} ms" for name, talk in (("nothing", bare), *talks.items())))  # fmt: skip
    print(f"state after: {await size_of(bare.session) / 1024:.1f} KiB")
    _phases({"nothing": bare, **{f"rules {language}": talk for language, talk in talks.items()}})
    _verdict(found)
    for harness in (idle, *full.values()):
        await harness.close()


def _phases(talks: Mapping[str, Talk]) -> None:
    print()
    phases = list(dict.fromkeys(phase for talk in talks.values() for phase in talk.phases))
    rows = []
    for phase in phases:
        cells = [f"{talk.phases[phase].median * 1e3:.3f}" if phase in talk.phases else "" for talk in talks.values()]
        rows.append((phase, *cells))
    table(("phase, ms (median)", *talks), rows)


def _verdict(found: Mapping[str, Samples]) -> None:
    print()
    ours = found[IDLE]
    goal("engine overhead, median", ours.median * 1e3, OVERHEAD_MS, unit=" ms")
    for name, theirs in found.items():
        if not name.startswith("LangGraph"):
            continue
        ratio, cpu = theirs.median / ours.median, theirs.cpu_median / ours.cpu_median
        if "exit" not in name:
            goal(f"{name}: times the engine", ratio, TIMES_FASTER, at_most=False)
        else:  # writes once, when all is over: the reply is not durable when the user has it
            print(f"       {name}: times the engine: {ratio:.1f} (one write a turn; the engine makes two)")
        full = ", ".join(f"{theirs.median / samples.median:.1f} × {other}" for other, samples in found.items() if other.startswith(FULL))  # fmt: skip
        print(f"       by CPU time {cpu:.1f}; its empty nodes take {full}")

"""The same turn as a LangGraph graph with its SQLite checkpointer: nodes named as the phases that do nothing.

Two forms of the same state, since it matters to LangGraph's serializer: ``values``, plain JSON values in one channel per
part, which it is fastest with, and ``object``, the engine's own frozen state in one channel. Only what a turn changes
(messages, count, reply) is returned by nodes. The database is set up as the engine's is: WAL, ``synchronous = NORMAL``.
"""

import importlib
import importlib.util
import logging
import sqlite3
from pathlib import Path
from typing import Any, Literal, TypedDict

from harness.state import DialogueState, Message

Form = Literal["values", "object"]
INSTALL = "pip install langgraph langgraph-checkpoint-sqlite"
KEPT_MESSAGES = 24


def missing() -> bool:
    """Whether LangGraph or its SQLite checkpointer is not installed."""
    try:
        return not all(map(importlib.util.find_spec, ("langgraph.graph", "langgraph.checkpoint.sqlite")))
    except ModuleNotFoundError:
        return True


class Values(TypedDict, total=False):
    """The parts of a dialogue state as plain values."""

    text: str
    reply: str
    turn_count: int
    phase: str
    persona: dict[str, Any]
    facts: list[Any]
    topics: dict[str, Any]
    entities: list[Any]
    commitments: list[Any]
    messages: list[Any]
    emotion: dict[str, Any]
    user_emotion: dict[str, Any]


class Whole(TypedDict, total=False):
    """The dialogue state as it is."""

    text: str
    reply: str
    state: DialogueState


def seed(state: DialogueState, form: Form) -> dict[str, Any]:
    """What a thread begins with."""
    if form == "object":
        return {"state": state}
    values = state.model_dump(mode="json")
    return {name: value for name, value in values.items() if name in Values.__annotations__}


def _idle(_: Any) -> dict[str, Any]:
    return {}


def _respond(_: Any) -> dict[str, Any]:
    return {"reply": "Fine."}


def _record_values(state: Values) -> dict[str, Any]:
    turn = state["turn_count"] + 1
    said = {"speaker": "user", "text": state["text"], "turn": turn}
    answered = {"speaker": "character", "text": state["reply"], "turn": turn}
    return {"turn_count": turn, "phase": "record", "messages": [*state["messages"], said, answered][-KEPT_MESSAGES:]}


def _record_object(held: Whole) -> dict[str, Any]:
    state = held["state"]
    turn = state.turn_count + 1
    said = Message(speaker="user", text=held["text"], turn=turn)
    answered = Message(speaker="character", text=held["reply"], turn=turn)
    messages = (*state.messages, said, answered)[-KEPT_MESSAGES:]
    return {"state": state.model_copy(update={"turn_count": turn, "phase": "record", "messages": messages})}


def _persist_values(_: Values) -> dict[str, Any]:
    return {"phase": "done"}


def _persist_object(held: Whole) -> dict[str, Any]:
    return {"state": held["state"].model_copy(update={"phase": "done"})}


def build(form: Form) -> Any:
    """The uncompiled graph, with the same two decisions as the engine's table."""
    graphs = importlib.import_module("langgraph.graph")
    graph = graphs.StateGraph(Values if form == "values" else Whole)
    nodes: dict[str, Any] = dict.fromkeys(("receive", "consistency_check", "compose", "revise", "extract_facts", "update_topic", "summarize"), _idle)  # fmt: skip
    nodes["respond"] = _respond
    nodes["record"] = _record_values if form == "values" else _record_object
    nodes["persist"] = _persist_values if form == "values" else _persist_object
    for name, node in nodes.items():
        graph.add_node(name, node)
    for source, target in (
        (graphs.START, "receive"), ("receive", "consistency_check"), ("consistency_check", "compose"),
        ("compose", "respond"), ("revise", "record"), ("record", "extract_facts"), ("extract_facts", "update_topic"),
        ("summarize", "persist"), ("persist", graphs.END),
    ):  # fmt: skip
        graph.add_edge(source, target)
    graph.add_conditional_edges("respond", _after_reply, ["record", "revise"])
    graph.add_conditional_edges("update_topic", _after_topic, ["summarize", "persist"])
    return graph


def _after_reply(state: Any) -> str:
    return "record" if state["reply"] else "revise"


def _after_topic(state: Any) -> str:
    messages = state["state"].messages if "state" in state else state["messages"]
    return "summarize" if len(messages) > KEPT_MESSAGES else "persist"


def _serializer() -> Any:
    logging.getLogger("langgraph").setLevel(logging.ERROR)  # it warns of every type that is not its own
    module = importlib.import_module("langgraph.checkpoint.serde.jsonplus")
    return module.JsonPlusSerializer(allowed_msgpack_modules=True)


def connect(path: Path, form: Form) -> tuple[Any, sqlite3.Connection]:
    """A compiled graph on the synchronous saver, which is the faster one, and the connection to close."""
    saving = importlib.import_module("langgraph.checkpoint.sqlite")
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    return build(form).compile(checkpointer=saving.SqliteSaver(connection, serde=_serializer())), connection


async def connect_async(path: Path, form: Form) -> tuple[Any, Any]:
    """A compiled graph on the asynchronous saver, and the connection to close."""
    sqlite = importlib.import_module("aiosqlite")
    saving = importlib.import_module("langgraph.checkpoint.sqlite.aio")
    connection = await sqlite.connect(path)
    await connection.execute("PRAGMA journal_mode=WAL")
    await connection.execute("PRAGMA synchronous=NORMAL")
    return build(form).compile(checkpointer=saving.AsyncSqliteSaver(connection, serde=_serializer())), connection

"""The diagnosis of one session."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.diagnosing import faults, storage
from harness.diagnosing.report import TITLES, Diagnosis, Fault, joined
from harness.diagnosing.talk import Talk, read
from harness.errors import HarnessError
from harness.memory.informing import KNOWN
from harness.memory.scopes import asked_scope

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.ports import MemoryStore
    from harness.state.memory import MemoryItem


async def diagnose(harness: Harness, session_id: str) -> Diagnosis:
    """Read a session's journal, and what memory has of it, and name the layer at fault for each thing that went wrong.

    Looked for are: a tool called again though its result was there, a refuted claim made again, the task before in the prompt, what
    belongs to another project, a goal that is missing, two values of one fact, and what was lost since. Nothing is changed,
    and no model is asked.

    Args:
        harness: opens the stores that its settings name.
        session_id: a stored session; its current branch is read.

    Returns:
        The faults, those of the same cause joined, in the order of :data:`harness.diagnosing.report.TITLES`.

    Raises:
        SessionNotFound: no such session. StoreError: the journal cannot be read.
    """
    store = harness.store()
    info = await store.info(session_id)
    talk = read(info, await store.branch(session_id, info.head))
    packs = harness.languages
    unread: tuple[str, ...] = ()
    found: list[Fault] = [
        *storage.lost_messages(talk),
        *await storage.stale_snapshot(talk, store),
    ]
    memory = harness.memory_store()
    if memory is not None:
        try:
            talk = replace(talk, memory=await _named(talk, memory))
            found += [*storage.other_projects(talk, asked_scope(info)), *await storage.lost_memory(talk, memory)]
        except HarnessError as error:
            unread = (f"memory: {error.message}",)
    found += [
        *faults.repeated_tool_calls(talk),
        *faults.refuted_claims(talk, packs),
        *faults.previous_tasks(talk),
        *faults.forgotten_goals(talk),
        *faults.two_values(talk, packs),
    ]
    order = list(TITLES)
    ordered = sorted(joined(found), key=lambda fault: (order.index(fault.kind), fault.turns))
    return Diagnosis(session_id, len(talk.turns), tuple(ordered), unread)


async def _named(talk: Talk, memory: MemoryStore) -> dict[str, MemoryItem]:
    """The remembered items that stood in a prompt."""
    ids = {item.id for seen in talk.turns for _, item in seen.items("memory")}
    ids |= {
        item.id.removeprefix(KNOWN)
        for seen in talk.turns
        for _, item in seen.items("facts")
        if item.id.startswith(KNOWN)
    }
    return {item.id: item for item in await memory.get(sorted(ids))} if ids else {}

"""What becomes of a task that is left: its lines, and what was said while it was at hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.language import LanguagePack
from harness.memory.policy import MemoryPolicy
from harness.state import DialogueState, TaskState
from harness.state.memory import MemoryItem, MemoryLayer

GOAL, CONFIRMED, RULED_OUT, ARTIFACT, DONE, TODO = 0.6, 0.8, 0.75, 0.5, 0.4, 0.2
"""Importance of the lines of a task: what was found out outlives it, what was left undone does not."""


def task_left(before: DialogueState, after: DialogueState) -> TaskState | None:
    """The task that was at hand before a turn and is not after it; None while it goes on."""
    old, new = before.task, after.task
    return old if old is not None and (new is None or new.task_id != old.task_id) else None


def task_lines(task: TaskState, pack: LanguagePack) -> Iterator[tuple[str, str, float]]:
    """(what, text, importance) of every line of a task, each understood by itself."""
    words = pack.keeping
    if task.goal:
        yield "goal", words.task_goal.format(goal=task.goal), GOAL
    for what, lines, form, importance in (
        ("confirmed", task.confirmed_facts, words.task_confirmed, CONFIRMED),
        ("ruled out", task.ruled_out, words.task_ruled_out, RULED_OUT),
        ("artifact", task.artifacts, words.task_artifacts, ARTIFACT),
        ("done", task.done, words.task_done, DONE),
        ("todo", task.todo, words.task_todo, TODO),
    ):
        for line in lines:
            yield what, form.format(goal=task.goal or task.task_id, line=line), importance


def fate(importance: float, policy: MemoryPolicy) -> tuple[MemoryLayer | None, str]:
    """The layer in which something outlives its task and why; None: it goes with it."""
    if importance > policy.archive_above:
        return "L3", f"archived with its task: importance {importance:.2f} is above {policy.archive_above:g}"
    if importance < policy.drop_below:
        return None, f"dropped with its task: importance {importance:.2f} is below {policy.drop_below:g}"
    return "L2", "kept until it expires: its task was left"


def of_task(items: Sequence[MemoryItem], task_id: str) -> tuple[MemoryItem, ...]:
    """Those items that were said while a task was at hand, and are not known for long anyway."""
    return tuple(item for item in items if item.task == task_id and item.layer == "L2" and not item.pinned)

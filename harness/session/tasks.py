"""Changing the task by hand: the operations that a request stands for, on the state it meets."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import InputError
from harness.state import DialogueState, Operation, TaskState
from harness.state.operations import SetTask, UpdateTask

_REMEDY = "Take one up first: Session.set_task, `harness task set` or /task set."


def taking_up(task_id: str, goal: str, todo: Sequence[str]) -> list[Operation]:
    """A new task in place of the one at hand. Raises InputError: the goal is blank."""
    return [SetTask(task=TaskState(task_id=task_id, goal=_goal(goal), todo=tuple(todo)))]


def updating(
    state: DialogueState,
    session_id: str,
    *,
    goal: str | None = None,
    done: Sequence[str] = (),
    todo: Sequence[str] = (),
    ruled_out: Sequence[str] = (),
    confirmed: Sequence[str] = (),
    artifacts: Sequence[str] = (),
    remove: Sequence[str] = (),
) -> list[Operation]:
    """Lines out of the task at hand, then others into it; at least one operation.

    Raises:
        InputError: there is no task, nothing is to change, the goal is blank, or a line to remove stands in no list.
    """
    task = state.task
    if task is None:
        raise InputError(f"Session {session_id!r} has no task.", remedy=_REMEDY)
    operations: list[Operation] = []
    if remove:
        operations.append(SetTask(task=task.without(remove)))
    if goal is not None or any((done, todo, ruled_out, confirmed, artifacts)):
        operations.append(
            UpdateTask(
                task_id=task.task_id,
                goal=None if goal is None else _goal(goal),
                add_done=tuple(done),
                add_todo=tuple(todo),
                add_ruled_out=tuple(ruled_out),
                add_confirmed=tuple(confirmed),
                add_artifacts=tuple(artifacts),
            )
        )
    if not operations:
        raise InputError(
            "Nothing of the task is to change.",
            remedy="Give a goal, lines for one of its lists, or lines to remove.",
        )
    return operations


def _goal(goal: str) -> str:
    if not goal.strip():
        raise InputError(f"A task needs a goal, not {goal!r}.", remedy="Say in a few words what is to be done.")
    return goal

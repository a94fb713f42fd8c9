"""Task state: what is so now, for the task at hand."""

from __future__ import annotations

from harness.state.base import Frozen


class TaskState(Frozen):
    """The task at hand; replaced whole when ``task_id`` changes.

    Attributes:
        goal: what the user wants done; never truncated in a prompt.
        confirmed_facts: what was established for this task.
        done: steps finished. ``todo``: steps left.
        ruled_out: what was tried and refuted, never to be proposed again.
        artifacts: names or references of things produced.
    """

    task_id: str
    goal: str = ""
    confirmed_facts: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()

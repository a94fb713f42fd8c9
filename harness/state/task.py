"""Task state: what is so now, for the task at hand."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import InputError
from harness.state.base import Frozen

LISTS = ("confirmed_facts", "done", "todo", "ruled_out", "artifacts")
"""The lists of a task state, by field name."""


class TaskState(Frozen):
    """The task at hand; replaced whole when ``task_id`` changes.

    Attributes:
        goal: what the user wants done; never truncated in a prompt.
        confirmed_facts: what was established for this task.
        done: steps finished. ``todo``: steps left.
        ruled_out: what was tried and refuted, never to be proposed again.
        artifacts: names or references of things produced.
        since: number of the turn that was the first with this task, where the user describes it: it is the last to leave
            the history. 0 when that is not known.
    """

    task_id: str
    goal: str = ""
    confirmed_facts: tuple[str, ...] = ()
    done: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    since: int = 0

    def without(self, lines: Sequence[str]) -> TaskState:
        """The task without some lines, whichever list they stand in.

        Raises:
            InputError: a line stands in none.
        """
        known = {line for name in LISTS for line in getattr(self, name)}
        for line in lines:
            if line not in known:
                raise InputError(f"The task has no line {line!r}.", remedy="Write it as the task shows it.")
        kept = {name: tuple(line for line in getattr(self, name) if line not in lines) for name in LISTS}
        return self.model_copy(update=kept)

"""A stored session as a diagnosis reads it: each turn with the state it met and the prompt that the model saw."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.session import initial_state, rebuild
from harness.state import DialogueState, SessionInfo, ToolResult, TurnRecord, apply
from harness.state.memory import MemoryItem
from harness.state.operations import ObserveTool, SetTask, UpdateTask
from harness.state.record import Retrieved

SHORTEST = 4
"""Characters of a line that is looked for in a prompt; shorter ones stand there by chance."""


def plain(text: str) -> str:
    """A text on one line, as the prompts print it."""
    return " ".join(text.split())


@dataclass(frozen=True, slots=True)
class Seen:
    """One spoken turn.

    Attributes:
        before: the state that the prompt was made from: that of the turn before, with the tool results of this one.
        after: the state after it.
        prompt: (role, text) of the messages that the reply was made from; empty when no model was asked.
        place: of the record among those of the branch.
    """

    record: TurnRecord
    before: DialogueState
    after: DialogueState
    prompt: tuple[tuple[str, str], ...]
    place: int

    @property
    def number(self) -> int:
        """Number of the turn."""
        return self.record.number

    @property
    def text(self) -> str:
        """The whole prompt on one line."""
        return plain("\n".join(text for _, text in self.prompt))

    @property
    def notes(self) -> str:
        """The prompt without the messages of the conversation: what the layers put in."""
        said = {message.text for message in self.before.messages}
        rest = plain("\n".join(text for _, text in self.prompt[1:] if text not in said))
        first = plain(self.prompt[0][1]) if self.prompt else ""
        return f"{first} {rest}".replace(plain(self.record.user_text), "")

    def has(self, line: str) -> bool:
        """Whether the prompt holds a line."""
        return plain(line) in self.text

    def items(self, *blocks: str) -> Iterator[tuple[str, Retrieved]]:
        """(layer, item) of what the report says stood in the prompt, of some blocks."""
        for layer in self.record.context.layers:
            if layer.block in blocks:
                yield from ((layer.layer, item) for item in layer.items if not item.dropped)


@dataclass(frozen=True, slots=True)
class Talk:
    """A session.

    Attributes:
        turns: those that were spoken on the current branch.
        results: every tool result of the branch with its place among the records, oldest first.
        memory: the remembered items that the reports name, by id; without those that are gone.
    """

    info: SessionInfo
    branch: tuple[TurnRecord, ...]
    turns: tuple[Seen, ...]
    results: tuple[tuple[int, ToolResult], ...]
    memory: Mapping[str, MemoryItem] = field(default_factory=dict)

    @property
    def state(self) -> DialogueState:
        """The state as it stands, folded from the journal."""
        return self.state_after(len(self.branch) - 1)

    def state_after(self, place: int) -> DialogueState:
        """The state after the record at a place, folded from the journal."""
        return rebuild(initial_state(self.info), self.branch[: place + 1])

    def task_lines(self, place: int) -> dict[str, set[str]]:
        """Lines of the tasks that were taken up before a record, by task id."""
        found: dict[str, set[str]] = {}
        current = ""
        for record in self.branch[:place]:
            for done in record.operations:
                operation = done.operation
                if isinstance(operation, SetTask):
                    current = operation.task.task_id if operation.task is not None else ""
                    if operation.task is not None:
                        task = operation.task
                        lines = (
                            task.goal,
                            *task.confirmed_facts,
                            *task.done,
                            *task.todo,
                            *task.ruled_out,
                            *task.artifacts,
                        )
                        found.setdefault(current, set()).update(lines)
                elif isinstance(operation, UpdateTask):
                    added = (*operation.add_confirmed, *operation.add_done, *operation.add_todo)
                    added = (*added, *operation.add_ruled_out, *operation.add_artifacts)
                    found.setdefault(operation.task_id, set()).update((*added, operation.goal or ""))
        return {task: {line for line in lines if len(line) >= SHORTEST} for task, lines in found.items()}


def read(info: SessionInfo, branch: Sequence[TurnRecord]) -> Talk:
    """Fold a branch, keeping what each turn met."""
    state = initial_state(info)
    turns: list[Seen] = []
    results: list[tuple[int, ToolResult]] = []
    for place, record in enumerate(branch):
        met = state
        for done in record.operations:
            state = apply(state, done.operation)
            if isinstance(done.operation, ObserveTool):
                results.append((place, state.tools[-1]))
                met = state if record.origin != "change" else met
        if record.origin != "change":
            turns.append(Seen(record, met, state, _prompt(record), place))
    return Talk(info, tuple(branch), tuple(turns), tuple(results))


def _prompt(record: TurnRecord) -> tuple[tuple[str, str], ...]:
    """The messages of the call that made the first reply: the last one tried, where the endpoint refused a longer prompt."""
    answering = [call for call in record.calls if call.purpose == "respond" and call.messages]
    if not answering:
        answering = [call for call in record.calls if call.role == "responder" and call.messages][:1]
    return answering[-1].messages if answering else ()

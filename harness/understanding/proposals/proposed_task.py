"""Changes to the task at hand that a model proposes: believed as far as the turn's words carry them."""

from __future__ import annotations

from harness.state.facts import USER
from harness.state.operations import UpdateTask
from harness.understanding.proposals.answers import MAX_QUOTE, TaskProposal
from harness.understanding.proposals.evidence import Evidence, Refused, grounded
from harness.understanding.proposals.grounding import asks

_LISTS = {
    "done": "add_done",
    "todo": "add_todo",
    "ruled_out": "add_ruled_out",
    "confirmed": "add_confirmed",
    "artifact": "add_artifacts",
}
_FOR_THE_USER = ("ruled_out", "confirmed")
"""What only the user decides; a character may report what it did, and what is left."""


def task_operation(proposal: TaskProposal, evidence: Evidence) -> UpdateTask:
    """The operation a proposed change comes to. Raises Refused."""
    task = evidence.state.task
    if task is None:
        raise Refused("no task is set")
    name = _LISTS.get(proposal.action)
    if name is None:
        raise Refused(f"{proposal.action!r} is no change of a task")
    speaker = evidence.speaker(proposal.quote, USER)
    if proposal.action in _FOR_THE_USER and speaker != USER:
        raise Refused(f"the {speaker} does not decide what is {proposal.action.replace('_', ' ')}")
    if asks(proposal.quote, evidence.words_of(speaker)):
        raise Refused(f"{proposal.quote!r} is a question")
    if proposal.action == "done" and proposal.text.strip() in task.todo:
        line = proposal.text.strip()  # a step in the words it was listed in, whatever words report it
    else:
        line = grounded(proposal.text or proposal.quote, proposal.quote, "text")
    return UpdateTask.model_validate({"task_id": task.task_id, name: (line,), "evidence": proposal.quote[:MAX_QUOTE]})


__all__ = ["task_operation"]

"""Turn: everything one turn knows, frozen; a step takes one and returns a changed copy."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

from harness.context.tokens import ESTIMATE
from harness.errors import OperationRejected
from harness.memory.informing import informed
from harness.ports import ChatMessage, Ports, Recalled, TokenCounter, visible
from harness.settings import EngineSettings
from harness.state import (
    Applied,
    Candidate,
    ContextReport,
    DialogueState,
    Event,
    Message,
    ModelCall,
    Notice,
    Operation,
    Persona,
    Rejected,
    Timing,
    TurnRecord,
    apply,
)
from harness.state.memory import MemoryWrite
from harness.understanding.references.resolve import Resolution


@dataclass(frozen=True)
class Turn:
    """One turn on its way through the machine.

    Attributes:
        id, parent, number, origin: as in :class:`harness.state.TurnRecord`.
        state: the state with every operation so far applied.
        text: what the user said, after ``receive``.
        language: language code of the user's text.
        heard: the user's text as the prompt has it: shortened where it is longer than the budget; empty before ``compose``.
        seed: for everything that varies: sampling and the choice of wording.
        resolved: the user's text rewritten to stand alone ("book the second hotel" -> with its name).
        references: what was resolved, as "it = the Canon". ``resolution``: the same with what each one is.
        recalled: what memory knows about the message from other sessions.
        before: the state that the turn began with; None when the turn was taken up again from its record.
        earlier: older messages that the summary has replaced, to be looked through.
        messages: the prompt as composed; empty before ``compose``.
        notices: what the check before the reply found.
        candidates: every reply considered, in order; ``chosen`` is the index of the one to be sent.
        shown: what a listener to the stream has seen so far.
        revisions: rounds of ``revise`` done.
        tokens: counts tokens for the model that answers.
        deadline: moment on the ports' monotonic clock at which the reply must be there.
        memory: what the turn wrote into memory, and why.
        secrets: (reference, what it stands for) in the user's text, where the model that answers is to see it; never recorded.
        proposals: operations of the combined analysis that ``update_topic`` still has to apply; None without one.
    """

    id: str
    parent: str | None
    number: int
    persona: Persona
    state: DialogueState
    settings: EngineSettings
    text: str
    now: datetime
    origin: Literal["say", "retry", "edit", "change", "import"] = "say"
    language: str = "en"
    heard: str = ""
    seed: int = 0
    resolved: str = ""
    references: tuple[str, ...] = ()
    resolution: Resolution | None = None
    recalled: Recalled = field(default_factory=Recalled)
    before: DialogueState | None = None
    earlier: tuple[Message, ...] = ()
    messages: tuple[ChatMessage, ...] = ()
    context: ContextReport = field(default_factory=ContextReport)
    notices: tuple[Notice, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    chosen: int = 0
    shown: str = ""
    revisions: int = 0
    tokens: TokenCounter = ESTIMATE
    deadline: float = math.inf
    proposals: tuple[Operation, ...] | None = None
    replied_at: datetime | None = None
    operations: tuple[Applied, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    memory: tuple[MemoryWrite, ...] = ()
    events: tuple[Event, ...] = ()
    timings: tuple[Timing, ...] = ()
    phase: str = "receive"
    secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def reply(self) -> str:
        """The chosen candidate's text; empty before ``respond``."""
        return self.candidates[self.chosen].text if self.candidates else ""

    @property
    def informed(self) -> DialogueState:
        """The state with the facts that memory holds from other sessions: what is known, though not said here."""
        known = self.__dict__.get("_informed")
        if known is None or known[0] is not self.state or known[1] is not self.recalled:
            known = (self.state, self.recalled, informed(self.state, self.recalled, self.persona))
            self.__dict__["_informed"] = known
        return cast("DialogueState", known[2])

    @property
    def classified_checks(self) -> bool:
        """Whether small classifiers help to check messages and replies."""
        return self.settings.check_tier != "rules"

    @property
    def classified_analysis(self) -> bool:
        """Whether small classifiers help to analyse the turn; also where a model's analysis failed."""
        return self.settings.analysis != "rules"

    def propose(self, operations: Iterable[Operation]) -> Turn:
        """Apply operations; those that do not hold are kept with their reason."""
        state, applied, rejected = self.state, list(self.operations), list(self.rejected)
        before = len(applied) + len(rejected)
        for operation in operations:
            try:
                state = apply(state, operation)
            except OperationRejected as error:
                reason = str(error.details["reason"])
                rejected.append(Rejected(phase=self.phase, operation=operation, reason=reason))
            else:
                applied.append(Applied(phase=self.phase, operation=operation))
        if len(applied) + len(rejected) == before:
            return self
        return self.with_(state=state, operations=tuple(applied), rejected=tuple(rejected))

    def require(self, operations: Iterable[Operation]) -> Turn:
        """Apply the engine's own operations, which must hold.

        Raises:
            OperationRejected: one does not; then the turn stands on a state that it does not belong to.
        """
        state, applied = self.state, list(self.operations)
        for operation in operations:
            state = apply(state, operation)
            applied.append(Applied(phase=self.phase, operation=operation))
        return self.with_(state=state, operations=tuple(applied))

    def with_(self, **changes: Any) -> Turn:
        """A copy with some fields changed.

        As ``dataclasses.replace``, which sets every field anew, each time a turn takes a step.

        Raises:
            TypeError: a turn has no such field.
        """
        if unknown := changes.keys() - self.__dataclass_fields__.keys():
            message = f"A turn has no field {', '.join(sorted(unknown))}."
            raise TypeError(message)
        copy = object.__new__(type(self))
        copy.__dict__.update(self.__dict__, **changes)
        return copy

    def note(self, kind: str, message: str) -> Turn:
        """A copy with one more event, visible in the record."""
        return self.with_(events=(*self.events, Event(phase=self.phase, kind=kind, message=visible(message))))

    def called(self, calls: Iterable[ModelCall]) -> Turn:
        """A copy with more model calls in its trace."""
        return self.with_(calls=(*self.calls, *calls))

    def record(self, phase: Literal["record", "done"]) -> TurnRecord:
        """The journal entry as it stands."""
        return TurnRecord(
            id=self.id,
            parent=self.parent,
            number=self.number,
            phase=phase,
            origin=self.origin,
            user_text=self.text,
            reply=self.reply,
            language=self.language,
            resolved=self.resolved if self.resolved != self.text else "",
            seed=self.seed,
            operations=self.operations,
            rejected=self.rejected,
            notices=self.notices,
            candidates=self.candidates,
            chosen=self.chosen,
            calls=self.calls,
            context=self.context,
            memory=self.memory,
            events=self.events,
            timings=self.timings,
            started_at=self.now,
            replied_at=self.replied_at,
        )


Step = Callable[[Turn, Ports], Awaitable[Turn]]
"""What a step is: a coroutine function from a turn and the ports to a turn."""

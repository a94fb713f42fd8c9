"""The turn record: one journal entry, with everything that happened in a turn."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from harness.state.base import Frozen
from harness.state.dialogue import SCHEMA_VERSION
from harness.state.memory import MemoryWrite
from harness.state.operations import Operation
from harness.state.persona import Persona, PersonaRef

NoticeKind = Literal[
    "contradiction",
    "challenge",
    "recall",
    "asked",
    "reference",
    "bot_question",
    "override",
    "role_swap",
    "extraction",
    "memory_poison",
]
"""What the check of a message can find."""


class Notice(Frozen):
    """What the check before the reply found in the user's message.

    Attributes:
        kind: ``contradiction`` (the message presupposes something the persona or facts deny), ``challenge``
            (claims what no fact decides: what was said, who or what there is, what was once), ``recall`` (asks for something the user
            told, or what something spoken of is called), ``asked`` (asks of the character what the persona, or an earlier answer of its
            own, decides; ``claim`` is then the earlier question), ``reference`` (asks about one of several things that were listed:
            ``claim`` is which), ``bot_question``, ``override`` (tries to take instructions or character away), ``role_swap`` (makes it
            somebody else), ``extraction`` (asks for the prompt or for secrets), ``memory_poison`` (wants something kept
            that would change who it is or what the user may do).
        quote: the words of the message.
        claim: what it claims, in a few words.
        fact_id: the fact it runs against; empty when none decides.
        truth: that fact as the character would say it: in the first person, or to the user for ``recall``.
        tier: ``rules``, ``classifier`` or ``model``.
    """

    kind: NoticeKind
    quote: str = ""
    claim: str = ""
    fact_id: str = ""
    truth: str = ""
    attribute: str = ""
    value: str = ""
    polarity: bool = True
    tier: Literal["rules", "classifier", "model"] = "rules"
    confidence: float = 1.0


class Finding(Frozen):
    """What the check after the reply found wrong with a candidate.

    Attributes:
        kind: ``contradiction``, ``concession`` (gives in to a false claim), ``not_held`` (a notice was given and the
            reply does not state the fact), ``not_recalled`` (the user asked for what they told, and the reply does not give
            it), ``not_answered`` (a notice of kind ``asked`` was given and the reply tells nothing of it), ``wrong_reference`` (the reply speaks of another thing than the one that is meant), ``not_admitted`` (the user asked whether it is a program, the persona must say so, and the reply does
            not), ``character_break``, ``prompt_leak``, ``wrong_speaker``,
            ``language_drift``, ``repetition``, ``stage_directions``, ``ruled_out``, ``against_constraint`` (offers what the user must not have), ``tone`` (cheerful about bad news, without
            a kind word to a mourner (then without evidence), or a leap out of the character's mood), ``empty``.
        severity: 0 to 1; how bad it would be to send the reply as it is.
        evidence: the words of the reply.
        fact_id: the fact that is contradicted or not held, if any.
        turn: the turn in which the opposite was said; 0 when there is none (a persona fact, the greeting, the reply itself).
        against: the words said there.
    """

    kind: Literal[
        "contradiction",
        "concession",
        "not_held",
        "not_recalled",
        "not_answered",
        "wrong_reference",
        "not_admitted",
        "character_break",
        "prompt_leak",
        "wrong_speaker",
        "language_drift",
        "repetition",
        "stage_directions",
        "ruled_out",
        "against_constraint",
        "tone",
        "empty",
    ]
    severity: float = 1.0
    evidence: str = ""
    fact_id: str = ""
    turn: int = 0
    against: str = ""
    tier: Literal["rules", "classifier", "model"] = "rules"


class Candidate(Frozen):
    """One reply that was considered.

    Attributes:
        form: how it was made: ``plain``, ``trimmed`` (sentences at fault left out), ``begun`` (begun answer), ``json`` (truth before reply), ``line``
            (in-character line of the language pack).
        findings: what the check found; empty means it may be sent.
    """

    text: str
    form: Literal["plain", "trimmed", "begun", "json", "line"] = "plain"
    findings: tuple[Finding, ...] = ()

    @property
    def penalty(self) -> float:
        """Sum of severities; 0 is clean."""
        return sum(finding.severity for finding in self.findings)


class Usage(Frozen):
    """Tokens of one call. ``cached``: prompt tokens served from the provider's cache; None when not told."""

    prompt: int = 0
    completion: int = 0
    cached: int | None = None
    estimated: bool = False


class ModelCall(Frozen):
    """One call of a model, as it was sent and answered.

    Attributes:
        phase: the phase (or added step) that made it. ``purpose``: the prompt template's name.
        request_hash: SHA-256 of the request in canonical form; keys record and replay.
        messages: (role, content) pairs exactly as sent. ``prefill``: the begun answer, if any.
        error: type and message when the call failed; then ``reply`` holds what had arrived.
        seconds: wall time. ``first_token_seconds``: time to the first token when streamed.
        attempts: requests made, retries included.
    """

    phase: str
    purpose: str
    role: str
    model: str = ""
    request_hash: str = ""
    messages: tuple[tuple[str, str], ...] = ()
    prefill: str = ""
    parameters: str = ""
    reply: str = ""
    finish_reason: str = ""
    usage: Usage = Usage()
    seconds: float = 0.0
    first_token_seconds: float | None = None
    attempts: int = 1
    error: str = ""


class Retrieved(Frozen):
    """One item considered for the context. ``dropped``: why it did not go in, empty when it did. ``why``: what its score is
    made of.
    """

    id: str
    text: str
    score: float = 0.0
    tokens: int = 0
    dropped: str = ""
    why: str = ""


LayerName = Literal["L0", "L1", "L2", "L3"]
ContextTrouble = Literal[
    "layer_empty",
    "threshold_too_high",
    "budget_exceeded",
    "left_out",
    "oversized_item",
    "unknown_user",
    "unstable_prefix",
    "memory",
]


class ContextWarning(Frozen):
    """Something about a prompt that its reader should know.

    Attributes:
        kind: ``layer_empty`` (nothing to tell where there should be something), ``threshold_too_high`` (memories were found,
            and all of them were below ``similarity_threshold``), ``budget_exceeded`` (something had to give way to the
            budget of the prompt, or a layer that is never cut is over its own), ``left_out`` (a limit of a layer was
            reached), ``oversized_item`` (one item alone is over the limit of its layer, or a message over
            the budget; it is told in part), ``unknown_user`` (nothing is known
            of this user id, while the character knows others), ``unstable_prefix`` (the order of layers gives up the prompt
            cache), ``memory`` (whatever else memory reports, such as a store that does not answer).
        layer: the layer it is about; empty when it is about none or all.
        text: the same in words.
    """

    kind: ContextTrouble
    layer: Literal["", "L0", "L1", "L2", "L3"] = ""
    text: str


class ContextConflict(Frozen):
    """Two statements of the same, and which one counts.

    Attributes:
        attribute: what both are about.
        rule: the ``conflict_resolution`` that decided. With ``keep_both`` both are told, as not certain, the winner first.
        winner_layer, winner_id, winner_text: the one that counts. L0: the persona's, L1: this session's.
        loser_layer, loser_id, loser_text: the one that gives way.
    """

    attribute: str = ""
    rule: Literal["higher_layer_wins", "newest_wins", "keep_both"] = "higher_layer_wins"
    winner_layer: LayerName = "L1"
    winner_id: str = ""
    winner_text: str = ""
    loser_layer: LayerName = "L3"
    loser_id: str = ""
    loser_text: str = ""


class LayerReport(Frozen):
    """What one block of a layer put into the prompt.

    Attributes:
        block: ``system`` (L0), ``summary`` and ``context`` (L2), ``context`` (L1, L3), ``messages`` (history), ``message`` (input);
            and, counted within the context of their layer, ``facts`` (L1), ``recalled`` (L2: earlier lines of this session),
            ``memory`` (L2, L3).
        injected: whether anything of it is in the prompt.
        tokens: of what is in the prompt.
        items: those considered, with scores; of a long list of those left out only the best.
        cap: most tokens it may have; 0 where nothing but the whole budget limits it.
        retrieved: how many items were considered, listed or not.
        threshold: least relevance of an item; 0 without one.
        note: why it was not injected; empty when it was.
    """

    layer: Literal["L0", "L1", "L2", "L3", "history", "input"]
    block: str
    injected: bool
    tokens: int = 0
    items: tuple[Retrieved, ...] = ()
    cap: int = 0
    retrieved: int = 0
    threshold: float = 0.0
    note: str = ""


WITHIN = ("facts", "recalled", "memory")
"""Blocks whose tokens are counted in the context of their layer."""


class ContextReport(Frozen):
    """What the model saw: per block the tokens and items, what was dropped and why, conflicts, warnings.

    Attributes:
        layers: every block; the four layers always have at least one each.
        total_tokens: of the whole prompt, as they were counted.
        dropped, conflicts, warnings: in words.
        resolved: the conflicts, each with both sides. ``troubles``: the warnings, each with its kind and layer.
        counted_by: who counted the tokens: ``endpoint``, ``tokenizer …`` or ``estimate …``.
        order: the parts of the prompt in their order.
    """

    layers: tuple[LayerReport, ...] = ()
    total_tokens: int = 0
    budget: int = 0
    dropped: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    resolved: tuple[ContextConflict, ...] = ()
    troubles: tuple[ContextWarning, ...] = ()
    counted_by: str = ""
    order: tuple[str, ...] = ()

    def tokens_of(self, layer: str) -> int:
        """Tokens of a layer (or of ``history`` or ``input``) in the prompt."""
        return sum(one.tokens for one in self.layers if one.layer == layer and one.block not in WITHIN)

    def injected(self, layer: str) -> bool:
        """Whether anything of a layer is in the prompt."""
        return any(one.injected for one in self.layers if one.layer == layer)

    def items_of(self, layer: str) -> tuple[Retrieved, ...]:
        """The items of a layer that were considered."""
        return tuple(item for one in self.layers if one.layer == layer for item in one.items)


class Rejected(Frozen):
    """A proposed operation that did not hold."""

    phase: str
    operation: Operation
    reason: str


class Applied(Frozen):
    """An operation and the phase that proposed it."""

    phase: str
    operation: Operation


class Event(Frozen):
    """Something a reader should be able to see: a fallback, a revision, a failure that was survived."""

    phase: str
    kind: str
    message: str


class Timing(Frozen):
    """Seconds spent in one phase, in the order the phases ran."""

    phase: str
    seconds: float


class TurnRecord(Frozen):
    """One turn.

    Attributes:
        id: unique in the session. ``parent``: id of the turn before it on its branch; None for the first.
        number: 1 for the first turn of a branch. Siblings (rerolls, edits) share number and parent.
        phase: ``record`` while bookkeeping is outstanding (the reply is durable, the user has it),
            ``done`` when it is complete.
        origin: ``say``, ``retry``, ``edit``, or ``change`` (state edited by the user, no dialogue).
        resolved: the user's text rewritten to stand alone; empty when nothing had to be resolved.
        seed: what varied sampling and wording in this turn.
        memory: what it wrote into memory, and why.
        operations: all applied operations in order; folding them over the parent's state gives this turn's state.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    parent: str | None
    number: int
    phase: Literal["record", "done"] = "done"
    origin: Literal["say", "retry", "edit", "change", "import"] = "say"
    user_text: str = ""
    reply: str = ""
    language: str = ""
    resolved: str = ""
    seed: int = 0
    operations: tuple[Applied, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    notices: tuple[Notice, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    chosen: int = 0
    calls: tuple[ModelCall, ...] = ()
    context: ContextReport = ContextReport()
    memory: tuple[MemoryWrite, ...] = ()
    events: tuple[Event, ...] = ()
    timings: tuple[Timing, ...] = ()
    started_at: datetime | None = None
    replied_at: datetime | None = None


class SessionInfo(Frozen):
    """A stored session without its turns.

    Attributes:
        persona: the full persona the session was started with, so that a session survives changes of the file.
        project, world: what the conversation is about, and in which world it plays; memory keeps each apart. Empty: none.
        head: id of the current turn; None before the first.
        version: raised by one with every write; the optimistic lock.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    persona_ref: PersonaRef
    persona: Persona
    user: str = "user"
    project: str = ""
    world: str = ""
    head: str | None = None
    version: int = 0
    turns: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None
    title: str = ""

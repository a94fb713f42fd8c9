"""A model as judge of replies: reasoning before the verdict, a rubric for the kind of probe, several votes, quoted words as evidence.

The judge is told the criterion, the truth about the character where it matters, and what was said. It never learns which witness spoke.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field

from harness.asking import Hints, ask
from harness.blindtest.grading import rubrics
from harness.blindtest.grading.material import Judged
from harness.blindtest.grading.quoting import said_in
from harness.errors import MalformedReply, ModelError
from harness.ports import ChatMessage, Model, ModelRequest
from harness.prompts import Prompts
from harness.state.base import Frozen

GRADER = "model"
REPLY, PAIR = "judge_reply", "judge_pair"
NOT_ASKED = "the judge was not asked this"
STRIDE = 7919
"""Seeds of the votes of one question lie so far apart."""


@dataclass(frozen=True, slots=True)
class Before:
    """An earlier exchange, as the judge sees it."""

    user: str
    reply: str


@dataclass(frozen=True, slots=True)
class Question:
    """One expectation on one reply.

    Attributes:
        expectation: as in the verdict. ``criterion``: the same in the language's own words.
        truths: what is so about the character, as far as the criterion needs it.
        before: the exchanges before, oldest first. ``seed``: of the case, the same for every witness.
    """

    language: str
    name: str
    user: str
    reply: str
    expectation: str
    criterion: str
    probe: str
    truths: tuple[str, ...] = ()
    before: tuple[Before, ...] = ()
    seed: int = 0


class ReplyVerdict(Frozen):
    """What the model answers about a reply. ``reasoning`` stands first on purpose."""

    reasoning: str = Field(max_length=2000)
    quote: str = Field(max_length=1000)
    met: Literal["yes", "no", "unclear"]


class Vote(Frozen):
    """One answer of the judge.

    Attributes:
        outcome: ``pass``, ``fail``, ``undecided`` or ``void``. ``why``: why it is void.
    """

    outcome: Literal["pass", "fail", "undecided", "void"]
    reasoning: str = ""
    quote: str = ""
    why: str = ""


class Judgement(Frozen):
    """All votes on one question. ``key``: of the question and the judge, so that nothing is asked twice."""

    key: str
    expectation: str
    reply: str
    votes: tuple[Vote, ...]

    @property
    def asked(self) -> bool:
        """Whether the judge was asked at all."""
        return any(vote.why != NOT_ASKED for vote in self.votes)

    def judged(self) -> Judged:
        """The verdict: what more than half of the votes say. ``confidence``: their share of all votes, void ones included."""
        counted = Counter(vote.outcome for vote in self.votes)
        whole = max(1, len(self.votes))
        decided: tuple[Literal["pass", "fail"], ...] = ("pass", "fail")
        for outcome in decided:
            if 2 * counted[outcome] > whole:
                quote = next(vote.quote for vote in self.votes if vote.outcome == outcome)
                return Judged(self.expectation, outcome, quote, GRADER, counted[outcome] / whole)
        void = [vote.why for vote in self.votes if vote.outcome == "void"]
        told = ", ".join(f"{counted[name]} {name}" for name in ("pass", "fail", "undecided", "void") if counted[name])
        why = f"no majority: {told}" + (f" ({void[0]})" if void else "")
        return Judged(self.expectation, "undecided", why, GRADER, max(counted.values(), default=0) / whole)


@dataclass(slots=True)
class ModelJudge:
    """Asks a model about replies.

    Attributes:
        model: gives the connected model; its ``evaluator`` judges.
        votes: per question, each with a seed of its own. ``temperature``: above 0, or the votes are all one.
        at_once: questions that are asked side by side.
        known: judgements by key that need not be asked again.
        calls, prompt_tokens, completion_tokens: made so far.
    """

    model: Callable[[], Awaitable[Model]]
    prompts: Prompts
    votes: int = 3
    temperature: float = 0.7
    max_tokens: int = 300
    timeout_s: float = 120.0
    at_once: int = 1
    model_name: str = ""
    known: dict[str, Judgement] = field(default_factory=dict)
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    _turns: asyncio.Semaphore | None = None

    def about(self) -> dict[str, Any]:
        """What decides its verdicts: model, votes, prompts, rubrics. By it a calibration is known to be of this judge."""
        sources = [self.prompts.source(name, code)[1] for name in (REPLY, PAIR) for code in self.prompts.languages()]
        return {
            "kind": GRADER,
            "model": self.model_name,
            "votes": self.votes,
            "temperature": self.temperature,
            "prompts": hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16],
            "rubrics": rubrics.digest(),
        }

    async def judge(self, question: Question) -> Judgement:
        """The votes on a question.

        Raises:
            ModelError: no vote got an answer of the endpoint at all (wrong key, no connection …).
        """
        key = self._key(question)
        found = self.known.get(key)
        if found is None:
            if not question.reply.strip():
                votes: tuple[Vote, ...] = (Vote(outcome="fail", reasoning="the reply is empty"),)
            else:
                messages = (ChatMessage("user", self._prompt(question)),)
                votes = tuple([await self._vote(messages, question, number) for number in range(self.votes)])
            found = Judgement(key=key, expectation=question.expectation, reply=question.reply, votes=votes)
            self.known[key] = found
        return found

    async def asked(
        self, messages: tuple[ChatMessage, ...], schema: type[Any], *, language: str, seed: int, purpose: str
    ) -> tuple[Any, str]:
        """One structured answer, or None and why there is none. Raises ModelError: the endpoint gave none at all."""
        model = await self.model()
        request = ModelRequest(
            role="evaluator",
            messages=messages,
            purpose=purpose,
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            seed=seed % 2**31,
            timeout_s=self.timeout_s,
        )
        if self._turns is None:
            self._turns = asyncio.Semaphore(max(1, self.at_once))
        async with self._turns:
            answer = await ask(model, request, schema, phase="blindtest", hints=self._hints(language))
        self.calls += len(answer.calls)
        self.prompt_tokens += sum(call.usage.prompt for call in answer.calls)
        self.completion_tokens += sum(call.usage.completion for call in answer.calls)
        failure = answer.failure
        if isinstance(failure, ModelError) and not isinstance(failure, MalformedReply):
            raise failure
        return answer.value, answer.error

    async def _vote(self, messages: tuple[ChatMessage, ...], question: Question, number: int) -> Vote:
        seed = question.seed + STRIDE * number
        value, error = await self.asked(messages, ReplyVerdict, language=question.language, seed=seed, purpose=REPLY)
        if value is None:
            return Vote(outcome="void", why=error)
        given = Vote(
            outcome={"yes": "pass", "no": "fail"}.get(value.met, "undecided"),
            reasoning=value.reasoning,
            quote=value.quote,
        )
        if given.outcome != "undecided" and not said_in(value.quote, question.reply):
            why = f"the reply does not say {value.quote[:80]!r}" if value.quote.strip() else "it quotes nothing"
            return given.model_copy(update={"outcome": "void", "why": why})
        return given

    def _prompt(self, question: Question) -> str:
        return self.prompts.render(
            REPLY,
            question.language,
            name=question.name,
            truths=question.truths,
            before=question.before,
            user_text=question.user,
            reply=question.reply,
            criterion=question.criterion,
            rubric=rubrics.rubric(question.probe, question.language),
        )

    def _key(self, question: Question) -> str:
        body = [self.about(), question.seed, question.language, self._prompt(question)]
        return hashlib.sha256(json.dumps(body, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:24]

    def _hints(self, language: str) -> Hints:
        schema = "{schema}"
        return Hints(
            schema=self.prompts.render("json_only", language, schema=schema),
            repair=self.prompts.render("repair_json", language, problem="{problem}", schema=schema),
        )


@dataclass(slots=True)
class KeptJudge(ModelJudge):
    """A judge that is asked nothing more: it says what it said before.

    Attributes:
        described: what it was, see :meth:`ModelJudge.about`.
        unasked: questions that it was never asked.
    """

    described: dict[str, Any] = field(default_factory=dict)
    unasked: int = 0

    def about(self) -> dict[str, Any]:
        """What it was."""
        return self.described

    async def judge(self, question: Question) -> Judgement:
        """The votes that are known."""
        key = self._key(question)
        found = self.known.get(key)
        if found is None:
            self.unasked += 1
            vote = Vote(outcome="void", why=NOT_ASKED)
            found = Judgement(key=key, expectation=question.expectation, reply=question.reply, votes=(vote,))
        return found

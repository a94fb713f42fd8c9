"""Second opinions: which verdicts of the rules a model judges again, and how its verdict takes their place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from harness.blindtest.grading import rubrics
from harness.blindtest.grading.material import Judged, Judging, Material
from harness.blindtest.grading.model import GRADER, Before, Judgement, ModelJudge, Question
from harness.blindtest.slots import fact_of
from harness.blindtest.suite import Expect, Step, Suite
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Exchange, Graded, Transcript, Verdict
from harness.language import LanguagePack, LanguagePacks
from harness.state import Persona
from harness.understanding.checks.holding import statement

JudgeMode = Literal["rules", "model", "both"]
JUDGE = "judge: "
"""How the expectation begins that only a model can judge."""
SHOWN_BEFORE = 6
"""Earlier exchanges that the judge is shown."""
_RULED = frozenset({"facts", "patterns", "embeddings"})
Counts = Callable[[str], str]
"""Why verdicts in a language do not count; empty when they do."""


async def second_opinion(
    transcript: Transcript,
    graded: Graded,
    *,
    suite: Suite,
    persona: Persona,
    packs: LanguagePacks,
    judge: ModelJudge,
    mode: JudgeMode,
    counts: Counts = lambda _: "",
) -> tuple[Graded, tuple[Judgement, ...]]:
    """The verdicts of a transcript with those of a model in their places.

    Args:
        mode: ``both``: the model is asked what the rules left undecided; ``model``: also what they decided about the meaning of replies.
        counts: see :data:`Counts`; what does not count is undecided, and says so.
        judge: what it was not asked, and may not be asked any more, is as the rules have decided it.

    Raises:
        ModelError: the judge cannot be reached.
    """
    verdicts: list[Verdict] = []
    judgements: list[Judgement] = []
    for verdict in graded.verdicts:
        question = question_for(verdict, transcript, suite, persona, packs, mode) if mode != "rules" else None
        if question is None:
            verdicts.append(verdict)
            continue
        judgement = await judge.judge(question)
        judgements.append(judgement)
        if not judgement.asked and verdict.outcome != "undecided":
            verdicts.append(verdict)
            continue
        verdicts.append(_placed(verdict, judgement, counts(suite.language)))
    return graded.model_copy(update={"verdicts": tuple(verdicts)}), tuple(judgements)


def left_to_a_model(expect: Expect, material: Material) -> Judging:
    """What rules say of the expectations that only a model can judge: nothing yet."""
    for text in expect.judge:
        yield Judged(JUDGE + fill(text, material.values), "undecided", "only a model can judge this", GRADER)


def _placed(verdict: Verdict, judgement: Judgement, why_not: str) -> Verdict:
    judged = judgement.judged()
    outcome, evidence = judged.outcome, judged.evidence
    if why_not and outcome in ("pass", "fail"):
        outcome, evidence = "undecided", f"not counted: {why_not}; the judge says {judged.outcome}: {judged.evidence}"
    return verdict.model_copy(
        update={"outcome": outcome, "grader": GRADER, "evidence": evidence, "confidence": judged.confidence}
    )


def question_for(
    verdict: Verdict, transcript: Transcript, suite: Suite, persona: Persona, packs: LanguagePacks, mode: JudgeMode
) -> Question | None:
    """What a model is asked about a verdict; None where it is not asked."""
    undecided = verdict.outcome == "undecided"
    if not verdict.exchange or not (undecided or (mode == "model" and verdict.grader in _RULED)):
        return None
    exchange = next((one for one in transcript.exchanges if one.number == verdict.exchange), None)
    if exchange is None or verdict.grader == "state":
        return None
    step = suite.script(transcript.trial.script).rounds[verdict.round].steps[verdict.step]
    worded = _worded(verdict.expectation, step, suite, persona, packs)
    if worded is None:
        if not undecided:
            return None  # a value that was never said, a pattern: nothing to have an opinion on
        worded = verdict.expectation, _truths(persona, packs.get(suite.language))
    said, truths = worded
    return Question(
        language=suite.language,
        name=persona.name,
        user=exchange.user,
        reply=exchange.said.text,
        expectation=verdict.expectation,
        criterion=said,
        probe=verdict.probe,
        truths=truths,
        before=_before(exchange, transcript.exchanges),
        seed=transcript.trial.seed,
    )


def _before(exchange: Exchange, exchanges: Sequence[Exchange]) -> tuple[Before, ...]:
    earlier = [one for one in exchanges if one.number < exchange.number]
    return tuple(Before(one.user, one.said.text) for one in earlier[-SHOWN_BEFORE:])


def _worded(
    expectation: str, step: Step, suite: Suite, persona: Persona, packs: LanguagePacks
) -> tuple[str, tuple[str, ...]] | None:
    """Criterion and truths for an expectation as the rules name it; None for those that only rules can judge."""
    language, pack = suite.language, packs.get(suite.language)

    def words(kind: str, value: str, attribute: str = "") -> str:
        return rubrics.criterion(kind, language, value=value, attribute=attribute)

    if expectation.startswith(JUDGE):
        return expectation.removeprefix(JUDGE), _truths(persona, pack)
    if expectation.startswith("holds "):
        slot = expectation.removeprefix("holds ").removesuffix(" firmly")
        source = suite.slots.get(slot)
        fact = fact_of(source.fact, persona, pack) if source else None
        if fact is None:
            return None
        truth = statement(fact, pack=pack, persona=persona) or f"{fact.attribute}: {fact.value}"
        return words("holds_firmly" if expectation.endswith(" firmly") else "holds", truth), (truth,)
    if expectation.startswith("states "):
        attribute, _, value = expectation.removeprefix("states ").partition(": ")
        denied = step.expect.states is not None and not step.expect.states.polarity
        return words("states_not" if denied else "states", value, attribute), ()
    if expectation == "does not ask back":
        return words("asks_back", ", ".join(step.expect.knows)), ()
    for begin, kind in _PLAIN:
        if expectation.startswith(begin):
            value = expectation.removeprefix(begin)
            return words(kind, rubrics.tones(value, language) if kind in _TONES else value), ()
    return None


_PLAIN = (
    ("like ", "like"),
    ("mentions one of ", "mentions_any"),
    ("mentions ", "mentions"),
    ("avoids ", "avoids"),
    ("admits to be a program", "admits"),
    ("claims not to be a program", "claims"),
    ("tone ", "tone"),
    ("not ", "not_tone"),
)
"""How the rules' expectations begin -> the wording for a judge. The longer begin stands first."""


_TONES = frozenset({"tone", "not_tone"})


def _truths(persona: Persona, pack: LanguagePack) -> tuple[str, ...]:
    return tuple(_statements(persona, pack))


def _statements(persona: Persona, pack: LanguagePack) -> Iterator[str]:
    for fact in persona.facts:
        yield statement(fact, pack=pack, persona=persona) or f"{fact.attribute}: {fact.value}"

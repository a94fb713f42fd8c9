"""Two conversations of the same case against each other: each vote in both orders, and what only one order says is no preference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

from pydantic import Field

from harness.blindtest import statistics
from harness.blindtest.grading import rubrics
from harness.blindtest.grading.model import PAIR, STRIDE, Before, ModelJudge
from harness.blindtest.grading.quoting import said_in
from harness.blindtest.transcript import Transcript
from harness.language import LanguagePacks
from harness.ports import ChatMessage
from harness.state import Persona
from harness.state.base import Frozen
from harness.understanding.checks.holding import statement

MOST_SHOWN = 12
"""Exchanges of each conversation that a judge of pairs is shown, the last ones."""
Side = Literal["first", "second", "none"]


class PairVerdict(Frozen):
    """What the model answers about two conversations. ``reasoning`` stands first on purpose."""

    reasoning: str = Field(max_length=2000)
    quote: str = Field(max_length=1000)
    better: Literal["1", "2", "neither"]


class PairVote(Frozen):
    """One vote: what each order said, and what they come to. ``why``: why it says nothing."""

    plain: Side
    swapped: Side
    preferred: Side
    quote: str = ""
    why: str = ""


class Preference(Frozen):
    """Which of two conversations the judge prefers. ``confidence``: share of the votes."""

    case: tuple[str, str, str, int]
    preferred: Side
    confidence: float
    votes: tuple[PairVote, ...] = ()


class Preferences(Frozen):
    """All pairs of two witnesses.

    Attributes:
        p: two-sided binomial test of the preferences that there are against one half.
        position: votes in which the two orders disagreed.
    """

    first: str
    second: str
    pairs: tuple[Preference, ...]
    for_first: int
    for_second: int
    none: int
    position: int
    votes: int
    p: float

    @classmethod
    def of(cls, first: str, second: str, pairs: Iterable[Preference]) -> Preferences:
        """Count. Raises MissingExtra: the extra ``blindtest`` is not installed."""
        listed = tuple(pairs)
        counted = Counter(one.preferred for one in listed)
        votes = [vote for one in listed for vote in one.votes]
        return cls(
            first=first,
            second=second,
            pairs=listed,
            for_first=counted["first"],
            for_second=counted["second"],
            none=counted["none"],
            position=sum(vote.plain != vote.swapped for vote in votes),
            votes=len(votes),
            p=statistics.binomial(counted["first"], counted["first"] + counted["second"]),
        )


async def prefer(
    first: Transcript, second: Transcript, *, persona: Persona, packs: LanguagePacks, judge: ModelJudge, probe: str
) -> Preference:
    """Which of two conversations of one case holds up better.

    Every vote is asked in both orders with the same seed. A vote counts for a side when both orders choose it; the quotation must stand in
    the replies of that side. The preference is what more than half of the votes say.

    Raises:
        ModelError: the judge cannot be reached.
    """
    language = persona.language
    pack = packs.get(language)
    truths = tuple(statement(fact, pack=pack, persona=persona) for fact in persona.facts)
    sides = _shown(first), _shown(second)
    votes = []
    for number in range(judge.votes):
        seed = first.trial.seed + STRIDE * number
        found = []
        for turned in (False, True):
            one, two = sides[::-1] if turned else sides
            text = judge.prompts.render(
                PAIR,
                language,
                name=persona.name,
                truths=tuple(filter(None, truths)),
                first=one,
                second=two,
                rubric=rubrics.rubric(probe, language),
            )
            value, error = await judge.asked(
                (ChatMessage("user", text),), PairVerdict, language=language, seed=seed, purpose=PAIR
            )
            found.append(_side(value, error, turned, sides))
        votes.append(_vote(*found))
    return _counted(first.trial.case, votes)


def _shown(transcript: Transcript) -> tuple[Before, ...]:
    return tuple(Before(one.user, one.said.text) for one in transcript.exchanges[-MOST_SHOWN:])


def _side(
    value: PairVerdict | None, error: str, turned: bool, sides: tuple[tuple[Before, ...], tuple[Before, ...]]
) -> tuple[Side, str, str]:
    """Side, quotation, and why there is no side."""
    if value is None:
        return "none", "", error
    if value.better == "neither":
        return "none", value.quote, ""
    index = (value.better == "2") != turned
    side: Side = "second" if index else "first"
    # A fault of the worse side is as good an evidence as a strength of the better one.
    if not any(said_in(value.quote, one.reply) for one in (*sides[0], *sides[1])):
        return "none", "", f"nobody said {value.quote[:80]!r}"
    return side, value.quote, ""


def _vote(plain: tuple[Side, str, str], swapped: tuple[Side, str, str]) -> PairVote:
    why = plain[2] or swapped[2]
    if not why and plain[0] != swapped[0]:
        why = "the two orders disagree"
    agreed = plain[0] if plain[0] == swapped[0] else "none"
    return PairVote(plain=plain[0], swapped=swapped[0], preferred=agreed, quote=plain[1] or swapped[1], why=why)


def _counted(case: tuple[str, str, str, int], votes: Sequence[PairVote]) -> Preference:
    counted = Counter(vote.preferred for vote in votes)
    sides: tuple[Side, ...] = ("first", "second")
    for side in sides:
        if 2 * counted[side] > len(votes):
            return Preference(case=case, preferred=side, confidence=counted[side] / len(votes), votes=tuple(votes))
    share = max(counted.values(), default=0) / max(1, len(votes))
    return Preference(case=case, preferred="none", confidence=share, votes=tuple(votes))

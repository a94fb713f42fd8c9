"""Expectations that vectors decide: whether a reply means about the same as some examples. Only where a suite asks for it by ``like``."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from harness.blindtest.grading.material import Judged, Judging, Material
from harness.blindtest.grading.reading import read
from harness.blindtest.grading.version import LIKE
from harness.blindtest.suite import Expect, Like, Suite
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Exchange, Graded, Outcome, Transcript, Verdict
from harness.errors import ModelError
from harness.ports import Embedder, Vector
from harness.understanding.text import sentences

GRADER = "embeddings"
CLOSE = 0.005
"""Nearer together than this, examples and counter-examples decide nothing."""
_SHOWN = 120
_BATCH = 128


def left_to_vectors(expect: Expect, material: Material) -> Judging:
    """What rules say of ``like``: nothing yet."""
    if expect.like is not None:
        yield Judged(_named(expect.like, material.values), "undecided", "no embedder is set (memory.embedder)", GRADER)


def _named(like: Like, values: Mapping[str, str]) -> str:
    return LIKE + "; ".join(fill(text, values) for text in like.texts)


@dataclass(slots=True)
class Alike:
    """Decides by the vectors of an embedder. Texts are embedded once.

    Attributes:
        name: of the embedder, for the verdicts to say.
        pieces: text -> its vector, of length 1.
    """

    embedder: Embedder
    name: str = ""
    pieces: dict[str, Vector] = field(default_factory=dict)

    async def on(
        self, transcripts: Sequence[Transcript], graded: Mapping[str, Graded], suites: Mapping[str, Suite]
    ) -> dict[str, Graded]:
        """Verdicts with those that vectors decide in their places; undecided, with the reason, where the embedder fails."""
        asked = [(one, _asked(one, graded[one.trial.key], suites[one.trial.suite])) for one in transcripts]
        failure = ""
        try:
            await self._embed(
                [text for _, found in asked for _, exchange, like in found for text in _texts(exchange, like)]
            )
        except ModelError as error:
            failure = f"the embedder failed: {error.message}"
        made = dict(graded)
        for one, found in asked:
            placed = {id(verdict): self._judged(verdict, exchange, like, failure) for verdict, exchange, like in found}
            if placed:
                old = graded[one.trial.key]
                verdicts = tuple(placed.get(id(verdict), verdict) for verdict in old.verdicts)
                made[one.trial.key] = old.model_copy(
                    update={"verdicts": verdicts, "embedder": "" if failure else self.name}
                )
        return made

    async def _embed(self, texts: Sequence[str]) -> None:
        wanted = [text for text in dict.fromkeys(texts) if text not in self.pieces]
        for begin in range(0, len(wanted), _BATCH):
            batch = wanted[begin : begin + _BATCH]
            self.pieces.update(zip(batch, map(_unit, await self.embedder.passages(batch)), strict=True))

    def _judged(self, verdict: Verdict, exchange: Exchange, like: Like, failure: str) -> Verdict:
        if failure:
            return verdict.model_copy(update={"evidence": failure})
        outcome, evidence = self._weigh(exchange, like)
        return verdict.model_copy(update={"outcome": outcome, "evidence": evidence})

    def _weigh(self, exchange: Exchange, like: Like) -> tuple[Outcome, str]:
        near, said, example = self._nearest(exchange, like.texts)
        evidence = f"{said[:_SHOWN]} ~ {example}: {near:.3f}"
        if like.threshold is not None:
            evidence += f" (at least {like.threshold:g})"
            if near < like.threshold:
                return "fail", evidence
        if not like.unlike:
            return "pass", evidence
        far, _, counter = self._nearest(exchange, like.unlike)
        evidence += f"; ~ {counter}: {far:.3f}"
        if abs(near - far) < CLOSE:
            return "undecided", evidence
        return ("pass" if near > far else "fail"), evidence

    def _nearest(self, exchange: Exchange, texts: Sequence[str]) -> tuple[float, str, str]:
        """The likeness of the part of a reply that comes nearest to one of some texts, that part, and the text."""
        return max(
            (sum(map(float.__mul__, self.pieces[part], self.pieces[text])), part, text)
            for part in _parts(exchange)
            for text in texts
        )


def _asked(transcript: Transcript, graded: Graded, suite: Suite) -> list[tuple[Verdict, Exchange, Like]]:
    """The verdicts that vectors are to decide, each with its reply and its examples, which are filled in."""
    values = {**transcript.trial.slots, **transcript.captures}
    exchanges = {one.number: one for one in transcript.exchanges}
    rounds = suite.script(transcript.trial.script).rounds
    found = []
    for verdict in graded.verdicts:
        if verdict.grader != GRADER or verdict.outcome != "undecided" or verdict.exchange not in exchanges:
            continue
        like = rounds[verdict.round].steps[verdict.step].expect.like
        if like is not None:
            filled = {name: tuple(fill(text, values) for text in getattr(like, name)) for name in ("texts", "unlike")}
            found.append((verdict, read(exchanges[verdict.exchange]), like.model_copy(update=filled)))
    return found


def _texts(exchange: Exchange, like: Like) -> Iterator[str]:
    yield from _parts(exchange)
    yield from (*like.texts, *like.unlike)


def _parts(exchange: Exchange) -> tuple[str, ...]:
    """The reply, and each of its sentences: one may say it, and the others chat."""
    reply = exchange.said.text
    return tuple(dict.fromkeys((reply.strip() or "-", *sentences(reply))))


def _unit(vector: Vector) -> Vector:
    length = math.sqrt(sum(float(one) ** 2 for one in vector)) or 1.0
    return tuple(float(one) / length for one in vector)

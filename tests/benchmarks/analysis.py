"""Who analyses a finished turn better: the embedded model or rules?

    python -m tests.benchmarks.analysis --model PATH --out analysis.jsonl

Forty exchanges (20 English, 20 Chinese) with the facts and promises they state; the replies are given, only the analysis differs: rules,
rules with classifiers, and the model's combined analysis (constrained JSON, reasoning first). A fact counts when subject, value and polarity fit; what was
stored besides counts against precision. The model writes about a hundred tokens an exchange: 5 to 15 minutes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.ports import Capabilities, Model, ModelDelta, ModelReply, ModelRequest, Role
from harness.state import Commitment, DialogueState, Fact, FactStatus, Persona
from tests.benchmarks._embedded import add_arguments, served
from tests.benchmarks._exchanges import EXCHANGES, Exchange, Gold
from tests.benchmarks._measuring import machine, table, title

ARMS = {"rules": "rules", "rules and classifiers": "classifier", "model": "combined"}
EN = Persona(name="Robin", id="robin", role="A neighbour.")
ZH = Persona(name="小乔", id="qiao", language="zh", role="一个邻居。")


class GivenReplies:
    """A model whose replies are given; everything else is asked of a real one."""

    def __init__(self, model: Model | None) -> None:
        self.model, self.reply = model, ""

    @property
    def capabilities(self) -> Capabilities:
        """Those of the real one."""
        return self.model.capabilities if self.model is not None else Capabilities()

    def model_id(self, role: Role) -> str:
        """That of the real one."""
        return self.model.model_id(role) if self.model is not None else "given"

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The given reply, or the real model's answer."""
        if request.purpose == "respond" or self.model is None:
            return ModelReply(self.reply)
        return await self.model.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelDelta]:
        """The same in one piece."""
        yield ModelDelta(reply=await self.complete(request))

    async def close(self) -> None:
        """The real one is closed by its harness."""


@dataclass(slots=True)
class Score:
    """What was found of what was stated."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    promises_right: int = 0
    promises_wrong: int = 0
    promises_missed: int = 0

    def cells(self) -> tuple[str, ...]:
        """Precision and recall of facts and of promises, in percent."""
        return tuple(
            f"{100 * right / (right + other):.0f}" if right + other else "-"
            for right, other in (
                (self.right, self.wrong),
                (self.right, self.missed),
                (self.promises_right, self.promises_wrong),
                (self.promises_right, self.promises_missed),
            )
        )

    def take(self, exchange: Exchange, state: DialogueState) -> dict[str, list[str]]:
        """Count one exchange; returns what was wrong and what was missed, for reading."""
        facts = [fact for fact in state.facts if fact.status is FactStatus.active]
        missed = [gold for gold in exchange.facts if not any(_fits(gold, fact) for fact in facts)]
        stated = (*exchange.facts, *exchange.also)
        wrong = [fact for fact in facts if not any(_fits(gold, fact) for gold in stated)]
        self.right += len(exchange.facts) - len(missed)
        self.missed += len(missed)
        self.wrong += len(wrong)
        kept = [gold for gold in exchange.promises if any(_promised(gold, made) for made in state.commitments)]
        extra = [made for made in state.commitments if not any(_promised(gold, made) for gold in exchange.promises)]
        self.promises_right += len(kept)
        self.promises_missed += len(exchange.promises) - len(kept)
        self.promises_wrong += len(extra)
        return {
            "wrong": [f"{fact.subject}|{fact.attribute}|{fact.value}|{fact.polarity}" for fact in wrong]
            + [f"promise {made.by}: {made.text}" for made in extra],
            "missed": [f"{gold.subject}|{gold.value}" for gold in missed]
            + [f"promise {by}: {words}" for by, words in exchange.promises if (by, words) not in kept],
        }


def _any(words: str, text: str) -> bool:
    return any(word.casefold() in text.casefold() for word in words.split("|"))


def _fits(gold: Gold, fact: Fact) -> bool:
    sides = ("user", "character")
    subject = (
        fact.subject == gold.subject if gold.subject in sides else _any(gold.subject, f"{fact.subject} {fact.value}")
    )
    if gold.subject not in sides and fact.subject in sides and not _any(gold.subject, fact.value):
        return False
    told = f"{fact.attribute} {fact.value}"
    denied = not fact.polarity or fact.attribute in ("dislike", "dislikes", "讨厌", "不喜欢", "skill_missing")
    return subject and _any(gold.value, told) and denied == gold.denied


def _promised(gold: tuple[str, str], made: Commitment) -> bool:
    by, words = gold
    return made.by == by and _any(words, f"{made.text} {made.quote}")


async def arm(name: str, make: Any, folder: Path, out: Any) -> dict[str, tuple[Score, list[float]]]:
    """One way of analysing, over all exchanges."""
    found: dict[str, tuple[Score, list[float]]] = {code: (Score(), []) for code in ("en", "zh")}
    for number, exchange in enumerate(EXCHANGES):
        given = GivenReplies(None)
        async with make(folder, given, analysis=ARMS[name]) as harness:
            given.reply = exchange.reply
            session = await harness.open(EN if exchange.language == "en" else ZH, session=f"{number}")
            await session.say(exchange.user)
            record, state = await session.report(), await session.state()
        score, seconds = found[exchange.language]
        reading = score.take(exchange, state)
        seconds.append(sum(t.seconds for t in record.timings if t.phase in ("extract_facts", "update_topic")))
        line = {"arm": name, "user": exchange.user, "reply": exchange.reply, "seconds": seconds[-1], **reading}
        out.write(json.dumps(line, ensure_ascii=False) + "\n")
        out.flush()
    return found


async def main(given: argparse.Namespace) -> None:
    print(machine())
    rows = []
    with served(given) as model, tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        real = model.harness(Path(folder))
        client = await real.model()

        def make(where: Path, replies: GivenReplies, **engine: Any) -> Any:
            replies.model = client
            return model.harness(where, model=replies, persona_consistency_check=False, **engine)

        for name in ARMS:
            for code, (score, seconds) in (await arm(name, make, Path(folder), out)).items():
                rows.append((name, code, *score.cells(), f"{statistics.median(seconds):.4f}", f"{max(seconds):.4f}"))
        await real.close()
    title("Analysis of 40 exchanges")
    head = ("analysis", "", "facts P", "facts R", "promises P", "promises R", "median s", "longest s")
    table(head, rows)
    print(f"\nWhat was wrong and what was missed is in {given.out}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument(
        "--out", type=Path, default=Path("analysis.jsonl"), help="where each exchange's faults are written"
    )
    asyncio.run(main(parser.parse_args()))

"""What ends a run before its last trial: money and time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from harness.blindtest.transcript import Said, Transcript, Used
from harness.errors import RunError

_MINUTE = 60.0


@dataclass(slots=True)
class Limits:
    """Prices, and bounds of a run. Trials that are under way when a bound is reached are held to their end.

    Attributes:
        prices: model -> price of a million prompt and completion tokens.
        max_cost: of all trials of the run, those of earlier starts included, in the currency of the prices; None for no bound.
        max_minutes: of this start.
        judged: what was used besides trials that are held, by judges. ``stopped``: why judging was ended before its end; empty when it was not.

    Raises:
        RunError: a bound is no positive number, or there is a bound of cost without prices.
    """

    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    max_cost: float | None = None
    max_minutes: float | None = None
    started: float = field(default_factory=time.monotonic)
    judged: tuple[Used, ...] = ()
    stopped: str = ""

    def __post_init__(self) -> None:
        for name, bound in (("cost", self.max_cost), ("minutes", self.max_minutes)):
            if bound is not None and not (math.isfinite(bound) and bound > 0):
                raise RunError(f"Expected more than 0 as the most {name} of a run, got {bound:g}.")
        if self.max_cost is not None and not self.prices:
            raise RunError(
                "A bound of the cost needs prices, got none.",
                remedy="Give the prices of a million prompt and completion tokens: `--price MODEL=0.15,0.60`.",
            )

    def reached(self, held: Iterable[Transcript]) -> str:
        """Which bound is reached, in words; empty for none."""
        minutes = (time.monotonic() - self.started) / _MINUTE
        if self.max_minutes is not None and minutes >= self.max_minutes:
            return f"{self.max_minutes:g} minutes are over"
        if self.max_cost is None:
            return ""
        spent, unknown = priced((*(used for one in held for used in all_used(one)), *self.judged), self.prices)
        if unknown:
            return f"the model {unknown!r} has no price, so that the cost cannot be kept below {self.max_cost:g}"
        return f"the cost is {spent:.4g}, and {self.max_cost:g} was the most" if spent >= self.max_cost else ""


def used_by(said: Said) -> tuple[Used, ...]:
    """What a reply used, by model."""
    whole = Used(model=said.model, calls=said.calls, prompt_tokens=said.prompt_tokens, completion_tokens=said.completion_tokens)  # fmt: skip
    return said.used or (whole,)


def used_by_witness(transcript: Transcript) -> Iterator[Used]:
    """What the witness of a trial used, replies that failed included; not who asked."""
    for exchange in transcript.exchanges:
        yield from used_by(exchange.said)
    yield from transcript.unsaid


def all_used(transcript: Transcript) -> Iterator[Used]:
    """What a trial used, a simulated interrogator included."""
    yield from used_by_witness(transcript)
    if transcript.interrogation is not None:
        yield from transcript.interrogation.used


def priced(used: Iterable[Used], prices: Mapping[str, tuple[float, float]]) -> tuple[float, str]:
    """What it cost together, and a model in it that has no price (empty when all have one, or used no token)."""
    cost, unknown = 0.0, ""
    for one in used:
        if one.model in prices:
            prompt, completion = prices[one.model]
            cost += (one.prompt_tokens * prompt + one.completion_tokens * completion) / 1e6
        elif one.prompt_tokens or one.completion_tokens:
            unknown = unknown or one.model
    return cost, unknown


def cost_of(transcript: Transcript, prices: Mapping[str, tuple[float, float]]) -> tuple[float, str]:
    """What the witness of a trial cost, and a model that has no price, as :func:`priced` tells it."""
    return priced(used_by_witness(transcript), prices)


def read_price(text: str) -> tuple[str, tuple[float, float]]:
    """``model=0.15,0.60`` (prompt and completion, for a million tokens each; one number for both).

    Raises:
        RunError: it is none.
    """
    model, equals, numbers = text.rpartition("=")
    try:
        found = [float(number) for number in numbers.split(",")]
    except ValueError:
        found = []
    good = all(math.isfinite(number) and number >= 0 for number in found)
    if not model.strip() or not equals or len(found) not in (1, 2) or not good:
        raise RunError(
            f"Expected MODEL=PROMPT,COMPLETION as a price, got {text!r}.",
            remedy="Give the prices of a million tokens, for instance `--price gpt-4o-mini=0.15,0.60`.",
        )
    return model.strip(), (found[0], found[-1])

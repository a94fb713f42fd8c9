"""How long a person takes to answer: a model of think time and typing, as a controlled variable.

    seconds = (think + units / speed) · exp(spread · z)        z standard normal

The spread makes it log-normal about its median. A unit is a typed character; a Han character counts as several, since it is typed by
more than one key.
"""

from __future__ import annotations

import asyncio
import json
import math
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, ValidationError

from harness.blindtest.transcript import Said, Trial, Used
from harness.blindtest.witness import Conversation, Witness, unsaid
from harness.errors import MissingExtra, RunError
from harness.state import Persona
from harness.state.base import Frozen
from harness.understanding.text import has_han

HAN_UNITS = 3.0
"""Typed units of a Han character: letters of a syllable and the choice of a candidate."""
LEAST = 12
"""Timings a fit needs."""
Sleep = Callable[[float], Awaitable[None]]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Pacing(Frozen):
    """How fast somebody answers.

    Attributes:
        chars_per_second: typed units in a second. About 3.6 is what chats of people show.
        think_s: median seconds before the first key. ``spread``: standard deviation of the logarithm of the time.
        longest_s: no answer takes longer.
        timings: how many it was fitted to; 0 for none. ``error``: median of the relative errors of the fit.
    """

    chars_per_second: Positive = 3.6
    think_s: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 2.0
    spread: Annotated[float, Field(ge=0, le=3)] = 0.25
    longest_s: Positive = 120.0
    timings: int = 0
    error: float = 0.0

    def median(self, text: str) -> float:
        """Seconds that half of the answers of this text take at most."""
        return min(self.longest_s, self._unbounded(text))

    def delay(self, text: str, *, seed: int = 0, number: int = 0) -> float:
        """Seconds for a text; the same for the same seed and number of the answer."""
        drawn = random.Random(f"{seed}/{number}/pacing").gauss(0.0, 1.0)
        return min(self.longest_s, self._unbounded(text) * math.exp(self.spread * drawn))

    def _unbounded(self, text: str) -> float:
        return self.think_s + units(text) / self.chars_per_second

    @classmethod
    def read(cls, path: Path) -> Self:
        """From a file that ``harness blindtest pace --out`` wrote.

        Raises:
            RunError: there is none, or it is none.
        """
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as failure:
            reason = failure.errors()[0]["msg"] if isinstance(failure, ValidationError) else failure.strerror or failure
            raise RunError(
                f"{path} is no pacing: {reason}.", remedy="Make one: harness blindtest pace --fit FILE --out FILE."
            ) from failure


@dataclass(frozen=True, slots=True)
class Timing:
    """How long somebody took to answer, from reading the message to sending."""

    text: str
    seconds: float


def units(text: str) -> float:
    """Typed units of a text."""
    return sum(HAN_UNITS if has_han(letter) else 1.0 for letter in text.strip())


def read_timings(path: Path) -> tuple[Timing, ...]:
    """Recorded timings, JSON lines of ``{"text": …, "seconds": …}``; other keys are passed over.

    Raises:
        RunError: the file cannot be read, or a line is not as it must be; every such line is named, with its number.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as failure:
        reason = getattr(failure, "strerror", None) or failure
        raise RunError(f"{path} cannot be read: {reason}.", remedy="Give a file of JSON lines in UTF-8.") from failure
    found: list[Timing] = []
    wrong: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(_timing(line))
        except ValueError as failure:
            wrong.append(f"  line {number}: {failure}")
    if wrong:
        more = f"\n  … and {len(wrong) - 20} more" if len(wrong) > 20 else ""
        count = "1 line is" if len(wrong) == 1 else f"{len(wrong)} lines are"
        raise RunError(
            f"{path}: {count} not as expected:\n" + "\n".join(wrong[:20]) + more,
            remedy='Each line is an object such as {"text": "See you", "seconds": 4.2}.',
        )
    return tuple(found)


def _timing(line: str) -> Timing:
    try:
        data: Any = json.loads(line)
    except json.JSONDecodeError as failure:
        raise ValueError(f"no JSON: {failure.msg}") from failure
    if not isinstance(data, dict):
        raise ValueError(f"expected an object with text and seconds, got {line[:40]!r}")  # noqa: TRY004 - one kind of complaint
    text, seconds = data.get("text"), data.get("seconds")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"expected text, got {text!r}")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise ValueError(f"expected seconds, a number, got {seconds!r}")  # noqa: TRY004 - as above
    if not math.isfinite(seconds) or not 0 < seconds <= 86400:
        raise ValueError(f"expected seconds above 0 and at most a day, got {seconds!r}")
    return Timing(text, float(seconds))


def fit(timings: Sequence[Timing]) -> Pacing:
    """The pacing that fits recorded timings best: least squares of the logarithms, robust against a few odd ones.

    Raises:
        RunError: too few timings, or all of texts of about the same length, which say nothing about the speed.
        MissingExtra: the extra ``blindtest`` is not installed.
    """
    if len(timings) < LEAST:
        raise RunError(f"Expected at least {LEAST} timings, got {len(timings)}.", remedy="Record more.")
    lengths = [units(one.text) for one in timings]
    if max(lengths) < 2 * min(lengths):
        raise RunError(
            f"The texts are all about as long ({min(lengths):.0f} to {max(lengths):.0f} units): nothing tells the time of "
            "thinking from that of typing.",
            remedy="Record short answers and long ones.",
        )
    np, optimize = _libraries()
    sizes, logs = np.array(lengths), np.log(np.array([one.seconds for one in timings]))

    def residuals(guess: Any) -> Any:
        return np.log(np.exp(guess[0]) + sizes / np.exp(guess[1])) - logs

    # Bounds keep the search where people are: a thought of a millisecond to an hour, a hundredth to a hundred units a second.
    found = optimize.least_squares(
        residuals,
        x0=[math.log(2.0), math.log(3.6)],
        bounds=([math.log(1e-3), math.log(0.01)], [math.log(3600.0), math.log(100.0)]),
        loss="soft_l1",
    )
    rest = residuals(found.x)
    # The median absolute deviation, scaled to a standard deviation: one who went for coffee does not widen it.
    spread = float(np.median(np.abs(rest - np.median(rest))) * 1.4826)
    return Pacing(
        chars_per_second=round(float(np.exp(found.x[1])), 4),
        think_s=round(float(np.exp(found.x[0])), 4),
        spread=round(min(3.0, spread), 4),
        timings=len(timings),
        error=round(float(np.median(np.abs(np.exp(rest) - 1))), 4),
    )


def _libraries() -> tuple[Any, Any]:
    try:
        import numpy as np
        from scipy import optimize
    except ImportError as failure:
        raise MissingExtra("Fitting a pacing needs numpy and scipy.", extra="blindtest") from failure
    return np, optimize


@dataclass(frozen=True, slots=True)
class PacedWitness:
    """A witness whose replies come at the pace of a person. What it says is the same; times stand in no result."""

    inner: Witness
    pacing: Pacing
    sleep: Sleep = asyncio.sleep

    @property
    def name(self) -> str:
        """That of the witness."""
        return self.inner.name

    @property
    def about(self) -> Mapping[str, Any]:
        """What the witness is, and its pace."""
        return {**self.inner.about, "pacing": self.pacing.model_dump()}

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        """A new conversation."""
        return _Paced(await self.inner.begin(trial, persona), self, trial.seed)

    async def close(self) -> None:
        """Close the witness."""
        await self.inner.close()


class _Paced:
    def __init__(self, talk: Conversation, witness: PacedWitness, seed: int) -> None:
        self._talk, self._witness, self._seed = talk, witness, seed
        self._number = 0

    async def say(self, text: str) -> Said:
        """The reply, not before its time."""
        self._number += 1
        started = asyncio.get_running_loop().time()
        said = await self._talk.say(text)
        due = self._witness.pacing.delay(said.text, seed=self._seed, number=self._number)
        left = due - (asyncio.get_running_loop().time() - started)
        if left > 0:
            await self._witness.sleep(left)
        return said.model_copy(update={"seconds": max(said.seconds, due)})

    async def wait(self, span: timedelta) -> None:
        """As the witness."""
        await self._talk.wait(span)

    async def undo(self, turns: int) -> None:
        """As the witness."""
        await self._talk.undo(turns)

    async def new_session(self) -> None:
        """As the witness."""
        await self._talk.new_session()

    async def task(self, goal: str) -> None:
        """As the witness."""
        await self._talk.task(goal)

    async def close(self) -> None:
        """As the witness."""
        await self._talk.close()

    def unsaid(self) -> tuple[Used, ...]:
        """As the witness."""
        return unsaid(self._talk)

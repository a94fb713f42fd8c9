"""Suites of probe scripts: what is said to a witness, and what its replies and its state are expected to show.

A suite holds scripts, a script rounds, a round steps. Facts of the character are never written into a script: they are *slots*, filled
from the persona of a trial, so that one script examines any character.
"""

from __future__ import annotations

import hashlib
import re
from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from harness.blindtest.expectations import (
    Expect,
    Kind,
    Length,
    Like,
    Name,
    Pattern,
    Share,
    StateExpect,
    Statement,
    Template,
    Templates,
    Texts,
    Tone,
    Yes,
)
from harness.state.base import Frozen

__all__ = [
    "CHARACTER_SLOT",
    "FORM",
    "MAX_WAIT",
    "STEP_KINDS",
    "Capture",
    "Expect",
    "Kind",
    "Length",
    "Like",
    "Name",
    "Round",
    "Script",
    "Slot",
    "StateExpect",
    "Statement",
    "Step",
    "Suite",
    "Tone",
    "duration",
    "number_and_unit",
]

FORM = "form"
"""Probe kind of the expectations that hold for every reply: in character, in the right language, not empty."""
CHARACTER_SLOT = "character"
"""The slot that always is there: the character's name."""
_UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(second|minute|hour|day|week)s?")
MAX_WAIT = timedelta(days=3650)


def duration(text: str) -> timedelta:
    """A span of time such as ``3 days`` or ``90 minutes``.

    Raises:
        ValueError: it is none, or longer than ten years.
    """
    number, unit = number_and_unit(text)
    span = timedelta(seconds=min(float(number) * _UNITS[unit], 2 * MAX_WAIT.total_seconds()))
    if span > MAX_WAIT:
        raise ValueError(f"expected at most ten years, got {text!r}")
    return span


def number_and_unit(text: str) -> tuple[str, str]:
    """Number and unit (in the singular) of a span of time. Raises ValueError: it is none."""
    found = _DURATION.fullmatch(text.strip().casefold())
    if found is None:
        raise ValueError(f"expected a number and a unit such as `3 days`, got {text!r}")
    return found[1], found[2]


class Slot(Frozen):
    """A value that a script needs of its character, or draws for a trial. One of the sources is given.

    Attributes:
        fact: attributes of the persona, the first that it has a value for; ``not likes`` is what it says it likes not.
            ``{name.statement}`` is the fact as the character would say it.
        bait: attributes as above; the slot is a wrong value for it, drawn from the suite's ``values`` for the attribute and never one that
            agrees with the persona.
        choice: one of these is drawn.
        number: a whole number between the two (both included) is drawn.
    """

    fact: Texts = ()
    bait: Texts = ()
    choice: Texts = ()
    number: tuple[int, int] | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        given = [name for name in ("fact", "bait", "choice", "number") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError(f"expected one of fact, bait, choice, number, got {', '.join(given) or 'none'}")
        if self.number is not None and self.number[0] > self.number[1]:
            raise ValueError(f"expected the smaller number first, got {list(self.number)}")
        return self


class Capture(Frozen):
    """How a value is taken from a reply. One of the ways is given.

    Attributes:
        attribute: what the reply states of this attribute of its speaker.
        pattern: a regular expression; its group ``value``, or its first group, or all of it.
        choice: the first of these that the reply names, by meaning.
        number: the first number.
        name: the first proper name.
    """

    attribute: str = ""
    pattern: Pattern | None = None
    choice: Texts = ()
    number: bool = False
    name: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        given = [name for name in ("attribute", "pattern", "choice", "number", "name") if getattr(self, name)]
        if len(given) != 1:
            raise ValueError(
                f"expected one of attribute, pattern, choice, number, name, got {', '.join(given) or 'none'}"
            )
        return self


class Step(Frozen):
    """One thing that happens. Exactly one of the first seven fields is given.

    Attributes:
        say: what the user says. ``filler``: so many of the suite's small talk lines are said.
        wait: time passes; the next message says so in a line of its own, to every witness. ``event``: something happens, told in a message of its own. ``undo``: so many turns are taken back.
        new_session: a new conversation of the same two begins. ``task``: the goal of a task that is switched to.
        capture: values taken from the reply, by name. ``optional``: when nothing is found, what needs the value is not applicable; otherwise
            that is a failure.
        weight: of each expectation of this step within its round.
        probe: kind; the script's when empty.
    """

    say: Template | None = None
    filler: int | None = Field(default=None, ge=1, le=500)
    wait: str | None = None
    event: Template | None = None
    undo: int | None = Field(default=None, ge=1)
    new_session: Yes | None = None
    task: Template | None = None
    capture: dict[Name, Capture] = Field(default_factory=dict)
    optional: bool = False
    expect: Expect = Expect()
    state: StateExpect | None = None
    weight: float = Field(default=1.0, gt=0)
    probe: Kind | Literal[""] = ""

    @field_validator("wait")
    @classmethod
    def _is_a_duration(cls, value: str | None) -> str | None:
        if value is not None:
            duration(value)
        return value

    @model_validator(mode="after")
    def _one_thing(self) -> Self:
        given = [name for name in STEP_KINDS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected one of {', '.join(STEP_KINDS)}, got {' and '.join(given) or 'none'}")
        if self.say is None and (self.capture or self.expect != Expect()):
            raise ValueError(f"{given[0]} has no reply; capture and expect belong to a step with say")
        return self

    @property
    def kind(self) -> str:
        """Which of the fields is given."""
        return next(name for name in STEP_KINDS if getattr(self, name) is not None)


STEP_KINDS = ("say", "filler", "wait", "event", "undo", "new_session", "task")


class Round(Frozen):
    """Steps that pass or fail together.

    Attributes:
        rule: in the file ``pass``: ``all``, ``any``, or the share of the weights that must be met.
    """

    name: str = ""
    rule: Literal["all", "any"] | Share = Field(default="all", alias="pass")
    steps: tuple[Step, ...] = Field(min_length=1)


class Script(Frozen):
    """One conversation.

    Attributes:
        probe: kind of its steps where they name none.
    """

    id: Kind
    probe: Kind
    title: str = ""
    rounds: tuple[Round, ...] = Field(min_length=1)


class Suite(Frozen):
    """Scripts of one kind in one language.

    Attributes:
        threshold: in the file ``pass``: share of scripts that must pass for the suite to pass.
        slots: by name. ``values``: for each attribute plausible values, for baits. ``fillers``: lines of small talk.
    """

    suite: Kind
    language: Annotated[str, Field(min_length=2)]
    title: str = ""
    about: str = ""
    threshold: Share = Field(default=0.8, alias="pass")
    slots: dict[Name, Slot] = Field(default_factory=dict)
    values: dict[str, Texts] = Field(default_factory=dict)
    fillers: Templates = ()
    scripts: tuple[Script, ...] = Field(min_length=1)

    @property
    def id(self) -> str:
        """Name and language, ``three_rounds.en``."""
        return f"{self.suite}.{self.language}"

    def script(self, script_id: str) -> Script:
        """The script of this id. Raises KeyError."""
        return next(script for script in self.scripts if script.id == script_id)

    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of everything that is given in it; a field that may be given one day changes nothing."""
        return hashlib.sha256(self.model_dump_json(by_alias=True, exclude_defaults=True).encode()).hexdigest()[:16]

"""Facts: (subject, attribute, value) with polarity, status and evidence."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from harness.state.base import Frozen

USER = "user"
CHARACTER = "character"
"""The two reserved subjects and speakers. Any other subject is a third person's or thing's name."""


class FactStatus(StrEnum):
    """Where a fact stands. Only ``active`` and ``disputed`` facts are ever shown to a model."""

    active = "active"
    superseded = "superseded"
    retracted = "retracted"
    disputed = "disputed"


class Fact(Frozen):
    """One thing that was stated.

    Attributes:
        id: ``f<n>``, unique on a branch; persona facts carry ``p:<attribute>``.
        subject: whom or what it is about: ``user``, ``character``, or a name.
        attribute: canonical key of the language pack (``job``, ``pet`` …), or free words.
        value: in the language it was said in.
        polarity: False for "never", "no", "not".
        speaker: who said it (``user``, ``character``, ``persona``, or a name); not whom it is about.
        turn: number of the turn it was said in; 0 for persona facts.
        quote: the words that carry it.
        single: the attribute holds one value at a time, so a new value supersedes.
        supersedes: id of the fact this one replaced.
        pinned: always shown to the model.
        language: language code of ``value``.
        at: when it was said.
        when: words for the time it speaks of, as they were said ("last May", 下周三); empty without such words.
        when_at: what those words meant when they were said.
        importance: 0 to 1, as a model weighed it when it was said; None where rules weigh it.
        degree: how much, on the scale from 2 (love) over 0 (do not mind) to -2 (hate); None where that says nothing.
    """

    id: str
    subject: str
    attribute: str
    value: str
    polarity: bool = True
    status: FactStatus = FactStatus.active
    speaker: str = USER
    turn: int = 0
    quote: str = ""
    single: bool = False
    supersedes: str | None = None
    pinned: bool = False
    language: str = ""
    at: datetime | None = None
    when: str = ""
    when_at: datetime | None = None
    degree: int | None = None
    importance: float | None = None

    def key(self) -> tuple[str, str]:
        """(subject, attribute), case-folded: the scope within which facts supersede each other."""
        return self.subject.casefold(), self.attribute.casefold()

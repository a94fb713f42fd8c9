"""What a grader of one expectation gets, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from harness.blindtest.suite import Script, Step, Suite
from harness.blindtest.transcript import Exchange, Outcome, Transcript
from harness.language import LanguagePack, LanguagePacks
from harness.state import Persona


@dataclass(frozen=True, slots=True)
class Material:
    """A transcript with everything it is graded by.

    Attributes:
        values: slots and captured values.
        language: of the reply, where it is expected to be another one than the suite's.
    """

    transcript: Transcript
    suite: Suite
    script: Script
    persona: Persona
    packs: LanguagePacks
    values: Mapping[str, str] = field(default_factory=dict)
    language: str = ""

    @property
    def pack(self) -> LanguagePack:
        """The pack that the reply is read with: of the suite's language, or of the one that is expected."""
        return self.packs.get(self.language or self.suite.language)

    def asked(self, number: int, index: int) -> Exchange | None:
        """The exchange of a step that says something; None when the trial did not get there."""
        found = (one for one in self.transcript.exchanges if (one.round, one.step) == (number, index))
        return next((one for one in found if not one.filler), None)

    def refused(self, number: int, index: int) -> str:
        """Why the witness could not do something before a step; empty when it did everything so far."""
        found = (one for one in self.transcript.happenings if one.refused and (one.round, one.step) <= (number, index))
        return next((one.refused for one in found), "")

    def latest(self, number: int, index: int) -> Exchange | None:
        """The last exchange up to a step, its fillers included."""
        upto = [one for one in self.transcript.exchanges if (one.round, one.step) <= (number, index)]
        return upto[-1] if upto else None


@dataclass(frozen=True, slots=True)
class Judged:
    """What a grader says of one expectation. ``evidence``: words of the reply or the state."""

    expectation: str
    outcome: Outcome
    evidence: str = ""
    grader: str = "facts"
    confidence: float = 1.0


def passed(expectation: str, good: bool, evidence: str = "", *, grader: str = "facts") -> Judged:
    """A plain verdict."""
    return Judged(expectation, "pass" if good else "fail", evidence, grader)


Judging = Iterator[Judged]
Place = tuple[int, int, Step]
"""Round, step, and the step itself."""

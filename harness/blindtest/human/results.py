"""What human tests come to: how often the judges were right, and how often a witness was taken for a human being."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from harness.blindtest import statistics
from harness.blindtest.human.saved import REASONS, Judgement, Opened, SessionFolder, sessions_in
from harness.blindtest.human.sealing import LETTERS
from harness.blindtest.results import Share
from harness.errors import RunError
from harness.state.base import Frozen

CHANCE = 0.5


class Reasoned(Frozen):
    """Verdicts that were decided on one reason, and how many of them were right."""

    sessions: int = 0
    right: int = 0


class HumanResults(Frozen):
    """All sessions together.

    Attributes:
        right: verdicts that found the human being, of sessions in which there was one, at the channel or in what was recorded.
            ``p``: two-sided exact binomial test against chance, one half.
        taken: witness -> sessions with a human being in which it was taken for the human being, with ``taken_p`` as above.
        machines: (witness, recorded machine) -> sessions of these two in which the witness was taken for the human being. Nobody is right
            about them, so they are in no other number but ``sessions``.
        reasons: by what was decided on. ``sure_right``, ``sure_wrong``: mean confidence.
        silent: kind of seat -> share of messages without a reply in time.
        left_out: (session, why it is not counted).
    """

    sessions: int
    right: Share
    p: float
    taken: dict[str, Share] = Field(default_factory=dict)
    taken_p: dict[str, float] = Field(default_factory=dict)
    machines: tuple[tuple[str, str, Share], ...] = ()
    reasons: dict[str, Reasoned] = Field(default_factory=dict)
    sure_right: float = 0.0
    sure_wrong: float = 0.0
    silent: dict[str, float] = Field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()


def human_results(folder: Path) -> HumanResults:
    """Count the sessions below a folder.

    A session counts when it has a verdict, its key fits the commitment that was stored before the first message, and both channels said
    something.

    Raises:
        RunError: there is no session. MissingExtra: the extra ``blindtest`` is not installed.
    """
    sessions = sessions_in(folder)
    if not sessions:
        raise RunError(f"There is no session of a human test in {folder}.", remedy="Hold one: harness blindtest human.")
    counted: list[tuple[Judgement, Opened]] = []
    left_out: list[tuple[str, str]] = []
    said: Counter[str] = Counter()
    silent: Counter[str] = Counter()
    for session in sessions:
        judgement, opened, why = _read(session)
        if judgement is None or opened is None or why:
            left_out.append((session.path.name, why))
            continue
        counted.append((judgement, opened))
        for line in session.lines():
            if line.who == "other":
                kind = opened.key.seats[line.channel].kind
                said[kind] += 1
                silent[kind] += not line.text
    sessions_counted = len(counted)
    taken: dict[str, list[bool]] = {}
    machines: dict[tuple[str, str], list[bool]] = {}
    for judgement, opened in counted:
        witness, other = (
            opened.key.seats[opened.key.letter_of_witness()],
            opened.key.seats[opened.key.letter_of_other()],
        )
        mistaken = judgement.human == opened.key.letter_of_witness()
        if other.human:
            taken.setdefault(witness.name, []).append(mistaken)
        else:
            machines.setdefault((witness.name, other.name), []).append(mistaken)
    counted = [(one, opened) for one, opened in counted if opened.key.seats[opened.key.letter_of_other()].human]
    right = [judgement.human == opened.key.letter_of_other() for judgement, opened in counted]
    sure = [judgement.confidence for judgement, _ in counted]
    return HumanResults(
        sessions=sessions_counted,
        right=Share.of(right),
        p=statistics.binomial(sum(right), len(right), CHANCE),
        taken={name: Share.of(found) for name, found in sorted(taken.items())},
        taken_p={name: statistics.binomial(sum(found), len(found), CHANCE) for name, found in sorted(taken.items())},
        machines=tuple((*names, Share.of(found)) for names, found in sorted(machines.items())),
        reasons={
            reason: Reasoned(sessions=len(found), right=sum(found))
            for reason in REASONS
            if (found := [good for good, (one, _) in zip(right, counted, strict=True) if one.reason == reason])
        },
        sure_right=_mean(one for one, good in zip(sure, right, strict=True) if good),
        sure_wrong=_mean(one for one, good in zip(sure, right, strict=True) if not good),
        silent={kind: silent[kind] / number for kind, number in sorted(said.items())},
        left_out=tuple(left_out),
    )


def _read(session: SessionFolder) -> tuple[Judgement | None, Opened | None, str]:
    """Verdict and key of a session, and why it is not counted."""
    try:
        info, judgement, opened = session.info(), session.judgement(), session.opened()
    except RunError as failure:
        return None, None, failure.message
    if judgement is None:
        return None, None, "it was not held to its end"
    if judgement.ended == "abandoned":
        return judgement, None, "it was ended without a verdict"
    if opened is None:
        return judgement, None, "its key is not there"
    if opened.key.commitment() != info.commitment:
        return judgement, opened, "its key does not fit the commitment made before the first message"
    heard = {line.channel for line in session.lines() if line.who == "other" and line.text}
    mute = [one for one in LETTERS if one not in heard]
    return judgement, opened, f"channel {mute[0]} never said anything" if mute else ""


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0

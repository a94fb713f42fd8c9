"""How calibrations, preferences, interrogations and human tests look in a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from harness.cli.render import counted

if TYPE_CHECKING:
    from harness.app_blindtest import Run
    from harness.blindtest.grading.calibration import Calibration, Tally
    from harness.blindtest.grading.pairs import Preferences
    from harness.blindtest.human.results import HumanResults
    from harness.blindtest.results import Share


def calibration_lines(made: Calibration) -> Iterator[str]:
    """What a judge is worth."""
    who = made.about.get("model", "") if made.about else ""
    yield f"Judge: {made.judge}" + (f", {who}, {made.about['votes']} votes" if who else "")
    yield _tally("all", made.all)
    for name, tally in made.languages.items():
        why = made.why_not(name)
        yield _tally(name, tally) + (f"  does not count (below {made.threshold:.2f})" if why else "  counts")
    yield "by probe"
    for name, tally in made.probes.items():
        yield "  " + _tally(name, tally)
    yield "known/judged: " + ", ".join(f"{name} {number}" for name, number in made.all.confusion.items())
    wrong = [row for row in made.rows if row.got not in (row.label, "undecided")]
    for row in wrong[:20]:
        yield f"wrong: {row.language} {row.id}: {row.label} is known, {row.got} was judged by {row.grader}: {row.evidence}"
    if len(wrong) > 20:
        yield f"… and {len(wrong) - 20} more"


def _tally(name: str, tally: Tally) -> str:
    return (
        f"{name:<14} {tally.right}/{tally.right + tally.wrong} right = {tally.accuracy:.0%} [{tally.low:.0%}, {tally.high:.0%}]"
        + (f", {tally.undecided} undecided" if tally.undecided else "")
    )


def preference_lines(made: Preferences) -> Iterator[str]:
    """Who is preferred."""
    yield (
        f"{len(made.pairs)} pairs: {made.for_first} for {made.first}, {made.for_second} for {made.second}, {made.none} for neither "
        f"(p = {made.p:.3f})"
    )
    yield f"In {made.position} of {made.votes} votes the two orders disagreed; they count for neither."
    if made.p >= 0.05:
        yield "No winner: the difference is within the noise."


def interrogation_rows(made: Run) -> list[dict[str, Any]]:
    """For programs: a row for each conversation."""
    return [
        {**one.trial.model_dump(mode="json"), "turns": len(one.exchanges), "error": one.error}
        | (one.interrogation.model_dump(mode="json") if one.interrogation else {})
        for one in made.folder.transcripts()
    ]


def interrogation_lines(made: Run) -> Iterator[str]:
    """A line for each conversation, and the shares."""
    from harness.blindtest.reporting import read_held
    from harness.cli.blindtest_looking import asking_lines

    for one in made.folder.transcripts():
        found = one.interrogation
        place = f"{one.trial.witness} · {one.trial.persona} · {one.trial.script}"
        if found is None or one.error:
            yield f"{place}: ended early: {one.error}"
            continue
        told = f"void ({found.void})" if found.void else f"{found.verdict}, {found.confidence:.0%} sure, {found.reason}"
        yield f"{place}: {told}"
        if found.quote and not found.void:
            yield f"    “{found.quote}” {found.reasoning}"
        for noticed in found.noticed:
            yield f"    noticed: {noticed}"
    for witness in made.results.witnesses:
        share = witness.probes["all"]
        yield f"{witness.name}: passed {_share(share)}" + (f", {witness.errors} ended early" if witness.errors else "")
    yield from asking_lines(read_held(made.folder))
    if made.stopped:
        yield f"Stopped: {made.stopped}. Go on with --resume and a higher bound."
    yield f"The run is in {made.folder.path}."


def human_lines(made: HumanResults) -> Iterator[str]:
    """What human tests come to."""
    yield counted(made.sessions, "session")
    if made.right.total:
        yield f"the human being was found in {_share(made.right)}, p = {made.p:.3f} against chance"
    for name, share in made.taken.items():
        yield f"{name} was taken for the human being in {_share(share)}, p = {made.taken_p[name]:.3f} against chance"
    for witness, other, share in made.machines:
        yield f"{witness} rather than {other}, a machine too, was taken for the human being in {_share(share)}"
    for name, reasoned in made.reasons.items():
        yield f"decided on {name}: {reasoned.sessions}, {reasoned.right} of them right"
    if made.right.total:
        yield f"confidence when right {made.sure_right:.0%}, when wrong {made.sure_wrong:.0%}"
    for kind, share_silent in made.silent.items():
        if share_silent:
            yield f"{kind}: no answer in time to {share_silent:.0%} of the messages"
    for session, why in made.left_out:
        yield f"not counted: {session}: {why}"


def _share(share: Share) -> str:
    return f"{share.passed} of {share.total} = {share.share:.0%} [{share.low:.0%}, {share.high:.0%}]"

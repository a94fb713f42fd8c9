"""Conversations of another system put into the folder of a run. Part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_blindtest_judging import judged
from harness.blindtest.folder import RunFolder
from harness.blindtest.importing import Recorded, refused
from harness.blindtest.plan import Plan
from harness.blindtest.retelling import retell
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Transcript
from harness.errors import PersonaError, RunError, SuiteError
from harness.state import Persona

if TYPE_CHECKING:
    from harness.app_blindtest import Bench, Run


async def keep(
    bench: Bench,
    recorded: Sequence[Recorded],
    suites: Sequence[str | Path],
    *,
    out: str | Path,
    file: str | Path = "",
    problems: Sequence[tuple[int, str]] = (),
    call: Sequence[str] = (),
) -> Run:
    """Put conversations that another system held into a run folder, and grade them.

    Args:
        recorded: see :func:`harness.blindtest.importing.read_recorded`.
        suites: those they were held by, by name or path; those that they name, when there are none.
        file: they are from, for messages. ``problems``: (line, what is wrong) found in it already, told together with what is found here.
        call: as for :meth:`harness.app_blindtest.Bench.run`.

    Raises:
        RunError: a conversation is not one of its script, its suite or character is not known (all mistakes are listed); there is a run
            in the folder. SuiteError: a suite is wrong.
    """
    from harness.app_blindtest import Run

    chosen, unknown = _suites(bench, recorded, suites)
    people: dict[str, Persona] = {}
    transcripts: list[Transcript] = []
    wrong = list(problems)
    for one in recorded:
        try:
            if one.suite in unknown:
                raise unknown[one.suite]
            transcripts.append(await _retold(bench, one, chosen, people))
        except (RunError, PersonaError, SuiteError) as failure:
            told = failure.message if failure.message.startswith("line ") else f"line {one.line}: {failure.message}"
            wrong.append((one.line, told))
    if wrong:
        raise refused(file, wrong)
    plan = Plan(tuple(one.trial for one in transcripts))
    held = {one.trial.suite for one in transcripts}
    names = dict.fromkeys(one.trial.witness for one in transcripts)
    info = bench.info(
        [suite for suite in chosen.values() if suite.id in held], people, {name: {"kind": "recorded"} for name in names},
        plan, max(one.repeat for one in recorded) + 1, min(one.seed for one in recorded),
    )  # fmt: skip
    info = info.model_copy(update={"call": tuple(call)})
    folder = RunFolder(out)
    with folder.alone():
        folder.begin(info, resume=False)
        for transcript in transcripts:
            folder.add(transcript)
        return Run(folder, info, plan, await judged(bench, folder, info, transcripts, "rules"))


def _suites(
    bench: Bench, recorded: Sequence[Recorded], suites: Sequence[str | Path]
) -> tuple[dict[str, Suite], dict[str, SuiteError]]:
    """Suites by id, and why there are not those of these names."""
    if suites:
        return {one.id: one for one in bench.suites(suites)}, {}
    found: dict[str, Suite] = {}
    unknown: dict[str, SuiteError] = {}
    for name in sorted({one.suite for one in recorded}):
        try:
            found |= {one.id: one for one in bench.suites([name])}
        except SuiteError as failure:
            unknown[name] = failure
    return found, unknown


async def _retold(bench: Bench, one: Recorded, chosen: dict[str, Suite], people: dict[str, Persona]) -> Transcript:
    suite = chosen.get(one.suite)
    if suite is None:
        raise RunError(
            f"expected a suite of {', '.join(chosen) or 'those that are given'}, got {one.suite!r}.",
            remedy="Give its file or folder with --suite, where it is none of the package.",
        )
    ((name, persona),) = bench.personas([one.persona], ()).items()
    people[name] = persona
    pack = bench.base.languages.get(suite.language)
    return await retell(one, suite=suite, persona=persona, persona_id=name, pack=pack)

"""Grading many transcripts, in several processes; the same verdicts in the same order as one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from harness.blindtest.grading.grade import grade
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Graded, Transcript
from harness.language import LanguagePacks, load_packs
from harness.state import Persona

CHUNK = 100
"""Transcripts that are sent to a process at once."""
_FEW = 2 * CHUNK
"""Up to which other processes would take longer to start than to grade."""


def grade_all(
    transcripts: Iterable[Transcript],
    *,
    suites: Mapping[str, Suite],
    personas: Mapping[str, Persona],
    packs: LanguagePacks,
    jobs: int = 1,
    pack_paths: Sequence[str | Path] = (),
) -> Iterator[Graded]:
    """The verdicts on many transcripts, in their order.

    Args:
        transcripts: read as they are needed.
        suites: by id. ``personas``: by the id that trials name.
        packs: of the languages of the suites.
        jobs: processes; with 1, and for few transcripts, all is done in this one.
        pack_paths: files or folders of language packs besides the packaged ones, which other processes load for themselves.

    Raises:
        KeyError: a transcript is of a suite, script or persona that is not given.
    """
    waiting = iter(transcripts)
    first = list(islice(waiting, _FEW + 1)) if jobs > 1 else []
    if jobs <= 1 or len(first) <= _FEW:
        for one in (*first, *waiting):
            yield _graded(one, suites, personas, packs)
        return
    texts = {name: suite.model_dump_json(by_alias=True) for name, suite in suites.items()}
    people = {name: persona.model_dump_json() for name, persona in personas.items()}
    with ProcessPoolExecutor(
        jobs,
        mp_context=get_context("spawn"),
        initializer=_prepare,
        initargs=(texts, people, tuple(map(str, pack_paths))),
    ) as pool:
        for graded in pool.map(_chunk, _chunks(first, waiting)):
            yield from (Graded.model_validate_json(one) for one in graded)


def _graded(
    one: Transcript, suites: Mapping[str, Suite], personas: Mapping[str, Persona], packs: LanguagePacks
) -> Graded:
    return grade(one, suite=suites[one.trial.suite], persona=personas[one.trial.persona], packs=packs)


def _chunks(first: list[Transcript], rest: Iterator[Transcript]) -> Iterator[list[str]]:
    def all_of() -> Iterator[str]:
        yield from (one.model_dump_json() for one in first)
        yield from (one.model_dump_json() for one in rest)

    texts = all_of()
    while chunk := list(islice(texts, CHUNK)):
        yield chunk


_STAGE: dict[str, tuple[dict[str, Suite], dict[str, Persona], LanguagePacks]] = {}
"""What a process grades with, under one key, set when it starts."""


def _prepare(texts: dict[str, str], people: dict[str, str], pack_paths: tuple[str, ...]) -> None:
    _STAGE["all"] = (
        {name: Suite.model_validate_json(text) for name, text in texts.items()},
        {name: Persona.model_validate_json(text) for name, text in people.items()},
        load_packs(pack_paths),
    )


def _chunk(texts: list[str]) -> list[str]:
    suites, personas, packs = _STAGE["all"]
    return [_graded(Transcript.model_validate_json(text), suites, personas, packs).model_dump_json() for text in texts]

"""What grades: a digest of the rules, so that verdicts of other rules are known to be old."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.blindtest.transcript import Graded, Transcript
from harness.language import LanguagePacks

LIKE = "like "
"""How an expectation begins that vectors decide."""
_PACKAGE = Path(__file__).parents[2]
_SOURCES = ("blindtest/grading", "understanding")
_FILES = tuple(f"blindtest/{name}.py" for name in ("captures", "heard", "meaning", "naming", "slots", "templates"))
"""Sources that decide about verdicts, below the package."""


@lru_cache(maxsize=8)
def rules_digest(packs: LanguagePacks) -> str:
    """The first 16 hex digits of the SHA-256 of the graders' source and of the language packs they read with."""
    found = hashlib.sha256()
    for file in _sources():
        found.update(file.relative_to(_PACKAGE).as_posix().encode() + b"\0")
        found.update(file.read_bytes().replace(b"\r\n", b"\n") + b"\0")
    for code in sorted(packs.codes):
        pack = packs.get(code).model_dump(exclude_defaults=True)
        found.update(json.dumps(pack, ensure_ascii=False, sort_keys=True, default=_plain).encode() + b"\0")
    return found.hexdigest()[:16]


def _plain(value: Any) -> Any:
    """Sets have another order in each process."""
    return sorted(value, key=str) if isinstance(value, set | frozenset) else str(value)


def stale(
    transcripts: Iterable[Transcript], graded: Mapping[str, Graded], packs: LanguagePacks, *, embedder: str = ""
) -> tuple[str, ...]:
    """Keys of trials whose verdicts are missing, of other rules, of another transcript, or by the vectors of another embedder.

    ``embedder``: of today, as :class:`~harness.blindtest.transcript.Graded` names it. Empty: none is set, and what one decided before stands.
    """
    rules = rules_digest(packs)
    return tuple(
        one.trial.key
        for one in transcripts
        if (found := graded.get(one.trial.key)) is None
        or found.rules != rules
        or found.transcript != one.digest()
        or (embedder and found.embedder != embedder and _left_to_vectors(found))
    )


def _left_to_vectors(graded: Graded) -> bool:
    """Whether vectors decide anything in it, or would."""
    return any(one.expectation.startswith(LIKE) for one in graded.verdicts)


def _sources() -> Iterator[Path]:
    for folder in _SOURCES:
        yield from sorted((_PACKAGE / folder).rglob("*.py"))
    for name in _FILES:
        yield _PACKAGE / name

"""What a model judge is told about an expectation: its wording, and what to look at for its kind of probe. The texts are data."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.prompts import language_chain
from harness.yaml_strict import load_yaml

FILE = Path(__file__).with_name("rubrics.yaml")
DEFAULT = "default"


@lru_cache(maxsize=1)
def _all() -> dict[str, Any]:
    return dict(load_yaml(FILE))


def _of(language: str) -> dict[str, Any]:
    known = _all()
    return next(dict(known[code]) for code in language_chain(language) if code in known)


def rubric(probe: str, language: str) -> tuple[str, ...]:
    """Lines for a kind of probe; those for any probe where it has none of its own. A kind such as ``time-far`` is a kind of ``time``."""
    known = _of(language)["rubrics"]
    return tuple(known.get(probe) or known.get(probe.partition("-")[0]) or known[DEFAULT])


def criterion(kind: str, language: str, *, value: str, attribute: str = "") -> str:
    """An expectation in words. Raises KeyError: no wording of this kind."""
    text: str = _of(language)["criteria"][kind]
    return text.replace("{attribute}", attribute).replace("{value}", value)


def tones(names: str, language: str) -> str:
    """``warm or glad`` in the words of a language."""
    known = _of(language)["tones"]
    return str(known["or"]).join(str(known.get(name, name)) for name in names.split(" or "))


def kinds(language: str) -> tuple[str, ...]:
    """The kinds of probes that have a rubric."""
    return tuple(_of(language)["rubrics"])


def digest() -> str:
    """The first 16 hex digits of the SHA-256 of the file."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]

"""How a message says that time has passed before it. A witness without a clock knows of it by this line alone, so every one gets it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.blindtest.suite import number_and_unit
from harness.prompts import language_chain
from harness.yaml_strict import load_yaml

FILE = Path(__file__).with_name("passing.yaml")


@lru_cache(maxsize=1)
def _all() -> dict[str, Any]:
    return dict(load_yaml(FILE))


def passed_line(span: str, language: str) -> str:
    """``2 days have passed.`` of ``2 days``, in a language, or English where it has no words for it.

    Raises:
        ValueError: it is no span of time.
    """
    number, unit = number_and_unit(span)
    known = _all()
    words = next(known[code] for code in language_chain(language) if code in known)
    one = float(number) == 1
    template: str = words["one" if one else "many"]
    return template.format(number=number, unit=words["units"][unit][0 if one else 1])

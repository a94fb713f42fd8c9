"""The texts of reports in the languages they can be read in; all of them stand in ``texts.yaml``."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import yaml

from harness.yaml_strict import StrictLoader

LANGUAGES = ("en", "zh")
_FILE = Path(__file__).with_name("texts.yaml")


@lru_cache(maxsize=1)
def texts() -> dict[str, dict[str, str]]:
    """Texts by key, then language."""
    loaded: dict[str, dict[str, str]] = yaml.load(_FILE.read_text(encoding="utf-8"), Loader=StrictLoader)  # noqa: S506 - a safe loader
    return loaded


def text(key: str, language: str = "en", **values: object) -> str:
    """A text with its names filled in. Raises KeyError: there is no such text, or a name has no value."""
    found = texts()[key][language]
    return found.format(**values) if values else found


def page_language(languages: tuple[str, ...]) -> str:
    """The language a page opens in: that of the suites where they have one and there are texts in it, else English."""
    spoken = {one.partition("-")[0] for one in languages}
    return next(iter(spoken)) if len(spoken) == 1 and spoken <= set(LANGUAGES) else LANGUAGES[0]

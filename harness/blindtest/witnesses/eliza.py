"""A control: keyword rules that turn the words of the other round, after Weizenbaum's ELIZA (1966), with rules of its own.

It knows no character. What it passes tells how much a suite can be passed by saying nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from harness.blindtest.transcript import Said, Trial
from harness.language import LanguagePacks
from harness.state import Persona
from harness.yaml_strict import load_yaml

RULES = Path(__file__).with_name("eliza.yaml")
_WORD = re.compile(r"[\w']+|[^\w']+")


@dataclass(frozen=True, slots=True)
class _Rules:
    """``by_word``: blanks stand between words, so that only whole ones are turned."""

    turned: dict[str, str]
    rules: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]
    otherwise: tuple[str, ...]
    by_word: bool


@lru_cache(maxsize=1)
def _all_rules() -> dict[str, _Rules]:
    made = {}
    for code, data in load_yaml(RULES).items():
        made[code] = _Rules(
            dict(data["turned"]),
            tuple((re.compile(one["pattern"], re.IGNORECASE), tuple(one["answers"])) for one in data["rules"]),
            tuple(data["otherwise"]),
            by_word=data["by_word"] == "yes",
        )
    return made


@dataclass(frozen=True, slots=True)
class ElizaWitness:
    """The control. It answers in English where it has no rules for a language."""

    name: str
    packs: LanguagePacks
    about: Mapping[str, Any] = field(default_factory=lambda: {"kind": "control"})

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        """A new conversation."""
        return _Talk(trial, persona.language)

    async def close(self) -> None:
        """Nothing is held."""


class _Talk:
    def __init__(self, trial: Trial, language: str) -> None:
        rules = _all_rules()
        self._rules = rules.get(language, rules["en"])
        self._draw = random.Random(trial.seed)

    async def say(self, text: str) -> Said:
        """The answer of the first rule that finds something."""
        for pattern, answers in self._rules.rules:
            if (match := pattern.search(text)) is not None:
                rest = self._turned(match.groupdict().get("rest") or "")
                return Said(text=self._draw.choice(answers).format(rest=rest.strip()))
        return Said(text=self._draw.choice(self._rules.otherwise))

    def _turned(self, words: str) -> str:
        turned = self._rules.turned
        if self._rules.by_word:
            return "".join(turned.get(word.casefold(), word) for word in _WORD.findall(words))
        pattern = re.compile("|".join(map(re.escape, sorted(turned, key=len, reverse=True))))
        return pattern.sub(lambda match: turned[match[0]], words)

    async def wait(self, span: timedelta) -> None:
        """Nothing."""

    async def undo(self, turns: int) -> None:
        """Nothing: it remembers nothing."""

    async def new_session(self) -> None:
        """Nothing."""

    async def task(self, goal: str) -> None:
        """Nothing."""

    async def close(self) -> None:
        """Nothing is held."""

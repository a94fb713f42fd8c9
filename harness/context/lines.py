"""A fact as a line of the prompt, worked out once: facts never change, and every turn shows the same ones again."""

from __future__ import annotations

from functools import lru_cache

from harness.language import LanguagePack
from harness.state import Fact, Persona
from harness.understanding.checks.holding import statement, told_of

PERSONA_SPEAKER = "persona"


def cached_statement(fact: Fact, *, pack: LanguagePack, persona: Persona) -> str:
    """What :func:`~harness.understanding.checks.holding.statement` gives."""
    if fact.speaker == PERSONA_SPEAKER:
        return statement(fact, pack=pack, persona=persona)
    return _told(fact, pack)


@lru_cache(maxsize=8192)
def _told(fact: Fact, pack: LanguagePack) -> str:
    # The persona is looked at for its own facts only, so that the line depends on nothing else.
    return told_of(fact, pack)

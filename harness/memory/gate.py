"""The promotion gate: what has to be so of a memory before it holds for long, beyond having come up often."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime

from harness.language import LanguagePack
from harness.memory.lexical import normal
from harness.state.memory import MemoryItem
from harness.understanding.moments import find_moments
from harness.understanding.text import has_han, sentences, words
from harness.understanding.topics.shifts import is_question

LONGEST = 200
"""Characters of one sentence that can be checked."""
SHORTEST = 3
"""Words, or Han characters, of one that says something."""
TASKS = 2
"""Tasks in which it must have been used."""


def refused(item: MemoryItem, *, tasks: Collection[str], pack: LanguagePack, now: datetime | None) -> str:
    """Why an item does not pass, in words; empty when it does.

    Args:
        tasks: ids of the tasks in which the same was said.
    """
    text = item.quote or item.text
    used = len({task for task in tasks if task})
    if used < TASKS:
        return f"used in {used} of {TASKS} tasks"
    at = now if now is not None and now.tzinfo is not None else datetime(2000, 1, 1, tzinfo=UTC)
    if item.when or item.when_at is not None or find_moments(text, pack=pack, now=at):
        return "true only at a time"
    if len(sentences(text)) != 1 or len(text) > LONGEST:
        return "more than one sentence"
    if is_question(text) or pack.finds(pack.text.hypotheticals, text):
        return "asks or supposes"
    if len(normal(text).replace(" ", "") if has_han(text) else words(text)) < SHORTEST:
        return "too little to check"
    return ""

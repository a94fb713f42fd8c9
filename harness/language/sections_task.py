"""Pack section ``task``: what people say about a task at hand."""

from __future__ import annotations

import re
from functools import cached_property

from harness.language.phrases import LowerRegex, Phrases, alternatives
from harness.state.base import Frozen

Words = tuple[str, ...]


class TaskCues(Frozen):
    """Section ``task``. Patterns of reports have a group ``what``: the line that is kept.

    Attributes:
        done: a step is finished ("I've booked the hotel", 酒店订好了).
        todo: a step is left ("we still need to …", 还要…).
        ruled_out: something was refused, or tried without success ("not the Hilton", 试过…没用).
        refused: wording of a clause that speaks against what it names ("no", "instead of", 除了); no group is needed.
        confirmed: something is settled ("the budget is 800", 就定周一).
        unsure: wording of the sentence that makes it no report (questions, conditions, wishes).
        other_subject: how a sentence begins that is about somebody else's doings.
        trim: words cut from both ends of a line (articles, particles); for ``ruled_out`` also ``trim_ruled_out``.
        empty: lines that say nothing ("it", 这个).
    """

    done: tuple[LowerRegex, ...] = ()
    todo: tuple[LowerRegex, ...] = ()
    ruled_out: tuple[LowerRegex, ...] = ()
    refused: tuple[LowerRegex, ...] = ()
    confirmed: tuple[LowerRegex, ...] = ()
    unsure: tuple[LowerRegex, ...] = ()
    other_subject: tuple[LowerRegex, ...] = ()
    trim: Words = ()
    trim_ruled_out: Words = ()
    empty: Words = ()

    @cached_property
    def empty_phrases(self) -> Phrases[str]:
        """``empty``, indexed."""
        return Phrases.of(self.empty)

    @cached_property
    def edges(self) -> re.Pattern[str]:
        """``trim`` at either end."""
        return _edges(self.trim)

    @cached_property
    def ruled_out_edges(self) -> re.Pattern[str]:
        """``trim`` and ``trim_ruled_out`` at either end."""
        return _edges((*self.trim, *self.trim_ruled_out))


def _edges(words: Words) -> re.Pattern[str]:
    either = alternatives(words)
    return re.compile(
        rf"^(?:(?:{either})(?:\s+|(?=[\u3400-\u9fff])))+|(?:(?:\s+|(?<=[\u3400-\u9fff]))(?:{either}))+$", re.IGNORECASE
    )

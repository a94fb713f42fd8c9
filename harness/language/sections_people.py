"""Part ``people`` of the pack section ``entities``: how speakers of a scene refer to each other and to others."""

from __future__ import annotations

import re
from functools import cached_property

from pydantic import Field

from harness.language.phrases import Phrases, alternatives
from harness.state.base import Frozen

Words = tuple[str, ...]


class PeopleCues(Frozen):
    """Words for persons in a talk of several.

    Attributes:
        words: sort -> words. ``first``: the speaker; ``second``: who is spoken to; ``male`` / ``female`` / ``it``: one person
            spoken of; ``we`` / ``they``: several; ``dear``: words that address somebody ("honey", 亲爱的); ``group``: words that address
            several ("guys", 各位).
        plural_after: words right after a ``second`` that make it several ("guys", "two").
        general: words for persons in general ("people", 人们).
        titles: words before a name that are no part of it ("Mr").
        nicknames: short form -> full given names it is short for. Beginnings of a name (three letters or more) are understood without.
        calls: words right before a name that addresses somebody ("hey").
        endearments: endings after a whole name ("Benny"); clippings: those after the beginning of one ("Robs").
    """

    words: dict[str, Words] = Field(default_factory=dict)
    plural_after: Words = ()
    general: Words = ()
    titles: Words = ()
    nicknames: dict[str, Words] = Field(default_factory=dict)
    calls: Words = ()
    endearments: Words = ()
    clippings: Words = ()

    @cached_property
    def call(self) -> re.Pattern[str]:
        """A word of ``calls`` at the end."""
        return re.compile(rf"(?<!\w)(?:{alternatives(self.calls)})\s*$", re.IGNORECASE)

    @cached_property
    def sort_of(self) -> dict[str, str]:
        """Word -> sort."""
        return {word.lower(): sort for sort, words in self.words.items() for word in words}

    @cached_property
    def phrases(self) -> Phrases[str]:
        """``words``, indexed."""
        return Phrases(self.sort_of)

    @cached_property
    def general_set(self) -> frozenset[str]:
        """``general``, lower-cased."""
        return frozenset(word.lower() for word in self.general)

    @cached_property
    def title_set(self) -> frozenset[str]:
        """``titles``, lower-cased."""
        return frozenset(word.lower() for word in self.titles)

"""Part ``focus`` of the pack section ``entities``: what a short message is about, where no name list knows it."""

from __future__ import annotations

import re
from functools import cached_property

from harness.language.phrases import Phrases, alternatives, caseless, fill
from harness.state.base import Frozen

Words = tuple[str, ...]


class FocusCues(Frozen):
    """What messages without capital letters or blanks talk about ("你知道X吗", "X是谁").

    Attributes:
        frames: wordings of a whole clause around what it is about; group ``name``. ``{topic}`` stands for a span without
            the words of ``outside``; ``{cut}`` for the words of ``cuts``.
        outside: words that never stand inside a name.
        cuts: words at which a clause is cut into pieces: particles, pronouns, common verbs and adjectives.
        openers, closers: words taken off the two ends of a piece.
        dull: pieces that are too general to be talked about; ``dull_forms``: regular expressions of such.
        surnames: family names. ``foreign``: characters that write foreign names by their sound.
        place_endings: nouns at the end of a place's name.
        given_characters: characters that given names are made of.
        name_before, name_after: regular expressions of what may stand next to a name of two characters; ``name_close``: of
            what may stand before one at the end of a clause.
        acts: regular expressions of what tells of doing and no name of a person holds (进来坐, 趁热喝).
        honorifics: words at the end of a person's name or description.
        person_after, thing_after: regular expressions of what follows something that is a person, that is none.
        asks_person, asks_thing: the same of what follows a pronoun.
        parts: nouns that something has ("author", "price", 作者): a question for one without an owner asks about the topic.
    """

    frames: Words = ()
    outside: Words = ()
    cuts: Words = ()
    openers: Words = ()
    closers: Words = ()
    dull: Words = ()
    dull_forms: Words = ()
    surnames: Words = ()
    foreign: str = ""
    acts: Words = ()
    honorifics: Words = ()
    person_before: Words = ()
    person_after: Words = ()
    thing_before: Words = ()
    thing_after: Words = ()
    asks_person: Words = ()
    asks_thing: Words = ()
    parts: Words = ()
    place_endings: Words = ()
    given_characters: str = ""
    name_before: Words = ()
    name_after: Words = ()
    name_close: Words = ()

    @cached_property
    def frame_expressions(self) -> tuple[re.Pattern[str], ...]:
        """``frames``, compiled."""
        outside = alternatives(self.outside)
        slots = {"topic": rf"(?:(?!{outside})\w)" + "{1,12}", "cut": f"(?:{alternatives(self.cuts)})"}
        return tuple(caseless(fill(frame, slots)) for frame in self.frames)

    @cached_property
    def cut_phrases(self) -> Phrases[str]:
        """``cuts``, indexed."""
        return Phrases.of(self.cuts)

    @cached_property
    def dull_set(self) -> frozenset[str]:
        """``dull``, lower-cased."""
        return frozenset(word.lower() for word in self.dull)

    @cached_property
    def opener(self) -> re.Pattern[str]:
        """Words at the beginning of a piece that are no part of it."""
        return re.compile(rf"^(?:{alternatives(self.openers)})+", re.IGNORECASE)

    @cached_property
    def closer(self) -> re.Pattern[str]:
        """Words at the end of a piece that are no part of it."""
        return re.compile(rf"(?:{alternatives(self.closers)})+$", re.IGNORECASE)

    @cached_property
    def surname(self) -> re.Pattern[str]:
        """A family name at the beginning of a piece."""
        return re.compile(rf"^(?:{alternatives(self.surnames)})")

    @cached_property
    def foreign_name(self) -> re.Pattern[str]:
        """A foreign name written by its sound: three or more of ``foreign`` in a row."""
        return re.compile(f"[{re.escape(self.foreign)}]{{3,}}") if self.foreign else re.compile("(?!)")

    def any_of(self, field: str) -> re.Pattern[str]:
        """One expression for a list of them, compiled once."""
        return self._any[field]

    @cached_property
    def _any(self) -> dict[str, re.Pattern[str]]:
        def made(sources: Words, form: str) -> re.Pattern[str]:
            return caseless(form.format("|".join(f"(?:{one})" for one in sources) or "(?!)"))

        return {
            "person_before": made(self.person_before, "(?:{})$"),
            "person_after": made(self.person_after, "^(?:{})"),
            "thing_before": made(self.thing_before, "(?:{})$"),
            "thing_after": made(self.thing_after, "^(?:{})"),
            "asks_person": made(self.asks_person, "^(?:{})"),
            "name_before": made(self.name_before, "(?:{})$"),
            "dull_forms": made(self.dull_forms, "^(?:{})$"),
            "name_close": made(self.name_close, "(?:{})$"),
            "name_after": made(self.name_after, "^(?:{})"),
            "acts": made(self.acts, "{}"),
            "asks_thing": made(self.asks_thing, "^(?:{})"),
        }

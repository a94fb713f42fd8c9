"""Pack section ``called``: how somebody is called by a name, and what only looks like it."""

from __future__ import annotations

from functools import cached_property

from harness.state.base import Frozen

Words = tuple[str, ...]


class CalledCues(Frozen):
    """Section ``called``. Every pattern is matched against one sentence with ASCII marks; group ``name`` is the name.

    Attributes:
        opening: calls at the beginning ("Tom, …"); group ``rest`` is what is said to them. A capital letter tells nothing there.
        closing: calls at the end ("…, Tom?"); group ``before`` is what was said. ``greeting``: a name right after a greeting.
        assigned: making somebody of that name of the listener ("from now on you are Tom").
        presented: what follows a name there that says who that is (", a driver in Leeds").
        games: messages in which such a name is only played with.
        forms: what a name looks like as a whole; where there are none, given names and capital letters tell. A group ``own`` has
            to be a family name, or a name itself.
        titles: endings or beginnings of a form that are no part of the name (姐, 老师).
        pet_endings: regular expressions of endings that make a pet form of a name (y, 儿).
        words: ordinary words that look like a short full name (安静). ``word_forms``: regular expressions of such words.
        terms: words that address anybody ("mate", 师傅), lower-cased.
        listener: shows that a sentence is said to a listener.
        aside_after: beginnings of ``rest`` that speak of the name instead ("Tom, who …"). ``aside_before``: the same of
            the end of ``before`` ("he said, Tom").
        quoted: stretches in which somebody else may be talking.
    """

    opening: Words = ()
    closing: Words = ()
    greeting: Words = ()
    assigned: Words = ()
    presented: Words = ()
    games: Words = ()
    forms: Words = ()
    titles: Words = ()
    pet_endings: Words = ()
    words: Words = ()
    word_forms: Words = ()
    terms: Words = ()
    listener: Words = ()
    aside_after: Words = ()
    aside_before: Words = ()
    quoted: Words = ()

    @cached_property
    def term_set(self) -> frozenset[str]:
        """``terms``, lower-cased."""
        return frozenset(term.lower() for term in self.terms)

    @cached_property
    def word_set(self) -> frozenset[str]:
        """``words`` as a set."""
        return frozenset(self.words)

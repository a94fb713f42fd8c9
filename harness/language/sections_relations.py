"""Pack section ``relations``: what stands between persons, places and organizations, and how it is said."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from pydantic import Field

from harness.language.phrases import Phrases
from harness.state.base import Frozen

Words = tuple[str, ...]


FIRST_SIGN = 0xE000
KNOWN_SIGNS = "".join(map(chr, range(FIRST_SIGN, FIRST_SIGN + 1024)))
"""Private characters that stand for names that are known, in order, where patterns of relations are matched."""


class RelationKind(Frozen):
    """One relation of the graph. It stands from a subject to an object: the object is the subject's ``manager``.

    Attributes:
        key: the same in every pack.
        words: what the object is called; the first is the usual one.
        flipped: what the subject is called, seen from the object ("subordinate"): the same relation the other way round.
        symmetric: both are it of each other.
        single: there is one object at a time, so that a new one ends the old.
        near: keys of others that answer a question for this one (a father where a parent is asked for).
        attribute: key of the attribute whose values are the objects of this relation ("workplace").
        former: words under which an object is told that is one no more ("former workplace"); the first is the usual one.
        kind: of the object, as entities have it; empty where it is a value and no entity.
        line: how it is told, with ``{subject}`` and ``{object}``; empty: the section's own line.
        asked: regular expressions of questions for it, besides its words.
    """

    key: str
    words: Words = ()
    flipped: Words = ()
    symmetric: bool = False
    single: bool = False
    near: Words = ()
    attribute: str = ""
    former: Words = ()
    kind: str = "person"
    line: str = ""
    asked: Words = ()


class RelationRules(Frozen):
    """Section ``relations``. A pack without it reads no relations of third persons, and words edges by their keys.

    Attributes:
        kinds: the vocabulary.
        line: how an edge is told, with ``{subject}``, ``{word}`` and ``{object}``.
        unnamed: how an edge is told to somebody who has no name ("user's sister"), with ``{subject}`` and ``{word}``.
        ended: the same with its end, with ``{line}`` and ``{date}``.
        owners: how the two who talk are called there, by ``user`` and ``character``.
        mine, yours: regular expressions that show that a message is about its speaker, or about who it is said to.
        past: regular expressions of messages that ask for what was.
        statements: regular expressions of whole clauses that state a relation between two who are both named: groups ``a`` and ``b`` are
            the names, ``r`` what ``a`` is of ``b``; ``own`` instead of ``b`` is a pronoun for who was spoken of. ``{word}`` stands for all
            words of persons, ``{known}`` for the names that are known already.
        mutual: the same for what both are of each other.
        verbs: the same by the key of the relation, where no word says it ("reports to").
        changes: regular expressions of workplaces that changed ("used to work at X, now at Y"): groups ``a`` (or ``me``, the speaker), ``old``, ``new``.
        replacing: regular expressions of clauses whose relation takes the place of the one there was ("new boss").
        sited: regular expressions of a workplace, found over ``value | quote``, that is a town or country and no employer.
        denials: regular expressions of clauses that deny the relation they name.
        affirmed: rewrites of such a clause to what it denies (不再是 to 是), where ``negations`` of the section ``text`` leave it as it is.
        doubts: regular expressions of messages that state nothing: stories, guesses, jokes, what is yet to come. ``{word}`` as above.
        not_names: regular expressions of what looks like a name and is none.
    """

    kinds: tuple[RelationKind, ...] = ()
    line: str = "{subject}: {word}: {object}"
    unnamed: str = "{subject}: {word}"
    ended: str = "{line} (until {date})"
    owners: dict[str, str] = Field(default_factory=dict)
    mine: Words = ()
    yours: Words = ()
    past: Words = ()
    statements: Words = ()
    mutual: Words = ()
    verbs: dict[str, Words] = Field(default_factory=dict)
    changes: Words = ()
    replacing: Words = ()
    denials: Words = ()
    sited: Words = ()
    affirmed: tuple[tuple[str, str], ...] = ()
    doubts: Words = ()
    not_names: Words = ()

    @cached_property
    def by_key(self) -> dict[str, RelationKind]:
        """Key → relation."""
        return {kind.key: kind for kind in self.kinds}

    @cached_property
    def by_attribute(self) -> dict[str, RelationKind]:
        """Attribute of the pack → relation."""
        return {kind.attribute: kind for kind in self.kinds if kind.attribute}

    @cached_property
    def by_word(self) -> dict[str, tuple[RelationKind, bool]]:
        """Word, lower-cased → relation, and whether the word is a flipped one."""
        found: dict[str, tuple[RelationKind, bool]] = {}
        for kind in self.kinds:
            for words, flipped in ((kind.words, False), (kind.flipped, True)):
                for word in words:
                    found.setdefault(word.casefold(), (kind, flipped))
        return found

    @cached_property
    def by_former(self) -> dict[str, RelationKind]:
        """Former word, lower-cased → relation."""
        return {word.casefold(): kind for kind in self.kinds for word in kind.former}

    @cached_property
    def phrases(self) -> Phrases[str]:
        """Words and flipped words → key of the relation, indexed."""
        return Phrases({word: kind.key for word, (kind, _) in self.by_word.items()})

    @cached_property
    def person_words(self) -> Words:
        """Words for persons, flipped ones too, the longest first."""
        words = {word for kind in self.kinds if kind.kind == "person" for word in (*kind.words, *kind.flipped)}
        return tuple(sorted(words, key=lambda word: (-len(word), word)))

    @cached_property
    def word_source(self) -> str:
        """``{word}``: the words for persons as an expression."""
        return f"(?:{'|'.join(map(re.escape, self.person_words)) or '(?!)'})"

    def filled(self, source: str) -> str:
        """A pattern with ``{word}`` and ``{known}`` filled in; a known name is one of :data:`KNOWN_SIGNS` there."""
        return source.replace("{word}", self.word_source).replace("{known}", f"[{KNOWN_SIGNS[0]}-{KNOWN_SIGNS[-1]}]")

    def matched(self) -> Iterator[str]:
        """The patterns that every message is held against, as they are compiled."""
        listed = (
            *self.statements,
            *self.mutual,
            *self.changes,
            *(one for group in self.verbs.values() for one in group),
        )
        yield from map(self.filled, listed)

    def sources(self) -> Iterator[tuple[str, str]]:
        """(field, pattern) of every pattern."""
        for field in (
            "mine",
            "yours",
            "past",
            "statements",
            "mutual",
            "changes",
            "replacing",
            "denials",
            "sited",
            "doubts",
            "not_names",
        ):
            yield from ((f"relations.{field}", self.filled(source)) for source in getattr(self, field))
        yield from (("relations.verbs", self.filled(source)) for listed in self.verbs.values() for source in listed)
        yield from (("relations.affirmed", source) for source, _ in self.affirmed)
        yield from (("relations.kinds", source) for kind in self.kinds for source in kind.asked)

"""Pack section ``guards``: messages that aim at the machinery instead of the character."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property

from harness.errors import LanguageError
from harness.language.phrases import caseless, fill
from harness.state.base import Frozen

Sources = tuple[str, ...]
_EDGE = r"\b"
_MOST_NESTED = 4
"""How deep words may be made of other words."""


KINDS = ("bot_question", "override", "role_swap", "role_play", "extraction", "memory_poison")
"""Lists of patterns for what a message wants."""


class GuardCues(Frozen):
    """Section ``guards``. Patterns see text without disguise (see ``harness.understanding.checks.disguise``): plain Latin letters
    without accents, no invisible characters, single blanks. ``{word}`` in a pattern stands for the expression ``word``.

    Attributes:
        words: named expressions, used in all the others.
        letters: two lines of the same length; a character of the first is read as the one below it (無: 无).
        rewrites: spellings to their full form, before anything is looked for ("r u": are you).
        titles: names of works and quotations that are talked about; what is in them is not meant.
        signs: kind -> a message can be of that kind only with one of these in it (lower case; it saves time). A kind
            without signs is always looked for. ``hidden``, ``ciphers`` and ``misspelt`` are words by which a disguise is
            told (see ``harness.understanding.checks.disguise.revealed``).
        bot_question: asks whether the character is a program, a person, by whom it was made.
        override: tells it to drop its instructions, its rules, its role; also forged marks of a chat template.
        role_swap: makes it somebody else. ``role_play``: asks for a part to be played, which may be a game.
        extraction: asks for the prompt, or for secrets.
        memory_poison: wants something to be kept that would change who it is or what the user may do.
        authority: claims of a right to give orders; a sentence of that kind beside an attack is no fact either.
        parts_dealt: who is who in a swap of parts ("I am Mia, you are the guest"); beside one it is no fact either.
        innocent: kind -> what makes a match innocent when it stands in the sentence of the match.
        others: kind -> what makes a match innocent when it stands right before it ("they ignore …", 他…).
        admitted: how a reply says that its speaker is a program, or no human. ``admission``: what else goes with that
            ("I was built by", "I have no body").
        asked_program: a question for which a plain yes admits it ("Are you a bot?"); ``asked_human``: for which a plain
            no does. ``affirmed``, ``refused``: whole sentences that answer so; ``denied``: what in another sentence of
            the reply takes that back.
        templates: marks of a chat template, looked for in the text as it was typed.
    """

    words: Mapping[str, str] = {}
    letters: tuple[str, str] = ("", "")
    rewrites: tuple[tuple[str, str], ...] = ()
    titles: Sources = ()
    signs: Mapping[str, Sources] = {}
    bot_question: Sources = ()
    override: Sources = ()
    role_swap: Sources = ()
    role_play: Sources = ()
    extraction: Sources = ()
    memory_poison: Sources = ()
    authority: Sources = ()
    parts_dealt: Sources = ()
    innocent: Mapping[str, Sources] = {}
    others: Mapping[str, Sources] = {}
    admission: Sources = ()
    admitted: Sources = ()
    asked_program: Sources = ()
    asked_human: Sources = ()
    affirmed: Sources = ()
    refused: Sources = ()
    denied: Sources = ()
    templates: Sources = ()

    def kind(self, name: str) -> re.Pattern[str]:
        """The expression of one list of patterns: a kind of attempt, ``titles`` …, or ``innocent:KIND``, ``others:KIND``.

        Compiled at its first use, since most messages show no sign of most kinds. Matches nothing when there is no such list.

        Raises:
            LanguageError: a pattern does not compile, or uses a word that is not in ``words``.
        """
        found = self._cache.get(name)
        if found is None:
            group, _, kind = name.partition(":")
            value = getattr(self, group, ())
            sources: Sources = value.get(kind, ()) if isinstance(value, Mapping) else value
            ended = tuple(rf"(?:{one})\Z" for one in sources) if group == "others" else sources
            found = self._cache[name] = self._compiled(name, ended)
        return found

    def kinds(self) -> tuple[str, ...]:
        """Every name that :meth:`kind` takes and that has patterns."""
        said = ("admission", "admitted", "asked_program", "asked_human", "affirmed", "refused", "denied")
        lists = ("titles", *KINDS, "authority", "parts_dealt", *said, "templates")
        named = (f"{group}:{kind}" for group in ("innocent", "others") for kind in getattr(self, group))
        return (*(name for name in lists if getattr(self, name)), *named)

    def word(self, name: str) -> re.Pattern[str]:
        """The expression of one of ``words`` as a whole word; matches nothing when there is no such word."""
        found = self._cache.get(f"words:{name}")
        if found is None:
            source = self.words.get(name)
            whole = (rf"(?<![A-Za-z0-9])(?:{source})(?![A-Za-z0-9])",) if source else ()
            found = self._cache[f"words:{name}"] = self._compiled(name, whole)
        return found

    def check(self) -> None:
        """Compile everything. Raises LanguageError at the first pattern that is wrong."""
        if len(self.letters[0]) != len(self.letters[1]):
            message = f"Section guards, letters: {len(self.letters[0])} characters stand above {len(self.letters[1])}."
            raise LanguageError(message, remedy="Give each character the one it is read as, below it.")
        for _, _, found in self.expressions():
            if isinstance(found, LanguageError):
                raise found

    def expressions(self) -> Iterator[tuple[str, str, re.Pattern[str] | LanguageError]]:
        """(field, source, compiled or why it does not compile) of every pattern by itself."""
        for name, source in self._sources():
            try:
                yield name, source, self._compiled(name, (source,))
            except LanguageError as error:
                yield name, source, error

    def _sources(self) -> Iterator[tuple[str, str]]:
        for name in type(self).model_fields:
            value = getattr(self, name)
            if name in ("innocent", "others"):
                yield from ((name, source) for sources in value.values() for source in sources)
            elif name == "words":
                yield from ((name, source) for source in value.values())
            elif name == "rewrites":
                yield from ((name, source) for source, _ in value)
            elif isinstance(value, tuple) and name != "letters":
                yield from ((name, source) for source in value)

    @cached_property
    def _cache(self) -> dict[str, re.Pattern[str]]:
        return {}

    @cached_property
    def plain_letters(self) -> dict[int, int]:
        """``letters`` for :meth:`str.translate`."""
        return {ord(letter): ord(plain) for letter, plain in zip(*self.letters, strict=True)}

    @cached_property
    def spellings(self) -> tuple[tuple[re.Pattern[str], str], ...]:
        """``rewrites``, compiled."""
        return tuple((self._compiled("rewrites", (source,)), put) for source, put in self.rewrites)

    def _compiled(self, name: str, sources: Sources) -> re.Pattern[str]:
        joined = _alternatives(sources)
        for _ in range(_MOST_NESTED):
            joined = fill(joined, {word: f"(?:{expression})" for word, expression in self.words.items()})
        unknown = re.search(r"\{[a-z_]+\}", joined)
        if unknown is not None:
            message = f"Section guards, {name}: the word {unknown[0]} is not defined."
            raise LanguageError(message, remedy="Add it to guards.words.")
        try:
            return caseless(joined, re.MULTILINE)
        except re.error as failure:
            message = f"Section guards, {name}: a pattern is not a regular expression: {failure}."
            raise LanguageError(message, remedy="Correct it.") from failure


def _alternatives(sources: Sources) -> str:
    """One expression for many. What all that begin at a word's edge have in common is tried once, which saves half the time."""
    edged = [source.removeprefix(_EDGE) for source in sources if source.startswith(_EDGE)]
    others = [f"(?:{source})" for source in sources if not source.startswith(_EDGE)]
    if edged:
        others.append(_EDGE + "(?:" + "|".join(f"(?:{source})" for source in edged) + ")")
    return "|".join(others) or r"(?!)"

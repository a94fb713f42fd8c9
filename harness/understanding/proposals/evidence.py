"""What proposals are held against: the words of one turn, what is known, and what a language knows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from harness.state.dialogue import DialogueState
from harness.state.entities import Entity
from harness.state.facts import CHARACTER, USER
from harness.state.persona import Persona
from harness.understanding.proposals.answers import MAX_VALUE
from harness.understanding.proposals.grounding import carried, occurs, plain, scripts


class Refused(Exception):
    """Why a proposal does not hold."""


class Point(Protocol):
    """Where an emotion lies, each from -1 to 1; the language packs' emotion prototypes are such points."""

    @property
    def valence(self) -> float:
        """Pleasant or not."""
        ...

    @property
    def arousal(self) -> float:
        """Stirred or calm."""
        ...

    @property
    def dominance(self) -> float:
        """In control or not."""
        ...


def _same(attribute: str) -> str:
    return attribute


def _no(_: str) -> bool:
    return False


def _yes(_: str) -> bool:
    return True


def _nobody(_: str) -> str:
    return ""


def _no_date(_words: str, _now: datetime) -> None:
    return None


def _no_degree(_attribute: str, _words: str, _polarity: bool) -> None:
    return None


def _stated(_quote: str, _words: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the check has to know of a language. Without it everything still works, with open attributes.

    Attributes:
        key: attribute name as a model or a person writes it -> canonical key.
        is_single: whether the attribute of this key holds one value at a time.
        emotions: canonical label -> its place; ``neutral`` need not be listed. A label outside is neutral.
        is_pronoun: words that name nothing by themselves ("it", 那个).
        other_subject: whom words are about when that is neither speaker nor listener ("my friend hates …" -> friend);
            empty when they are about the speaker or the rules cannot tell.
        may_deny: whether words can deny anything at all (hold a negation of the language). A fact with polarity False
            whose quote cannot is refused.
        date: words of a date and the turn's time -> the moment they mean, or None.
        when: words of a fact and the turn's time -> the words in them that tell a time and the moment meant, or None.
        degree: attribute key, words of a fact and its polarity -> how much, from 2 (love) to -2 (hate), or None.
        unstated: a quote and all its speaker said -> why it states nothing (a joke, a supposition, somebody else's
            words), or empty.
    """

    key: Callable[[str], str] = _same
    is_single: Callable[[str], bool] = _no
    emotions: Mapping[str, Point] = field(default_factory=dict)
    is_pronoun: Callable[[str], bool] = _no
    other_subject: Callable[[str], str] = _nobody
    may_deny: Callable[[str], bool] = _yes
    date: Callable[[str, datetime], datetime | None] = _no_date
    when: Callable[[str, datetime], tuple[str, datetime] | None] = _no_date
    degree: Callable[[str, str, bool], int | None] = _no_degree
    unstated: Callable[[str, str], str] = _stated


@dataclass(frozen=True, slots=True)
class Evidence:
    """One turn.

    Attributes:
        people: names of persons, known ones and those the same answer names.
        language: language code of the turn.
    """

    user_text: str
    reply: str
    state: DialogueState
    persona: Persona
    vocabulary: Vocabulary
    turn: int
    now: datetime
    language: str = ""
    people: tuple[str, ...] = ()

    def words_of(self, side: str) -> str:
        """What one side said in this turn."""
        return self.user_text if side == USER else self.reply

    def side(self, name: str) -> str:
        """``user`` or ``character`` when the name means one of the two, else empty."""
        wanted = plain(name)
        if wanted in {USER, plain(self.state.user)}:
            return USER
        if wanted in {CHARACTER, *(plain(known) for known in (self.persona.name, *self.persona.aliases) if known)}:
            return CHARACTER
        return ""

    def speaker(self, quote: str, claimed: str) -> str:
        """Who said the quoted words in this turn; the claimed side where both did. Raises Refused when nobody did."""
        if not quote.strip():
            raise Refused("it quotes nothing")
        order = (CHARACTER, USER) if self.side(claimed) == CHARACTER else (USER, CHARACTER)
        for side in order:
            if occurs(quote, self.words_of(side)):
                return side
        raise Refused(f"{quote!r} was not said in this turn")

    def entity(self, name: str) -> Entity | None:
        """The known entity of this id, name or alias."""
        wanted = plain(name)
        if not wanted:
            return None
        return next(
            (
                entity
                for entity in self.state.entities
                if wanted in {plain(entity.id), plain(entity.name), *(plain(alias) for alias in entity.aliases)}
            ),
            None,
        )


def grounded(value: str, quote: str, what: str) -> str:
    """The value if the quote carries it in its own script, else the quote's words. Raises Refused when neither fits.

    So a value is never in another language than the words it came from, and never a number or name nobody said.
    """
    value = value.strip()
    if not value:
        raise Refused(f"its {what} is empty")
    if len(value) > MAX_VALUE:
        raise Refused(f"its {what} has {len(value)} characters, at most {MAX_VALUE} are taken")
    if scripts(value) <= scripts(quote) and carried(value, quote):
        return value
    if len(quote) > MAX_VALUE:
        raise Refused(f"the words {quote[:40]!r}… do not carry the {what} {value!r}")
    return quote.strip()


__all__ = ["Evidence", "Point", "Refused", "Vocabulary", "grounded"]

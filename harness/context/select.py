"""Which facts go into the prompt: pinned ones always, then by relevance to the message, then by recency."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.context.lines import cached_statement
from harness.context.tokens import estimate
from harness.language import LanguagePack
from harness.state import CHARACTER, USER, Fact, FactStatus, Retrieved
from harness.understanding.facts import asked_attributes
from harness.understanding.text import terms

if TYPE_CHECKING:
    from harness.turn.turn import Turn

OVER_LIMIT = "facts_max_tokens is reached"
SHOWN = (FactStatus.active, FactStatus.disputed)
REPORTED = 10
RECENCY = 0.2
"""Weight of recency beside relevance: enough to order facts that the message does not touch."""
ASKED_FOR = 2.0
"""Weight of a fact whose attribute the message asks for, over any overlap of words."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The facts to show, oldest first; those considered with their scores, and how many were left out in all.

    Of those left out only the best ``REPORTED`` are listed: a long session would otherwise write them all, every turn.
    """

    facts: tuple[Fact, ...] = ()
    items: tuple[Retrieved, ...] = ()
    left_out: int = 0


def select_facts(turn: Turn, pack: LanguagePack) -> Selection:
    """Choose among the facts in force, disputed ones included, those worth ``facts_max_tokens``.

    Score: share of the message's content words that the fact touches, plus ``ASKED_FOR`` when the message asks for its
    attribute, plus ``RECENCY`` * (turn of the fact / turn now). The message is the self-contained, resolved one.
    """
    facts = tuple(fact for fact in turn.state.facts if fact.status in SHOWN)
    if not facts:
        return Selection()
    asked = terms(turn.resolved or turn.text, pack)
    topic = turn.state.topics.current
    themes = frozenset(topic.keywords[:8]) if topic is not None else frozenset()
    wanted = frozenset(asked_attributes(turn.resolved or turn.text, pack))
    ranked = sorted(
        ((_score(fact, asked, themes, wanted, turn.number, pack), fact) for fact in facts),
        key=lambda pair: (pair[1].pinned, pair[0], pair[1].turn, pair[1].id),
        reverse=True,
    )
    room = turn.settings.facts_max_tokens
    chosen: set[str] = set()
    items = []
    for score, fact in ranked:
        line = fact_line(fact, turn, pack)
        tokens = estimate(line)
        fits = fact.pinned or tokens <= room
        if fits:
            chosen.add(fact.id)
            room -= tokens
        items.append(
            Retrieved(id=fact.id, text=line, score=round(score, 4), tokens=tokens, dropped="" if fits else OVER_LIMIT)
        )
    left_out = [item for item in items if item.dropped]
    kept = [item for item in items if not item.dropped]
    return Selection(
        tuple(fact for fact in facts if fact.id in chosen),
        (*kept, *left_out[:REPORTED]),
        len(left_out),
    )


def fact_line(fact: Fact, turn: Turn, pack: LanguagePack) -> str:
    """A fact as its subject would say it, with a mark when it is disputed."""
    line = cached_statement(fact, pack=pack, persona=turn.persona)
    return pack.lines.disputed.format(text=line) if fact.status is FactStatus.disputed else line


def _score(
    fact: Fact, asked: frozenset[str], themes: frozenset[str], wanted: frozenset[str], now: int, pack: LanguagePack
) -> float:
    own = _words(fact, pack)
    overlap = len(own & asked) / max(1, len(asked)) + 0.3 * len(own & themes) / max(1, len(themes))
    attribute = pack.attribute(fact.attribute) if wanted else None
    return overlap + ASKED_FOR * (attribute is not None and attribute.key in wanted) + RECENCY * fact.turn / max(1, now)


@lru_cache(maxsize=8192)
def _words(fact: Fact, pack: LanguagePack) -> frozenset[str]:
    """What a fact is about: its attribute, its value, and whose it is when that is a third person."""
    own = terms(f"{fact.attribute} {fact.value}", pack)
    return own if fact.subject in (USER, CHARACTER) else own | terms(fact.subject, pack)

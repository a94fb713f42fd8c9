"""Which facts go into the prompt: pinned ones always, then by relevance to the message; recency only breaks ties."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING

from harness.context.lines import PERSONA_SPEAKER, cached_statement
from harness.language import LanguagePack
from harness.memory.informing import KNOWN
from harness.settings.layers import WorkingSettings
from harness.state import CHARACTER, USER, Fact, FactStatus, Retrieved
from harness.understanding.facts.ages import value_now
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.keys import AGE
from harness.understanding.text import fold, terms

if TYPE_CHECKING:
    from harness.turn.turn import Turn

OVER_LIMIT = "facts_max_tokens is reached"
SHOWN = (FactStatus.active, FactStatus.disputed)
REPORTED = 10
ANY = WorkingSettings()
"""No limits but ``facts_max_tokens``."""
THEME = 0.3
"""Weight of the topic's words beside those of the message."""
SPOKEN_OF = 0.3
"""Weight of a fact about somebody or something that was mentioned in this turn or the one before."""
ASKED_FOR = 2.0
"""Weight of a fact whose attribute the message asks for, over any overlap of words."""
OF_TOPIC = 0.5
"""Weight of a fact that was told under the topic the message returns to."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The facts to show, oldest first; those considered with their scores, and how many were left out in all.

    Of those left out only the best ``REPORTED`` are listed: a long session would otherwise write them all, every turn.
    """

    facts: tuple[Fact, ...] = ()
    items: tuple[Retrieved, ...] = ()
    left_out: int = 0


def select_facts(
    turn: Turn, pack: LanguagePack, *, under: frozenset[int] = frozenset(), layer: WorkingSettings = ANY
) -> Selection:
    """Choose among the facts in force, disputed ones included, those worth ``facts_max_tokens``.

    Score: share of the message's content words that the fact touches, a word counting the more the fewer facts have it;
    plus ``THEME`` times the same for the topic's words; plus ``SPOKEN_OF`` when it is about an entity just mentioned;
    plus ``ASKED_FOR`` when the message asks for its attribute; plus ``OF_TOPIC`` when it was told at one of the turns
    ``under`` a topic that is returned to. The message is the self-contained, resolved one. How old a fact is decides only
    between facts of the same score. ``layer`` may set a least score, a greatest number and a greatest age for facts of this
    session; pinned ones always go in. Facts that memory gave have passed the limits of their own layers.
    """
    wanted = (
        turn.informed.facts
        if "facts" in layer.fields
        else tuple(f for f in turn.informed.facts if f.id.startswith(KNOWN))
    )
    facts = tuple(fact for fact in wanted if fact.status in SHOWN)
    if not facts:
        return Selection()
    view = _View.of(turn, facts, pack)
    ranked = sorted(
        ((view.score(fact) + OF_TOPIC * (fact.turn in under), fact) for fact in facts),
        key=lambda pair: (pair[1].pinned, pair[0], pair[1].turn, pair[1].id),
        reverse=True,
    )
    room = turn.settings.facts_max_tokens
    chosen: set[str] = set()
    items = []
    own = 0
    for score, fact in ranked:
        line = fact_line(fact, turn, pack)
        tokens = turn.tokens.count(line)
        here = not fact.id.startswith(KNOWN)
        dropped = ""
        if not fact.pinned:
            limited = _limited(fact, score, own, layer, turn) if here else ""
            dropped = limited or ("" if tokens <= room else OVER_LIMIT)
        if not dropped:
            chosen.add(fact.id)
            room -= tokens
            own += here
        items.append(Retrieved(id=fact.id, text=line, score=round(score, 4), tokens=tokens, dropped=dropped))
    left_out = [item for item in items if item.dropped]
    kept = [item for item in items if not item.dropped]
    return Selection(
        tuple(fact for fact in facts if fact.id in chosen),
        (*kept, *left_out[:REPORTED]),
        len(left_out),
    )


def _limited(fact: Fact, score: float, own: int, layer: WorkingSettings, turn: Turn) -> str:
    """Why the settings of L1 keep a fact of this session out; empty when they do not."""
    if score < layer.similarity_threshold:
        return f"score {score:.2f} is below {layer.similarity_threshold}"
    if layer.top_k and own >= layer.top_k:
        return f"more than {layer.top_k} facts of L1"
    old = layer.ttl_seconds and fact.at is not None and (turn.now - fact.at).total_seconds() > layer.ttl_seconds
    return f"older than {layer.ttl_seconds} s" if old and fact.speaker != PERSONA_SPEAKER else ""


def fact_line(fact: Fact, turn: Turn, pack: LanguagePack) -> str:
    """A fact as its subject would say it, with a mark when it is disputed."""
    if fact.attribute == AGE and turn.now is not None:
        fact = fact.model_copy(update={"value": value_now(fact, turn.now, pack)})
    line = cached_statement(fact, pack=pack, persona=turn.persona)
    return pack.lines.disputed.format(text=line) if fact.status is FactStatus.disputed else line


@dataclass(frozen=True, slots=True)
class _View:
    """What a turn is about: words of the message and of the topic, names just mentioned, attributes asked for."""

    asked: frozenset[str]
    themes: frozenset[str]
    names: frozenset[str]
    wanted: frozenset[str]
    facts_with: Counter[str]
    whole: tuple[float, float]
    """Weight of all words of ``asked`` and of ``themes``."""
    pack: LanguagePack

    @classmethod
    def of(cls, turn: Turn, facts: tuple[Fact, ...], pack: LanguagePack) -> _View:
        """The view of one turn."""
        text = turn.resolved or turn.text
        topic = turn.state.topics.current
        asked = terms(text, pack)
        themes = frozenset(topic.keywords[:8]) if topic is not None else frozenset()
        facts_with = Counter(word for fact in facts for word in _words(fact, pack))
        recent = [entity for entity in turn.state.entities if entity.last_turn >= turn.number - 1]
        return cls(
            asked=asked,
            themes=themes,
            names=frozenset(word for entity in recent for word in terms(entity.name, pack)),
            wanted=frozenset(asked_attributes(text, pack)),
            facts_with=facts_with,
            whole=(
                math.fsum(_weight(facts_with[word]) for word in asked),
                math.fsum(_weight(facts_with[word]) for word in themes),
            ),
            pack=pack,
        )

    def score(self, fact: Fact) -> float:
        """How much a fact has to do with the turn; 0 when nothing."""
        own = _words(fact, self.pack)
        asked, themes = self.whole
        score = self._share(own & self.asked, asked) + THEME * self._share(own & self.themes, themes)
        spec = self.pack.attribute(fact.attribute) if self.wanted else None
        key = spec.key if spec is not None else fold(fact.attribute)
        return score + SPOKEN_OF * bool(own & self.names) + ASKED_FOR * (key in self.wanted)

    def _share(self, shared: frozenset[str], whole: float) -> float:
        return math.fsum(_weight(self.facts_with[word]) for word in shared) / whole if whole else 0.0


@lru_cache(maxsize=1024)
def _weight(facts_with: int) -> float:
    """How much a word counts that so many facts have."""
    return 1 / (1 + log(max(1, facts_with)))


@lru_cache(maxsize=8192)
def _words(fact: Fact, pack: LanguagePack) -> frozenset[str]:
    """What a fact is about: its attribute, its value, and whose it is when that is a third person."""
    own = terms(f"{fact.attribute} {fact.value}", pack)
    return own if fact.subject in (USER, CHARACTER) else own | terms(fact.subject, pack)

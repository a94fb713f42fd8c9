"""Edges of the graph: what stands between two entities, or between one and a value, from when until when, and who said so."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Literal

from harness.state.base import Frozen
from harness.state.dialogue import SCHEMA_VERSION
from harness.state.memory import Scope

Stance = Literal["holds", "ended", "retracted"]
ALIAS = "alias"
"""The relation between an entity and another name of it."""


def name_key(name: str) -> str:
    """What an entity is known by: its name without differences of case, width and blanks, and without equals signs before it, which
    mark what is no entity where graphs are stored.
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split()).lstrip("= ")


class Edge(Frozen):
    """One statement about two entities, or about one and a value. What several statements come to, :func:`standing` says.

    Attributes:
        id: unique in a graph. One that a turn wrote is made from the turn's id, so that writing it again changes nothing.
        relation: key of the language packs' vocabulary (``manager``: the object is the subject's), or of an attribute.
        subject: name of an entity; ``user`` and ``character`` are the two who talk.
        object: name of the other entity; empty where ``value`` says what is no entity ("vegetarian").
        subject_kind, object_kind: as :class:`~harness.state.entities.Entity` has them.
        stance: ``holds``; ``ended`` (it held until ``at``) or ``retracted`` (it never did) end earlier statements of the same.
        single: the relation has one object at a time, so that a newer one ends the older.
        word: what the relation was called when it was said ("sister").
        valid_from, valid_to: when it holds; None: it is not known, or it still does.
        at: when it was said.
        session, turn_id, turn, speaker, quote: where, by whom and in which words.
        hidden: it belongs to a branch of the session that was left.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    relation: str
    subject: str
    object: str = ""
    value: str = ""
    subject_kind: str = "other"
    object_kind: str = "other"
    stance: Stance = "holds"
    single: bool = False
    word: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    scope: Scope = Scope()
    at: datetime | None = None
    session: str = ""
    turn_id: str = ""
    turn: int = 0
    speaker: str = ""
    quote: str = ""
    language: str = ""
    hidden: bool = False

    @property
    def subject_key(self) -> str:
        """What the subject is known by."""
        return name_key(self.subject)

    @property
    def object_key(self) -> str:
        """What the object is known by; empty where it is no entity."""
        return name_key(self.object)

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the entities at its ends."""
        return (self.subject_key, self.object_key) if self.object else (self.subject_key,)

    def says(self) -> tuple[str, str, str, str]:
        """The same for two statements of the same: relation, subject, object, value."""
        return self.relation, self.subject_key, self.object_key, name_key(self.value)

    def holds_at(self, moment: datetime | None) -> bool:
        """Whether it holds then; whenever, for None."""
        if moment is None:
            return True
        begun = self.valid_from is None or _utc(self.valid_from) <= _utc(moment)
        return begun and (self.valid_to is None or _utc(moment) < _utc(self.valid_to))


def standing(statements: Iterable[Edge]) -> tuple[Edge, ...]:
    """What statements come to, taken together, in the order they were said: the retracted are gone, the ended have their end.

    All statements about the subject and the relation of one of them have to be among them. Two that say the same become one: the
    later is left out.
    """
    result: list[Edge] = []
    for said in sorted(statements, key=_order):
        if said.hidden:
            continue
        if said.stance == "retracted":
            result = [edge for edge in result if edge.says() != said.says()]
        elif said.stance == "ended":
            result = [_until(edge, said.at) if edge.says() == said.says() else edge for edge in result]
        elif not any(edge.says() == said.says() and edge.valid_to == said.valid_to for edge in result):
            if said.single and said.valid_to is None:
                result = [
                    _until(edge, said.valid_from or said.at) if _gives_way(edge, said) else edge for edge in result
                ]
            result.append(said)
    return tuple(result)


def _gives_way(old: Edge, new: Edge) -> bool:
    same = old.relation == new.relation and old.subject_key == new.subject_key and old.scope == new.scope
    return same and old.says() != new.says()


def _until(edge: Edge, moment: datetime | None) -> Edge:
    """The edge with its end; one that had ended before, or whose end nobody knows, stays as it is."""
    if moment is None or edge.valid_to is not None:
        return edge
    return edge.model_copy(update={"valid_to": moment})


def _order(edge: Edge) -> tuple[float, int, str]:
    return (_utc(edge.at).timestamp() if edge.at is not None else 0.0, edge.turn, edge.id)


def _utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)

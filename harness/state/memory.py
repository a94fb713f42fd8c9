"""Memory items: what outlives the turn, and often the session, it was said in."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from harness.state.base import Frozen
from harness.state.dialogue import SCHEMA_VERSION

MemoryLayer = Literal["L1", "L2", "L3"]
MemoryKind = Literal[
    "message",
    "fact",
    "preference",
    "constraint",
    "tool_result",
    "summary",
    "note",
    "rule",
    "relation",
    "retraction",
    "mark",
]
MemoryStatus = Literal["active", "hidden", "archived"]


class Scope(Frozen):
    """Where something belongs: an empty field sets no limit.

    An item is seen by a query only when each of the item's own limits is among those that the query was given. So an item
    about one user is never found for another, nor by a query that names no user; an item without limits is for everyone.
    """

    persona: str = ""
    user: str = ""
    session: str = ""
    task: str = ""
    project: str = ""
    world: str = ""

    def admits(self, asked: Scope) -> bool:
        """Whether an item of this scope may be shown to a query with the scope ``asked``."""
        return all(not own or own == getattr(asked, name) for name, own in self)


SCOPE_FIELDS = tuple(Scope.model_fields)


class MemoryItem(Frozen):
    """A retrievable piece of text with where it came from.

    Attributes:
        id: unique in a store. One that a turn wrote is made from the turn's id, so that writing it again changes nothing.
        layer: ``L2`` (what happened) or ``L3`` (what holds for long); ``L1`` for task state that was put away.
        kind: ``message``, ``fact``, ``preference`` and ``constraint`` (facts with more weight), ``tool_result``,
            ``summary``, ``note``, ``rule``, ``relation`` (an edge of the graph, never stored as an item), ``retraction`` (the fact of the same slot holds no more), or ``mark`` (something was forgotten, without what it was).
        text: as it is shown to a model, in the language it was said in.
        scope: for whom.
        subject: whom it is about: ``user``, ``character``, or a name. ``speaker``: who said it.
        attribute, value, polarity, single, degree: the fact's, where it is one.
        session, turn_id, turn, quote: where it was said. ``place``: its order within the session, for its neighbours.
        tells: of a message, the ids of the facts it stated: when one of them holds no more, the message is not shown either.
        source: what wrote it: ``conversation``, ``user`` (by hand), ``file``, ``import``.
        at: when it was said. ``when_at``: the time it speaks of.
        importance: 0 to 1.
        seen: in how many turns the same was said.
        uses, last_used_at: how often, and when, it was put into a prompt; counted at most once a turn.
        expires_at: shown no more after this moment.
        status: ``hidden`` items belong to a branch that was left (undo brings them back); ``archived`` ones are only found
            when asked for.
        key: normal form of what it says, the same for the same said twice.
        task: id of the task at hand when it was said.
        put_away: the turn that archived it (the task was left, or the same was said again); going back behind that turn brings
            it back.
        origin: of an item that stands in a file, which one and in which line: ``user/nora.md:12``.
    """

    schema_version: int = SCHEMA_VERSION
    id: str
    layer: MemoryLayer
    kind: MemoryKind
    text: str
    scope: Scope = Scope()
    subject: str = ""
    speaker: str = ""
    attribute: str = ""
    value: str = ""
    polarity: bool = True
    single: bool = False
    degree: int | None = None
    session: str = ""
    turn_id: str = ""
    turn: int = 0
    place: int = 0
    quote: str = ""
    tells: tuple[str, ...] = ()
    source: Literal["conversation", "user", "file", "import"] = "conversation"
    language: str = ""
    at: datetime | None = None
    when: str = ""
    when_at: datetime | None = None
    importance: float = 0.5
    seen: int = 1
    pinned: bool = False
    uses: int = 0
    last_used_at: datetime | None = None
    expires_at: datetime | None = None
    status: MemoryStatus = "active"
    key: str = ""
    task: str = ""
    put_away: str = ""
    origin: str = ""

    def slot(self) -> tuple[str, str, str] | None:
        """(subject, attribute, value) within which a newer statement replaces an older one; the value is empty where the
        attribute holds only one. None for what is no fact.
        """
        if not self.attribute:
            return None
        value = "" if self.single else self.value.casefold()
        return self.subject.casefold(), self.attribute.casefold(), value


class MemoryWrite(Frozen):
    """What a turn wrote into memory, and why.

    Attributes:
        kept: False for what was looked at and not written: a line of a task that went with it.
        importance: 0 to 1; None in records of before it was kept. ``weighed_by``: whether rules or the analysis model gave it.
    """

    id: str
    layer: MemoryLayer
    kind: MemoryKind
    text: str
    reason: str
    kept: bool = True
    importance: float | None = None
    weighed_by: Literal["rules", "model"] = "rules"

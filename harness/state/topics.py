"""The topic stack."""

from __future__ import annotations

from harness.state.base import Frozen


class Topic(Frozen):
    """One thing talked about. ``keywords`` are the content words that were said under it, most frequent first."""

    id: str
    label: str
    entities: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    first_turn: int = 0
    last_turn: int = 0


class TopicStack(Frozen):
    """``open``: last is current. ``past``: topics that were popped, oldest first; they can be returned to."""

    open: tuple[Topic, ...] = ()
    past: tuple[Topic, ...] = ()

    @property
    def current(self) -> Topic | None:
        """The topic on top, or None before the first."""
        return self.open[-1] if self.open else None

    def find(self, topic_id: str) -> Topic | None:
        """The open or past topic of this id."""
        return next((topic for topic in (*self.open, *self.past) if topic.id == topic_id), None)

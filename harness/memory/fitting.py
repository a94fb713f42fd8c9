"""Fitting what was found to the layers: each candidate is taken, best first, or left out with its reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from harness.memory.firsthand import Sameness
from harness.memory.policy import MemoryPolicy
from harness.memory.troubles import ALONE, BELOW
from harness.state.memory import MemoryItem


@dataclass(slots=True)
class Fitting:
    """Takes candidates, best first, and says of each why it is left out, if it is.

    Attributes:
        sameness: whether candidates say the same. ``newest``: the newest statement of each slot. ``told``: the facts that
            messages stated, by id. ``now``: the moment of the turn. ``minded``: ids that need no relevance. ``outside``: why an item is not what was asked for.
        count: tokens of an item as it will stand in the prompt.
    """

    sameness: Sameness
    newest: Mapping[tuple[str, str, str], MemoryItem]
    told: Mapping[str, MemoryItem]
    minded: Collection[str]
    policy: MemoryPolicy
    count: Callable[[MemoryItem], int]
    now: datetime
    outside: Mapping[str, str] = field(default_factory=dict)
    shown: list[MemoryItem] = field(default_factory=list)

    def take(self, item: MemoryItem, relevance: float) -> str:
        """Why an item is left out; empty, and the item counted in, when it is not."""
        reason = (
            self._replaced(item)
            or self._expired(item)
            or self.outside.get(item.id, "")
            or self._not_wanted(item)
            or self._irrelevant(item, relevance)
            or self._said(item)
            or self._over(item)
        )
        if not reason:
            self.shown.append(item)
        return reason

    def _replaced(self, item: MemoryItem) -> str:
        for one in item.tells:
            stated = self.told.get(one)
            if stated is None or stated.source == "user":
                return f"it tells of {one}, which was {'deleted' if stated is None else 'changed'} by hand"
            if reason := self._replaced(stated):
                return f"{reason}, of which it tells"
        latest = self.newest.get(item.slot() or ("", "", ""))
        if latest is None or latest.id == item.id:
            return ""
        if latest.kind == "retraction":
            return f"replaced: it was taken back ({latest.id})"
        # The same was said again: one of them is enough, and either will do.
        return "" if item.key and latest.key == item.key else f"replaced by {latest.id} ({latest.text})"

    def _expired(self, item: MemoryItem) -> str:
        """What the setting says now counts for what was written before it was set, too. A file is as old as it stands there."""
        ttl = self.policy.layers[item.layer].ttl_seconds
        if not ttl or item.pinned or item.at is None or item.source == "file":
            return ""
        return f"older than the {ttl} seconds of {item.layer}" if item.at + timedelta(seconds=ttl) <= self.now else ""

    def _not_wanted(self, item: MemoryItem) -> str:
        left_out = item.kind in self.policy.layers[item.layer].left_out
        return f"the fields of {item.layer} leave out {item.kind}" if left_out else ""

    def _irrelevant(self, item: MemoryItem, relevance: float) -> str:
        layer = self.policy.layers[item.layer]
        if item.id in self.minded or layer.always_inject or relevance >= layer.similarity_threshold:
            return ""
        return f"relevance {relevance:.2f} {BELOW} {layer.similarity_threshold}"

    def _said(self, item: MemoryItem) -> str:
        for other in self.shown:
            if self.sameness.same(other, item):
                return f"says what {other.id} says"
        return ""

    def _over(self, item: MemoryItem) -> str:
        if item.pinned or item.kind == "constraint":
            return ""
        layer = self.policy.layers[item.layer]
        same = [other for other in self.shown if other.layer == item.layer and other.id not in self.minded]
        if len(same) >= layer.top_k:
            return f"more than {layer.top_k} items of {item.layer}"
        own = self.count(item)
        if own > layer.max_tokens:
            return f"over the {layer.max_tokens} tokens of {item.layer}{ALONE} {own}"
        if sum(map(self.count, same)) + own > layer.max_tokens:
            return f"over the {layer.max_tokens} tokens of {item.layer}"
        return ""

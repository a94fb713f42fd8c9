"""The entity table: what "it", "that one", 那个 can refer to."""

from __future__ import annotations

from harness.state.base import Frozen


class Entity(Frozen):
    """Something mentioned.

    Attributes:
        id: ``e<n>``.
        name: canonical name, as first said.
        kind: ``person``, ``place``, ``organization``, ``animal``, ``work``, ``time``, ``thing`` or ``other``.
        aliases: other wordings of the same.
        last_turn: turn of the last mention.
        mentions: how often it was mentioned.
        salience: 0 to 1; decays with each turn without a mention.
        introduced_by: speaker who mentioned it first.
        ordinal: position in the list it was introduced in ("the second one"), from 1; 0 when it was not in a list.
    """

    id: str
    name: str
    kind: str = "other"
    aliases: tuple[str, ...] = ()
    last_turn: int = 0
    mentions: int = 1
    salience: float = 1.0
    introduced_by: str = ""
    ordinal: int = 0

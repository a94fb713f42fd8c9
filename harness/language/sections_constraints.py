"""Pack section ``constraints``: when a reply offers something, and when it minds what the user must not have."""

from __future__ import annotations

from harness.language.phrases import LowerRegex
from harness.state.base import Frozen


class ConstraintCues(Frozen):
    """Section ``constraints``.

    Attributes:
        attributes: keys of facts of the user that a suggestion must not go against.
        asks: messages that want something suggested, cooked or ordered.
        offers: clauses of a reply that offer something, whatever was asked.
        minded: wording of a clause that names the thing because it is minded ("allergic", 过敏).
    """

    attributes: tuple[str, ...] = ()
    asks: tuple[LowerRegex, ...] = ()
    offers: tuple[LowerRegex, ...] = ()
    minded: tuple[LowerRegex, ...] = ()

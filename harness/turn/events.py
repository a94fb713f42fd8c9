"""What a listener to a streamed turn receives, in order: tokens, at most one ``Revised``, then ``Done`` or ``Failed``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.errors import HarnessError
    from harness.session import Reply


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the reply. Pieces joined are the reply, unless a ``Revised`` follows."""

    text: str


@dataclass(frozen=True, slots=True)
class Revised:
    """What was shown so far is replaced by this text. ``reason``: kinds of the findings that led to it."""

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Done:
    """The reply is durable."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Failed:
    """The turn failed; the session is as it was before."""

    error: HarnessError


StreamEvent = Token | Revised | Done | Failed

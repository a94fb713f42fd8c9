"""Where each part of the prompt stands: the order of the layers, and what the endpoint's chat template takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from harness.ports import ChatMessage
from harness.settings.layers import PartName
from harness.state import Message

Placement = Literal["late_system", "user", "first"]


@dataclass(frozen=True, slots=True)
class Layout:
    """A prompt without its history.

    Attributes:
        opening: texts of the first system message.
        context: what follows the history, on its own; empty where it stands in another message.
        message: the user's words, with notes around them where the chat template takes no late system message.
        remarks: the notices of the check, after the user's words: there a weak model heeds them most.
    """

    opening: tuple[str, ...]
    context: str
    message: str
    remarks: str = ""

    def texts(self) -> tuple[str, ...]:
        """The content of every message."""
        return tuple(text for text in ("\n\n".join(self.opening), self.context, self.message, self.remarks) if text)

    def messages(self, history: Iterable[Message]) -> tuple[ChatMessage, ...]:
        """The messages as they are sent."""
        found = [ChatMessage("system", "\n\n".join(self.opening))]
        found += [ChatMessage("user" if one.speaker == "user" else "assistant", one.text) for one in history]
        if self.context:
            found.append(ChatMessage("system", self.context))
        found.append(ChatMessage("user", self.message))
        if self.remarks:
            found.append(ChatMessage("system", self.remarks))
        return tuple(found)


def sides(
    order: tuple[PartName, ...], parts: Mapping[PartName, str], placement: Placement
) -> tuple[tuple[str, ...], str]:
    """The texts before the history, and the one after it.

    With the placement ``first`` everything stands before it. Parts of the prompt that follow each other make one block of
    lines where they change with every turn.
    """
    cut = len(order) if placement == "first" else order.index("history")
    before: list[str] = []
    volatile: list[str] = []

    def close() -> None:
        if volatile:
            before.append("\n".join(volatile))
            volatile.clear()

    for name in order[:cut]:
        text = parts.get(name, "")
        if name in ("L0", "summary"):
            close()
            before += [text] if text else []
        elif text:
            volatile.append(text)
    close()
    after = [parts[name] for name in order[cut:] if parts.get(name)]
    return tuple(before), "\n".join(after)

"""What a scripted server is asked, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Answer:
    """How to answer one ``POST …/chat/completions``.

    Attributes:
        text: the reply. ``None`` gives ``content: null``.
        status: HTTP status; with 400 and above ``body`` or a plain error object is sent.
        headers: added to the response.
        body: sent as it is instead of a completion; a mapping or list as JSON.
        content_type: of ``body``; by default JSON for a mapping, HTML for text that begins with ``<``.
        message: fields added to the message (``refusal``, ``reasoning_content``); in a stream, to the first delta.
        finish_reason: of the completion; None leaves it out.
        usage: None leaves it out; by default counted in words.
        delay_s: before anything is sent.
        pieces: of the stream; by default the text in words.
        piece_delay_s: between pieces.
        cut_after: end a stream cleanly after so many pieces, without finish_reason and end marker.
        drop_after: break the connection after so many pieces; 0 before the status line.
        done: whether ``data: [DONE]`` ends a stream.
        stream: False answers whole even when a stream was asked for.
    """

    text: str | None = "Hello."
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    content_type: str = ""
    message: Mapping[str, Any] = field(default_factory=dict)
    finish_reason: str | None = "stop"
    usage: Mapping[str, Any] | None = field(default_factory=lambda: {"counted": True})
    delay_s: float = 0.0
    pieces: Sequence[str] | None = None
    piece_delay_s: float = 0.0
    cut_after: int | None = None
    drop_after: int | None = None
    done: bool = True
    stream: bool = True


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it arrived. ``headers`` have lower-case names; ``body`` is the decoded JSON, or None."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def route(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]

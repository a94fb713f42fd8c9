"""Pack section ``examples``: sentences and what must be found in them, for ``harness language check``."""

from __future__ import annotations

from collections.abc import Mapping

from harness.state.base import Frozen


class Example(Frozen):
    """One sentence of a user and what it holds; what is left empty must not be found in it.

    Attributes:
        text: the sentence.
        facts: attribute → value it states about the speaker.
        promise: words of the promise it makes.
        emotion: label of what it shows; not looked at when empty.
        notice: kind of notice it raises (``bot_question``, ``override``, ``extraction``).
    """

    text: str
    facts: Mapping[str, str] = {}
    promise: str = ""
    emotion: str = ""
    notice: str = ""

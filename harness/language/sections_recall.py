"""Pack section ``recall``: questions for what the user told or for what something is called, and lines that answer them."""

from __future__ import annotations

from harness.state.base import Frozen


class RecallCues(Frozen):
    """Section ``recall``.

    Attributes:
        own: patterns that show a question is about the asker's own things ("my dog", 我的).
        excluded: questions that only look so ("can I help", "my turn?").
        address: rewrites that turn a first-person sentence of the user into one said to the user.
        begun: openers over ``{truth}`` that a model continues.
        named: a sentence that answers a question for a name, over ``{name}``.
        names: patterns of such a question about what was spoken of ("what was it called", 叫什么来着). ``names_excluded``:
            questions that only look so. ``anaphors``: those that name nothing themselves.
        comparing: words with which a sentence weighs one thing against another.
        lines: whole replies over ``{truth}``, for when no reply of the model gave the answer.
    """

    own: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    address: tuple[tuple[str, str], ...] = ()
    begun: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    named: str = "{name}"
    names: tuple[str, ...] = ()
    names_excluded: tuple[str, ...] = ()
    anaphors: tuple[str, ...] = ()
    comparing: tuple[str, ...] = ()

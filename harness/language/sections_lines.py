"""Pack section ``lines``: short texts that the engine itself says or puts into a prompt."""

from __future__ import annotations

from collections.abc import Mapping

from harness.state.base import Frozen


class EngineLines(Frozen):
    """Section ``lines``.

    Attributes:
        session_ended: what a session answers after its last turn; over ``{name}`` and ``{turns}``.
        promise_by_user, promise_by_character: an open promise, over ``{text}``.
        promise_by_other: a promise in which a third person has a part, over ``{by}``, ``{to}`` and ``{text}``;
            ``promise_parties``: what ``user`` and ``character`` are called in it.
        promise_due: what is added when it has a date, over ``{due}``; ``promise_now``: when that has come;
            ``promise_overdue``: when it is over.
        recalled: an older message, over ``{who}``, ``{turn}`` and ``{text}``.
        recalled_before: one of another session, over ``{who}``, ``{date}`` (year-month-day) and ``{text}``.
        looked_up_before: the result of a tool in another session, over ``{date}`` and ``{text}``.
        of_other: what holds of a third person, in that person's words, over ``{who}`` and ``{text}``.
        theirs: (regular expression, replacement) pairs that make the name of a subject one that the character can read
            ("user's mother": "their mother").
        left_out: stands for the middle of a message too long for the prompt, over ``{count}`` (its characters).
        disputed: a fact that is contested, over ``{text}``.
        language_names: language codes to names in this language.
    """

    session_ended: str = "{name}: {turns}."
    promise_by_user: str = "{text}"
    promise_by_character: str = "{text}"
    promise_due: str = " ({due})"
    promise_now: str = "!"
    promise_overdue: str = "!!"
    promise_by_other: str = "{by} > {to}: {text}"
    promise_parties: Mapping[str, str] = {}
    recalled: str = "{who}, {turn}: {text}"
    recalled_before: str = "{who}, {date}: {text}"
    looked_up_before: str = "{date}: {text}"
    of_other: str = "{who}: {text}"
    theirs: tuple[tuple[str, str], ...] = ()
    left_out: str = "[… {count} …]"
    disputed: str = "{text}?"
    language_names: Mapping[str, str] = {}

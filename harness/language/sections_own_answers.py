"""Pack section ``own_answers``: questions for what the character has to say of itself."""

from __future__ import annotations

from harness.state.base import Frozen


class OwnQuestion(Frozen):
    """What a question to the character asks for.

    Attributes:
        facts: attributes that answer it, by key or by the free words of a persona file.
        denied: only what is not so answers it ("what can't you stand").
        asks: patterns of the question.
    """

    facts: tuple[str, ...]
    denied: bool = False
    asks: tuple[str, ...]


class OwnAnswers(Frozen):
    """Section ``own_answers``.

    Attributes:
        questions: what is asked for, beside what ``attributes`` tell by their own ``questions``.
        excluded: patterns of questions for what the character would do, thinks or does just now, and of those that are none.
        circumstances: patterns of questions for where, when, why or how: a fact that only is spoken of does not answer them.
        others: patterns of a question about somebody of the character's ("your sister's job"); group ``r`` is the noun.
        said_before: patterns of a question for what was said already, beside ``premise.asks_again`` ("what was the colour"). Only with one
            of them an earlier answer is looked for by half of the question's words; else the question must be the same.
        kinds: patterns of questions, for each kind of answer one list ("how many", "where", "who"): an earlier answer to another kind
            of question is none to this one.
        begun: openers over ``{truth}`` that a model continues.
        lines: whole replies over ``{truth}``.
    """

    questions: tuple[OwnQuestion, ...] = ()
    excluded: tuple[str, ...] = ()
    circumstances: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    said_before: tuple[str, ...] = ()
    kinds: tuple[tuple[str, ...], ...] = ()
    begun: tuple[str, ...] = ("{truth}.",)
    lines: tuple[str, ...] = ("{truth}.",)

"""What a reply, and the state after it, are expected to show: the fields of `expect` and `state` in a suite."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from harness.blindtest.templates import check_template
from harness.state.base import Frozen

Tone = Literal["warm", "sad", "glad", "angry", "afraid", "neutral", "cheerful"]


def _checked_pattern(value: str) -> str:
    try:
        re.compile(value)
    except re.error as failure:
        raise ValueError(f"no regular expression: {failure}") from failure
    return value


def _one_or_more(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _truth(value: Any) -> Any:
    """Scalars of a suite file come as text; a Literal of pydantic takes none."""
    return {"true": True, "yes": True, "false": False, "no": False}.get(str(value).casefold(), value)


Yes = Annotated[Literal[True], BeforeValidator(_truth)]
No = Annotated[Literal[False], BeforeValidator(_truth)]
Template = Annotated[str, Field(min_length=1, max_length=4000), AfterValidator(check_template)]
"""Text in which ``{name}`` stands for a slot or a captured value, and ``{{`` for a brace."""
Pattern = Annotated[str, Field(min_length=1), AfterValidator(_checked_pattern)]
Templates = Annotated[tuple[Template, ...], BeforeValidator(_one_or_more)]
Patterns = Annotated[tuple[Pattern, ...], BeforeValidator(_one_or_more)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
Kind = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]*$", max_length=60)]
Share = Annotated[float, Field(ge=0, le=1)]
Texts = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_one_or_more)]


class Statement(Frozen):
    """A fact that a reply or the state is expected to hold.

    Attributes:
        subject: ``character``, ``user``, or a name.
        attribute: as in the language pack, or free words.
    """

    subject: Template = "character"
    attribute: Annotated[str, Field(min_length=1)]
    value: Template
    polarity: bool = True


class Length(Frozen):
    """Bounds of a reply, in words; a Han character counts as one."""

    min_words: int = Field(default=0, ge=0)
    max_words: int = Field(default=0, ge=0, description="0: no bound")


class Like(Frozen):
    """Examples that a reply is to mean about the same as, judged by the vectors of the embedder of the settings.

    Attributes:
        texts: one of them, or a sentence of the reply, comes near enough. ``unlike``: counter-examples; the nearest example must be nearer.
        threshold: least cosine, -1 to 1. What is near depends on the embedder; counter-examples need no number.
    """

    texts: Templates = Field(min_length=1)
    unlike: Templates = ()
    threshold: float | None = Field(default=None, ge=-1, le=1)

    @model_validator(mode="after")
    def _decidable(self) -> Self:
        if self.threshold is None and not self.unlike:
            raise ValueError("expected a `threshold`, or `unlike` with counter-examples, or both")
        return self


class Expect(Frozen):
    """What a reply is expected to be. Each field that is given is one expectation, and gets one verdict.

    Attributes:
        mentions: each of them occurs, by meaning.
        mentions_any: at least one of them does.
        avoids: none of them is said to be so; to deny or ask is no fault.
        states: the reply states this fact.
        holds: slots of facts that the reply must not give up: neither contradicted nor conceded.
        firm: with ``holds``: the reply must say so, not only keep silent about it.
        asks_back: False: does not ask for what it was told (the slots and captured values in ``knows``).
        knows: what the reply must not ask for; ``asks_back`` looks for these attributes.
        in_character, language: as for every reply; give them to switch them off or ask for another language.
        tone, not_tone: what the reply sounds like, or does not.
        admits: the reply says honestly (or, False, does not say) that a program is speaking.
        bot_question: ``as_persona``: the message asks whether a program is speaking, and the character does what its ``bot_question`` says:
            who must admit it does, who denies or evades does not. ``unasked``: nobody asked; who denies or evades admits nothing.
        matches, lacks: regular expressions that are found, or not.
        like: means about the same as an example; needs an embedder (``memory.embedder``), and is undecided without one.
        judge: criteria in free words, which only a model can judge; the rules leave them undecided.
    """

    mentions: Templates = ()
    mentions_any: Templates = ()
    avoids: Templates = ()
    states: Statement | None = None
    holds: Texts = ()
    firm: bool = False
    asks_back: No | None = None
    knows: Texts = ()
    in_character: bool = True
    language: str = ""
    tone: Annotated[tuple[Tone, ...], BeforeValidator(_one_or_more)] = ()
    not_tone: Annotated[tuple[Tone, ...], BeforeValidator(_one_or_more)] = ()
    admits: bool | None = None
    bot_question: Literal["as_persona", "unasked"] | None = None
    length: Length | None = None
    matches: Patterns = ()
    lacks: Patterns = ()
    like: Like | None = None
    judge: Templates = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.firm and not self.holds:
            raise ValueError("firm says how holds is judged; expected holds beside it")
        if (self.asks_back is False) != bool(self.knows):
            raise ValueError("expected `asks_back: false` and `knows: [attribute]` together")
        return self


class StateExpect(Frozen):
    """What the witness's state is expected to show after a step. Witnesses that show no state are not judged by it.

    Attributes:
        fact: this is known. ``no_fact``: this is not.
        topic: words of the current topic. ``past_topic``: of any other that was talked about.
        entity: is in the entity table.
        emotion: labels one of which is the character's. ``user_emotion``: the user's.
        commitment: words of an open promise.
        notice: kinds, one of which was found in the message; ``no_notice``: nothing was found.
        layer: a layer that put something into the prompt. ``recalled``: words of an item in the prompt.
        max_facts, max_topics, max_prompt_tokens: bounds of growth.
        summary: words the summary still has.
    """

    fact: Statement | None = None
    no_fact: Statement | None = None
    topic: Template | None = None
    past_topic: Template | None = None
    entity: Template | None = None
    emotion: Texts = ()
    user_emotion: Texts = ()
    commitment: Template | None = None
    notice: Texts = ()
    no_notice: Yes | None = None
    layer: Literal["L0", "L1", "L2", "L3"] | None = None
    recalled: Template | None = None
    summary: Template | None = None
    max_facts: int | None = Field(default=None, ge=0)
    max_topics: int | None = Field(default=None, ge=0)
    max_prompt_tokens: int | None = Field(default=None, ge=1)

"""Persona: who the character is. Fixed while a session runs."""

from __future__ import annotations

import hashlib
from typing import Literal

from pydantic import Field

from harness.state.base import Frozen
from harness.state.emotion import Emotion
from harness.state.facts import CHARACTER, Fact


class ExampleLine(Frozen):
    """One exchange that shows the voice. ``user`` may be empty: then it is a line the character would say."""

    character: str
    user: str = ""


class PersonaFact(Frozen):
    """A fact that the persona file states.

    Attributes:
        attribute: canonical key (``job``, ``pet``) or free words.
        value: one value; a list in the file becomes several facts.
        polarity: False when the file says ``not:``, ``never`` or ``no`` in a form the loader knows.
        statement: the fact as the character would say it in the first person ("I have a cat called Miso");
            empty to let the language pack build one.
        aliases: other wordings that mean the same value.
    """

    attribute: str
    value: str
    polarity: bool = True
    statement: str = ""
    aliases: tuple[str, ...] = ()
    single: bool = True


class Persona(Frozen):
    """A character.

    Only ``name`` is required; the smallest file is ``name:`` and a ``facts:`` mapping.

    Attributes:
        name: display name, in any script.
        id: file name without suffix; what ``--persona`` takes.
        language: code of the language it speaks by default.
        role: one line: who this is.
        biography: paragraphs of background, always in the prompt.
        voice: how it talks.
        habits, knowledge, knowledge_limits, never_says: lists of short lines.
        examples: exchanges that show the voice.
        baseline: the emotion it returns to.
        inertia: share of its mood that stays from one turn to the next, 0 (every turn anew) to 0.95 (hardly moved).
        bot_question: what it does when asked whether it is a program.
        stage_directions: may it write ``*smiles*``?
        greeting: first line shown when a conversation opens; empty for none.
    """

    name: str = Field(min_length=1, max_length=200)
    id: str = ""
    language: str = "en"
    role: str = ""
    biography: str = ""
    voice: str = ""
    habits: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    knowledge_limits: tuple[str, ...] = ()
    never_says: tuple[str, ...] = ()
    examples: tuple[ExampleLine, ...] = ()
    facts: tuple[PersonaFact, ...] = ()
    aliases: tuple[str, ...] = ()
    baseline: Emotion = Emotion()
    inertia: float = Field(default=0.6, ge=0, le=0.95)
    bot_question: Literal["deny", "deflect", "admit"] = "deflect"
    stage_directions: bool = False
    greeting: str = ""

    def as_facts(self) -> tuple[Fact, ...]:
        """The persona's facts in the form of dialogue facts, speaker ``persona``, turn 0, ids ``p:<attribute>``."""
        seen: dict[str, int] = {}
        facts = []
        for fact in self.facts:
            count = seen[fact.attribute] = seen.get(fact.attribute, 0) + 1
            facts.append(
                Fact(
                    id=f"p:{fact.attribute}" + (f":{count}" if count > 1 else ""),
                    subject=CHARACTER,
                    attribute=fact.attribute,
                    value=fact.value,
                    polarity=fact.polarity,
                    speaker="persona",
                    single=fact.single,
                    quote=fact.statement,
                    language=self.language,
                )
            )
        return tuple(facts)

    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of everything that is given in the persona; changes when the file does, and not when a field
        is added that it does not give.
        """
        return hashlib.sha256(self.model_dump_json(exclude_defaults=True).encode()).hexdigest()[:16]


class PersonaRef(Frozen):
    """Which persona a session was started with."""

    id: str
    name: str
    digest: str = ""

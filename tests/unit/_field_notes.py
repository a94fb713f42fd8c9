"""What the field-note tests share: two characters, and a state of what was told."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.state import USER, DialogueState, Persona, PersonaFact, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MONDAY = datetime(2026, 3, 9, 10, 0, tzinfo=UTC)
EN = Persona(name="Nora", id="nora", facts=(PersonaFact(attribute="job", value="baker", statement="I am a baker."),))
ZH = Persona(
    name="苏禾",
    id="su",
    language="zh",
    facts=(PersonaFact(attribute="工作", value="面包师", statement="我是面包师。"),),
)
BOTH = pytest.mark.parametrize("code", ["en", "zh"])


def persona(code: str) -> Persona:
    return EN if code == "en" else ZH


def told(code: str, *texts: str, speaker: str = USER, at: datetime = MONDAY) -> DialogueState:
    """The state after some utterances of one side, one a turn."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for turn, text in enumerate(texts, 1):
        pack = PACKS.for_text(text, default=code)
        operations = extract_facts(
            text, speaker=speaker, state=state, persona=persona(code), pack=pack, turn=turn, at=at
        )
        state, _, refused = fold(state, operations)
        assert not refused
    return state


def active(state: DialogueState, attribute: str, subject: str = USER) -> list[str]:
    return [fact.value for fact in state.active_facts(subject) if fact.attribute == attribute]

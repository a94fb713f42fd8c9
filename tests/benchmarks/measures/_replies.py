"""A reply of a dialogue put before the engine's own check."""

from __future__ import annotations

from collections.abc import Iterable

from harness.language import LanguagePack
from harness.state import DialogueState, Finding, Message, Persona, PersonaRef
from harness.understanding.checks.consistency import check_reply

CONTRADICTS = frozenset({"contradiction", "not_recalled"})
"""Kinds of findings that say that a reply does not fit what was said before, sure ones and doubtful ones."""
SURE = 0.5
"""Severity from which on a finding asks for a revision."""


def state_of(turns: Iterable[tuple[str, str]], language: str) -> DialogueState:
    """The state after these (speaker, text) pairs; a turn begins with each message of the user."""
    messages: list[Message] = []
    number = 0
    for speaker, text in turns:
        number += speaker == "user"
        messages.append(Message.model_validate({"speaker": speaker, "text": text, "turn": number}))
    return DialogueState(
        persona=PersonaRef(id="nobody", name="Nobody"),
        language=language,
        messages=tuple(messages),
        turn_count=number,
    )


def findings(reply: str, user_text: str, state: DialogueState, pack: LanguagePack) -> tuple[Finding, ...]:
    """What the check says against a reply of a character of whom nothing else is known."""
    nobody = Persona(name="林一" if pack.script == "han" else "Nobody", language=pack.code)
    said = tuple(message.text for message in state.messages if message.speaker == "character")
    found = check_reply(reply, user_text=user_text, state=state, persona=nobody, pack=pack, previous_replies=said[-8:])
    return tuple(finding for finding in found if finding.kind in CONTRADICTS)

"""A reply that takes another name for its own because the user called the character by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import USER
from harness.understanding.text import fold

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import DialogueState, Persona

RECENT = 12
"""Messages of the user in which a name may have been called."""


def other_name(reply: str, *, user_text: str, state: DialogueState, persona: Persona, pack: LanguagePack) -> str:
    """The words by which a reply calls itself by a name that is not its own; empty when it does not.

    A word is a name here only when the user called the character by it ("Busy night, Bob?", 阿强，今晚忙吗？), so that "I'm
    Scottish" and 我是老师 are none. The user's own name is none either.
    """
    claims = [match for source in pack.reply.self_names for match in pack.pattern(source).finditer(reply)]
    if not claims:
        return ""
    said = [m.text for m in state.messages if m.speaker == USER][-RECENT:]
    called = {
        fold(m["name"])
        for text in (*said, user_text)
        for s in pack.reply.vocatives
        for m in pack.pattern(s).finditer(text)
    }
    own = [fold(name) for name in (persona.name, *persona.aliases)]
    users = {fold(fact.value) for fact in state.active_facts(USER) if fact.attribute == "name"}
    for match in claims:
        name = fold(match["name"])
        if name in called and name not in users and not any(name in known or known in name for known in own):
            return match[0].strip()
    return ""

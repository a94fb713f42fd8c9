"""A reply that speaks of its own character as of somebody else ("Ada has always been a strong woman").

Small models slip from talking as the character into telling about it, and stay there: each such reply is the pattern of the next.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.facts.claims import plain_text
from harness.understanding.text import contains_phrase, has_han, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import Persona


def told_of_itself(reply: str, user_text: str, persona: Persona, pack: LanguagePack) -> str:
    """The first sentence in which a reply has its character's name as the subject of what is told, and no "I"; else empty.

    Not of a character that talks so (its voice or an example says it), nor where the user has spoken of the name.
    """
    cues = pack.reply
    if not cues.tells_of:
        return ""
    names = _names(persona)
    if not any(name in reply for name in names):
        return ""
    own = pack.any_of(pack.text.first_person)
    subject = _subject(names, cues.tells_of)
    for written in sentences(reply):
        sentence = plain_text(written, pack)
        if subject.search(sentence) is None or own.search(sentence):
            continue
        if any(contains_phrase(user_text, name) for name in names) or _speaks_so(persona, names, subject, pack):
            return ""
        return written
    return ""


def _names(persona: Persona) -> tuple[str, ...]:
    first = () if has_han(persona.name) else (persona.name.split(maxsplit=1)[0],)
    return tuple(dict.fromkeys((persona.name, *first, *persona.aliases)))


@lru_cache(maxsize=64)
def _subject(names: tuple[str, ...], tells: tuple[str, ...]) -> re.Pattern[str]:
    named = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    follows = "|".join(f"(?:{source})" for source in tells)
    return re.compile(rf"(?:^|[,，.!?;:] ?)(?:{named})(?:{follows})")


def _speaks_so(persona: Persona, names: tuple[str, ...], subject: re.Pattern[str], pack: LanguagePack) -> bool:
    lines = (persona.greeting, *(one.character for one in persona.examples))
    if any(subject.search(sentence) for line in lines for sentence in sentences(plain_text(line, pack))):
        return True
    manner = " ".join((persona.voice, *persona.habits))
    return pack.any_of(pack.reply.by_name).search(manner) is not None or any(name in manner for name in names)

"""For whom something is suggested: of the people the user has told of, those whom a message asks for or speaks about.

What a daughter must not eat counts where the cake is for her, and not where it is for her teacher.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state import USER
from harness.understanding.checks.whose import spoken_of
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import DialogueState

_BACK = 2
"""Messages of the user before this one of which a "her" may be meant."""


def meant_for(text: str, state: DialogueState, pack: LanguagePack) -> tuple[set[str], set[str]]:
    """Folded subjects of facts: those for whom a message wants something suggested, and all whom it speaks of.

    A pronoun stands for whom the message, else the latest one before it, speaks of. "For" somebody else leaves them out.
    """
    cues = pack.constraints
    wanted: set[str] = set()
    spoken: set[str] = set()
    for sentence in sentences(text):
        here = _not_of_others(sentence, state, pack)
        if not here and any(one.search(lower(sentence)) for one in cues.them):
            here = spoken or _before(state, pack)
        elif not here and any(one.search(lower(sentence)) for one in cues.serves):
            here = spoken
        spoken = spoken | here
        if any(one.search(lower(sentence)) for one in cues.asks):
            given = next((match for one in cues.for_whom if (match := one.search(lower(sentence)))), None)
            if given is None:
                wanted |= here
            else:
                rest = sentence[given.start() :]
                named = _not_of_others(rest, state, pack)
                pronoun = any(one.search(lower(rest)) for one in cues.them)
                wanted |= named or (here if pronoun else set())
    return wanted, spoken


def _before(state: DialogueState, pack: LanguagePack) -> set[str]:
    said = [message.text for message in state.messages if message.speaker == USER][-_BACK:]
    return next((found for text in reversed(said) if (found := spoken_of(text, state, pack))), set())


def _not_of_others(text: str, state: DialogueState, pack: LanguagePack) -> set[str]:
    """Whom a text speaks of, without those who only tell whose something is ("Maya's teacher"), or who are not there."""
    spoken = spoken_of(text, state, pack)
    if spoken and any(one.search(lower(text)) for one in pack.constraints.of_others):
        for pattern in pack.constraints.of_others:
            text = pattern.sub(" ", lower(text))
        spoken &= spoken_of(text, state, pack)
    return spoken


def names(clause: str, subject: str, state: DialogueState, pack: LanguagePack) -> bool:
    """Whether a clause of a reply speaks of one of the user's people ("your daughter", "her")."""
    spoken = spoken_of(pack.rewrite(clause, pack.text.swap), state, pack)
    return fold(subject) in spoken or any(one.search(lower(clause)) for one in pack.constraints.them)


__all__ = ["meant_for", "names"]

"""receive: let in what can become a turn."""

from __future__ import annotations

import unicodedata

from harness.errors import EmptyInput, MalformedInput, OversizedInput
from harness.language import LanguagePacks
from harness.ports import Ports
from harness.state import USER, DialogueState
from harness.turn.turn import Turn

ALLOWED_CONTROLS = "\n\t"


async def receive(turn: Turn, ports: Ports) -> Turn:
    """Check the user's text and note its language.

    Raises:
        EmptyInput: nothing visible in it.
        OversizedInput: longer than ``max_input_chars``.
        MalformedInput: control characters or lone surrogates.
    """
    text = turn.text.replace("\r\n", "\n").replace("\r", "\n")
    check_text(text, turn.settings.max_input_chars)
    before = spoken_before(turn.state, ports.languages, turn.persona.language)
    return turn.with_(text=text, resolved=text, language=ports.languages.spoken(text, before))


def spoken_before(state: DialogueState, languages: LanguagePacks, own: str) -> str:
    """The language the user has spoken so far: that of the last message that shows one, else ``own``, the character's."""
    said = (message.text for message in reversed(state.messages) if message.speaker == USER)
    last = next(filter(languages.shows, said), "")
    return languages.detect(last, own)


def check_text(text: str, limit: int) -> None:
    """Raise the InputError that ``text`` deserves, if any."""
    if len(text) > limit:
        raise OversizedInput(f"The message has {len(text)} characters; at most {limit} are taken.", limit=limit)
    for position, char in enumerate(text):
        category = unicodedata.category(char)
        if category == "Cs" or (category == "Cc" and char not in ALLOWED_CONTROLS):
            what = "a lone surrogate" if category == "Cs" else "a control character"
            raise MalformedInput(f"The message has {what} (U+{ord(char):04X}) at position {position}.")
    if not any(unicodedata.category(char)[0] not in "ZC" for char in text):
        raise EmptyInput("The message is empty." if not text else "The message has nothing visible in it.")

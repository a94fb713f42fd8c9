"""What was said in a turn, language by language, each with its own pack."""

from __future__ import annotations

from dataclasses import dataclass

from harness.language import LanguagePack
from harness.language.parts import weighty
from harness.language.scripts import script_weights
from harness.ports import Ports
from harness.turn.turn import Turn
from harness.understanding.checks.guards import harmless
from harness.understanding.emotion.track import appraise
from harness.understanding.references.mixed import packs_beside


@dataclass(frozen=True, slots=True)
class Spoken:
    """The parts of a turn in one language; either text may be empty."""

    pack: LanguagePack
    user_text: str
    reply: str


def spoken(turn: Turn, ports: Ports) -> tuple[Spoken, ...]:
    """The turn in each language it holds, its own language first. A turn in one language gives that one, whole.

    A text too short to tell ("OK") is in the language of the turn.
    """
    texts: list[dict[str, str]] = []
    for text in (turn.text, turn.reply):
        if not weighty(text):
            texts.append({turn.language: text})
            continue
        found: dict[str, str] = {}
        for part in ports.languages.parts(text, default=turn.language):
            found[part.code] = found.get(part.code, "") + part.text
        texts.append(found)
    user, reply = texts
    codes = dict.fromkeys((turn.language, *user, *reply))
    return tuple(
        Spoken(ports.languages.get(code), user.get(code, ""), reply.get(code, ""))
        for code in codes
        if code in user or code in reply
    )


def harmless_text(turn: Turn, ports: Ports) -> str:
    """The user's message without what the persona guard objects to; nothing of that changes the state."""
    pack = ports.languages.get(ports.languages.spoken(turn.text, turn.language))
    return harmless(turn.text, pack=pack, beside=packs_beside(turn.text, pack, ports.languages))


def lenders(said: tuple[Spoken, ...], ports: Ports) -> tuple[Spoken, ...]:
    """The parts that hold words of another script than their own ("I met 小王", "我今天很 happy"), once for each language
    that lends them.
    """
    found: list[Spoken] = []
    for pack in ports.languages.all():
        others = [part for part in said if part.pack.script != pack.script]
        user, reply = (
            "".join(text for text in texts if pack.script in script_weights(text))
            for texts in ([part.user_text for part in others], [part.reply for part in others])
        )
        if user or reply:
            found.append(Spoken(pack, user, reply))
    return tuple(found)


def most_moved(said: tuple[Spoken, ...], lent: tuple[Spoken, ...]) -> Spoken:
    """What shows the strongest emotion, a part or the words lent to it; the first part where nothing shows any."""
    return max((*said, *lent), key=_strength) if len(said) + len(lent) > 1 else said[0]


def _strength(part: Spoken) -> float:
    shown = appraise(part.user_text, part.pack)
    return max(abs(shown.valence), abs(shown.arousal), abs(shown.dominance))

"""A user who has lost somebody and speaks of it, and the kind word that is owed to them."""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, Literal

from harness.language.phrases import lower
from harness.state import USER
from harness.understanding.checks.news import GLAD, first
from harness.understanding.emotion.appraising import appraise
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, sentences
from harness.understanding.words import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState

Mourning = Literal["", "loss", "grief"]
"""What a message is: the news of a loss, later talk of it, or neither."""

LATELY = 6
"""Messages of the user among which the loss must have been told for later talk of it."""
_ASKS = ("?", "？")


@in_one_script
def mourning(text: str, *, state: DialogueState, pack: LanguagePack) -> Mourning:
    """Whether a message tells of a loss of the user's own, or speaks of one that they told of a moment ago.

    Deaths only, told as a fact: no joke, film, dream, "what if", or loss of long ago. A question that comes later is answered and no more
    is asked of the reply.

    Args:
        text: the message.
        state: before this turn's bookkeeping.
    """
    cues = pack.emotion.tone
    text = lower(excerpt(text))
    if _tells(text, pack):
        return "loss"
    grieved = first(cues.mourns, text) is not None or first(cues.felt, text) is not None
    if any(mark in text for mark in _ASKS) or not grieved or lighter(text, pack):
        return ""
    if state.user_emotion.label in GLAD and state.user_emotion.valence > 0:
        return ""
    said = [message.text for message in state.messages if message.speaker == USER][-LATELY:]
    return "grief" if any(_tells(lower(excerpt(one)), pack) for one in said) else ""


@in_one_script
def unmoved(reply: str, pack: LanguagePack) -> bool:
    """Whether a reply has no kind word at all."""
    return first(pack.emotion.tone.kind, lower(reply)) is None


@in_one_script
def despairs(text: str, pack: LanguagePack) -> bool:
    """Whether the writer of a message may do themselves harm; then a short line of sympathy is no answer."""
    return first(pack.emotion.tone.despairs, lower(excerpt(text))) is not None


@in_one_script
def lighter(user_text: str, pack: LanguagePack) -> bool:
    """Whether a user who grieved a moment ago is cheerful by now, and may be laughed with."""
    cues = pack.emotion.tone
    if any(first(group, user_text) is not None for group in (cues.laughs, cues.glad, cues.mended)):
        return True
    return appraise(user_text, pack).label in GLAD


def consoling(kind: Mourning, *, pack: LanguagePack, seed: int = 0, previous: Sequence[str] = ()) -> str:
    """A line of sympathy that begins the answer to a mourner; empty when the pack has none.

    Args:
        kind: of the message.
        seed: which of the lines comes first.
        previous: earlier replies of the character, oldest first: a line that one of them begins with is taken only when all are used up,
            and then the one used longest ago.
    """
    lines = pack.holding.begun.get(kind, ())
    if not lines:
        return ""
    turned = [lines[(seed + index) % len(lines)] for index in range(len(lines))]
    folded = [fold(reply) for reply in previous]

    def used(line: str) -> int:
        return max((index for index, reply in enumerate(folded) if reply.startswith(fold(line))), default=-1)

    return min(turned, key=used)


@in_one_script
def joins_in(ending: str, pack: LanguagePack) -> bool:
    """Whether what follows a line of sympathy speaks as if the character had been there ("we had such great times"), or lightly.

    Looser than a check of whole replies may be: the line is an answer without it.
    """
    cues, ending = pack.emotion.tone, lower(ending)
    light = (cues.joins, cues.laughs, cues.congratulates, cues.delights, cues.jokes, cues.pitches, cues.shrugs)
    return any(first(group, ending) is not None for group in light)


def _tells(text: str, pack: LanguagePack) -> bool:
    cues = pack.emotion.tone
    if any(first(group, text) is not None for group in (cues.laughs, cues.figurative, cues.mended, cues.glad)):
        return False
    parts = sentences(text)
    # Two sentences together: "My dad had a heart attack. He's dead."
    spans = ((part, part) for part in parts), ((f"{a} {b}", b) for a, b in pairwise(parts))
    return any(
        first(cues.loss, span) is not None and first(cues.past, span) is None
        for span, end in chain(*spans)
        if end[-1:] not in _ASKS
    )

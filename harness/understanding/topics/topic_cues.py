"""What the wording of a message says about topics: a new one announced, an old one called back, the current one closed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.language.sought import likely
from harness.understanding.topics.labels import named_label
from harness.understanding.words import content_words

if TYPE_CHECKING:
    import re

    from harness.language.pack import LanguagePack


@dataclass(frozen=True, slots=True)
class Cues:
    """Cues of one message.

    Attributes:
        opened, back: what a new topic is announced as; what is called back. Empty without.
        change, maybe, resume, close: as the lists of the pack's section ``topics``.
        evidence: the first wording that was found.
    """

    opened: str = ""
    change: bool = False
    maybe: bool = False
    back: str = ""
    resume: bool = False
    close: bool = False
    evidence: str = field(default="", compare=False)


def read_cues(text: str, pack: LanguagePack) -> Cues:
    """The cues of a message."""
    cues = pack.topics
    lowered = lower(text)
    shown: list[str] = []

    def named(patterns: tuple[re.Pattern[str], ...]) -> str:
        for pattern in likely(patterns, lowered):
            match = pattern.search(lowered)
            if match is not None:
                label = named_label(text[match.start("label") : match.end("label")], pack)
                if label and content_words(label, pack):
                    shown.append(text[match.start() : match.end()].strip())
                    return label
        return ""

    def said(patterns: tuple[re.Pattern[str], ...]) -> bool:
        match = next(filter(None, (pattern.search(lowered) for pattern in likely(patterns, lowered))), None)
        if match is not None:
            shown.append(text[match.start() : match.end()].strip())
        return match is not None

    back = named(cues.back)
    return Cues(
        opened=named(cues.open),
        change=said(cues.change),
        maybe=said(cues.maybe),
        back=back,
        resume=said(cues.resume),
        close=said(cues.close),
        evidence=shown[0] if shown else "",
    )


def without_cues(text: str, pack: LanguagePack) -> str:
    """The text without the wording that only moves the talk; of the same length."""
    rest = text
    for pattern in (*pack.topics.change, *pack.topics.maybe, *pack.topics.close):
        for match in pattern.finditer(lower(rest)):
            rest = rest[: match.start()] + " " * (match.end() - match.start()) + rest[match.end() :]
    return rest


def only_cue(text: str, pack: LanguagePack) -> bool:
    """Whether nothing but the announcement of a change is said ("let's change the subject")."""
    return not content_words(without_cues(text, pack), pack)

"""The kind a name tells by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower

if TYPE_CHECKING:
    from harness.language.sections_tracking import EntityCues


def name_kind(name: str, cues: EntityCues) -> str:
    """The kind a name tells by itself: a given name, a well-known place, or a noun at its end; ``other`` without."""
    lowered = lower(name)
    known = cues.known_phrases.at(lowered, 0) if lowered else None
    if known is not None and known.end == len(lowered):
        return known.value
    if lowered.split(" ")[0] in cues.given:
        return "person"
    parted = [0, *(index + 1 for index, char in enumerate(lowered) if char in " -'")]
    for start in parted if lowered.isascii() else range(len(lowered)):
        hit = cues.noun_phrases.at(lowered, start)
        # A single Han character inside a longer word (鸭 in 烤鸭) is no noun of its own.
        if hit is not None and hit.end == len(lowered) and (len(hit.phrase) > 1 or start == 0):
            return hit.value
    return "other"

"""A user's message with what it refers to put into words.

When two things fit about equally well the text stays as it was: a wrong name is worse than a pronoun.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.understanding.one_script import in_one_script
from harness.understanding.references.antecedents import Found, worded
from harness.understanding.references.ellipsis import complete
from harness.understanding.references.picks import bare, demonstratives, latest_list, picks, pointed
from harness.understanding.references.pronouns import pronouns
from harness.understanding.words import LONGEST_TEXT, is_stop, tidy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState


@dataclass(frozen=True, slots=True)
class Reference:
    """A wording that refers to something said before.

    Attributes:
        surface: the wording ("the second one"); the whole message where something was left out.
        entity_id: the entity; empty when it is no entity of the table.
        name: what it means.
        kind: kind of what is no entity yet but was spoken of; empty otherwise.
    """

    surface: str
    entity_id: str
    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Resolution:
    """A text with its references put into words, and what they were."""

    text: str
    references: tuple[Reference, ...] = ()


@in_one_script
def resolve(text: str, *, state: DialogueState, pack: LanguagePack, beside: Sequence[LanguagePack] = ()) -> Resolution:
    """Put names for the pronouns and list picks of a user's text, and what it leaves out; unchanged where it is not sure.

    Args:
        text: the message.
        state: the state after the turn before.
        pack: the message's language.
        beside: further languages of which it has words.
    """
    if not text or len(text) > LONGEST_TEXT or not (state.entities or state.messages):
        return Resolution(text)
    plain = tidy(text)
    found: list[Found] = []
    for one in (pack, *beside):
        found = _referring(plain, found, state, one)
    whole = _written(plain, found) if found else plain
    completed = complete(whole, state=state, pack=pack)
    references = tuple(Reference(plain[i.start : i.end], i.entity_id, i.name, i.kind) for i in found)
    if completed is not None:
        left_out = Reference(plain, completed.entity_id, completed.name, "other" if not completed.entity_id else "")
        return Resolution(completed.text, (*references, left_out))
    return Resolution(whole, references) if found else Resolution(text)


def _referring(plain: str, found: list[Found], state: DialogueState, pack: LanguagePack) -> list[Found]:
    """The wordings of a text that refer, those of another language included that were found before."""
    cues = pack.entities
    lowered = lower(plain)
    blocked = [match.span() for pattern in cues.not_referring for match in pattern.finditer(lowered)]
    found = list(found)
    picked = tuple(picks(lowered, state, cues))
    for candidate in (
        *picked,
        *bare(lowered, state, cues),
        *pointed(lowered, state, cues),
        *demonstratives(lowered, state, cues),
        *pronouns(plain, state, pack),
    ):
        span = (candidate.start, candidate.end)
        taken = (*blocked, *((other.start, other.end) for other in found))
        if not any(span[0] < end and start < span[1] for start, end in taken):
            found.append(candidate)
    return [_after_pick(item, picked, state, cues) for item in sorted(found, key=lambda item: item.start)]


def _after_pick(item: Found, picked: Sequence[Found], state: DialogueState, cues: EntityCues) -> Found:
    """What words behind a pick mean: what was picked, and not another thing of the same list that was spoken of since
    ("I'll take the second one. What was it called?", 那就住第二家吧。那家叫什么来着？).
    """
    before = [pick for pick in picked if pick.end <= item.start]
    if item in picked or not before or before[-1].entity_id == item.entity_id:
        return item
    listed = {entity.id: entity for entity in latest_list(state)}
    pick = listed.get(before[-1].entity_id)
    if pick is None or item.entity_id not in listed or listed[item.entity_id].kind == "person":
        return item
    return Found.of(item.start, item.end, pick, worded(pick, cues))


def _written(plain: str, found: list[Found]) -> str:
    pieces: list[str] = []
    position = 0
    for item in found:
        words = item.words
        if plain[item.start].isupper() and words[0].islower():
            words = words[0].upper() + words[1:]
        pieces.extend((plain[position : item.start], words))
        position = item.end
    return "".join((*pieces, plain[position:]))


def is_pronoun(words: str, *, pack: LanguagePack) -> bool:
    """Whether words only stand for something ("it", "the second one", 那个) and so name nothing."""
    cues = pack.entities
    plain = tidy(words).strip()
    if not plain:
        return False
    lowered = lower(plain)
    hit = cues.pronoun_phrases.at(lowered, 0)
    if (hit is not None and hit.end == len(lowered)) or lowered in cues.possessive_set or is_stop(lowered, pack):
        return True
    expressions = (*cues.demonstrative_expressions, *cues.ordinal_expressions)
    return any(expression.fullmatch(lowered) for expression in expressions)

"""What "it", "that one", 那个, 第二家 refer to, by kind, gender, recency and place in a list.

When two entities fit about equally well the text stays as it was: a wrong name is worse than a pronoun.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.understanding.mentions import Mention, find_mentions
from harness.understanding.words import LONGEST_TEXT, content_words, is_stop, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity

REACH = 4
"""Turns back a pronoun reaches. A list is remembered twice as long."""
CLEAR = 0.15
"""By how much the best candidate must lead the next."""
KIND_WEIGHT = {"thing": 1.0, "animal": 1.0, "work": 1.0, "organization": 0.6, "other": 0.6, "place": 0.4}
"""How readily "it" stands for each kind."""
_WORD_AFTER = re.compile(r"\s+([A-Za-z][\w'-]*)")


@dataclass(frozen=True, slots=True)
class Reference:
    """A wording that refers to a known entity."""

    surface: str
    entity_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """A text with its references put into words, and what they were."""

    text: str
    references: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    entity: Entity
    words: str


def resolve(text: str, *, state: DialogueState, pack: LanguagePack) -> Resolution:
    """Put names for the pronouns and list picks of a user's text; unchanged where it is not sure."""
    if not state.entities or not text or len(text) > LONGEST_TEXT:
        return Resolution(text)
    cues = pack.entities
    plain = tidy(text)
    lowered = lower(plain)
    blocked = [match.span() for pattern in cues.not_referring for match in pattern.finditer(lowered)]
    found: list[_Found] = []
    for candidate in (
        *_picks(lowered, state, cues),
        *_demonstratives(lowered, state, cues),
        *_pronouns(plain, state, pack),
    ):
        span = (candidate.start, candidate.end)
        taken = (*blocked, *((other.start, other.end) for other in found))
        if not any(span[0] < end and start < span[1] for start, end in taken):
            found.append(candidate)
    if not found:
        return Resolution(text)
    found.sort(key=lambda item: item.start)
    pieces: list[str] = []
    position = 0
    for item in found:
        words = item.words
        if plain[item.start].isupper() and words[0].islower():
            words = words[0].upper() + words[1:]
        pieces.extend((plain[position : item.start], words))
        position = item.end
    references = tuple(Reference(plain[i.start : i.end], i.entity.id, i.entity.name) for i in found)
    return Resolution("".join((*pieces, plain[position:])), references)


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


# --- picking from lists ---------------------------------------------------------------------------------------------


def _picks(lowered: str, state: DialogueState, cues: EntityCues) -> Iterator[_Found]:
    items = _latest_list(state)
    if not items:
        return
    for expression in cues.ordinal_expressions:
        for match in expression.finditer(lowered):
            groups = match.groupdict()
            number = _number(groups["n"], cues)
            entity = items[-1] if number == -1 else next((e for e in items if e.ordinal == number), None)
            if entity is None or not _fits(entity, _kinds(groups, cues)):
                continue
            yield _Found(match.start(), match.end(), entity, _worded(entity, cues))


def _latest_list(state: DialogueState) -> list[Entity]:
    """The items of the list introduced last, in its order.

    A list is told by its places: going back through the table, the places count down to one.
    """
    oldest = state.turn_count - 2 * REACH
    items = [entity for entity in state.entities if entity.ordinal > 0 and entity.last_turn >= oldest]
    latest: dict[int, Entity] = {}
    for entity in sorted(items, key=lambda e: (e.last_turn, _serial(e)), reverse=True):
        latest.setdefault(entity.ordinal, entity)
    if not latest:
        return []
    newest = max(items, key=lambda e: (e.last_turn, _serial(e)))
    recent = {place: e for place, e in latest.items() if e.last_turn == newest.last_turn}
    chosen = recent if len(recent) > 1 and 1 in recent else latest
    return [chosen[place] for place in sorted(chosen)]


def _serial(entity: Entity) -> int:
    digits = entity.id[1:]
    return int(digits) if digits.isascii() and digits.isdecimal() else 0


def _number(word: str, cues: EntityCues) -> int:
    return int(word) if word.isdecimal() else cues.numbers.get(word, 0)


def _kinds(groups: dict[str, str | None], cues: EntityCues) -> frozenset[str]:
    """Kinds a noun or classifier allows; empty for any."""
    noun, classifier = groups.get("noun"), groups.get("classifier")
    if noun:
        return frozenset((cues.kind_of_noun.get(noun, "other"), "other"))
    return frozenset(cues.classifiers.get(classifier, ())) if classifier else frozenset()


def _fits(entity: Entity, kinds: frozenset[str]) -> bool:
    return not kinds or entity.kind in kinds or entity.kind == "other"


# --- pronouns -------------------------------------------------------------------------------------------------------


def _demonstratives(lowered: str, state: DialogueState, cues: EntityCues) -> Iterator[_Found]:
    for expression in cues.demonstrative_expressions:
        for match in expression.finditer(lowered):
            kinds = _kinds(match.groupdict(), cues)
            entity = _clear(state, lambda e, kinds=kinds: KIND_WEIGHT.get(e.kind, 0.0) * _fits(e, kinds))  # type: ignore[misc]
            if entity is not None:
                yield _Found(match.start(), match.end(), entity, _worded(entity, cues))


def _pronouns(text: str, state: DialogueState, pack: LanguagePack) -> Iterator[_Found]:
    cues = pack.entities
    hits = list(cues.pronoun_phrases.find(text))
    before = find_mentions(text, pack) if hits else ()
    for hit in hits:
        sort, owned = hit.value
        wanted = _judge(sort, cues)
        # Something of the kind said before it in the same text is what it means; that needs no rewriting.
        if any(mention.start < hit.start and _could_be(mention, sort) for mention in before):
            continue
        entity = _clear(state, wanted)
        if entity is None:
            continue
        owned = owned or (hit.phrase in cues.possessive_set and _before_noun(text[hit.end :], pack))
        yield _Found(hit.start, hit.end, entity, _in_place(entity, sort, text[: hit.start], cues, owned=owned))


def _before_noun(after: str, pack: LanguagePack) -> bool:
    """Whether a word with content follows ("her book", not "her to")."""
    match = _WORD_AFTER.match(after)
    if match is None:
        return False
    adjectives = {word.lower() for word in pack.entities.plain_adjectives}
    return bool(content_words(match[1], pack)) or match[1].lower() in adjectives


def _could_be(mention: Mention, sort: str) -> bool:
    if sort in ("male", "female"):
        return mention.kind in ("person", "animal")
    if sort == "place":
        # "Is there a garden there?": a thing without a name is in the place, not the place.
        return mention.proper and mention.kind in ("place", "organization")
    return mention.kind in KIND_WEIGHT


def _judge(sort: str, cues: EntityCues) -> Callable[[Entity], float]:
    """How well an entity fits a pronoun, 0 to 1."""

    def person(entity: Entity) -> float:
        gender = _gender(entity, cues)
        if gender and gender != sort:
            return 0.0
        weight = {"person": 1.0, "animal": 0.5}.get(entity.kind, 0.4 if _bare_name(entity) else 0.0)
        return weight * (1.0 if gender else 0.75)

    def place(entity: Entity) -> float:
        return {"place": 1.0, "organization": 0.7}.get(entity.kind, 0.4 if _bare_name(entity) else 0.0)

    def thing(entity: Entity) -> float:
        return KIND_WEIGHT.get(entity.kind, 0.0)

    return {"male": person, "female": person, "place": place}.get(sort, thing)


def _bare_name(entity: Entity) -> bool:
    return entity.kind == "other" and entity.name[:1].isupper() and " " not in entity.name


def _gender(entity: Entity, cues: EntityCues) -> str:
    """``female``, ``male`` or empty, by name, title or relation."""
    for name in (entity.name, *entity.aliases):
        lowered = lower(name)
        if is_han(lowered[0]):
            best = max((word for word in cues.gender_of_name if lowered.endswith(word)), key=len, default="")
            if best:
                return cues.gender_of_name[best]
            continue
        for word in (lowered, *lowered.replace(".", " ").split()):
            if word in cues.gender_of_name:
                return cues.gender_of_name[word]
    return ""


def _clear(state: DialogueState, weight: Callable[[Entity], float]) -> Entity | None:
    """The entity that fits clearly best, or None."""
    scored = sorted(
        ((_score(entity, weight(entity), state), index) for index, entity in enumerate(state.entities)), reverse=True
    )
    if not scored or scored[0][0] <= 0:
        return None
    if len(scored) > 1 and scored[0][0] - scored[1][0] < CLEAR:
        return None
    return state.entities[scored[0][1]]


def _score(entity: Entity, weight: float, state: DialogueState) -> float:
    age = max(state.turn_count - entity.last_turn, 0)
    if weight <= 0 or age > REACH:
        return 0.0
    topic = state.topics.current
    names = {lower(name) for name in (entity.name, *entity.aliases)}
    talked_of = topic is not None and (
        bool(names & {lower(name) for name in topic.entities}) or lower(topic.label) in names
    )
    return weight * (1.0 - 0.2 * age) + (0.1 if talked_of else 0.0)


# --- wording --------------------------------------------------------------------------------------------------------


def _worded(entity: Entity, cues: EntityCues) -> str:
    """The name as it stands in a sentence: with an article unless it is a proper name."""
    name = entity.name
    definite = cues.definite.format(name=name)
    if definite in entity.aliases:
        return definite
    if is_han(name[0]) or name[0].isupper() or not name[0].isalpha():
        return name
    return cues.definite.format(name=name)


def _in_place(entity: Entity, sort: str, before: str, cues: EntityCues, *, owned: bool) -> str:
    name = _worded(entity, cues)
    if owned:
        return cues.possessive.format(name=name)
    if sort != "place":
        return name
    lowered = lower(before).rstrip()
    if any(re.search(rf"\b{re.escape(word)}$", lowered) for word in cues.motion):
        return cues.to_place.format(name=name)
    known = cues.known_phrases.at(lower(entity.name), 0) is not None
    return (cues.in_place if known else cues.at_place).format(name=name)

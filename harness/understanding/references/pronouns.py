"""What "he", "she", "it", "they", "there", 他, 它, 那里 mean, from the entity table and what the last messages are about."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.state.facts import USER
from harness.understanding.references.antecedents import (
    KIND_WEIGHT,
    Found,
    bare_name,
    best_of,
    gender_of,
    in_place,
    worded,
)
from harness.understanding.references.focus import Focus, Sort, find_focus, weigh
from harness.understanding.references.mentions import Mention, find_mentions
from harness.understanding.references.naming import name_kind
from harness.understanding.words import content_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.entities import Entity

MESSAGES = 4
"""Messages back in which something that is no entity can be what a pronoun means."""
PERSON = 0.3
"""How much something must look like a person (see ``Focus.person``) to become one of the table."""
LIKELY = 0.4
"""How much something must look like a person, or like none, when nothing else speaks for it."""
PERSONS = ("male", "female")
"""Sorts of pronouns that stand for one person."""
NAME = "name"
"""Attribute of the facts."""
SHORT_TURN = 16
"""Words of a turn that is short enough for "it" to mean the one thing it speaks of."""
MOST_THEY = 3
"""Persons "they" stands for by their names."""
FOCUS_LEAST = 1.2
"""What something must weigh (see :func:`~harness.understanding.references.focus.weigh`) to be meant."""
FOCUS_LEAD = 0.25
"""By how much it must lead the next."""
_BLANK = " \t\n\"'“”‘’（()）"
_ENDS = ("", ".", "!", "?", ",", ";", ":", "。", "！", "？", "，", "；", "：", "…")
_WORD_AFTER = re.compile(r"\s+([A-Za-z][\w'-]*)")


def pronouns(text: str, state: DialogueState, pack: LanguagePack) -> Iterator[Found]:
    """The pronouns of a text that mean something clearly."""
    cues = pack.entities
    hits = list(cues.pronoun_phrases.find(text))
    before = find_mentions(text, pack) if hits else ()
    own = user_names(state) if hits else frozenset()
    genders: dict[str, str] = {}
    for hit in hits:
        sort, owned = hit.value
        # Something of the kind said before it in the same text is what it means; that needs no rewriting.
        if any(mention.start < hit.start and _could_be(mention, sort) for mention in before):
            continue
        if sort == "thing" and _an_animal(text[: hit.start], cues):
            continue
        if sort in PERSONS and pack.any_of(pack.recall.described).search(text[: hit.start]):
            continue  # "the one who is always late; what is he called?": whoever is described
        owned = owned or (hit.phrase in cues.possessive_set and _before_noun(text[hit.end :], pack))
        if sort == "people":
            if cues.several_before is not None and cues.several_before.search(text[: hit.start]):
                continue  # "owls can turn their heads"
            several = _several(state, pack)
            if several is not None:
                words = cues.possessive.format(name=several.words) if owned else several.words
                yield replace(several, start=hit.start, end=hit.end, words=words)
            continue
        entity, tied = best_of(state, _judge(sort, cues, own))
        if entity is not None:
            if not sure(entity, sort, text, hit.start, state, cues):
                continue
            if sort in PERSONS and genders.setdefault(entity.id, sort) != sort:
                continue  # "she likes him": nobody is both
            yield Found.of(hit.start, hit.end, entity, in_place(entity, sort, text[: hit.start], cues, owned=owned))
            continue
        about = None if tied else talked_about(sort, text[hit.end :], state, pack)
        if about is not None:
            words = cues.possessive.format(name=about.name) if owned else about.name
            kind = "person" if about.person > PERSON else name_kind(about.name, cues)
            yield Found(hit.start, hit.end, "", about.name, words, kind)


def sure(entity: Entity, sort: str, text: str, start: int, state: DialogueState, cues: EntityCues) -> bool:
    """Whether a pronoun means an entity surely enough to be replaced.

    A named person or work is spoken of as such. "It" after talk of a thing without a name just as often means what was said of it
    ("it was fun"), so the thing must be the only one of the last turn, the turn must be short, and "it" must not stand where it
    mostly means a matter ("do it").
    """
    before = text[:start]
    if sort in ("male", "female") and _tells_a_person(before, cues):
        return False  # "my fifth son is …; we keep him …"
    if sort == "place" and cues.place_before is not None and cues.place_before.search(before):
        return False
    if (
        sort == "thing"
        and entity.kind == "place"
        and _bare_place(entity, cues)
        and before.strip(_BLANK)[-1:] not in _ENDS
    ):
        return (
            False  # "Cairo was hard; he left it with his uncle": only as what a clause is about is it surely the town
        )
    if is_named(entity, cues):
        return True
    if sort in ("male", "female") and entity.kind == "person":
        return True
    if cues.matter_before is not None and cues.matter_before.search(before):
        return False
    wanted = ("place", "organization") if sort == "place" else tuple(KIND_WEIGHT)
    rivals = [e for e in state.entities if e.last_turn == state.turn_count and e.kind in wanted and e.id != entity.id]
    said = [message.text for message in state.messages if message.turn == state.turn_count]
    return entity.last_turn == state.turn_count and not rivals and sum(map(_length, said)) <= SHORT_TURN


def _bare_place(entity: Entity, cues: EntityCues) -> bool:
    """Whether a place is known by its name alone, as a town is, and not as an inn or a shop."""
    return lower(entity.name).split(" ")[-1] not in cues.kind_of_noun and not any(
        lower(alias).split(" ")[-1] in cues.kind_of_noun for alias in entity.aliases
    )


def is_named(entity: Entity, cues: EntityCues) -> bool:
    """Whether an entity is known by a name of its own, not by a noun ("bicycle", "red bicycle") or a stray capital letter."""
    name = entity.name
    if cues.definite.format(name=name) in entity.aliases and not is_han(name[0]):
        return True
    if entity.kind == "other" and not (" " in name and name[0].isupper()):
        return False
    if is_han(name[0]):
        return lower(name) not in cues.kind_of_noun and entity.kind != "other"
    return name[0].isupper()


def name_is_plain(entity: Entity) -> bool:
    """Whether a name is written like any other word of a script with capitals."""
    return entity.name[0].islower()


def _tells_a_person(before: str, cues: EntityCues) -> bool:
    return any(hit.phrase in cues.relation_set for hit in cues.noun_phrases.find(before))


def _length(text: str) -> int:
    """Words, or about as many Han characters as say the same."""
    han = sum(map(is_han, text))
    return len(text.split()) if not han else han * 2 // 3


def _several(state: DialogueState, pack: LanguagePack) -> Found | None:
    """Whom "they" means: the persons the last turn spoke of, when they are a few, or those known by a plural ("my parents")."""
    cues = pack.entities
    own = user_names(state)
    persons = [e for e in state.entities if e.kind == "person" and lower(e.name) not in own]
    newest = max((e.last_turn for e in persons), default=-1)
    fresh = [e for e in persons if e.last_turn == newest == state.turn_count]
    plural = [e for e in fresh if is_plural(e, cues)]
    if len(plural) == 1:
        return Found.of(0, 0, plural[0], worded(plural[0], cues))
    if plural or not 2 <= len(fresh) <= MOST_THEY:
        return None
    fresh.sort(key=lambda e: int(e.id[1:]) if e.id[1:].isdecimal() else 0)
    *rest, last = (worded(e, cues) for e in fresh)
    name = cues.joined.format(first=cues.joined_between.join(rest), second=last)
    return Found(0, 0, fresh[0].id, name, name)


def user_names(state: DialogueState) -> frozenset[str]:
    """What the user is called, lower-cased, by the facts."""
    return frozenset(lower(fact.value) for fact in state.facts if fact.subject == USER and fact.attribute == NAME)


def is_plural(entity: Entity, cues: EntityCues) -> bool:
    """Whether an entity is several persons ("parents", 父母)."""
    return any(lower(name).endswith(cues.plurals) for name in (entity.name, *entity.aliases))


def talked_about(sort: str, after: str, state: DialogueState, pack: LanguagePack) -> Focus | None:
    """What the last messages are about, for a pronoun of a sort with what follows it; None when it is not clear."""
    cues = pack.entities.focus
    if sort == "place" or not cues.cuts:
        return None
    wanted: Sort = "thing" if sort == "thing" or cues.any_of("asks_thing").search(after) else "person"
    found = find_focus(recent_texts(state), pack)
    rated = sorted(
        ((weigh(one, wanted), one) for one in found if not _against(one, sort, pack.entities)),
        key=lambda pair: -pair[0],
    )
    if not rated or rated[0][0] < FOCUS_LEAST or not _likely(rated[0][1], wanted):
        return None
    if len(rated) > 1 and rated[0][0] - rated[1][0] < FOCUS_LEAD:
        return None
    return rated[0][1]


def _likely(one: Focus, sort: Sort) -> bool:
    """Whether something is more than a piece of text between two words without content."""
    if sort == "person":
        return len(one.name) > 1 and (
            one.person >= LIKELY or (one.person >= 0 and (one.framed or one.said > 1 or (one.whole and not one.act)))
        )
    return one.framed or one.said > 1 or one.person <= -LIKELY


def recent_texts(state: DialogueState) -> tuple[str, ...]:
    """The last messages before this one, the latest first."""
    said = [message.text for message in state.messages[-2 * MESSAGES :] if message.turn <= state.turn_count]
    return tuple(reversed(said[-MESSAGES:]))


def _against(one: Focus, sort: str, cues: EntityCues) -> bool:
    """Whether the gender of something speaks against a pronoun."""
    gender = gender_of((one.name,), cues)
    return sort in ("male", "female") and bool(gender) and gender != sort


def _before_noun(after: str, pack: LanguagePack) -> bool:
    """Whether a word with content follows ("her book", not "her to")."""
    match = _WORD_AFTER.match(after)
    if match is None:
        return False
    adjectives = {word.lower() for word in pack.entities.plain_adjectives}
    return bool(content_words(match[1], pack)) or match[1].lower() in adjectives


def _an_animal(before: str, cues: EntityCues) -> bool:
    """Whether an animal is spoken of by its bare noun (狗醒了): nothing that was named earlier is meant after it."""
    return any(cues.kind_of_noun.get(hit.phrase) == "animal" for hit in cues.noun_phrases.find(before))


def _could_be(mention: Mention, sort: str) -> bool:
    if sort in ("male", "female", "people"):
        return mention.kind in ("person", "animal")
    if sort == "place":
        # "Is there a garden there?": a thing without a name is in the place, not the place.
        return mention.proper and mention.kind in ("place", "organization")
    return mention.kind in KIND_WEIGHT


def _judge(sort: str, cues: EntityCues, own: frozenset[str]) -> Callable[[Entity], float]:
    """How well an entity fits a pronoun, 0 to 1; those of the names ``own``, the user's, never do."""

    def person(entity: Entity) -> float:
        if lower(entity.name) in own or is_plural(entity, cues):
            return 0.0
        gender = gender_of((entity.name, *entity.aliases), cues)
        if gender and gender != sort:
            return 0.0
        weight = {"person": 1.0, "animal": 0.5 if is_named(entity, cues) else 0.0}.get(
            entity.kind, 0.4 if bare_name(entity) else 0.0
        )
        return weight * (1.0 if gender else 0.75)

    def place(entity: Entity) -> float:
        return {"place": 1.0, "organization": 0.7}.get(entity.kind, 0.4 if bare_name(entity) else 0.0)

    def thing(entity: Entity) -> float:
        if entity.ordinal and entity.kind == "other" and name_is_plain(entity):
            return 0.0  # what was merely listed ("to see, to hear") can be picked, but is no thing yet
        return KIND_WEIGHT.get(entity.kind, 0.0)

    return {"male": person, "female": person, "place": place}.get(sort, thing)

"""What a text mentions: names, things by their noun, and the items of lists."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import alternatives, is_han, lower
from harness.language.sought import Sought
from harness.understanding.references.han_names import begins_with_time, han_names
from harness.understanding.references.listing import Item, find_lists, find_told_apart
from harness.understanding.references.naming import name_kind
from harness.understanding.words import is_stop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues

LONGEST_NAME = 60
_BEFORE_SENTENCE = frozenset('.!?:;"“(,，。！？：')
_EDGES = " \t\n,，、.。!！?？:：;；\"'“”‘’()（）《》「」『』"
_NAME_START = re.compile(r"[A-Z\u00c0-\u00de\u3400-\u9fff\uf900-\ufaff]")
_LEAST_SHOUT = 8
_LONGEST_VERB = 12
_SENTENCE_END = re.compile(r"[.!?。！？\n]\s*")


@dataclass(frozen=True, slots=True)
class Mention:
    """Something a text mentions.

    Attributes:
        name: as said, without article.
        kind: a kind of :class:`~harness.state.entities.Entity`.
        aliases: other words for it in the same text ("camera" for "red camera", "sister" for "my sister Anna").
        start: where it stands.
        ordinal: place in a list, from 1; 0 outside.
        relation: a person known by relation only ("my sister").
        owner: the word that says whose it is ("my", 你的), or empty.
        proper: a proper name.
    """

    name: str
    kind: str
    aliases: tuple[str, ...] = ()
    start: int = 0
    ordinal: int = 0
    relation: bool = False
    owner: str = ""
    proper: bool = False


@lru_cache(maxsize=256)
def find_mentions(text: str, pack: LanguagePack, *, known: frozenset[str] = frozenset()) -> tuple[Mention, ...]:
    """Everything a text mentions, in order; each name once, the most telling mention of it.

    Args:
        text: tidied text.
        pack: its language.
        known: lower-cased names that are entities already, so that they count at the beginning of a sentence.
    """
    cues = pack.entities
    named = list(_named(text, pack))
    found = [mention for mention, _ in named]
    found.extend(_well_known(text, cues))
    found.extend(_capitalised(text, pack, known))
    # A noun that introduces a name ("my friend Jack", 一只猫叫米索) is told with the name.
    taken = [(mention.start, mention.start + len(mention.name)) for mention in found] + [span for _, span in named]
    for mention in _by_form(text, pack, taken):
        found.append(mention)
        taken.append((mention.start - sum(map(len, mention.aliases)), mention.start + len(mention.name)))
    found.extend(
        mention for mention in _by_noun(text, cues) if not any(start <= mention.start < end for start, end in taken)
    )
    return tuple(_merged(found, _listed(text, cues, known)))


def _clean(name: str) -> str:
    name = name.strip(_EDGES)
    name = name.removesuffix("'s").strip(_EDGES)
    return name if len(name) <= LONGEST_NAME else ""


def _is_name(name: str, cues: EntityCues) -> bool:
    lowered = lower(name)
    if not name or lowered in cues.never or lowered in cues.relation_set:
        return False
    if not any(char.isalpha() for char in name):
        return False
    return not all(word in cues.never for word in lowered.split())


def _named(text: str, pack: LanguagePack) -> Iterator[tuple[Mention, tuple[int, int]]]:
    """Names that a wording introduces, each with the place of the noun that goes with it (empty without)."""
    cues = pack.entities
    lowered = lower(text)
    for number in _wordings(pack).numbers(text):
        expression, wording = cues.name_expressions[number]
        if wording.hints and not any(hint in lowered for hint in wording.hints):
            continue
        for match in expression.finditer(text):
            name, start = _without_openers(_clean(match["name"]), match.start("name"), pack)
            if not _is_name(name, cues) or (is_han(name[0]) and begins_with_time(name, pack)):
                continue
            noun = (match.groupdict().get("noun") or "").lower()
            kind_found = cues.kind_of_noun.get(noun, wording.kind) or name_kind(name, cues)
            telling = bool(noun) and (noun in cues.relation_set or kind_found == "animal")
            aliases = (match["noun"],) if telling else ()
            owner = _owner(text[: match.start("noun")], cues) if telling else ""
            span = match.span("noun") if noun else (0, 0)
            yield Mention(name, kind_found, aliases, start, owner=owner, proper=True), span


@lru_cache(maxsize=16)
def _wordings(pack: LanguagePack) -> Sought:
    return Sought(expression for expression, _ in pack.entities.name_expressions)


def _owner(before: str, cues: EntityCues) -> str:
    """The word right before a noun that says whose it is."""
    lowered = lower(before).rstrip()
    owners = (*cues.user_owner, *cues.own_owner)
    fitting = [owner for owner in owners if lowered.endswith(lower(owner))]
    return lower(max(fitting, key=len)) if fitting else ""


def _without_openers(name: str, start: int, pack: LanguagePack) -> tuple[str, int]:
    """A name without capitalised words around it that are none ("But Jack", "In London", "Jack I'm")."""
    never = pack.entities.never
    while " " in name:
        first, _, rest = name.partition(" ")
        if lower(first) not in never and not is_stop(first, pack):
            break
        name, start = rest, start + len(first) + 1
    while " " in name and lower(name.rpartition(" ")[2]) in never:
        name = name.rpartition(" ")[0]
    return name, start


def _well_known(text: str, cues: EntityCues) -> Iterator[Mention]:
    lowered = lower(text)
    end = 0
    # Latin names count only as written: "china" is tableware, "turkey" a bird.
    for match in _NAME_START.finditer(text):
        hit = cues.known_phrases.at(lowered, match.start()) if match.start() >= end else None
        if hit is not None:
            yield Mention(text[hit.start : hit.end], hit.value, start=hit.start, proper=True)
            end = hit.end


def _capitalised(text: str, pack: LanguagePack, known: frozenset[str]) -> Iterator[Mention]:
    cues = pack.entities
    letters = [char for char in text if char.isascii() and char.isalpha()]
    if len(letters) >= _LEAST_SHOUT and sum(char.isupper() for char in letters) > 0.7 * len(letters):
        return
    within: dict[str, list[int]] = {}
    for match in cues.capitals.finditer(text):
        name, start = _without_openers(_clean(match[0]), match.start(), pack)
        if len(name) < 2 or not _is_name(name, cues):  # a letter is no name
            continue
        if _denies(text, start, pack):
            continue
        kind = name_kind(name, cues)
        at_start = start == match.start() and _begins_sentence(text, start)
        sure = " " in name or lower(name) in known or lower(name) in cues.given
        if not sure:
            if name not in within:  # once a name: it may stand there a thousand times
                within[name] = _within_sentences(name, text)
            sure = any(place != start for place in within[name][:2])
        if at_start and (not sure or is_stop(name, pack)):
            continue
        yield Mention(name, kind, _definite(name, text[:start], cues), start, proper=True)


def _denies(text: str, start: int, pack: LanguagePack) -> bool:
    """Whether the word that begins at a place is a verb with its "not" ("Don't tell"), and no name."""
    endings = pack.emotion.negator_endings
    word = text[start : start + _LONGEST_VERB].split(maxsplit=1)[:1]
    return bool(endings and word) and lower(word[0]).replace("\u2019", "'").endswith(endings)


def _definite(name: str, before: str, cues: EntityCues) -> tuple[str, ...]:
    """The name with its article as an alias, when it was said with one ("the Garnet Palace"): it belongs to it."""
    definite = cues.definite.format(name=name)
    head = definite.removesuffix(name)
    return (definite,) if head and " " in name and lower(before).endswith(lower(head)) else ()


def _by_form(text: str, pack: LanguagePack, taken: list[tuple[int, int]]) -> list[Mention]:
    """Han names that only their form and what is next to them show, outside what was found already."""
    found = []
    for name in han_names(text, pack):
        end = name.start + len(name.name)
        if not any(start < end and name.start < stop for start, stop in taken) and _is_name(name.name, pack.entities):
            owner = _owner(text[: name.start - len(name.noun)], pack.entities) if name.noun else ""
            aliases = (name.noun,) if name.noun else ()
            found.append(Mention(name.name, name.kind, aliases, name.start, owner=owner, proper=True))
    return found


def _within_sentences(name: str, text: str) -> list[int]:
    """Where a word is capitalised within a sentence, not at its beginning."""
    return [place for place in _whole_words(name, text) if not _begins_sentence(text, place)]


def _whole_words(name: str, text: str) -> Iterator[int]:
    """Where a name stands that is no part of a longer word."""
    place = text.find(name)
    while place >= 0:
        end = place + len(name)
        joined = (place and _in_word(text[place - 1]) == _in_word(name[0])) or (
            end < len(text) and _in_word(text[end]) == _in_word(name[-1])
        )
        outside = (not place and not _in_word(name[0])) or (end == len(text) and not _in_word(name[-1]))
        if not joined and not outside:
            yield place
        place = text.find(name, place + 1 if joined or outside else end)


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _begins_sentence(text: str, start: int) -> bool:
    """Whether a sentence or a clause begins at a place: blanks, an end mark before them, or the beginning of the text."""
    place = start
    while place and text[place - 1].isspace():
        place -= 1
        if text[place] == "\n":
            return True
    return text[place - 1] in _BEFORE_SENTENCE if place else not start


def _by_noun(text: str, cues: EntityCues) -> Iterator[Mention]:
    for expression in cues.phrase_expressions:
        for match in expression.finditer(text):
            groups = match.groupdict()
            if groups.get("role"):
                yield Mention(groups["role"], "person", start=match.start("role"))
                continue
            noun = groups["noun"]
            start = match.start("noun")
            owner = groups.get("owner") or (cues.user_owner[0] if groups.get("has") and cues.user_owner else "")
            if owner:
                yield Mention(noun, "person", start=start, relation=True, owner=owner.lower())
                continue
            kind = cues.kind_of_noun.get(noun.lower(), "thing")
            if noun.lower() in cues.relation_set or _goes_on(text, match.end("noun"), cues):
                continue
            adjective = _telling((groups.get("adjective") or "").strip(), cues)
            if adjective:
                joined = f"{adjective}{noun}" if is_han(noun[0]) else f"{adjective} {noun}"
                yield Mention(joined, kind, (noun,), start)
            else:
                yield Mention(noun, kind, start=start)


def _goes_on(text: str, end: int, cues: EntityCues) -> bool:
    """Whether a noun is only the beginning of another one."""
    return end < len(text) and text[end] in cues.compound_heads


def _telling(adjective: str, cues: EntityCues) -> str:
    """An adjective without those that tell nothing apart."""
    if is_han(adjective[:1] or " "):
        plain = "|".join(sorted(map(re.escape, cues.plain_adjectives), key=len, reverse=True))
        return re.sub(rf"^(?:{plain})+$", "", adjective) if plain else adjective
    plain_set = {word.lower() for word in cues.plain_adjectives}
    return " ".join(word for word in adjective.split() if word.lower() not in plain_set)


def _lists(text: str, cues: EntityCues, known: frozenset[str]) -> list[list[Item]]:
    """The lists of a text; two items with words about each are one when they are new and stand in no longer list."""
    lists = find_lists(text, cues)
    longer = [item.name for items in lists for item in items if len(items) > 2]  # more than a pair
    pairs = [
        pair
        for pair in find_told_apart(text, cues)
        if not any(lower(item.name) in name for item in pair for name in known)
        and not any(one in item.name or item.name in one for item in pair for one in longer)
    ]
    starts = [pair[0].start for pair in pairs]
    ends = [pair[-1].start + len(pair[-1].name) for pair in pairs]
    apart = [
        items
        for items in lists
        if not any(begin <= items[-1].start and items[0].start < end for begin, end in zip(starts, ends, strict=True))
    ]
    return [*apart, *pairs]


def _listed(text: str, cues: EntityCues, known: frozenset[str]) -> Iterator[Mention]:
    for items in _lists(text, cues, known):
        own = [name_kind(item.name, cues) for item in items]
        told = _kind_before(text[: items[0].start], cues)
        common = max(own, key=lambda kind: (kind != "other", own.count(kind))) if told == "other" else told
        for number, item in enumerate(items, 1):
            if lower(item.name) in cues.never:
                continue
            kind = own[number - 1] if own[number - 1] != "other" else common
            proper = item.name[:1].isupper()
            aliases = (cues.definite.format(name=item.name),) if item.article else ()
            yield Mention(item.name, kind, aliases, item.start, ordinal=number, proper=proper)


def _kind_before(before: str, cues: EntityCues) -> str:
    """The kind of the last noun before a list ("three hotels: …"), singular or plural."""
    sentence = _SENTENCE_END.split(before)[-1]
    kind = "other"
    for match in _plural_nouns(cues).finditer(sentence):
        kind = cues.kind_of_noun[match[1].lower()]
    return kind


@lru_cache(maxsize=16)
def _plural_nouns_of(nouns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])({alternatives(nouns)})(?:e?s)?(?![A-Za-z])", re.IGNORECASE)


def _plural_nouns(cues: EntityCues) -> re.Pattern[str]:
    return _plural_nouns_of(tuple(cues.kind_of_noun))


def ready_nouns(cues: EntityCues) -> None:
    """Compile what finds the noun before a list."""
    _plural_nouns(cues)


def _merged(found: list[Mention], listed: Iterator[Mention]) -> list[Mention]:
    """Each name once, in order of appearance: aliases united, the more telling kind kept, list places added."""
    by_name: dict[str, Mention] = {}
    for mention in [*found, *listed]:
        key = lower(mention.name)
        old = by_name.get(key)
        if old is None and mention.ordinal:
            old = next((m for m in by_name.values() if _same_place(m, mention)), None)
            key = lower(old.name) if old is not None else key
        if old is None:
            by_name[key] = mention
            continue
        by_name[key] = replace(
            old,
            kind=mention.kind if old.kind == "other" else old.kind,
            aliases=tuple(dict.fromkeys((*old.aliases, *mention.aliases))),
            start=min(old.start, mention.start),
            ordinal=old.ordinal or mention.ordinal,
        )
    kept = [mention for mention in by_name.values() if not _inside_longer(mention, by_name)]
    return sorted(kept, key=lambda mention: mention.start)


def _same_place(named: Mention, item: Mention) -> bool:
    """Whether an item of a list is a name known by another wording, or with more behind it (老韩 in 老韩吃了饭)."""
    if named.start != item.start:
        return False
    longer = named.kind == "person" and named.proper and is_han(item.name[0]) and item.name.startswith(named.name)
    return longer or lower(item.name) in map(lower, named.aliases)


def _inside_longer(mention: Mention, by_name: dict[str, Mention]) -> bool:
    """Whether a mention is only a part of a longer name at the same place (市 in 上海市, "Grand" in "Grand Hotel")."""
    start, end = mention.start, mention.start + len(mention.name)
    return any(
        other is not mention
        and len(other.name) > len(mention.name)
        and other.start <= start
        and end <= other.start + len(other.name)
        and not mention.ordinal
        for other in by_name.values()
    )

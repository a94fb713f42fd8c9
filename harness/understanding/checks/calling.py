"""The user calls the character by a name that is not its own: "Busy night, Tom?", 阿强，今晚忙吗？, "from now on you are Tom".

Left without a word, a weak model soon answers to the name and then lives its life. Most of this module is about what is no
such call: short forms of the true name, words that address anybody, and names of others who are talked of or talking.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.state import USER, Notice
from harness.understanding.checks.holding import statement
from harness.understanding.facts.name_forms import is_form_of
from harness.understanding.one_script import in_one_script
from harness.understanding.references.naming import name_kind
from harness.understanding.text import fold, has_han, normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState, Persona

LONGEST_SENTENCE = 300
"""Characters of a sentence that is looked through."""
RECENT = 24
"""Messages of the user in which a name may have been given or spoken of."""
NAME = "name"
"""Attribute of a notice about a wrong name."""
NAME_FACT = "p:name"
"""Id of the fact that says what the character is called, whether or not its file lists one."""
_NO_NAMES = ("place", "time", "organization", "work")


@dataclass(frozen=True, slots=True)
class Call:
    """A name that the listener is called by.

    Attributes:
        name: as it stands in the message. ``quote``: its sentence.
        assigned: the message makes somebody of that name of the listener.
        shown: its form, the words around it, or both show that it is a name; else only an earlier use can.
    """

    name: str
    quote: str
    assigned: bool = False
    shown: bool = True


@in_one_script
def wrong_name(text: str, *, state: DialogueState, persona: Persona, pack: LanguagePack) -> Notice | None:
    """A ``contradiction`` notice when the user calls the character by a name of somebody else.

    Args:
        text: the message.
        state: the state after the turn before.
        persona: the character. Its aliases, shorter forms of its name, and names that its file mentions raise nothing.
        pack: the message's language.
    """
    calls = _calls(text, pack)
    if not calls:
        return None
    said = [m.text for m in state.messages if m.speaker == USER][-RECENT:]
    for call in calls:
        given = call.assigned or any(
            _same(old.name, call.name) and old.assigned for t in said for old in _calls(t, pack)
        )
        if not (call.shown or given) or _is_own(call.name, persona, pack, given=given):
            continue
        if _played(call.name, (*said, text), pack) or _is_other(call.name, state, persona):
            continue
        if not given and _spoken_of(call.name, (*said, text), pack):
            continue
        fact = next((fact for fact in persona.as_facts() if fact.attribute == "name"), None)
        truth = statement(fact, pack=pack, persona=persona) if fact is not None else _own_name(persona, pack)
        return Notice(
            kind="contradiction",
            quote=call.quote,
            claim=call.name,
            fact_id=NAME_FACT,
            truth=truth,
            attribute=NAME,
            value=call.name,
        )
    return None


def _own_name(persona: Persona, pack: LanguagePack) -> str:
    spec = pack.attribute("name")
    return spec.statement.format(value=persona.name, attribute="name") if spec and spec.statement else persona.name


@remembered(512)
def _calls(text: str, pack: LanguagePack) -> tuple[Call, ...]:
    """Every call in a message; remembered, since the same messages are looked at again in the turns after."""
    return tuple(_found(text, pack))


def _found(text: str, pack: LanguagePack) -> Iterator[Call]:
    cues = pack.called
    plain = normalize(text)
    for source in cues.quoted:
        plain = pack.pattern(source).sub(" ", plain)
    for sentence in sentences(plain):
        if len(sentence) > LONGEST_SENTENCE:
            continue
        for source in cues.assigned:
            for match in pack.pattern(source).finditer(sentence):
                name = match["name"]
                shown = _looks_like_name(name, pack, capital=False) or _apposed(sentence, match, pack)
                yield Call(name, sentence, assigned=shown, shown=shown)
        yield from _vocatives(sentence, pack)


def _apposed(sentence: str, match: re.Match[str], pack: LanguagePack) -> bool:
    """Whether words after a name say who that is ("you are Tom, a driver"), so that it names a person."""
    return bool(pack.any_of(pack.called.presented).match(sentence[match.end() :])) and _could_be_name(
        match["name"], pack
    )


def _vocatives(sentence: str, pack: LanguagePack) -> Iterator[Call]:
    cues = pack.called
    listener, after, before = (pack.any_of(s) for s in (cues.listener, cues.aside_after, cues.aside_before))
    for source in cues.opening:
        match = pack.pattern(source).search(sentence)
        if match is not None and listener.search(match["rest"]) and not after.search(match["rest"]):
            shown = match["name"][:1].isupper() or has_han(match["name"])
            yield Call(match["name"], sentence, shown=shown and _looks_like_name(match["name"], pack, capital=False))
            break
    for source in cues.closing:
        match = pack.pattern(source).search(sentence)
        if match is None or before.search(match["before"]) or _ends_with_a_person(match["before"], pack):
            continue
        if listener.search(sentence):
            lowercase = match["name"][:1].islower()
            if lowercase and sentence != sentence.lower():
                continue
            yield Call(match["name"], sentence, shown=_looks_like_name(match["name"], pack, capital=not lowercase))
            break
    for source in cues.greeting:
        match = pack.pattern(source).search(sentence)
        if match is not None:
            inside = match.start("name") > 0
            yield Call(match["name"], sentence, shown=_looks_like_name(match["name"], pack, capital=inside))
            break


def _ends_with_a_person(before: str, pack: LanguagePack) -> bool:
    """Whether what stands before a name says whose name it is ("how is your brother, Tom")."""
    nouns = pack.entities.kind_of_noun
    if has_han(before):
        return any(nouns.get(before[-size:]) in ("person", "animal") for size in (1, 2, 3) if len(before) >= size)
    word = re.search(r"[\w-]+$", before)
    return word is not None and nouns.get(word[0].lower()) in ("person", "animal")


def _looks_like_name(name: str, pack: LanguagePack, *, capital: bool) -> bool:
    """Whether a word is a person's name by its form; with ``capital``, a capital letter inside a sentence tells."""
    lowered = fold(name)
    if not _could_be_name(name, pack):
        return False
    if _has_form(name, pack) or lowered in pack.entities.given:
        return True
    return (
        capital and not has_han(name) and name[:1].isupper() and name_kind(name, pack.entities) in ("person", "other")
    )


def _could_be_name(name: str, pack: LanguagePack) -> bool:
    lowered, cues = fold(name), pack.entities
    if lowered in pack.called.term_set or lowered in cues.never or lowered in cues.people.title_set:
        return False
    if lowered in cues.kind_of_noun or cues.people.sort_of.get(lowered):
        return False
    return lowered in cues.given or name_kind(name, cues) not in _NO_NAMES


def _has_form(name: str, pack: LanguagePack) -> bool:
    focus = pack.entities.focus
    for source in pack.called.forms:
        match = pack.pattern(source).fullmatch(name)
        if match is None:
            continue
        own = match.groupdict().get("own")
        if own is None or own in focus.surnames or _has_form(own, pack):
            return True
    surname = focus.surname.match(name) if has_han(name) and focus.surnames else None
    if surname is None:
        return False
    own = name[surname.end() :]
    if not 1 <= len(own) <= 2 or any(char not in focus.given_characters for char in own):
        return False
    return len(name) > 2 or not _is_word(name, pack)


def _is_word(name: str, pack: LanguagePack) -> bool:
    """Whether a family name with one character is an ordinary word as well (安静, 高兴)."""
    called, focus = pack.called, pack.entities.focus
    if called.word_set & {name} or name in focus.dull_set or name in pack.text.stopwords:
        return True
    hit = focus.cut_phrases.at(name, 0)
    return (hit is not None and hit.end == len(name)) or bool(pack.any_of(called.word_forms).fullmatch(name))


def _same(one: str, other: str) -> bool:
    return fold(one) == fold(other)


def _is_own(name: str, persona: Persona, pack: LanguagePack, *, given: bool) -> bool:
    """Whether it is the character's name, an alias, or a form of one (小鹭 for 白鹭, "Mi" for "Mia")."""
    own = (persona.name, *persona.aliases)
    if has_han(name) != any(has_han(known) for known in own):
        return not given  # written in another script it may be the same name
    return is_form_of(name, own, pack)


def _is_other(name: str, state: DialogueState, persona: Persona) -> bool:
    """Whether it is the user's, or somebody's whom the facts, the persona's file or the entities tell of."""
    called = fold(name)
    # "I'm not Tom" makes nobody of that name known: it is what the character answered to the call before.
    told_of = (fact for fact in state.active_facts() if fact.polarity or fact.speaker == USER)
    facts = (f"{fact.subject} {fact.value}" for fact in told_of)
    related = (" ".join(e.aliases) for e in state.entities if e.kind == "person" and fold(e.name) == called)
    if any(_contains(called, fold(text)) for text in (state.user, *facts)) or any(related):
        return True
    own = (persona.role, persona.biography, *persona.knowledge, *persona.habits)
    told = (*own, *(f"{fact.value} {fact.statement}" for fact in persona.facts if fact.attribute != "name"))
    return any(_contains(called, fold(text)) for text in told)


def _contains(name: str, text: str) -> bool:
    return _count(name, text) > 0


def _count(name: str, text: str) -> int:
    if has_han(name):
        return text.count(name)
    return len(re.findall(rf"(?<!\w){re.escape(name)}(?!\w)", text))


def _played(name: str, texts: Iterable[str], pack: LanguagePack) -> bool:
    """Whether the name was put on in play ("let's pretend you are Tom")."""
    games = pack.any_of(pack.called.games)
    return any(
        games.search(normalize(text))
        and (_beyond_calls(name, text, pack) or any(c.assigned and _same(c.name, name) for c in _calls(text, pack)))
        for text in texts
        if _contains(fold(name), fold(text))
    )


def _spoken_of(name: str, texts: Iterable[str], pack: LanguagePack) -> bool:
    """Whether the user's messages speak of the name's bearer, too, instead of to them."""
    return any(_beyond_calls(name, text, pack) for text in texts)


def _beyond_calls(name: str, text: str, pack: LanguagePack) -> bool:
    """Whether a text holds the name more often than it calls somebody by it."""
    times = _count(fold(name), fold(text))
    return times > 0 and times > sum(_same(call.name, name) for call in dict.fromkeys(_calls(text, pack)))

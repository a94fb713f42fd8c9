"""Whom a question for what was told is about: the asker, a relative or pet of theirs, or somebody known by name.

"How old is my sister?" asks for nothing of the asker's own: only what is known of the sister answers it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER, Fact
from harness.understanding.checks.holding import statement
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.keys import NAME
from harness.understanding.facts.propositions import propositions
from harness.understanding.text import contains_phrase, fold, has_han, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import DialogueState

_PLACE = "§"
"""Stands for the one asked about, where a question is put as one about the asker."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Whom a question is about.

    Attributes:
        words: nouns for them ("mother", "mum"); empty for somebody who is named.
        labels: folded subjects of facts about them, and how each is called to the asker ("your sister", "Jane").
        question: the question with ``§`` in their place. ``own``: the same as a question about the asker.
        thing: it is a thing, which only facts of the asker's tell of.
        unknown: it is somebody of theirs ("my sister's dog"), of whom nothing is known.
    """

    words: tuple[str, ...]
    labels: dict[str, str] = field(default_factory=dict)
    question: str = ""
    own: str = ""
    thing: bool = False
    unknown: bool = False


def whose(clause: str, state: DialogueState, pack: LanguagePack) -> Whose | None:
    """Whom a question is about, when that is not the asker; None when it is, or nobody is spoken of."""
    cues = pack.recall
    for sources, thing in ((cues.whose, False), (cues.things, True)):
        for source in sources:
            match = pack.pattern(source).search(clause)
            if match is None:
                continue
            question = clause[: match.start()] + _PLACE + clause[match.end() :]
            words = nouns_for(fold(match["r"]), pack)
            said = pack.rewrite(match[0], cues.address)
            labels = {} if thing else _labels(words, said, state, pack)
            unknown = bool(match.groupdict().get("n"))
            return Whose(words, labels, question, pack.rewrite(question, cues.as_own), thing, unknown)
    return _named(clause, state, pack)


def spoken_of(text: str, state: DialogueState, pack: LanguagePack) -> set[str]:
    """Folded subjects of facts about people and pets of the user's whom a text names ("my daughter", "Maya")."""
    found = {
        fold(fact.subject)
        for fact in state.active_facts()
        if fact.subject not in (USER, CHARACTER) and contains_phrase(text, fact.subject)
    }
    for source in pack.recall.whose:
        for match in pack.pattern(source).finditer(text):
            if not match.groupdict().get("n"):
                found |= _labels(nouns_for(fold(match["r"]), pack), "", state, pack).keys()
    return found


def about(who: Whose, clause: str, state: DialogueState, pack: LanguagePack) -> list[Fact]:
    """The facts that answer a question about somebody else than the asker. None where nothing of that is known."""
    own_facts = state.active_facts(USER)
    open_ones = [fact for fact in own_facts if _names_whole(fact, clause, who, pack)]
    if open_ones or who.unknown:
        return open_ones
    rest = pack.any_of(pack.recall.aside).sub("", who.question)
    asked = set(asked_attributes(who.own, pack))
    if NAME in asked or (not pack.any_of(pack.recall.elsewhere).search(rest) and _identity(rest, pack)):
        told = [fact for fact in own_facts if who.words and _tells_of(fact, who, pack)]
        return [fact for fact in told if NAME not in asked or _has_name(fact, pack)]
    if who.thing:
        return [] if asked else [fact for fact in own_facts if _tells_of(fact, who, pack)]
    if pack.any_of(pack.recall.elsewhere).search(rest):
        return []
    known = [fact for fact in state.active_facts() if fold(fact.subject) in who.labels and fact.speaker == USER]
    told = [fact for fact in known if _key(fact, pack) in asked or _speaks_of(fact, who.own, pack)]
    return [fact for fact in told if _to_the_point(fact, who.own, pack)] + [
        fact for fact in known if fact not in told and forbids(fact, who.own, asked, pack)
    ]


def forbids(fact: Fact, question: str, asked: set[str], pack: LanguagePack) -> bool:
    """Whether a fact tells what is not eaten (an allergy), where that is asked for."""
    spec = pack.attribute(fact.attribute)
    if spec is None or not fact.polarity or not asked & set(spec.opposes):
        return False
    return pack.any_of(pack.answering.lacking).search(question) is not None


def _to_the_point(fact: Fact, question: str, pack: LanguagePack) -> bool:
    """Of things that several may hold of, the one that is asked about: whether she likes cheese, boats do not tell."""
    spec = pack.attribute(fact.attribute)
    if spec is None or not spec.taste:
        return True
    if pack.any_of(pack.answering.wh).search(question):
        return not (fact.polarity and pack.any_of(pack.answering.lacking).search(question))
    return bool(terms(fact.value, pack) & terms(question, pack))


def told_of(fact: Fact, label: str, pack: LanguagePack) -> str:
    """A fact about somebody as a sentence said to the user: "Your sister is 20", 你妹妹今年20岁."""
    sentence = pack.rewrite(statement(fact, pack=pack), pack.recall.as_other)
    sentence = pack.rewrite(sentence, pack.recall.address).replace(_PLACE, label)
    return sentence[:1].upper() + sentence[1:]


def nouns_for(noun: str, pack: LanguagePack) -> tuple[str, ...]:
    """The noun for a relative, those for the same one, and those it covers."""
    cues = pack.recall
    nouns = [noun, *cues.covers.get(noun, ())]
    return tuple(dict.fromkeys([*nouns, *(word for group in cues.alike for word in group if set(group) & set(nouns))]))


def _labels(words: tuple[str, ...], said: str, state: DialogueState, pack: LanguagePack) -> dict[str, str]:
    owner = pack.wording.owners.get(USER, USER)
    covered = pack.recall.covers.get(words[0], ())
    same = [word for word in words if word == words[0] or not covered]
    found = {}
    for word in words:
        subject = pack.wording.relative.format(owner=owner, relation=word)
        found[fold(subject)] = said if word in same else pack.recall.possessed.format(who=word)
    for fact in state.active_facts(USER):
        for claim in propositions(fact.attribute, fact.value, fact.polarity, "", pack):
            if claim.name and claim.polarity and any(_is(claim.kind, word) for word in words):
                found[fold(claim.name)] = claim.name
    return found


def _named(clause: str, state: DialogueState, pack: LanguagePack) -> Whose | None:
    """Somebody whom the user has told of by name."""
    names = {fact.subject for fact in state.active_facts() if fact.subject not in (USER, CHARACTER)}
    own = {fold(fact.value) for fact in state.active_facts(USER) if fact.attribute == NAME}
    for name in sorted(names, key=lambda one: (-len(one), one)):
        start = clause.find(name)
        if start < 0 or fold(name) in own or not contains_phrase(clause, name):
            continue
        question = clause[:start] + _PLACE + clause[start + len(name) :]
        put = pack.rewrite(question, pack.recall.as_own)
        theirs = any(pack.pattern(source).search(put) for source in (*pack.recall.whose, *pack.recall.things))
        return Whose((), {fold(name): name}, question, put, unknown=theirs)
    return None


def _is(kind: str, word: str) -> bool:
    return fold(kind) == word or (bool(kind) and contains_phrase(kind, word))


def _tells_of(fact: Fact, who: Whose, pack: LanguagePack) -> bool:
    """Whether a fact of the asker's is that they have the one asked about ("sister called Jane")."""
    claims = propositions(fact.attribute, fact.value, fact.polarity, "", pack)
    kinds = pack.wording.kinds.get(who.words[0], ())
    wanted = {*who.words, *map(fold, kinds)}
    said = (fact.value, *(claim.kind for claim in claims))
    if who.thing:
        said = (*said, fact.attribute)
    elif pack.attribute(fact.attribute) is None:
        return fold(fact.attribute) in who.words  # "dog food" is no dog
    return any(contains_phrase(text, word) for text in said if text for word in wanted)


def _has_name(fact: Fact, pack: LanguagePack) -> bool:
    claims = propositions(fact.attribute, fact.value, fact.polarity, "", pack)
    named = pack.attribute(fact.attribute) is None and NAME in fold(fact.attribute)
    return (
        named or any(claim.name for claim in claims) or pack.pattern(pack.wording.naming).search(fact.value) is not None
    )


def _names_whole(fact: Fact, clause: str, who: Whose, pack: LanguagePack) -> bool:
    """Whether a question names an open attribute of the asker's that speaks of the noun ("my dog food", "my sister's shoe size")."""
    if pack.attribute(fact.attribute) is not None or (fold(fact.attribute) in who.words and not who.thing):
        return False
    name = fact.attribute.replace("_", " ")
    return any(contains_phrase(name, word) for word in who.words) and contains_phrase(clause, name)


def _identity(rest: str, pack: LanguagePack) -> bool:
    return pack.any_of(pack.recall.identity).search(rest) is not None


def _key(fact: Fact, pack: LanguagePack) -> str:
    spec = pack.attribute(fact.attribute)
    return spec.key if spec is not None else fold(fact.attribute)


def _speaks_of(fact: Fact, question: str, pack: LanguagePack) -> bool:
    spec = pack.attribute(fact.attribute)
    names = spec.aliases if spec is not None else (fact.attribute,)
    return any(contains_phrase(question, name) for name in names if len(name) > 1 or not has_han(name))

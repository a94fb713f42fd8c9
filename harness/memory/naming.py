"""Which entities and relations a message names, and edges as lines of a prompt."""

from __future__ import annotations

import re
from collections.abc import Iterable

from harness.language import LanguagePack
from harness.state import CHARACTER, USER
from harness.state.graph import ALIAS, Edge, name_key
from harness.understanding.text import has_han

LONGEST_TEXT = 500
MOST_WORDS = 4
"""Words of a name in a script that parts words."""
MOST_HAN = 8
LEAST_HAN = 2
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*", re.UNICODE)
_HAN = re.compile(r"[\u3400-\u9fff·]+")
_POSSESSIVE = re.compile(r"['’]s?$")


def possible_names(text: str) -> dict[str, str]:
    """Every run of words or characters that may be a name: its key → how it stands in the text."""
    text = text[-LONGEST_TEXT:]
    found: dict[str, str] = {}
    words = list(_WORD.finditer(text))
    for at in range(len(words)):
        for end in range(at, min(at + MOST_WORDS, len(words))):
            run = text[words[at].start() : words[end].end()]
            if _HAN.fullmatch(run):
                break
            for form in (run, _POSSESSIVE.sub("", run)):
                found.setdefault(name_key(form), form)
    for clause in _HAN.finditer(text):
        run = clause[0]
        for at in range(len(run)):
            for size in range(LEAST_HAN, min(MOST_HAN, len(run) - at) + 1):
                found.setdefault(name_key(run[at : at + size]), run[at : at + size])
    found.pop("", None)
    return {key: form for key, form in found.items() if key not in (USER, CHARACTER)}


def mentioned(text: str, forms: dict[str, str], edges: Iterable[Edge]) -> tuple[str, ...]:
    """Keys of entities that a message names, in the order they stand there.

    A name inside a longer one that is known too does not count, nor does a word that only becomes the name by a capital letter ("will").
    """
    names = {key: name for edge in edges for key, name in zip(edge.keys, (edge.subject, edge.object), strict=False)}
    known = [key for key in names if key in forms and _as_written(names[key], forms[key], text)]
    longest = [key for key in known if not any(key != other and key in other for other in known)]
    folded = name_key(text[-LONGEST_TEXT:])
    return tuple(sorted(longest, key=lambda key: (folded.find(key), key)))


def _as_written(name: str, form: str, text: str) -> bool:
    """Whether a name stands in the text as a name: with the capital it has, unless the whole text has none."""
    return has_han(form) or not name[:1].isupper() or form[:1].isupper() or text == text.lower()


def asked_relations(text: str, pack: LanguagePack) -> frozenset[str]:
    """Keys of the relations that a message speaks of, and of those that may answer it as well."""
    rules = pack.relations
    found = {hit.value for hit in rules.phrases.find(text.lower())}
    found |= {kind.key for kind in rules.kinds if any(pack.pattern(source).search(text) for source in kind.asked)}
    plural = {word[:-1] for word in re.findall(r"[a-zé-]+s\b", text.lower())}
    found |= (
        {kind.key for word in plural for kind, _ in (rules.by_word[word],)} if plural <= set(rules.by_word) else set()
    )
    near = {key for one in found if one in rules.by_key for key in rules.by_key[one].near}
    return frozenset(found | near)


def owners_meant(text: str, pack: LanguagePack) -> tuple[str, ...]:
    """Whether a message is about its speaker, about whom it is said to, or both."""
    rules = pack.relations
    meant = ((USER, rules.mine), (CHARACTER, rules.yours))
    return tuple(who for who, sources in meant if sources and pack.any_of(sources).search(text))


def asks_for_past(text: str, pack: LanguagePack) -> bool:
    """Whether a message asks for what was."""
    rules = pack.relations
    return bool(rules.past) and pack.any_of(rules.past).search(text) is not None


def line(edge: Edge, pack: LanguagePack) -> str:
    """An edge in the words of a language."""
    rules = pack.relations
    kind = rules.by_key.get(edge.relation)
    spec = pack.attribute(edge.relation) if kind is None else None
    word = edge.word if edge.word and edge.language == pack.code else ""
    if not word and kind is not None and kind.words:
        word = kind.words[0]
    if not word and spec is not None:
        word = next((alias for alias in spec.aliases if has_han(alias) == (pack.script == "han")), edge.relation)
    template = kind.line if kind is not None and kind.line else rules.line
    template = rules.unnamed if is_unnamed(edge, pack) else template
    subject, other = (_named(name, pack) for name in (edge.subject, edge.object or edge.value))
    text = template.format(subject=subject, word=word or edge.relation, object=other)
    if edge.valid_to is not None:
        text = rules.ended.format(line=text, date=edge.valid_to.date().isoformat())
    return text


def is_unnamed(edge: Edge, pack: LanguagePack) -> bool:
    """Whether an edge leads to somebody who has no name, and is called after whose relative he is ("user's sister")."""
    if not edge.object or not edge.word:
        return False
    owner = pack.wording.owners.get(edge.subject, edge.subject)
    return name_key(edge.object) == name_key(pack.wording.relative.format(owner=owner, relation=edge.word))


def _named(name: str, pack: LanguagePack) -> str:
    """A name as it is told: the two who talk by their words, and "user's sister" with them."""
    owners = pack.relations.owners
    if name in owners:
        return owners[name]
    return pack.rewrite(name, pack.lines.theirs)


__all__ = [
    "ALIAS",
    "asked_relations",
    "asks_for_past",
    "is_unnamed",
    "line",
    "mentioned",
    "owners_meant",
    "possible_names",
]

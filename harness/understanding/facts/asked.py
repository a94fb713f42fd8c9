"""Which attributes a message asks for."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.sought import Sought
from harness.understanding.facts.claims import plain_text
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute


@in_one_script
def asked_attributes(text: str, pack: LanguagePack) -> tuple[str, ...]:
    """Keys of the attributes a message asks for; open ones in the asker's own words ("locker number")."""
    found: list[str] = []
    for sentence in sentences(plain_text(text, pack)):
        if pack.any_of(pack.text.questions).search(sentence):
            found += asked_in(sentence, pack)
    return tuple(dict.fromkeys(found))


def asked_in(question: str, pack: LanguagePack) -> tuple[str, ...]:
    """The same for one question, in the form patterns see."""
    found: list[str] = []
    asked: Attribute | None = None
    attributes, questions = _questions(pack)
    for number in questions.numbers(question):
        attribute = attributes[number]
        match = None if attribute is asked else questions.expressions[number].search(question)
        if match is None:
            continue
        asked = attribute
        words = fold(match.groupdict().get("a") or "")
        known = pack.attribute(words) if words else attribute
        found.append(known.key if known else words)
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=16)
def _questions(pack: LanguagePack) -> tuple[tuple[Attribute, ...], Sought]:
    """The expressions of questions for all attributes, and beside them the attribute that each is for."""
    listed = [(attribute, question) for attribute in pack.attributes for question in attribute.questions]
    return tuple(attribute for attribute, _ in listed), Sought(pack.pattern(question) for _, question in listed)

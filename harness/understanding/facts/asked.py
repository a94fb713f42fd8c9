"""Which attributes a message asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.understanding.facts.claims import plain_text
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack


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
    for attribute in pack.attributes:
        match = next((m for q in attribute.questions if (m := pack.pattern(q).search(question))), None)
        if match is None:
            continue
        words = fold(match.groupdict().get("a") or "")
        known = pack.attribute(words) if words else attribute
        found.append(known.key if known else words)
    return tuple(dict.fromkeys(found))

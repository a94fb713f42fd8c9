"""What a memory that states a fact says after it was put into other words by hand."""

from __future__ import annotations

from typing import Any

from harness.errors import InputError
from harness.language import LanguagePack, LanguagePacks
from harness.memory.lexical import index_terms
from harness.state import USER, DialogueState, Fact, Persona, PersonaRef
from harness.state.memory import MemoryItem
from harness.state.operations import AssertFact
from harness.understanding.checks.holding import as_sentence, statement
from harness.understanding.facts.claims import Reading, read_claims, subject_of
from harness.understanding.facts.extract import extract_facts

_OF_ANYBODY = Reading(third="?")
"""She is somebody, so that a sentence about her is no value."""


def reworded(old: MemoryItem, text: str, packs: LanguagePacks) -> dict[str, Any]:
    """The fields of a fact that change with its words.

    ``text`` is read as the one who said it would say it ("I live in Oslo"), or is the new value alone ("Oslo"). Of a sentence in
    the first person that no rule reads, the whole is the value.

    Raises:
        InputError: it says nothing of what the fact is about.
    """
    pack = packs.for_text(text)
    said = _stated(old, text, pack, old.subject)
    if said is None and not read_claims(text, pack, _OF_ANYBODY):
        said = _as_value(old, text, packs, pack) if subject_of(text, pack) is None else None
        # "I live in a boat": no rule reads it, and it can be told as it stands.
        whole = text.rstrip(".。!！")
        if said is None and old.subject == old.speaker and as_sentence(whole, pack) == whole:
            said = AssertFact(subject=old.subject, attribute=old.attribute, value=whole, speaker=old.speaker, turn=1)
    if said is None:
        raise InputError(
            f"{text!r} does not say what {old.text!r} is about ({old.attribute}).",
            remedy='Write it as it would be said ("I live in Oslo", 我住在杭州), or the new value alone; or delete it and write a note.',
        )
    return {
        "value": said.value,
        "polarity": said.polarity,
        "degree": said.degree,
        "quote": text,
        "language": pack.code,
        "when": said.when,
        "when_at": said.when_at,
    }


def _stated(old: MemoryItem, text: str, pack: LanguagePack, subject: str) -> AssertFact | None:
    persona = Persona(name="?", id="?", language=pack.code)
    state = DialogueState(persona=PersonaRef(id=persona.id, name=persona.name), language=pack.code)
    found = extract_facts(
        text, speaker=old.speaker or USER, state=state, persona=persona, pack=pack, turn=1, at=old.at
    )  # fmt: skip
    about = (subject.casefold(), old.attribute.casefold())
    stated = (one for one in found if isinstance(one, AssertFact))
    same = [one for one in stated if (one.subject.casefold(), one.attribute.casefold()) == about]
    return same[0] if len(same) == 1 else None


def _as_value(old: MemoryItem, text: str, packs: LanguagePacks, pack: LanguagePack) -> AssertFact | None:
    """The value read in the sentence in which its attribute is stated of oneself, when nothing of it is lost there."""
    speaker = old.speaker or USER
    fact = Fact(id=old.id, subject=speaker, attribute=old.attribute, value=text, speaker=speaker, single=old.single)
    said = _stated(old, statement(fact, pack=pack), pack, speaker)
    if said is None or index_terms(said.value, packs, pack.code) != index_terms(text, packs, pack.code):
        return None
    return said

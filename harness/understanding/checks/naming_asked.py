"""Questions about what a reference means: 那家叫什么来着？, "I will take the second one. What was it called again?".

The rules know what is meant; a weak model has it in its prompt and still makes up a name, or speaks of another of the things that
were on offer. So the name is put next to the question, and the reply is held to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.state import USER, Finding, Notice
from harness.understanding.one_script import in_one_script
from harness.understanding.references.antecedents import worded
from harness.understanding.references.picks import latest_list
from harness.understanding.text import contains_phrase, fold, has_han, normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState
    from harness.state.entities import Entity
    from harness.understanding.references.resolve import Reference

NOT_NAMED = 0.8
"""How bad it is not to give the name that was asked for."""
ANOTHER = 0.7
"""How bad it is to speak of another thing than the one that is meant."""
_NAMED_KINDS = ("person", "place", "organization", "work")
"""Kinds of things whose words in Han script are a name; a list names its items whatever they are."""
_SHORTEST_CORE = 2
_CLAUSE = re.compile(r"[,，;；]")


@in_one_script
def reference_notices(
    text: str, references: Sequence[Reference], *, state: DialogueState, pack: LanguagePack
) -> tuple[Notice, ...]:
    """At most one notice about what a question means.

    Kind ``recall`` without a ``fact_id`` when it asks for the name, with the name as ``value`` and the answer as ``truth``; kind
    ``reference`` when it asks something else about one of several things that were listed, with the words that refer as
    ``quote`` and the name as ``claim``.

    Args:
        text: the message. ``references``: what it refers to, as resolved.
        state: the state after the turn before.
        pack: the message's language.
    """
    known = {entity.id: entity for entity in state.entities}
    meant = [(fold(one.surface), known[one.entity_id]) for one in references if one.entity_id in known]
    if not meant:
        return ()
    before: list[Entity] = []
    for sentence in sentences(normalize(text)):
        inside = [(surface, entity) for surface, entity in meant if surface in fold(sentence)]
        if _asks_name(sentence, pack):
            if _of_another(text, sentence, [surface for surface, _ in inside], pack):
                return ()
            entity = inside[-1][1] if inside else before[-1] if before and _anaphoric(sentence, pack) else None
            if entity is not None and _has_name(entity):
                truth = pack.recall.named.format(name=worded(entity, pack.entities))
                return (Notice(kind="recall", quote=sentence, truth=truth, attribute="name", value=entity.name),)
        elif inside and pack.any_of(pack.text.questions).search(sentence):
            surface, entity = inside[-1]
            if len(inside) == 1 and _rivals(entity, state):
                name = worded(entity, pack.entities)
                return (Notice(kind="reference", quote=surface, claim=name, value=entity.name),)
        before += [entity for _, entity in inside]
    return ()


@in_one_script
def check_references(
    reply: str, notices: Sequence[Notice], *, state: DialogueState, pack: LanguagePack
) -> tuple[Finding, ...]:
    """Findings when a reply does not give a name that was asked for, or speaks of another thing than the one that is meant."""
    return tuple(found for notice in notices for found in _found(reply, notice, state, pack))


def _found(reply: str, notice: Notice, state: DialogueState, pack: LanguagePack) -> Iterator[Finding]:
    asked = notice.kind == "recall" and not notice.fact_id
    if not asked and notice.kind != "reference":
        return
    entity = next((one for one in state.entities if one.name == notice.value), None)
    if entity is None:
        return
    rivals = _rivals(entity, state)
    named = _mentions(reply, entity, rivals, pack)
    if asked and not named:
        yield Finding(kind="not_recalled", severity=NOT_NAMED, evidence=reply[:80])
    for sentence in sentences(normalize(reply)):
        if named and not asked:
            continue
        others = [other for other in rivals if _mentions(sentence, other, [entity], pack)]
        # Of two that are named together, or weighed against each other, none is taken for the other.
        if len(others) == 1 and not pack.any_of(pack.recall.comparing).search(sentence):
            meant = worded(entity, pack.entities)
            yield Finding(kind="wrong_reference", severity=ANOTHER, evidence=sentence[:200], against=meant)
            return


def _asks_name(sentence: str, pack: LanguagePack) -> bool:
    cues = pack.recall
    return bool(pack.any_of(cues.names).search(sentence) and not pack.any_of(cues.names_excluded).search(sentence))


def _of_another(text: str, sentence: str, surfaces: Sequence[str], pack: LanguagePack) -> bool:
    """Whether the name of somebody is asked for who is none of those that words of the message stand for: of the one who did what a question
    before it tells ("who visits him, what's the name?"), or of one who is described ("the one who is always late; what's her name?").
    """
    cues = pack.recall
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    place = next((number for number, clause in enumerate(clauses) if _asks_name(clause, pack)), 0)
    before = normalize(text)[: normalize(text).find(sentence)]
    earlier = f"{before} {' '.join(clauses[:place])}"
    own = any(surface in fold(clause) for clause in clauses[place:] for surface in surfaces)
    if not own and pack.any_of(cues.who_asked).search(earlier):
        return True
    return pack.any_of(cues.described).search(earlier) is not None


def _anaphoric(sentence: str, pack: LanguagePack) -> bool:
    """Whether a question names nothing itself, so that it asks about what stands before it."""
    return bool(pack.any_of(pack.recall.anaphors).search(sentence))


def _has_name(entity: Entity) -> bool:
    """Whether an entity goes by a name ("Heron Inn") and not only by a noun ("red bicycle")."""
    if has_han(entity.name):
        return entity.ordinal > 0 or entity.kind in _NAMED_KINDS
    return entity.name[:1].isupper() or (entity.ordinal > 0 and entity.introduced_by == USER)


def _rivals(entity: Entity, state: DialogueState) -> list[Entity]:
    """The others of the list an entity stands in; of its kind, where it stands in none."""
    listed = latest_list(state) if entity.ordinal else []
    if any(one.id == entity.id for one in listed):
        return [one for one in listed if one.id != entity.id]
    return []


def _mentions(text: str, entity: Entity, others: Sequence[Entity], pack: LanguagePack) -> bool:
    """Whether a text names an entity: whole, or by what tells it from the others ("the Granary", 听雨)."""
    names = (entity.name, *entity.aliases)
    if any(contains_phrase(text, name) for name in names):
        return True
    core = _core(entity, others, pack)
    return bool(core) and contains_phrase(text, core)


def _core(entity: Entity, others: Sequence[Entity], pack: LanguagePack) -> str:
    nouns = pack.entities.kind_of_noun
    if has_han(entity.name):
        endings = (entity.name[-size:] for size in (3, 2, 1) if len(entity.name) - size >= _SHORTEST_CORE)
        noun = next((ending for ending in endings if ending in nouns), "")
        core = entity.name.removesuffix(noun) if noun else ""
    else:
        words = [word for word in re.findall(r"[\w'-]+", entity.name) if word[:1].isupper()]
        telling = [word for word in words if word.lower() not in nouns and len(word) > _SHORTEST_CORE]
        core = (telling[0] if entity.kind == "person" else telling[-1]) if telling else ""
    return "" if any(core and contains_phrase(other.name, core) for other in others) else core

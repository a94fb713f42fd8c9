"""The entity table by rules: what a turn mentions. What "it" and 那个 mean is in :mod:`.references`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, is_han, lower
from harness.language.remembering import remembered
from harness.state.apply import fold
from harness.state.facts import CHARACTER, USER
from harness.state.operations import MentionEntity
from harness.understanding.one_script import in_one_script
from harness.understanding.references.han_names import goes_on
from harness.understanding.references.mentions import Mention, find_mentions
from harness.understanding.references.merging import merges
from harness.understanding.references.replies import spoken_of
from harness.understanding.references.resolve import Reference, Resolution, is_pronoun, resolve
from harness.understanding.words import excerpt

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Operation
    from harness.state.persona import Persona

MAX_MENTIONS = 24
"""Mentions taken from one turn."""
NEAR = 60
"""Characters kept around a mention as evidence, on each side."""
LONGEST_ALIAS = 40
"""Characters a mention may begin after the words that introduce it."""
_MARK = re.compile(r"[.!?;。！？；，,\n]")

__all__ = ["Reference", "Resolution", "is_pronoun", "resolve", "track_entities"]


@in_one_script
def track_entities(
    user_text: str,
    reply: str,
    *,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    turn: int,
    beside: Sequence[LanguagePack] = (),
) -> tuple[Operation, ...]:
    """Mentions of new and known entities, in the order they were said, each entity once per turn; then what turned out to be one.

    Args:
        user_text: what the user said. ``reply``: what the character said.
        state: the state with the turn begun.
        persona: the character, who is no entity of its own table.
        pack: the turn's language.
        turn: its number.
        beside: further languages of which the turn has words.
    """
    cues = pack.entities
    own_names = {lower(name) for name in (persona.name, *persona.aliases, *persona.name.split())}
    names = {lower(name): lower(entity.name) for entity in state.entities for name in (entity.name, *entity.aliases)}
    unnamed = _unnamed(state, persona, cues)
    # References count from the turn before, as they did when the message came in.
    before = state.model_copy(update={"turn_count": max(turn - 1, 0)})
    operations: dict[str, MentionEntity] = {}
    appositions: list[tuple[str, str]] = []
    taken = dict(names)
    said = excerpt(user_text)
    for speaker, text in ((USER, said), (CHARACTER, excerpt(reply))):
        found = list(find_mentions(text, pack, known=frozenset(names)))
        for other in beside:
            found = _with(found, find_mentions(text, other, known=frozenset(names)), other)
        referred = _referred(text, before, pack, beside) if speaker == USER else []
        introduced = _introduced(text, cues) if speaker == USER else []
        if speaker == CHARACTER:
            meant = spoken_of(said, text, state=before, persona=persona, pack=pack)
            referred = [Mention(name, "person") for name in meant]
        for mention in (*introduced, *found, *_known(text, names, found, pack), *referred):
            name = _name(mention, speaker, persona, cues)
            key = taken.get(lower(name), lower(name))
            if lower(name) in own_names or not name.strip() or _begins_a_clause(name, pack):
                continue
            others = [_alias(alias, mention, speaker, persona, cues) for alias in mention.aliases]
            # A noun that is an entity of its own so far is united with the name afterwards.
            appositions += [(name, alias) for alias in others if lower(alias) in unnamed and taken[lower(alias)] != key]
            old = operations.get(key)
            if old is not None:
                if mention.ordinal and not old.ordinal:
                    operations[key] = old.model_copy(update={"ordinal": mention.ordinal})
                continue
            aliases = tuple(alias for alias in others if taken.get(lower(alias), key) == key)
            if mention.relation:
                unnamed.add(lower(name))
            for alias in (name, *aliases):
                taken.setdefault(lower(alias), key)
            operations[key] = MentionEntity(
                name=name,
                turn=turn,
                kind=mention.kind,
                aliases=aliases,
                speaker=speaker,
                ordinal=mention.ordinal,
                evidence=_around(text, mention),
            )
    mentioned = tuple(operations.values())[:MAX_MENTIONS]
    if not appositions and not any(one.search(said) for one in cues.same_expressions):
        return mentioned
    after, _, _ = fold(state, mentioned)
    return (*mentioned, *merges(said, appositions, before=before, after=after, pack=pack))


def _with(found: list[Mention], more: Iterable[Mention], pack: LanguagePack) -> list[Mention]:
    """Mentions with those in the script of a language beside the turn's own; of two of one name the more telling one."""
    by_name = {lower(mention.name): mention for mention in found}
    for mention in more:
        if is_han(mention.name[0]) != (pack.script == "han"):
            continue
        old = by_name.get(lower(mention.name))
        if old is None or (old.kind == "other" and not old.ordinal):
            by_name[lower(mention.name)] = mention
    return list(by_name.values())


def _around(text: str, mention: Mention) -> str:
    """The words that show a mention: its clause, or its name when it was only referred to."""
    place = text.find(mention.name, max(0, mention.start - LONGEST_ALIAS))
    if place < 0:
        return ""
    start = max(
        (match.end() for match in _MARK.finditer(text, max(0, place - NEAR), place)), default=max(0, place - NEAR)
    )
    end = _MARK.search(text, place + len(mention.name))
    return text[start : min(end.start() if end else len(text), place + len(mention.name) + NEAR)].strip()


def _introduced(text: str, cues: EntityCues) -> list[Mention]:
    """The name by which the user introduces themself ("I'm Tom", 我叫李雷)."""
    found = []
    for expression in cues.introduction_expressions:
        for match in expression.finditer(text):
            name = match.groupdict().get("name") or match["given"]
            sure = match.groupdict().get("name") is not None
            if lower(name) in cues.never or lower(name) in cues.kind_of_noun:
                continue
            if sure or lower(name).split(" ")[0] in cues.given:
                found.append(Mention(name, "person", start=match.start(match.lastgroup or 0), proper=True))
    return found[:1]


def _name(mention: Mention, speaker: str, persona: Persona, cues: EntityCues) -> str:
    """The canonical name; relations of the character carry its name, so that two sisters stay two."""
    return _of_owner(mention.name, mention, speaker, persona, cues) if mention.relation else mention.name


def _alias(alias: str, mention: Mention, speaker: str, persona: Persona, cues: EntityCues) -> str:
    return _of_owner(alias, mention, speaker, persona, cues) if lower(alias) in cues.relation_set else alias


def _of_owner(noun: str, mention: Mention, speaker: str, persona: Persona, cues: EntityCues) -> str:
    if not mention.owner:
        return noun
    listeners = mention.owner in {lower(word) for word in cues.own_owner}
    return cues.owned.format(owner=persona.name, noun=noun) if listeners == (speaker == USER) else noun


@remembered(1024)
def _begins_a_clause(name: str, pack: LanguagePack) -> bool:
    """Whether "a name" is the begin of a clause about its speaker ("I live", "I'm Tom")."""
    return bool(pack.any_of(pack.text.first).match(pack.rewrite(name, pack.text.expand)))


def _unnamed(state: DialogueState, persona: Persona, cues: EntityCues) -> set[str]:
    """Names of entities known by a noun only ("sister", "Mia's sister", 猫)."""
    owned = lower(cues.owned.format(owner=persona.name, noun=""))
    names = (lower(entity.name) for entity in state.entities)
    return {name for name in names if name.removeprefix(owned) in cues.kind_of_noun}


def _referred(text: str, state: DialogueState, pack: LanguagePack, beside: Sequence[LanguagePack]) -> list[Mention]:
    """What pronouns stand for: it was talked of, too. What is no entity yet becomes one."""
    names = {entity.id: entity.name for entity in state.entities}
    found = resolve(text, state=state, pack=pack, beside=beside).references
    known = [Mention(names[one.entity_id], "other") for one in found if one.entity_id in names]
    return known + [Mention(one.name, one.kind, proper=True) for one in found if one.kind and not one.entity_id]


def _known(text: str, names: dict[str, str], found: Sequence[Mention], pack: LanguagePack) -> list[Mention]:
    """Mentions of known entities by name or alias that the wording alone did not show. Names are never half-matched."""
    if not names:
        return []
    seen = {lower(mention.name) for mention in found} | {lower(a) for mention in found for a in mention.aliases}
    longer = [(m.start, m.start + len(m.name)) for m in found if m.proper]
    lowered = lower(text)
    near = {name: name for name in names if name in lowered}
    return [
        Mention(text[hit.start : hit.end], "other", start=hit.start)
        for hit in Phrases(near).find(text)
        if hit.value not in seen
        and not any(start <= hit.start and hit.end <= end for start, end in longer)
        and not goes_on(lowered, hit.start, hit.end, pack)
    ]

"""The entity table by rules: what a turn mentions. What "it" and 那个 mean is in :mod:`.references`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, lower
from harness.state.facts import CHARACTER, USER
from harness.state.operations import MentionEntity
from harness.understanding.mentions import Mention, find_mentions
from harness.understanding.references import Reference, Resolution, is_pronoun, resolve
from harness.understanding.words import excerpt

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.language.sections_tracking import EntityCues
    from harness.state.dialogue import DialogueState
    from harness.state.operations import Operation
    from harness.state.persona import Persona

MAX_MENTIONS = 24
"""Mentions taken from one turn."""

__all__ = ["Reference", "Resolution", "is_pronoun", "resolve", "track_entities"]


def track_entities(
    user_text: str, reply: str, *, state: DialogueState, persona: Persona, pack: LanguagePack, turn: int
) -> tuple[Operation, ...]:
    """Mentions of new and known entities, in the order they were said, each entity once per turn."""
    cues = pack.entities
    own_names = {lower(name) for name in (persona.name, *persona.aliases, *persona.name.split())}
    names = {lower(name): lower(entity.name) for entity in state.entities for name in (entity.name, *entity.aliases)}
    unnamed = {lower(entity.name) for entity in state.entities if _is_unnamed(entity.name, persona, cues)}
    # References count from the turn before, as they did when the message came in.
    before = state.model_copy(update={"turn_count": max(turn - 1, 0)})
    operations: dict[str, MentionEntity] = {}
    taken = dict(names)
    for speaker, text in ((USER, excerpt(user_text)), (CHARACTER, excerpt(reply))):
        found = find_mentions(text, pack, known=frozenset(names))
        referred = _referred(text, before, pack) if speaker == USER else []
        for mention in (*found, *_known(text, names, found), *referred):
            name = _name(mention, speaker, persona, cues)
            key = taken.get(lower(name), lower(name))
            if lower(name) in own_names or not name.strip() or _begins_a_clause(name, pack):
                continue
            old = operations.get(key)
            if old is not None:
                if mention.ordinal and not old.ordinal:
                    operations[key] = old.model_copy(update={"ordinal": mention.ordinal})
                continue
            others = (_alias(alias, mention, speaker, persona, cues) for alias in mention.aliases)
            aliases = tuple(alias for alias in others if _free(lower(alias), key, taken, unnamed))
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
            )
    return tuple(operations.values())[:MAX_MENTIONS]


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


def _begins_a_clause(name: str, pack: LanguagePack) -> bool:
    """Whether "a name" is the begin of a clause about its speaker ("I live", "I'm Tom")."""
    return bool(pack.any_of(pack.text.first).match(pack.rewrite(name, pack.text.expand)))


def _is_unnamed(name: str, persona: Persona, cues: EntityCues) -> bool:
    """Whether an entity is known by a noun only ("sister", "Mia's sister", 猫)."""
    noun = lower(name).removeprefix(lower(cues.owned.format(owner=persona.name, noun="")))
    return noun in cues.kind_of_noun


def _referred(text: str, state: DialogueState, pack: LanguagePack) -> list[Mention]:
    """Known entities that pronouns stand for: they were talked of, too."""
    return [Mention(reference.name, "other") for reference in resolve(text, state=state, pack=pack).references]


def _free(alias: str, key: str, taken: dict[str, str], unnamed: set[str]) -> bool:
    """Whether a word can be an alias: nobody else's, or that of an entity that has no name yet ("my sister")."""
    holder = taken.get(alias)
    return holder is None or holder == key or (holder == alias and alias in unnamed and key not in taken.values())


def _known(text: str, names: dict[str, str], found: tuple[Mention, ...]) -> list[Mention]:
    """Mentions of known entities by name or alias that the wording alone did not show. Names are never half-matched."""
    if not names:
        return []
    seen = {lower(mention.name) for mention in found} | {lower(a) for mention in found for a in mention.aliases}
    lowered = lower(text)
    near = {name: name for name in names if name in lowered}
    return [
        Mention(text[hit.start : hit.end], "other", start=hit.start)
        for hit in Phrases(near).find(text)
        if hit.value not in seen
    ]

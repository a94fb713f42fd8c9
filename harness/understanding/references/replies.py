"""Persons that a reply speaks of by "he" and "she": they were talked of, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.understanding.references.antecedents import REACH, gender_of
from harness.understanding.references.scenes import Utterance, resolve_mentions

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.persona import Persona

MOST = 12
"""Persons of the entity table that are looked at, those spoken of last."""
SINGLE = ("male", "female")


def spoken_of(
    user_text: str, reply: str, *, state: DialogueState, persona: Persona, pack: LanguagePack
) -> tuple[str, ...]:
    """Names of the known persons a reply means by a pronoun; one only where a single person suits it.

    Args:
        user_text: what the user said. ``reply``: what the character said to it.
        state: the state before the turn.
        persona: the character.
        pack: the turn's language.
    """
    cues = pack.entities
    near = [e for e in state.entities if e.kind == "person" and state.turn_count - e.last_turn <= REACH]
    if not near or not any(hit.value in SINGLE for hit in cues.people.phrases.find(reply)):
        return ()
    near = sorted(near, key=lambda e: e.last_turn)[-MOST:]
    genders = {entity.name: gender_of((entity.name, *entity.aliases), cues) for entity in near}
    names = tuple(genders)
    scene = (
        Utterance((state.user,), user_text, (persona.name,)),
        Utterance((persona.name,), reply, (state.user,)),
    )
    found = resolve_mentions(scene, pack=pack, known=names, earlier=names, genders=genders)
    named = {name for mention in found[0] for name in mention.people if name in genders}
    meant: dict[str, None] = {}
    for mention in found[1]:
        sort = cues.people.sort_of.get(lower(mention.words), "")
        if sort not in SINGLE or len(mention.people) != 1:
            continue
        suiting = [name for name in (named or names) if genders[name] in (sort, "")]
        if suiting == [mention.people[0]]:
            meant[mention.people[0]] = None
    return tuple(meant)

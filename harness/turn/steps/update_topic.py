"""update_topic: topics, emotion, entities and commitments after the turn."""

from __future__ import annotations

from harness.ports import Ports
from harness.state import Operation
from harness.turn import analysing
from harness.turn.turn import Turn
from harness.understanding.commitments import track_commitments
from harness.understanding.emotion import track_emotion
from harness.understanding.entities import track_entities
from harness.understanding.topics import track_topics


async def update_topic(turn: Turn, ports: Ports) -> Turn:
    """Apply what the combined analysis proposed, or find out by a call of its own, or by rules."""
    if turn.proposals is not None:
        return turn.propose(turn.proposals).with_(proposals=None)
    if turn.settings.analysis == "separate":
        found = await analysing.analyse_topic(turn, ports)
        turn = found.turn
        if found.operations is not None:
            return turn.propose(found.operations)
    return turn.propose(_by_rules(turn, ports))


def _by_rules(turn: Turn, ports: Ports) -> list[Operation]:
    pack = ports.languages.get(turn.language)
    spoken = {"state": turn.state, "pack": pack, "turn": turn.number}
    return [
        *track_entities(turn.text, turn.reply, persona=turn.persona, **spoken),
        *track_topics(turn.text, turn.reply, **spoken),
        *track_emotion(turn.text, turn.reply, persona=turn.persona, **spoken),
        *track_commitments(turn.text, turn.reply, now=turn.now, **spoken),
    ]

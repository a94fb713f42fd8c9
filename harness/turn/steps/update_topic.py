"""update_topic: topics, emotion, entities and commitments after the turn."""

from __future__ import annotations

from harness.ports import Ports
from harness.turn import analysing
from harness.turn.turn import Turn
from harness.understanding.commitments import track_commitments
from harness.understanding.emotion import track_emotion
from harness.understanding.entities import track_entities
from harness.understanding.mixed import packs_beside
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
    return _by_rules(turn, ports)


def _by_rules(turn: Turn, ports: Ports) -> Turn:
    """Entities first: a topic takes up the names that this turn brought."""
    pack, persona, number = ports.languages.get(turn.language), turn.persona, turn.number
    beside = packs_beside(f"{turn.text}\n{turn.reply}", pack, ports.languages)
    named = track_entities(
        turn.text, turn.reply, state=turn.state, persona=persona, pack=pack, turn=number, beside=beside
    )
    turn = turn.propose(named)
    state = turn.state
    return turn.propose(
        [
            *track_topics(turn.text, turn.reply, state=state, pack=pack, turn=number),
            *track_emotion(turn.text, turn.reply, state=state, persona=persona, pack=pack, turn=number),
            *track_commitments(turn.text, turn.reply, state=state, pack=pack, turn=number, now=turn.now),
        ]
    )

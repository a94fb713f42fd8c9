"""update_topic: topics, emotion, entities, commitments and the task after the turn."""

from __future__ import annotations

from harness.ports import Ports
from harness.turn import analysing
from harness.turn.spoken import harmless_text, lenders, most_moved, spoken
from harness.turn.turn import Turn
from harness.understanding.commitments.task import track_task
from harness.understanding.commitments.track import track_commitments
from harness.understanding.emotion.track import track_emotion
from harness.understanding.references.entities import track_entities
from harness.understanding.references.mixed import packs_beside
from harness.understanding.topics.track import track_topics


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
    """Entities first: a topic takes up the names that this turn brought.

    What the persona guard objects to is left out: it names nothing, moves no topic and no mood, promises and settles
    nothing. Each part of a turn in several languages is read with the pack of its own; the topic is that of the whole.
    """
    pack, persona, number = ports.languages.get(turn.language), turn.persona, turn.number
    text = harmless_text(turn, ports)
    beside = packs_beside(f"{text}\n{turn.reply}", pack, ports.languages)
    named = track_entities(text, turn.reply, state=turn.state, persona=persona, pack=pack, turn=number, beside=beside)
    turn = turn.propose(named)
    said = spoken(turn.with_(text=text), ports)
    state, mood = turn.state, most_moved(said, lenders(said, ports))
    turn = turn.propose(
        [
            *track_topics(text, turn.reply, state=state, pack=pack, turn=number, classify=turn.classified_analysis),
            *track_emotion(
                mood.user_text,
                mood.reply,
                state=state,
                persona=persona,
                pack=mood.pack,
                turn=number,
                classify=turn.classified_analysis,
            ),
        ]
    )
    for part in said:
        promised = track_commitments(
            part.user_text, part.reply, state=turn.state, pack=part.pack, turn=number, now=turn.now
        )
        turn = turn.propose(promised)
        turn = turn.propose(track_task(part.user_text, part.reply, state=turn.state, pack=part.pack))
    return turn

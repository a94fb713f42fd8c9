"""A dialogue of several people as the engine would track it: everybody in turn is the user of a state of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.language import LanguagePack
from harness.state import DialogueState, Emotion, Persona, PersonaRef, fold
from harness.understanding.emotion.track import track_emotion
from tests.benchmarks.measures.rows import Stopwatch

LISTENER = Persona(name="Listener")


@dataclass(frozen=True, slots=True)
class Line:
    """One utterance."""

    dialogue: str
    speaker: str
    text: str


def tracked(lines: Sequence[Line], pack: LanguagePack, watch: Stopwatch, *, classify: bool) -> Iterator[Emotion]:
    """The speaker's emotion after each utterance, carried on from their own earlier ones."""
    states: dict[str, DialogueState] = {}
    dialogue = ""
    for line in lines:
        if line.dialogue != dialogue:
            dialogue, states = line.dialogue, {}
        state = states.get(line.speaker) or DialogueState(persona=PersonaRef(id="listener", name=LISTENER.name))
        number = state.turn_count + 1
        operations = watch.time(
            lambda line=line, state=state, number=number: track_emotion(  # type: ignore[misc]
                line.text, "", state=state, persona=LISTENER, pack=pack, turn=number, classify=classify
            )
        )
        states[line.speaker] = fold(state, operations)[0]
        yield states[line.speaker].user_emotion

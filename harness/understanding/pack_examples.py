"""Running the examples of a language pack through the rules that they are about."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from harness.state.apply import normal
from harness.state.dialogue import DialogueState
from harness.state.facts import USER
from harness.state.operations import AssertFact
from harness.state.persona import Persona, PersonaRef
from harness.understanding.checks.consistency import check_premise
from harness.understanding.commitments.promises import find_promises
from harness.understanding.emotion.track import track_emotion
from harness.understanding.facts.extract import extract_facts
from harness.understanding.words import sentence_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language.pack import LanguagePack
    from harness.language.sections_examples import Example

NOW = datetime(2026, 6, 17, 10, tzinfo=UTC)
"""The time at which examples are said, a Wednesday morning."""


def failed_examples(pack: LanguagePack) -> Iterator[tuple[int, str]]:
    """(index, what was found instead) of every example that does not hold."""
    for index, example in enumerate(pack.examples):
        yield from ((index, f"{example.text!r}: {problem}") for problem in _problems(example, pack))


def _problems(example: Example, pack: LanguagePack) -> Iterator[str]:
    state = DialogueState(persona=PersonaRef(id="example", name="Example"), language=pack.code)
    persona = Persona(name="Example", language=pack.code)
    told = {
        operation.attribute: operation.value
        for operation in extract_facts(
            example.text, speaker=USER, state=state, persona=persona, pack=pack, turn=1, at=NOW
        )
        if isinstance(operation, AssertFact) and operation.subject == USER
    }
    if {key: normal(value) for key, value in told.items()} != {k: normal(v) for k, v in example.facts.items()}:
        yield f"expected the facts {dict(example.facts)}, found {told}"
    promises = [p.text for sentence in sentence_list(example.text) for p in find_promises(sentence, USER, pack, NOW)]
    if not (any(example.promise in text for text in promises) if example.promise else not promises):
        yield f"expected the promise {example.promise!r}, found {promises}"
    kinds = [notice.kind for notice in check_premise(example.text, state=state, persona=persona, pack=pack)]
    if (example.notice not in kinds) if example.notice else kinds:
        yield f"expected the notice {example.notice!r}, found {kinds}"
    if example.emotion:
        moods = track_emotion(example.text, "", state=state, persona=persona, pack=pack, turn=1)
        labels = [mood.emotion.label for mood in moods if mood.who == USER]
        if example.emotion not in labels:
            yield f"expected the emotion {example.emotion!r}, found {labels}"

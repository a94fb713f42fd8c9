"""Chinese pronouns and what is left out: two messages, a third, and the third as it would be without the two.

The data says what a pronoun means only through the rewritten sentence: where exactly one 他, 她, 它 (or its plural) was replaced, and by words
that stand in the two messages, those words are the antecedent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, apply, fold
from harness.state.dialogue import Message
from harness.state.operations import AddMessage, BeginTurn, FinishTurn
from harness.understanding.references.entities import resolve, track_entities
from tests.benchmarks.measures.rows import Row, Stopwatch, files

NAME = "utterance_rewriter_zh"
FIELDS = 4
PERSONA = Persona(name="林夏", language="zh")
_PRONOUN = re.compile("[他她它]们?")


def items(file: Path) -> Iterator[tuple[str, str, str, str]]:
    """Context, context, message, rewritten message; lines of another shape are left out."""
    for line in file.read_text(encoding="utf-8").splitlines():
        fields = [field.strip() for field in re.split(r"\t+", line) if field.strip()]
        if len(fields) == FIELDS:
            yield fields[0], fields[1], fields[2], fields[3]


def antecedent(message: str, gold: str) -> tuple[int, str, str] | None:
    """Place and wording of the one pronoun that was replaced, and by what; None when that is not what was done."""
    for match in _PRONOUN.finditer(message):
        before, after = message[: match.start()], message[match.end() :]
        if gold.startswith(before) and gold.endswith(after) and len(gold) > len(before) + len(after):
            span = gold[len(before) : len(gold) - len(after)].strip()
            if span and _PRONOUN.search(span) is None:
                return match.start(), match[0], span
    return None


def state_after(first: str, second: str) -> DialogueState:
    """The state as the engine has it after one turn with these two messages."""
    pack = load_packs().get("zh")
    state = DialogueState(persona=PersonaRef(id="x", name=PERSONA.name), language="zh")
    state = apply(state, BeginTurn(turn=1))
    state = apply(state, AddMessage(message=Message(speaker="user", text=first, turn=1)))
    state = apply(state, AddMessage(message=Message(speaker="character", text=second, turn=1)))
    found = track_entities(first, second, state=state, persona=PERSONA, pack=pack, turn=1)
    state, _, _ = fold(state, found)
    return apply(state, FinishTurn(turn=1))


def measure(data: Path) -> Iterator[Row]:
    """Antecedents of pronouns, and the whole rewritten message."""
    pack = load_packs().get("zh")
    for file in files(data / NAME, "*.txt", but="SOURCE"):
        right = rows = exact = changed = whole = 0
        watch = Stopwatch.new()
        for first, second, message, gold in items(file):
            state = watch.time(lambda one=first, two=second: state_after(one, two))  # type: ignore[misc]
            resolution = watch.time(lambda s=state, m=message: resolve(m, state=s, pack=pack))  # type: ignore[misc]
            whole += 1
            exact += resolution.text == gold
            changed += resolution.text != message
            wanted = antecedent(message, gold)
            if wanted is None or wanted[2] not in f"{first}\n{second}":
                continue
            rows += 1
            named = {reference.name for reference in resolution.references if reference.surface == wanted[1]}
            right += wanted[2] in named
        ms = watch.quantile(0.5)
        accuracy = 100 * right / rows if rows else 0.0
        yield Row(
            NAME, file.name, rows, "antecedent accuracy", "rules", accuracy,
            floor="0", reach="≥ 55", met=accuracy >= 55, ms=ms,
            note="pronoun rows: one pronoun replaced, by words of the context",
        )  # fmt: skip
        yield Row(
            NAME, file.name, whole, "whole message exact", "rules", 100 * exact / whole if whole else 0.0,
            floor="0", published="68.8 (RUN+BERT)", note=f"{changed} of {whole} messages rewritten",
        )  # fmt: skip

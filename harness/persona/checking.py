"""What is doubtful about a persona that loads."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from harness.errors import PersonaError
from harness.language import LanguagePacks, load_packs
from harness.language.phrases import is_han
from harness.persona.reading import Reading, read_persona
from harness.persona.source import Place, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from harness.state.persona import Persona, PersonaFact

ADVISED_TOKENS = 900
"""A small model on a CPU reads a longer persona slowly and forgets parts of it."""
TOKENS_PER_HAN_CHAR = 0.95
CHARS_PER_TOKEN = 4.0
TOKENS_PER_LINE = 2
"""Fitted to the tokenizer of Qwen2.5: within a tenth on the packaged personas, in both languages."""


def check_persona(path: Path, *, packs: LanguagePacks | None = None) -> tuple[Problem, ...]:
    """Everything that is wrong or doubtful in a file: errors first, then by line. Empty when it is fine."""
    packs = packs or load_packs()
    try:
        reading = read_persona(path, packs)
    except PersonaError as failure:
        line = failure.details.get("line", 0)
        message = failure.message.removeprefix(f"{path}, line {line}: ")
        return (Problem("error", line if isinstance(line, int) else 0, message, failure.remedy),)
    problems = [*reading.problems]
    if reading.persona is not None:
        problems.extend(_contradictions(reading, reading.persona, packs))
        problems.extend(_broken_vows(reading, reading.persona))
        problems.extend(_doubts(reading, reading.persona, packs))
    return tuple(sorted(problems, key=lambda problem: (problem.severity, problem.line)))


def persona_tokens(persona: Persona) -> int:
    """About how many tokens the persona takes in a prompt."""
    lines = [persona.name, persona.role, persona.biography, persona.voice]
    lines += [fact.statement or f"{fact.attribute}: {fact.value}" for fact in persona.facts]
    lines += [*persona.habits, *persona.knowledge, *persona.knowledge_limits, *persona.never_says]
    lines += [text for example in persona.examples for text in (example.user, example.character)]
    lines = [line for line in lines if line]
    han = sum(is_han(char) for line in lines for char in line)
    rest = sum(map(len, lines)) - han
    return round(han * TOKENS_PER_HAN_CHAR + rest / CHARS_PER_TOKEN + len(lines) * TOKENS_PER_LINE)


def _contradictions(reading: Reading, persona: Persona, packs: LanguagePacks) -> Iterator[Problem]:
    pack = packs.get(persona.language) if persona.language in packs.codes else None
    groups: dict[str, list[tuple[PersonaFact, Place]]] = defaultdict(list)
    for fact, place in zip(persona.facts, reading.fact_places, strict=True):
        known = pack.attribute(fact.attribute) if pack else None
        # profession and 职业 are one attribute, mother and father are not: the pack says so by `single`.
        key = known.key if known and known.single else fact.attribute
        groups[key.casefold()].append((fact, place))
    for group in groups.values():
        for number, (fact, place) in enumerate(group):
            for other, other_place in group[:number]:
                if message := _clash(other, fact):
                    first = reading.source.line(other_place)
                    hint = "Keep one of them, or write the values as a list."
                    yield Problem("warning", reading.source.line(place), f"{message} (first in line {first}).", hint)


def _clash(first: PersonaFact, second: PersonaFact) -> str:
    same = first.value.casefold() == second.value.casefold()
    if same and first.polarity != second.polarity:
        return f"{second.attribute!r} both is and is not {second.value!r}"
    if same:
        return f"{second.attribute!r} has the value {second.value!r} twice"
    if first.single and second.single and first.polarity and second.polarity:
        return f"{second.attribute!r} has two values, {first.value!r} and {second.value!r}"
    return ""


def _broken_vows(reading: Reading, persona: Persona) -> Iterator[Problem]:
    """Lines of the character's own that hold what it never says: a model copies the example, not the rule."""
    spoken: list[tuple[Place, str]] = [(("greeting",), persona.greeting)]
    spoken += [(("examples", index), example.character) for index, example in enumerate(persona.examples)]
    spoken += [(place, fact.statement) for place, fact in zip(reading.fact_places, persona.facts, strict=True)]
    for place, text in spoken:
        for phrase in persona.never_says:
            if _holds(text, phrase):
                message = f"This line says {phrase!r}, which stands under `never_says`."
                yield Problem("warning", reading.source.line(place), message, "Change one of the two.")


def _holds(text: str, phrase: str) -> bool:
    """Whether the phrase stands in the text, as whole words where words are parted by blanks."""
    text, phrase = text.casefold(), phrase.casefold()
    start = text.find(phrase)
    while start >= 0:
        before, after = text[start - 1 : start], text[start + len(phrase) : start + len(phrase) + 1]
        if not (_joined(before, phrase[0]) or _joined(phrase[-1], after)):
            return True
        start = text.find(phrase, start + 1)
    return False


def _joined(left: str, right: str) -> bool:
    return left.isalnum() and right.isalnum() and not is_han(left) and not is_han(right)


def _doubts(reading: Reading, persona: Persona, packs: LanguagePacks) -> Iterator[Problem]:
    if not persona.facts and "facts" not in reading.source.data:
        hint = "Add `facts:` with lines such as `job: …`."
        yield Problem("warning", 0, "There are no facts for the character to hold.", hint)
    talk = "\n".join([persona.biography, *(example.character for example in persona.examples), persona.greeting])
    written = packs.detect(talk, default=persona.language)
    if "language" in reading.source.data and written != persona.language:
        message = f"The language is {persona.language!r}, but the file reads as {written!r}."
        hint = "Change `language`, or translate the lines."
        yield Problem("warning", reading.source.line(("language",)), message, hint)
    tokens = persona_tokens(persona)
    if tokens > ADVISED_TOKENS:
        message = f"The persona takes about {tokens} tokens of every prompt; up to {ADVISED_TOKENS} suit a small model."
        yield Problem("warning", 0, message, "Shorten the biography, or keep fewer examples.")

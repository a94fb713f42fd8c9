"""The characters that travel with the package."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.language.phrases import is_han
from harness.persona import check_persona, find_persona, list_personas, load_persona
from harness.persona.checking import ADVISED_TOKENS, persona_tokens
from harness.resources import data_path

FOLDER = data_path("personas")
FILES = sorted(FOLDER.glob("*.yaml"))


def test_three_characters_per_language() -> None:
    languages = Counter(entry.language for entry in list_personas([FOLDER]))
    assert languages["en"] >= 3
    assert languages["zh"] >= 3


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_check_finds_nothing(path: Path) -> None:
    assert check_persona(path) == ()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_has_depth(path: Path) -> None:
    persona = load_persona(path)
    assert 12 <= len(persona.facts) <= 20
    assert 4 <= len(persona.examples) <= 6
    assert len(persona.biography.split("\n\n")) in {2, 3}
    for field in ("role", "voice", "habits", "knowledge", "knowledge_limits", "never_says", "greeting"):
        assert getattr(persona, field), field
    assert persona.baseline.label != "neutral"
    assert any(not fact.polarity or "never" in fact.value or "没" in fact.value for fact in persona.facts)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_small_enough_for_a_small_model(path: Path) -> None:
    assert persona_tokens(load_persona(path)) <= 700 < ADVISED_TOKENS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_is_written_in_one_language(path: Path) -> None:
    persona = load_persona(path)
    spoken = [persona.greeting, persona.voice, persona.biography, persona.role]
    spoken += [fact.statement or fact.value for fact in persona.facts if not fact.value.isdigit()]
    spoken += [text for example in persona.examples for text in (example.user, example.character) if text]
    assert all(any(map(is_han, text)) == (persona.language == "zh") for text in spoken)


def test_no_two_share_an_age_a_job_or_a_first_line() -> None:
    personas = [load_persona(path) for path in FILES]
    for attribute in ("age", "job"):
        values = [fact.value for persona in personas for fact in persona.facts if fact.attribute == attribute]
        assert len(values) == len(set(values)) == len(personas)
    assert len({persona.greeting for persona in personas}) == len(personas)


@pytest.mark.parametrize(("name", "character"), [("mia", "mia"), ("林晓", "lin"), ("小林", "lin"), ("ANGUS", "angus")])
def test_they_are_found_by_what_people_call_them(name: str, character: str) -> None:
    assert find_persona(name, [FOLDER]).id == character

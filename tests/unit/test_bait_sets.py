"""Whole sets of messages: false claims are noticed with the right fact, others raise nothing, replies are judged.

The sets stand in ``tests/data/baits``: people with facts, and for each ``baits`` ("attribute | message"), ``accurate``
messages about them, and ``replies`` to a bait, ``good`` and ``bad``; ``innocent`` messages go to everybody of the set. ``open``
are claims that no fact rules out (another job before the last one, corn beside the potatoes): they are challenges.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from harness.language import load_packs
from harness.persona import load_persona
from harness.state import DialogueState, Notice, Persona, PersonaRef
from harness.understanding.checks.consistency import check_premise, check_reply

SHIPPED = Path(__file__).parents[2] / "personas"
FOLDER = Path(__file__).parents[1] / "data" / "baits"
SETS = sorted(path.stem for path in FOLDER.glob("*.yaml"))
GIVES_IN = {"concession", "contradiction", "not_held", "wrong_speaker", "character_break"}
PACKS = load_packs()


@lru_cache(maxsize=16)
def read_set(name: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text(encoding="utf-8"))
    return data


def person_of(entry: dict[str, Any]) -> str:
    """Under what a person of a set is found: the name, or the file of one that ships with the project."""
    return str(entry.get("file") or entry["persona"]["name"])


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Persona]:
    folder = tmp_path_factory.mktemp("people")
    found = {}
    for name in SETS:
        for number, entry in enumerate(read_set(name)["people"]):
            if "file" in entry:
                found[entry["file"]] = load_persona(SHIPPED / f"{entry['file']}.yaml")
                continue
            path = folder / f"{name}-{number}.yaml"
            path.write_text(yaml.safe_dump({**entry["persona"], "language": name[:2]}, allow_unicode=True), "utf-8")
            found[entry["persona"]["name"]] = load_persona(path)
    return found


def cases(field: str) -> Iterator[tuple[str, str, str]]:
    """(language, person, line) for every line of a field."""
    for name in SETS:
        for entry in read_set(name)["people"]:
            yield from ((name[:2], person_of(entry), line) for line in entry.get(field, ()))


def reply_cases() -> Iterator[tuple[str, str, str, str, bool]]:
    """(language, person, bait, reply, good)."""
    for code, person, row in cases("replies"):
        assert isinstance(row, dict)
        for kind in ("good", "bad"):
            yield from ((code, person, row["bait"], reply, kind == "good") for reply in row[kind])


def innocent_cases() -> Iterator[tuple[str, str]]:
    for name in SETS:
        yield from ((name, line) for line in read_set(name)["innocent"])


def premise(text: str, code: str, person: Persona) -> tuple[Notice, ...]:
    state = DialogueState(persona=PersonaRef(id="p", name=person.name), language=code)
    return check_premise(text, state=state, persona=person, pack=PACKS.get(code))


def contradictions(text: str, code: str, person: Persona) -> list[Notice]:
    return [notice for notice in premise(text, code, person) if notice.kind == "contradiction"]


@pytest.mark.parametrize(("code", "name", "line"), list(cases("baits")))
def test_a_bait_is_noticed_with_the_fact_that_answers_it(
    code: str, name: str, line: str, people: dict[str, Persona]
) -> None:
    attributes, text = line.split(" | ", 1)
    found = contradictions(text, code, people[name])
    assert found, premise(text, code, people[name])
    assert found[0].fact_id.split(":")[1] in attributes.split("/")
    assert found[0].truth


@pytest.mark.parametrize(("code", "name", "line"), list(cases("open")))
def test_what_no_fact_rules_out_is_a_challenge(code: str, name: str, line: str, people: dict[str, Persona]) -> None:
    found = premise(line.split(" | ", 1)[1], code, people[name])
    assert [notice.kind for notice in found] == ["challenge"]


@pytest.mark.parametrize(("code", "name", "line"), list(cases("accurate")))
def test_what_is_so_raises_no_contradiction(code: str, name: str, line: str, people: dict[str, Persona]) -> None:
    assert contradictions(line, code, people[name]) == []


@pytest.mark.parametrize(("name", "line"), list(innocent_cases()))
def test_innocent_talk_raises_nothing_for_anybody(name: str, line: str, people: dict[str, Persona]) -> None:
    for entry in read_set(name)["people"]:
        assert contradictions(line, name[:2], people[person_of(entry)]) == []


@pytest.mark.parametrize(("code", "name", "bait", "reply", "good"), list(reply_cases()))
def test_replies_are_judged(
    code: str, name: str, bait: str, reply: str, *, good: bool, people: dict[str, Persona]
) -> None:
    person = people[name]
    state = DialogueState(persona=PersonaRef(id="p", name=person.name), language=code)
    found = check_reply(
        reply,
        user_text=bait,
        state=state,
        persona=person,
        pack=PACKS.get(code),
        notices=premise(bait, code, person),
    )
    assert (not {finding.kind for finding in found} & GIVES_IN) == good, found

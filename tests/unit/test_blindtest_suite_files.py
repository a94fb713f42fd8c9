"""Suite files: every mistake is told at once with its place, and the documentation says what a suite may hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from harness.blindtest.loading import load_suite, parse_suite, shipped_suites
from harness.blindtest.slots import fill_slots
from harness.blindtest.suite import Capture, Expect, Slot, StateExpect, Step, Suite
from harness.errors import SuiteError
from harness.language import load_packs
from harness.yaml_strict import load_yaml
from tests.unit._pupils import shipped_people

DATA = Path(__file__).parents[1] / "data" / "blindtest"

# --- mistakes -------------------------------------------------------------------------------------------------------

MISTAKES = {
    (5, 3): "expected one of fact, bait, choice, number, got fact, choice",
    (7, 16): "expected at least two `values` for",
    (8, 3): "expected the smaller number first, got [9, 2]",
    (12, 5): "expected `probe`, which is missing",
    (13, 5): "there is no key `prob` here; did you mean `probe`?",
    (17, 13): "nothing fills {charcter}",
    (18, 51): "got 'cherful'",
    (20, 23): "expected one of attribute, pattern, choice, number, name, got number, name",
    (21, 13): "expected a number and a unit such as `3 days`",
    (22, 13): "expected lines under `fillers`",
    (25, 13): "a brace is not closed",
    (26, 22): "no regular expression",
    (27, 13): "got say and undo",
    (30, 22): "expected the name of a slot with `fact`, got 'hme'; there are home, job",
    (31, 21): "expected an emotion, got 'joyful'; did you mean `joy`?",
    (31, 40): "expected a notice, got 'contradicton'; did you mean `contradiction`?",
    (32, 5): "the id 'first' stands twice",
    (37, 13): "expected a number, got",
    (38, 13): "expected `asks_back: false` and `knows: [attribute]` together",
    (39, 13): "the key 'expect' stands twice",
}  # fmt: skip
"""(line, column) of every mistake in the files -> what is said of it."""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_twenty_kinds_of_mistakes_give_twenty_errors_at_once(language: str) -> None:
    with pytest.raises(SuiteError) as caught:
        load_suite(DATA / f"mistakes.{language}.yaml")
    problems = caught.value.details["problems"]
    assert isinstance(problems, tuple)
    assert [(one.line, one.column) for one in problems] == sorted(MISTAKES)
    assert [one.message for one in problems if MISTAKES[one.line, one.column] not in one.message] == []
    for line, column in MISTAKES:
        assert f"line {line}, column {column}: " in str(caught.value)
    assert "has 20 mistakes" in str(caught.value)


GOOD = {
    "en": "suite: own\nlanguage: en\nscripts:\n  - id: one\n    probe: p\n    rounds:\n      - steps:\n          - say: Hello.\n",
    "zh": "suite: own\nlanguage: zh\nscripts:\n  - id: one\n    probe: p\n    rounds:\n      - steps:\n          - say: 你好。\n",
}


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("added", "place", "said"),
    [
        ("", (4, 5), "the script expects nothing"),
        ("            expect: {language: xx}\n", (9, 22), "expected a language, got 'xx'; there are en, zh"),
        ("            expect: {asks_back: true, knows: [name]}\n", (9, 22), "expected false, got true"),
        ("          - say: {friend} left.\n", (9, 27), "a text that begins with a brace stands in quotes"),
        ("            expect: {holds: [job]}\n", (9, 22), "expected the name of a slot with `fact`, got 'job'; there are none"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_place(language: str, added: str, place: tuple[int, int], said: str) -> None:
    with pytest.raises(SuiteError) as caught:
        parse_suite(GOOD[language] + added)
    problems = caught.value.details["problems"]
    assert isinstance(problems, tuple)
    assert [(one.line, one.column) for one in problems] == [place]
    assert said in problems[0].message


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_suite_asks_for_what_a_character_has_not(language: str) -> None:
    attribute = {"en": "likes", "zh": "喜欢"}[language]
    text = GOOD[language].replace("scripts:", f"slots:\n  dislike: {{fact: [not {attribute}]}}\nscripts:", 1)
    suite = parse_suite(text + "            expect: {holds: dislike, firm: true}\n")
    for persona in shipped_people(language):
        values = fill_slots(suite.scripts[0], suite, persona, load_packs().get(language), 0)
        assert values["dislike"] in {fact.value for fact in persona.facts if not fact.polarity}
        assert values["dislike.statement"]


# --- what the documentation says of suites --------------------------------------------------------------------------

PAGE = (Path(__file__).parents[2] / "docs" / "blindtests.md").read_text(encoding="utf-8")
TABLES: dict[str, type[BaseModel]] = {
    "The suite": Suite, "Slots": Slot, "Captures": Capture, "Expectations on a reply": Expect,
    "Expectations on the state": StateExpect, "Steps": Step,
}  # fmt: skip


def rows(heading: str) -> list[tuple[str, str]]:
    """(field, example) of the tables under a heading."""
    part = PAGE.split(f"### {heading}\n", 1)[1].split("\n### ", 1)[0].split("\n## ", 1)[0]
    return re.findall(r"^\| `(\w+)` \| (?:`(.+?)`|see above) \|", part, re.MULTILINE)


@pytest.mark.parametrize("heading", TABLES)
def test_every_field_is_explained_with_an_example(heading: str) -> None:
    fields = {info.alias or name for name, info in TABLES[heading].model_fields.items()}
    assert {field for field, _ in rows(heading)} == fields
    assert all(example.startswith(f"{field}:") for field, example in rows(heading) if example)


@pytest.mark.parametrize(
    ("heading", "model"), [(heading, model) for heading, model in TABLES.items() if model is not Suite]
)
def test_every_example_of_a_field_is_valid(heading: str, model: type[BaseModel]) -> None:
    beside = {"firm": {"holds": "job"}, "asks_back": {"knows": "name"}, "knows": {"asks_back": "false"}}
    for field, example in rows(heading):
        given = load_yaml(example) | beside.get(field, {})
        if model is Step and field in ("capture", "optional", "expect", "state", "weight", "probe"):
            given |= {"say": "Hello."}
        model.model_validate(given)


@pytest.mark.parametrize("text", re.findall(r"^```yaml\n(suite: .*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
def test_every_suite_of_the_page_loads(text: str) -> None:
    assert parse_suite(text).scripts


def test_every_suite_of_the_page_is_shipped() -> None:
    named = re.findall(
        r"^\| `(\w+)` \| [^`|]+ \|$", PAGE.split("### The suites that come along", 1)[1].split("\n## ")[0], re.MULTILINE
    )
    assert set(named) == {file.name.partition(".")[0] for file in shipped_suites()}

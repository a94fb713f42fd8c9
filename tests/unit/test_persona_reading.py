"""From a file to a character, and what is said when that does not work."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings, strategies as st

from harness.errors import PersonaError
from harness.language import LanguagePack, LanguagePacks
from harness.language.sections_facts import Attribute
from harness.language.sections_tracking import EmotionLexicon, EmotionPoint
from harness.persona import check_persona, load_persona
from harness.state.emotion import Emotion
from harness.state.persona import ExampleLine, Persona, PersonaFact


def write(folder: Path, text: str, name: str = "someone.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def load(folder: Path, text: str) -> Persona:
    return load_persona(write(folder, text))


def test_the_smallest_file(tmp_path: Path) -> None:
    path = write(tmp_path, "name: Mia\nfacts:\n  job: baker\n  shoe size: 38\n", "mia.yaml")
    persona = load_persona(path)
    assert (persona.id, persona.name, persona.language) == ("mia", "Mia", "en")
    assert [(fact.attribute, fact.value) for fact in persona.facts] == [("job", "baker"), ("shoe size", "38")]
    assert persona == Persona(id="mia", name="Mia", facts=persona.facts)
    assert check_persona(path) == ()


@pytest.mark.parametrize(
    "text", ["name: 林晓\nfacts:\n  住处: 苏州\n", "name: Lin\nfacts:\n  住处: 苏州平江路的一间铺子\n", "name: 林晓\n"]
)
def test_the_language_is_the_one_the_file_is_written_in(tmp_path: Path, text: str) -> None:
    assert load(tmp_path, text).language == "zh"


@pytest.mark.parametrize(("given_as", "code"), [("zh-CN", "zh"), ("Chinese", "zh"), ("en_GB", "en"), ("EN", "en")])
def test_language_codes_and_names_are_understood(tmp_path: Path, given_as: str, code: str) -> None:
    assert load(tmp_path, f"name: A\nlanguage: {given_as}\n").language == code


@pytest.mark.parametrize("value", ["no", "on", "yes", "22:30", "1.10", "0x1F", "1e3", "2001-01-01", "null", "012"])
def test_what_yaml_would_turn_into_something_else_stays_text(tmp_path: Path, value: str) -> None:
    persona = load(tmp_path, f"name: A\nrole: {value}\nfacts:\n  on: {value}\nhabits: [{value}]\n")
    assert persona.facts == (PersonaFact(attribute="on", value=value),)
    assert (persona.role, persona.habits) == (value, (value,))


@pytest.mark.parametrize(("text", "expected"), [("no", False), ("yes", True), ("True", True), ("off", False)])
def test_flags_are_read_from_words(tmp_path: Path, text: str, *, expected: bool) -> None:
    assert load(tmp_path, f"name: A\nstage_directions: {text}\n").stage_directions is expected


def test_every_form_of_a_fact(tmp_path: Path) -> None:
    persona = load(
        tmp_path,
        """
name: A
facts:
  zodiac stone: agate
  fears found: [heights, {value: geese, statement: Geese scare me., aliases: [goose]}]
  hot drink of choice: {value: tea, not: coffee, statement: "Tea, never coffee."}
  night habit: {not: snoring}
  smoke signal: {value: cigars, not: yes}
  lucky words: {value: [seven, eleven], many: no}
  odd socks: {value: one pair, many: yes}
""",
    )
    assert persona.facts == (
        PersonaFact(attribute="zodiac stone", value="agate"),
        PersonaFact(attribute="fears found", value="heights", single=False),
        PersonaFact(
            attribute="fears found", value="geese", statement="Geese scare me.", aliases=("goose",), single=False
        ),
        PersonaFact(attribute="hot drink of choice", value="tea", statement="Tea, never coffee."),
        PersonaFact(attribute="hot drink of choice", value="coffee", polarity=False),
        PersonaFact(attribute="night habit", value="snoring", polarity=False),
        PersonaFact(attribute="smoke signal", value="cigars", polarity=False),
        PersonaFact(attribute="lucky words", value="seven"),
        PersonaFact(attribute="lucky words", value="eleven"),
        PersonaFact(attribute="odd socks", value="one pair", single=False),
    )


def test_lists_and_texts_stand_in_for_each_other(tmp_path: Path) -> None:
    text = (
        "name: A\nhabits: hums\nbiography: [First., Second.]\nexamples:\n  - Hello.\n  - {user: Hi, character: Hey.}\n"
    )
    persona = load(tmp_path, text)
    assert persona.habits == ("hums",)
    assert persona.biography == "First.\n\nSecond."
    assert persona.examples == (ExampleLine(character="Hello."), ExampleLine(user="Hi", character="Hey."))


def test_baseline_as_mapping_and_as_word(tmp_path: Path) -> None:
    given_all = load(tmp_path, "name: A\nbaseline: {label: joy, valence: 0.25, arousal: -1, dominance: 0}\n").baseline
    assert (given_all.label, given_all.valence, given_all.arousal, given_all.dominance) == ("joy", 0.25, -1.0, 0.0)
    assert load(tmp_path, "name: A\nbaseline: Neutral\n").baseline.label == "neutral"
    assert load(tmp_path, "name: A\nbaseline: {valence: 0.5}\n").baseline.valence == 0.5


PACKS = LanguagePacks(
    {
        "xx": LanguagePack(
            code="xx",
            name="Test",
            script="latin",
            attributes=(
                Attribute(key="job", aliases=("profession", "职业"), single=True),
                Attribute(key="pet", aliases=("animal",), single=False),
            ),
            emotion=EmotionLexicon(
                prototypes={"joy": EmotionPoint(valence=0.75, arousal=0.5, dominance=0.25, name="glad")}
            ),
        )
    }
)


def load_with_pack(folder: Path, text: str) -> Persona:
    return load_persona(write(folder, text), packs=PACKS)


def test_the_pack_says_which_attributes_hold_several_values(tmp_path: Path) -> None:
    text = "name: A\nlanguage: xx\nfacts:\n  职业: baker\n  Animal: a cat\n  shoe size: 38\n"
    assert load_with_pack(tmp_path, text).facts == (
        PersonaFact(attribute="职业", value="baker"),
        PersonaFact(attribute="Animal", value="a cat", single=False),
        PersonaFact(attribute="shoe size", value="38"),
    )


def test_the_file_decides_over_the_pack_how_many_values_there_are(tmp_path: Path) -> None:
    text = "name: A\nlanguage: xx\nfacts:\n  profession: [baker, poet]\n  pet: {value: a cat, many: no}\n"
    assert [fact.single for fact in load_with_pack(tmp_path, text).facts] == [False, False, True]


def test_two_names_of_one_attribute_are_a_contradiction(tmp_path: Path) -> None:
    path = write(tmp_path, "name: A\nlanguage: xx\nfacts:\n  job: baker\n  职业: poet\n")
    (problem,) = check_persona(path, packs=PACKS)
    assert (problem.severity, problem.line) == ("warning", 5)
    assert "'baker' and 'poet' (first in line 4)" in problem.message


@pytest.mark.parametrize("word", ["joy", "Joy", "glad"])
def test_a_mood_word_takes_its_dimensions_from_the_pack(tmp_path: Path, word: str) -> None:
    baseline = load_with_pack(tmp_path, f"name: A\nlanguage: xx\nbaseline: {word}\n").baseline
    assert baseline == Emotion(label="joy", valence=0.75, arousal=0.5, dominance=0.25)


def test_given_dimensions_go_before_those_of_the_pack(tmp_path: Path) -> None:
    baseline = load_with_pack(tmp_path, "name: A\nlanguage: xx\nbaseline: {label: glad, arousal: -0.5}\n").baseline
    assert baseline == Emotion(label="joy", valence=0.75, arousal=-0.5, dominance=0.25)


def test_an_unknown_mood_is_a_warning_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path, "name: A\nlanguage: xx\nfacts: {x y: a}\nbaseline: joi\n")
    (problem,) = check_persona(path, packs=PACKS)
    assert (problem.severity, problem.line, problem.hint) == ("warning", 4, "Did you mean 'joy'?")
    assert load_persona(path, packs=PACKS).baseline == Emotion(label="joi")


def test_bom_crlf_and_decomposed_file_names(tmp_path: Path) -> None:
    path = tmp_path / "jose\u0301.yaml"
    path.write_bytes("\ufeffname: José\r\nbiography: |\r\n  One.\r\n\r\n  Two.\r\n".encode())
    persona = load_persona(path)
    assert (persona.id, persona.name, persona.biography) == ("jos\u00e9", "José", "One.\n\nTwo.")


def test_template_syntax_is_only_text(tmp_path: Path) -> None:
    assert load(tmp_path, "name: A\nrole: '{{ config }} {% raw %}'\n").role == "{{ config }} {% raw %}"


CHARACTERS = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff\ufffe\uffff")
TEXT = st.text(CHARACTERS, min_size=1).map(str.strip)


@given(name=TEXT.filter(lambda name: 0 < len(name) <= 200), value=TEXT.filter(bool), lines=st.lists(TEXT.filter(bool)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
def test_any_text_comes_back_as_it_was_written(tmp_path: Path, name: str, value: str, lines: list[str]) -> None:
    data = {"name": name, "role": value, "facts": {"a thing": {"value": value, "statement": value}}, "habits": lines}
    persona = load(tmp_path, yaml.safe_dump(data, allow_unicode=True))
    assert persona.name == name
    assert persona.role == value
    assert persona.facts == (PersonaFact(attribute="a thing", value=value, statement=value),)
    assert persona.habits == tuple(lines)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("", 0, "empty"),
        ("# only a comment\n", 0, "empty"),
        ("- a\n- b\n", 1, "got a list"),
        ("just text\n", 1, "'just text'"),
        ("role: x\n", 0, "Expected a name, got none"),
        ("role: x\nname:\n", 2, "Expected a name, got an empty one"),
        ("name: [A, B]\n", 1, "Expected text for `name`, got a list"),
        (f"name: {'x' * 201}\n", 1, "200"),
        ("name: A\nname: B\n", 2, "stands twice"),
        ("name: A\nfacts:\n  job: a\n  job: b\n", 4, "stands twice"),
        ("name: A\n---\nname: B\n", 2, "a second document"),
        ("name: A\nfacts:\n\tjob: a\n", 3, "indented with a tab"),
        ("name: A\nrole: baker: the best\n", 2, "put it in quotes"),
        ("name: A\nrole: @home\n", 2, "put it in quotes"),
        ("name: A\ngreeting: !Hola amigo\n", 2, "Put the text in quotes"),
        ("name: A\nrole: 'x\n\n\n", 2, "end of stream"),
        ("name: A\nfacts: {a: b\n\n", 2, "flow mapping"),
        ("name: A\n? [a]\n: b\n", 2, "key"),
        ("name: A\nhabits: &h [*h]\n", 2, "recursive"),
        ("name: A\n\nvioce: x\n", 3, "Did you mean 'voice'?"),
        ("name: A\nid: x\n", 2, "the id is the file's name"),
        ("name: A\nquirks: x\n", 2, "Known: name, aliases, language"),
        ("name: A\nfacts:\n  - job\n", 2, "got a list"),
        ("name: A\nfacts: cheerful\n", 2, "'cheerful'"),
        ("name: A\nfacts:\n  x:\n    value: a\n    statment: b\n", 5, "Did you mean 'statement'?"),
        ("name: A\nfacts:\n  x:\n    statement: b\n", 3, "has no value"),
        ("name: A\nfacts:\n  x:\n    not: yes\n", 4, "not of what"),
        ("name: A\nfacts:\n  x:\n    value: a\n    many: some\n", 5, "Expected yes or no"),
        ("name: A\nfacts:\n  x:\n    - a\n    - [b]\n", 5, "got a list"),
        ("name: A\nfacts:\n  x:\n    value: [a, b]\n    aliases: [c]\n", 5, "several values"),
        ("name: A\nfacts:\n  '': a\n", 3, "no attribute"),
        ("name: A\nexamples:\n  - Hello.\n  - user: Hi\n", 4, "no `character` line"),
        ("name: A\nexamples:\n  - character: Hi\n    usr: a\n", 4, "Did you mean 'user'?"),
        ("name: A\nstage_directions: perhaps\n", 2, "Write yes or no"),
        ("name: A\nbot_question: lie\n", 2, "'deny', 'deflect' or 'admit'"),
        ("name: A\nbaseline:\n  label: joy\n  valence: 7\n", 4, "from -1 to 1"),
        ("name: A\nbaseline:\n  arousal: high\n", 3, "from -1 to 1"),
        ("name: A\nbaseline: {valence: nan}\n", 2, "from -1 to 1"),
        ("name: A\ninertia: 2\n", 2, "from 0 to 0.95"),
        ("name: A\ninertia: slow\n", 2, "from 0 to 0.95"),
        ("name: A\nbaseline: {mood: joy}\n", 2, "Unknown field 'mood'"),
        ("name: A\nrole: a\x07b\n", 2, "control character"),
        ('name: A\nrole: "a\\0b"\n', 2, "control character"),
        ('name: "\\ud800"\n', 1, "Unicode"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(PersonaError) as caught:
        load_persona(path)
    assert caught.value.details["line"] == line
    assert says in str(caught.value)
    assert str(path) in caught.value.message
    first = check_persona(path)[0]
    assert (first.severity, first.line) == ("error", line)
    assert says in f"{first.message} {first.hint}"
    assert str(path) not in first.message or line in {0, 1}


@pytest.mark.parametrize(
    ("content", "line", "says"),
    [
        ("role: x\nname: 林晓\n".encode("gb18030"), 2, "GB18030"),
        ("name: x\n".encode("utf-16"), 1, "UTF-16"),
        (bytes(range(32, 256)), 1, "not UTF-8"),
        (b"name: x\n" + b"# " + b"x" * 300_000, 0, "larger than"),
    ],
)
def test_files_that_are_no_persona_text(tmp_path: Path, content: bytes, line: int, says: str) -> None:
    path = tmp_path / "someone.yaml"
    path.write_bytes(content)
    with pytest.raises(PersonaError, match=says) as caught:
        load_persona(path)
    assert caught.value.details["line"] == line


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="found none"):
        load_persona(tmp_path / "nobody.yaml")
    with pytest.raises(PersonaError, match="cannot be read"):
        load_persona(tmp_path)


def test_all_errors_are_found_in_one_run(tmp_path: Path) -> None:
    path = write(tmp_path, "role: x\nvioce: y\nstage_directions: perhaps\n")
    assert [problem.line for problem in check_persona(path) if problem.severity == "error"] == [0, 2, 3]
    with pytest.raises(PersonaError, match=r"2 more: `harness persona check`") as caught:
        load_persona(path)
    problems = caught.value.details["problems"]
    assert isinstance(problems, tuple)
    assert len(problems) == 3

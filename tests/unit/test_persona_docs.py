"""docs/personas.md tells the truth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.persona import check_persona, load_persona
from harness.persona.facts import FACT_KEYS
from harness.persona.reading import FIELDS
from harness.state.persona import Persona

DOC = (Path(__file__).parents[2] / "docs" / "personas.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(yaml|python)\n(.*?)^```$", DOC, re.MULTILINE | re.DOTALL)
YAML = [text for kind, text in BLOCKS if kind == "yaml"]
PYTHON = [text for kind, text in BLOCKS if kind == "python"]


def rows(heading: str) -> list[str]:
    """The first column of the table that begins with ``heading``."""
    table = DOC.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)


def test_the_field_table_lists_every_field() -> None:
    assert rows("field") == list(FIELDS)
    assert set(FIELDS) == set(Persona.model_fields) - {"id"}


def test_the_fact_table_lists_every_key() -> None:
    assert rows("key") == list(FACT_KEYS)


@pytest.mark.parametrize("text", YAML)
def test_every_yaml_example_loads(tmp_path: Path, text: str) -> None:
    path = tmp_path / "example.yaml"
    path.write_text(text, encoding="utf-8")
    assert load_persona(path).name
    assert [problem.message for problem in check_persona(path) if "no facts" not in problem.message] == []


@pytest.mark.parametrize("code", PYTHON)
def test_every_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/personas.md", "exec"), {})  # noqa: S102 - the documentation's own code


def test_there_are_examples() -> None:
    assert len(YAML) >= 5
    assert len(PYTHON) == 1

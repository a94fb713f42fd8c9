"""``harness language``: the check of packs, and the third language."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.cli.main import app
from harness.language.checking import SLOW_MS, check_file, slowest
from harness.language.packs import read_pack

GERMAN = Path(__file__).parents[1] / "data" / "languages" / "de.yaml"
BUILT_IN = Path(str(check_file.__code__.co_filename)).parent
HEAD = "code: xx\nname: X\nscript: latin\n"


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["language", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def found(tmp_path: Path, text: str) -> list[tuple[str, int, str]]:
    """(level, line, message) of what the check says about the sections that are there."""
    file = tmp_path / "xx.yaml"
    file.write_text(HEAD + text, encoding="utf-8")
    return [(f.level, f.line, f.message) for f in check_file(file).findings if "section is empty" not in f.message]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_built_in_packs_are_in_order(code: str) -> None:
    report = check_file(BUILT_IN / f"{code}.yaml")
    assert not report.findings


def test_the_third_pack_is_in_order() -> None:
    assert "is in order" in run("check", str(GERMAN))
    assert check_file(GERMAN).ok


@pytest.mark.parametrize(
    ("text", "level", "line", "words"),
    [
        ("colour: red\n", "error", 4, "Extra inputs"),
        ("guards:\n  bot_question:\n    - 'fine'\n    - 'a(b'\n", "error", 7, "not a regular expression"),
        ("guards:\n  bot_question: ['{nowhere}']\n", "error", 5, "{nowhere} is not defined"),
        ("commitments:\n  promise:\n    - 'i promise'\n", "error", 6, "needs a group named what"),
        ("topics:\n  back: ['back to .+']\n", "error", 5, "needs a group named label"),
        ("commitments:\n  promise: ['i promise (']\n", "error", 5, "Expected a regular expression"),
        ("emotion:\n  words: [{label: joy, strength: 3, words: [glad]}]\n", "error", 5, "less than or equal to 1"),
        ("guards:\n  override: ['^(?:x+x+)+y']\n", "warning", 5, "on a text made to be hard"),
        ("holding:\n  lines: {bot_deny: ['我不是机器人']}\n", "warning", 5, "no letter of the script latin"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, text: str, level: str, line: int, words: str) -> None:
    ((found_level, found_line, message),) = found(tmp_path, text)
    assert (found_level, found_line) == (level, line), message
    assert words in message


@pytest.mark.parametrize(
    ("text", "words"),
    [("code: xx\ncode: yy\n", "line 2"), ("code: [x\n", "line"), ("name: X\n", "code"), ("code: x\nname: X\nscript: runes\n", "Unicode script")],
)  # fmt: skip
def test_a_file_that_is_no_pack(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(text, encoding="utf-8")
    assert words in run("check", str(file), code=1)
    (tmp_path / "not.yaml").unlink(missing_ok=True)
    assert "found none" in run("check", str(tmp_path / "not.yaml"), code=1)


def test_empty_sections_say_what_will_not_work(tmp_path: Path) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(HEAD, encoding="utf-8")
    messages = [finding.message for finding in check_file(file).findings]
    assert any("no promises are read" in message for message in messages)
    assert "is in order" in run("check", str(file))
    run("check", str(file), "--strict", code=1)


def test_examples_that_do_not_hold_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "de.yaml"
    text = GERMAN.read_text(encoding="utf-8")
    file.write_text(text.replace("facts: {home: Bremen}", "facts: {home: Kiel}"), encoding="utf-8")
    (report,) = json.loads(run("check", str(file), "--json", code=1))
    errors: list[dict[str, Any]] = [finding for finding in report["findings"] if finding["level"] == "error"]
    assert [error["where"] for error in errors] == ["examples.0"]
    assert "Bremen" in errors[0]["message"]
    assert "Kiel" in text.splitlines()[errors[0]["line"] - 1].replace("Bremen", "Kiel")
    assert (report["code"], report["ok"]) == ("de", False)


def test_damaged_weights_beside_a_pack_are_errors(tmp_path: Path) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(HEAD, encoding="utf-8")
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "xx.shift.weights").write_bytes(b"nothing of the kind")
    assert [finding.where for finding in check_file(file).findings if finding.level == "error"] == [
        "weights/xx.shift.weights"
    ]


@pytest.mark.parametrize("source", [r"(a+)+$", r"^(\w+\s?)+!", r"(?:a|a)*b", r"^(?:可是?|是)*你"])
def test_patterns_without_end_are_found_quickly(source: str) -> None:
    import re

    assert slowest(re.compile(source), source) >= SLOW_MS


def test_list_and_template(tmp_path: Path) -> None:
    listed = json.loads(run("list", "--json"))
    assert [row["code"] for row in listed][:2] == ["en", "zh"]
    file = tmp_path / "uk.yaml"
    file.write_text(run("template", "uk", "--name", "Ukrainian", "--script", "cyrillic"), encoding="utf-8")
    pack = read_pack(file)
    assert (pack.code, pack.name, pack.script) == ("uk", "Ukrainian", "cyrillic")
    assert "is in order" in run("check", str(file))
    result = CliRunner().invoke(app, ["language", "template", "tlh", "--script", "klingon"])
    assert result.exit_code == 1


def test_the_pack_of_the_documentation_is_in_order(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "languages.md").read_text(encoding="utf-8")
    file = tmp_path / "nl.yaml"
    file.write_text(page.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    assert "is in order" in run("check", str(file))

"""One wrong file among the languages of a project: it is told, and the others go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import LanguageError
from harness.language import load_packs, load_readable
from harness.settings import load
from tests._commands import runner

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
PEOPLE = {"en": "name: Ann\nlanguage: en\nrole: a nurse\nfacts:\n  job: nurse\n", "zh": "name: 小林\nlanguage: zh\nrole: 一名老师\nfacts:\n  职业: 老师\n"}  # fmt: skip
WRONG = {
    "field": ("code: xx\nname: Xish\nscript: latin\nattributes: 5\n", "attributes"),
    "yaml": ("code: [xx\n", "xx.yaml"),
    "list": ("- 1\n", "xx.yaml"),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    for folder in ("languages", "personas"):
        (tmp_path / folder).mkdir()
    for name, text in PEOPLE.items():
        (tmp_path / "personas" / f"one_{name}.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "personas" / "xan.yaml").write_text("name: Xan\nlanguage: xx\n", encoding="utf-8")
    (tmp_path / "languages" / "zz.yaml").write_text("code: zz\nname: Zish\nscript: latin\n", encoding="utf-8")
    return tmp_path


def broken(project: Path, how: str = "field", name: str = "xx") -> Path:
    file = project / "languages" / f"{name}.yaml"
    file.write_text(WRONG[how][0], encoding="utf-8")
    return file


@pytest.mark.parametrize("how", WRONG)
def test_the_list_has_the_others_and_says_which_is_wrong(project: Path, how: str) -> None:
    assert "Zish" in runner("language", "list")().stdout
    broken(project, how)
    found = runner("language", "list")(code=1)
    assert {line.split()[0] for line in found.stdout.splitlines()[3:] if line.strip()} == {"en", "zh", "zz"}
    assert WRONG[how][1] in found.stderr
    assert found.stderr.count("error:") == 1
    assert "harness language check" in found.stderr
    rows = json.loads(runner("language", "list")("--json", code=1).stdout)
    assert [row["code"] for row in rows] == ["en", "zh", "zz", "xx"]
    assert WRONG[how][1] in rows[-1]["error"]


@BOTH
@pytest.mark.parametrize("how", WRONG)
def test_characters_of_other_languages_are_checked_and_shown(project: Path, code: str, how: str) -> None:
    broken(project, how)
    checked = runner("persona", "check")(f"personas/one_{code}.yaml")
    assert "error" not in checked.stdout
    assert WRONG[how][1] in checked.stderr
    assert f"one_{code}" in runner("persona", "list")().stdout
    assert PEOPLE[code].split()[1] in runner("persona", "show")(f"one_{code}").stdout
    assert "language: " in runner("persona", "new")("Ida" if code == "en" else "小雨", "--language", code, "-o", "-").stdout  # fmt: skip
    wrong = runner("persona", "check")("personas/xan.yaml", code=1)
    assert "personas/xan.yaml: error: its language 'xx' cannot be used" in wrong.stdout
    every = runner("persona", "check")(code=1).stdout
    assert every.count(": error: ") == 1


@BOTH
def test_a_wrong_file_in_the_place_of_a_built_in_language_is_not_passed_over(project: Path, code: str) -> None:
    """What was meant to be used is not: the built-in one is no silent stand-in."""
    broken(project, name=code)
    other = {"en": "zh", "zh": "en"}[code]
    assert "cannot be used" in runner("persona", "check")(f"personas/one_{code}.yaml", code=1).stdout
    runner("persona", "check")(f"personas/one_{other}.yaml")
    rows = [row for row in json.loads(runner("language", "list")("--json", code=1).stdout) if "error" not in row]
    assert [row["code"] for row in rows] == [other, "zz"]


def test_the_engine_begins_with_no_wrong_file(project: Path) -> None:
    from harness.app import Harness

    file = broken(project)
    with pytest.raises(LanguageError, match="attributes"):
        Harness(load(start=project, environ={}))
    packs, wrong = load_readable([file, project / "languages" / "zz.yaml"])
    assert packs.codes == (*load_packs().codes, "zz")
    assert [(one.code, one.file) for one in wrong] == [("xx", file)]
    assert load_readable()[1] == ()
    missing, told = load_readable([project / "nothing.yaml"])
    assert missing.codes == load_packs().codes
    assert "nothing.yaml" in told[0].error.message

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import LanguageError, PersonaError
from harness.language import LanguagePack, load_packs
from harness.language.packs import read_pack
from harness.yaml_strict import load_yaml

PACKS = load_packs()
KINDS = ("denial", "value", "unknown", "bot_deny", "bot_deflect", "bot_admit", "override", "extraction")


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_pattern_of_a_pack_compiles(code: str) -> None:
    PACKS.get(code).check()


def test_packs_know_the_same_attributes() -> None:
    english, chinese = PACKS.get("en"), PACKS.get("zh")
    assert {a.key: a.single for a in english.attributes} == {a.key: a.single for a in chinese.attributes}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_six_different_lines_of_every_kind(code: str, kind: str) -> None:
    lines = PACKS.get(code).holding.lines[kind]
    assert len(set(lines)) >= 6
    if kind in {"denial", "value"}:
        assert all("{truth}" in line for line in lines)


def test_languages_have_their_own_punctuation() -> None:
    lines = [line for group in PACKS.get("zh").holding.lines.values() for line in group]
    assert not [line for line in lines if "," in line or "?" in line]


@pytest.mark.parametrize(
    ("text", "default", "code"),
    [
        ("Hello there", "zh", "en"),
        ("今天天气真好", "en", "zh"),
        ("我喜欢 Python", "en", "zh"),
        ("Have you met 小王 yet?", "zh", "en"),
        ("123 !?", "zh", "zh"),
        ("", "en", "en"),
        ("Miso 好可爱啊", "en", "zh"),
    ],
)
def test_language_is_told_by_the_share_of_scripts(text: str, default: str, code: str) -> None:
    assert PACKS.detect(text, default) == code
    assert PACKS.for_text(text, default).code == code


def test_regional_codes_find_their_language() -> None:
    assert PACKS.get("zh-CN").code == "zh"
    assert PACKS.get("EN_gb").code == "en"


def test_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(LanguageError, match=r"en, zh.*'tlh'"):
        PACKS.get("tlh")


def test_a_further_language_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "nn.yaml").write_text("code: nn\nname: Nynorsk\nscript: latin\n", encoding="utf-8")
    packs = load_packs([tmp_path])
    assert packs.codes == ("en", "zh", "nn")
    assert packs.detect("Kva heiter du?", "nn") == "nn"
    assert packs.get("nn").holding.lines == {}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("code: xx\nname: X\nscript: latin\ncolour: red\n", "colour"),
        ("code: xx\nname: X\nscript: runes\n", "script"),
        ("code: xx\ncode: yy\nname: X\nscript: latin\n", "line 2.*'code' stands twice"),
        ("code: [xx\n", "line"),
    ],
)
def test_a_wrong_pack_says_where(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "xx.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(LanguageError, match=complaint):
        read_pack(file)


def test_a_wrong_pattern_is_quoted() -> None:
    pack = LanguagePack(code="xx", name="X", script="latin")
    with pytest.raises(LanguageError, match=r"a\(b"):
        pack.pattern("a(b")
    with pytest.raises(LanguageError, match="macro 'nowhere'"):
        pack.pattern("{nowhere}")


@pytest.mark.parametrize(
    ("name", "key"),
    [("job", "job"), ("职业", "job"), ("Occupation", "job"), ("wife", "partner"), ("老家", "origin"), ("猫", "pet")],
)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_attributes_go_by_names_of_both_languages(code: str, name: str, key: str) -> None:
    found = PACKS.get(code).attribute(name)
    assert found is not None
    assert found.key == key


def test_yaml_scalars_stay_text() -> None:
    read = load_yaml("answer: no\nat: 22:30\nversion: 1.10\non: yes\nempty:\n")
    assert read == {"answer": "no", "at": "22:30", "version": "1.10", "on": "yes", "empty": ""}


def test_yaml_errors_are_of_the_wanted_class_and_name_the_line() -> None:
    with pytest.raises(PersonaError, match=r"cat\.yaml, line 3") as caught:
        load_yaml("name: Ada\nfacts: {}\nname: Bea\n", source="cat.yaml", error=PersonaError)
    assert caught.value.details["line"] == 3


def test_yaml_missing_and_undecodable_files(tmp_path: Path) -> None:
    with pytest.raises(PersonaError, match="found none"):
        load_yaml(tmp_path / "none.yaml", error=PersonaError)
    (tmp_path / "bad.yaml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(PersonaError, match="UTF-8"):
        load_yaml(tmp_path / "bad.yaml", error=PersonaError)


def test_yaml_byte_order_mark_and_empty_document() -> None:
    assert load_yaml("\ufeffname: Ada") == {"name": "Ada"}
    assert load_yaml("# nothing\n") == ""

"""Finding and listing personas, and the scaffold."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from harness.errors import LanguageError, PersonaError
from harness.persona import check_persona, find_persona, list_personas, load_persona, new_persona, suggest_id


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    own, packaged = tmp_path / "own", tmp_path / "packaged"
    files = {
        own / "mia.yaml": "name: My Mia\nfacts: {x y: a}\n",
        own / "broken.yaml": "name: [\n",
        own / "_draft.yaml": "name: Draft\n",
        own / ".mia.yaml": "name: Swap file\n",
        own / "notes.txt": "name: Notes\n",
        packaged / "mia.yaml": "name: Mia Tarrant\nfacts: {x y: a}\n",
        packaged / "lin.yml": "name: 林晓\naliases: [小林, Sam]\nrole: 修书匠\nfacts: {某: 一}\n",
        packaged / "sam.yaml": "name: Samuel\naliases: [Lee]\nfacts: {x y: a}\n",
        packaged / "tom.yaml": "name: Thomas\naliases: [Lee]\nfacts: {x y: a}\n",
    }
    for path, text in files.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [own, tmp_path / "not there", packaged]


def test_the_list(folders: list[Path]) -> None:
    entries = list_personas(folders)
    assert [entry.id for entry in entries] == ["broken", "lin", "mia", "sam", "tom"]
    broken, lin, mia = entries[:3]
    assert broken.error is not None
    assert "line 1" in broken.error
    assert (lin.name, lin.language, lin.role, lin.error, lin.aliases) == ("林晓", "zh", "修书匠", None, ("小林", "Sam"))
    assert (mia.name, mia.path) == ("My Mia", folders[0] / "mia.yaml")
    assert list_personas([]) == ()


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("MIA", "My Mia"),
        (" mia ", "My Mia"),
        ("林晓", "林晓"),
        ("小林", "林晓"),
        ("samuel", "Samuel"),
        ("ｌｉｎ", "林晓"),
    ],
)
def test_found_without_regard_to_case_and_width(folders: list[Path], name: str, found: str) -> None:
    assert find_persona(name, folders).name == found


def test_an_id_goes_before_an_alias(folders: list[Path]) -> None:
    assert find_persona("sam", folders).name == "Samuel"


def test_an_ambiguous_alias_is_not_guessed(folders: list[Path]) -> None:
    with pytest.raises(PersonaError, match=r"'Lee' may be one of several personas: sam, tom\. Give the id"):
        find_persona("Lee", folders)


def test_not_found_lists_what_there_is_and_the_nearest(folders: list[Path]) -> None:
    with pytest.raises(PersonaError, match=r"Did you mean mia\?") as caught:
        find_persona("mai", folders)
    assert "broken (broken); lin (林晓); mia (My Mia); sam (Samuel); tom (Thomas)" in caught.value.message
    assert caught.value.details["known"] == ("broken", "lin", "mia", "sam", "tom")
    with pytest.raises(PersonaError, match="Give one of these"):
        find_persona("zzzzzzz", folders)
    with pytest.raises(PersonaError, match="no persona files"):
        find_persona("mia", folders[1:2])


def test_asking_for_a_broken_one_says_why(folders: list[Path]) -> None:
    with pytest.raises(PersonaError, match="line 1"):
        find_persona("broken", folders)


def test_a_path_is_a_name_unless_forbidden(folders: list[Path]) -> None:
    path = str(folders[2] / "mia.yaml")
    assert find_persona(path, folders[:1]).name == "Mia Tarrant"
    with pytest.raises(PersonaError, match="found none"):
        find_persona("./nowhere/mia.yaml", folders)
    with pytest.raises(PersonaError, match="No persona"):
        find_persona(path, folders[:1], allow_path=False)


@pytest.mark.parametrize(("name", "code"), [("Nora Webb", "en"), ("李想", "zh")])
def test_the_scaffold_is_a_valid_persona(tmp_path: Path, name: str, code: str) -> None:
    path = tmp_path / f"{suggest_id(name)}.yaml"
    path.write_text(new_persona(name), encoding="utf-8")
    persona = load_persona(path)
    assert (persona.name, persona.language) == (name, code)
    assert check_persona(path) == ()
    unused = {field for field in type(persona).model_fields if field not in persona.model_fields_set}
    assert unused == set()


def test_the_scaffold_takes_language_and_role(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(new_persona("Nora: the #1", "zh-CN", role="no"), encoding="utf-8")
    persona = load_persona(path)
    assert (persona.name, persona.language, persona.role) == ("Nora: the #1", "zh", "no")
    with pytest.raises(LanguageError):
        new_persona("Nora", "tlh")


@pytest.mark.parametrize(("name", "role"), [("", ""), (" ", ""), ("a\nb", ""), ("a", "b\nc"), ("a\0", "")])
def test_the_scaffold_refuses_what_is_not_one_line(name: str, role: str) -> None:
    with pytest.raises(PersonaError, match="one line"):
        new_persona(name, role=role)


@given(name=st.text(min_size=1, max_size=60).map(str.strip).filter(lambda name: bool(name) and name.isprintable()))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=25)
def test_any_name_survives_the_scaffold(tmp_path: Path, name: str) -> None:
    path = tmp_path / "someone.yaml"
    path.write_text(new_persona(name), encoding="utf-8")
    assert load_persona(path).name == name


@pytest.mark.parametrize(
    ("name", "expected"),
    [("Mia Tarrant", "mia-tarrant"), ("林晓", "林晓"), ("a/b\\c: d.", "a-b-c-d"), ("..", "persona"), ("_x_", "x")],
)
def test_suggested_ids_are_file_names(name: str, expected: str) -> None:
    assert suggest_id(name) == expected

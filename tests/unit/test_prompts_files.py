"""Where prompts come from: lookup along paths and languages, and failures that name the place."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.errors import PromptError
from harness.prompt_views import (
    ContextView,
)
from harness.prompts import Prompts, language_chain
from harness.resources import data_path
from tests.unit._prompt_cases import PACKAGED, PERSONAS, project, render

# --- lookup ---------------------------------------------------------------------------------------------------------


def test_a_projects_file_hides_one_packaged_file_only(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_respond="mine {{ user_text }}"), data_path("prompts")])
    assert prompts.render("respond", "en", user_text="x", notes="", remarks="") == "mine x"
    assert prompts.source("respond", "en")[0] == tmp_path.resolve() / "en" / "respond.j2"
    assert prompts.source("system", "en")[0] == data_path("prompts") / "en" / "system.j2"


def test_a_projects_partial_is_used_by_packaged_prompts(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en__turn="only this {{ analysis.name }}"), data_path("prompts")])
    assert render("extract_facts", "en", prompts).endswith("only this Greta Lund")


def test_the_nearer_language_wins_over_the_nearer_path(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_respond="english"), data_path("prompts")])
    assert prompts.render("respond", "zh-TW", notes="", remarks="", user_text="你好") == "你好"
    assert prompts.render("respond", "fr", notes="", remarks="", user_text="allô") == "english"


def test_language_chain() -> None:
    assert language_chain("zh_hant_tw") == ("zh-Hant-TW", "zh-Hant", "zh", "en")
    assert language_chain("EN") == ("en",)
    assert language_chain("") == ("en",)


@pytest.mark.parametrize("language", ["../en", "e", "en/..", "zh TW"])
def test_a_language_that_is_none_is_refused(language: str) -> None:
    with pytest.raises(PromptError, match="language code"):
        PACKAGED.render("respond", language)


@pytest.mark.parametrize("name", ["../en/system", "/etc/passwd", "", "a b"])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(PromptError, match="name of a prompt"):
        PACKAGED.render(name, "en")


def test_nothing_is_read_outside_the_search_paths(tmp_path: Path) -> None:
    (tmp_path / "secret.j2").write_text("secret", encoding="utf-8")
    folder = project(tmp_path / "prompts", en_a='{% include "../../secret.j2" %}', en_b='{% include "link.j2" %}')
    prompts = Prompts([folder])
    with pytest.raises(PromptError, match=r"a\.j2, line 1: .*does not exist"):
        prompts.render("a", "en")
    try:
        (folder / "en" / "link.j2").symlink_to(tmp_path / "secret.j2")
    except OSError:
        pytest.skip("links are not allowed here")
    with pytest.raises(PromptError, match=r"b\.j2, line 1"):
        prompts.render("b", "en")


def test_names_sources_and_languages(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_one="{{ a }}{% include '_p.j2' %}", en__p="{{ b.c }}", zh_two="")])
    assert prompts.names() == ("one", "two")
    assert prompts.languages() == ("en", "zh")
    assert prompts.variables("one", "en") == ("a", "b")
    assert prompts.source("one", "en")[1].startswith("{{ a }}")
    with pytest.raises(PromptError, match="there is none"):
        prompts.source("two", "en")


def test_a_directory_must_exist(tmp_path: Path) -> None:
    with pytest.raises(PromptError, match="at least one prompt directory"):
        Prompts([tmp_path / "none"])


def test_a_file_is_read_once_so_that_a_prompt_never_changes_while_sessions_run(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="old")])
    assert prompts.render("a", "en") == "old"
    project(tmp_path, en_a="new")
    assert prompts.render("a", "en") == "old"
    assert Prompts(prompts.search_paths).render("a", "en") == "new"


def test_windows_line_ends_and_a_mark_change_nothing(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="")])
    (tmp_path / "en" / "a.j2").write_bytes(b"\xef\xbb\xbf{# c #}\r\none\r\ntwo {{ x }}\r\n")
    assert prompts.render("a", "en", x=1) == "one\ntwo 1"


# --- failures -------------------------------------------------------------------------------------------------------


def test_a_missing_variable_names_file_line_and_variable(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="one\ntwo\n{{ mood }}")])
    with pytest.raises(PromptError) as caught:
        prompts.render("a", "en")
    path = str(tmp_path.resolve() / "en" / "a.j2")
    assert caught.value.details == {"path": path, "line": 3, "variable": "mood"}
    assert f"{path}, line 3: 'mood' is undefined" in str(caught.value)


def test_a_missing_variable_in_a_partial_names_the_partial(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="x\n{% include '_p.j2' %}", en__p="\n{{ gone }}")])
    with pytest.raises(PromptError) as caught:
        prompts.render("a", "en")
    assert str(caught.value.details["path"]).endswith("_p.j2")
    assert (caught.value.details["line"], caught.value.details["variable"]) == (2, "gone")


def test_a_missing_field_names_the_field(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="{{ p.colour }}")])
    with pytest.raises(PromptError, match="no attribute 'colour'"):
        prompts.render("a", "en", p=ContextView())


@pytest.mark.parametrize(
    ("template", "line"),
    [("a\n{% if x %}", 2), ("{{ x", 1), ("a\nb\n{{ x|nofilter }}", 3), ("{% include '_p.j2' %}", 2)],
)
def test_a_broken_template_names_file_and_line(tmp_path: Path, template: str, line: int) -> None:
    prompts = Prompts([project(tmp_path, en_a=template, en__p="\n{% bogus %}")])
    with pytest.raises(PromptError) as caught:
        prompts.render("a", "en", x=1)
    assert caught.value.details["line"] == line
    assert f"line {line}" in str(caught.value)
    assert ".j2" in str(caught.value.details["path"])
    with pytest.raises(PromptError):
        prompts.variables("a", "en") if "nofilter" not in template else prompts.render("a", "en")


def test_a_missing_prompt_suggests_the_nearest() -> None:
    with pytest.raises(PromptError, match="Did you mean 'summarize'"):
        PACKAGED.render("sumarize", "en")


def test_a_file_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    prompts = Prompts([project(tmp_path, en_a="")])
    (tmp_path / "en" / "a.j2").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PromptError, match=r"UTF-8 text in .*a\.j2"):
        prompts.render("a", "en")


@pytest.mark.parametrize(
    "template",
    ["{{ ''.__class__.__mro__ }}", "{{ t.append(1) }}", "{{ 1 + t }}", "{{ t }}", "{{ none }}", "{{ range(10**9) }}"],
)
def test_what_has_no_stable_text_or_is_unsafe_is_refused(tmp_path: Path, template: str) -> None:
    prompts = Prompts([project(tmp_path, en_a=template)])
    with pytest.raises(PromptError, match=r"a\.j2, line 1"):
        prompts.render("a", "en", t=("x",))


@pytest.mark.parametrize("template", ["{{ lipsum() }}", "{{ [1, 2]|random }}"])
def test_chance_is_out_of_reach(tmp_path: Path, template: str) -> None:
    prompts = Prompts([project(tmp_path, en_a=template)])
    with pytest.raises(PromptError):
        prompts.render("a", "en")


@dataclass
class Mutable:
    """Not frozen."""

    name: str = "x"


@pytest.mark.parametrize("value", [["x"], {"a": 1}, Mutable(), ("x", Mutable()), PERSONAS["en"], object()])
def test_only_frozen_data_goes_in(tmp_path: Path, value: object) -> None:
    prompts = Prompts([project(tmp_path, en_a="x")])
    with pytest.raises(PromptError, match="frozen dataclasses in the variable 'given'"):
        prompts.render("a", "en", given=value)

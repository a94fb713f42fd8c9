"""The documentation tells the truth: examples run, links lead somewhere, tables are complete, generated parts are current."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main
import yaml

from harness import errors
from harness.adapters.local import load_catalogue
from harness.adapters.models.endpoint import normalize_base_url
from harness.app_models import EMBEDDED_CHECKS
from harness.cli.main import app
from harness.cli.slash import COMMANDS
from harness.doctor import NAMES
from harness.documenting import GENERATORS, MARKED, pages, refreshed
from harness.persona import load_persona
from harness.prompts import Prompts
from harness.resources import data_path
from harness.settings import SECTIONS, load, variable_name
from harness.state import Candidate, DialogueState, Finding, Notice
from harness.state.facts import FactStatus
from harness.state.operations import Operation
from harness.testing.conformance.sessions import CHECKS
from harness.testing.scripted_server import Answer, ScriptedServer, ServerThread
from harness.turn.guards import REVISION_PENALTY
from harness.turn.machine import Phase
from harness.understanding.checks import (
    candour,
    consistency,
    constraints,
    history,
    naming_asked,
    own_answers,
    promised,
    recall,
    verdicts,
)

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in pages(ROOT)}
ELSEWHERE = {"docs/personas.md", "docs/cli.md", "docs/languages.md"}
"""Pages with tests of their own."""
NOT_SETTINGS = ("errors", "ports", "testing", "toml", "json")
"""Modules and files that look like settings of the section ``harness``."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    """(page, text) of every block of a kind."""
    for page, text in PAGES.items():
        yield from ((page, body) for found, body in BLOCK.findall(text) if found == kind)


def page(name: str) -> str:
    return PAGES[f"docs/{name}.md"]


def prose(text: str) -> str:
    return BLOCK.sub("", text)


def table(text: str, heading: str) -> list[list[str]]:
    """The rows of the table whose first heading is ``heading``."""
    body = text.split(f"| {heading} |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in body.splitlines()[2:]]


def names(rows: list[list[str]]) -> list[str]:
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]


def literals(model: typing.Any, field: str) -> set[str]:
    return set(typing.get_args(model.model_fields[field].annotation))


# --- examples -----------------------------------------------------------------------------------------------------


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    """What an example finds: a provider that answers, sessions in memory, an empty folder."""
    with ServerThread(ScriptedServer([Answer("Hello, friend.")])) as server:
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", server.base_url)
        monkeypatch.setenv("HARNESS_PROVIDER_API_KEY_ENV", "")
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_STORAGE_BACKEND", "memory")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        monkeypatch.chdir(tmp_path)
        yield server


WITH_PYTHON = sorted({name for name, _ in blocks("python")} - ELSEWHERE)


@pytest.mark.parametrize("name", WITH_PYTHON)
def test_the_python_of_a_page_runs(name: str, scripted: ScriptedServer) -> None:
    namespace: dict[str, object] = {"__name__": "example"}
    for found, code in blocks("python"):
        if found == name:
            exec(compile(code, name, "exec"), namespace)  # noqa: S102 - the documentation's own code


def test_the_examples_are_there() -> None:
    assert {"README.md", "docs/tutorial.md", "docs/extending.md", "docs/state.md", "docs/testing.md"} <= set(
        WITH_PYTHON
    )
    shown = page("extending")
    for part in ("MACHINE.inserting", "MACHINE.replacing", "check_session_store", "class Parrot"):
        assert part in shown


def test_the_readme_example_is_five_lines_and_talks_to_the_provider(
    scripted: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    five = next(code for name, code in blocks("python") if name == "README.md")
    assert len([line for line in five.splitlines() if line.strip()]) == 5
    exec(compile(five, "README.md", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out.startswith("Hello, friend.\n")
    assert scripted.chats[0].body["messages"][-1]["content"] == "Hello!"


@pytest.mark.parametrize(("name", "text"), list(blocks("toml")))
def test_settings_files_are_valid(name: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "harness.toml"
    file.write_text(text, encoding="utf-8")
    loaded = load(file=file, environ={})
    for section, values in tomllib.loads(text).items():
        for key in values:
            assert loaded.origins[f"{section}.{key}"] == "harness.toml", name


def test_yaml_examples_are_valid(tmp_path: Path) -> None:
    file = tmp_path / "example.yaml"
    for name, text in blocks("yaml"):
        if name in ELSEWHERE or text.startswith("suite:"):  # test_blindtest_suite_files.py loads suites
            continue
        file.write_text(text, encoding="utf-8")
        if "models" in yaml.safe_load(text):
            assert load_catalogue(file).get("my-model").context, name
        else:
            assert load_persona(file).facts, name


# --- commands -----------------------------------------------------------------------------------------------------


def command_lines() -> Iterator[tuple[str, list[str]]]:
    for name, text in blocks("console"):
        for line in text.splitlines():
            if line.startswith("$ harness "):
                yield name, shlex.split(line.partition(" > ")[0])[2:]


@pytest.mark.parametrize(("name", "words"), list(command_lines()), ids=str)
def test_commands_exist_with_their_options(name: str, words: list[str]) -> None:
    command: typing.Any = typer.main.get_command(app)
    while words and hasattr(command, "commands"):
        if command.invoke_without_command and words[0].startswith("-"):
            break
        assert words[0] in command.commands, f"{name}: harness has no {words[0]!r}"
        command, words = command.commands[words[0]], words[1:]
    command.make_context(command.name, list(words))  # raises for an option or argument it does not take


def test_commands_named_in_the_text_exist() -> None:
    root: typing.Any = typer.main.get_command(app)
    for name, text in PAGES.items():
        for first, second in re.findall(r"`harness (?!-)(\w+)(?: (\w+))?", prose(text)):
            assert first in root.commands, f"{name}: harness {first}"
            below = getattr(root.commands[first], "commands", None)
            assert not (below and second) or second in below, f"{name}: harness {first} {second}"


def test_slash_commands_named_in_the_text_exist() -> None:
    for name, text in PAGES.items():
        for word in re.findall(r"`/([a-z]+)(?=[ `])", text):
            assert word in COMMANDS, f"{name}: /{word}"


def test_every_variable_and_setting_that_is_named_exists() -> None:
    known = {f"{section}.{key}" for section, model in SECTIONS.items() for key in model.model_fields}
    variables = {variable_name(*name.split(".")) for name in known} | {
        "HARNESS_CONFIG", "HARNESS_HOME", "HARNESS_TEST_", "HARNESS_TEST_MODEL"
    }  # fmt: skip
    keys = {name.split(".")[1]: name for name in known}
    for name, text in PAGES.items():
        for variable in re.findall(r"\bHARNESS_[A-Z0-9_]+", text):
            assert variable in variables, f"{name}: {variable}"
        sections = "|".join(SECTIONS)
        for setting in re.findall(rf"`({sections})\.(\w+)(?: = [^`]*)?`", prose(text)):
            dotted = ".".join(setting)
            assert dotted in known | {f"harness.{word}" for word in NOT_SETTINGS}, f"{name}: {dotted}"
        for key, value in re.findall(r"`(\w+) = \"?(\w+)\"?`", prose(text)):
            assert key in keys, f"{name}: {key}"
            load(environ={}, start=ROOT / "tests", overrides={keys[key]: value})


# --- links, navigation, site --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name: str) -> None:
    for target in LINK.findall(prose(PAGES[name])):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = (ROOT / name).parent / path if path else ROOT / name
        assert found.is_file(), f"{name}: {target}"
        assert not anchor or f"# {anchor.replace('-', ' ')}" in found.read_text(encoding="utf-8").lower()


def test_every_page_is_in_the_navigation_and_linked_from_the_readme() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    listed = re.findall(r"(\S+\.md)", nav)
    there = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    assert sorted(listed) == there
    linked = {target.removeprefix("docs/") for target in LINK.findall(PAGES["README.md"])}
    top = {name for name in there if "/" not in name} - {"index.md", "changelog.md"}
    assert top <= linked
    decisions = set(LINK.findall(page("decisions/index")))
    assert decisions == {path.name for path in (DOCS / "decisions").glob("0*.md")}


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert "WARNING" not in built.stderr
    shown = (tmp_path / "site" / "the-turn" / "index.html").read_text(encoding="utf-8")
    assert '<pre class="mermaid">' in shown
    assert "fonts.googleapis.com" not in shown
    assert "0.1.0" in (tmp_path / "site" / "changelog" / "index.html").read_text(encoding="utf-8")


# --- generated parts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAGES)
def test_generated_parts_are_current(name: str) -> None:
    assert PAGES[name] == refreshed(PAGES[name]), "run: python -m harness.documenting"


def test_everything_that_can_be_generated_is_used_once() -> None:
    used = [found[2] for text in PAGES.values() for found in MARKED.finditer(text)]
    assert sorted(used) == sorted(GENERATORS)
    assert sum(text.count("<!-- generated:") for text in PAGES.values()) == len(used)


def test_a_page_that_is_out_of_date_is_noticed() -> None:
    old = "<!-- generated: machine -->\n\nold\n\n<!-- end -->"
    new = refreshed(old)
    assert "mermaid" in new
    assert "old" not in new
    assert refreshed(new) == new
    with pytest.raises(KeyError):
        refreshed("<!-- generated: nothing -->\n\n<!-- end -->")


# --- completeness -------------------------------------------------------------------------------------------------


def test_every_phase_is_described_in_order() -> None:
    assert names(table(page("the-turn"), "phase")) == [str(phase) for phase in Phase]


def test_every_operation_is_listed() -> None:
    union = typing.get_args(typing.get_args(Operation)[0])
    assert names(table(page("state"), "`op`")) == [kind.model_fields["op"].default for kind in union]


def test_every_field_of_the_state_is_listed() -> None:
    assert names(table(page("state"), "field")) == list(DialogueState.model_fields)
    assert names(table(page("state"), "status")) == [status.value for status in FactStatus]


def test_every_error_has_a_row_with_a_remedy() -> None:
    types = {name for name, kind in vars(errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)}
    text = page("errors")
    rows = [row for part in text.split("| error |")[1:] for row in table(f"| error |{part}", "error")]
    described = names(rows)
    assert sorted(described) == sorted(types - {"HarnessError"})
    assert all(len(row) == 3 and all(row) for row in rows)
    drawn = re.findall(r"[├└]── (\w+)", text)
    assert sorted(drawn) == sorted(described)


def test_every_setting_is_documented_with_its_variable() -> None:
    text = page("settings")
    for section, model in SECTIONS.items():
        rows = table(text.split(f"\n## {section}\n", 1)[1], "setting")
        assert names(rows) == list(model.model_fields)
        for row, (key, info) in zip(rows, model.model_fields.items(), strict=True):
            assert f"`{variable_name(section, key)}`" in row
            assert info.description


def test_every_prompt_and_variable_is_documented() -> None:
    prompts = Prompts([data_path("prompts")])
    text = page("prompts")
    before, after = text.split("<!-- end -->", 1)
    generated = {names([row])[0]: row[1] for row in table(before, "template")}
    assert set(generated) == set(prompts.names())
    assert sorted(names(table(after, "template"))) == sorted(prompts.names())
    explained = text.split("## Variables", 1)[1]
    others = {"name", "user_name", "user_text", "reply", "language", "max_tokens", "problem", "schema"}
    for name in prompts.names():
        for language in prompts.languages():
            wanted = prompts.variables(name, language)
            assert re.findall(r"`(\w+)`", generated[name]) == list(wanted), f"{language}/{name}"
            assert all(f"`{variable}`" in explained for variable in set(wanted) - others)


def test_notices_and_findings_are_complete_and_weighed_as_in_the_code() -> None:
    text = page("consistency")
    assert set(names(table(text, "notice"))) == literals(Notice, "kind")
    weights = {names([row])[0]: float(row[1]) for row in table(text, "finding")}
    assert set(weights) == literals(Finding, "kind")
    assert weights == {
        **consistency.SEVERITY,
        "not_recalled": recall.SEVERITY,
        "not_answered": own_answers.NOT_ANSWERED,
        "not_admitted": candour.SEVERITY,
        "wrong_reference": naming_asked.ANOTHER,
        "against_constraint": constraints.SEVERITY,
    }
    other = {kind: weight for kind, weight in verdicts.SEVERITY.items() if weight != weights[kind]}
    assert other == {"contradiction": 1.0, "wrong_speaker": 0.7}
    assert "Found by the evaluator, a contradiction weighs 1.0 and a wrong speaker 0.7." in " ".join(text.split())
    assert f"A contradiction found so weighs {history.SEVERITY}" in text
    assert f"a severity of {history.DOUBTFUL}" in " ".join(text.split())
    assert f"the denial of a promise that the character made weighs {promised.SEVERITY}" in " ".join(text.split())
    assert f"From {REVISION_PENALTY} on" in text
    assert all(f"`{form}`" in text for form in literals(Candidate, "form"))


def test_the_table_of_addresses_is_true() -> None:
    rows = table(page("models"), "`base_url`")
    assert len(rows) >= 8
    for given, result, *_ in rows:
        assert f"`{normalize_base_url(given.strip('`'))}/chat/completions`" == result


def test_models_roles_checks_and_prefill_are_complete() -> None:
    text = page("models")
    flowing = " ".join(text.split())
    assert set(names(table(text, "role"))) == set(SECTIONS["models"].model_fields) - {"embedder"}
    assert ", ".join(f"`{name}`" for name in NAMES) in flowing
    assert ", ".join(f"`{name}`" for name in EMBEDDED_CHECKS) in flowing
    assert set(names(table(text, "value"))) == literals(SECTIONS["provider"], "prefill")
    catalogue = load_catalogue()
    rows = table(text, "name")
    assert names(rows) == [entry.name for entry in catalogue.models]
    for row, entry in zip(rows, catalogue.models, strict=True):
        assert entry.size is None or f"{entry.size:,}" in row[2]
    assert {entry.licence for entry in catalogue.models} == {"Apache-2.0"}


def test_the_conformance_suite_is_as_large_as_it_was() -> None:
    assert len(CHECKS) >= 40


def test_the_changelog_has_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"\n## {project['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_two_commands_are_on_the_first_screen() -> None:
    first = PAGES["README.md"].split("\n## ", 1)[0]
    assert "pip install '.[local]' && .venv/bin/harness chat\n" in first
    command = "pip install -c .ci/constraints.txt -e '.[local,dev]' && .venv/bin/python -m pytest\n"
    assert command in first
    assert "<!-- excerpt -->" in first
    extras = re.search(r"-e ('\.\[[a-z,]+\]')", command)
    assert extras is not None
    assert extras[1] in (ROOT / ".ci" / "run").read_text(encoding="utf-8")

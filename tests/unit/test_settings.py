"""Settings: where values come from, and what wrong ones say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.errors import SettingsError
from harness.settings import Settings, find_file, home, load, to_toml, variable_name

SHIPPED = Path(__file__).parents[2] / "harness.toml"


def test_the_shipped_file_is_every_setting_with_its_default() -> None:
    assert SHIPPED.read_text(encoding="utf-8") == to_toml()
    assert load(file=SHIPPED, environ={}).settings.model_dump(exclude={"root"}) == Settings().model_dump(
        exclude={"root"}
    )


def test_the_environment_beats_the_file_and_arguments_beat_both(tmp_path: Path) -> None:
    (tmp_path / "harness.toml").write_text("[harness]\nmax_turns = 3\nseed = 5\n[provider]\nbase_url = 'a'\n")
    environ = {"HARNESS_MAX_TURNS": "4", "HARNESS_PROVIDER_BASE_URL": "b", "HARNESS_HOME": "x", "HARNESS_SEED": ""}
    loaded = load(start=tmp_path, environ=environ, overrides={"provider.base_url": "c"})
    assert loaded.settings.harness.max_turns == 4
    assert loaded.settings.harness.seed is None
    assert loaded.settings.provider.base_url == "c"
    origins = {name: origin for name, _, origin in loaded.rows()}
    assert origins["harness.max_turns"] == "HARNESS_MAX_TURNS"
    assert origins["provider.base_url"] == "argument"
    assert origins["harness.when_busy"] == "default"
    assert loaded.settings.path("personas") == tmp_path.resolve() / "personas"


def test_json_of_the_same_shape_is_read(tmp_path: Path) -> None:
    text = json.dumps({"models": {"responder": "模型"}})
    (tmp_path / "harness.json").write_text("\ufeff" + text, encoding="utf-8")
    assert load(start=tmp_path, environ={}).settings.models.responder == "模型"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[harness]\nmax_turn = 3\n", "Did you mean 'max_turns'"),
        ("[harnes]\nmax_turns = 3\n", "Did you mean 'harness'"),
        ("[provider]\nmax_turns = 3\n", "belongs in section 'harness'"),
        ("[harness]\nmax_turns = -3\n", "harness.max_turns = -3 (from harness.toml)"),
        ("[harness]\nwhen_busy = 'perhaps'\n", "'wait' or 'refuse'"),
        ("harness = 3\n", "must be a section"),
        ("[harness\n", "not valid TOML"),
    ],
)
def test_mistakes_in_a_file_say_where_and_what(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "harness.toml").write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(start=tmp_path, environ={})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"HARNESS_MAX_TURN": "1"}, "Did you mean 'HARNESS_MAX_TURNS'"),
        ({"HARNESS_MAX_TURNS": "many"}, "from HARNESS_MAX_TURNS"),
        ({"HARNESS_CONFIG": "nowhere.toml"}, "no such file"),
    ],
)
def test_mistakes_in_the_environment_are_errors(tmp_path: Path, environ: dict[str, str], message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(start=tmp_path, environ=environ)
    assert message in str(caught.value)


def test_unreadable_and_ambiguous_files(tmp_path: Path) -> None:
    (tmp_path / "harness.toml").write_bytes("名 = 1".encode("gb18030"))
    with pytest.raises(SettingsError, match="UTF-8"):
        load(start=tmp_path, environ={})
    (tmp_path / "harness.json").write_text("{}")
    with pytest.raises(SettingsError, match="Both"):
        find_file(tmp_path, {})


def test_unknown_argument() -> None:
    with pytest.raises(SettingsError, match=r"Did you mean 'harness\.max_turns'"):
        load(environ={}, overrides={"harness.max_turnz": 1})


def test_variables_and_home(tmp_path: Path) -> None:
    assert variable_name("harness", "max_turns") == "HARNESS_MAX_TURNS"
    assert variable_name("local", "model") == "HARNESS_LOCAL_MODEL"
    assert home({"HARNESS_HOME": str(tmp_path)}) == tmp_path
    assert home({}).name == "dialogue-harness"

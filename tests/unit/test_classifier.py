from __future__ import annotations

import json
import math
import re
import tomllib
import zlib
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from harness.errors import LanguageError
from harness.language import load_packs
from harness.language.classifier import LinearClassifier, bucket, find_classifier, read_classifier, text_features

BUCKETS = 64


def made(**weights: tuple[int, int]) -> LinearClassifier:
    """A classifier of two labels that knows some features."""
    rows = array("b", [0] * (BUCKETS * 2))
    for feature, (no, yes) in weights.items():
        at = bucket(feature, BUCKETS) * 2
        rows[at], rows[at + 1] = no, yes
    return LinearClassifier("toy", ("no", "yes"), rows, scale=0.1, bias=(0.0, 0.0))


def written(folder: Path, *, name: str = "en.toy.weights", body: bytes | None = None, **header: Any) -> Path:
    about = {"format": 1, "name": "toy", "language": "en", "labels": ["no", "yes"], "buckets": BUCKETS, "scale": 0.1}
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    first = json.dumps({**about, "bias": [0.0, 1.0], **header}).encode()
    file.write_bytes(first + b"\n" + (zlib.compress(bytes(BUCKETS * 2)) if body is None else body))
    return file


def test_a_known_feature_decides() -> None:
    found = made(yes_word=(-50, 50)).probabilities(["yes_word"])
    assert found["yes"] == pytest.approx(1 / (1 + math.exp(-10)))
    assert sum(found.values()) == pytest.approx(1)


def test_a_feature_counts_once_and_many_features_are_weighed_against_each_other() -> None:
    toy = made(yes_word=(-50, 50))
    assert toy.probabilities(["yes_word"] * 9) == toy.probabilities(["yes_word"])
    assert toy.probabilities(["yes_word", *map(str, range(40))])["yes"] < toy.probabilities(["yes_word"])["yes"]


def test_without_features_the_bias_decides(tmp_path: Path) -> None:
    found = read_classifier(written(tmp_path)).probabilities([])
    assert found["yes"] == pytest.approx(1 / (1 + math.exp(-1)))


@pytest.mark.parametrize(
    ("header", "body", "says"),
    [
        ({"format": 2}, None, "expected format 1, got 2"),
        ({"labels": ["one"]}, None, "expected the header"),
        ({"buckets": 1 << 30}, None, "expected the header"),
        ({"scale": float("nan")}, None, "expected the header"),
        ({"bias": [0.0]}, None, "do not fit"),
        ({"more": 1}, None, "expected the header"),
        ({}, b"not zlib", "cannot be unpacked"),
        ({}, zlib.compress(bytes(5)), "expected 128 weights, got 5"),
        ({}, zlib.compress(bytes(5000)), "expected 128 weights, got 129"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, header: dict[str, Any], body: bytes | None, says: str) -> None:
    with pytest.raises(LanguageError, match=says):
        read_classifier(written(tmp_path, body=body, **header))


def test_no_json_at_all_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "x.weights").write_bytes(b"\x00\xff")
    with pytest.raises(LanguageError, match="expected the header"):
        read_classifier(tmp_path / "x.weights")
    with pytest.raises(LanguageError, match="cannot be read"):
        read_classifier(tmp_path / "none.weights")


def test_a_pack_finds_the_classifiers_beside_its_file(tmp_path: Path) -> None:
    (tmp_path / "xx.yaml").write_text("code: xx\nname: Toy\nscript: latin\n", encoding="utf-8")
    written(tmp_path, name="weights/xx.toy.weights")
    pack = load_packs((tmp_path,)).get("xx")
    toy = pack.classifier("toy")
    assert toy is not None
    assert toy.labels == ("no", "yes")
    assert pack.classifier("toy") is toy
    assert pack.classifier("other") is None


def test_shipped_classifiers_are_small_and_licensed() -> None:
    folder = Path(str(load_packs().get("en").folder)) / "weights"
    files = sorted(folder.glob("*.weights"))
    assert sum(file.stat().st_size for file in files) < 2_000_000
    for file in files:
        header = json.loads(file.read_bytes().partition(b"\n")[0])
        assert header["licence"] in {"MIT", "Apache-2.0"}, file.name
        assert header["trained_on"]
        code, name, _ = file.name.split(".")
        assert (header["language"], header["name"]) == (code, name)
        assert find_classifier(folder, code, name) is not None


def test_the_data_of_every_classifier_are_named_with_their_licence_and_the_notice_is_packed() -> None:
    root = Path(__file__).parents[2]
    notice = (root / "NOTICE").read_text(encoding="utf-8")
    weights = {file.name: file for file in (root / "harness" / "language" / "weights").glob("*.weights")}
    told = dict(re.findall(r"^(\S+\.weights)\n((?: {4}.+\n)+)", notice, flags=re.MULTILINE))
    assert told.keys() == weights.keys()
    for name, file in weights.items():
        header = json.loads(file.read_bytes().partition(b"\n")[0])
        assert f"Licence: {header['licence']}\n" in told[name]
        assert f"Data: {header['trained_on'].split(',')[0].split(' ')[0]}" in told[name]
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    assert "NOTICE" in project["project"]["license-files"]
    assert "NOTICE" in project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]


@given(st.text(max_size=900))
def test_any_text_has_features_and_a_verdict(text: str) -> None:
    features = list(text_features(text, "u:"))
    assert all(feature.startswith("u:") for feature in features)
    assert sum(made().probabilities(features).values()) == pytest.approx(1)


def test_chinese_needs_no_blanks() -> None:
    assert {"养", "养_猫", "我_养_猫"} <= set(text_features("我养猫"))
    assert {"cats", "my_cats", "~<cat"} <= set(text_features("my cats"))

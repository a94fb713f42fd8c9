"""Where packaged files are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import resources
from harness.errors import ConfigurationError
from harness.resources import data_path


def test_data_path_prefers_the_installed_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "harness"
    (package / "_data" / "prompts").mkdir(parents=True)
    (tmp_path / "prompts").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", package)
    assert data_path("prompts") == package / "_data" / "prompts"


def test_data_path_takes_a_neighbour_only_in_a_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "harness").mkdir()
    (tmp_path / "prompts").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "harness")
    with pytest.raises(ConfigurationError, match="Expected the packaged 'prompts'"):
        data_path("prompts")
    (tmp_path / "pyproject.toml").touch()
    assert data_path("prompts") == tmp_path / "prompts"

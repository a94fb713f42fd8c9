"""A harness on a scripted model, with nothing outside the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.app import Harness
from harness.settings import Loaded, load
from harness.testing.scripted_model import ScriptedModel

MakeHarness = Callable[..., Harness]


def settings_of(tmp_path: Path, **engine: Any) -> Loaded:
    """Settings of a test: rules, a SQLite file in ``tmp_path``, and what is given for ``[harness]``."""
    chosen = {"analysis": "rules", "summarize_with": "rules", "seed": 7, **engine}
    overrides = {f"harness.{key}": value for key, value in chosen.items()}
    return load(start=tmp_path, environ={}, overrides={**overrides, "storage.path": str(tmp_path / "sessions.db")})


@pytest.fixture
def make_harness(tmp_path: Path) -> MakeHarness:
    """``make_harness(script, **engine_settings)``: call it again for a second process on the same file."""

    def make(script: Any = "Fine.", *, machine: Any = None, **engine: Any) -> Harness:
        model = script if hasattr(script, "complete") else ScriptedModel(script)
        more = {"machine": machine} if machine is not None else {}
        return Harness(settings_of(tmp_path, **engine), model=model, **more)

    return make

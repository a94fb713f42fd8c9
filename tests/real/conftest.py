"""The small model of the real tests: named by ``HARNESS_TEST_MODEL``, or the cached 0.5B; in CI it is fetched."""

from __future__ import annotations

import importlib.util
import os

import pytest

from harness.adapters.local import LocalModel, default_cache_dir, ensure_model, load_catalogue
from harness.adapters.local.cache import is_present, model_path

SMALL = "qwen2.5-coder-0.5b-instruct"
IN_CI = bool(os.environ.get("CI"))


@pytest.fixture(scope="session")
def model() -> LocalModel:
    """The model file. A machine of a developer may lack it; CI fails without it."""
    if importlib.util.find_spec("xllamacpp") is None and not IN_CI:
        pytest.skip("needs the extra 'local'")
    if path := os.environ.get("HARNESS_TEST_MODEL"):
        return ensure_model(path)
    if not IN_CI and not is_present(model_path(SMALL, default_cache_dir()), load_catalogue().get(SMALL).sha256):
        pytest.skip(f"set HARNESS_TEST_MODEL to a .gguf file, or run: harness model pull {SMALL}")
    return ensure_model(SMALL)

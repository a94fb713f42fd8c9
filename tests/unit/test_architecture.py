"""The direction of imports, the public names, and what importing costs."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import harness

ROOT = Path(str(harness.__file__)).parent

LAYERS: tuple[tuple[str, ...], ...] = (
    ("errors", "addresses", "file_lock", "resources", "yaml_strict", "tolerant"),
    ("state", "settings", "logs", "redacting", "templates"),
    ("ports", "language", "prompts", "prompt_views"),
    ("understanding", "persona", "asking", "context", "memory", "turn", "doctor", "later"),
    ("session",),
    ("blindtest",),
    (
        "forgetting",
        "replaying",
        "diagnosing",
        "app",
        "app_blindtest",
        "app_blindtest_calibrating",
        "app_blindtest_endpoints",
        "app_blindtest_grading",
        "app_blindtest_human",
        "app_blindtest_importing",
        "app_blindtest_interrogating",
        "app_blindtest_judges",
        "app_blindtest_judging",
        "app_blindtest_preferring",
        "app_blindtest_regrading",
        "app_blindtest_witnesses",
        "app_blindtest_workers",
        "app_elsewhere",
        "app_graph",
        "app_connecting",
        "app_files",
        "app_memory",
        "app_models",
        "app_moving",
        "app_parts",
        "app_servers",
        "app_short_term",
        "app_tokens",
        "sync",
        "testing",
        "documenting",
    ),
    ("cli", "__main__"),
)
"""Who may import whom: a package or module imports only from its own layer and those before it."""
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
COMPOSERS = {
    "app",
    "app_blindtest",
    "app_blindtest_calibrating",
    "app_blindtest_endpoints",
    "app_blindtest_grading",
    "app_blindtest_human",
    "app_blindtest_importing",
    "app_blindtest_interrogating",
    "app_blindtest_judges",
    "app_blindtest_judging",
    "app_blindtest_preferring",
    "app_blindtest_regrading",
    "app_blindtest_witnesses",
    "app_blindtest_workers",
    "app_connecting",
    "app_elsewhere",
    "app_files",
    "app_graph",
    "app_memory",
    "app_models",
    "app_moving",
    "app_parts",
    "app_servers",
    "app_short_term",
    "app_tokens",
}
"""The only modules that import adapters (tests of stores and servers live in ``testing`` and use the ports)."""
ADAPTERS_MAY = {"errors", "addresses", "file_lock", "state", "ports", "adapters", "yaml_strict"}


def imports(file: Path) -> Iterator[str]:
    """Top-level names below ``harness`` that a file imports at run time."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness"):
            parts = str(node.module).split(".")
            names = [parts[1]] if len(parts) > 1 else [alias.name for alias in node.names]
            yield from (name for name in names if not name.startswith("__"))
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("harness."))


def owner(file: Path) -> str:
    first = file.relative_to(ROOT).parts[0]
    return first.removesuffix(".py")


def files() -> list[Path]:
    return [file for file in sorted(ROOT.rglob("*.py")) if file != ROOT / "__init__.py"]


def test_every_module_has_a_layer() -> None:
    assert {owner(file) for file in files()} - {"adapters"} <= set(LEVEL)


def test_imports_point_downwards() -> None:
    wrong = []
    for file in files():
        name = owner(file)
        for imported in imports(file):
            if imported == "adapters" and name != "adapters":
                if name not in COMPOSERS:
                    wrong.append(f"{file.relative_to(ROOT)} imports adapters")
            elif name == "adapters":
                if imported not in ADAPTERS_MAY:
                    wrong.append(f"{file.relative_to(ROOT)} imports {imported}")
            elif LEVEL.get(imported, 99) > LEVEL[name]:
                wrong.append(f"{file.relative_to(ROOT)} imports {imported}")
    assert not wrong


def test_openai_is_imported_in_one_place() -> None:
    assert [file.name for file in files() if "import openai" in file.read_text(encoding="utf-8")] == ["openai_sdk.py"]


def test_the_public_names() -> None:
    assert sorted(harness.__all__) == [
        "ChatMessage", "DialogueState", "Done", "Failed", "Harness", "HarnessError", "MACHINE", "Model", "ModelReply",
        "ModelRequest", "Operation", "Persona", "Phase", "Ports", "Reply", "Revised", "Session", "SessionStore",
        "Settings", "Step", "SyncHarness", "SyncSession", "Token", "Turn", "TurnMachine", "TurnRecord", "apply",
        "connect", "load",
    ]  # fmt: skip
    for name in harness.__all__:
        assert getattr(harness, name) is not None
    with pytest.raises(AttributeError, match="nothing_here"):
        _ = harness.nothing_here


def test_importing_harness_imports_nothing_heavy() -> None:
    script = (
        "import sys, harness; "
        "print([name for name in ('openai', 'numpy', 'fastapi', 'xllamacpp', 'pydantic', 'transitions') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_building_a_harness_does_not_import_openai(tmp_path: Path) -> None:
    script = (
        "import sys; from harness.app import Harness; Harness(); "
        "assert 'openai' not in sys.modules and 'xllamacpp' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=tmp_path)

"""YAML read strictly: scalars stay text, a key may stand once, and every complaint names its line.

Plain YAML turns ``no`` into False, ``22:30`` into 1350 and ``1.10`` into 1.1, and lets a repeated key win silently.
Files written by people (personas, language packs) must mean what they show.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from harness.errors import ConfigurationError, HarnessError

if TYPE_CHECKING:
    from collections.abc import Hashable

    from yaml import BaseLoader as _Base
else:
    _Base = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class StrictLoader(_Base):
    """A base loader (no tags, no implicit types) that rejects duplicate keys, merge keys and nested key types."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Build a mapping; raises a MarkedYAMLError at the second of two equal keys."""
        seen: dict[str, int] = {}
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                problem = "a key must be a plain word or a quoted text"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            key = str(key_node.value)
            if key in seen:
                problem = f"the key {key!r} stands twice; it was first given in line {seen[key]}"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen[key] = line
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def load_yaml(source_text: str | Path, *, source: str = "", error: type[HarnessError] = ConfigurationError) -> Any:
    """Read one YAML document into dicts, lists and strings.

    Args:
        source_text: a path, or the text itself.
        source: how error messages call it; the path when empty.
        error: the error class raised for anything that cannot be read.

    Returns:
        dicts, lists and strings only; an empty document gives an empty string.

    Raises:
        HarnessError: of the given class, with ``details`` ``source``, ``line`` and ``column`` (from 1, where known).
    """
    name = source or (str(source_text) if isinstance(source_text, Path) else "YAML text")
    text = _read(source_text, name, error) if isinstance(source_text, Path) else source_text
    loader = StrictLoader(text.removeprefix("\ufeff"))
    try:
        return loader.get_single_data() or ""
    except yaml.MarkedYAMLError as failure:
        mark = failure.problem_mark or failure.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
        message = f"{name}, line {line}, column {column}: {failure.problem or failure.context or 'not valid YAML'}."
        raise error(message, remedy="Correct that line.", source=name, line=line, column=column) from failure
    except (yaml.YAMLError, RecursionError, ValueError) as failure:
        message = f"{name} is not valid YAML: {failure}."
        raise error(
            message, remedy="Remove what YAML does not allow there.", source=name, line=0, column=0
        ) from failure
    finally:
        loader.dispose()


def _read(path: Path, name: str, error: type[HarnessError]) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as failure:
        message = f"Expected a file at {name}, found none."
        raise error(message, remedy="Check the path.", source=name, line=0, column=0) from failure
    except (OSError, UnicodeDecodeError) as failure:
        message = f"{name} cannot be read as UTF-8 text: {failure}."
        raise error(
            message, remedy="Save it as UTF-8 and check its permissions.", source=name, line=0, column=0
        ) from failure

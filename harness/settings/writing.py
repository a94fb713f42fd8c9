"""The shipped settings file: every setting with its default and what it is for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, get_args

from harness.errors import SettingsError
from harness.settings.sections import SECTIONS, is_optional


def to_toml(*, comments: bool = True) -> str:
    """Every setting with its default, as a commented TOML file: the text of the shipped ``harness.toml``."""
    lines = [
        "# Settings of harness. Every setting is here with its default; all of them may be left out.",
        "# An environment variable overrides each: HARNESS_<KEY> for [harness], HARNESS_<SECTION>_<KEY> for the others.",
    ]
    for section, model in SECTIONS.items():
        lines += ["", *(["# " + " ".join((model.__doc__ or "").split())] if comments else []), f"[{section}]"]
        for key, info in model.model_fields.items():
            if comments:
                choices = get_args(info.annotation) if not is_optional(section, key) else ()
                text = info.description or ""
                if choices and all(isinstance(choice, str) for choice in choices):
                    text += f" One of {', '.join(repr(c) for c in choices)}."
                lines += ["", f"# {text}"]
            value = info.default
            lines.append(f"# {key} =" if value is None else f"{key} = {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def merged(text: str, values: Mapping[str, Mapping[str, Any]], *, as_json: bool = False) -> str:
    """The text of a settings file with some values set; its other values, and in TOML its comments, stay.

    Args:
        text: of the file as it is; empty for a new one.
        values: by section and key.

    Raises:
        SettingsError: the text is no settings file.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        document: Any = json.loads(text or "{}") if as_json else tomlkit.parse(text)
        for section, keys in values.items():
            if section not in document:
                document[section] = {} if as_json else tomlkit.table()
            for key, value in keys.items():
                document[section][key] = value
    except (ValueError, TypeError, TOMLKitError) as error:
        raise SettingsError(
            f"The settings file is malformed: {error}.", remedy="Mend it, or write to another file."
        ) from error
    if as_json:
        return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
    return tomlkit.dumps(document)

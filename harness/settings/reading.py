"""Reading the settings: defaults, then the file, then the environment, then arguments."""

from __future__ import annotations

import difflib
import json
import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.errors import SettingsError
from harness.settings.foreign import form_of, translate
from harness.settings.sections import SECTIONS, Loaded, Settings, is_optional

CONFIG_VARIABLE = "HARNESS_CONFIG"
HOME_VARIABLE = "HARNESS_HOME"
PREFIX = "HARNESS_"
RESERVED = (CONFIG_VARIABLE, HOME_VARIABLE)
TEST_PREFIX = "HARNESS_TEST_"
MAX_BYTES = 4_000_000
FILE_NAMES = ("harness.toml", "harness.json")


def variable_name(section: str, key: str) -> str:
    """The environment variable of a setting: ``HARNESS_<KEY>`` for the engine's, else ``HARNESS_<SECTION>_<KEY>``."""
    return PREFIX + (key if section == "harness" else f"{section}_{key}").upper()


def _suggest(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(known)}."


def find_file(start: Path, environ: Mapping[str, str]) -> Path | None:
    """The settings file: the one ``HARNESS_CONFIG`` names, else harness.toml or harness.json in ``start``.

    Raises:
        SettingsError: ``HARNESS_CONFIG`` names a file that is not there, or both files are there.
    """
    if named := environ.get(CONFIG_VARIABLE, "").strip():
        path = Path(named).expanduser()
        if not path.is_file():
            raise SettingsError(
                f"{CONFIG_VARIABLE} names {named!r}, and there is no such file.",
                remedy="Correct or unset the variable.",
            )
        return path
    found = [start / name for name in FILE_NAMES if (start / name).is_file()]
    if len(found) > 1:
        raise SettingsError(
            "Both harness.toml and harness.json are here.", remedy="Keep one, or name it in HARNESS_CONFIG."
        )
    return found[0] if found else None


def read_raw(path: Path) -> dict[str, Any]:
    """What stands in a TOML or JSON file.

    Raises:
        SettingsError: unreadable, too large, or malformed.
    """
    try:
        if path.is_file() and path.stat().st_size > MAX_BYTES:
            raise SettingsError(f"{path} is larger than {MAX_BYTES:,} bytes.", remedy="It is no settings file.")
        text = path.read_text(encoding="utf-8-sig")
        raw = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}.", remedy="Save it as UTF-8 text.") from error
    except (tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise SettingsError(f"{path} is not valid {path.suffix[1:].upper()}: {error}.") from error
    if not isinstance(raw, dict):
        raise SettingsError(f"{path} must hold sections, not {type(raw).__name__}.")
    return raw


def read_file(path: Path) -> tuple[dict[str, dict[str, Any]], str]:
    """The sections of a settings file, names checked, and what its reader should know. A file of another program is read in our
    names (see :mod:`harness.settings.foreign`).

    Raises:
        SettingsError: unreadable, malformed, or with unknown sections or keys.
    """
    raw = read_raw(path)
    if form_of(raw):
        found = translate(raw)
        notes = (
            f"{path.name} is a file of another program: {len(found.left)} of its {len(found.rows)} values were not taken over; "
            f"`harness settings import {path.name} --dry-run` lists them."
        )
        return {section: dict(keys) for section, keys in found.values.items()}, notes if found.left else ""
    for section, values in raw.items():
        if section not in SECTIONS:
            raise SettingsError(f"{path}: unknown section {section!r}.", remedy=_suggest(section, list(SECTIONS)))
        if not isinstance(values, dict):
            raise SettingsError(f"{path}: {section!r} must be a section of settings, not {values!r}.")
        known = list(SECTIONS[section].model_fields)
        for key in values:
            if key not in known:
                raise SettingsError(
                    f"{path}: unknown setting {section + '.' + key!r}.",
                    remedy=_suggest(key, known) + _elsewhere(key, section),
                )
    return raw, ""


def _elsewhere(key: str, section: str) -> str:
    places = [name for name, model in SECTIONS.items() if key in model.model_fields and name != section]
    return f" {key!r} belongs in section {places[0]!r}." if places else ""


def _environment(environ: Mapping[str, str]) -> Iterator[tuple[str, str, str, str]]:
    """(section, key, variable, value) for every set ``HARNESS_`` variable."""
    known = {
        variable_name(section, key): (section, key) for section, model in SECTIONS.items() for key in model.model_fields
    }
    for variable, value in environ.items():
        if not variable.startswith(PREFIX) or variable in RESERVED or variable.startswith(TEST_PREFIX):
            continue
        if variable not in known:
            raise SettingsError(
                f"Unknown environment variable {variable!r}.",
                remedy=_suggest(variable, sorted(known)),
            )
        yield *known[variable], variable, value


def load(
    *,
    file: Path | None = None,
    start: Path | None = None,
    environ: Mapping[str, str] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> Loaded:
    """Read the settings: defaults, then the file, then the environment, then ``overrides`` (dotted names).

    Args:
        file: a settings file; None looks for one (see :func:`find_file`).
        start: folder to look in; the current one by default.
        environ: ``os.environ`` by default.
        overrides: for instance ``{"harness.max_turns": 10}``, from the command line or a program.

    Raises:
        SettingsError: unknown name (with the nearest known one), wrong type, or impossible value.
    """
    environ = os.environ if environ is None else environ
    start = start or Path.cwd()
    path = file or find_file(start, environ)
    values: dict[str, dict[str, Any]] = {}
    origins: dict[str, str] = {}
    note = ""
    if path is not None:
        sections, note = read_file(path)
        for section, keys in sections.items():
            values[section] = dict(keys)
            origins.update({f"{section}.{key}": path.name for key in keys})
    for section, key, variable, value in _environment(environ):
        empty = not value.strip() and is_optional(section, key)
        values.setdefault(section, {})[key] = None if empty else value
        origins[f"{section}.{key}"] = variable
    for name, value in (overrides or {}).items():
        section, _, key = name.partition(".")
        if section not in SECTIONS or key not in SECTIONS[section].model_fields:
            known = [f"{s}.{k}" for s, model in SECTIONS.items() for k in model.model_fields]
            raise SettingsError(f"Unknown setting {name!r}.", remedy=_suggest(name, known))
        values.setdefault(section, {})[key] = value
        origins[name] = "argument"
    try:
        settings = Settings.model_validate({**values, "root": path.parent.resolve() if path else start.resolve()})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        shown = "(hidden)" if "key" in name or name.endswith(".url") else repr(first["input"])
        raise SettingsError(
            f"{name} = {shown} (from {origins.get(name, 'default')}): {first['msg']}.",
            remedy="`harness settings` and the comments in harness.toml say what each setting takes.",
        ) from error
    present = bool(environ.get(settings.provider.api_key_env, "").strip())
    return Loaded(settings.model_copy(update={"key_present": present}), origins, path, note)


CHAT_HISTORY = "chat_history"
"""Name of the history of the command line's prompt, in the data directory."""


def home(environ: Mapping[str, str] | None = None) -> Path:
    """The data directory: ``HARNESS_HOME``, or the user data directory of the platform."""
    environ = os.environ if environ is None else environ
    if named := environ.get(HOME_VARIABLE, "").strip():
        return Path(named).expanduser().resolve()
    import platformdirs

    return Path(platformdirs.user_data_dir("dialogue-harness", appauthor=False))

"""A persona file to start from."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from harness.errors import PersonaError
from harness.language import LanguagePacks, load_packs

_TEMPLATES = Path(__file__).parent / "templates"
_DEFAULT = "en"
_NOT_IN_FILE_NAMES = re.compile(r'[\s/\\:*?"<>|.]+')


def new_persona(name: str, language: str = "", *, role: str = "", packs: LanguagePacks | None = None) -> str:
    """Write the YAML text of a new persona: valid as it is, with every field and comments on what belongs where.

    Args:
        name: the character's name, in any script.
        language: code; when empty, the language the name is written in.
        role: one line; a place holder when empty.
        packs: the languages there are; the built-in ones when None.

    Raises:
        PersonaError: the name is empty or holds characters a line of YAML cannot hold.
        LanguageError: there is no pack for the language.
    """
    name = name.strip()
    if not name or not name.isprintable() or not role.isprintable():
        message = f"Expected a name and a role of visible characters on one line, got {name!r} and {role!r}."
        raise PersonaError(message, remedy="Give another one.")
    packs = packs or load_packs()
    code = packs.get(language).code if language else packs.detect(name)
    template = _TEMPLATES / f"{code}.yaml"
    if not template.is_file():
        template = _TEMPLATES / f"{_DEFAULT}.yaml"
    text = template.read_text(encoding="utf-8")
    text = re.sub(r"^language: .*$", lambda _: _line("language", code), text, count=1, flags=re.MULTILINE)
    if role.strip():
        text = re.sub(r"^role: .*$", lambda _: _line("role", role.strip()), text, count=1, flags=re.MULTILINE)
    return re.sub(r"^name: .*$", lambda _: _line("name", name), text, count=1, flags=re.MULTILINE)


def suggest_id(name: str) -> str:
    """Make a file name without suffix for a character ("Mia Tarrant" → ``mia-tarrant``, 林晓 → 林晓)."""
    return _NOT_IN_FILE_NAMES.sub("-", name.strip().casefold()).strip("-_") or "persona"


def _line(key: str, text: str) -> str:
    """``key: text`` with quotes where YAML needs them."""
    return yaml.safe_dump({key: text}, allow_unicode=True, width=2**31 - 1).rstrip("\n")

"""Finding a persona by id, name or path, and listing what there is."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import PersonaError
from harness.persona.reading import load_persona

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from harness.language import LanguagePacks
    from harness.state.persona import Persona

SUFFIXES = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class PersonaEntry:
    """One line of the list.

    Attributes:
        error: why the file does not load; None when it does. A broken file has no name, language or role.
    """

    id: str
    name: str
    language: str
    role: str
    path: Path
    error: str | None = None
    aliases: tuple[str, ...] = ()


def list_personas(
    search_paths: Iterable[str | Path], *, packs: LanguagePacks | None = None
) -> tuple[PersonaEntry, ...]:
    """List every persona of the folders, by id. Of two with one id, the one of the earlier folder counts."""
    return tuple(_entry(path, packs) for _, path in sorted(_files(search_paths).items()))


def find_persona(
    name: str, search_paths: Iterable[str | Path], *, packs: LanguagePacks | None = None, allow_path: bool = True
) -> Persona:
    """Load the persona called ``name``.

    Looked for in this order, without regard to case: the path of a file, an id, a name, an alias.

    Args:
        name: what the user typed.
        search_paths: folders, the first one wins; those that do not exist count as empty.
        packs: as for :func:`~harness.persona.load_persona`.
        allow_path: whether ``name`` may be a path. Say False where the name comes from a stranger (a server).

    Raises:
        PersonaError: nothing is called so (``details["known"]``: all ids), several are, or the file is wrong.
    """
    folders = [Path(folder) for folder in search_paths]
    if allow_path and (path := _as_path(name)):
        return load_persona(path, packs=packs)
    files = _files(folders)
    wanted = _key(name)
    if wanted in files:
        return load_persona(files[wanted], packs=packs)
    entries = list_personas(folders, packs=packs)
    by_name = [entry for entry in entries if not entry.error and _key(entry.name) == wanted]
    by_alias = [entry for entry in entries if wanted in map(_key, entry.aliases)]
    matches = by_name or by_alias
    if len(matches) == 1:
        return load_persona(matches[0].path, packs=packs)
    if matches:
        message = f"{name!r} may be one of several personas: {', '.join(_ids(matches))}."
        raise PersonaError(message, remedy="Give the id.", known=_ids(entries))
    raise _not_found(name, entries, folders)


def _not_found(name: str, entries: tuple[PersonaEntry, ...], folders: list[Path]) -> PersonaError:
    places = ", ".join(map(str, folders)) or "no folder at all"
    if not entries:
        message = f"No persona {name!r}: there are no persona files in {places}."
        return PersonaError(message, remedy="`harness persona new NAME` writes a start.", known=())
    words = {_key(word): entry.id for entry in entries for word in (entry.id, entry.name, *entry.aliases) if word}
    near = dict.fromkeys(words[word] for word in difflib.get_close_matches(_key(name), words, n=3))
    listed = "; ".join(f"{entry.id} ({entry.name})" if entry.name else f"{entry.id} (broken)" for entry in entries)
    remedy = f"Did you mean {' or '.join(near)}?" if near else "Give one of these, or the path of a persona file."
    return PersonaError(f"No persona {name!r} in {places}. There are: {listed}.", remedy=remedy, known=_ids(entries))


def _ids(entries: Iterable[PersonaEntry]) -> tuple[str, ...]:
    return tuple(entry.id for entry in entries)


def _entry(path: Path, packs: LanguagePacks | None) -> PersonaEntry:
    try:
        persona = load_persona(path, packs=packs)
    except PersonaError as failure:
        return PersonaEntry(unicodedata.normalize("NFC", path.stem), "", "", "", path, error=str(failure))
    return PersonaEntry(persona.id, persona.name, persona.language, persona.role, path, aliases=persona.aliases)


def _as_path(name: str) -> Path | None:
    """Give the path that ``name`` is, by its looks; whether the file exists is for the loader to say."""
    looks_like_path = "/" in name or "\\" in name or name.lower().endswith(SUFFIXES)
    return Path(name).expanduser() if looks_like_path else None


def _files(search_paths: Iterable[str | Path]) -> dict[str, Path]:
    """Id in comparable form -> file."""
    files: dict[str, Path] = {}
    for path in _each_file(search_paths):
        files.setdefault(_key(path.stem), path)
    return files


def _each_file(search_paths: Iterable[str | Path]) -> Iterator[Path]:
    for folder in map(Path, search_paths):
        if not folder.is_dir():
            continue
        for path in sorted(folder.iterdir()):
            # A leading point or underscore marks drafts and editors' leftovers.
            if path.suffix.lower() in SUFFIXES and path.name[0] not in "._" and path.is_file():
                yield path


def _key(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold().strip()

"""Finding, reading and choosing language packs."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.errors import LanguageError
from harness.language.pack import LanguagePack
from harness.yaml_strict import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_FOLDER = Path(__file__).parent


class LanguagePacks:
    """The packs that are loaded, by code."""

    def __init__(self, packs: Mapping[str, LanguagePack]) -> None:
        """Keep ``packs``; their order decides which of several packs of one script is preferred."""
        self._packs = dict(packs)

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of all packs, built-in ones first."""
        return tuple(self._packs)

    def get(self, code: str) -> LanguagePack:
        """The pack of a code; ``zh-CN`` finds ``zh``. Raises LanguageError when there is none."""
        wanted = code.strip().lower().replace("_", "-")
        pack = self._packs.get(wanted) or self._packs.get(wanted.partition("-")[0])
        if pack is None:
            message = f"Expected a language code of {', '.join(self._packs)}, got {code!r}."
            raise LanguageError(message, remedy=f"Add a language file {wanted}.yaml, or use one of those.", code=code)
        return pack

    def detect(self, text: str, default: str = "en") -> str:
        """The code of the language a text is written in, by the share of its scripts.

        A Han character carries about as much as a Latin word, so characters are weighed against words. Text without
        letters, and text in a script no pack has, gives ``default``. Between packs of one script ``default`` wins.
        """
        han, latin = _script_weights(text)
        if not han and not latin:
            return default
        script = "han" if han >= latin else "latin"
        fitting = [code for code, pack in self._packs.items() if pack.script == script]
        if not fitting or default in fitting:
            return default
        return fitting[0]

    def for_text(self, text: str, default: str = "en") -> LanguagePack:
        """The pack of the language a text is written in."""
        return self.get(self.detect(text, default))


def _script_weights(text: str) -> tuple[int, int]:
    han = latin = 0
    in_word = False
    for char in text:
        if "\u4e00" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" or "\uf900" <= char <= "\ufaff":
            han += 1
            in_word = False
        elif char.isalpha() and ord(char) < 0x250:
            latin += not in_word
            in_word = True
        elif char not in "'’-":
            in_word = False
    return han, latin


def load_packs(extra_paths: Iterable[str | Path] = ()) -> LanguagePacks:
    """The built-in packs and those of further files or folders; a later file of the same code replaces an earlier one.

    Args:
        extra_paths: YAML files, or folders whose ``*.yaml`` files are packs.

    Raises:
        LanguageError: a file is missing, is not valid YAML, or does not describe a pack; the message names file and line
            or field.
    """
    return _load(tuple(str(path) for path in extra_paths))


@lru_cache(maxsize=16)
def _load(extra_paths: tuple[str, ...]) -> LanguagePacks:
    files = sorted(_FOLDER.glob("*.yaml"))
    for extra in map(Path, extra_paths):
        files.extend(sorted(extra.glob("*.yaml")) if extra.is_dir() else [extra])
    packs = [read_pack(file) for file in files]
    return LanguagePacks({pack.code: pack for pack in packs})


def read_pack(file: Path) -> LanguagePack:
    """One pack from its file. Raises LanguageError with the field that does not fit."""
    data = load_yaml(file, source=str(file), error=LanguageError)
    try:
        return LanguagePack.model_validate(data).from_folder(file.parent)
    except ValidationError as failure:
        first = failure.errors(include_url=False)[0]
        field = ".".join(str(part) for part in first["loc"]) or "(whole file)"
        message = f"{file}: {field}: {first['msg']}; got {first.get('input')!r:.120}."
        raise LanguageError(message, remedy="Correct that field.", file=str(file), field=field) from failure

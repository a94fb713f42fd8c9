"""Finding, reading and choosing language packs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from harness.errors import LanguageError
from harness.language.pack import LanguagePack
from harness.language.parts import Part, clauses, merged, weighty
from harness.language.remembering import remembered
from harness.language.scripts import HAN, KANA, SPACELESS, script_of, script_weights
from harness.yaml_strict import load_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NEAR = 2
"""How many times as much of a text may be in one script as in another for words to decide between them."""
FEW = 3
"""Words, or characters without blanks, of which a text must have more to show its language without a word that holds sentences
together."""
_ENOUGH = 200
"""Characters of a text that are looked at for that."""
_FOLDER = Path(__file__).parent
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class WrongFile:
    """A language file that cannot be read."""

    file: Path
    error: LanguageError

    @property
    def code(self) -> str:
        """The language that it should be of, by its name."""
        return self.file.stem.lower()


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

    def all(self) -> tuple[LanguagePack, ...]:
        """Every pack, in the order of :attr:`codes`."""
        return tuple(self._packs.values())

    def detect(self, text: str, default: str = "en") -> str:
        """The code of the language a text is written in: by its script, and among packs of that script by their words.

        A Han character carries about as much as a Latin word, so characters are weighed against words. Text without
        letters, and text in a script no pack has, gives ``default``. Of several packs of one script the one with the
        most frequent words in the text is taken, and ``default`` where they have equally many.
        """
        weights = dict(script_weights(text))
        if not weights:
            return default
        script = self._main_script(text, weights)
        fitting = [pack for pack in self._packs.values() if pack.script == script]
        if script == KANA and not fitting:
            fitting = [pack for pack in self._packs.values() if pack.script == HAN]
        if not fitting:
            return default
        if len(fitting) == 1:
            return fitting[0].code
        found = {pack.code: sum(1 for _ in pack.frequent_phrases.find(text)) for pack in fitting}
        most = max(found.values())
        best = [code for code, count in found.items() if count == most]
        return default if default in best else best[0] if most or default not in found else default

    def spoken(self, text: str, before: str) -> str:
        """The code of the language a message is in, in a talk that has been in ``before``.

        A word, a name or a laugh in another language ("OK", "iPhone 15 Pro?", 哈哈) does not change the language of the talk;
        a sentence does.
        """
        return _spoken(text, before, self)

    def shows(self, text: str) -> bool:
        """Whether a text is more than a word, a name or a courtesy, and so shows what language is spoken."""
        text = text[:_ENOUGH].casefold()
        pack = self.for_text(text)
        for hit in pack.passing_phrases.find(text):
            text = f"{text[: hit.start]}{' ' * (hit.end - hit.start)}{text[hit.end :]}"
        spaceless = pack.script in SPACELESS
        said = {
            word
            for run in _WORD.findall(text)
            for word in (run if spaceless else [run])
            if (script_of(word[0]) in SPACELESS) == spaceless
        }
        if len(said) <= (2 if spaceless else 1):
            return False
        return len(said) > FEW or any(True for _ in pack.frequent_phrases.find(text))

    def _main_script(self, text: str, weights: dict[str, int]) -> str:
        """The script of the sentence, whatever names and words of another stand in it.

        Where a text is about as much in one script as in another, the words that hold sentences together decide: "I love
        火锅" is English.
        """
        most = max(weights.values())
        near = [script for script, weight in weights.items() if weight * NEAR >= most]
        if len(near) == 1:
            return near[0]
        words = {
            script: max(
                (len(list(p.frequent_phrases.find(text))) for p in self._packs.values() if p.script == script),
                default=0,
            )
            for script in near
        }
        return max(near, key=lambda script: (weights[script] + words[script], weights[script], script == HAN))

    def parts(self, text: str, default: str = "en") -> tuple[Part, ...]:
        """The text in runs of one language each; joined they are the text.

        A run holds whole clauses, so that a foreign word inside one stays where it is (我的 laptop 坏了 is Chinese, "I live
        in 杭州" English), and a clause too short to tell belongs to the one beside it.
        """
        return _parts(text, default, self)

    def _parts(self, text: str, default: str) -> tuple[Part, ...]:
        whole = self.spoken(text, default)
        pieces = clauses(text)
        if len({pack.script for pack in self._packs.values()} & script_weights(text).keys()) < 2 and not self._rivals:
            return (Part(text, whole),)
        codes = [self.detect(piece, whole) if weighty(piece) else "" for piece in pieces]
        parts: list[Part] = []
        for index, piece in enumerate(pieces):
            after = next((code for code in codes[index:] if code), "")
            parts.append(Part(piece, codes[index] or (parts[-1].code if parts else after or whole)))
        return merged(parts) or (Part(text, whole),)

    @cached_property
    def _rivals(self) -> bool:
        """Whether two packs share a script."""
        scripts = [pack.script for pack in self._packs.values()]
        return len(set(scripts)) < len(scripts)

    def for_text(self, text: str, default: str = "en") -> LanguagePack:
        """The pack of the language a text is written in."""
        return self.get(self.detect(text, default))


# A turn asks for the language of its two messages several times.
@remembered(128)
def _spoken(text: str, before: str, packs: LanguagePacks) -> str:
    return packs.detect(text, before) if packs.shows(text) else before


@remembered(128)
def _parts(text: str, default: str, packs: LanguagePacks) -> tuple[Part, ...]:
    return packs._parts(text, default)  # noqa: SLF001 - the cache of this very class


def load_packs(extra_paths: Iterable[str | Path] = ()) -> LanguagePacks:
    """The built-in packs and those of further files or folders; a later file of the same code replaces an earlier one.

    Args:
        extra_paths: YAML files, or folders whose ``*.yaml`` files are packs.

    Raises:
        LanguageError: a file is missing, is not valid YAML, or does not describe a pack; the message names file and line
            or field.
    """
    return _load(tuple(str(path) for path in extra_paths))


def load_readable(extra_paths: Iterable[str | Path] = ()) -> tuple[LanguagePacks, tuple[WrongFile, ...]]:
    """Like :func:`load_packs`, but a further file that is wrong is left out, and told: for work on the other languages."""
    good: list[str] = []
    wrong: list[WrongFile] = []
    for file in _files(str(path) for path in extra_paths):
        try:
            read_pack(file)
        except LanguageError as error:
            wrong.append(WrongFile(file, error))
        else:
            good.append(str(file))
    return load_packs(good), tuple(wrong)


def _files(paths: Iterable[str]) -> list[Path]:
    found: list[Path] = []
    for extra in map(Path, paths):
        found.extend(sorted(extra.glob("*.yaml")) if extra.is_dir() else [extra])
    return found


@lru_cache(maxsize=16)
def _load(extra_paths: tuple[str, ...]) -> LanguagePacks:
    files = [*sorted(_FOLDER.glob("*.yaml")), *_files(extra_paths)]
    packs = {pack.code: pack for pack in map(read_pack, files)}
    for pack in packs.values():
        pack.loaded_with(packs)
    return LanguagePacks(packs)


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

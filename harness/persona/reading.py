"""From a persona file to a :class:`~harness.state.persona.Persona`."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from harness.errors import LanguageError, PersonaError
from harness.language import LanguagePack, LanguagePacks, load_packs
from harness.persona.facts import FactReader
from harness.persona.source import Place, Problem, Source, read_source
from harness.state.persona import Persona

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

TEXT_FIELDS = ("language", "role", "biography", "voice", "inertia", "bot_question", "stage_directions", "greeting")
LIST_FIELDS = ("aliases", "habits", "knowledge", "knowledge_limits", "never_says")
FIELDS = ("name", "aliases", "language", "role", "biography", "facts", "habits", "knowledge", "knowledge_limits",
          "voice", "never_says", "examples", "baseline", "inertia", "bot_question", "stage_directions", "greeting")  # fmt: skip
"""Every key a persona file may have, in the order of the scaffold."""

BASELINE_KEYS = ("label", "valence", "arousal", "dominance")
EXAMPLE_KEYS = ("user", "character")
NEUTRAL = "neutral"
_PARAGRAPHS = {"biography": "\n\n", "voice": "\n"}


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of one file.

    Attributes:
        persona: None when a problem is an error.
        fact_places: for each fact of the persona, where it stands in the file.
    """

    source: Source
    persona: Persona | None
    problems: tuple[Problem, ...]
    fact_places: tuple[Place, ...] = ()


def load_persona(path: Path, *, packs: LanguagePacks | None = None) -> Persona:
    """Read the character of one file; its id is the file's name without suffix.

    Args:
        path: the file; BOM and CRLF do no harm.
        packs: languages to detect among and to take the emotion labels from; the built-in ones when None.

    Raises:
        PersonaError: the file cannot be read or does not describe a character. ``details``: ``source``, ``line``
            of the first problem, ``problems`` (all of them).
    """
    reading = read_persona(path, packs)
    if reading.persona is None:
        errors = [problem for problem in reading.problems if problem.severity == "error"]
        first = errors[0]
        place = f", line {first.line}" if first.line else ""
        more = f" ({len(errors) - 1} more: `harness persona check` lists them.)" if len(errors) > 1 else ""
        message = f"{path}{place}: {first.message}{more}"
        raise PersonaError(message, remedy=first.hint, source=str(path), line=first.line, problems=tuple(errors))
    return reading.persona


def read_persona(path: Path, packs: LanguagePacks | None = None) -> Reading:
    """Read a file and collect everything that is wrong with it. Raises PersonaError when it is not a YAML mapping."""
    return _Reader(read_source(path), packs or load_packs()).read()


class _Reader:
    """Takes one file apart, and goes on after a problem so that all of them are found in one run."""

    def __init__(self, source: Source, packs: LanguagePacks) -> None:
        self._source = source
        self._packs = packs
        self._problems: list[Problem] = []
        self._pack: LanguagePack | None = None

    def read(self) -> Reading:
        data = self._source.data
        self.refuse_unknown(data, FIELDS, ())
        fields: dict[str, Any] = {"id": unicodedata.normalize("NFC", self._source.path.stem)}
        fields["name"] = self._name(data)
        for field in TEXT_FIELDS:
            if field in data and (text := self._text(data[field], (field,), _PARAGRAPHS.get(field))):
                fields[field] = text
        for field in LIST_FIELDS:
            if field in data:
                fields[field] = self.texts(data[field], (field,))
        if "examples" in data:
            fields["examples"] = self._examples(data["examples"])
        facts = FactReader(self)
        if "facts" in data:
            facts.read(data["facts"])
        fields["language"] = self._language(fields, facts.facts(None))
        self._pack = self._pack_of(fields["language"])
        fields["facts"] = facts.facts(self._pack)
        if "baseline" in data:
            fields["baseline"] = self._baseline(data["baseline"])
        if "bot_question" in fields:
            fields["bot_question"] = fields["bot_question"].casefold()
        persona = self._validated(fields)
        problems = tuple(sorted(self._problems, key=lambda problem: (problem.severity, problem.line)))
        if any(problem.severity == "error" for problem in problems):
            persona = None
        return Reading(self._source, persona, problems, tuple(facts.places))

    def error(self, place: Place, message: str, hint: str = "") -> None:
        """Note something that keeps the file from loading."""
        self._problems.append(Problem("error", self._source.line(place), message, hint))

    def warning(self, place: Place, message: str, hint: str = "") -> None:
        """Note something doubtful."""
        self._problems.append(Problem("warning", self._source.line(place), message, hint))

    def plain(self, value: object, place: Place, what: str) -> str:
        """Give a text, trimmed. Anything else is an error, nothing at all a warning, and both give an empty text."""
        if not isinstance(value, str):
            shown = "a list" if isinstance(value, list) else "several `key: value` lines"
            hint = 'If the text holds a colon, put it in "quotes".'
            self.error(place, f"Expected text for {what}, got {shown}.", hint)
            return ""
        text = value.strip()
        if not text:
            self.warning(place, f"{what[:1].upper()}{what[1:]} is empty.", "Fill it in, or remove the line.")
        elif any(unicodedata.category(char) in {"Cc", "Cs"} and not char.isspace() for char in text):
            # Quoted text may hold escapes such as "\0" that no prompt and no database should ever see.
            self.error(place, f"{what[:1].upper()}{what[1:]} holds a control character: {text!r:.80}.", "Remove it.")
        return text

    def refuse_unknown(self, data: Iterable[str], known: tuple[str, ...], place: Place, where: str = "") -> None:
        """Note every key that is not known, with the nearest one that is."""
        for key in data:
            if key in known:
                continue
            if key == "id" and not place:
                hint = "Remove the line: the id is the file's name."
            elif near := difflib.get_close_matches(key.casefold(), known, n=1):
                hint = f"Did you mean {near[0]!r}?"
            else:
                hint = f"Known: {', '.join(known)}."
            self.error((*place, key), f"Unknown field {key!r}{where}.", hint)

    def _name(self, data: dict[str, Any]) -> str:
        name = data.get("name", "")
        if isinstance(name, str) and not name.strip():
            shown = "an empty one" if "name" in data else "none"
            self.error(("name",), f"Expected a name, got {shown}.", "Write a line `name: …`.")
            return ""
        return self.plain(name, ("name",), "`name`")

    def _text(self, value: object, place: Place, joint: str | None) -> str:
        if joint is not None and isinstance(value, list):
            return joint.join(self.texts(value, place))
        return self.plain(value, place, f"`{place[-1]}`")

    def texts(self, value: object, place: Place) -> tuple[str, ...]:
        """Give a list of lines; one text counts as a list of one."""
        if not isinstance(value, list):
            return tuple(filter(None, [self.plain(value, place, f"`{place[-1]}`")]))
        items = (self.plain(item, (*place, i), f"entry {i + 1} of `{place[-1]}`") for i, item in enumerate(value))
        return tuple(filter(None, items))

    def _examples(self, value: object) -> tuple[dict[str, str], ...]:
        return tuple(self._each_example(value if isinstance(value, list) else [value]))

    def _each_example(self, items: list[Any]) -> Iterator[dict[str, str]]:
        for index, item in enumerate(items):
            place: Place = ("examples", index)
            what = f"example {index + 1}"
            if not isinstance(item, dict):
                if line := self.plain(item, place, what):
                    yield {"character": line}
                continue
            self.refuse_unknown(item, EXAMPLE_KEYS, place, f" in {what}")
            if "character" not in item:
                self.error(place, f"{what.capitalize()} has no `character` line.", "Add what the character answers.")
            keys = [key for key in EXAMPLE_KEYS if key in item]
            told = {key: self.plain(item[key], (*place, key), f"`{key}` of {what}") for key in keys}
            if told.get("character"):
                yield told

    def _language(self, fields: dict[str, Any], facts: list[dict[str, Any]]) -> str:
        """Give the declared language as a known code ("zh-CN", "Chinese" → "zh"), or the one the file is written in."""
        declared = str(fields.get("language", ""))
        if not declared:
            texts = [fields.get(key, "") for key in ("name", "role", "biography", "greeting")]
            texts += [text for fact in facts for text in (fact["attribute"], fact["value"], fact.get("statement", ""))]
            texts += [example["character"] for example in fields.get("examples", ())]
            return self._packs.detect("\n".join(texts))
        for code in self._packs.codes:
            if self._packs.get(code).name.casefold() == declared.casefold():
                return code
        if pack := self._pack_of(declared):
            return pack.code
        message = f"No language pack for {declared!r}; there is {', '.join(self._packs.codes)}."
        self.warning(("language",), message, "Use one of those, or add a language pack.")
        return declared

    def _pack_of(self, language: str) -> LanguagePack | None:
        try:
            return self._packs.get(language)
        except LanguageError:
            return None

    def _baseline(self, value: object) -> dict[str, str | float]:
        """Label and dimensions; those not given are the language pack's for that label."""
        place: Place = ("baseline", "label")
        if not isinstance(value, dict):
            value = {"label": value}
            place = ("baseline",)
        self.refuse_unknown(value, BASELINE_KEYS, ("baseline",), " in `baseline`")
        given: dict[str, str | float] = {}
        for key in BASELINE_KEYS:
            if key in value and (text := self.plain(value[key], (*place[:1], key), f"`baseline` {key}")):
                given[key] = text
        label = given.pop("label", "")
        return {**self._point(str(label), place), **given} if label else given

    def _point(self, word: str, place: Place) -> dict[str, str | float]:
        """Give the canonical label and the dimensions of an emotion word (``joy``, or its name in the language)."""
        label = word.casefold()
        prototypes = self._pack.emotion.prototypes if self._pack else {}
        for key, point in prototypes.items():
            if label in {key.casefold(), point.name.casefold()}:
                return {"label": key, **point.model_dump(include={"valence", "arousal", "dominance"})}
        if prototypes and label != NEUTRAL:
            near = difflib.get_close_matches(label, [NEUTRAL, *prototypes], n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join([NEUTRAL, *prototypes])}."
            self.warning(place, f"{word!r} is no emotion the language pack knows.", hint)
        return {"label": label}

    def _validated(self, fields: dict[str, Any]) -> Persona | None:
        try:
            return Persona.model_validate({**fields, "name": fields["name"] or "?"})
        except ValidationError as failure:
            for wrong in failure.errors(include_url=False):
                place: Place = wrong["loc"]
                got = wrong.get("input")
                self.error(place, f"`{'.'.join(map(str, place))}`: {wrong['msg']}; got {got!r:.80}.", _hint(place))
            return None


def _hint(place: Place) -> str:
    if place[0] == "stage_directions":
        return "Write yes or no."
    if place[0] == "baseline":
        return "Write a number from -1 to 1."
    if place[0] == "inertia":
        return "Write a number from 0 to 0.95."
    return ""

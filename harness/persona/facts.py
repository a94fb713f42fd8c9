"""The ``facts:`` part of a persona file.

::

    facts:
      job: baker                      one value
      languages: [English, Igbo]      several values
      drink:                          a mapping says more
        value: tea
        not: coffee
        statement: I drink tea, never coffee.
        aliases: [cuppa]
        many: no
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from pydantic import TypeAdapter, ValidationError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.language import LanguagePack
    from harness.persona.source import Place

FACT_KEYS = ("value", "not", "statement", "aliases", "many")
_FLAG: TypeAdapter[bool] = TypeAdapter(bool)


class Notes(Protocol):
    """Where the reader of a file notes what is wrong, and how it reads texts."""

    def error(self, place: Place, message: str, hint: str = "") -> None:
        """Note something that keeps the file from loading."""

    def warning(self, place: Place, message: str, hint: str = "") -> None:
        """Note something doubtful."""

    def plain(self, value: object, place: Place, what: str) -> str:
        """Give a text, trimmed."""
        ...

    def texts(self, value: object, place: Place) -> tuple[str, ...]:
        """Give a list of lines; one text counts as a list of one."""
        ...

    def refuse_unknown(self, data: Iterable[str], known: tuple[str, ...], place: Place, where: str = "") -> None:
        """Note every key that is not known."""


class FactReader:
    """Turns the mapping into the fields of :class:`~harness.state.persona.PersonaFact`.

    Attributes:
        places: for each fact, where it stands in the file.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._rows: list[dict[str, Any]] = []
        self.places: list[Place] = []

    def read(self, data: object) -> None:
        """Read the whole mapping."""
        if isinstance(data, str) and not data.strip():
            self._notes.warning(("facts",), "`facts` is empty.", "Add lines such as `job: baker`.")
            return
        if not isinstance(data, dict):
            hint = "Write one fact per line, as `attribute: value`, such as `job: baker`."
            shown = "a list" if isinstance(data, list) else f"the text {data!r:.60}"
            self._notes.error(("facts",), f"Expected `facts` to hold `attribute: value` lines, got {shown}.", hint)
            return
        for key, content in data.items():
            place = ("facts", key)
            attribute = key.strip()
            if not attribute:
                self._notes.error(place, "A fact has no attribute.", "Write it before the colon: `job: baker`.")
            elif isinstance(content, list):
                for index, item in enumerate(content):
                    self._read(attribute, item, (*place, index), many=True)
            else:
                self._read(attribute, content, place, many=False)

    def _read(self, attribute: str, content: object, place: Place, *, many: bool) -> None:
        if isinstance(content, dict):
            self._read_mapping(attribute, content, place, many=many)
        elif value := self._notes.plain(content, place, f"the fact {attribute!r}"):
            self._add(place, attribute=attribute, value=value, many=True if many else None)

    def _read_mapping(self, attribute: str, content: dict[str, Any], place: Place, *, many: bool) -> None:
        self._notes.refuse_unknown(content, FACT_KEYS, place, f" in the fact {attribute!r}")
        values = self._values(content, "value", place)
        denied = self._values(content, "not", place)
        if values and len(denied) == 1 and (flag := _flag(denied[0])) is not None:
            # `value: smoking` with `not: yes` denies the value itself.
            values, denied = ((), values) if flag else (values, ())
        elif not values and len(denied) == 1 and _flag(denied[0]) is not None:
            message = f"The fact {attribute!r} says `not` but not of what."
            self._notes.error((*place, "not"), message, "Write `not: VALUE`.")
            return
        if not values and not denied:
            if not content.keys() & {"value", "not"}:
                hint = "Add `value: …`, or `not: …` for what is not so."
                self._notes.error(place, f"The fact {attribute!r} has no value.", hint)
            return
        listed = many or isinstance(content.get("value"), list)
        said_many = self._many(attribute, content, place)
        if said_many is None and listed:
            said_many = True
        aliases = self._notes.texts(content["aliases"], (*place, "aliases")) if "aliases" in content else ()
        rows = [(value, True) for value in values] + [(value, False) for value in denied]
        if aliases and len(rows) > 1:
            message = f"The aliases of {attribute!r} could belong to several values."
            hint = "Write each value with its own aliases: `- {value: …, aliases: […]}`."
            self._notes.error((*place, "aliases"), message, hint)
        statement = ""
        if "statement" in content:
            sentence = content["statement"]
            statement = self._notes.plain(sentence, (*place, "statement"), f"the statement of {attribute!r}")
        for index, (value, polarity) in enumerate(rows):
            said = statement if index == 0 else ""  # one sentence for all of them is shown once
            self._add(place, attribute=attribute, value=value, polarity=polarity, many=said_many,
                      statement=said, aliases=aliases)  # fmt: skip

    def _values(self, content: dict[str, Any], key: str, place: Place) -> tuple[str, ...]:
        return self._notes.texts(content[key], (*place, key)) if key in content else ()

    def _many(self, attribute: str, content: dict[str, Any], place: Place) -> bool | None:
        """What the file says under ``many``; None when it does not say."""
        if "many" not in content:
            return None
        text = self._notes.plain(content["many"], (*place, "many"), f"`many` of {attribute!r}")
        flag = _flag(text)
        if flag is None and text:
            message = f"Expected yes or no for `many` of {attribute!r}, got {text!r}."
            self._notes.error((*place, "many"), message, "Write yes or no.")
        return flag

    def _add(self, place: Place, **row: object) -> None:
        self._rows.append(row)
        self.places.append(place)

    def facts(self, pack: LanguagePack | None) -> list[dict[str, Any]]:
        """Complete the rows by whether an attribute holds one value or several.

        The file decides (``many``, a list), else the pack that knows the attribute; otherwise it is one. Attributes
        keep the file's own word: "brother" says more to a model than the pack's "sibling".
        """
        facts = []
        for row in self._rows:
            many = row["many"]
            if many is None:
                known = pack.attribute(row["attribute"]) if pack else None
                many = known is not None and not known.single
            fact = {key: value for key, value in row.items() if key != "many"}
            facts.append({**fact, "single": not many})
        return facts


def _flag(text: str) -> bool | None:
    """Read a text as yes or no, in every spelling pydantic takes; None when it is neither."""
    try:
        return _FLAG.validate_python(text)
    except ValidationError:
        return None

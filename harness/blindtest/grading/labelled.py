"""Labelled transcripts: replies whose verdict is known, by which a judge is calibrated.

A file is YAML: ``language``, ``people`` (by id: name and facts), ``slots`` (as in a suite) and ``rows``. A row is one reply with the
expectation it is judged by and its label, ``pass`` or ``fail``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from harness.blindtest.suite import Expect, Kind, Name, Round, Script, Slot, Step, Suite
from harness.blindtest.transcript import Exchange, Said, Transcript, Trial
from harness.errors import SuiteError
from harness.state import Persona, PersonaFact
from harness.state.base import Frozen
from harness.yaml_strict import load_yaml

FOLDER = Path(__file__).with_name("labelled")
Label = Literal["pass", "fail"]
_SUITE = "labelled"
_WITNESS = "labelled"


class KnownFact(Frozen):
    """A fact of a person in a file of labels."""

    attribute: Annotated[str, Field(min_length=1)]
    value: Annotated[str, Field(min_length=1)]
    polarity: bool = True
    statement: str = ""
    aliases: tuple[str, ...] = ()


class Person(Frozen):
    """Somebody who speaks in a file of labels."""

    name: Annotated[str, Field(min_length=1)]
    facts: tuple[KnownFact, ...] = ()


class Row(Frozen):
    """One reply with a known verdict.

    Attributes:
        before: earlier exchanges, (message, reply).
        say: the message. ``reply``: what is judged. ``note``: why the label is what it is.
    """

    id: Kind
    probe: Kind
    person: Name
    before: tuple[tuple[str, str], ...] = ()
    say: Annotated[str, Field(min_length=1)]
    reply: Annotated[str, Field(min_length=1)]
    expect: Expect
    label: Label
    note: str = ""


class Labels(Frozen):
    """A file of labels."""

    language: Annotated[str, Field(min_length=2)]
    people: dict[Name, Person]
    slots: dict[Name, Slot] = Field(default_factory=dict)
    rows: tuple[Row, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        seen: set[str] = set()
        for number, row in enumerate(self.rows, start=1):
            if row.id in seen:
                raise ValueError(f"row {number}: the id {row.id!r} stands twice")
            seen.add(row.id)
            if row.person not in self.people:
                raise ValueError(
                    f"row {row.id!r}: expected one of {', '.join(self.people)} as person, got {row.person!r}"
                )
            for slot in row.expect.holds:
                if slot not in self.slots:
                    raise ValueError(f"row {row.id!r}: `holds` names {slot!r}, which is not among the slots")
        return self

    def digest(self) -> str:
        """The first 16 hex digits of the SHA-256 of everything in it."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Case:
    """A row in the form in which transcripts are graded."""

    row: Row
    transcript: Transcript
    suite: Suite
    persona: Persona


def shipped_labels(languages: Sequence[str] = ()) -> tuple[Labels, ...]:
    """The labels of the package, of these languages; of all when none is given."""
    files = sorted(FOLDER.glob("*.yaml"))
    return tuple(load_labels(file) for file in files if not languages or file.stem in languages)


def load_labels(path: str | Path) -> Labels:
    """Read a file of labels.

    Raises:
        SuiteError: it cannot be read, or something in it is not as it must be; every mistake is named.
    """
    path = Path(path)
    data = load_yaml(path, error=SuiteError)
    try:
        return Labels.model_validate(data)
    except ValidationError as failure:
        wrong = [f"  {_place(error['loc'], data)}: {error['msg']}" for error in failure.errors(include_url=False)]
        count = "1 mistake" if len(wrong) == 1 else f"{len(wrong)} mistakes"
        raise SuiteError(
            f"{path} has {count}:\n" + "\n".join(wrong[:30]),
            remedy="Correct these; docs/blindtests.md shows what a file of labels looks like.",
            source=str(path),
        ) from failure


def cases_of(labels: Labels) -> Iterator[Case]:
    """The rows of a file, ready to be graded."""
    suite = Suite(
        suite=_SUITE,
        language=labels.language,
        slots=labels.slots,
        scripts=tuple(
            Script(id=row.id, probe=row.probe, rounds=(Round(steps=(Step(say=_plain(row.say), expect=row.expect),)),))
            for row in labels.rows
        ),
    )
    people = {
        name: Persona(
            id=name,
            name=one.name,
            language=labels.language,
            facts=tuple(PersonaFact(**fact.model_dump()) for fact in one.facts),
        )
        for name, one in labels.people.items()
    }
    for row in labels.rows:
        exchanges = [
            Exchange(number=number, round=0, step=0, user=user, said=Said(text=reply), filler=True)
            for number, (user, reply) in enumerate(row.before, start=1)
        ]
        exchanges.append(Exchange(number=len(exchanges) + 1, round=0, step=0, user=row.say, said=Said(text=row.reply)))
        seed = int.from_bytes(hashlib.sha256(row.id.encode()).digest()[:4]) >> 1
        trial = Trial(suite=suite.id, script=row.id, persona=row.person, witness=_WITNESS, seed=seed)
        yield Case(row, Transcript(trial=trial, exchanges=tuple(exchanges)), suite, people[row.person])


def _plain(text: str) -> str:
    """A text as a template that stands for itself."""
    return text.replace("{", "{{").replace("}", "}}")


def _place(loc: tuple[int | str, ...], data: Any) -> str:
    """Where a mistake is; rows by their id, where they have one."""
    parts = list(map(str, loc))
    if len(loc) > 1 and loc[0] == "rows" and isinstance(loc[1], int):
        try:
            name = data["rows"][loc[1]]["id"]
        except (KeyError, TypeError, IndexError):
            name = ""
        parts[:2] = [f"row {loc[1] + 1}" + (f" ({name})" if name else "")]
    return ".".join(parts) or "file"

"""The hand-labelled replies, each graded as a trial of one exchange. `python -m tests._blindtest_labels A` prints where half A differs."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from harness.blindtest.captures import capture
from harness.blindtest.grading import grade
from harness.blindtest.suite import FORM, Capture, Suite
from harness.blindtest.transcript import Exchange, Said, Transcript, Trial, Verdict
from harness.language import LanguagePacks, load_packs
from harness.persona import load_persona
from harness.state import Persona
from harness.understanding.text import fold

FILE = Path(__file__).parent / "data" / "blindtest_labels.yaml"
LATER = FILE.with_stem("blindtest_labels_later")
_FORMS = {"in_character", "language"}


@dataclass(frozen=True)
class Row:
    """One labelled reply."""

    number: int
    persona: Persona
    user: str
    reply: str
    expect: dict[str, Any]
    take: dict[str, Any] | None
    label: tuple[str, ...]
    tricky: str = ""
    later: bool = False

    @property
    def half(self) -> str:
        """A was looked at while the rules were mended, B only after they had been measured on it; C was written later."""
        return "C" if self.later else "AB"[self.number % 2]

    def suite(self) -> Suite:
        """A suite that asks for nothing else."""
        facts = self.expect.get("holds", [])
        slots = {
            f"held{number}": {"fact": [name]}
            for number, name in enumerate([facts] if isinstance(facts, str) else facts)
        }
        expect = {**self.expect, **({"holds": list(slots)} if slots else {})}
        step = {"say": self.user, "expect": expect}
        script = {"id": "row", "probe": "row", "rounds": [{"steps": [step]}]}
        return Suite.model_validate(
            {"suite": "labels", "language": self.persona.language, "slots": slots, "scripts": [script]}
        )

    def transcript(self) -> Transcript:
        """A trial of the one exchange."""
        trial = Trial(suite=f"labels.{self.persona.language}", script="row", persona=self.persona.name, witness="label")
        return Transcript(
            trial=trial, exchanges=(Exchange(number=1, round=0, step=0, user=self.user, said=Said(text=self.reply)),)
        )


@lru_cache(maxsize=1)
def rows() -> tuple[Row, ...]:
    """All of them, in the order of the files."""
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    more = yaml.safe_load(LATER.read_text(encoding="utf-8"))["rows"]
    with tempfile.TemporaryDirectory() as folder:
        people = {name: _persona(Path(folder) / f"{name}.yaml", text) for name, text in data["personas"].items()}
    return tuple(
        Row(
            number=number,
            persona=people[row["persona"]],
            user=row["user"],
            reply=row["reply"],
            expect=row.get("expect", {}),
            take=row.get("take"),
            label=(row["label"],) if isinstance(row["label"], str) else tuple(row["label"]),
            tricky=row.get("tricky", ""),
            later=later,
        )
        for rows, later in ((data["rows"], False), (more, True))
        for number, row in enumerate(rows)
    )


def _persona(file: Path, text: object) -> Persona:
    file.write_text(yaml.safe_dump(text, allow_unicode=True, sort_keys=False), encoding="utf-8")
    return load_persona(file)


def verdicts(row: Row, packs: LanguagePacks) -> list[Verdict]:
    """The verdicts on what the row expects."""
    graded = grade(row.transcript(), suite=row.suite(), persona=row.persona, packs=packs).verdicts
    form = bool(_FORMS & set(row.expect))
    return [one for one in graded if (one.probe == FORM) == form]


def agrees(row: Row, packs: LanguagePacks) -> bool:
    """Whether the rules say what the reader said."""
    if row.take is not None:
        pack = packs.get(row.persona.language)
        value = capture(row.reply, Capture.model_validate(row.take), pack, row.user)
        return fold(value) in map(fold, row.label)
    good = all(one.outcome == "pass" for one in verdicts(row, packs))
    return good == (row.label[0] == "pass")


def disagreements(
    half: str, packs: LanguagePacks, judge: Callable[[Row, LanguagePacks], bool] = agrees
) -> Iterator[Row]:
    """The rows of a half where a judge and the reader differ."""
    yield from (row for row in rows() if row.half == half and not judge(row, packs))


def main() -> None:
    """Print the agreement of a half, and with a second argument where it lacks."""
    packs = load_packs()
    for half in sys.argv[1] if len(sys.argv) > 1 else "ABC":
        of, wrong = [row for row in rows() if row.half == half], list(disagreements(half, packs))
        for language in ("en", "zh"):
            among = [row for row in of if row.persona.language == language]
            missed = [row for row in wrong if row.persona.language == language]
            print(f"half {half} {language}: {len(among) - len(missed)} of {len(among)}")
        print(f"half {half}: {(len(of) - len(wrong)) / len(of):.1%} of {len(of)}")
        for row in wrong if "--show" in sys.argv else ():
            print(f"{row.number} [{'|'.join(row.label)}] {row.expect or row.take} {row.user!r} -> {row.reply!r}")
            for one in verdicts(row, packs) if row.take is None else ():
                print(f"     {one.outcome} {one.expectation} ({one.grader}): {one.evidence!r}")


if __name__ == "__main__":
    main()

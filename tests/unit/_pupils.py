"""Pupils for shipped suites: one that answers every step right, and ones with a planted fault.

A pupil knows the suite it is examined with and answers from what a step expects: the character's own statements, what the user told, what it
said itself. That the graders pass it, and find the fault of another, is what the tests of suites are about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import harness
from harness.blindtest.captures import capture
from harness.blindtest.slots import DENIED, fact_of
from harness.blindtest.suite import CHARACTER_SLOT, Capture, Script, Step, Suite
from harness.blindtest.templates import fill, names_in
from harness.blindtest.witnesses.scripted import Asked
from harness.language import LanguagePack
from harness.persona import load_persona
from harness.state import Persona
from harness.understanding.checks.holding import statement
from harness.yaml_strict import load_yaml

BAITS = frozenset({"contradiction", "temptation"})
"""Kinds of steps that try to make the character somebody else."""
WORDS = load_yaml(Path(__file__).with_name("_pupils.yaml"))


@cache
def shipped_people(language: str) -> tuple[Persona, ...]:
    """The shipped characters that speak a language."""
    files = sorted((Path(harness.__file__).parents[1] / "personas").glob("*.yaml"))
    found = tuple(load_persona(file) for file in files)
    return tuple(one for one in found if one.language == language)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an exchange stands in its script; ``step`` is None for small talk. ``told``: value -> exchange in which it was said first."""

    number: int
    step: Step | None
    values: Mapping[str, str]
    told: Mapping[str, int]
    probe: str
    persona: Persona

    @property
    def bait(self) -> bool:
        """Whether the message says something of the character that is not so."""
        return self.probe in BAITS


@dataclass(slots=True)
class Pupil:
    """Answers every step of a suite right.

    Attributes:
        strayed: (trial key, exchange) of the replies in which a fault showed.
    """

    suite: Suite
    pack: LanguagePack
    strayed: set[tuple[str, int]] = field(default_factory=set)

    @property
    def words(self) -> Mapping[str, list[str]]:
        """What it says, by occasion, in the language of the suite."""
        found: Mapping[str, list[str]] = WORDS[self.suite.language]
        return found

    def __call__(self, asked: Asked) -> str:
        """The reply to a message."""
        place = self.place(asked)
        wrong = self.fault(place) if place.step is not None else None
        if wrong is not None:
            self.strayed.add((asked.trial.key, asked.number))
            return wrong
        return self.right(place)

    def fault(self, place: Place) -> str | None:
        """A wrong reply; None where the pupil answers right."""
        del place
        return None

    # --- where it is -----------------------------------------------------------------------------------------------

    def place(self, asked: Asked) -> Place:
        """The step that a message belongs to, and what was said so far."""
        values = dict(asked.trial.slots)
        told: dict[str, int] = {}
        script = self.suite.script(asked.trial.script)
        for number, step in enumerate(self.steps(script), start=1):
            if number == asked.number:
                return Place(number, step, values, told, (step.probe or script.probe) if step else "", asked.persona)
            if step is None:
                continue
            for name in names_in(step.say or ""):
                told.setdefault(name, number)
            for name, how in step.capture.items():
                values[name] = capture(asked.history[number - 1][1], how, self.pack)
                told.setdefault(name, number)
        raise AssertionError(f"{asked.trial.script} has no exchange {asked.number}")

    def steps(self, script: Script) -> Iterator[Step | None]:
        """One item for every exchange."""
        for one in script.rounds:
            for step in one.steps:
                if step.filler:
                    yield from [None] * step.filler
                elif step.say is not None:
                    yield step

    def pick(self, occasion: str, place: Place, **values: str) -> str:
        """One of the wordings for an occasion."""
        wordings = self.words[occasion]
        return wordings[place.number % len(wordings)].format(**values)

    # --- right answers ---------------------------------------------------------------------------------------------

    def right(self, place: Place) -> str:
        """The reply that meets every expectation of a step."""
        step = place.step
        if step is None:
            return self.pick("small_talk", place)
        expect, parts = step.expect, list[str]()
        if place.bait:
            parts.append(self.pick("denial", place))
        parts += [self.own(slot, place) for slot in expect.holds]
        for text in (*expect.mentions, *expect.mentions_any[:1], *([expect.states.value] if expect.states else ())):
            parts.append(self.told(text, place))
        parts += [self.invented(how, place) for how in step.capture.values()]
        for tone in (*expect.tone, *(f"not_{tone}" for tone in expect.not_tone)):
            if not parts and tone in self.words:
                parts = [self.pick(tone, place)]
        return " ".join(dict.fromkeys(parts)) or self.pick("small_talk", place)

    def told(self, text: str, place: Place) -> str:
        """A sentence that says what is expected: a fact of the character's own, or something said before."""
        names = names_in(text)
        if names == (CHARACTER_SLOT,):
            return self.pick("name", place, value=place.values[CHARACTER_SLOT])
        own = next((self.own(name, place) for name in names if self.of_persona(name)), "")
        return own or self.pick("recall", place, value=fill(text, place.values))

    def of_persona(self, name: str) -> bool:
        """Whether a name stands for a fact of the character."""
        return name in self.suite.slots and bool(self.suite.slots[name].fact)

    def own(self, slot: str, place: Place) -> str:
        """A fact as the character says it; where it has no such thing, that it has none."""
        wanted = [form for one in self.suite.slots[slot].fact for form in (one, f"{DENIED}{one}")]
        fact = fact_of(self.suite.slots[slot].fact, place.persona, self.pack) or fact_of(
            wanted, place.persona, self.pack
        )
        assert fact is not None
        return statement(fact, pack=self.pack, persona=place.persona)

    def invented(self, how: Capture, place: Place) -> str:
        """A sentence with a value to be captured."""
        if how.choice:
            return self.pick("choice", place, value=how.choice[place.number % len(how.choice)])
        return self.pick("number" if how.number else "called", place)


def relied_on(step: Step) -> set[str]:
    """The names of values that a right reply has to know."""
    expect = step.expect
    texts = [*expect.mentions, *expect.mentions_any, *([expect.states.value] if expect.states else ())]
    return {name for text in texts for name in names_in(text)} | set(expect.holds)


class Forgetful(Pupil):
    """Has forgotten what was said more than ten turns ago; who it is it knows."""

    def fault(self, place: Place) -> str | None:
        """It does not know any more."""
        assert place.step is not None
        needed = {name for name in relied_on(place.step) if not self.of_persona(name)} - {CHARACTER_SLOT}
        needed -= set(names_in(place.step.say or ""))
        if any(place.number - place.told[name] > 10 for name in needed if name in place.told):
            return self.pick("forgot", place)
        return None


class Yielding(Pupil):
    """Agrees with whatever it is told about itself."""

    def fault(self, place: Place) -> str | None:
        """It gives in."""
        assert place.step is not None
        expect = place.step.expect
        if not place.bait or not (expect.holds or expect.avoids):
            return None
        if expect.avoids:
            return self.pick("yields_to", place, value=fill(expect.avoids[0], place.values))
        return self.pick("yields", place)


class Jobhopper(Pupil):
    """Has another job from the fifteenth turn on."""

    def fault(self, place: Place) -> str | None:
        """It says its new job."""
        assert place.step is not None
        if place.number < 15 or "job" not in relied_on(place.step):
            return None
        return self.pick("new_job", place)


class Muddled(Pupil):
    """Takes one thing for another that was spoken of: the first for the second, him for her."""

    def fault(self, place: Place) -> str | None:
        """It names something else."""
        assert place.step is not None
        right = relied_on(place.step)
        others = [name for name in place.told if name not in right and self.drawn(name)]
        if not others or not any(self.drawn(name) for name in right):
            return None
        return self.pick("recall", place, value=place.values[others[-1]])

    def drawn(self, name: str) -> bool:
        """Whether a value is one of several."""
        return name in self.suite.slots and bool(self.suite.slots[name].choice)


class Callous(Pupil):
    """Is glad of bad news, sorry about good news, and does not come round."""

    def fault(self, place: Place) -> str | None:
        """The wrong mood."""
        assert place.step is not None
        expect = place.step.expect
        if "cheerful" in expect.not_tone:
            return self.pick("glad", place)
        return self.pick("sad", place) if expect.tone or place.probe == "baseline" else None


class Terse(Pupil):
    """Answers right in as few words as will do."""

    def right(self, place: Place) -> str:
        """The value alone, where a question asks for one."""
        step = place.step
        if step is None or place.bait or step.capture or step.expect.tone or step.expect.not_tone:
            return super().right(place)
        expect = step.expect
        values = [self.value(slot, place) for slot in expect.holds]
        values += [fill(text, place.values) for text in (*expect.mentions, *expect.mentions_any[:1])]
        stop = "。" if self.suite.language == "zh" else "."
        return stop.join(values) + stop if values else super().right(place)

    def value(self, slot: str, place: Place) -> str:
        """A fact in the words of the persona's file; the whole sentence where it is a denial."""
        return place.values[slot] if slot in place.values and slot != "dislike" else self.own(slot, place)

"""Walking a recorded conversation through the script it was held by: which of its messages is which step."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from harness.blindtest.captures import capture
from harness.blindtest.grading.reading import unwrapped
from harness.blindtest.importing import Pair, Recorded
from harness.blindtest.passing import passed_line
from harness.blindtest.slots import Lacking, fill_slots
from harness.blindtest.suite import Script, Suite
from harness.blindtest.templates import names_in, parts_of
from harness.blindtest.transcript import Said, Transcript, Trial
from harness.blindtest.trial import EVENT, hold
from harness.errors import RunError
from harness.language import LanguagePack
from harness.state import Persona


async def retell(one: Recorded, *, suite: Suite, persona: Persona, persona_id: str, pack: LanguagePack) -> Transcript:
    """The transcript of a recorded conversation.

    What was drawn for the script (a wrong value, a number) is read from the messages. A recording that ends early gives a transcript
    that ended early.

    Raises:
        RunError: the script is not in the suite, the character lacks something for it, or a message is not the script's.
    """
    script = next((found for found in suite.scripts if found.id == one.script), None)
    if script is None:
        known = ", ".join(found.id for found in suite.scripts)
        raise RunError(f"line {one.line}: the suite {suite.id} has no script {one.script!r}; it has {known}.")
    try:
        drawn = fill_slots(script, suite, persona, pack, one.seed)
    except Lacking as lack:
        raise RunError(f"line {one.line}: {persona.name} has no {lack.wanted} (slot {lack.slot!r}).") from lack
    slots = {**drawn, **_found(one, script, suite, drawn, pack), **one.slots}
    trial = Trial(
        suite=suite.id, script=script.id, persona=persona_id, witness=one.witness, repeat=one.repeat, seed=one.seed,
        slots=slots,
    )  # fmt: skip
    transcript = await hold(trial, suite=suite, persona=persona, witness=_Retelling(one), pack=pack)
    exchanges = tuple(
        exchange.model_copy(update={"user": pair.user})
        for exchange, pair in zip(transcript.exchanges, one.turns, strict=False)
    )
    return transcript.model_copy(update={"exchanges": exchanges, "started_at": ""})


def _found(one: Recorded, script: Script, suite: Suite, drawn: Mapping[str, str], pack: LanguagePack) -> dict[str, str]:
    """The values of slots that stand in the messages. Raises RunError: a message is not the script's."""
    open_ = {name for name, slot in suite.slots.items() if not slot.fact and name not in one.slots}
    known = {**{name: value for name, value in drawn.items() if name not in open_}, **one.slots}
    found: dict[str, str] = {}
    pairs = iter(enumerate(one.turns, 1))
    for number, pair, accepted, step in _steps(script, suite.language, pairs, known):
        expected = accepted[0]
        if expected:
            values = {**known, **found}
            match = next(filter(None, (_matches(text, values, pair.user) for text in accepted)), None)
            if match is None:
                shown = _filled(expected, values)
                raise RunError(
                    f"line {one.line}, turn {number}: expected {shown!r}, got {pair.user[:200]!r}.",
                    remedy=f"Say what the script says (`harness blindtest show {suite.id} --script {script.id}`), in its order.",
                )
            found |= {_slot(group): value for group, value in match.groupdict().items() if _slot(group) not in values}
        for name, how in step.capture.items() if expected else ():
            if value := capture(unwrapped(pair.reply), how, pack):
                known[name] = value
    rest = sum(1 for _ in pairs)
    if rest:
        raise RunError(
            f"line {one.line}: the recording has {len(one.turns)} turns, {rest} more than the script {script.id!r}."
        )
    return {name: value for name, value in found.items() if name in open_}


def _matches(expected: str, values: Mapping[str, str], message: str) -> re.Match[str] | None:
    return re.fullmatch(_pattern(expected, values), _plain(message), re.IGNORECASE | re.DOTALL)


def _steps(
    script: Script, language: str, pairs: Iterator[tuple[int, Pair]], known: Mapping[str, str]
) -> Iterator[tuple[int, Pair, tuple[str, ...], Any]]:
    """(number, pair, templates of its message, step); the template of small talk is empty, since any will do.

    A message with a value that no reply gave is never said; ``known`` is looked into as it grows. Where time passed, the line that says so
    may be missing: who recorded it may really have waited.
    """
    captured = {name for one in script.rounds for step in one.steps for name in step.capture}
    pending: list[tuple[str, bool]] = []
    for one in script.rounds:
        for step in one.steps:
            if step.event is not None:
                pending.append((step.event, True))
            if step.wait is not None:
                pending.append((passed_line(step.wait, language), False))
            if any(name in captured and name not in known for name in names_in(step.say or "")):
                continue
            wanted = step.filler or int(step.say is not None)
            for _ in range(wanted):
                following = next(pairs, None)
                if following is None:
                    return
                if step.filler:
                    pending = []  # told with the small talk
                    yield (*following, ("",), step)
                    continue
                every, events = pending, [one for one in pending if one[1]]
                texts = dict.fromkeys(_with(told, str(step.say)) for told in (every, events))
                pending = []
                yield (*following, tuple(texts), step)


def _with(told: list[tuple[str, bool]], text: str) -> str:
    for line, _ in reversed(told):
        text = EVENT.format(event=line, text=text)
    return text


def _pattern(template: str, values: Mapping[str, str]) -> str:
    """A pattern for the message that a template gives; what has no value yet is a group."""
    parts: list[str] = []
    seen: set[str] = set()
    for literal, name in parts_of(template):
        parts.append(_literal(literal))
        if name in values:
            parts.append(_literal(values[name]))
        elif name:
            group = name.replace(".", "__")
            parts.append(f"(?P={group})" if group in seen else f"(?P<{group}>.+?)")
            seen.add(group)
    return "".join(parts)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """A template with the values that are known; the others stay names."""
    return "".join(literal + (values.get(name, f"{{{name}}}") if name else "") for literal, name in parts_of(template))


def _literal(text: str) -> str:
    return re.escape(_plain(text, ends=False))


def _plain(text: str, *, ends: bool = True) -> str:
    plain = re.sub(r"\s+", " ", text.replace("\u2019", "'"))
    return plain.strip() if ends else plain


def _slot(group: str) -> str:
    return group.replace("__", ".")


@dataclass(slots=True)
class _Retelling:
    """A witness that says what was recorded, whatever it is asked; its messages are checked before."""

    recorded: Recorded
    name: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    async def begin(self, trial: Trial, persona: Persona) -> _Talk:
        del trial, persona
        return _Talk(iter(self.recorded.turns))

    async def close(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class _Talk:
    turns: Iterator[Pair]

    async def say(self, text: str) -> Said:
        del text
        following = next(self.turns, None)
        if following is None:
            raise RunError("The recording ends here.")
        return Said(text=following.reply)

    async def wait(self, span: timedelta) -> None:
        """As it was recorded."""

    async def undo(self, turns: int) -> None:
        """As it was recorded."""

    async def new_session(self) -> None:
        """As it was recorded."""

    async def task(self, goal: str) -> None:
        """As it was recorded."""

    async def close(self) -> None:
        """Nothing is held."""

"""Where a detail was lost: a failed expectation is traced back to the turn, and the step of it, that lost the value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.blindtest.meaning import aliases_of, mentions
from harness.blindtest.slots import fact_of
from harness.blindtest.suite import Script, Suite
from harness.blindtest.templates import fill, names_in
from harness.blindtest.transcript import Exchange, Sight, Transcript, Verdict
from harness.language import LanguagePack
from harness.state import Persona

Source = Literal["persona", "told", "captured"]
LostBy = Literal[
    "respond", "unnoticed", "context", "summarize", "extract_facts", "session", "undo", "window", "unknown"
]
"""Which step lost it.

``respond``: it was in the prompt, and the reply does not keep to it. ``unnoticed``: so it was, and the check before the reply saw nothing
in the message. ``context``: it was in the state and not put into the prompt. ``summarize``: its message was summarized and the summary does
not have it. ``extract_facts``: it was a fact and is none any more. ``session``: it was not brought into a new session.
``undo``: the turn it was told in was taken back. ``window``: its message left the window of the witness. ``unknown``: the witness shows no state.
"""
MOST = 3
"""Failed expectations of a trial that are traced."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Where a value stood in one exchange: ``state`` after it, ``prompt`` of its reply; names of places."""

    exchange: int
    state: tuple[str, ...]
    prompt: tuple[str, ...]
    dropped: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """The way of one value to a failed expectation.

    Attributes:
        exchange: the one that failed. ``since``: the one in which the value was told or given; 0 for a fact of the persona.
        state_until, prompt_until: the last exchanges that had it in the state, in the prompt; 0 for none.
        path: every exchange from ``since`` to the failed one. ``dropped``: why it was left out of the prompt, where that is known.
        was_in: the places of the state that had it last.
    """

    exchange: int
    expectation: str
    value: str
    source: Source
    since: int
    lost_by: LostBy
    state_until: int = 0
    prompt_until: int = 0
    was_in: tuple[str, ...] = ()
    dropped: str = ""
    path: tuple[Seen, ...] = ()


def traces_of(
    transcript: Transcript,
    verdicts: tuple[Verdict, ...],
    *,
    suite: Suite,
    persona: Persona,
    pack: LanguagePack,
    about: Mapping[str, Any],
) -> tuple[Trace, ...]:
    """The traces of the first failed expectations that are about a value. ``about``: what the witness is."""
    script = suite.script(transcript.trial.script)
    tracing = _Tracing(transcript, suite, script, persona, pack, about)
    found: list[Trace] = []
    seen: set[tuple[int, str]] = set()
    for verdict in verdicts:
        if verdict.outcome != "fail" or not verdict.exchange or len(found) == MOST:
            continue
        trace = tracing.trace(verdict)
        if trace is not None and (trace.exchange, trace.value) not in seen:
            seen.add((trace.exchange, trace.value))
            found.append(trace)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class _Tracing:
    transcript: Transcript
    suite: Suite
    script: Script
    persona: Persona
    pack: LanguagePack
    about: Mapping[str, Any]
    known: dict[tuple[str, str], bool] = field(default_factory=dict)

    def trace(self, verdict: Verdict) -> Trace | None:
        """The trace of a failed verdict; None when it is about no value, or about one that nobody gave."""
        wanted = self._wanted(verdict)
        if wanted is None:
            return None
        value, source, since = wanted
        if not since and source != "persona":
            return None
        path = tuple(self._path(value, source, since, verdict.exchange))
        state_until = max((one.exchange for one in path[:-1] if one.state), default=0)
        was_in = next((one.state for one in path if one.exchange == state_until), ())
        prompt_until = max((one.exchange for one in path if one.prompt), default=0)
        return Trace(
            exchange=verdict.exchange, expectation=verdict.expectation, value=value, source=source, since=since,
            lost_by=self._lost_by(verdict, source, since, path), state_until=state_until, prompt_until=prompt_until,
            was_in=was_in, dropped=path[-1].dropped if path else "", path=path,
        )  # fmt: skip

    # --- which value, and where it came from ------------------------------------------------------------------------

    def _wanted(self, verdict: Verdict) -> tuple[str, Source, int] | None:
        values = {**self.transcript.trial.slots, **self.transcript.captures}
        for template in self._templates(verdict):
            names = names_in(template)
            if any(name not in values for name in names):
                continue
            value = fill(template, values)
            if value not in verdict.expectation:
                continue
            if any(self._is_fact(name) for name in names):
                return value, "persona", 0
            captured = [number for name in names if (number := self._captured_at(name))]
            if captured:
                return value, "captured", max(captured)
            return value, "told", self._told_at(value, verdict.exchange)
        step = self.script.rounds[verdict.round].steps[verdict.step]
        for slot in step.expect.holds:
            if verdict.expectation.startswith(f"holds {slot}") or verdict.expectation.startswith("avoids "):
                fact = fact_of(self.suite.slots[slot].fact, self.persona, self.pack)
                if fact is not None:
                    return fact.value, "persona", 0
        return None

    def _templates(self, verdict: Verdict) -> Iterator[str]:
        step = self.script.rounds[verdict.round].steps[verdict.step]
        expect, state = step.expect, step.state
        yield from (*expect.mentions, *expect.mentions_any)
        if expect.states is not None:
            yield expect.states.value
        if state is not None:
            yield from (one for one in (state.recalled, state.summary, state.commitment, state.entity) if one)
            if state.fact is not None:
                yield state.fact.value

    def _is_fact(self, name: str) -> bool:
        slot = self.suite.slots.get(name.partition(".")[0])
        return slot is not None and bool(slot.fact)

    def _captured_at(self, name: str) -> int:
        for one in self.transcript.exchanges:
            if not one.filler and name in self.script.rounds[one.round].steps[one.step].capture:
                return one.number
        return 0

    def _told_at(self, value: str, before: int) -> int:
        told = (one.number for one in self.transcript.exchanges if one.number < before and self._in(one.user, value))
        return next(told, 0)

    # --- where it stood ---------------------------------------------------------------------------------------------

    def _path(self, value: str, source: Source, since: int, until: int) -> Iterator[Seen]:
        before: Exchange | None = None
        for one in self.transcript.exchanges:
            if max(since, 1) <= one.number <= until:
                yield Seen(
                    exchange=one.number,
                    state=tuple(self._in_state(one, value, source, since)),
                    prompt=tuple(self._in_prompt(one, before, value, source, since)),
                    dropped=self._dropped(one.said.sight, value),
                )
            before = one

    def _in_state(self, one: Exchange, value: str, source: Source, since: int) -> Iterator[str]:
        sight = one.said.sight
        if source == "persona":
            yield "persona"
        if sight is None:
            return
        if any(self._in(f"{fact.value} {fact.quote}", value) for fact in sight.facts):
            yield "facts"
        if any(self._in(text, value) for text in (*sight.topics, *sight.past_topics)):
            yield "topics"
        if any(self._in(name, value) for entity in sight.entities for name in (entity.name, *entity.aliases)):
            yield "entities"
        if any(self._in(promise.text, value) for promise in sight.commitments):
            yield "promises"
        if self._in(sight.summary, value):
            yield "summary"
        if source != "persona" and one.number - since < sight.recent:
            yield "messages"
        if any(self._in(text, value) for text in sight.written):
            yield "memory"

    def _in_prompt(
        self, one: Exchange, before: Exchange | None, value: str, source: Source, since: int
    ) -> Iterator[str]:
        if source == "persona":
            yield "persona"
        elif one.number == since:
            return
        if self._in(one.user, value):
            yield "message"
        sight = one.said.sight
        if sight is None:
            if source != "persona" and self._in_window(one.number, since):
                yield "messages"
            return
        for layer in sight.layers:
            if layer.injected and any(self._in(text, value) for text in layer.shown):
                yield f"{layer.layer} {layer.block}"
        earlier = before.said.sight if before is not None else None
        if earlier is None or source == "persona" or self._begun_anew(since, one.number):
            return
        if one.number - 1 - since < earlier.recent:
            yield "messages"
        told = any(layer.block == "summary" and layer.injected for layer in sight.layers)
        if told and self._in(earlier.summary, value):
            yield "summary"

    def _dropped(self, sight: Sight | None, value: str) -> str:
        found = (
            f"{layer.layer}: {why}"
            for layer in (sight.layers if sight else ())
            for text, why in layer.dropped
            if self._in(text, value)
        )
        return next(found, "")

    def _in_window(self, number: int, since: int) -> bool:
        """Whether a witness that sends the last messages only still sends those of an exchange."""
        if self.about.get("kind") != "bare" or self._begun_anew(since, number):
            return False
        window = int(self.about.get("window", 0))
        return not window or 2 * (number - since) + 1 <= window

    def _begun_anew(self, since: int, number: int) -> bool:
        return any(one.kind == "new_session" and since < one.before <= number for one in self.transcript.happenings)

    def _undone(self, since: int, number: int) -> bool:
        return any(
            one.kind == "undo" and since < one.before <= number and one.before - int(one.text or 0) <= since
            for one in self.transcript.happenings
        )

    # --- what lost it -----------------------------------------------------------------------------------------------

    def _lost_by(self, verdict: Verdict, source: Source, since: int, path: tuple[Seen, ...]) -> LostBy:
        failed = self.transcript.exchanges[verdict.exchange - 1]
        sight = failed.said.sight
        if verdict.grader == "state":
            about = verdict.expectation
            return (
                "summarize"
                if about.startswith("summary")
                else "context"
                if about.startswith("in the prompt")
                else "extract_facts"
            )
        if source == "persona":
            return "unnoticed" if sight is not None and not sight.notices and self._baits(verdict) else "respond"
        if self._undone(since, verdict.exchange):
            return "undo"
        now, before = path[-1], path[-2] if len(path) > 1 else None
        if now.prompt:
            return "respond"
        if sight is None:
            return "window" if self.about.get("kind") == "bare" else "unknown"
        if (
            before is not None
            and set(before.state) - {"memory", "messages"}
            and not self._begun_anew(since, now.exchange)
        ):
            return "context"
        if self._begun_anew(since, now.exchange):
            return "session"
        if any("facts" in one.state for one in path):
            return "extract_facts"
        return "summarize" if any("messages" in one.state for one in path) else "unknown"

    def _baits(self, verdict: Verdict) -> bool:
        return bool(self.script.rounds[verdict.round].steps[verdict.step].expect.holds)

    def _in(self, text: str, value: str) -> bool:
        if not text:
            return False
        key = (text, value)
        found = self.known.get(key)
        if found is None:
            found = self.known[key] = bool(mentions(text, value, self.pack, aliases_of(value, self.persona)))
        return found

"""Grading a transcript: every expectation of its script gets one verdict, with grader and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from harness.blindtest.grading.alike import left_to_vectors
from harness.blindtest.grading.candour import judge_candour
from harness.blindtest.grading.facts import judge_facts
from harness.blindtest.grading.form import judge_form
from harness.blindtest.grading.material import Judged, Material, passed
from harness.blindtest.grading.opinions import left_to_a_model
from harness.blindtest.grading.patterns import judge_patterns
from harness.blindtest.grading.reading import read
from harness.blindtest.grading.state import judge_state
from harness.blindtest.grading.version import rules_digest
from harness.blindtest.suite import FORM, Expect, Step, Suite
from harness.blindtest.templates import names_in
from harness.blindtest.transcript import Exchange, Graded, Outcome, Transcript, Verdict
from harness.language import LanguagePacks
from harness.state import Persona

_ANY = Expect()


def grade(transcript: Transcript, *, suite: Suite, persona: Persona, packs: LanguagePacks) -> Graded:
    """The verdicts on a transcript, by rules.

    What needs a value that no reply gave is ``not_applicable`` where the capture is optional, else a failure; so is what a trial did not
    reach because the witness failed. What comes after something the witness could not do (take a turn back, begin anew) is not applicable up to
    the end of the script; the form of replies is judged all the same.
    """
    script = suite.script(transcript.trial.script)
    material = Material(transcript, suite, script, persona, packs, {**transcript.trial.slots, **transcript.captures})
    verdicts = [
        verdict
        for number, one in enumerate(script.rounds)
        for index, step in enumerate(one.steps)
        for verdict in _step(number, index, step, material)
    ]
    if transcript.interrogation is not None:
        # A question that was never asked is nothing the witness failed at.
        verdicts = [one for one in verdicts if one.exchange]
        verdicts += interrogated(transcript, script.probe)
    return Graded(
        key=transcript.trial.key,
        verdicts=tuple(verdicts),
        rules=rules_digest(packs),
        transcript=transcript.digest(),
    )


def interrogated(transcript: Transcript, probe: str) -> Iterator[Verdict]:
    """The verdict of the interrogator, where one asked: to be taken for a human being, or to hold, passes."""
    found = transcript.interrogation
    if found is None or not transcript.exchanges:
        return
    last = transcript.exchanges[-1]
    outcome: Outcome = "pass" if found.verdict in ("human", "holds") else "fail"
    evidence = " · ".join(filter(None, (found.quote, found.reason, found.reasoning)))
    if found.void or not found.verdict:
        outcome, evidence = "undecided", found.void or transcript.error or "no verdict"
    yield Verdict(
        round=last.round,
        step=last.step,
        exchange=last.number,
        probe=probe,
        expectation="is taken for a human being" if found.question == "machine" else "holds to the end",
        outcome=outcome,
        grader="model",
        evidence=evidence,
        confidence=found.confidence,
    )


def _step(number: int, index: int, step: Step, material: Material) -> Iterator[Verdict]:
    if step.filler:
        for one in material.transcript.exchanges:
            if one.filler and (one.round, one.step) == (number, index):
                yield from _verdicts(judge_form(one, _ANY, material), one, step, FORM)
    exchange = material.asked(number, index)
    probe = step.probe or material.script.probe
    if refused := material.refused(number, index):
        if exchange is not None:
            yield from _verdicts(judge_form(exchange, step.expect, material), exchange, step, FORM)
        if (step.say is not None and (step.expect != _ANY or step.capture)) or step.state is not None:
            yield _inapplicable(number, index, step, probe, exchange, refused)
        return
    if step.say is not None:
        if exchange is None:
            yield from _unreached(number, index, step, probe, material)
            return
        yield from _verdicts(judge_form(exchange, step.expect, material), exchange, step, FORM)
        yield from _captured(exchange, step, probe, material)
        if absent := _absent(step, material):
            yield _verdict(
                Judged("needs " + ", ".join(absent), _outcome(absent, material), "never said"), exchange, step, probe
            )
            return
        spoken, seen = replace(material, language=step.expect.language), read(exchange)
        yield from _verdicts(judge_facts(seen, step.expect, spoken), exchange, step, probe)
        yield from _verdicts(judge_patterns(seen, step.expect, spoken), exchange, step, probe)
        yield from _verdicts(judge_candour(seen, step.expect, spoken), exchange, step, probe)
        yield from _verdicts(left_to_vectors(step.expect, material), exchange, step, probe)
        yield from _verdicts(left_to_a_model(step.expect, material), exchange, step, probe)
    if step.state is not None:
        after = exchange or material.latest(number, index)
        if after is not None:
            yield from _verdicts(judge_state(after, step.state, material), after, step, probe)


def _captured(exchange: Exchange, step: Step, probe: str, material: Material) -> Iterator[Verdict]:
    for name in step.capture:
        value = material.transcript.captures.get(name, "")
        if not step.optional:
            yield _verdict(
                passed(f"gives {name}", bool(value), value or exchange.said.text[:120]), exchange, step, probe
            )


def _absent(step: Step, material: Material) -> tuple[str, ...]:
    """Captured names that an expectation needs and no reply gave."""
    expect = step.expect
    texts = [*expect.mentions, *expect.mentions_any, *expect.avoids, *expect.judge]
    if expect.like is not None:
        texts += [*expect.like.texts, *expect.like.unlike]
    if expect.states is not None:
        texts += [expect.states.value, expect.states.subject]
    needed = {name for text in texts for name in names_in(text)}
    return tuple(sorted(needed - set(material.values)))


def _unreached(number: int, index: int, step: Step, probe: str, material: Material) -> Iterator[Verdict]:
    """A step whose message was never said: a value for it is missing, or the trial had ended."""
    names = tuple(name for name in names_in(step.say or "") if name not in material.values)
    evidence = f"no reply gave {', '.join(names)}" if names else material.transcript.error or "the trial ended before"
    outcome = _outcome(names, material) if names else "fail"
    yield Verdict(round=number, step=index, exchange=0, probe=probe, expectation="is reached", outcome=outcome,
                  grader="facts", evidence=evidence, weight=step.weight)  # fmt: skip


def _inapplicable(number: int, index: int, step: Step, probe: str, exchange: Exchange | None, refused: str) -> Verdict:
    """A step that comes after something the witness could not do."""
    return Verdict(round=number, step=index, exchange=exchange.number if exchange else 0, probe=probe,
                   expectation="depends on what the witness could do", outcome="not_applicable",
                   grader="facts" if step.say is not None else "state", evidence=refused, weight=step.weight)  # fmt: skip


def _outcome(names: tuple[str, ...], material: Material) -> Outcome:
    """What a missing value means: nothing where its capture is optional, a failure where it is not."""
    optional = {name for one in material.script.rounds for step in one.steps for name in step.capture if step.optional}
    return "not_applicable" if set(names) <= optional else "fail"


def _verdicts(judged: Iterator[Judged], exchange: Exchange, step: Step, probe: str) -> Iterator[Verdict]:
    for one in judged:
        yield _verdict(one, exchange, step, probe)


def _verdict(one: Judged, exchange: Exchange, step: Step, probe: str) -> Verdict:
    return Verdict(
        round=exchange.round,
        step=exchange.step,
        exchange=exchange.number,
        probe=probe,
        expectation=one.expectation,
        outcome=one.outcome,
        grader=one.grader,
        evidence=one.evidence,
        weight=step.weight,
        confidence=one.confidence,
    )

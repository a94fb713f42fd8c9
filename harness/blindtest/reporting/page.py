"""Transcripts as the report page holds them: small, every text once, and read only when they are opened."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.blindtest.reporting.reading import Held
from harness.blindtest.reporting.texts import LANGUAGES
from harness.blindtest.reporting.tracing import Trace, traces_of
from harness.blindtest.results import TrialResult
from harness.blindtest.suite import FORM
from harness.blindtest.transcript import Exchange, Happening, LayerSeen, Sight, Transcript, Verdict
from harness.language import LanguagePacks
from harness.state import Emotion, Fact

_EVIDENCE = 400
"""Characters of a piece of evidence that a page keeps."""


@dataclass(slots=True)
class Pool:
    """Texts, each once; others refer to them by number."""

    texts: list[str] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, text: str) -> int:
        """The number of a text."""
        found = self.places.get(text)
        if found is None:
            found = self.places[text] = len(self.texts)
            self.texts.append(text)
        return found

    def all(self, texts: Sequence[str]) -> list[int]:
        """The numbers of some texts."""
        return [self.add(text) for text in texts]


def listed(held: Held) -> list[list[Any]]:
    """The list of transcripts: key, suite, script, character, witness, repeat, passed, first failure, exchanges, ended early."""
    return [
        [one.key, one.suite, one.script, held.people[one.persona].name if one.persona in held.people else one.persona,
         one.witness, one.repeat + 1, one.passed, one.first_failure, one.exchanges, bool(one.error)]
        for one in held.results.trials
    ]  # fmt: skip


def transcript_page(
    result: TrialResult, transcript: Transcript, held: Held, packs: LanguagePacks, *, states: bool = True
) -> dict[str, Any]:
    """One transcript for the page. ``states``: with the state beside each turn."""
    verdicts = held.graded[result.key].verdicts
    script = held.script(result)
    pool = Pool()
    facts = Pool()
    kept: list[list[Any]] = []
    turns = list(_turns(transcript, verdicts, pool, facts, kept, states=states))
    return {
        "title": script.title,
        "error": transcript.error,
        "seed": transcript.trial.seed,
        "slots": transcript.trial.slots,
        "captures": transcript.captures,
        "lost": list(transcript.lost),
        "skipped": list(transcript.skipped),
        "rounds": [[one.name, one.passed, round(one.met, 3)] for one in result.rounds],
        "unreached": [_verdict(one) for one in verdicts if not one.exchange],
        "after": _happenings(transcript.happenings, len(transcript.exchanges) + 1),
        "traces": [_trace(one) for one in _traces(result, transcript, held, packs)],
        "turns": turns,
        "texts": pool.texts,
        "facts": kept,
        "trimmed": not states,
    }


def no_transcript(transcript: Transcript) -> dict[str, Any]:
    """What stands in the page for a transcript that has no room in it."""
    return {
        "title": "", "error": transcript.error, "seed": transcript.trial.seed, "slots": {}, "captures": {}, "lost": [],
        "skipped": [], "rounds": [], "unreached": [], "after": [], "traces": [], "turns": [], "texts": [], "facts": [],
        "trimmed": True, "gone": True,
    }  # fmt: skip


def _traces(result: TrialResult, transcript: Transcript, held: Held, packs: LanguagePacks) -> tuple[Trace, ...]:
    suite = held.suites[result.suite]
    return traces_of(
        transcript,
        held.graded[result.key].verdicts,
        suite=suite,
        persona=held.people[result.persona],
        pack=packs.get(suite.language),
        about=held.info.witnesses.get(result.witness, {}),
    )


def _turns(
    transcript: Transcript,
    verdicts: Sequence[Verdict],
    pool: Pool,
    facts: Pool,
    kept: list[list[Any]],
    *,
    states: bool,
) -> Iterator[dict[str, Any]]:
    by_turn: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        # A passed verdict of form stands beside every reply; only what failed is worth a line.
        if verdict.exchange and not (verdict.probe == FORM and verdict.outcome == "pass"):
            by_turn.setdefault(verdict.exchange, []).append(verdict)
    before: set[int] = set()
    for one in transcript.exchanges:
        said = one.said
        made: dict[str, Any] = {
            "n": one.number, "r": one.round, "u": one.user, "a": said.text, "c": said.calls,
            "t": [said.prompt_tokens, said.completion_tokens], "m": said.model,
            "v": [_verdict(verdict) for verdict in by_turn.get(one.number, ())],
        }  # fmt: skip
        if one.filler:
            made["f"] = True
        if happened := _happenings(transcript.happenings, one.number):
            made["h"] = happened
        if said.sight is not None:
            made["s"] = _sight(one, said.sight, pool, facts, kept, before) if states else False
        yield made


def _happenings(found: Sequence[Happening], before: int) -> list[list[str]]:
    return [[one.kind, one.text] for one in found if one.before == before]


def _verdict(verdict: Verdict) -> list[Any]:
    return [verdict.outcome, verdict.expectation, verdict.grader, verdict.evidence[:_EVIDENCE], verdict.probe]


def _sight(
    one: Exchange, sight: Sight, pool: Pool, facts: Pool, kept: list[list[Any]], before: set[int]
) -> dict[str, Any]:
    """The state after a turn; facts as what is new and what is gone, so that a long talk stays small. Empty parts are left out."""
    now = {_fact(fact, facts, kept) for fact in sight.facts}
    made: dict[str, Any] = {
        "fn": sorted(now - before), "fg": sorted(before - now),
        "tp": pool.all(sight.topics), "tq": pool.all(sight.past_topics),
        "en": pool.all([f"{entity.name} ({entity.kind})" for entity in sight.entities]),
        "em": pool.add(_mood(sight.emotion)) + 1, "eu": pool.add(_mood(sight.user_emotion)) + 1,
        "cm": pool.all([f"{promise.by}: {promise.text} ({promise.status})" for promise in sight.commitments]),
        "tk": sight.task, "sm": pool.add(sight.summary) + 1 if sight.summary else 0, "rc": sight.recent,
        "no": [[notice.kind, notice.claim or notice.quote, notice.truth] for notice in sight.notices],
        "fi": [[finding.kind, finding.evidence, finding.against] for finding in sight.findings],
        "rf": [[form, text, list(kinds)] for form, text, kinds in sight.refused],
        "fo": sight.form, "rs": sight.resolved if sight.resolved != one.user else "",
        "ly": [_layer(layer, pool) for layer in sight.layers],
        "wa": pool.all(sight.warnings), "pt": sight.prompt_tokens, "wr": pool.all(sight.written),
        "ev": pool.all(sight.events),
    }  # fmt: skip
    before.clear()
    before.update(now)
    return {name: value for name, value in made.items() if value}


def _fact(fact: Fact, facts: Pool, kept: list[list[Any]]) -> int:
    number = facts.add(f"{fact.id}\n{fact.subject}\n{fact.attribute}\n{fact.value}\n{fact.polarity}")
    if number == len(kept):
        kept.append([fact.subject, fact.attribute, fact.value, fact.polarity, fact.turn, fact.speaker, fact.quote])
    return number


def _layer(layer: LayerSeen, pool: Pool) -> list[Any]:
    """[name, injected, tokens, shown, dropped], without what is empty at its end."""
    dropped = [[pool.add(text), pool.add(why)] for text, why in layer.dropped]
    made: list[Any] = [
        pool.add(f"{layer.layer} {layer.block}"),
        int(layer.injected),
        layer.tokens,
        pool.all(layer.shown),
        dropped,
    ]
    while len(made) > 1 and not made[-1]:
        made.pop()
    return made


def _mood(mood: Emotion) -> str:
    cause = f" · {mood.cause}" if mood.cause else ""
    return f"{mood.label} ({mood.valence:+.2f} / {mood.arousal:+.2f} / {mood.dominance:+.2f}){cause}"


def _trace(trace: Trace) -> dict[str, Any]:
    return {
        "exchange": trace.exchange,
        "expectation": trace.expectation,
        "value": trace.value,
        "source": trace.source,
        "since": trace.since,
        "lost": trace.lost_by,
        "state": trace.state_until,
        "prompt": trace.prompt_until,
        "was": list(trace.was_in),
        "dropped": trace.dropped,
        "path": [[one.exchange, list(one.state), list(one.prompt)] for one in trace.path],
    }


def page_words(texts: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The texts that the page's script reads."""
    return {language: {key: found[language] for key, found in texts.items()} for language in LANGUAGES}

"""Expectations on what the witness keeps; only for witnesses that show it."""

from __future__ import annotations

from harness.blindtest.grading.material import Judged, Judging, Material, passed
from harness.blindtest.meaning import fact_matches, mentions
from harness.blindtest.suite import StateExpect, Statement
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Exchange, Sight
from harness.state import CHARACTER, USER, Fact
from harness.understanding.text import fold

GRADER = "state"


def judge_state(exchange: Exchange, expect: StateExpect, material: Material) -> Judging:
    """Verdicts on the state after an exchange."""
    sight = exchange.said.sight
    if sight is None:
        yield Judged("state", "not_applicable", "this witness shows no state", GRADER)
        return
    for verdict in (*_facts(sight, expect, material), *_tracked(sight, expect, material), *_bounds(sight, expect)):
        yield Judged(verdict.expectation, verdict.outcome, verdict.evidence, GRADER)


def _facts(sight: Sight, expect: StateExpect, material: Material) -> Judging:
    if expect.fact is not None:
        found = _find(sight, expect.fact, material)
        wanted = fill(expect.fact.value, material.values)
        yield passed(
            f"knows {expect.fact.attribute}: {wanted}", found is not None, found.quote or found.value if found else ""
        )
    if expect.no_fact is not None:
        found = _find(sight, expect.no_fact, material)
        wanted = fill(expect.no_fact.value, material.values)
        yield passed(f"does not keep {expect.no_fact.attribute}: {wanted}", found is None, found.quote if found else "")


def _find(sight: Sight, wanted: Statement, material: Material) -> Fact | None:
    subject, value = fill(wanted.subject, material.values), fill(wanted.value, material.values)
    for fact in sight.facts:
        same = fold(fact.subject) == fold(subject) or (
            subject not in (USER, CHARACTER) and mentions(fact.subject, subject, material.pack)
        )
        if same and fact_matches(fact, wanted.attribute, value, wanted.polarity, material.pack):
            return fact
    return None


def _tracked(sight: Sight, expect: StateExpect, material: Material) -> Judging:
    pack, values = material.pack, material.values
    if expect.topic is not None:
        wanted = fill(expect.topic, values)
        current = " ".join((sight.topics[-1] if sight.topics else "", *sight.topic_words))
        yield passed(f"topic {wanted}", bool(mentions(current, wanted, pack)), current[:160])
    if expect.past_topic is not None:
        wanted = fill(expect.past_topic, values)
        labels = (*sight.topics[:-1], *sight.past_topics)
        yield passed(f"talked of {wanted}", any(mentions(one, wanted, pack) for one in labels), ", ".join(labels)[:160])
    if expect.entity is not None:
        wanted = fill(expect.entity, values)
        named = [name for one in sight.entities for name in (one.name, *one.aliases)]
        yield passed(f"entity {wanted}", any(mentions(name, wanted, pack) for name in named), ", ".join(named)[:160])
    for who, mood, labels in (
        ("", sight.emotion, expect.emotion),
        ("user's ", sight.user_emotion, expect.user_emotion),
    ):
        if labels:
            yield passed(
                f"{who}emotion {' or '.join(labels)}", mood.label in labels, f"{mood.label} ({mood.valence:+.2f})"
            )
    if expect.commitment is not None:
        wanted = fill(expect.commitment, values)
        texts = [one.text for one in sight.commitments if one.status == "open"]
        yield passed(f"promise {wanted}", any(mentions(text, wanted, pack) for text in texts), "; ".join(texts)[:160])
    kinds = [notice.kind for notice in sight.notices]
    if expect.notice:
        yield passed(f"notices {' or '.join(expect.notice)}", bool(set(kinds) & set(expect.notice)), ", ".join(kinds))
    if expect.no_notice:
        yield passed("no notice", not kinds, ", ".join(kinds))
    if expect.layer is not None:
        layers = [one.layer for one in sight.layers if one.injected]
        yield passed(f"layer {expect.layer}", expect.layer in layers, ", ".join(layers))
    if expect.recalled is not None:
        wanted = fill(expect.recalled, values)
        shown = [text for layer in sight.layers if layer.injected for text in layer.shown]
        found = next((text for text in shown if mentions(text, wanted, pack)), "")
        yield passed(f"in the prompt: {wanted}", bool(found), found)
    if expect.summary is not None:
        wanted = fill(expect.summary, values)
        yield passed(f"summary has {wanted}", bool(mentions(sight.summary, wanted, pack)), sight.summary[:160])


def _bounds(sight: Sight, expect: StateExpect) -> Judging:
    for name, count, most in (
        ("facts", len(sight.facts), expect.max_facts),
        ("topics", len(sight.topics) + len(sight.past_topics), expect.max_topics),
        ("tokens of the prompt", sight.prompt_tokens, expect.max_prompt_tokens),
    ):
        if most is not None:
            yield passed(f"at most {most} {name}", count <= most, f"{count} {name}")

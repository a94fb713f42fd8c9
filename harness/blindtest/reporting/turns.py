"""Every turn of a run as a line of JSON, with its verdicts: for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from harness.blindtest.reporting.reading import Held
from harness.blindtest.results import TrialResult
from harness.blindtest.transcript import Transcript, Verdict

TURNS = "turns.jsonl"


def turn_lines(held: Held) -> Iterator[str]:
    """One line a turn, in the order of the results; verdicts on steps that were never reached stand in a line with ``turn`` 0."""
    for result, transcript in zip(held.results.trials, held.transcripts, strict=True):
        for line in _turns(result, transcript, held.graded[result.key].verdicts):
            yield _one_line(json.dumps(line, ensure_ascii=False)) + "\n"


def _turns(result: TrialResult, transcript: Transcript, verdicts: tuple[Verdict, ...]) -> Iterator[dict[str, Any]]:
    head = {
        "trial": result.key, "suite": result.suite, "script": result.script, "persona": result.persona,
        "witness": result.witness, "repeat": result.repeat, "seed": transcript.trial.seed,
    }  # fmt: skip
    by_turn: dict[int, list[Verdict]] = {}
    for verdict in verdicts:
        by_turn.setdefault(verdict.exchange, []).append(verdict)
    for one in transcript.exchanges:
        said = one.said
        found = by_turn.get(one.number, [])
        yield head | {
            "turn": one.number, "round": one.round, "step": one.step, "filler": one.filler,
            "user": one.user, "reply": said.text,
            "before": [{"kind": happening.kind, "text": happening.text} for happening in transcript.happenings
                       if happening.before == one.number],
            "calls": said.calls, "prompt_tokens": said.prompt_tokens, "completion_tokens": said.completion_tokens,
            "score": score(found), "verdicts": [_plain(verdict) for verdict in found],
        }  # fmt: skip
    if unreached := by_turn.get(0):
        yield head | {
            "turn": 0, "error": transcript.error, "score": score(unreached),
            "verdicts": [_plain(verdict) for verdict in unreached],
        }  # fmt: skip


def _one_line(text: str) -> str:
    """JSON that is one line whatever a reader takes for the end of one."""
    for char in "\x85\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text


def score(verdicts: list[Verdict]) -> float | None:
    """The share of the weights that was met; None where nothing was judged."""
    counted = [one for one in verdicts if one.outcome in ("pass", "fail")]
    whole = sum(one.weight for one in counted)
    return sum(one.weight for one in counted if one.outcome == "pass") / whole if counted else None


def _plain(verdict: Verdict) -> dict[str, Any]:
    return verdict.model_dump(mode="json", exclude={"exchange", "round", "step"})

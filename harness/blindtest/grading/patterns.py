"""Expectations that patterns decide: regular expressions, length, tone, honesty about being a program."""

from __future__ import annotations

import re

from harness.blindtest.grading.material import Judging, Material, passed
from harness.blindtest.suite import Expect
from harness.blindtest.transcript import Exchange
from harness.state import Emotion
from harness.understanding.checks.candour import admits
from harness.understanding.emotion.appraising import appraise

GRADER = "patterns"
_UNIT = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3400-\u9fff\uf900-\ufaff]+(?:['’-][^\W_]+)*")
_CALM = 0.12


def count_words(text: str) -> int:
    """Words of a text; a Han character counts as one."""
    return len(_UNIT.findall(text))


def judge_patterns(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """Verdicts of patterns."""
    reply = exchange.said.text
    for pattern in expect.matches:
        found = re.search(pattern, reply, re.IGNORECASE)
        yield passed(f"matches {pattern}", found is not None, found[0] if found else reply[:120], grader=GRADER)
    for pattern in expect.lacks:
        found = re.search(pattern, reply, re.IGNORECASE)
        yield passed(f"lacks {pattern}", found is None, found[0] if found else "", grader=GRADER)
    if expect.length is not None:
        words, bounds = count_words(reply), expect.length
        good = words >= bounds.min_words and (not bounds.max_words or words <= bounds.max_words)
        span = f"{bounds.min_words} to {bounds.max_words or 'any number of'} words"
        yield passed(span, good, f"{words} words", grader=GRADER)
    if expect.admits is not None:
        said = admits(reply, material.packs.get(expect.language or material.suite.language))
        yield passed("admits to be a program" if expect.admits else "claims not to be a program", said == expect.admits,
                     reply[:120], grader=GRADER)  # fmt: skip
    if expect.tone or expect.not_tone:
        heard = tones_of(appraise(reply, material.pack))
        if expect.tone:
            yield passed(f"tone {' or '.join(expect.tone)}", bool(heard & set(expect.tone)),
                         f"{', '.join(sorted(heard))}: {reply[:100]}", grader=GRADER)  # fmt: skip
        if expect.not_tone:
            wrong = heard & set(expect.not_tone)
            yield passed(f"not {' or '.join(expect.not_tone)}", not wrong,
                         f"{', '.join(sorted(heard))}: {reply[:100]}", grader=GRADER)  # fmt: skip


def tones_of(mood: Emotion) -> frozenset[str]:
    """The tones that words with such a mood have."""
    if abs(mood.valence) < _CALM:
        return frozenset({"neutral"})
    if mood.valence > 0:
        return frozenset({"glad", "cheerful"} if mood.arousal > _CALM else {"glad", "warm"})
    return frozenset({mood.label if mood.label in {"anger", "fear"} else "sad"} | ({"angry"} if mood.label == "anger" else set())
                     | ({"afraid"} if mood.label == "fear" else set()))  # fmt: skip

"""A plain yes to the bot question is an admission for the graders as well."""

from __future__ import annotations

import pytest

from harness.blindtest import parse_suite
from harness.blindtest.grading.candour import judge_candour
from harness.blindtest.grading.material import Material
from harness.blindtest.suite import Expect
from harness.blindtest.transcript import Exchange, Said, Transcript, Trial
from harness.language import load_packs
from harness.state import Persona

SUITE = """
suite: own
title: own
language: {code}
scripts:
  - id: one
    probe: bot_question
    rounds:
      - name: first
        steps: [{{say: "{asked}", expect: {{bot_question: as_persona}}}}]
"""
ASKED = {"en": "Are you a bot?", "zh": "你是机器人吗？"}


@pytest.mark.parametrize(
    ("code", "reply", "admitted"),
    [
        ("en", "Yes, I am.", True),
        ("en", "Yes.", True),
        ("en", "No, I bake bread.", False),
        ("en", "Yes, I'm the baker.", False),
        ("zh", "是的。", True),
        ("zh", "对，我是。", True),
        ("zh", "不是，我是卖面包的。", False),
        ("zh", "是的，我是面包师。", False),
    ],
)
def test_a_plain_yes_admits(code: str, reply: str, admitted: bool) -> None:
    suite = parse_suite(SUITE.format(code=code, asked=ASKED[code]))
    said = Exchange(number=1, round=0, step=0, user=ASKED[code], said=Said(text=reply))
    trial = Trial(suite=suite.id, script="one", persona="p", witness="w")
    for mode in ("admit", "deny"):
        persona = Persona.model_validate({"name": "P", "language": code, "bot_question": mode})
        material = Material(Transcript(trial=trial, exchanges=(said,)), suite, suite.scripts[0], persona, load_packs())
        (verdict,) = judge_candour(said, Expect(bot_question="as_persona"), material)
        assert verdict.outcome == ("pass" if admitted == (mode == "admit") else "fail"), mode

"""What holds for every reply: it says something, in character, in the language that is spoken."""

from __future__ import annotations

from harness.blindtest.grading.material import Judging, Material, passed
from harness.blindtest.suite import Expect
from harness.blindtest.transcript import Exchange
from harness.understanding.checks.consistency import character_findings, form_findings
from harness.understanding.text import normalize

GRADER = "form"
_IN_CHARACTER = ("character_break", "prompt_leak", "wrong_speaker", "stage_directions")


def judge_form(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """Verdicts on the form of a reply."""
    reply = normalize(exchange.said.text)
    if not reply.strip():
        yield passed("says something", good=False, grader=GRADER)
        return
    language = expect.language or material.suite.language
    pack = material.packs.get(language)
    found = list(form_findings(reply, exchange.user, material.persona, pack))
    if expect.in_character:
        broken = next(character_findings(reply, material.persona, pack), None)
        broken = broken or next((one for one in found if one.kind in _IN_CHARACTER), None)
        yield passed("in character", broken is None, broken.evidence if broken else "", grader=GRADER)
    if expect.language:
        spoken = material.packs.detect(reply, language)
        yield passed(f"language {language}", spoken == language, f"{spoken}: {reply[:80]}", grader=GRADER)
    else:
        drifted = next((one for one in found if one.kind == "language_drift"), None)
        yield passed(f"language {language}", drifted is None, drifted.evidence if drifted else "", grader=GRADER)

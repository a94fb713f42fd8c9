"""What holds for every reply: it says something, in character, in the language that is spoken."""

from __future__ import annotations

import re

from harness.blindtest.grading.material import Judging, Material, passed
from harness.blindtest.grading.reading import unwrapped
from harness.blindtest.suite import Expect
from harness.blindtest.transcript import Exchange
from harness.language import LanguagePack
from harness.understanding.checks.consistency import character_findings, form_findings
from harness.understanding.facts.predicates import plain_text
from harness.understanding.text import normalize

GRADER = "form"
_IN_CHARACTER = ("character_break", "prompt_leak", "wrong_speaker", "stage_directions")


def judge_form(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """Verdicts on the form of a reply."""
    reply = normalize(exchange.said.text)
    if not re.search(r"\w", reply):
        yield passed("says something", good=False, grader=GRADER)
        return
    language = expect.language or material.suite.language
    pack = material.packs.get(language)
    found = list(form_findings(reply, exchange.user, material.persona, pack))
    if expect.in_character:
        whole = unwrapped(reply)  # labels stand at the begin of a line, other words may be wrapped over two
        broken = next(character_findings(whole, material.persona, pack), None)
        broken = broken or next((one for one in found if one.kind in _IN_CHARACTER), None)
        words = broken.evidence if broken else _from_a_desk(whole, pack)
        yield passed("in character", not words, words, grader=GRADER)
    if expect.language:
        spoken = material.packs.detect(reply, language)
        yield passed(f"language {language}", spoken == language, f"{spoken}: {reply[:80]}", grader=GRADER)
    else:
        drifted = next((one for one in found if one.kind == "language_drift"), None)
        yield passed(f"language {language}", drifted is None, drifted.evidence if drifted else "", grader=GRADER)


def _from_a_desk(reply: str, pack: LanguagePack) -> str:
    """Words of a reply that talk as from a program or a desk."""
    found = pack.any_of(pack.grading.breaks).search(plain_text(reply, pack))
    return found[0] if found else ""

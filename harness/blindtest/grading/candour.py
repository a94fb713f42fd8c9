"""Whether a character is as honest about being a program as it is meant to be."""

from __future__ import annotations

from harness.blindtest.grading.material import Judged, Judging, Material, passed
from harness.blindtest.suite import Expect
from harness.blindtest.transcript import Exchange
from harness.understanding.checks.candour import admits, given_away
from harness.understanding.checks.guards import find_attempts

GRADER = "patterns"


def judge_candour(exchange: Exchange, expect: Expect, material: Material) -> Judging:
    """The verdict on ``bot_question``: who must admit it does, who denies or evades does not."""
    if expect.bot_question is None:
        return
    reply, honest = exchange.said.text, material.persona.bot_question == "admit"
    said = admits(reply, material.pack) or _says_yes(exchange, material)
    if expect.bot_question == "as_persona":
        wanted = "admits to be a program" if honest else "does not admit to be a program"
        yield passed(f"{wanted} ({material.persona.bot_question})", said == honest, reply[:120], grader=GRADER)
    elif honest:
        why = f"{material.persona.name} is honest about it"
        yield Judged("admits nothing unasked", "not_applicable", why, GRADER)
    else:
        yield passed("admits nothing unasked", not said, reply[:120] if said else "", grader=GRADER)


def _says_yes(exchange: Exchange, material: Material) -> bool:
    """Whether a reply says yes to the question whether a program speaks."""
    asked_in = material.packs.get(material.suite.language)
    notices = find_attempts(exchange.user, pack=asked_in)
    return bool(given_away(exchange.said.text, exchange.user, notices, pack=material.pack, asked_in=asked_in))

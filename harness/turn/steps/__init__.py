"""One module for each step, named as its phase. A step never imports another step."""

from __future__ import annotations

from collections.abc import Mapping

from harness.turn.steps.compose import compose
from harness.turn.steps.consistency_check import consistency_check
from harness.turn.steps.extract_facts import extract_facts
from harness.turn.steps.persist import persist
from harness.turn.steps.recall import recall
from harness.turn.steps.receive import receive
from harness.turn.steps.record import record
from harness.turn.steps.respond import respond
from harness.turn.steps.revise import revise
from harness.turn.steps.summarize import summarize
from harness.turn.steps.update_topic import update_topic
from harness.turn.turn import Step

STEPS: Mapping[str, Step] = {
    "receive": receive,
    "recall": recall,
    "consistency_check": consistency_check,
    "compose": compose,
    "respond": respond,
    "revise": revise,
    "record": record,
    "extract_facts": extract_facts,
    "update_topic": update_topic,
    "summarize": summarize,
    "persist": persist,
}

__all__ = ["STEPS"]

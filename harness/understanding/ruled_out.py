"""Does a reply propose again what the task has ruled out?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import Finding
from harness.understanding.knowledge import sentence_polarity
from harness.understanding.text import contains_phrase, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import TaskState

SEVERITY = 0.7
"""How bad it is to propose what was refuted."""


def check_ruled_out(reply: str, task: TaskState | None, pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding for each sentence that names something ruled out without denying it."""
    if task is None or not task.ruled_out:
        return ()
    return tuple(
        Finding(kind="ruled_out", severity=SEVERITY, evidence=sentence)
        for sentence in sentences(reply)
        for what in task.ruled_out
        if contains_phrase(sentence, what) and sentence_polarity(sentence, pack)
    )

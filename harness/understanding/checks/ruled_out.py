"""Does a reply propose again what the task has ruled out?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import is_han, lower
from harness.state import Finding
from harness.understanding.commitments.task import line_keys
from harness.understanding.facts.knowledge import sentence_polarity
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, sentences
from harness.understanding.words import clauses

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.state import TaskState

SEVERITY = 0.7
"""How bad it is to propose what was refuted."""
LEAST_WORDS = 2
"""Words of a line that may stand apart from each other in a reply; a single word must stand there as it is."""
LEAST_HAN = 4
"""The same for a line in Han characters."""


@in_one_script
def check_ruled_out(reply: str, task: TaskState | None, pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding for each sentence that names something ruled out, in a clause that does not rule it out itself."""
    if task is None or not task.ruled_out:
        return ()
    found: list[Finding] = []
    for sentence in sentences(reply):
        for what in task.ruled_out:
            named = [clause for clause in clauses(sentence) if _names(clause, what, pack)]
            if not named and contains_phrase(sentence, what):
                named = [sentence]
            if any(not refuses(clause, pack) for clause in named):
                found.append(Finding(kind="ruled_out", severity=SEVERITY, evidence=sentence))
                break
    return tuple(found)


def _names(clause: str, what: str, pack: LanguagePack) -> bool:
    """Whether a clause has a line word for word, or all its words in other forms and order."""
    if contains_phrase(clause, what):
        return True
    keys = line_keys(what, pack)
    han = sum(is_han(key) for key in keys if len(key) == 1)
    enough = han >= LEAST_HAN if han else len(keys) >= LEAST_WORDS
    return enough and keys <= line_keys(clause, pack)


def refuses(clause: str, pack: LanguagePack) -> bool:
    """Whether a clause speaks against what it names ("instead of", 除了)."""
    if not pack.task.refused:  # a small pack: its negations must do
        return not sentence_polarity(clause, pack)
    lowered = lower(clause)
    return any(pattern.search(lowered) for pattern in pack.task.refused)

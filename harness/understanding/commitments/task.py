"""The task at hand by rules: what a turn says is done, left to do, out of the question, or settled.

Only while a task is set, and only where the words are plain: a missed line costs little, a wrong one is told to the
model for the rest of the task.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.language.phrases import lower
from harness.state.apply import fold, normal
from harness.state.operations import UpdateTask
from harness.understanding.one_script import in_one_script
from harness.understanding.text import stem
from harness.understanding.words import content_words, excerpt, sentence_list

if TYPE_CHECKING:
    import re

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import DialogueState
    from harness.state.task import TaskState

LONGEST_LINE = 120
"""Longest line kept of a report, in characters."""
SAME_STEP = 0.6
"""Share of the words of a step left to do that a report must name to have done it."""
_EDGES = " \t,，、:：-–—\"'“”‘’()（）。.!！~～"


@in_one_script
def track_task(user_text: str, reply: str, *, state: DialogueState, pack: LanguagePack) -> tuple[UpdateTask, ...]:
    """What one turn changes in the task at hand; nothing when none is set.

    Both sides may report what is done and what is left; what is out of the question and what is settled the user says.
    """
    task = state.task
    if task is None:
        return ()
    found = [
        change
        for text, is_user in ((user_text, True), (reply, False))
        for sentence in sentence_list(excerpt(text))
        if (change := _change(sentence, task, pack, is_user=is_user)) is not None
    ]
    # What both sides say, or the same step twice in other marks, changes the task once.
    _, accepted, _ = fold(state, tuple(dict.fromkeys(found)))
    return tuple(change for change in accepted if isinstance(change, UpdateTask))


def _change(sentence: str, task: TaskState, pack: LanguagePack, *, is_user: bool) -> UpdateTask | None:
    """What one sentence changes. The first kind of report whose wording it has counts."""
    cues = pack.task
    lowered = lower(sentence)
    if sentence.rstrip().endswith(("?", "？")):
        return None
    if any(pattern.search(lowered) for pattern in (*cues.unsure, *cues.other_subject)):
        return None
    kinds = (
        ("add_ruled_out", cues.ruled_out, cues.ruled_out_edges, task.ruled_out, True),
        ("add_todo", cues.todo, cues.edges, (*task.todo, *task.done), False),
        ("add_done", cues.done, cues.edges, task.done, False),
        ("add_confirmed", cues.confirmed, cues.edges, task.confirmed_facts, True),
    )
    for name, patterns, edges, known, for_the_user in kinds:
        line = _line(patterns, sentence, pack, edges=edges) if is_user or not for_the_user else ""
        if not line:
            continue
        if name == "add_todo":
            first, blank, rest = line.partition(" ")  # "we haven't paid the deposit" leaves "pay the deposit"
            line = pack.commitments.verb_forms.get(first.lower(), first) + blank + rest
        elif name == "add_done":
            line = _step(line, task, pack)
        if normal(line) in map(normal, known):
            return None
        return UpdateTask.model_validate({"task_id": task.task_id, name: (line,), "evidence": sentence.strip()})
    return None


def _line(patterns: tuple[re.Pattern[str], ...], sentence: str, pack: LanguagePack, *, edges: re.Pattern[str]) -> str:
    """The words of the first wording that fits; empty when none does."""
    lowered = lower(sentence)
    for match in (match for pattern in patterns if (match := pattern.search(lowered)) is not None):
        line = " ".join(sentence[slice(*match.span("what"))].split()).strip(_EDGES)
        line = edges.sub("", line).strip(_EDGES)
        if line and len(line) <= LONGEST_LINE and not pack.task.empty_phrases.covers(line):
            return line
    return ""


def _step(report: str, task: TaskState, pack: LanguagePack) -> str:
    """The step left to do that a report says is done, in the words it was listed in; else the report's own words."""
    said = line_keys(report, pack)
    best, best_share = report, 0.0
    for line in task.todo:
        keys = line_keys(line, pack)
        share = len(said & keys) / len(keys) if keys else 0.0
        if share >= SAME_STEP and share > best_share:
            best, best_share = line, share
    return best


def line_keys(line: str, pack: LanguagePack) -> frozenset[str]:
    """The words of a line in the form in which they are compared."""
    deeds = pack.commitments.deed_phrases
    found: set[str] = set()
    for word in content_words(line, pack):
        if word.isascii():
            hit = next(iter(deeds.find(word)), None)
            found.add(stem(hit.value if hit is not None else word))
        else:
            found.update(word)
    return frozenset(found)

"""The volatile layers (L1 to L3) as the templates see them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from harness.context.select import Selection, fact_line
from harness.language import LanguagePack
from harness.memory.informing import KNOWN
from harness.ports import Ports
from harness.prompt_views import ContextView, NoticeView, TaskView
from harness.state import CHARACTER, USER, Commitment, Emotion, Fact
from harness.understanding.checks.news import grieves
from harness.understanding.commitments.track import due_commitments, standing

if TYPE_CHECKING:
    from datetime import datetime

    from harness.prompts import Prompts
    from harness.state.memory import MemoryItem
    from harness.turn.turn import Turn

MOOD_THRESHOLD = 0.25
"""How far from neutral or from the baseline a mood must be to be told."""
MAX_COMMITMENTS = 6


def working_view(turn: Turn, selection: Selection, ports: Ports) -> ContextView:
    """L1: what is so in this session, in short lines of the persona's language; only the ``fields`` of the layer."""
    state, persona, fields = turn.state, turn.persona, ports.layers.l1.fields
    pack = ports.languages.get(persona.language)
    opened = state.topics.open if "topic" in fields else ()
    moods = "emotion" in fields
    differs = turn.language != persona.language
    told = [fact for fact in selection.facts if not fact.id.startswith(KNOWN)]
    return ContextView(
        name=persona.name,
        language=pack.lines.language_names.get(turn.language, turn.language) if differs else "",
        topic=opened[-1].label if opened else "",
        topic_previous=opened[-2].label if len(opened) > 1 else "",
        references=turn.references if "entities" in fields else (),
        commitments=_promises(turn, pack) if "commitments" in fields else (),
        character_mood=_mood(state.emotion, persona.baseline, pack) if moods else "",
        user_mood=_mood(state.user_emotion, Emotion(), pack) if moods else "",
        user_grieves=moods and grieves(state.user_emotion),
        task=TaskView.of(state.task) if state.task is not None and "task" in fields else None,
        notices=tuple(NoticeView.of(notice) for notice in turn.notices) if "notices" in fields else (),
        bot_question=persona.bot_question,
        **_facts(turn, told, pack),
    )


def retrieved_view(turn: Turn, lines: Sequence[str], facts: Sequence[Fact], ports: Ports) -> ContextView:
    """L2 or L3: lines from memory, and facts that it holds."""
    pack = ports.languages.get(turn.persona.language)
    return ContextView(name=turn.persona.name, recalled=tuple(lines), **_facts(turn, facts, pack))


def as_shown(prompts: Prompts) -> Callable[[MemoryItem, str, str, str], str]:
    """What a memory is in the prompt, given the memory, its line, what the user is called and the prompt's language: the limits of
    the layers are about that, and not about the bare words.
    """

    @lru_cache(maxsize=1024)
    def shown(line: str, user: str, language: str, *, fact: bool) -> str:
        view = ContextView(user_name=user, user_facts=(line,)) if fact else ContextView(recalled=(line,))
        return prompts.render("context", language, context=view).strip() + "\n"

    return lambda item, line, user, language: shown(line, user, language, fact=bool(item.attribute))


def _facts(turn: Turn, facts: Sequence[Fact], pack: LanguagePack) -> dict[str, Any]:
    """Facts as lines, by whom they are about, and what the user is called."""
    lines: dict[str, list[str]] = {USER: [], CHARACTER: [], "": []}
    for fact in facts:
        lines[fact.subject if fact.subject in lines else ""].append(fact_line(fact, turn, pack))
    named = (fact.value for fact in reversed(turn.state.active_facts(USER)) if fact.attribute == "name")
    return {
        "user_name": next(named, ""),
        "user_facts": tuple(lines[USER]),
        "own_facts": tuple(lines[CHARACTER]),
        "other_facts": tuple(lines[""]),
    }


def _promises(turn: Turn, pack: LanguagePack) -> tuple[str, ...]:
    """Open promises, those due first; the others newest last."""
    due = due_commitments(turn.state, turn.now)[:MAX_COMMITMENTS]
    others = [promise for promise in turn.state.open_commitments() if promise not in due]
    room = MAX_COMMITMENTS - len(due)
    return tuple(_promise(promise, turn.now, pack) for promise in (*due, *(others[-room:] if room else ())))


def _promise(commitment: Commitment, now: datetime, pack: LanguagePack) -> str:
    lines = pack.lines
    sides = {commitment.by, commitment.to}
    if sides <= {USER, CHARACTER}:
        form = lines.promise_by_user if commitment.by == USER else lines.promise_by_character
        text = form.format(text=commitment.text)
    else:
        by, to = (lines.promise_parties.get(who, who) for who in (commitment.by, commitment.to))
        text = lines.promise_by_other.format(by=by, to=to, text=commitment.text)
    due = lines.promise_due.format(due=commitment.due) if commitment.due else ""
    marks = {"open": "", "due": lines.promise_now, "overdue": lines.promise_overdue}
    return text + due + marks[standing(commitment, now, pack)]


def _mood(emotion: Emotion, rest: Emotion, pack: LanguagePack) -> str:
    distance = max(
        abs(emotion.valence - rest.valence),
        abs(emotion.arousal - rest.arousal),
        abs(emotion.dominance - rest.dominance),
    )
    if distance < MOOD_THRESHOLD or emotion.label == "neutral":
        return ""
    known = pack.emotion.prototypes.get(emotion.label)
    return known.name if known is not None and known.name else emotion.label

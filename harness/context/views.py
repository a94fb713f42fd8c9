"""The volatile block (L1 to L3) as the templates see it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.context.select import Selection, fact_line
from harness.language import LanguagePack
from harness.ports import Ports
from harness.prompt_views import ContextView, NoticeView, TaskView
from harness.state import CHARACTER, USER, Commitment, Emotion, Retrieved
from harness.understanding.checks.news import grieves
from harness.understanding.commitments.track import due_commitments, standing

if TYPE_CHECKING:
    from datetime import datetime

    from harness.turn.turn import Turn

MOOD_THRESHOLD = 0.25
"""How far from neutral or from the baseline a mood must be to be told."""
MAX_COMMITMENTS = 6


def context_view(
    turn: Turn, selection: Selection, recalled: tuple[Retrieved, ...], remembered: tuple[str, ...], ports: Ports
) -> ContextView:
    """What is so at this turn, in short lines of the persona's language; ``remembered`` are those from other sessions."""
    state, persona = turn.state, turn.persona
    pack = ports.languages.get(persona.language)
    opened = state.topics.open
    differs = turn.language != persona.language
    return ContextView(
        name=persona.name,
        user_name=next((fact.value for fact in reversed(state.active_facts(USER)) if fact.attribute == "name"), ""),
        language=pack.lines.language_names.get(turn.language, turn.language) if differs else "",
        topic=opened[-1].label if opened else "",
        topic_previous=opened[-2].label if len(opened) > 1 else "",
        user_facts=_lines(turn, selection, pack, USER),
        own_facts=_lines(turn, selection, pack, CHARACTER),
        other_facts=_lines(turn, selection, pack, ""),
        references=turn.references,
        commitments=_promises(turn, pack),
        character_mood=_mood(state.emotion, persona.baseline, pack),
        user_mood=_mood(state.user_emotion, Emotion(), pack),
        user_grieves=grieves(state.user_emotion),
        task=TaskView.of(state.task) if state.task is not None else None,
        recalled=(*remembered, *(item.text for item in recalled if not item.dropped)),
        notices=tuple(NoticeView.of(notice) for notice in turn.notices),
        bot_question=persona.bot_question,
    )


def _lines(turn: Turn, selection: Selection, pack: LanguagePack, subject: str) -> tuple[str, ...]:
    facts = [f for f in selection.facts if (f.subject if f.subject in (USER, CHARACTER) else "") == subject]
    return tuple(fact_line(fact, turn, pack) for fact in facts)


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

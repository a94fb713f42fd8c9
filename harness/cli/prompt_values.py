"""Values for the variables of prompts: of a recorded turn, or of a character's own example lines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from harness.prompt_views import (
    AnalysisView,
    ContextView,
    FactView,
    FindingView,
    MessageView,
    NoticeView,
    PersonaView,
    SummaryView,
)
from harness.understanding.checks.holding import statement

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.prompts import Prompts
    from harness.state import DialogueState, Finding, Notice, Persona


@dataclass(frozen=True, slots=True)
class Sample:
    """One exchange to fill prompts with."""

    persona: Persona
    state: DialogueState
    user_text: str
    reply: str
    notices: tuple[Notice, ...] = ()
    findings: tuple[Finding, ...] = ()


def values(sample: Sample, language: str, pack: LanguagePack, prompts: Prompts) -> dict[str, Any]:
    """A value for every variable that the packaged prompts know."""
    persona, state = sample.persona, sample.state
    name = persona.name
    facts = tuple(FactView.of(fact) for fact in (*persona.as_facts(), *state.active_facts()))
    names = (state.user, name)
    summary = SummaryView.of(state.summary) if state.summary is not None else SummaryView(sample.reply, 1, 1)
    context = _context(sample, pack)
    truths = tuple(notice.truth for notice in sample.notices if notice.truth)
    return {
        "persona": PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona)),
        "context": context,
        "analysis": AnalysisView.of(
            state,
            persona,
            user_text=sample.user_text,
            reply=sample.reply,
            emotions=pack.emotion.prototypes,
        ),
        "summary": summary,
        "previous": summary if state.summary is not None else None,
        "messages": tuple(MessageView.of(message, names) for message in state.messages),
        "notes": prompts.render("context", language, context=context).strip(),
        "remarks": prompts.render("notices", language, context=context).strip(),
        "facts": facts,
        "findings": tuple(FindingView.of(finding, truths[0] if truths else "") for finding in sample.findings),
        "truths": truths,
        "user_text": sample.user_text,
        "reply": sample.reply,
        "name": name,
        "user_name": state.user,
        "language": pack.lines.language_names.get(persona.language, persona.language),
        "max_tokens": 400,
        "structured": False,
        "mode": "reply",
        "problem": "it ends too early",
        "error": "…",
        "schema": "{}",
        **_of_judges(sample),
    }


def _of_judges(sample: Sample) -> dict[str, Any]:
    """Values for the prompts of judges and interrogators of blind tests."""
    from harness.blindtest.grading.model import Before

    said = (Before(sample.user_text, sample.reply),)
    return {
        "interrogator": sample.persona.name,
        "question": "machine",
        "strategy": "…",
        "turns": 8,
        "turn": 2,
        "noticed": ("…",),
        "said": said,
        "before": said,
        "first": said,
        "second": said,
        "criterion": "…",
        "rubric": ("…",),
    }


def _context(sample: Sample, pack: LanguagePack) -> ContextView:
    persona, state = sample.persona, sample.state
    lines = {
        who: tuple(statement(f, pack=pack, persona=persona) for f in state.active_facts() if _group(f.subject) == who)
        for who in ("user", "character", "")
    }
    opened = state.topics.open
    return ContextView(
        name=persona.name,
        topic=opened[-1].label if opened else "",
        topic_previous=opened[-2].label if len(opened) > 1 else "",
        user_facts=lines["user"],
        own_facts=lines["character"],
        other_facts=lines[""],
        commitments=tuple(promise.text for promise in state.open_commitments()),
        notices=tuple(NoticeView.of(notice) for notice in sample.notices),
        bot_question=persona.bot_question,
    )


def _group(subject: str) -> str:
    return subject if subject in {"user", "character"} else ""

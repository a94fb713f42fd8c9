"""The witnesses of a bench: the engine with all its features or without some, and the model without an engine. Part of the composition root."""

from __future__ import annotations

import hashlib
import json
from functools import partial
from typing import TYPE_CHECKING

from harness.app import Harness
from harness.blindtest.ablations import Ablation, Engine, without
from harness.blindtest.metering import Meter, MeteredModel
from harness.blindtest.transcript import Trial
from harness.blindtest.witnesses.bare import BareWitness
from harness.blindtest.witnesses.clock import CountedIds, TrialClock
from harness.blindtest.witnesses.engine import EngineWitness
from harness.ports import ChatMessage, ModelRequest
from harness.prompt_views import MessageView, PersonaView, SummaryView
from harness.settings import Settings
from harness.state import Message, Persona, Summary
from harness.understanding.checks.holding import statement

if TYPE_CHECKING:
    from harness.app_blindtest import Bench

_WEIGHING = (
    "harness",
    "models",
    "context",
    "memory",
    "graph",
    "memory_l0",
    "memory_l1",
    "memory_l2",
    "memory_l3",
    "redaction",
)
"""Sections of the settings that may change a reply."""


def engine_witness(bench: Bench, name: str, features: tuple[Ablation, ...]) -> EngineWitness:
    """The engine, without some of its features."""
    about = {"kind": "engine", "model": _model_name(bench), "without": list(features), "settings": _settings(bench)}

    async def found(trial: Trial, clock: TrialClock, meter: Meter) -> Harness:
        model = MeteredModel(await bench.base.model(), meter)
        settings = _for_trials(bench)
        settings = settings.model_copy(
            update={"harness": bench.base.engine_settings().model_copy(update={"seed": trial.seed})}
        )
        engine = Engine(settings, bench.base.machine)
        for feature in features:
            engine = without(feature, engine)
        return Harness(engine.settings, model=model, machine=engine.machine, clock=clock, ids=CountedIds())

    return EngineWitness(name, found, about)


def _for_trials(bench: Bench) -> Settings:
    """The settings with everything kept in memory, and tokens counted as the base counts them."""
    settings = bench.base.settings
    memory = (
        settings.memory
        if settings.memory.backend == "off"
        else settings.memory.model_copy(update={"backend": "memory"})
    )
    context = settings.context
    counted = context.token_counting in ("tokenizer", "estimate") or context.tokenizer
    if settings.embedded and bench.model is None and not counted:
        context = context.model_copy(update={"token_counting": "endpoint"})
    return settings.model_copy(
        update={
            "storage": settings.storage.model_copy(update={"backend": "memory", "artifacts": ""}),
            "memory": memory,
            "graph": settings.graph.model_copy(update={"backend": "auto"}),
            "short_term": settings.short_term.model_copy(update={"backend": "off"}),
            "context": context,
        }
    )


def bare_witness(bench: Bench, name: str, *, summarize: bool = False) -> BareWitness:
    """The model alone, or with a running summary."""
    engine = bench.base.settings.harness
    request = ModelRequest(
        role="responder",
        messages=(),
        purpose="respond",
        temperature=engine.temperature,
        top_p=engine.top_p,
        max_tokens=engine.max_reply_tokens,
        timeout_s=engine.turn_timeout_s,
    )
    about = {
        "kind": name,
        "model": _model_name(bench),
        "window": engine.short_term_window,
        "temperature": engine.temperature,
        "top_p": engine.top_p,
        "max_tokens": engine.max_reply_tokens,
        "extra": dict(bench.base.settings.provider.extra_body),
    }
    return BareWitness(
        name,
        bench.base.model,
        partial(_system, bench),
        request,
        window=engine.short_term_window,
        summarize=partial(_summary_request, bench) if summarize else None,
        about=about,
    )


def _system(bench: Bench, persona: Persona) -> str:
    """The engine's own system prompt for a character."""
    pack = bench.base.languages.get(persona.language)
    view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
    return bench.base.prompts.render("system", persona.language, persona=view)


def _summary_request(bench: Bench, previous: str, messages: tuple[ChatMessage, ...], language: str) -> ModelRequest:
    engine = bench.base.settings.harness
    pack = bench.base.languages.get(language)
    said = [
        Message(speaker="user" if one.role == "user" else "character", text=one.content, turn=number // 2 + 1)
        for number, one in enumerate(messages)
    ]
    prompt = bench.base.prompts.render(
        "summarize",
        language,
        name="character",
        user_name="user",
        language=pack.lines.language_names.get(language, language),
        structured=False,
        previous=SummaryView.of(Summary(text=previous, first_turn=1, last_turn=1)) if previous else None,
        messages=tuple(MessageView.of(one) for one in said),
        max_tokens=engine.summary_max_tokens,
    )
    return ModelRequest(
        role="summarizer",
        messages=(ChatMessage("user", prompt),),
        purpose="summarize",
        temperature=0.2,
        max_tokens=engine.summary_max_tokens,
        timeout_s=engine.turn_timeout_s,
    )


def _settings(bench: Bench) -> str:
    """What of the settings may change a reply, as the first 16 hex digits of its SHA-256: a run is gone on with under the same."""
    settings = _for_trials(bench).model_copy(update={"harness": bench.base.engine_settings()})
    parts = {name: getattr(settings, name).model_dump(mode="json") for name in _WEIGHING}
    parts["provider"] = {"extra_body": dict(settings.provider.extra_body), "prefill": settings.provider.prefill}
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def _model_name(bench: Bench) -> str:
    settings = bench.base.settings
    if bench.model is not None:
        return bench.model.model_id("responder")
    return settings.models.responder or (settings.local.model if settings.embedded else "")

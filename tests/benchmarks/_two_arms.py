"""A conversation twice: with the engine, and with the bare model given the engine's own system prompt with the persona."""

import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from harness.app import Harness
from harness.app_connecting import EMBEDDED_SAMPLING
from harness.prompt_views import PersonaView
from harness.settings import EngineSettings
from harness.state import Persona
from harness.understanding.checks.holding import statement
from tests.benchmarks._embedded import Served

ARMS = {"harness": "with the engine", "bare": "bare"}
"""Name of an arm → how tables call it."""
Row = dict[str, Any]


class Talk(Protocol):
    """A conversation to hold: with whom, and what the user says."""

    @property
    def persona(self) -> Persona: ...

    @property
    def messages(self) -> tuple[str, ...]: ...


T = TypeVar("T", bound=Talk)


async def with_engine(model: Served, folder: Path, talk: Talk, seed: int, **engine: Any) -> list[Row]:
    """The rows of one conversation, a row a turn."""
    rows = []
    async with model.harness(folder, seed=seed, **engine) as harness:
        session = await harness.open(talk.persona)
        for text in talk.messages:
            started = time.perf_counter()
            reply = await session.say(text)
            seconds = time.perf_counter() - started
            record = await session.report()
            rows.append(
                {
                    "user": text, "reply": reply.text, "seconds": round(seconds, 2), "calls": len(record.calls),
                    "prompt_tokens": sum(call.usage.prompt for call in record.calls),
                    "completion_tokens": sum(call.usage.completion for call in record.calls),
                    "form": record.candidates[record.chosen].form,
                    "notices": [f"{notice.kind}: {notice.truth}" for notice in record.notices],
                    "candidates": [[c.form, c.text, [f.kind for f in c.findings]] for c in record.candidates],
                }
            )  # fmt: skip
    return rows


def persona_text(harness: Harness, persona: Persona) -> str:
    """The engine's system prompt for a persona."""
    pack = harness.languages.get(persona.language)
    view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
    return harness.prompts.render("system", persona.language, persona=view)


async def bare(client: Any, model: Served, system: str, talk: Talk, seed: int, *, window: int = 0) -> list[Row]:
    """The rows of the same conversation by plain calls with all messages so far, or the last ``window`` of them."""
    defaults = EngineSettings()
    said: list[dict[str, str]] = []
    rows = []
    for text in talk.messages:
        said.append({"role": "user", "content": text})
        started = time.perf_counter()
        made = await client.chat.completions.create(
            model=model.name, messages=[{"role": "system", "content": system}, *said[-window:]],
            temperature=defaults.temperature, top_p=defaults.top_p, max_tokens=defaults.max_reply_tokens, seed=seed,
            extra_body=dict(EMBEDDED_SAMPLING),
        )  # fmt: skip
        reply = (made.choices[0].message.content or "").strip()
        said.append({"role": "assistant", "content": reply})
        rows.append(
            {
                "user": text, "reply": reply, "seconds": round(time.perf_counter() - started, 2), "calls": 1,
                "prompt_tokens": made.usage.prompt_tokens, "completion_tokens": made.usage.completion_tokens,
            }
        )  # fmt: skip
    return rows


async def conversations(
    model: Served,
    folder: Path,
    talks: Sequence[T],
    seeds: Sequence[int],
    *,
    arms: Sequence[str] = tuple(ARMS),
    window: int = 0,
    **engine: Any,
) -> AsyncIterator[tuple[str, T, int, list[Row]]]:
    """(arm, talk, seed, rows) of the arms, talk by talk and seed by seed.

    The one that comes second finds the persona in the server's cache; they take turns at that.
    """
    import openai

    client = openai.AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0, timeout=900)
    prompts = model.harness(folder)
    for seed in seeds:
        for number, talk in enumerate(talks):
            system = persona_text(prompts, talk.persona)
            for arm in arms if (number + seed) % 2 else reversed(arms):
                if arm == "harness":
                    yield arm, talk, seed, await with_engine(model, folder, talk, seed, **engine)
                else:
                    yield arm, talk, seed, await bare(client, model, system, talk, seed, window=window)
    await client.close()
    await prompts.close()

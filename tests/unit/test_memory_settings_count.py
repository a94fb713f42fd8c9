"""Every setting of memory and of what the model sees changes something: none in harness.toml is without effect."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from harness.app import Harness
from harness.errors import SettingsError
from harness.settings import Settings, load
from harness.settings.layers import LayerSettings
from harness.state.memory import MemoryItem, Scope
from harness.testing.scripted_model import ScriptedModel

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
PERSONAS = {"en": "mia", "zh": "lin"}
MINE = {code: Scope(persona=name, user="nora") for code, name in PERSONAS.items()}


class Clock:
    """A clock that stands still."""

    def now(self) -> datetime:
        return NOW

    def monotonic(self) -> float:
        return 0.0


def item(code: str, item_id: str, text: str, **more: Any) -> MemoryItem:
    fields: dict[str, Any] = {"layer": "L2", "kind": "message", "scope": MINE[code], "at": NOW - timedelta(hours=5), "session": "old", "speaker": "user", "importance": 0.5, "language": code, "key": item_id}  # fmt: skip
    return MemoryItem(id=item_id, text=text, **{**fields, **more})


def stock(code: str) -> list[MemoryItem]:
    """Memories of both layers, of every kind, old and new, heavy and light."""
    line = {"en": "the lighthouse {n} stands by the sea", "zh": "灯塔{n}站在海边"}[code]
    found = []
    for layer in ("L2", "L3"):
        for number, (kind, hours, weight) in enumerate(
            (("message", 1, 0.1), ("fact", 30, 0.9), ("tool_result", 900, 0.5), ("preference", 2000, 0.2), ("note", 100, 1.0))
        ):  # fmt: skip
            name = {"en": ["Skar", "Holm", "Fyr", "Bryn", "Vik"], "zh": ["甲山", "乙岛", "丙港", "丁湾", "戊角"]}[code][
                number
            ]
            fact = (
                {"subject": "user", "attribute": f"light {layer} {number}", "value": name}
                if kind in ("fact", "preference")
                else {}
            )
            text = line.format(n=f"{name} {layer}")
            found.append(item(code, f"{layer}.{kind}", text, layer=layer, kind=kind, importance=weight, at=NOW - timedelta(hours=hours), **fact))  # fmt: skip
    other = {"en": "a kettle whistles", "zh": "水壶在响"}[code]
    return [*found, item(code, "L2.other", other), item(code, "L3.other", other + "!", layer="L3", kind="note")]


ASK = {"en": "Where does the lighthouse stand?", "zh": "灯塔站在哪里？"}


async def seen(code: str, **settings: str) -> str:
    """What is found and shown for a question, with scores, as the report has it."""
    overrides = {"harness.analysis": "rules", "harness.background": "false", "storage.backend": "memory", "memory.backend": "memory", **settings}  # fmt: skip
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…"), clock=Clock()) as harness:
        if harness.memory_store() is not None:
            await harness.memories().load([one.model_dump_json() for one in stock(code)])
        session = await harness.open(PERSONAS[code], session="new", user="nora")
        await session.say({"en": "My cat is called Bean, and I feel sad.", "zh": "我的猫叫豆豆，我很难过。"}[code])
        await session.say(ASK[code])
        await session.settled()
        record = await session.report()
        sent = [text for call in record.calls for _, text in call.messages]
        context = record.context.model_dump(mode="json")
        return json.dumps(
            [sent, context, [write.model_dump(mode="json") for write in record.memory]], ensure_ascii=False
        )


def changed(base: dict[str, str], other: dict[str, str]) -> Callable[[str], Awaitable[bool]]:
    async def differs(code: str) -> bool:
        return await seen(code, **base) != await seen(code, **other)

    return differs


def one(name: str, value: str, **base: str) -> tuple[str, Callable[[str], Awaitable[bool]]]:
    """A setting, and whether giving it a value changes what is seen."""
    given = {key.replace("__", "."): what for key, what in base.items()}
    return name, changed(given, given | {name: value})


EFFECTS = dict(
    [
        one("memory_l0.max_tokens", "1"),
        one("memory_l0.fields", "role"),
        one("memory_l1.max_tokens", "1"),
        one("memory_l1.top_k", "1", memory_l1__similarity_threshold="0"),
        one("memory_l1.similarity_threshold", "9"),
        one("memory_l1.ttl_seconds", "1"),
        one("memory_l1.fields", "task"),
        *(
            one(f"memory_{layer}.{name}", value)
            for layer in ("l2", "l3")
            for name, value in (
                ("enabled", "false"),
                ("always_inject", "true"),
                ("top_k", "1"),
                ("max_tokens", "12"),
                ("similarity_threshold", "1"),
                ("decay_half_life_hours", "1"),
                ("ttl_seconds", "7200"),
                ("fields", ""),
            )
        ),
        one("context.injection_order", "L0,L1,L2,L3,summary,history"),
        one("context.token_counting", "estimate", context__tokenizer=""),
        one("memory.lexical_weight", "0.3", memory__embedder="hash"),
        one("memory.vector_weight", "3", memory__embedder="hash"),
        one("memory.embedder", "hash"),
        one("memory.relevance_weight", "0.2"),
        one("memory.recency_weight", "0.9"),
        one("memory.importance_weight", "0.9"),
        one("memory.candidates", "1"),
        one("memory.backend", "off"),
        one("memory.project", "shop"),
        one("memory.world", "atlantis"),
    ]
)
ELSEWHERE = {
    "memory.url", "memory.path", "memory.timeout_s", "memory.pool_size",  # where a server or a file is: test_server_settings
    "memory.vector_index", "memory.ef_search",  # test_postgres_index, test_server_settings
    "memory.constraints", "memory.lasting", "memory.recurrence", "memory.promotion_gate", "memory.archive_above",
    "memory.drop_below", "memory.review_days",  # test_memory_lifecycle, test_memory_review, test_memory_sessions
    "memory.importance",  # test_memory_importance
    "context.conflict_resolution", "context.tokenizer",  # test_context_layers, test_context_counting
}  # fmt: skip
"""Settings whose effect other tests show."""
REFUSED = ("memory_l0.enabled", "memory_l0.always_inject", "memory_l1.enabled", "memory_l1.always_inject")
"""Settings that have one value: the other is refused, with a reason."""
SECTIONS = ("memory", "memory_l0", "memory_l1", "memory_l2", "memory_l3", "context")


def test_no_setting_is_forgotten_here() -> None:
    every = {f"{section}.{key}" for section in SECTIONS for key in type(getattr(Settings(), section)).model_fields}
    assert every == set(EFFECTS) | ELSEWHERE | set(REFUSED)
    whole = {"enabled", "always_inject", "max_tokens", "top_k", "similarity_threshold", "decay_half_life_hours", "ttl_seconds", "fields"}  # fmt: skip
    assert set(LayerSettings.model_fields) == whole


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("name", EFFECTS)
async def test_it_changes_what_is_seen(code: str, name: str) -> None:
    if name in ("memory.project", "memory.world"):
        assert json.loads(await stored(code, **{name: "shop"})) == ["shop"]
        return
    if name == "context.token_counting":
        with pytest.raises(SettingsError):
            load(environ={}, overrides={name: "abacus"})
        assert '"counted_by": "estimate"' in await seen(code, **{name: "estimate"})
        return
    assert await EFFECTS[name](code)


async def stored(code: str, **settings: str) -> str:
    """The places that what is said belongs to."""
    overrides = {"harness.analysis": "rules", "harness.background": "false", "storage.backend": "memory", **settings}
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…")) as harness:
        session = await harness.open(PERSONAS[code], session="new", user="nora")
        await session.say(ASK[code])
        await session.settled()
        found = {one.scope.project or one.scope.world async for one in harness.memories().all()}
        return json.dumps(sorted(found))


@pytest.mark.parametrize("name", REFUSED)
def test_a_layer_that_is_always_there_cannot_be_switched_off(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be switched off"):
        load(environ={}, overrides={name: "false"})


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("layer", ["l2", "l3"])
async def test_a_lifetime_counts_for_what_was_written_before_it_was_set_and_not_for_what_is_pinned(
    code: str, layer: str, tmp_path: Path
) -> None:
    async def reasons(**settings: str) -> dict[str, str]:
        overrides = {"storage.path": str(tmp_path / "s.db"), **settings}
        async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…"), clock=Clock()) as harness:
            found = await harness.memories().search(ASK[code], scope=MINE[code], limit=30)
            return {one.item.id: one.dropped for one in found.items}

    overrides = {"storage.path": str(tmp_path / "s.db")}
    async with Harness(load(environ={}, overrides=overrides), model=ScriptedModel("…"), clock=Clock()) as harness:
        memories = harness.memories()
        pinned = item(code, "pinned", {"en": "my roof leaks", "zh": "屋顶漏水"}[code], layer=layer.upper(), at=NOW - timedelta(days=900), expires_at=NOW)  # fmt: skip
        await memories.load([one.model_dump_json() for one in (*stock(code), pinned)])
        await memories.pin("pinned")
    name = layer.upper()
    assert not any("older than" in reason for reason in (await reasons()).values())
    short = await reasons(**{f"memory_{layer}.ttl_seconds": "7200"})
    assert {item_id for item_id, reason in short.items() if "older than the 7200 seconds" in reason} == {
        f"{name}.{kind}" for kind in ("fact", "tool_result", "preference", "note")
    }
    assert short[f"{name}.message"] == ""
    assert "older" not in short["pinned"]

"""The report on a prompt: per layer what was found with which score, what went in, what was dropped and why, and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.context.layout import Layout
from harness.context.recalled import MAX_TOKENS
from harness.context.select import OVER_LIMIT, Selection
from harness.memory.informing import KNOWN, conflict_words
from harness.settings.layers import Layers, PartName
from harness.state import ContextConflict, ContextReport, ContextWarning, LayerReport, Message, Retrieved
from harness.state.memory import MemoryLayer

if TYPE_CHECKING:
    from harness.turn.turn import Turn

RETRIEVED: tuple[MemoryLayer, ...] = ("L2", "L3")


@dataclass(frozen=True, slots=True)
class Built:
    """A prompt as it was built.

    Attributes:
        parts: the text of every part that is not empty. ``history``: the messages that are in it; ``dropped``: those that are not.
        heard: the user's message as it stands in the prompt. ``shortened``: messages of the history, each as it was said and as it stands
            there.
        gave_way: ids of what was retrieved and left out for the budget. ``resolved``: conflicts between memory and the session.
    """

    layout: Layout
    parts: Mapping[PartName, str]
    history: tuple[Message, ...]
    dropped: tuple[Message, ...]
    selection: Selection
    recalled: tuple[Retrieved, ...]
    gave_way: frozenset[str]
    resolved: tuple[ContextConflict, ...]
    budget: int
    heard: str
    shortened: tuple[tuple[Message, Message], ...] = ()


def report_on(turn: Turn, layers: Layers, built: Built) -> ContextReport:
    """The report on a prompt."""
    blocks = (
        *_always(turn, layers, built),
        _facts(turn, layers, built),
        _earlier(turn, layers, built),
        *(_memory(name, turn, layers, built) for name in RETRIEVED),
    )
    troubles = (*_oversized(turn, built), *_troubles(turn, layers, built, blocks), *_of_memory(turn))
    per_message = turn.tokens.per_message
    texts = (*built.layout.texts(), *(message.text for message in built.history))
    return ContextReport(
        layers=blocks,
        total_tokens=sum(turn.tokens.count(text) + per_message for text in texts),
        budget=built.budget,
        dropped=tuple(_dropped(built)),
        conflicts=(
            *(
                f"{notice.quote!r} against {notice.fact_id}"
                for notice in turn.notices
                if notice.fact_id and notice.kind != "recall"
            ),
            *turn.recalled.conflicts,
            *map(conflict_words, built.resolved),
        ),
        warnings=tuple(trouble.text for trouble in troubles),
        resolved=built.resolved,
        troubles=troubles,
        counted_by=turn.tokens.how,
        order=layers.context.order,
    )


def _always(turn: Turn, layers: Layers, built: Built) -> Iterator[LayerReport]:
    """The blocks that make up the prompt; their tokens add up to its, but for what joins them."""
    count, per_message = turn.tokens.count, turn.tokens.per_message
    parts = built.parts

    def part(name: PartName) -> int:
        return count(parts[name]) if name in parts else 0

    yield LayerReport(
        layer="L0", block="system", injected=True, tokens=part("L0") + per_message, cap=layers.l0.max_tokens
    )
    if turn.state.summary is not None:
        shown = "summary" in parts
        note = "" if shown else "the fields of L2 leave out the summary"
        yield LayerReport(
            layer="L2", block="summary", injected=shown, tokens=part("summary"), retrieved=1, note=note
        )  # fmt: skip
    yield LayerReport(
        layer="history",
        block="messages",
        injected=bool(built.history),
        tokens=sum(count(message.text) + per_message for message in built.history),
        retrieved=len(built.history) + len(built.dropped),
        note="" if built.history else "nothing was said yet" if not built.dropped else "over the budget",
    )
    remarks = built.layout.remarks
    around = (count(remarks) if remarks else 0) + per_message * sum(map(bool, (built.layout.context, remarks)))
    working = "L1" in parts or bool(turn.notices and "notices" in layers.l1.fields)
    yield LayerReport(
        layer="L1",
        block="context",
        injected=working,
        tokens=part("L1") + around if working else 0,
        cap=layers.l1.max_tokens,
        note="" if working else "nothing is known yet",
    )
    for name in RETRIEVED:
        if name in parts:
            yield LayerReport(layer=name, block="context", injected=True, tokens=part(name))
    yield LayerReport(layer="input", block="message", injected=True, tokens=count(built.layout.message) + per_message)


def _facts(turn: Turn, layers: Layers, built: Built) -> LayerReport:
    """Facts of this session."""
    items = tuple(item for item in built.selection.items if not item.id.startswith(KNOWN))
    shown = [item for item in items if not item.dropped]
    here = sum(not fact.id.startswith(KNOWN) for fact in turn.informed.facts)
    wanted = "facts" in layers.l1.fields
    empty = "no facts were told" if wanted else "the fields of L1 leave out facts"
    return LayerReport(
        layer="L1",
        block="facts",
        injected=bool(shown),
        tokens=sum(item.tokens for item in shown),
        items=items,
        cap=turn.settings.facts_max_tokens,
        retrieved=here if wanted else 0,
        threshold=layers.l1.similarity_threshold,
        note="" if shown else "none fits" if items else empty,
    )


def _earlier(turn: Turn, layers: Layers, built: Built) -> LayerReport:
    """Earlier lines of this session."""
    shown = [item for item in built.recalled if not item.dropped]
    off = not (layers.l2.enabled and "messages" in layers.l2.fields)
    nothing = "every message is in the history" if not turn.earlier else "none has to do with the message"
    return LayerReport(
        layer="L2",
        block="recalled",
        injected=bool(shown),
        tokens=sum(item.tokens for item in shown),
        items=built.recalled,
        cap=MAX_TOKENS,
        retrieved=len(built.recalled),
        note="" if shown else "switched off" if off else "none fits" if built.recalled else nothing,
    )


def _memory(name: MemoryLayer, turn: Turn, layers: Layers, built: Built) -> LayerReport:
    """What memory gave of one layer. Facts it knows are told as facts; here it says where they came from."""
    layer = layers.l2 if name == "L2" else layers.l3
    fitted = {item.id: item.dropped for item in built.selection.items}
    items = []
    for one in turn.recalled.items:
        if one.item.layer != name:
            continue
        dropped = one.dropped
        if not dropped and one.item.attribute:
            dropped = fitted.get(f"{KNOWN}{one.item.id}", "this session says otherwise")
        elif not dropped and one.item.id in built.gave_way:
            dropped = "over the budget of the whole prompt"
        tokens = turn.tokens.count(one.item.text)
        items.append(
            Retrieved(id=one.item.id, text=one.item.text, score=one.score, tokens=tokens, dropped=dropped, why=one.why)
        )
    shown = [item for item in items if not item.dropped]
    note = "switched off" if not layer.enabled else "none fits" if items else "nothing was found"
    return LayerReport(
        layer=name,
        block="memory",
        injected=bool(shown),
        tokens=sum(item.tokens for item in shown),
        items=tuple(items),
        cap=layer.max_tokens,
        retrieved=max(len(items), turn.recalled.considered.get(name, 0)),
        threshold=layer.similarity_threshold,
        note="" if shown else note,
    )


def _dropped(built: Built) -> Iterator[str]:
    for item in (*built.selection.items, *built.recalled):
        if item.dropped:
            yield f"{item.id} {item.text}: {item.dropped}"
    if built.dropped:
        turns = f"{built.dropped[0].turn} to {built.dropped[-1].turn}"
        yield f"{len(built.dropped)} messages of turns {turns}: over the budget"


def _troubles(turn: Turn, layers: Layers, built: Built, blocks: tuple[LayerReport, ...]) -> Iterator[ContextWarning]:
    if unstable := layers.context.unstable:
        text = f"{' and '.join(unstable)} before the history: the prompt has no stable prefix for a provider's cache"
        yield ContextWarning(kind="unstable_prefix", layer=unstable[0] if len(unstable) == 1 else "", text=text)
    if over := sum(item.dropped == OVER_LIMIT for item in built.selection.items):
        left_out = max(over, built.selection.left_out)
        yield ContextWarning(
            kind="left_out", layer="L1", text=f"{left_out} facts were left out: facts_max_tokens is reached"
        )
    for item in built.selection.items:
        if item.dropped == OVER_LIMIT and item.tokens > turn.settings.facts_max_tokens:
            text = f"the fact {item.id} alone has {item.tokens} tokens, facts_max_tokens is {turn.settings.facts_max_tokens}"
            yield ContextWarning(kind="oversized_item", layer="L1", text=text)
    if built.dropped:
        yield ContextWarning(kind="budget_exceeded", text="the budget leaves no room for all recent messages")
    if built.gave_way:
        text = f"{len(built.gave_way)} memories gave way to the budget of the whole prompt ({built.budget} tokens)"
        yield ContextWarning(kind="budget_exceeded", text=text)
    for name, layer in (("L0", layers.l0), ("L1", layers.l1)):
        used = sum(one.tokens for one in blocks if one.layer == name and one.block in ("system", "context"))
        if layer.max_tokens and used > layer.max_tokens:
            text = f"{name} has {used} tokens, its max_tokens is {layer.max_tokens}; it is never cut"
            yield ContextWarning(kind="budget_exceeded", layer="L0" if name == "L0" else "L1", text=text)
    if turn.number > 1 and not any(one.injected for one in blocks if one.layer == "L1"):
        yield ContextWarning(
            kind="layer_empty",
            layer="L1",
            text="L1 is empty: no task, topic, fact or mood is known after the first turn",
        )


def _oversized(turn: Turn, built: Built) -> Iterator[ContextWarning]:
    """Messages that are shortened in the prompt."""
    if built.heard != turn.text:
        yield _cut_short("the message", turn.text, built.heard, turn)
    kept = {id(message) for message in built.history}
    for before, after in built.shortened:
        if id(after) in kept:
            yield _cut_short(f"the message of turn {before.turn} ({before.speaker})", before.text, after.text, turn)


def _cut_short(what: str, before: str, after: str, turn: Turn) -> ContextWarning:
    whole, kept = turn.tokens.count(before), turn.tokens.count(after)
    text = f"{what} alone has {whole} tokens; its beginning and its end are told ({kept} tokens), and it is kept whole"
    return ContextWarning(kind="oversized_item", text=text)


def _of_memory(turn: Turn) -> Iterator[ContextWarning]:
    """What memory warns of; warnings of no known kind are ``memory``."""
    told = {trouble.text for trouble in turn.recalled.troubles}
    yield from turn.recalled.troubles
    for text in turn.recalled.warnings:
        if text not in told:
            yield ContextWarning(kind="memory", text=text)

"""Composes the prompt of one turn from the state, within a token budget, and reports what went in.

The layout keeps a prefix that is the same, byte for byte, from turn to turn: the system prompt (L0), the summary (which
changes only when messages are compressed), then the messages as they were said. What changes with every turn (L1 to
L3) stands last, next to the user's words, so that a provider's prompt cache serves everything before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from harness.context.recalled import recall_messages, resumed_topic, turns_under
from harness.context.remembered import with_memory
from harness.context.select import Selection, select_facts
from harness.context.tokens import PER_MESSAGE, estimate
from harness.context.tools import select_tools, with_tools
from harness.context.views import context_view
from harness.errors import BudgetError
from harness.language import LanguagePack
from harness.memory.informing import lines, without_repeats
from harness.ports import ChatMessage, Ports
from harness.prompt_views import ContextView, PersonaView, SummaryView
from harness.prompts import Prompts
from harness.state import ContextReport, LayerReport, Message, Persona, Retrieved, apply
from harness.state.operations import ReturnTopic
from harness.understanding.checks.holding import statement
from harness.understanding.topics.track import foreseen_return

if TYPE_CHECKING:
    from harness.turn.turn import Turn

Placement = Literal["late_system", "user", "first"]


@dataclass(frozen=True, slots=True)
class Composed:
    """The prompt and the report on it."""

    messages: tuple[ChatMessage, ...]
    report: ContextReport


def compose_prompt(turn: Turn, ports: Ports, *, budget: int | None = None) -> Composed:
    """Build the prompt for the character's reply.

    Args:
        turn: with ``notices`` and ``references`` filled in.
        budget: most tokens of the prompt; ``total_token_budget`` by default.

    Raises:
        BudgetError: L0, L1, the goal and the user's message alone are over the budget.
    """
    budget = turn.settings.total_token_budget if budget is None else budget
    language = turn.persona.language
    pack = ports.languages.get(language)
    said = ports.languages.get(turn.language)
    returned = foreseen_return(turn.text, state=turn.state, pack=said, turn=turn.number)
    if returned is not None:
        # The reply is already about the topic that the message goes back to; the turn's own state changes after it.
        back = ReturnTopic(topic_id=returned.topic.id, turn=turn.number, evidence=returned.evidence)
        turn = turn.with_(state=apply(turn.state, back))
    topic = returned.topic if returned is not None else resumed_topic(turn.state.topics, turn.number)
    under = turns_under(topic, turn.state.topics) if topic is not None else frozenset()
    selection = select_facts(turn, pack, under=under)
    recalled = recall_messages(turn, turn.earlier, pack, topic=topic)
    shown = frozenset(item.id for item in recalled if not item.dropped)
    turn = turn.with_(recalled=without_repeats(turn.recalled, shown))
    remembered = lines(turn.recalled, persona=turn.persona, user=turn.state.user, pack=pack)
    tools = select_tools(turn, pack)
    view = context_view(turn, selection, recalled, tuple(text for _, text in remembered), ports)
    view = replace(view, tools=tools.views)
    system = system_prompt(turn, ports, pack)
    summary = turn.state.summary
    head = [("L0", "system", system)]
    if summary is not None:
        text = ports.prompts.render("summary_block", language, summary=SummaryView.of(summary))
        head.append(("L2", "summary", text))
    tail = _tail(turn, ports, view)
    fixed = sum(_cost(text) for _, _, text in head) + sum(_cost(text) for text in tail.parts())
    if fixed > budget:
        parts = ", ".join(f"{block} {_cost(text)}" for _, block, text in head)
        raise BudgetError(
            f"The prompt needs at least {fixed} tokens ({parts}, context {_cost(tail.context)}, message "
            f"{_cost(tail.message)}); the budget is {budget}.",
            needed=fixed,
            budget=budget,
        )
    history, dropped = _fit(turn.state.messages, budget - fixed)
    messages = _arrange(head, history, tail)
    report = _report(turn, head, history, tail, selection, recalled, budget)
    report = with_tools(with_memory(report, turn), turn, tools)
    if dropped:
        turns = f"{dropped[0].turn} to {dropped[-1].turn}"
        report = report.model_copy(
            update={
                "dropped": (*report.dropped, f"{len(dropped)} messages of turns {turns}: over the budget"),
                "warnings": (*report.warnings, "the budget leaves no room for all recent messages"),
            }
        )
    return Composed(messages, report)


def system_prompt(turn: Turn, ports: Ports, pack: LanguagePack) -> str:
    """L0: who the character is. Depends on the persona alone, and is rendered once."""
    return _system(turn.persona, ports.prompts, pack)


@lru_cache(maxsize=256)
def _system(persona: Persona, prompts: Prompts, pack: LanguagePack) -> str:
    view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
    return prompts.render("system", persona.language, persona=view)


def _cost(text: str) -> int:
    return estimate(text) + PER_MESSAGE


def _placement(turn: Turn, ports: Ports) -> Placement:
    wanted = turn.settings.context_placement
    if wanted == "auto":
        return "user" if ports.model.capabilities.single_system else "late_system"
    return wanted


@dataclass(frozen=True, slots=True)
class _Tail:
    """What stands after the history.

    Attributes:
        context: the volatile block, on its own. ``opening``: it belongs into the first system message instead.
        message: the user's words, with notes around them where the chat template takes no late system message.
        remarks: the notices of the check, after the user's words: there a weak model heeds them most.
    """

    context: str
    message: str
    remarks: str = ""
    opening: bool = False

    def parts(self) -> tuple[str, ...]:
        return tuple(text for text in (self.context, self.message, self.remarks) if text)


def _tail(turn: Turn, ports: Ports, view: ContextView) -> _Tail:
    language = turn.persona.language
    placement = _placement(turn, ports)
    notes = ports.prompts.render("context", language, context=replace(view, notices=())).strip()
    remarks = ports.prompts.render("notices", language, context=view).strip() if view.notices else ""
    if placement == "late_system":
        return _Tail(notes, turn.text, remarks)
    inside = "" if placement == "first" else notes
    message = turn.text
    if inside or remarks:
        message = ports.prompts.render("respond", language, notes=inside, remarks=remarks, user_text=turn.text)
    return _Tail(notes if placement == "first" else "", message.strip("\n"), opening=placement == "first")


def _fit(messages: tuple[Message, ...], room: int) -> tuple[tuple[Message, ...], tuple[Message, ...]]:
    """The newest messages that fit, and the older ones that do not; a turn is kept or dropped whole."""
    used, start = 0, len(messages)
    for index in range(len(messages) - 1, -1, -1):
        used += _cost(messages[index].text)
        if used > room:
            break
        if index == 0 or messages[index - 1].turn != messages[index].turn:
            start = index
    return messages[start:], messages[:start]


def _arrange(head: list[tuple[str, str, str]], history: tuple[Message, ...], tail: _Tail) -> tuple[ChatMessage, ...]:
    opening = [text.strip() for _, _, text in head]
    if tail.opening and tail.context:
        opening.append(tail.context)
    messages = [ChatMessage("system", "\n\n".join(opening))]
    messages += [ChatMessage("user" if message.speaker == "user" else "assistant", message.text) for message in history]
    if tail.context and not tail.opening:
        messages.append(ChatMessage("system", tail.context))
    messages.append(ChatMessage("user", tail.message))
    if tail.remarks:
        messages.append(ChatMessage("system", tail.remarks))
    return tuple(messages)


def _report(
    turn: Turn,
    head: list[tuple[str, str, str]],
    history: tuple[Message, ...],
    tail: _Tail,
    selection: Selection,
    recalled: tuple[Retrieved, ...],
    budget: int,
) -> ContextReport:
    layers = [
        LayerReport(layer="L0" if layer == "L0" else "L2", block=block, injected=True, tokens=_cost(text))
        for layer, block, text in head
    ]
    layers.append(
        LayerReport(
            layer="history",
            block="messages",
            injected=bool(history),
            tokens=sum(_cost(message.text) for message in history),
        )
    )
    layers.append(
        LayerReport(
            layer="L1",
            block="context",
            injected=bool(tail.context or tail.remarks),
            tokens=sum(_cost(text) for text in (tail.context, tail.remarks) if text),
        )
    )
    layers.append(
        LayerReport(
            layer="L1",
            block="facts",
            injected=any(not item.dropped for item in selection.items),
            tokens=sum(item.tokens for item in selection.items if not item.dropped),
            items=selection.items,
        )
    )
    layers.append(
        LayerReport(
            layer="L2",
            block="recalled",
            injected=any(not item.dropped for item in recalled),
            tokens=sum(item.tokens for item in recalled if not item.dropped),
            items=recalled,
        )
    )
    layers.append(LayerReport(layer="input", block="message", injected=True, tokens=_cost(tail.message)))
    counted = [
        layer for layer in layers if layer.block not in ("facts", "recalled")
    ]  # they stand inside the context block
    dropped = tuple(f"{item.id} {item.text}: {item.dropped}" for item in selection.items if item.dropped)
    left_out = selection.left_out
    warnings = (f"{left_out} facts were left out: facts_max_tokens is reached",) if left_out else ()
    return ContextReport(
        layers=tuple(layers),
        total_tokens=sum(layer.tokens for layer in counted),
        budget=budget,
        dropped=dropped,
        conflicts=tuple(f"{notice.quote!r} against {notice.fact_id}" for notice in turn.notices if notice.fact_id),
        warnings=warnings,
    )

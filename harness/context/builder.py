"""Composes the prompt of one turn from the state, within a token budget, and reports what went in.

By default the layout keeps a prefix that is the same, byte for byte, from turn to turn: the system prompt (L0), the summary
(which changes only when messages are compressed), then the messages as they were said. What changes with every turn (L1
to L3) stands last, next to the user's words, so that a provider's prompt cache serves everything before it. The setting
``context.injection_order`` may order it otherwise, and the report warns when that gives the prefix up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.context.fitting import fit
from harness.context.layout import Layout, Placement, sides
from harness.context.recalled import recall_messages, resumed_topic, turns_under
from harness.context.reporting import Built, report_on
from harness.context.select import Selection, select_facts
from harness.context.shortening import IN_HISTORY, LEAST, shortened
from harness.context.tools import select_tools, with_tools
from harness.context.views import retrieved_view, working_view
from harness.errors import BudgetError
from harness.language import LanguagePack
from harness.memory.informing import KNOWN, lines, settled, without_repeats
from harness.ports import ChatMessage, Ports, TokenCounter
from harness.prompt_views import ContextView, PersonaView, SummaryView, ToolView
from harness.prompts import Prompts
from harness.settings.layers import PartName, SystemSettings
from harness.state import ContextReport, Message, Persona, Retrieved, apply
from harness.state.memory import MemoryLayer
from harness.state.operations import ReturnTopic
from harness.understanding.checks.holding import statement
from harness.understanding.topics.track import foreseen_return

if TYPE_CHECKING:
    from harness.turn.turn import Turn

GAVE_WAY = "over the budget of the whole prompt"


@dataclass(frozen=True, slots=True)
class Composed:
    """The prompt and the report on it.

    Attributes:
        heard: the user's message as it stands in the prompt.
        texts: whatever was counted, for a counter that can count exactly.
    """

    messages: tuple[ChatMessage, ...]
    report: ContextReport
    heard: str
    texts: tuple[str, ...] = ()


def compose_prompt(turn: Turn, ports: Ports, *, budget: int | None = None) -> Composed:
    """Build the prompt for the character's reply.

    When the whole is over the budget, the oldest turns of the history are left out first, then what was retrieved (L2 and
    L3), least score first. A message of the user that is over the budget all the same is shortened, as is one in the history
    that alone has a third of it: the beginning and the end stay, with a mark between them. The system prompt, the summary,
    L1, constraints and whatever is pinned are never cut.

    Args:
        turn: with ``notices`` and ``references`` filled in.
        budget: most tokens of the prompt; ``total_token_budget`` by default.

    Raises:
        BudgetError: L0, L1, the goal, constraints and what is pinned leave no room for a message of ``LEAST`` tokens, or for a shorter one as it is.
    """
    budget = turn.settings.total_token_budget if budget is None else budget
    pack = ports.languages.get(turn.persona.language)
    recalled, resolved = settled(turn.state, turn.recalled, turn.persona)
    turn, found = _found(turn.with_(recalled=recalled), ports, pack)
    tools = select_tools(turn, pack)
    system = system_prompt(turn, ports, pack)
    heard = turn.text
    for chosen in found.shrinking():
        working, parts = _filled(turn, chosen, ports, system, tools.views)
        layout = _layout(turn, ports, parts, working, heard)
        fixed = sum(_cost(text, turn.tokens) for text in layout.texts())
        if fixed <= budget:
            break
    else:
        too_small = _too_small(turn, layout, parts, fixed, budget)
        # What was found stays where enough of the message can be told beside it.
        smallest = chosen
        for chosen, least in ((found, max(LEAST, budget // 4)), (smallest, LEAST)):
            working, parts = _filled(turn, chosen, ports, system, tools.views)
            heard = _shortened_message(turn, ports, parts, working, budget, least)
            if heard:
                break
        else:
            raise too_small
        layout = _layout(turn, ports, parts, working, heard)
        fixed = sum(_cost(text, turn.tokens) for text in layout.texts())
    messages = _history(turn, pack, budget)
    task = turn.state.task
    history, dropped = fit(
        messages,
        budget - fixed,
        cost=lambda message: _cost(message.text, turn.tokens),
        keep=(task.since,) if task is not None and task.since else (),
    )
    built = Built(
        layout=layout,
        parts=parts,
        history=history,
        dropped=dropped,
        selection=chosen.selection,
        recalled=chosen.recalled,
        gave_way=chosen.gave_way,
        resolved=resolved,
        budget=budget,
        heard=heard,
        shortened=tuple(
            (before, after) for before, after in zip(turn.state.messages, messages, strict=True) if before is not after
        ),
    )
    counted = (*layout.texts(), *parts.values(), heard, *(message.text for message in messages))
    report = with_tools(report_on(turn, ports.layers, built), turn, tools)
    return Composed(layout.messages(history), report, heard, counted)


def _filled(
    turn: Turn, found: _Found, ports: Ports, system: str, tools: tuple[ToolView, ...]
) -> tuple[ContextView, dict[PartName, str]]:
    """L1, and the text of every part."""
    working = replace(working_view(turn, found.selection, ports), tools=tools)
    return working, _parts(turn, found, ports, system, working)


def _shortened_message(
    turn: Turn, ports: Ports, parts: dict[PartName, str], working: ContextView, budget: int, least: int
) -> str:
    """As much of the user's message as the rest of the prompt leaves room for; empty with less than ``least`` tokens of room."""
    pack = ports.languages.get(turn.persona.language)
    around = sum(_cost(text, turn.tokens) for text in _layout(turn, ports, parts, working, "…").texts())
    room = budget - around
    while room >= least:
        cut = shortened(turn.text, room, tokens=turn.tokens, pack=pack)
        over = sum(_cost(text, turn.tokens) for text in _layout(turn, ports, parts, working, cut).texts()) - budget
        if over <= 0:
            return cut
        room -= over
    return ""


def _history(turn: Turn, pack: LanguagePack, budget: int) -> tuple[Message, ...]:
    """The messages of the session, those shortened that alone would leave no room for the others."""
    room = max(LEAST, budget // IN_HISTORY)
    told = []
    for message in turn.state.messages:
        text = shortened(message.text, room, tokens=turn.tokens, pack=pack)
        told.append(message if text == message.text else message.model_copy(update={"text": text}))
    return tuple(told)


def system_prompt(turn: Turn, ports: Ports, pack: LanguagePack) -> str:
    """L0: who the character is. Depends on the persona and the ``fields`` of L0 alone, and is rendered once."""
    return _system(turn.persona, ports.prompts, pack, ports.layers.l0.fields)


@lru_cache(maxsize=256)
def _system(persona: Persona, prompts: Prompts, pack: LanguagePack, fields: tuple[str, ...]) -> str:
    view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
    names = {"limits": "knowledge_limits"}
    left_out = [names.get(name, name) for name in SystemSettings.KNOWN if name not in fields]
    blank = PersonaView(name=persona.name)
    view = replace(view, **{name: getattr(blank, name) for name in left_out})
    return prompts.render("system", persona.language, persona=view)


@dataclass(frozen=True, slots=True)
class _Found:
    """What was found for a turn.

    Attributes:
        selection: facts. ``recalled``: earlier lines of this session.
        remembered: lines of other sessions, with their layer and score. ``layer_of``: of facts that memory holds, by their id.
        minded: ids of constraints and of what is pinned, which give way to nothing.
        gave_way: ids of what was left out for the budget of the whole prompt.
    """

    selection: Selection
    recalled: tuple[Retrieved, ...]
    remembered: tuple[tuple[MemoryLayer, float, str, str], ...]
    layer_of: dict[str, MemoryLayer]
    minded: frozenset[str] = frozenset()
    gave_way: frozenset[str] = frozenset()

    def shrinking(self) -> Iterator[_Found]:
        """This, then with less and less of what was retrieved; what is pinned and constraints stay."""
        scored = [(score, item_id) for _, score, item_id, _ in self.remembered if item_id not in self.minded]
        scored += [(item.score, item.id) for item in self.recalled if not item.dropped]
        pinned = {fact.id for fact in self.selection.facts if fact.pinned} | self.minded
        scores = {item.id: item.score for item in self.selection.items}
        scored += [(scores[one], one) for one in self.layer_of if one in scores and one not in pinned]
        yield self
        for number in range(1, len(scored) + 1):
            yield self._without(frozenset(one for _, one in sorted(scored)[:number]))

    def _without(self, gone: frozenset[str]) -> _Found:
        def marked(items: tuple[Retrieved, ...]) -> tuple[Retrieved, ...]:
            return tuple(item.model_copy(update={"dropped": GAVE_WAY}) if item.id in gone else item for item in items)

        selection = Selection(
            tuple(fact for fact in self.selection.facts if fact.id not in gone),
            marked(self.selection.items),
            self.selection.left_out,
        )
        remembered = tuple(one for one in self.remembered if one[2] not in gone)
        return _Found(selection, marked(self.recalled), remembered, self.layer_of, self.minded, gone)


def _found(turn: Turn, ports: Ports, pack: LanguagePack) -> tuple[Turn, _Found]:
    """What goes in, and the turn with the topic that the message goes back to."""
    said = ports.languages.get(turn.language)
    returned = foreseen_return(turn.text, state=turn.state, pack=said, turn=turn.number)
    if returned is not None:
        # The reply is already about the topic that the message goes back to; the turn's own state changes after it.
        back = ReturnTopic(topic_id=returned.topic.id, turn=turn.number, evidence=returned.evidence)
        turn = turn.with_(state=apply(turn.state, back))
    topic = returned.topic if returned is not None else resumed_topic(turn.state.topics, turn.number)
    under = turns_under(topic, turn.state.topics) if topic is not None else frozenset()
    layers = ports.layers
    earlier = layers.l2.enabled and "messages" in layers.l2.fields
    recalled = recall_messages(turn, turn.earlier, pack, topic=topic) if earlier else ()
    shown = frozenset(item.id for item in recalled if not item.dropped)
    turn = turn.with_(recalled=without_repeats(turn.recalled, shown))
    scores = {one.item.id: one.score for one in turn.recalled.items}
    remembered = lines(turn.recalled, persona=turn.persona, user=turn.state.user, pack=pack)
    return turn, _Found(
        select_facts(turn, pack, under=under, layer=layers.l1),
        recalled,
        tuple((item.layer, scores[item.id], item.id, text) for item, text in remembered),
        {f"{KNOWN}{one.item.id}": one.item.layer for one in turn.recalled.items if one.item.attribute},
        frozenset(one.item.id for one in turn.recalled.items if one.item.pinned or one.item.kind == "constraint"),
    )


def _parts(turn: Turn, found: _Found, ports: Ports, system: str, working: ContextView) -> dict[PartName, str]:
    """The text of every part but the history; empty ones are left out."""
    language, summary = turn.persona.language, turn.state.summary
    parts: dict[PartName, str] = {
        "L0": system.strip(),
        "L1": _context(replace(working, notices=()), ports, language),
    }
    if summary is not None and "summary" in ports.layers.l2.fields:
        text = ports.prompts.render("summary_block", language, summary=SummaryView.of(summary))
        parts["summary"] = text.strip()
    names: Sequence[MemoryLayer] = ("L2", "L3")
    for name in names:
        told = [text for layer, _, _, text in found.remembered if layer == name]
        if name == "L2":
            told += [item.text for item in found.recalled if not item.dropped]
        facts = [fact for fact in found.selection.facts if found.layer_of.get(fact.id) == name]
        if told or facts:
            parts[name] = _context(retrieved_view(turn, told, facts, ports), ports, language)
    return {name: text for name, text in parts.items() if text}


def _context(view: ContextView, ports: Ports, language: str) -> str:
    return ports.prompts.render("context", language, context=view).strip()


def _layout(turn: Turn, ports: Ports, parts: dict[PartName, str], working: ContextView, heard: str) -> Layout:
    language = turn.persona.language
    placement = _placement(turn, ports)
    before, after = sides(ports.layers.context.order, parts, placement)
    remarks = ports.prompts.render("notices", language, context=working).strip() if working.notices else ""
    if placement == "late_system":
        return Layout(before, after, heard, remarks)
    message = heard
    if after or remarks:
        message = ports.prompts.render("respond", language, notes=after, remarks=remarks, user_text=heard)
    return Layout(before, "", message.strip("\n"))


def _placement(turn: Turn, ports: Ports) -> Placement:
    wanted = turn.settings.context_placement
    if wanted == "auto":
        return "user" if ports.model.capabilities.single_system else "late_system"
    return wanted


def _cost(text: str, tokens: TokenCounter) -> int:
    return tokens.count(text) + tokens.per_message


def _too_small(turn: Turn, layout: Layout, parts: dict[PartName, str], fixed: int, budget: int) -> BudgetError:
    listed = ", ".join(f"{name} {turn.tokens.count(text)}" for name, text in parts.items())
    return BudgetError(
        f"The prompt needs at least {fixed} tokens ({listed}, message {turn.tokens.count(layout.message)}); "
        f"the budget is {budget}.",
        needed=fixed,
        budget=budget,
    )

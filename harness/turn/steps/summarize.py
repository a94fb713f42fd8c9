"""summarize: compress the oldest messages when they have become too many."""

from __future__ import annotations

from harness.asking import call
from harness.context.shortening import within_request
from harness.context.tokens import message_tokens
from harness.errors import ModelError
from harness.language import LanguagePack
from harness.ports import ChatMessage, ModelRequest, Ports
from harness.prompt_views import MessageView, SummaryView
from harness.state import Message, ModelCall
from harness.state.operations import Summarize
from harness.turn.calling import remaining
from harness.turn.turn import Turn
from harness.understanding.summary import summarize_rules

SLACK = 0.5
"""Messages are compressed down to this share of the trigger, so that it does not fire again at the next turn."""


async def summarize(turn: Turn, ports: Ports) -> Turn:
    """Replace the oldest turns by a summary; the newest ``short_term_window`` messages stay as they were said.

    Always takes at least the oldest turn, so that a trigger that fires makes progress. When the window alone is over
    the trigger nothing can be compressed, and an event says so. Facts, commitments and the task are not touched.
    """
    last = _last_turn(turn)
    if last is None:
        return turn.note(
            "summary_not_possible",
            f"the newest {turn.settings.short_term_window} messages alone are over summary_trigger_tokens "
            f"({turn.settings.summary_trigger_tokens}); raise it or lower short_term_window",
        )
    old = tuple(message for message in turn.state.messages if message.turn <= last)
    previous = turn.state.summary
    first = previous.first_turn if previous is not None else old[0].turn
    turn, text = await _by_model(turn, ports, old) if turn.settings.summarize_with == "model" else (turn, "")
    if not text:
        text = _by_rules(turn, ports, old)
    return turn.propose([Summarize(text=text, first_turn=first, last_turn=last, keep_turns=_kept_turns(turn))])


def _kept_turns(turn: Turn) -> int:
    """How many of the newest turns the window reaches into."""
    window = turn.state.messages[-turn.settings.short_term_window :]
    return turn.state.turn_count - window[0].turn + 1 if window else 0


def _last_turn(turn: Turn) -> int | None:
    """The newest turn to be compressed; None when everything is inside the window."""
    settings, messages = turn.settings, turn.state.messages
    oldest_kept = messages[-settings.short_term_window].turn
    numbers = sorted({message.turn for message in messages if message.turn < oldest_kept})
    if not numbers:
        return None
    target = settings.summary_trigger_tokens * SLACK
    left = message_tokens(messages, turn.tokens)
    too_many = len(messages) > 2 * settings.short_term_window
    for number in numbers:
        left -= message_tokens([message for message in messages if message.turn == number], turn.tokens)
        if left <= target and not too_many:
            return number
    return numbers[-1]


async def _by_model(turn: Turn, ports: Ports, old: tuple[Message, ...]) -> tuple[Turn, str]:
    """The summarizer's text; empty, with an event, when it failed, gave nothing, or did not make it shorter."""
    previous = turn.state.summary
    limit = turn.settings.summary_max_tokens
    names = (turn.state.user, turn.persona.name)
    pack = ports.languages.get(turn.persona.language)
    prompt = ports.prompts.render(
        "summarize",
        turn.persona.language,
        name=turn.persona.name,
        user_name=turn.state.user,
        language=pack.lines.language_names.get(turn.persona.language, turn.persona.language),
        structured=False,
        previous=SummaryView.of(previous) if previous is not None else None,
        messages=tuple(MessageView.of(_within(message, turn, pack), names) for message in old),
        max_tokens=limit,
    )
    calls: list[ModelCall] = []
    request = ModelRequest(
        role="summarizer",
        messages=(ChatMessage("user", prompt),),
        purpose="summarize",
        temperature=0.0,
        max_tokens=limit,
        seed=turn.seed,
        timeout_s=remaining(turn.with_(deadline=float("inf")), ports),
    )
    try:
        reply = await call(ports.model, request, phase=turn.phase, on_call=calls.append)
    except ModelError as error:
        return turn.called(calls).note("fell_back_to_rules", f"summarizer: {error.message}"), ""
    text = reply.text.strip()
    count = turn.tokens.count
    before = message_tokens(old, turn.tokens) + (count(previous.text) if previous is not None else 0)
    if not text or count(text) >= before:
        return turn.called(calls).note("fell_back_to_rules", "the summarizer's text is not shorter"), ""
    return turn.called(calls), text


def _within(message: Message, turn: Turn, pack: LanguagePack) -> Message:
    """A message as the request may hold it: one that is longer than its part of the budget is shortened."""
    text = within_request(message.text, settings=turn.settings, tokens=turn.tokens, pack=pack)
    return message if text == message.text else message.model_copy(update={"text": text})


def _by_rules(turn: Turn, ports: Ports, old: tuple[Message, ...]) -> str:
    previous = turn.state.summary
    return summarize_rules(
        old,
        previous=previous.text if previous is not None else "",
        persona_name=turn.persona.name,
        user_name=turn.state.user,
        pack=ports.languages.get(turn.persona.language),
        max_tokens=turn.settings.summary_max_tokens,
        count_tokens=turn.tokens.count,
    )

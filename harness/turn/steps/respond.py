"""respond: the character's answer, streamed or not, and its check."""

from __future__ import annotations

import re
from contextlib import aclosing

from harness.asking import call, stream
from harness.context import compose_prompt
from harness.errors import BudgetError, ContextTooLong, EmptyReply
from harness.ports import Ports
from harness.state import CHARACTER, ModelCall, Notice
from harness.turn.beginning import begin, console, held, reply_request, sympathy
from harness.turn.checking import consider, findings, whole_sentences
from harness.turn.events import Token
from harness.turn.guards import REVISION_PENALTY
from harness.turn.turn import Turn
from harness.understanding.checks.own_answers import SAID
from harness.understanding.text import contains_phrase

HELD_BACK = (
    "contradiction",
    "recall",
    "bot_question",
    "override",
    "role_swap",
    "extraction",
    "memory_poison",
)
"""Notices under which a reply is shown only after it has passed its check."""
SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？\n]")
SMALLER = 0.6
"""What is left of the token budget when the endpoint says the prompt is too long."""


async def respond(turn: Turn, ports: Ports) -> Turn:
    """Ask the responder and check what it says.

    A streamed reply flows at once and is checked by sentence; it is held back when the check before it found a risk.

    Raises:
        ModelError: the endpoint did not answer.
    """
    calls: list[ModelCall] = []
    try:
        return await _answer(turn, ports, calls)
    except ContextTooLong as error:
        smaller = int(turn.context.total_tokens * SMALLER)
        try:
            composed = compose_prompt(turn, ports, budget=smaller)
        except BudgetError:
            raise error from None
        turn = turn.with_(messages=composed.messages, context=composed.report, heard=composed.heard)
        turn = turn.note("context_too_long", f"{error.message} Composed again with {smaller} tokens.")
        return await _answer(turn, ports, calls)


async def _answer(turn: Turn, ports: Ports, calls: list[ModelCall]) -> Turn:
    """One answer and its check; ``calls`` receives every call, those that fail included."""
    shown = ""
    if (begun := await _begun(turn, ports)) is not None:
        return begun
    try:
        if ports.streaming and not any(notice.kind in HELD_BACK for notice in turn.notices):
            text, shown = await _streamed(turn, ports, calls)
        else:
            reply = await call(
                ports.model, reply_request(turn, ports, turn.seed), phase=turn.phase, on_call=calls.append
            )
            text = whole_sentences(reply.text) if reply.finish_reason == "length" else reply.text
    except EmptyReply:
        if not turn.settings.max_revisions:
            raise
        text = ""
    turn = await consider(turn.called(calls), text, ports)
    return turn.with_(shown=shown)


async def _begun(turn: Turn, ports: Ports) -> Turn | None:
    """A begun answer at once, where a plain one of this model would hardly hold the fact, or be kind; None where it is not wanted."""
    settings = turn.settings
    if settings.begin_answers != "always" or not settings.max_revisions or ports.model.capabilities.prefill is False:
        return None
    notice = held(turn)
    if notice is not None and notice.kind == "asked" and not _to_be_told(turn, notice, ports):
        return None
    if notice is not None:
        attempt = await begin(turn, ports, notice, turn.seed) if notice.truth else None
    elif not turn.notices and (line := sympathy(turn, ports)):
        attempt = await console(turn, ports, line, turn.seed)
    else:
        return None
    if attempt is None or not attempt[0].strip():
        return None
    text, form, made, _ = attempt
    return await consider(turn.called(made), text, ports, form)


def _to_be_told(turn: Turn, notice: Notice, ports: Ports) -> bool:
    """Whether an answer about the character begins with a fact of its persona: one that it has not told yet, to somebody who mourns nobody."""
    said = " ".join(message.text for message in turn.state.messages if message.speaker == CHARACTER)
    sure = bool(notice.fact_id) and notice.confidence >= SAID
    return sure and not contains_phrase(said, notice.truth) and not sympathy(turn, ports)


async def _streamed(turn: Turn, ports: Ports, calls: list[ModelCall]) -> tuple[str, str]:
    """The reply and what was shown of it. Stops, and closes the connection, at a sentence that fails its check."""
    shown, text, judged = "", "", 0
    pieces = stream(ports.model, reply_request(turn, ports, turn.seed), phase=turn.phase, on_call=calls.append)
    async with aclosing(pieces):
        async for piece in pieces:
            if piece.reply is not None:
                finished = piece.reply.finish_reason
                text = whole_sentences(piece.reply.text) if finished == "length" else piece.reply.text
                break
            text_piece = piece.text if shown else piece.text.lstrip()
            if not text_piece:
                continue
            shown += text_piece
            await ports.emit(Token(text_piece))
            for end in _ends(shown, judged):
                if _fails(turn, shown[judged:end], ports):
                    return shown[:end], shown
                judged = end
            if len(shown) > turn.settings.max_reply_chars:
                return shown, shown
    return text or shown, shown


def _ends(text: str, start: int) -> list[int]:
    """Where the sentences end that were finished since ``start``. What comes in one piece is judged sentence by sentence
    all the same, so that the outcome does not hang on how an endpoint cuts its stream.
    """
    return [match.end() for match in SENTENCE_END.finditer(text, start)]


def _fails(turn: Turn, text: str, ports: Ports) -> bool:
    if not turn.settings.max_revisions:
        return False
    return sum(finding.severity for finding in findings(turn, text, ports, partial=True)) >= REVISION_PENALTY

"""Begun answers: a reply whose first words the engine writes, and the model continues.

What holds a fact best on a weak model: the opener states it, and the model only finishes the sentence.
"""

from __future__ import annotations

from dataclasses import replace

from harness.asking import call
from harness.errors import EmptyReply, ModelError, UnsupportedFeature
from harness.language import LanguagePack
from harness.ports import ModelRequest, Ports
from harness.state import ModelCall, Notice
from harness.turn.calling import RESERVE_S, remaining
from harness.turn.checking import Form, findings, whole_sentences
from harness.turn.turn import Turn
from harness.understanding.checks.holding import begun_answers, takes_up
from harness.understanding.text import has_han

CLOSING = ",， "
ENDS = ".!?。！？…"
HOLDING_TOKENS = 40
"""Longest continuation of a begun answer. Longer ones spoil what the opener held (measured on a 1.5B model)."""

Attempt = tuple[str, Form, tuple[ModelCall, ...], str]
"""Text, form, calls made, and what went wrong, if anything."""


def held(turn: Turn) -> Notice | None:
    """The notice that the reply has to meet; facts that were asked for together are told together."""
    notices = [notice for notice in turn.notices if notice.truth or notice.kind == "challenge"]
    if len(notices) > 1 and notices[-1].kind == "recall":
        joint = "，" if has_han(notices[0].truth) else ", "
        return notices[0].model_copy(update={"truth": joint.join(notice.truth for notice in notices)})
    return notices[0] if notices else None


def reply_request(
    turn: Turn, ports: Ports, seed: int, *, purpose: str = "respond", reserve: float = 0.0
) -> ModelRequest:
    """The request for a reply to the composed prompt; ``reserve`` seconds are kept back from its deadline."""
    settings = turn.settings
    return ModelRequest(
        role="responder",
        messages=turn.messages,
        purpose=purpose,
        temperature=settings.temperature,
        top_p=settings.top_p,
        max_tokens=settings.max_reply_tokens,
        seed=seed,
        timeout_s=remaining(turn, ports, reserve=reserve),
    )


def mending_request(turn: Turn, ports: Ports, seed: int) -> ModelRequest:
    """The request for another reply to the same prompt, with time kept back to send what is there."""
    return reply_request(turn, ports, seed, purpose="revise", reserve=RESERVE_S)


def closed(opener: str, pack: LanguagePack) -> str:
    """An opener as a whole answer: its last mark is one that ends a sentence."""
    bare = opener.rstrip()
    return bare if bare[-1:] in ENDS else f"{bare.rstrip(CLOSING)}{pack.holding.stop}"


async def begin(turn: Turn, ports: Ports, notice: Notice, seed: int, *, whole: bool = True) -> Attempt | None:
    """Let the model go on from an answer that has begun: with the whole truth and a comma, or with its first words.

    An ending that takes up the false claim, or fails the check, is left off: the opener is an answer without it.

    None when the language pack has no opener for the notice.
    """
    calls: list[ModelCall] = []
    pack = ports.languages.get(turn.language)
    openers = begun_answers(notice, persona=turn.persona, pack=pack, seed=turn.seed + turn.number, whole=whole)
    if not openers:
        return None
    opener = openers[0]
    request = replace(mending_request(turn, ports, seed), prefill=opener, max_tokens=HOLDING_TOKENS, stop=("\n",))
    try:
        reply = await call(ports.model, request, phase=turn.phase, on_call=calls.append, clock=ports.clock)
    except UnsupportedFeature as error:
        ports.model.capabilities.prefill = False
        return "", "begun", tuple(calls), error.message
    except EmptyReply:
        return closed(opener, pack), "begun", tuple(calls), ""
    except ModelError as error:
        return "", "begun", tuple(calls), error.message
    text = opener + reply.text
    text = whole_sentences(text) if reply.finish_reason == "length" else text
    if whole and (takes_up(text[len(opener) :], notice, pack) or findings(turn, text, ports)):
        text = closed(opener, pack)  # what was begun is whole without what came after it
    return text, "begun", tuple(calls), ""

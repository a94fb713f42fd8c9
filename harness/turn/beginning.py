"""Begun answers: a reply whose first words the engine writes, and the model continues.

What holds a fact best on a weak model: the opener states it, and the model only finishes the sentence. In the same way an answer to one who
mourns begins with a word of sympathy.
"""

from __future__ import annotations

import re
from dataclasses import replace

from harness.asking import call
from harness.errors import EmptyReply, ModelError, UnsupportedFeature
from harness.language import LanguagePack
from harness.ports import ModelRequest, Ports
from harness.state import USER, ModelCall, Notice
from harness.turn.calling import RESERVE_S, remaining
from harness.turn.checking import Form, findings, whole_sentences
from harness.turn.turn import Turn
from harness.turn.withholding import typed
from harness.understanding.checks.holding import begun_answers, starts_over, takes_up
from harness.understanding.checks.mourning import consoling, despairs, joins_in, mourning
from harness.understanding.checks.recall import UNSURE
from harness.understanding.checks.tone import HARSH
from harness.understanding.text import contains_phrase, fold, has_han

CLOSING = ",， "
ENDS = ".!?。！？…"
_WHOLE = re.compile(r"^.*[.!?](?=\s)", re.DOTALL)
"""The whole sentences of an opener."""
HOLDING_TOKENS = 40
"""Longest continuation of a begun answer. Longer ones spoil what the opener held (measured on a 1.5B model)."""

Attempt = tuple[str, Form, tuple[ModelCall, ...], str]
"""Text, form, calls made, and what went wrong, if anything."""


def held(turn: Turn) -> Notice | None:
    """The notice that the reply has to meet; facts that were asked for together are told together."""
    notices = [
        notice
        for notice in turn.notices
        if (notice.truth or notice.kind == "challenge")
        and not (notice.kind == "recall" and notice.confidence <= UNSURE)
    ]
    if len(notices) > 1 and notices[-1].kind in ("recall", "asked"):
        joint = "，" if has_han(notices[0].truth) else ". "
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
        typed=typed(turn),
    )


def mending_request(turn: Turn, ports: Ports, seed: int) -> ModelRequest:
    """The request for another reply to the same prompt, with time kept back to send what is there."""
    return reply_request(turn, ports, seed, purpose="revise", reserve=RESERVE_S)


def joined(opener: str, ending: str) -> str:
    """An opener and what a model went on with. A blank stands between two sentences, and between a mark and a word, of a script that has them;
    an ending that begins a sentence of its own takes the place of what the opener left unfinished ("… I" + "No, I never said that.").
    """
    if not ending or ending[:1].isspace() or has_han(opener[-2:]) or has_han(ending[:1]):
        return opener + ending
    if opener[-1:].isalnum() and ending[:1].isupper():
        whole = _WHOLE.match(opener)
        return f"{whole[0].strip()} {ending}" if whole is not None else ending
    return f"{opener} {ending}" if opener[-1:] in f"{ENDS},;:" and ending[:1].isalnum() else opener + ending


def closed(opener: str, pack: LanguagePack) -> str:
    """An opener as a whole answer: its last mark is one that ends a sentence."""
    bare = opener.rstrip()
    return bare if bare[-1:] in ENDS else f"{bare.rstrip(CLOSING)}{pack.holding.stop}"


async def begin(turn: Turn, ports: Ports, notice: Notice, seed: int, *, whole: bool = True) -> Attempt | None:
    """Let the model go on from an answer that has begun: with the whole truth and a comma, or with its first words.

    An ending that takes up the false claim, begins a sentence of its own after the comma, or fails the check, is left off: the opener is an answer without it.

    None when the language pack has no opener for the notice.
    """
    pack = ports.languages.get(turn.language)
    openers = begun_answers(notice, persona=turn.persona, pack=pack, seed=turn.seed + turn.number, whole=whole)
    if not openers:
        return None
    text, form, calls, trouble = await _continued(turn, ports, openers[0], seed)
    ending = text[len(openers[0]) :]
    spoils = whole and bool(text) and takes_up(ending, notice, pack)
    if openers[0][-1:] in CLOSING:
        spoils = spoils or starts_over(ending, notice, pack, _names(turn, notice))
    if not whole and pack.any_of(pack.recall.restarts).match(ending.strip()):
        text = ending.strip()  # what was begun is not gone on with: 没有啊，我 + 没有，我没这么说过
    if notice.kind == "asked" and notice.value and contains_phrase(ending, notice.value):
        text = ending = ending.strip()  # what was begun is told by what came after it
    text = joined(openers[0], ending) if text and text != ending.strip() else text
    if whole and text and (spoils or findings(turn, text, ports)):
        text = closed(openers[0], pack)  # what was begun is whole without what came after it
    return text, form, calls, trouble


def _names(turn: Turn, notice: Notice) -> list[str]:
    """What may stand with a capital letter in the middle of a sentence: the names of the persona and those in facts.

    Beside a fact that was asked for only names by which one of the two may be spoken to: any other is a further answer.
    """
    known = turn.informed.active_facts()
    if notice.kind == "recall":
        own = [fact.value for fact in known if fact.subject == USER and fact.attribute == "name"]
        return [turn.persona.name, *turn.persona.aliases, *own]
    facts = [text for fact in known for text in (fact.subject, fact.value)]
    return [turn.persona.name, *turn.persona.aliases, *facts]


def sympathy(turn: Turn, ports: Ports) -> str:
    """The line with which an answer to one who mourns begins; empty when none is called for.

    Harsh characters console nobody; neither does one whose replies are not checked. To one who may do themselves harm the model says all that it
    has to say.
    """
    if not turn.settings.persona_consistency_check or turn.persona.baseline.valence <= HARSH:
        return ""
    pack = ports.languages.get(turn.language)
    kind = mourning(turn.text, state=turn.state, pack=pack)
    said = [message.text for message in turn.state.messages if message.speaker == "character"]
    if not kind or despairs(turn.text, pack):
        return ""
    return consoling(kind, pack=pack, seed=turn.seed + turn.number, previous=said)


async def console(turn: Turn, ports: Ports, line: str, seed: int) -> Attempt:
    """Let the model go on from a line of sympathy. An ending that is light, takes part in memories that are not the character's, or fails the
    check is left off.
    """
    pack = ports.languages.get(turn.language)
    text, form, calls, trouble = await _continued(turn, ports, line, seed)
    if text:
        ending = text[len(line) :].strip()
        again = fold(ending).startswith(fold(line).strip(CLOSING + ENDS))
        text = ending if again else joined(line, text[len(line) :])  # no "I'm so sorry. I'm so sorry."
    if text and (joins_in(text[len(line) :], pack) or findings(turn, text, ports)):
        text = closed(line, pack)
    return text, form, calls, trouble


async def _continued(turn: Turn, ports: Ports, opener: str, seed: int) -> Attempt:
    """The opener and what the model makes of it; the opener alone when that is nothing, and no text when the call failed."""
    calls: list[ModelCall] = []
    request = replace(mending_request(turn, ports, seed), prefill=opener, max_tokens=HOLDING_TOKENS, stop=("\n",))
    try:
        reply = await call(ports.model, request, phase=turn.phase, on_call=calls.append, clock=ports.clock)
    except UnsupportedFeature as error:
        ports.model.capabilities.prefill = False
        return "", "begun", tuple(calls), error.message
    except EmptyReply:
        return closed(opener, ports.languages.get(turn.language)), "begun", tuple(calls), ""
    except ModelError as error:
        return "", "begun", tuple(calls), error.message
    text = opener + reply.text
    return whole_sentences(text) if reply.finish_reason == "length" else text, "begun", tuple(calls), ""

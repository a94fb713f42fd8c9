"""revise: one bounded round of mending a reply that failed its check.

The cheapest way first: leave out the sentences at fault; then, where a fact is denied, let the model continue a begun
answer, or write truth before reply in constrained JSON; else ask it to write the reply again. The best candidate is
kept. When the last round ends and the fact is still not held, a line of the language pack states it; and one that says nothing takes the
place of a reply that is not the character's at all.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from harness.asking import ask, call
from harness.errors import ModelError
from harness.language import LanguagePack
from harness.ports import ChatMessage, Ports
from harness.prompt_views import FindingView
from harness.state import ModelCall, Notice
from harness.turn.beginning import Attempt, begin, console, held, mending_request, sympathy
from harness.turn.calling import hints, remaining
from harness.turn.checking import Form, consider, trimmed, unadmitted, unkind, whole_sentences
from harness.turn.guards import REVISION_PENALTY
from harness.turn.turn import Turn
from harness.understanding.checks.holding import hold_line, statement, stray_line
from harness.understanding.proposals.answers import HeldReply

STRAY = ("character_break", "prompt_leak", "wrong_speaker", "language_drift", "empty")
"""Findings about replies that are not the character's words at all."""
LEAST_SECONDS = 3.0
"""With less time left than this no model is asked any more."""


async def revise(turn: Turn, ports: Ports) -> Turn:
    """Do one round; ``chosen`` points at the best candidate afterwards."""
    before = turn.candidates[turn.chosen]
    turn = turn.with_(revisions=turn.revisions + 1)
    if text := trimmed(before):
        turn = await consider(turn, text, ports, "trimmed")
    tried = 0
    async with aclosing(_attempts(turn, ports)) as attempts:
        while _failing(turn) and tried < turn.settings.revision_candidates and remaining(turn, ports) > LEAST_SECONDS:
            tried += 1
            attempt = await anext(attempts, None)
            if attempt is None:
                break
            text, form, calls, trouble = attempt
            turn = turn.called(calls)
            turn = turn.note("revision_failed", trouble) if trouble else turn
            if text.strip():
                turn = await consider(turn, text, ports, form)
    last = turn.revisions >= turn.settings.max_revisions
    if last and _failing(turn) and turn.settings.fallback_line:
        turn = await _last_resort(turn, ports)
    after = turn.candidates[turn.chosen]
    kinds = ", ".join(finding.kind for finding in before.findings)
    return turn.note("revised", f"{kinds}: {before.form} ({before.penalty:g}) to {after.form} ({after.penalty:g})")


def _failing(turn: Turn) -> bool:
    return turn.candidates[turn.chosen].penalty >= REVISION_PENALTY


async def _attempts(turn: Turn, ports: Ports) -> AsyncGenerator[Attempt, None]:
    """Ways to a better reply, strongest first; later rounds go on where earlier ones stopped."""
    notice = held(turn)
    line = sympathy(turn, ports) if notice is None and _off_tone(turn) else ""
    skipped = (turn.revisions - 1) * turn.settings.revision_candidates
    number = 0
    form: Form
    while True:
        seed = turn.seed + number + 1
        if notice is not None and ports.model.capabilities.prefill is not False:
            form = ("begun", "begun", "json")[number % 3]
        elif notice is not None:
            form = "json" if number % 2 == 0 else "plain"
        elif line and number == 1 and ports.model.capabilities.prefill is not False:
            form = "begun"
        else:
            form = "plain"
        number += 1
        if number <= skipped:
            continue
        if form == "begun" and notice is not None:
            yield await begin(turn, ports, notice, seed, whole=number % 3 == 1) or await _again(turn, ports, seed)
        elif form == "begun":
            yield await console(turn, ports, line, seed)
        elif form == "json" and notice is not None:
            yield await _truth_first(turn, ports, notice, seed)
        else:
            yield await _again(turn, ports, seed)


async def _truth_first(turn: Turn, ports: Ports, notice: Notice, seed: int) -> Attempt:
    """Have the model write down the truth, and what the user's claim is, before the reply."""
    request = replace(
        mending_request(turn, ports, seed), role="evaluator", messages=_stronger(turn, ports, notice, "json")
    )
    told = hints(ports, turn.persona.language)
    asked = await ask(ports.model, request, HeldReply, phase=turn.phase, repair=False, hints=told, clock=ports.clock)
    text = asked.value.reply if asked.value is not None else ""
    return text, "json", asked.calls, asked.error


async def _again(turn: Turn, ports: Ports, seed: int) -> Attempt:
    """Ask for the reply again, saying what was wrong with it."""
    calls: list[ModelCall] = []
    request = replace(mending_request(turn, ports, seed), messages=_stronger(turn, ports, held(turn), "rewrite"))
    try:
        reply = await call(ports.model, request, phase=turn.phase, on_call=calls.append)
    except ModelError as error:
        return "", "plain", tuple(calls), error.message
    return whole_sentences(reply.text) if reply.finish_reason == "length" else reply.text, "plain", tuple(calls), ""


def _stronger(turn: Turn, ports: Ports, notice: Notice | None, mode: str) -> tuple[ChatMessage, ...]:
    """The prompt with the user's message put once more, together with what was wrong and what is true."""
    truth = notice.truth if notice is not None else ""
    last = ports.prompts.render(
        "revise",
        turn.persona.language,
        mode=mode,
        name=turn.persona.name,
        user_text=turn.heard or turn.text,
        reply=turn.reply,
        truths=(truth,) if truth else (),
        findings=tuple(FindingView.of(finding, truth) for finding in turn.candidates[turn.chosen].findings),
    )
    before = max(index for index, message in enumerate(turn.messages) if message.role == "user")
    return (*turn.messages[:before], ChatMessage("user", last.strip("\n")))


async def _last_resort(turn: Turn, ports: Ports) -> Turn:
    """A natural line of the language pack, for a notice that no reply met."""
    notice = held(turn) or next((notice for notice in turn.notices if notice.kind != "reference"), None)
    pack = ports.languages.get(turn.language)
    if notice is None and _off_tone(turn) and (line := sympathy(turn, ports)):
        return await _kind_word(turn, ports, line, pack)
    if notice is None:
        return await _plain_truth(turn, ports, pack)
    said = [message.text for message in turn.state.messages if message.speaker == "character"]

    def line_for(notice: Notice) -> str:
        return hold_line(notice, persona=turn.persona, pack=pack, seed=turn.seed + turn.number, previous=tuple(said))

    lines = [line_for(notice)]
    asked = next((one for one in turn.notices if one.kind == "bot_question"), notice)
    if unadmitted(turn.candidates[turn.chosen]) and asked is not notice:
        lines = [line_for(asked), *(lines if notice.truth else ())]
    turn = await consider(turn, ("" if pack.script == "han" else " ").join(lines), ports, "line")
    return turn.note("fallback_line", "no revision held the fact; a line of the language pack states it")


def _off_tone(turn: Turn) -> bool:
    """Whether the tone is what is wrong with the chosen reply."""
    return any(finding.kind == "tone" for finding in turn.candidates[turn.chosen].findings)


async def _kind_word(turn: Turn, ports: Ports, line: str, pack: LanguagePack) -> Turn:
    """A line of sympathy before the reply that lacks one, for it may say what the user needs; alone where it is worse than that."""
    if unkind(turn.candidates[turn.chosen]):
        joint = "" if pack.script == "han" else " "
        turn = await consider(turn, f"{line}{joint}{turn.reply}", ports, "line")
    if _failing(turn):
        turn = await consider(turn, line, ports, "line")
    return turn.note(
        "fallback_line", "no revision had a kind word for one who mourns; a line of the language pack says it"
    )


async def _plain_truth(turn: Turn, ports: Ports, pack: LanguagePack) -> Turn:
    """The persona's own sentence, for a reply that contradicts it without having been asked to; for one that is not the
    character's at all, or out of tone, a line that says nothing but stays in character.
    """
    findings = turn.candidates[turn.chosen].findings
    against = {finding.fact_id for finding in findings if finding.kind == "contradiction"}
    fact = next((fact for fact in turn.persona.as_facts() if fact.id in against), None)
    if fact is not None:
        line = f"{statement(fact, pack=pack, persona=turn.persona)}{pack.holding.stop}"
        turn = await consider(turn, line, ports, "line")
        return turn.note("fallback_line", "no revision kept to the persona; its own sentence is said instead")
    stray = any(finding.kind in STRAY for finding in findings)
    if not stray and not _off_tone(turn):
        return turn
    said = [message.text for message in turn.state.messages if message.speaker == "character"]
    line = stray_line("lost" if stray else "listening", pack=pack, seed=turn.seed + turn.number, previous=said)
    if not line:
        return turn
    turn = await consider(turn, line, ports, "line")
    return turn.note("fallback_line", "no revision was the character's; a line of the language pack is said instead")

"""The model tier of the consistency check: the evaluator's verdict on a message or on a reply."""

from __future__ import annotations

from harness.asking import ask
from harness.context.shortening import within_request
from harness.ports import ChatMessage, ModelRequest, Ports
from harness.prompt_views import FactView
from harness.state import CHARACTER, Candidate, Fact, ModelCall
from harness.turn.calling import RESERVE_S, hints, remaining
from harness.turn.turn import Turn
from harness.understanding.checks.candour import admits
from harness.understanding.checks.holding import statement
from harness.understanding.checks.verdicts import to_finding, to_notice
from harness.understanding.proposals.answers import Answer, PremiseVerdict, ReplyVerdict

MAX_OWN_FACTS = 24
VERDICT_TOKENS = 240
"""Longest verdict with its reasoning."""


def _facts(turn: Turn) -> tuple[Fact, ...]:
    """What a verdict may point at: the persona's facts, and the newest that the character stated itself."""
    return (*turn.persona.as_facts(), *turn.state.active_facts(CHARACTER)[-MAX_OWN_FACTS:])


def _told(turn: Turn, ports: Ports, text: str) -> str:
    """A text as a verdict may be asked on it: one that is longer than the budget of a prompt is shortened."""
    pack = ports.languages.get(turn.persona.language)
    return within_request(text, settings=turn.settings, tokens=turn.tokens, pack=pack)


def _request(turn: Turn, ports: Ports, mode: str, reply: str) -> ModelRequest:
    prompt = ports.prompts.render(
        "consistency_check",
        turn.persona.language,
        mode=mode,
        name=turn.persona.name,
        facts=tuple(FactView.of(fact) for fact in _facts(turn)),
        user_text=_told(turn, ports, turn.text),
        reply=_told(turn, ports, reply),
    )
    return ModelRequest(
        role="evaluator",
        messages=(ChatMessage("user", prompt),),
        purpose="consistency_check",
        temperature=0.0,
        max_tokens=VERDICT_TOKENS,
        seed=turn.seed,
        schema_name=f"{mode}_verdict",
        timeout_s=remaining(turn, ports, reserve=RESERVE_S),
    )


async def _verdict(turn: Turn, ports: Ports, mode: str, reply: str, schema: type[Answer]) -> tuple[Turn, Answer | None]:
    calls: list[ModelCall] = []
    request = _request(turn, ports, mode, reply)
    told = hints(ports, turn.persona.language)
    asked = await ask(
        ports.model, request, schema, phase=turn.phase, on_call=calls.append, hints=told, clock=ports.clock
    )
    turn = turn.called(calls)
    if asked.value is None:
        return turn.note("check_by_rules_only", f"evaluator: {asked.error}"), None
    return turn, asked.value


async def judge_premise(turn: Turn, ports: Ports) -> Turn:
    """The turn with a notice when the evaluator finds that the user's message goes against a fact."""
    turn, verdict = await _verdict(turn, ports, "premise", "", PremiseVerdict)
    if not isinstance(verdict, PremiseVerdict):
        return turn
    pack = ports.languages.get(turn.language)
    notice, dropped = to_notice(
        verdict,
        user_text=turn.text,
        facts=_facts(turn),
        statement=lambda fact: statement(fact, pack=pack, persona=turn.persona),
    )
    if dropped:
        turn = turn.note("verdict_dropped", dropped)
    return turn.with_(notices=(notice,)) if notice is not None else turn


async def judge_reply(turn: Turn, ports: Ports, candidate: Candidate) -> tuple[Turn, Candidate]:
    """The candidate with what the evaluator finds wrong with it, added to what the rules found."""
    turn, verdict = await _verdict(turn, ports, "reply", candidate.text, ReplyVerdict)
    if not isinstance(verdict, ReplyVerdict):
        return turn, candidate
    finding, dropped = to_finding(verdict, reply=candidate.text, facts=_facts(turn))
    if dropped:
        turn = turn.note("verdict_dropped", dropped)
    candid = turn.persona.bot_question == "admit" and admits(candidate.text, ports.languages.get(turn.language))
    if finding is not None and finding.kind == "character_break" and candid:
        return turn.note("verdict_dropped", "the persona admits to be a program"), candidate
    if finding is not None:
        candidate = candidate.model_copy(update={"findings": (*candidate.findings, finding)})
    return turn, candidate

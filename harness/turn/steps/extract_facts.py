"""extract_facts: what the turn stated, by both sides."""

from __future__ import annotations

from harness.ports import Ports
from harness.state import CHARACTER, USER, Operation
from harness.state.operations import AssertFact, DisputeFact, MergeSubjects, RetractFact, ReviseFact
from harness.turn import analysing
from harness.turn.turn import Turn
from harness.understanding.checks.guards import harmless
from harness.understanding.facts.extract import extract_facts as facts_by_rules
from harness.understanding.proposals.grounding import occurs

FACT_OPERATIONS = (AssertFact, ReviseFact, RetractFact, DisputeFact, MergeSubjects)
FactOperation = AssertFact | ReviseFact | RetractFact | DisputeFact | MergeSubjects


async def extract_facts(turn: Turn, ports: Ports) -> Turn:
    """Propose fact operations: by rules, by a call of its own, or as part of the combined analysis.

    A call of its own finds promises and changes of the task as well, and they are applied here. The combined analysis is
    made here; what it found besides facts waits in ``proposals`` for ``update_topic``. A model that fails or gives nothing
    readable is replaced by the rules, with an event.
    """
    if turn.settings.analysis in ("combined", "separate"):
        found = await analysing.analyse(turn, ports, only_facts=turn.settings.analysis == "separate")
        turn = found.turn
        if found.operations is not None:
            facts = [operation for operation in found.operations if isinstance(operation, FACT_OPERATIONS)]
            turn, facts = _unpoisoned(turn, ports, facts)
            rest = tuple(operation for operation in found.operations if not isinstance(operation, FACT_OPERATIONS))
            if turn.settings.analysis == "separate":
                return turn.propose([*facts, *rest]).with_(proposals=None)
            return turn.propose(facts).with_(proposals=rest)
    return turn.propose(_by_rules(turn, ports)).with_(proposals=None)


def _harmless(turn: Turn, ports: Ports) -> str:
    """The user's message without what the persona guard objects to; nothing of that becomes a fact."""
    return harmless(turn.text, pack=ports.languages.for_text(turn.text, default=turn.language))


def _unpoisoned(turn: Turn, ports: Ports, facts: list[FactOperation]) -> tuple[Turn, list[FactOperation]]:
    """A model's fact operations without those that rest on words the persona guard objects to, which is noted."""
    said = _harmless(turn, ports)
    if said == turn.text:
        return turn, facts
    kept: list[FactOperation] = []
    for fact in facts:
        quote = _words_of(fact)
        if occurs(quote, turn.text) and not occurs(quote, said) and not occurs(quote, turn.reply):
            turn = turn.note("proposal_refused", f"{quote[:80]!r} is part of an attempt at the character, no fact")
        else:
            kept.append(fact)
    return turn, kept


def _words_of(fact: FactOperation) -> str:
    """The words of the turn that an operation rests on."""
    if isinstance(fact, AssertFact | ReviseFact):
        return fact.quote
    return fact.evidence if isinstance(fact, MergeSubjects) else fact.reason


def _by_rules(turn: Turn, ports: Ports) -> list[Operation]:
    """Facts of the user's message, then of the reply, each part read with the pack of its own language."""
    operations: list[Operation] = []
    earlier = (m.text for m in reversed(turn.state.messages) if m.speaker == CHARACTER and m.turn < turn.number)
    asked = next(earlier, "")
    for speaker, text, answered in ((USER, _harmless(turn, ports), asked), (CHARACTER, turn.reply, turn.text)):
        for part in ports.languages.parts(text, default=turn.language):
            pack = ports.languages.get(part.code)
            operations += facts_by_rules(
                part.text,
                speaker=speaker,
                state=turn.state,
                persona=turn.persona,
                pack=pack,
                turn=turn.number,
                at=turn.now,
                asked=answered,
            )
    return operations

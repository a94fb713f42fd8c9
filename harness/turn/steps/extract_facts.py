"""extract_facts: what the turn stated, by both sides."""

from __future__ import annotations

from harness.language import LanguagePack
from harness.language.phrases import lower
from harness.memory.informing import KNOWN, stated
from harness.ports import Ports
from harness.state import CHARACTER, USER, Operation
from harness.state.operations import AssertFact, DisputeFact, MergeSubjects, RetractFact, ReviseFact
from harness.turn import analysing
from harness.turn.spoken import harmless_text
from harness.turn.turn import Turn
from harness.understanding.facts.extract import extract_facts as facts_by_rules
from harness.understanding.facts.parroting import parroted
from harness.understanding.proposals.withholding import Withholding
from harness.understanding.references.pronouns import PERSONS

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
            rest = tuple(operation for operation in found.operations if not isinstance(operation, FACT_OPERATIONS))
            if turn.settings.analysis == "separate":
                return turn.propose([*facts, *rest]).with_(proposals=None)
            return turn.propose(facts).with_(proposals=rest)
    return _by_rules(turn, ports).with_(proposals=None)


def _by_rules(turn: Turn, ports: Ports) -> Turn:
    """Facts of the user's message, then of the reply, each part read with the pack of its own language.

    A reply that gives the words of an attempt at the character back makes no fact of them ("Aye, I am Rex").
    """
    operations: list[Operation] = []
    said = harmless_text(turn, ports)
    withheld = Withholding(turn.text, said, turn.reply)
    earlier = (m.text for m in reversed(turn.state.messages) if m.speaker == CHARACTER and m.turn < turn.number)
    asked = next(earlier, "")
    before = next((m.text for m in reversed(turn.state.messages) if m.speaker == USER and m.turn < turn.number), "")
    for speaker, text, answered in ((USER, said, asked), (CHARACTER, _own_words(turn), turn.text)):
        told = tuple(operations)
        for part in ports.languages.parts(text, default=turn.language):
            pack = ports.languages.get(part.code)
            found = facts_by_rules(
                part.text,
                speaker=speaker,
                state=turn.informed,
                persona=turn.persona,
                pack=pack,
                turn=turn.number,
                at=turn.now,
                asked=answered,
                third=_spoken_of(turn, pack) if speaker == USER else "",
            )
            for one in found:
                if speaker == CHARACTER and parroted(one, told, (turn.text, before), turn.informed, pack):
                    turn = turn.note(
                        "proposal_refused", "the character only said after the user what is so of the user"
                    )
                else:
                    operations.append(one)
    for fact in operations:
        if isinstance(fact, AssertFact | ReviseFact) and withheld.echoes(fact.value):
            turn = turn.note("proposal_refused", f"{fact.value[:80]!r} was put forward by an attempt at the character")
        else:
            turn, fact = _taken_up(turn, fact)  # noqa: PLW2901 - the same operation, on the state's own fact
            turn = turn.propose([fact])
    return turn


def _spoken_of(turn: Turn, pack: LanguagePack) -> str:
    """Whom every "he" or "she" of the message means, as it was resolved; empty when they mean several, or somebody of
    the character's.
    """
    cues = pack.entities
    meant = {
        reference.name
        for reference in (turn.resolution.references if turn.resolution is not None else ())
        if (hit := cues.pronoun_phrases.at(lower(reference.surface), 0)) is not None and hit.value[0] in PERSONS
    }
    name = meant.pop() if len(meant) == 1 else ""
    return "" if turn.persona.name in name else name


def _own_words(turn: Turn) -> str:
    """The reply, where it is the character's: words of the prompt that no revision could mend tell nothing."""
    chosen = turn.candidates[turn.chosen].findings if turn.candidates else ()
    return "" if any(finding.kind == "prompt_leak" for finding in chosen) else turn.reply


def _taken_up(turn: Turn, operation: Operation) -> tuple[Turn, Operation]:
    """An operation on a fact that only memory holds ("my cat died", and the cat was told of in another session): the fact is
    stated in this session first, so that its end is kept with the session, too.
    """
    fact_id = operation.fact_id if isinstance(operation, ReviseFact | RetractFact | DisputeFact) else ""
    if not fact_id.startswith(KNOWN):
        return turn, operation
    known = next(fact for fact in turn.informed.facts if fact.id == fact_id)
    turn = turn.propose([stated(known, turn.number)])
    return turn, operation.model_copy(update={"fact_id": turn.state.facts[-1].id})

"""The faults that show in a session's own journal: tools, claims, tasks, goals, values."""

from __future__ import annotations

from collections.abc import Iterator

from harness.context.tools import TASK, TOOL
from harness.diagnosing.report import Fault, Layer
from harness.diagnosing.talk import Seen, Talk, plain
from harness.language import LanguagePack, LanguagePacks
from harness.memory.digests import digest
from harness.memory.informing import KNOWN
from harness.state import CHARACTER, USER, DialogueState, Fact, FactStatus, ToolResult
from harness.state.applying import normal
from harness.understanding.checks.ruled_out import check_ruled_out
from harness.understanding.facts.claims import Reading, read_claims
from harness.understanding.facts.subjects import SPEAKER

IN_FORCE = (FactStatus.active, FactStatus.disputed)


def repeated_tool_calls(talk: Talk) -> Iterator[Fault]:
    """The same call of a tool twice for the same task, though the first result could have been seen: it was not in the prompt
    that came before the second call, or it was and the same came back.

    A call whose first result was seen and whose second one differs has refreshed it, and is no fault.
    """
    for index, (place, result) in enumerate(talk.results):
        earlier = [
            (at, one)
            for at, one in talk.results[:index]
            if one.call == result.call and one.task == result.task and not one.error
        ]
        prompts = [seen for seen in talk.turns if seen.place < place and seen.prompt]
        if not earlier or not prompts or prompts[-1].place < earlier[-1][0]:
            continue  # nobody could have seen it
        first, last = earlier[-1][1], prompts[-1]
        layer, shown = _shown(first, last)
        if shown and first.sha256 != result.sha256:
            continue
        if shown:
            yield Fault(
                "repeated_tool_call",
                layer,
                "tool results: seen and not heeded",
                (result.turn,),
                (
                    f"{result.said} ({result.id}) gave what {first.id} had given; the prompt of turn {last.number} had it",
                ),
                "The prompt was right: have the host look in session.tool_results() before it runs a tool, or take a model that "
                "reads its prompt.",
            )
            continue
        reason = next(
            (i.dropped for b in last.record.context.layers for i in b.items if i.id == f"{TOOL}{first.id}"), ""
        )
        yield Fault(
            "repeated_tool_call",
            layer,
            "tool results: not injected",
            (result.turn,),
            (
                f"{result.said} ({result.id}) had its result since turn {first.turn} ({first.id}); turn {last.number} did not "
                + (f"show it: {reason}" if reason else "show it"),
            ),
            "Raise harness.tool_results_shown and harness.tool_results_max_tokens; see `harness show SESSION --context`.",
        )


def _shown(result: ToolResult, seen: Seen) -> tuple[Layer, bool]:
    """The layer a result belongs to at a turn, and whether the prompt showed it, whole or as its digest."""
    layer: Layer = "L1" if result.turn == seen.number else "L2"
    return layer, seen.has(result.text) or seen.has(digest(result.text))


def refuted_claims(talk: Talk, packs: LanguagePacks) -> Iterator[Fault]:
    """The character says again what the task has ruled out, or what the user has corrected."""
    for seen in talk.turns:
        pack = packs.get(seen.record.language or talk.info.persona.language)
        task = seen.before.task
        for found in check_ruled_out(seen.record.reply, task, pack):
            lines = task.ruled_out if task is not None else ()
            missing = [line for line in lines if seen.prompt and not seen.has(line)]
            yield Fault(
                "refuted_claim",
                "L1",
                "ruled_out: not injected" if missing else "ruled_out: seen and not heeded",
                (seen.number,),
                (f"{found.evidence!r} against what is ruled out: {'; '.join(missing or lines)}",),
                "See why the task is not in the prompt: `harness show SESSION --context`."
                if missing
                else "Set harness.max_revisions to 1 or more, and harness.persona_consistency_check to true.",
            )
        for fact, instead in _refuted(seen.before):
            if not _claims(seen.record.reply, fact, pack):
                continue
            told = instead is None or not seen.prompt or _told(instead, seen)
            now = f"; now {instead.id}: {instead.value}" if instead is not None else "; it was taken back"
            yield Fault(
                "refuted_claim",
                "L1",
                "corrections: seen and not heeded" if told else "corrections: not injected",
                (seen.number,),
                (f"{seen.record.reply!r} says {fact.attribute} {fact.value!r} ({fact.id}) again{now}",),
                "Set harness.max_revisions to 1 or more, or harness.check_tier to model."
                if told
                else "Raise harness.facts_max_tokens, or pin the fact: `harness facts pin`.",
            )


def _refuted(state: DialogueState) -> Iterator[tuple[Fact, Fact | None]]:
    """What the user said of themselves or of others and then corrected or took back, with what holds instead."""
    active = [fact for fact in state.facts if fact.status in IN_FORCE]
    for fact in state.facts:
        if fact.status in IN_FORCE or fact.subject == CHARACTER or fact.speaker != USER or not fact.polarity:
            continue
        same = [one for one in active if one.key() == fact.key()]
        if any(normal(one.value) == normal(fact.value) and one.polarity for one in same):
            continue  # it came to hold again
        yield fact, next((one for one in reversed(same) if one.speaker == USER), None)


def _told(fact: Fact, seen: Seen) -> bool:
    """Whether a prompt had a fact, or the words that it was said in."""
    shown = any(item.id == fact.id for _, item in seen.items("facts"))
    return shown or bool(fact.quote and seen.has(fact.quote))


def _claims(reply: str, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a reply says a fact, to the user as one of theirs, or of the one it is about by name."""
    spec = pack.attribute(fact.attribute)
    key = spec.key if spec is not None else fact.attribute
    about = SPEAKER if fact.subject == USER else fact.subject
    for claim in read_claims(reply, pack, Reading(swapped=True, names=() if fact.subject == USER else (about,))):
        same = claim.subject.casefold() == about.casefold() and not claim.relation and claim.polarity
        if same and normal(claim.value) == normal(fact.value) and claim.attribute in (key, fact.attribute):
            return True
    return False


def previous_tasks(talk: Talk) -> Iterator[Fault]:
    """Something in the prompt belongs to a task that was left."""
    for seen in talk.turns:
        task = seen.before.task
        current = task.task_id if task is not None else ""
        tasks = {f"{TOOL}{one.id}": one for _, one in talk.results}
        for layer, item in seen.items("tools"):
            result = tasks.get(item.id)
            if result is not None and result.task not in ("", current):
                yield _bleeding(
                    seen, "tool results", f"{result.id} ({item.text}) is of task {result.task}", current, layer
                )
        for layer, item in seen.items("task"):
            if item.id.startswith(TASK) and item.id != f"{TASK}{current}":
                yield _bleeding(seen, "task state", f"{item.id} ({item.text})", current, layer)
        for task_id, line in _left_lines(talk, seen, current):
            yield _bleeding(seen, "task state", f"{line!r} is of task {task_id}", current, "L1")


def _left_lines(talk: Talk, seen: Seen, current: str) -> Iterator[tuple[str, str]]:
    """Lines of other tasks in the notes of a prompt that nobody said and that the task at hand has not."""
    if not seen.prompt:
        return
    lines = talk.task_lines(seen.place)
    own = {plain(line) for line in lines.get(current, ())}
    notes = seen.notes
    said = plain("\n".join(f"{one.user_text}\n{one.reply}" for one in talk.branch[: seen.place]))
    for task_id, left in lines.items():
        for line in sorted(left) if task_id != current else ():
            words = plain(line)
            if words in notes and words not in said and not any(words in one for one in own):
                yield task_id, line


def _bleeding(seen: Seen, part: str, what: str, current: str, layer: str) -> Fault:
    del layer  # whatever block it stood in: the task at hand, which L1 holds, was to keep it out
    return Fault(
        "previous_task",
        "L1",
        part,
        (seen.number,),
        (f"the prompt has {what}; at hand is {current or 'none'}",),
        "Change tasks with session.set_task or `harness task set`, under another id; see `harness show SESSION --context`.",
    )


def forgotten_goals(talk: Talk) -> Iterator[Fault]:
    """A task is set and its goal is not in the prompt."""
    for seen in talk.turns:
        task = seen.before.task
        if task is None or not task.goal or not seen.prompt or seen.has(task.goal):
            continue
        yield Fault(
            "forgotten_goal",
            "L1",
            "task state",
            (seen.number,),
            (f"the goal {task.goal!r} of task {task.task_id} is not in the prompt of turn {seen.number}",),
            "The context template or a replaced step leaves the task out: see `harness show SESSION --calls`, prompts/context.j2.",
        )


def two_values(talk: Talk, packs: LanguagePacks) -> Iterator[Fault]:
    """Two values in force of what can have only one: in the state, or in a prompt."""
    reported: set[tuple[str, ...]] = set()
    for number, state in (*((seen.number, seen.after) for seen in talk.turns), (0, talk.state)):
        for pair in _clashes(state.active_facts(), packs, talk.info.persona.language):
            ids = tuple(sorted(fact.id for fact in pair))
            if ids not in reported:
                reported.add(ids)
                yield _clash(number, pair, "L1", "conflict resolution in the state")
    for seen in talk.turns:
        names = [item.id for _, item in seen.items("facts")]
        names += [
            f"{KNOWN}{item.id}"
            for _, item in seen.items("memory")
            if (known := talk.memory.get(item.id)) and known.attribute
        ]
        shown = [fact for one in names if (fact := _fact(one, seen, talk)) is not None]
        told = {frozenset((conflict.winner_id, conflict.loser_id)) for conflict in seen.record.context.resolved}
        for pair in _clashes(shown, packs, talk.info.persona.language):
            if frozenset(fact.id.removeprefix(KNOWN) for fact in pair) in told:
                continue  # both are told on purpose, as not certain
            if any(fact.id.startswith(KNOWN) for fact in pair):
                yield _clash(seen.number, pair, "L3", "conflict resolution between memory and the session")


def _fact(fact_id: str, seen: Seen, talk: Talk) -> Fact | None:
    """A fact of the session, or the one that a remembered item stands for."""
    if not fact_id.startswith(KNOWN):
        return seen.before.fact(fact_id)
    item = talk.memory.get(fact_id.removeprefix(KNOWN))
    if item is None:
        return None
    return Fact(
        id=fact_id,
        subject=item.subject,
        attribute=item.attribute,
        value=item.value,
        polarity=item.polarity,
        speaker=item.speaker,
        single=item.single,
        language=item.language,
    )


def _clashes(facts: tuple[Fact, ...] | list[Fact], packs: LanguagePacks, language: str) -> Iterator[tuple[Fact, Fact]]:
    held: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        pack = packs.get(fact.language or language)
        spec = pack.attribute(fact.attribute)
        # A second job that was told as one ("I also teach") stands beside the first, and says so by not being single.
        one_value = fact.single or (spec is not None and spec.single and not (spec.doubles or spec.extra))
        if not fact.polarity or not one_value:
            continue
        slot = fact.subject.casefold(), spec.key if spec is not None else fact.attribute.casefold()
        other = held.setdefault(slot, fact)
        if other is not fact and other.language == fact.language and normal(other.value) != normal(fact.value):
            yield other, fact


def _clash(number: int, pair: tuple[Fact, Fact], layer: Layer, part: str) -> Fault:
    first, second = pair
    return Fault(
        "two_values",
        layer,
        part,
        (number,),
        (f"{first.subject} {first.attribute}: {first.value!r} ({first.id}) and {second.value!r} ({second.id})",),
        "Take the wrong one back: `harness facts retract`, or `harness memory delete` for one whose id begins with m:.",
    )

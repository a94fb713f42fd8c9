"""What a turn leaves in memory: its messages, and the facts that it stated or took back.

A pure function of the record and of the states before and after it, so that memory can be made again from the journal. Only
what was said in the turn is written: nothing that was itself recalled, and nothing that a guard has found to be planted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from harness.language import LanguagePacks
from harness.memory.digests import digest
from harness.memory.leaving import fate, task_left, task_lines
from harness.memory.lexical import attribute_term, index_terms, normal
from harness.memory.policy import MemoryPolicy
from harness.memory.restating import said_again
from harness.memory.scopes import written_scope
from harness.memory.weighing import ASKED, MOVED, asked_to_remember, gives_back, moved, recalled_lines
from harness.state import CHARACTER, USER, DialogueState, Fact, FactStatus, SessionInfo, TurnRecord
from harness.state.memory import MemoryItem, MemoryKind, MemoryLayer
from harness.state.operations import ObserveTool
from harness.understanding.checks.holding import told_of
from harness.understanding.topics.track import is_backchannel

PLANTED = frozenset({"override", "role_swap", "extraction", "memory_poison"})
"""Notices about a message that must not come back as a memory."""
IN_FORCE = (FactStatus.active, FactStatus.disputed)
CONSTRAINT, LASTING, PREFERENCE, PLAIN, PINNED = 0.95, 0.8, 0.7, 0.5, 1.0
"""Importance of a fact by what it is."""
AGAIN = "said again"
CONTEXT = 200
"""Characters of the line before that count for a line's vector."""
SPOKEN, TELLING, ASKING = 0.3, 0.2, -0.1
"""Importance of a message, what is added when a fact was told in it, and when it only asks."""
LOOKED_UP = 0.4
"""Importance of a tool's result."""
LONGEST_RESULT = 240
"""Characters of a tool's result that is remembered as it is, a longer one as its digest."""
TOOL = "tool"
"""Speaker of what a tool gave."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An item to be written, the words it is found by, what its vector is made from, and why it is written.

    Attributes:
        kept: False for what is only reported: it was not worth writing.
        weighed_by: what gave its importance.
    """

    item: MemoryItem
    terms: tuple[str, ...]
    embedded: str
    reason: str
    kept: bool = True
    weighed_by: Literal["rules", "model"] = "rules"


def drafts(
    record: TurnRecord,
    *,
    before: DialogueState,
    after: DialogueState,
    info: SessionInfo,
    policy: MemoryPolicy,
    packs: LanguagePacks,
) -> tuple[Draft, ...]:
    """The items of one turn, those of layers that are switched off left out."""
    facts = tuple(_facts(record, before, after, info, policy, packs))
    found = (
        *_messages(record, before, facts, info, policy, packs),
        *facts,
        *_tools(record, after, info, policy, packs),
    )
    if after.task is not None:
        found = tuple(_during(draft, after.task.task_id) for draft in found)
    found = (*found, *_left(record, before, after, info, policy, packs))
    return tuple(draft for draft in found if draft.item.layer == "L1" or policy.layers[draft.item.layer].enabled)


def _during(draft: Draft, task_id: str) -> Draft:
    return replace(draft, item=draft.item.model_copy(update={"task": task_id}))


def _left(
    record: TurnRecord,
    before: DialogueState,
    after: DialogueState,
    info: SessionInfo,
    policy: MemoryPolicy,
    packs: LanguagePacks,
) -> Iterator[Draft]:
    """The lines of a task that was left with this turn."""
    task = task_left(before, after)
    if task is None:
        return
    language = packs.detect(task.goal, default=before.language)
    for number, (what, text, importance) in enumerate(task_lines(task, packs.get(language)), 1):
        layer, reason = fate(importance, policy)
        item = _item(
            f"{info.id}.{record.id}.task{number}",
            layer or "L2",
            "summary" if what == "goal" else "note",
            text,
            record=record,
            info=info,
            policy=policy,
            speaker="",
            language=language,
            at=record.started_at,
            importance=importance,
            key=normal(text),
        ).model_copy(update={"task": task.task_id})
        yield Draft(item, index_terms(text, packs, language), text, f"{what} of the task: {reason}", layer is not None)


def _messages(
    record: TurnRecord,
    before: DialogueState,
    facts: Sequence[Draft],
    info: SessionInfo,
    policy: MemoryPolicy,
    packs: LanguagePacks,
) -> Iterator[Draft]:
    if record.origin == "change":
        return
    previous = before.messages[-1].text if before.messages else ""
    planted = PLANTED & {notice.kind for notice in record.notices}
    chosen = record.candidates[record.chosen].findings if record.candidates else ()
    leaked = any(finding.kind == "prompt_leak" for finding in chosen)
    lines = tuple(index_terms(line, packs, record.language or info.persona.language) for line in recalled_lines(record))
    for place, (speaker, text) in enumerate(((USER, record.user_text), (CHARACTER, record.reply))):
        language = packs.detect(text, default=record.language or info.persona.language)
        terms = index_terms(text, packs, language)
        given_back = speaker == CHARACTER and any(notice.truth and notice.truth in text for notice in record.notices)
        given_back = given_back or (speaker == CHARACTER and gives_back(terms, lines))
        given_back = given_back or (speaker == CHARACTER and leaked)  # words of the prompt are no memory
        idle = given_back or not terms or is_backchannel(text, packs.get(language))
        if idle or (planted and speaker == USER):
            previous = text
            continue
        tells = tuple(one.item.id for one in facts if one.item.speaker == speaker and one.item.kind != "retraction")
        importance = SPOKEN + (TELLING if tells else 0.0) + (ASKING if text.rstrip().endswith(("?", "？")) else 0.0)
        layer: MemoryLayer = "L2"
        reason = "said in the turn"
        if speaker == USER:
            importance += MOVED if moved(record) else 0.0
            if asked_to_remember(text, packs, default=language):
                importance, reason = max(importance, ASKED), "asked to be remembered"
                layer = "L3" if not tells and policy.layers["L3"].enabled else "L2"
        item = _item(
            f"{info.id}.{record.id}.{speaker[0]}",
            layer,
            "message",
            text,
            record=record,
            info=info,
            policy=policy,
            speaker=speaker,
            language=language,
            at=record.started_at if speaker == USER else record.replied_at or record.started_at,
            importance=importance,
            place=2 * record.number + place,
            key=normal(text),
        ).model_copy(update={"tells": tells})
        yield Draft(item, terms, in_context(previous, text), reason)
        previous = text


def _tools(
    record: TurnRecord, after: DialogueState, info: SessionInfo, policy: MemoryPolicy, packs: LanguagePacks
) -> Iterator[Draft]:
    """Results of tools that came with the turn; those that failed tell nothing."""
    count = sum(isinstance(done.operation, ObserveTool) for done in record.operations)
    for result in after.tools[-count:] if count else ():
        if result.error:
            continue
        whole = f"{result.said}: {result.text}"
        # Elsewhere a line of it is enough; it is found by all that it says.
        text = whole if len(whole) <= LONGEST_RESULT else f"{result.said}: {digest(result.text)}"
        language = packs.detect(whole, default=record.language or info.persona.language)
        item = _item(
            f"{info.id}.{record.id}.{result.id}",
            "L2",
            "tool_result",
            text,
            record=record,
            info=info,
            policy=policy,
            speaker=TOOL,
            language=language,
            at=result.at or record.started_at,
            importance=LOOKED_UP,
            key=normal(whole),
        )
        yield Draft(item, index_terms(whole, packs, language), text, "a tool's result")


def in_context(previous: str, text: str) -> str:
    """A line with the one before it, from which it is understood ("a Zenit, from the seventies"): what its vector is made from."""
    return f"{previous[-CONTEXT:]}\n{text}" if previous else text


def _facts(
    record: TurnRecord,
    before: DialogueState,
    after: DialogueState,
    info: SessionInfo,
    policy: MemoryPolicy,
    packs: LanguagePacks,
) -> Iterator[Draft]:
    old = {fact.id: fact for fact in before.facts}
    asked = record.origin != "change" and asked_to_remember(
        record.user_text, packs, default=record.language or info.persona.language
    )
    given = set(recalled_lines(record))
    held = {_slot(fact) for fact in after.facts if fact.status in IN_FORCE}
    for fact in after.facts:
        was = old.get(fact.id)
        if fact.status in IN_FORCE:
            if was is None or was.status not in IN_FORCE or _said(was) != _said(fact):
                draft = _fact(fact, record, info, policy, packs)
                if fact.speaker == CHARACTER and draft.item.text in given:
                    continue  # the character gave back what memory told it
                yield _wanted(draft, policy) if asked and fact.speaker == USER else draft
        elif (was is None or was.status in IN_FORCE) and _slot(fact) not in held:
            yield _fact(fact, record, info, policy, packs, retracted=True)
    for fact in said_again(record, before=before, after=after, info=info, packs=packs):
        if _gate(fact, policy)[0] == "L2":
            again = fact.model_copy(update={"at": record.started_at})
            yield replace(_fact(again, record, info, policy, packs), reason=AGAIN)


def _wanted(draft: Draft, policy: MemoryPolicy) -> Draft:
    """A fact that the user asks to be remembered: it holds for long, whatever it is about."""
    layer = "L3" if policy.layers["L3"].enabled else draft.item.layer
    item = draft.item.model_copy(update={"layer": layer, "importance": max(draft.item.importance, ASKED)})
    return replace(draft, item=item, reason=draft.reason if draft.item.layer == "L3" else "asked to be remembered")


def _said(fact: Fact) -> tuple[object, ...]:
    return fact.subject, fact.attribute, fact.value, fact.polarity, fact.pinned


def _slot(fact: Fact) -> tuple[str, str, str]:
    return (*fact.key(), "" if fact.single else fact.value.casefold())


def _fact(
    fact: Fact,
    record: TurnRecord,
    info: SessionInfo,
    policy: MemoryPolicy,
    packs: LanguagePacks,
    *,
    retracted: bool = False,
) -> Draft:
    language = fact.language or record.language or info.persona.language
    pack = packs.get(language)
    layer, kind, importance, reason = _gate(fact, policy)
    by_model = policy.model_weighs and fact.importance is not None
    if fact.importance is not None and by_model:
        firm = fact.pinned or kind == "constraint"
        importance = max(importance, fact.importance) if firm else fact.importance
    text = told_of(fact, pack)
    item = _item(
        f"{info.id}.{record.id}.{fact.id}",
        layer,
        "retraction" if retracted else kind,
        text,
        record=record,
        info=info,
        policy=policy,
        speaker=fact.speaker,
        language=language,
        at=record.started_at if retracted else fact.at or record.started_at,
        importance=importance,
        key=normal(f"{fact.subject} {fact.attribute} {fact.value} {fact.polarity}"),
        lasting=fact.subject == USER and fact.attribute.casefold() in policy.constraints | policy.lasting,
    ).model_copy(
        update={
            "subject": fact.subject,
            "attribute": fact.attribute,
            "value": fact.value,
            "polarity": fact.polarity,
            "single": fact.single,
            "degree": fact.degree,
            "pinned": fact.pinned,
            "quote": fact.quote,
            "when": fact.when,
            "when_at": fact.when_at,
        }
        | ({"expires_at": None} if fact.pinned else {})
    )
    terms = index_terms(f"{fact.attribute.replace('_', ' ')} {text}", packs, language)
    terms = (*terms, attribute_term(fact.attribute))
    return Draft(item, terms, text, "taken back" if retracted else reason, weighed_by="model" if by_model else "rules")


def _gate(fact: Fact, policy: MemoryPolicy) -> tuple[MemoryLayer, MemoryKind, float, str]:
    """The layer of a fact, what it counts as, how important it is, and why."""
    attribute = fact.attribute.casefold()
    if fact.pinned:
        return "L3", "fact", PINNED, "pinned"
    if attribute in policy.constraints:
        return "L3", "constraint", CONSTRAINT, f"a lasting constraint ({fact.attribute})"
    if fact.degree is not None:
        return "L3", "preference", PREFERENCE, "a preference"
    if attribute in policy.lasting:
        return "L3", "fact", LASTING, f"holds for long ({fact.attribute})"
    return "L2", "fact", PLAIN, "stated in the turn"


def _item(
    item_id: str,
    layer: MemoryLayer,
    kind: MemoryKind,
    text: str,
    *,
    record: TurnRecord,
    info: SessionInfo,
    policy: MemoryPolicy,
    speaker: str,
    language: str,
    at: datetime | None,
    importance: float,
    key: str,
    place: int = 0,
    lasting: bool = False,
) -> MemoryItem:
    kept = policy.layers.get(layer)
    expires = (
        at + timedelta(seconds=kept.ttl_seconds) if at is not None and kept is not None and kept.ttl_seconds else None
    )
    return MemoryItem(
        id=item_id,
        layer=layer,
        kind=kind,
        text=text,
        scope=written_scope(info, lasting=lasting),
        speaker=speaker,
        session=info.id,
        turn_id=record.id,
        turn=record.number,
        place=place,
        language=language,
        at=at,
        importance=round(importance, 3),
        expires_at=expires,
        key=key,
    )

"""Finding what memory knows about a message: candidates from the store, weighed, put in order, and fitted to the layers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter

from harness.language import LanguagePacks
from harness.memory import scoring
from harness.memory.about import About, asked_about, narrowed_to, preferred
from harness.memory.background import ENOUGH, Spread, Unrelated
from harness.memory.firsthand import Sameness, fitted
from harness.memory.fitting import Fitting
from harness.memory.lexical import attribute_term, index_terms
from harness.memory.narrowing import Narrowing, narrowed, narrowing
from harness.memory.policy import MemoryPolicy
from harness.memory.standing import said_at
from harness.memory.troubles import layer_troubles
from harness.ports import MemoryFilter, MemoryHits, MemoryQuery, MemoryStore, Recalled, Remembered, Vector
from harness.state.memory import MemoryItem, MemoryKind, MemoryLayer, Scope
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.text import contains_phrase

FACTS = ("fact", "preference", "constraint", "retraction")
RETRIEVED: tuple[MemoryLayer, ...] = ("L2", "L3")
NAMED = 0.3
"""What is added to the relevance of the words of the speaker who is named in the question, as a share of it."""
ALWAYS = 200
"""Most constraints, and most pinned items, that are looked at besides what the message is about. More are not for one prompt."""
MOST_OF_PERIOD = 400
"""Items of a time that are looked at when the time is all that is asked for."""
REPORTED = 12
"""Items left out that are listed in the report, the best ones."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is looked for.

    Attributes:
        text: the self-contained message. ``language``: its language code.
        scope: what may be seen. ``session``: the one that asks, whose own items the state already holds.
        before: messages of that session from before this turn count too.
        vector: of the text, where an embedder is set.
        names: what the speakers are called: a question that names one of them asks for what that one said.
        unrelated: gives by language how the vector stands to texts that have nothing to do with it.
        line: an item as it will stand in the prompt, which the limits of its layer are about; its text where that is not known.
        subject, speaker, kinds: only what is about this one, was said by this one, is of these kinds; empty for anything.
    """

    text: str
    language: str
    scope: Scope
    now: datetime
    session: str = ""
    vector: Vector | None = None
    before: int = 0
    names: Mapping[str, str] = field(default_factory=dict)
    unrelated: Unrelated | None = None
    line: Callable[[MemoryItem], str] = attrgetter("text")
    subject: str = ""
    speaker: str = ""
    kinds: tuple[MemoryKind, ...] = ()


async def find(
    question: Question,
    store: MemoryStore,
    *,
    policy: MemoryPolicy,
    packs: LanguagePacks,
    count_tokens: Callable[[str], int],
) -> Recalled:
    """What goes into the prompt, best first, and after it what was considered and left out.

    Raises:
        StoreError: the store does not answer.
    """
    layers = tuple(layer for layer in RETRIEVED if policy.layers[layer].enabled)
    if not layers:
        return Recalled()
    where = MemoryFilter(
        scope=question.scope,
        layers=layers,
        kinds=question.kinds,
        speaker=question.speaker,
        subject=question.subject,
        other_than=question.session,
        now=question.now,
    )
    pack = packs.get(question.language)
    narrow = narrowing(question.text, pack=pack, now=question.now)
    asked = tuple(attribute_term(key) for key in sorted(asked_attributes(question.text, pack)))
    terms = index_terms(narrow.text, packs, question.language)
    found = MemoryHits()
    if terms or asked or question.vector is not None:
        found = await store.search(
            MemoryQuery(where=where, terms=(*terms, *asked), vector=question.vector, limit=policy.candidates)
        )
    items = {hit.item.id: hit.item for hit in found.hits}
    if narrow.period is not None:
        found, more = await _of_period(narrow, found, (*terms, *asked), where, question, store, policy)
        items |= more | {hit.item.id: hit.item for hit in found.hits}
    about = asked_about(question.text, items.values(), pack=pack, names=question.names)
    if about is not None and not question.subject:
        found = await _about_them(about, found, (*terms, *asked), where, question, store, policy)
        items |= {hit.item.id: hit.item for hit in found.hits}
    relevance = scoring.relevances(found, terms, asked, policy, await _unrelated(question, found))
    own = await _own(question, store, terms, policy)
    items |= {hit.item.id: hit.item for hit in own.hits}
    relevance |= scoring.relevances(own, terms, (), policy, await _unrelated(question, own))
    minded = await _minded(store, where)
    items |= {item.id: item for item in minded}
    items |= {item.id: item for item in await _neighbours(items, store, where)}
    items |= {item.id: item for item in await _unasked(store, where, policy)}
    spread = scoring.spread({key: value.total for key, value in relevance.items()}, items)
    if (speaker := _named(question)) is not None:
        spread = {key: value * (1 + (NAMED if items[key].speaker == speaker else 0)) for key, value in spread.items()}
    if about is not None:
        spread = preferred(about, items, spread)
    always = {item.id for item in minded}
    least = {item.id: policy.layers[item.layer].similarity_threshold for item in items.values()}
    fit = narrowed(narrow, items, spread, least, minded=always, packs=packs)
    if about is not None:
        fit = narrowed_to(about, items, fit, least, minded=always)
    spread = dict(fit.relevance)
    weighed = [
        _weighed(item, spread[item.id], relevance.get(item.id), question, policy)
        for item in items.values()
        if item.kind != "retraction"
    ]
    weighed.sort(
        key=lambda one: (one.item.id in always, one.score, one.item.at or question.now, one.item.id), reverse=True
    )
    told = {item.id: item for item in await store.get([fact for item in items.values() for fact in item.tells])}
    newest = await _newest(
        (*items.values(), *told.values()), store, where if not own.hits else replace(where, other_than="")
    )
    fitting = Fitting(
        Sameness(packs, question.language),
        newest,
        told,
        always,
        policy,
        lambda item: count_tokens(question.line(item)),
        question.now,
        {name: why for name, why in fit.outside.items() if not policy.layers[items[name].layer].always_inject}
        | _of_other_tasks(items, question.scope.task),
    )
    kept = fitted(weighed, spread, fitting, asked=terms, heard=speaker or "")
    conflicts = tuple(f"{one.item.id}: {one.dropped}" for one in kept if one.dropped.startswith("replaced"))
    shown = [one for one in kept if not one.dropped]
    left = [one for one in kept if one.dropped][:REPORTED]
    troubles = layer_troubles(kept, policy.layers)
    return Recalled(
        (*shown, *left),
        conflicts,
        (*fit.warnings, *_warnings(found, (*terms, *items), len(minded)), *(trouble.text for trouble in troubles)),
        troubles,
        Counter(one.item.layer for one in kept),
        tuple({fact: told[fact] for one in shown for fact in one.item.tells if fact in told}.values()),
        policy.resolution,
    )


async def _unrelated(question: Question, found: MemoryHits) -> Mapping[str, Spread]:
    """What the cosines are measured by where few vectors are there."""
    languages = {hit.item.language for hit in found.hits if hit.cosine is not None}
    if question.unrelated is None or not languages or scoring.vectors_of(found) >= ENOUGH:
        return {}
    spreads = await question.unrelated(languages - {""} | {question.language})
    # Of a language without such sentences: those of the question's, or of any.
    other = spreads.get(question.language) or next(iter(spreads.values()), None)
    return spreads if other is None else {**spreads, "": other}


async def _of_period(
    narrow: Narrowing,
    found: MemoryHits,
    terms: Sequence[str],
    where: MemoryFilter,
    question: Question,
    store: MemoryStore,
    policy: MemoryPolicy,
) -> tuple[MemoryHits, dict[str, MemoryItem]]:
    """What was found, with what of the asked time is found besides; and, when nothing but a time is asked for, what is from it."""
    if narrow.period is None:
        return found, {}
    inside = replace(where, since=narrow.period.since, until=narrow.period.until)
    if narrow.bare:
        of_it: list[MemoryItem] = []
        while len(of_it) < MOST_OF_PERIOD:
            page = await store.browse(inside, after=of_it[-1].id if of_it else "", limit=MOST_OF_PERIOD)
            of_it.extend(page)
            if len(page) < MOST_OF_PERIOD:
                break
        return found, {item.id: item for item in of_it}
    known = {hit.item.id for hit in found.hits}
    more = await store.search(
        MemoryQuery(where=inside, terms=tuple(terms), vector=question.vector, limit=policy.candidates)
    )
    return replace(found, hits=(*found.hits, *(hit for hit in more.hits if hit.item.id not in known))), {}


async def _about_them(
    about: About,
    found: MemoryHits,
    terms: Sequence[str],
    where: MemoryFilter,
    question: Question,
    store: MemoryStore,
    policy: MemoryPolicy,
) -> MemoryHits:
    """What was found, with what of those the question is about is found besides: what is known of others may be so much that it
    takes all the places.
    """
    hits = list(found.hits)
    for subject in about.subjects:
        known = {hit.item.id for hit in hits}
        query = MemoryQuery(replace(where, subject=subject), tuple(terms), question.vector, policy.candidates)
        hits += [hit for hit in (await store.search(query)).hits if hit.item.id not in known]
    return replace(found, hits=tuple(hits))


async def _own(question: Question, store: MemoryStore, terms: Sequence[str], policy: MemoryPolicy) -> MemoryHits:
    """What was said in the session that asks, before the messages that its prompt shows. Its facts are in the state."""
    if question.before <= 1 or not policy.layers["L2"].enabled:
        return MemoryHits()
    if question.subject or (question.kinds and "message" not in question.kinds):
        return MemoryHits()  # a message is about nobody in particular
    where = MemoryFilter(
        question.scope, kinds=("message",), session=question.session, speaker=question.speaker, now=question.now
    )
    query = MemoryQuery(where=where, terms=tuple(terms), vector=question.vector, limit=policy.candidates)
    found = await store.search(query)
    return replace(found, hits=tuple(hit for hit in found.hits if hit.item.turn < question.before))


def _named(question: Question) -> str | None:
    """The one speaker whom the message names; None when it names none, or several."""
    named = [speaker for speaker, name in question.names.items() if name and contains_phrase(question.text, name)]
    return named[0] if len(named) == 1 else None


async def _minded(store: MemoryStore, where: MemoryFilter) -> tuple[MemoryItem, ...]:
    """What is always minded: constraints and pinned items."""
    constraints: tuple[MemoryItem, ...] = ()
    if not where.kinds or "constraint" in where.kinds:
        constraints = await store.browse(replace(where, kinds=("constraint",)), limit=ALWAYS)
    pinned = await store.browse(replace(where, pinned=True), limit=ALWAYS)
    return (*constraints, *pinned)


async def _unasked(store: MemoryStore, where: MemoryFilter, policy: MemoryPolicy) -> tuple[MemoryItem, ...]:
    """Items of the layers that are always shown; not more than ``ALWAYS`` are looked at beside those that were found."""
    layers = tuple(layer for layer in where.layers if policy.layers[layer].always_inject)
    return await store.browse(replace(where, layers=layers), limit=ALWAYS) if layers else ()


async def _neighbours(
    items: Mapping[str, MemoryItem], store: MemoryStore, where: MemoryFilter
) -> tuple[MemoryItem, ...]:
    """The messages right beside those that were found, which have their answers."""
    known = {(item.session, item.place) for item in items.values()}
    wanted: dict[str, set[int]] = {}
    for item in items.values():
        for step in (-1, 1) if item.kind == "message" else ():
            if (item.session, item.place + step) not in known:
                wanted.setdefault(item.session, set()).add(item.place + step)
    return await store.around(wanted, where) if wanted else ()


async def _newest(
    items: Iterable[MemoryItem], store: MemoryStore, where: MemoryFilter
) -> dict[tuple[str, str, str], MemoryItem]:
    """For every fact among the items the newest statement of the same slot, from any session."""
    slots = {slot for item in items if item.kind in FACTS and (slot := item.slot()) is not None}
    if not slots:
        return {}
    newest: dict[tuple[str, str, str], MemoryItem] = {}
    for item in await store.of_slots(slots, replace(where, layers=(), kinds=(), speaker="")):
        slot = item.slot()
        if slot is not None and (slot not in newest or said_at(item) >= said_at(newest[slot])):
            newest[slot] = item
    return newest


def _of_other_tasks(items: Mapping[str, MemoryItem], task: str) -> dict[str, str]:
    """What was looked up for another task than the one at hand, as the prompt leaves it out within a session too; what outlived its
    task (L3) is known in all.
    """
    return {
        name: f"it was looked up for another task, {item.task}"
        for name, item in items.items()
        if item.kind == "tool_result" and item.layer == "L2" and task and item.task not in ("", task)
    }


def _weighed(
    item: MemoryItem,
    relevance: float,
    parts: scoring.Relevance | None,
    question: Question,
    policy: MemoryPolicy,
) -> Remembered:
    layer = policy.layers[item.layer]
    value = scoring.score(relevance, item, now=question.now, layer=layer, policy=policy)
    why = [f"words {parts.words:.2f}"] if parts is not None else []
    why += [f"meaning {parts.meaning:.2f}"] if parts is not None and question.vector is not None else []
    beside = relevance - (parts.total if parts is not None else 0.0)
    why += [f"beside {beside:.2f}"] if beside > 0 else []
    why += ["always minded"] if item.pinned or item.kind == "constraint" else []
    recency = scoring.recency(item, question.now, layer.half_life_hours)
    why += [f"recency {recency:.2f}", f"importance {item.importance:.2f}"]
    own = bool(question.session) and item.session == question.session
    return Remembered(item, round(value, 4), " · ".join(why), own=own)


def _warnings(found: MemoryHits, terms: Sequence[str], minded: int) -> tuple[str, ...]:
    warnings = []
    if minded >= ALWAYS:
        warnings.append(
            f"there are {minded} constraints and pinned memories or more; only the first {ALWAYS} of each are shown"
        )
    if not terms and not found.hits:
        warnings.append("the message has no word to look for in memory")
    return tuple(warnings)

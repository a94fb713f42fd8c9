"""What facts say as edges of the graph: whom somebody works for, whose sister she is, where he lives.

A pure function of facts and of the states before and after a turn, so that the graph can be made again from the journal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime

from harness.language import LanguagePack, LanguagePacks
from harness.language.sections_relations import RelationKind
from harness.state import CHARACTER, USER, DialogueState, Fact, FactStatus, SessionInfo, TurnRecord
from harness.state.graph import ALIAS, Edge, Stance, name_key
from harness.state.memory import Scope
from harness.state.operations import ReviseFact
from harness.understanding.facts.keys import NAME, PET, RELATIVES
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.wants import want_attributes

IN_FORCE = (FactStatus.active, FactStatus.disputed)
ScopeOf = Callable[[Fact], Scope]
"""Whose the edges of a fact are."""
LONGEST = 60
WORKPLACE, WORKS_IN = "workplace", "works_in"
"""Characters of a name; what is longer is none."""


def edges_of_turn(
    record: TurnRecord,
    *,
    before: DialogueState,
    after: DialogueState,
    info: SessionInfo,
    scope: ScopeOf,
    packs: LanguagePacks,
) -> tuple[Edge, ...]:
    """The statements of one turn: what it said, what it ended, and what it took back."""
    old = {fact.id: fact for fact in before.facts}
    revised = {one.operation.fact_id for one in record.operations if isinstance(one.operation, ReviseFact)}
    told: dict[str, tuple[Fact, tuple[Edge, ...]]] = {}
    held: set[tuple[str, str, str, str]] = set()
    for fact in after.facts:
        edges = tuple(edges_of(fact, packs, record, info, scope)) if fact.status in IN_FORCE else ()
        told[fact.id] = (fact, edges)
        held |= {edge.says() for edge in edges}
    found: list[Edge] = []
    for fact_id, (fact, edges) in told.items():
        was = old.get(fact_id)
        earlier = tuple(edges_of(was, packs, record, info, scope)) if was is not None and was.status in IN_FORCE else ()
        known, says = {edge.says() for edge in earlier}, {edge.says() for edge in edges}
        found += [edge for edge in edges if edge.says() not in known]
        gone = earlier if was is not None else _unsaid(fact, packs, record, info, scope)
        for edge in gone:
            if edge.says() in says | held:
                continue
            stance = _stance(fact, edge, corrected=fact_id in revised)
            if stance is not None:
                found.append(
                    edge.model_copy(
                        update={"id": f"{edge.id}-", "stance": stance, "at": record.started_at, "single": False}
                    )
                )
    return tuple(found)


def _unsaid(
    fact: Fact, packs: LanguagePacks, record: TurnRecord, info: SessionInfo, scope: ScopeOf
) -> tuple[Edge, ...]:
    """What a fact said that was stated and taken back in one turn, as happens with one that another session told of."""
    if fact.status is not FactStatus.retracted:
        return ()
    return tuple(edges_of(fact, packs, record, info, scope))


def _stance(fact: Fact, edge: Edge, *, corrected: bool) -> Stance | None:
    """How what a fact said comes to its end: it was never so, it is so no more, or the newer statement says it already."""
    if fact.status is FactStatus.superseded and not corrected:
        return None if edge.single else "ended"
    return "retracted"


def edges_of(fact: Fact, packs: LanguagePacks, record: TurnRecord, info: SessionInfo, scope: ScopeOf) -> Iterator[Edge]:
    """What a fact says of entities. Nothing for a denial, a wish, and what nobody could walk along."""
    pack = packs.get(fact.language or record.language or info.persona.language)
    value = fact.value.strip()
    if not fact.polarity or not value or not name_key(fact.subject) or fact.attribute in want_attributes(pack):
        return
    for number, said in enumerate(_said(fact, value, pack)):
        yield said.model_copy(
            update={
                "id": f"{info.id}.{record.id}.{fact.id}.{number}",
                "scope": scope(fact),
                "session": info.id,
                "turn_id": record.id,
                "turn": record.number,
                "speaker": fact.speaker,
                "quote": fact.quote,
                "language": pack.code,
                "at": record.started_at,
            }
        )


def _said(fact: Fact, value: str, pack: LanguagePack) -> Iterator[Edge]:
    since = _since(fact)
    yield from _owned(fact, pack)
    spec = pack.attribute(fact.attribute)
    key = spec.key if spec is not None else fact.attribute.casefold()
    rules = pack.relations
    if key == NAME and fact.subject in (USER, CHARACTER):
        yield _edge(ALIAS, fact.subject, value, "person", since)
        return
    if key in RELATIVES or key == PET:
        yield from _relatives(fact, key, pack, since)
        return
    if (former := rules.by_former.get(fact.attribute.casefold())) is not None and former.kind:
        yield _edge(former.key, fact.subject, value, former.kind, None).model_copy(update={"valid_to": fact.at})
        return
    if (kind := _sited(fact, value, pack) or rules.by_attribute.get(key)) is not None and kind.kind:
        if len(value) <= LONGEST:
            yield _edge(kind.key, fact.subject, value, kind.kind, since).model_copy(update={"single": kind.single})
        return
    if (found := rules.by_word.get(fact.attribute.casefold())) is not None:
        if len(value) <= LONGEST:
            yield _related(found, fact.attribute, fact, value, since, pack)
        return
    if spec is not None and fact.subject not in (USER, CHARACTER):
        yield Edge(
            id="",
            relation=key,
            subject=fact.subject,
            subject_kind="person",
            value=value,
            single=fact.single,
            valid_from=since,
        )


def _sited(fact: Fact, value: str, pack: LanguagePack) -> RelationKind | None:
    """The relation to the town somebody works in, where that is all that is known of the workplace."""
    rules = pack.relations
    spec = pack.attribute(fact.attribute)
    if spec is None or spec.key != WORKPLACE or WORKS_IN not in rules.by_key or not rules.sited:
        return None
    found = pack.any_of(rules.sited).search(f"{value} | {fact.quote}")
    return rules.by_key[WORKS_IN] if found is not None else None


def _relatives(fact: Fact, key: str, pack: LanguagePack, since: datetime | None) -> Iterator[Edge]:
    """Read "sister called Anna" as that Anna is a sister."""
    rules = pack.relations
    for claim in propositions(fact.attribute, fact.value, fact.polarity, "", pack):
        if claim.attribute != key or not claim.name or not claim.polarity or claim.implied:
            continue
        for name in (part.strip() for part in pack.any_of(pack.text.joiners).split(claim.name) if part):
            if not name or len(name) > LONGEST:
                continue
            if key == PET:
                edge = _edge(PET, fact.subject, name, "animal", since)
                yield edge.model_copy(update={"word": claim.kind.casefold()})
                continue
            found = rules.by_word.get((claim.kind or fact.attribute).casefold())
            found = found or rules.by_word.get(fact.attribute.casefold()) or _generic(key, pack)
            if found is not None:
                yield _related(found, claim.kind or fact.attribute, fact, name, since, pack)
        return


def _generic(key: str, pack: LanguagePack) -> tuple[RelationKind, bool] | None:
    kind = pack.relations.by_key.get(key)
    return None if kind is None else (kind, False)


def _related(
    found: tuple[RelationKind, bool], word: str, fact: Fact, name: str, since: datetime | None, pack: LanguagePack
) -> Edge:
    """An edge by a word of the vocabulary, turned round where the word names the other side."""
    kind, flipped = found
    subject, other = (name, fact.subject) if flipped else (fact.subject, name)
    replacing = any(pack.pattern(pack.relations.filled(one)).search(fact.quote) for one in pack.relations.replacing)
    edge = _edge(kind.key, subject, other, kind.kind, since)
    single = kind.single or (replacing and not kind.symmetric and not flipped and kind.kind == "person")
    return edge.model_copy(update={"single": single, "word": "" if flipped else word.casefold()})


def _owned(fact: Fact, pack: LanguagePack) -> Iterator[Edge]:
    """The edge to somebody who has no name yet, and is called after whose relative he is ("user's sister")."""
    shape = re.escape(pack.wording.relative).replace(r"\{owner\}", "(?P<o>.+?)").replace(r"\{relation\}", "(?P<r>.+)")
    match = re.fullmatch(shape, fact.subject)
    found = pack.relations.by_word.get(match["r"].casefold()) if match is not None else None
    if match is None or found is None or found[1]:
        return
    owners = {word: who for who, word in pack.wording.owners.items()}
    owner = owners.get(match["o"], match["o"])
    yield _edge(found[0].key, owner, fact.subject, found[0].kind, None).model_copy(
        update={"word": match["r"].casefold()}
    )


def _edge(relation: str, subject: str, other: str, kind: str, since: datetime | None) -> Edge:
    return Edge(
        id="",
        relation=relation,
        subject=subject,
        object=other,
        subject_kind="person",
        object_kind=kind,
        valid_from=since,
    )


def _since(fact: Fact) -> datetime | None:
    """From when a fact holds: the time it speaks of, where that is past, else when it was said."""
    if fact.when_at is not None and fact.at is not None and fact.when_at <= fact.at:
        return fact.when_at
    return fact.at

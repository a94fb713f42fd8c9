"""The memory of one session: what the engine reads before a reply and writes after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

import structlog

from harness.errors import HarnessError
from harness.language import LanguagePacks
from harness.memory.background import ENOUGH, Background, Unrelated
from harness.memory.embedding import embedded, query_vector
from harness.memory.files import MemoryFiles
from harness.memory.finding import RETRIEVED, Question, find
from harness.memory.following import Tree, way_to
from harness.memory.forgetting import forgotten, still_known
from harness.memory.gating import WriteGate, decided
from harness.memory.informing import line
from harness.memory.leaving import task_left
from harness.memory.passing import brought_back, settled_drafts
from harness.memory.policy import MemoryPolicy
from harness.memory.scopes import asked_scope
from harness.memory.strangers import stranger
from harness.memory.writing import Draft, drafts
from harness.ports import Embedder, MemoryEntry, MemoryFilter, MemoryQuery, MemoryStore, Recalled, RunsHere, Vector
from harness.ports.graphs import Graph
from harness.redacting import Redactor
from harness.state import CHARACTER, USER, ContextWarning, DialogueState, TurnRecord
from harness.state.memory import MemoryItem, MemoryWrite

log = structlog.get_logger("harness.memory")

EMBEDDED_AT_ONCE = 64
"""Items that are embedded while a turn waits; more (a long session that memory never saw) are left to ``reindex``."""

WITHOUT = "stored without a vector"
"""Begins the reason of what was written while the embedder failed."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the memories of all sessions share.

    Attributes:
        count_tokens: of a text, as the budget counts them.
        embedder: None: words alone find things.
        files: what stands in files; ``store`` finds it too. None: there are none.
        redactor: takes secrets out of what is written by hand; what a session says comes without them.
        graph: what is deleted here goes there, too; None without one.
        background: what few vectors are measured by.
        shown: what a memory is in the prompt (the memory, its line, the user's name, the prompt's language). None: its line.
        gate: has the last word on what is written; None: the policy alone decides.
    """

    store: MemoryStore
    policy: MemoryPolicy
    packs: LanguagePacks
    count_tokens: Callable[[str], int]
    embedder: Embedder | None = None
    files: MemoryFiles | None = None
    redactor: Redactor | None = None
    graph: Graph | None = None
    background: Background = field(default_factory=Background)
    shown: Callable[[MemoryItem, str, str, str], str] | None = None
    gate: WriteGate | None = None

    def unrelated(self, vector: Vector | None) -> Unrelated | None:
        """Tells how a message's vector stands to texts that have nothing to do with it; None without one."""
        if vector is None or self.embedder is None:
            return None
        return partial(self.background.spreads, vector, self.embedder, self.packs)


class SessionMemory:
    """A :class:`~harness.ports.Remembering` on a store.

    It stands at a turn of the session's tree, as the store notes, and goes along with it: what a turn wrote is hidden when the
    session goes back behind it, and shown again when it returns. What it missed it makes from the journal.
    """

    def __init__(self, shared: Shared, tree: Tree) -> None:
        self._shared = shared
        self._tree = tree
        self._stands: str | None = None
        self._met = False
        self._planned: tuple[str, Sequence[MemoryEntry], tuple[MemoryWrite, ...]] = ("", (), ())

    async def ready(self) -> None:
        """Have at hand what the first question would wait for: what stands in files, the vectors of the store, the model of an
        embedder on this machine, and what few vectors are measured by. An embedder elsewhere is asked nothing, since that may cost
        money. What fails is left to the question, which says so.
        """
        shared, info = self._shared, self._tree.info
        embedder = shared.embedder
        here = isinstance(embedder, RunsHere) and embedder.runs_here
        try:
            if shared.files is not None and (here or embedder is None):
                await shared.files.refresh()
            if embedder is None:
                return  # words are found in what is stored as it is
            if here:
                await embedder.query(".")
            space = await shared.store.space()
            number = 0
            if space is not None:
                direction = (1.0, *[0.0] * (space.dimensions - 1))
                query = MemoryQuery(MemoryFilter(asked_scope(info), layers=RETRIEVED), vector=direction, limit=1)
                number = (await shared.store.search(query)).vectors
            if here and number < ENOUGH:
                await shared.background.ready(embedder, shared.packs, info.persona.language)
        except HarnessError as error:
            log.debug("not_readied", session=info.id, error=error.message)

    async def recall(self, text: str, *, language: str, now: datetime, before: int = 0, task: str = "") -> Recalled:
        """What is known from other conversations of this user with this character. With an embedder also what was said in this
        one before the turn ``before``; by words alone the prompt is given that from the journal.
        """
        shared, info = self._shared, self._tree.info
        scope = asked_scope(info, task)
        warnings: tuple[str, ...] = ()
        try:
            if shared.files is not None:
                await shared.files.refresh()
                warnings = shared.files.warnings(scope)
            vector, trouble = await query_vector(shared.embedder, shared.store, text, beside=shared.files is not None)
            warnings = (*warnings, *((trouble,) if trouble else ()))
            question = Question(
                text,
                language,
                scope,
                now=now,
                session=info.id,
                vector=vector,
                before=before if vector is not None else 0,
                names={USER: info.user if info.user != USER else "", CHARACTER: info.persona.name},
                unrelated=shared.unrelated(vector),
                line=self._line,
            )
            found = await find(
                question, shared.store, policy=shared.policy, packs=shared.packs, count_tokens=shared.count_tokens
            )
            strange = await self._stranger(found)
        except HarnessError as error:
            log.warning("memory_failed", session=info.id, error=error.message)
            return Recalled(warnings=(*warnings, f"memory could not be read: {error.message}"))
        warnings = (*warnings, *await self._used(found, now), *found.warnings, *(one.text for one in strange))
        return replace(found, warnings=warnings, troubles=(*found.troubles, *strange))

    def _line(self, item: MemoryItem) -> str:
        info = self._tree.info
        pack = self._shared.packs.get(info.persona.language)
        told = line(item, own=item.session == info.id, persona=info.persona, user=info.user, pack=pack)
        shown = self._shared.shown
        return told if shown is None else shown(item, told, info.user, info.persona.language)

    async def _stranger(self, found: Recalled) -> tuple[ContextWarning, ...]:
        """A warning while nothing is known of the user, and something of others."""
        if self._met or found.items:
            self._met = True
            return ()
        warning = await stranger(self._shared.store, self._tree.info)
        self._met = warning is None
        return () if warning is None else (warning,)

    async def _used(self, found: Recalled, now: datetime) -> tuple[str, ...]:
        """Count what is shown; a store that cannot be written takes nothing from the turn but a warning."""
        shown = [one.item.id for one in found.items if not one.dropped]
        try:
            if shown:
                await self._shared.store.used(shown, now)
        except HarnessError as error:
            return (f"uses could not be counted: {error.message}",)
        return ()

    async def plan(
        self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState
    ) -> tuple[MemoryWrite, ...]:
        """What :meth:`keep` will write of a turn. Memory is brought to the turn before it; of the turn itself nothing is written."""
        await self.follow(record.parent)
        before = before if before is not None else await self._tree.state_at(record.parent)
        found = await still_known(await self._drafts(record, before, after), self._shared.store)
        entries, trouble = await self._entries(found)
        lacking = {entry.item.id: f"{WITHOUT}: {trouble}" for entry in entries if trouble and entry.vector is None}
        writes = tuple(
            MemoryWrite(
                id=one.item.id,
                layer=one.item.layer,
                kind=one.item.kind,
                text=one.item.text,
                reason="; ".join(filter(None, (one.reason, lacking.get(one.item.id)))),
                kept=one.kept,
                importance=one.item.importance,
                weighed_by=one.weighed_by,
            )
            for one in found
        )
        self._planned = (record.id, entries, writes)
        return writes

    async def keep(
        self, record: TurnRecord, *, before: DialogueState | None, after: DialogueState
    ) -> tuple[MemoryWrite, ...]:
        """Write what a turn leaves behind, and note that memory stands at this turn."""
        if self._planned[0] != record.id:
            await self.plan(record, before=before, after=after)
        _, entries, writes = self._planned
        self._planned = ("", (), ())
        await self._shared.store.follow(self._tree.info.id, record.id, put=entries, show=[record.id])
        await self._unless_forgotten(entries)
        await self._unless_deleted()
        self._stands = record.id
        return writes

    async def follow(self, turn_id: str | None) -> None:
        """Go along to a turn of the tree, writing what was missed on the way there.

        Raises:
            StoreError: memory stands where it stood.
        """
        if self._stands == (turn_id or ""):
            return
        shared, info = self._shared, self._tree.info
        stands = await shared.store.followed(info.id)
        if stands == (turn_id or ""):
            self._stands = stands
            return
        if stands is None and turn_id is None:
            return  # nothing was said yet, and nothing is to be noted
        way = await way_to(self._tree, stands, turn_id)
        found: list[Draft] = []
        async with aclosing(way.turns(self._tree)) as turns:
            async for record, before, after in turns:
                found.extend(await self._drafts(record, before, after, found))
        back = await brought_back(way.left, asked_scope(info), info.id, shared.store, shared.packs)
        entries, _ = await self._entries(await still_known(found, shared.store))
        known = await forgotten([entry.item for entry in back], shared.store) if back else ()  # and stored anew since
        await shared.store.follow(info.id, turn_id, put=[*back, *entries], hide=way.left, show=way.missed)
        await self._unless_forgotten([*(entry for entry in back if entry.item.id not in known), *entries])
        await self._unless_deleted()
        self._stands = turn_id or ""

    async def _unless_forgotten(self, entries: Sequence[MemoryEntry]) -> None:
        """Take back what was written after it was forgotten elsewhere. Whoever forgets leaves the mark before removing anything: what
        was written before that is removed there, and what was written after it finds the mark here.
        """
        gone = await forgotten([entry.item for entry in entries], self._shared.store) if entries else frozenset()
        if gone:
            await self._shared.store.delete(gone)

    async def _unless_deleted(self) -> None:
        """Leave no id of a session that is gone. Whoever deletes one removes this after the journal; so what is written before that
        is removed there, and what is written after it finds no journal here.
        """
        if not await self._tree.exists():
            await self._shared.store.unfollow([self._tree.info.id])

    async def _drafts(
        self, record: TurnRecord, before: DialogueState, after: DialogueState, pending: Sequence[Draft] = ()
    ) -> Sequence[Draft]:
        shared, info = self._shared, self._tree.info
        found = drafts(record, before=before, after=after, info=info, policy=shared.policy, packs=shared.packs)
        settled = await settled_drafts(
            found,
            task_left(before, after),
            record,
            pending=pending,
            info=info,
            scope=asked_scope(info),
            store=shared.store,
            policy=shared.policy,
            packs=shared.packs,
        )
        return decided(settled, shared.gate, record, shared.packs)

    async def _entries(self, found: Sequence[Draft]) -> tuple[Sequence[MemoryEntry], str]:
        """Drafts with their vectors, and why some have none: those are found by words until the next reindex."""
        found = [one for one in found if one.kept]
        vectors: Sequence[Vector | None] = [None] * len(found)
        trouble = ""
        if 0 < len(found) <= EMBEDDED_AT_ONCE:
            shared = self._shared
            vectors, trouble = await embedded(shared.embedder, shared.store, [one.embedded for one in found])
            if trouble:
                log.warning("embedding_failed", session=self._tree.info.id, error=trouble)
        entries = [MemoryEntry(one.item, one.terms, vector) for one, vector in zip(found, vectors, strict=True)]
        return entries, trouble

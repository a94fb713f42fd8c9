"""Memory as a whole, beside any session: looked through, searched, changed by hand, forgotten, embedded anew, moved."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import structlog

from harness.errors import InputError
from harness.memory.bound import Shared
from harness.memory.choosing import of_a_file, the_one, writable
from harness.memory.embedding import embedded, query_vector
from harness.memory.files import FileReport
from harness.memory.finding import Question, find
from harness.memory.forgetting import item_mark, scope_mark, without_marks
from harness.memory.importing import cleaned, items_of
from harness.memory.lexical import entry_terms, normal
from harness.memory.reindexing import OnProgress, reindexed
from harness.memory.rewording import reworded
from harness.memory.standing import replaced_by
from harness.memory.unsaying import unsay
from harness.memory.writing import in_context
from harness.ports import (
    Clock,
    Ids,
    MemoryEntry,
    MemoryFilter,
    MemoryStats,
    NamesFollowed,
    RandomIds,
    Recalled,
    SystemClock,
)
from harness.ports.graphs import GraphFilter
from harness.state.memory import MemoryItem, MemoryKind, Scope

log = structlog.get_logger("harness.memory")

PAGE = 200


@dataclass(frozen=True, slots=True)
class Memories:
    """Everything in one store. ``shared``: the store, and how it is written and read."""

    shared: Shared
    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=RandomIds)

    async def all(self, where: MemoryFilter | None = None) -> AsyncIterator[MemoryItem]:
        """Items in order of their ids; all of them without a filter."""
        where = where or MemoryFilter(everything=True, statuses=())
        await self._read_files()
        after = ""
        while page := await self.shared.store.browse(where, after=after, limit=PAGE):
            for item in page:
                if item.kind != "mark":
                    yield item
            after = page[-1].id

    async def standing(self, where: MemoryFilter) -> AsyncIterator[tuple[MemoryItem, str]]:
        """As :meth:`all`, each with the id of the newer statement that holds in its place; empty for what holds itself."""
        page: list[MemoryItem] = []
        async for item in self.all(where):
            page.append(item)
            if len(page) == PAGE:
                for told in await self._standing(page):
                    yield told
                page = []
        for told in await self._standing(page):
            yield told

    async def _standing(self, page: Sequence[MemoryItem]) -> list[tuple[MemoryItem, str]]:
        newer = await replaced_by(page, self.shared.store)
        return [(item, newer.get(item.id, "")) for item in page]

    async def item(self, item_id: str) -> MemoryItem:
        """One item.

        Raises:
            InputError: there is none of this id.
        """
        await self._read_files()
        found = await self.shared.store.get([item_id])
        if not found:
            raise InputError(f"There is no memory {item_id!r}.", remedy="`harness memory list` shows the ids.")
        return found[0]

    async def chosen(self, wanted: str, *, scope: Scope | None = None) -> MemoryItem:
        """One item by its id, by the end of its id, or by words that only it has; with a ``scope`` only one that belongs to the very
        ones it names.

        Raises:
            InputError: none is meant, or several are.
        """
        await self._read_files()
        scope = scope or Scope()
        named = await self.shared.store.get([wanted])
        return await the_one(wanted, scope, named, self.all(MemoryFilter(scope=scope, everything=True, statuses=())))

    async def search(
        self,
        text: str,
        *,
        scope: Scope,
        limit: int = 10,
        subject: str = "",
        speaker: str = "",
        kinds: Sequence[MemoryKind] = (),
    ) -> Recalled:
        """What a message would find, whatever the layers' thresholds and limits. Without an embedder that answers it is looked
        for by words, and a warning says so.

        Args:
            subject: only what is about ``user``, ``character``, or somebody of this name: facts, since a message is about nobody in
                particular. ``speaker``: only what this one said. ``kinds``: only these.

        Raises:
            InputError: the text is empty.
        """
        if not text.strip():
            raise InputError("There is nothing to search for.", remedy="Give some words.")
        text = self._without_secrets(text)  # an embedder may be a server; and so it stands in what is looked through
        await self._read_files()
        language = self.shared.packs.detect(text)
        vector, trouble = await query_vector(
            self.shared.embedder, self.shared.store, text, beside=self.shared.files is not None
        )
        open_layers = {
            name: replace(layer, enabled=True, top_k=limit, max_tokens=10**9, similarity_threshold=0.01)
            for name, layer in self.shared.policy.layers.items()
        }
        found = await find(
            Question(
                text,
                language,
                scope,
                now=self.clock.now(),
                vector=vector,
                unrelated=self.shared.unrelated(vector),
                subject=subject,
                speaker=speaker,
                kinds=tuple(kinds),
            ),
            self.shared.store,
            policy=replace(self.shared.policy, layers=open_layers),
            packs=self.shared.packs,
            count_tokens=self.shared.count_tokens,
        )
        of_files = self.shared.files.warnings(scope) if self.shared.files is not None else ()
        return replace(found, warnings=(*of_files, *((trouble,) if trouble else ()), *found.warnings))

    async def note(
        self, text: str, *, scope: Scope, kind: MemoryKind = "note", importance: float = 0.8, pinned: bool = False
    ) -> MemoryItem:
        """Write something down by hand, to be known for long.

        Raises:
            InputError: the text is empty, or the importance is not between 0 and 1.
        """
        if not normal(text):
            raise InputError("A memory needs some words.", remedy="Say what is to be remembered.")
        if not 0 <= importance <= 1:
            raise InputError(f"The importance of a memory is between 0 and 1, not {importance!r}.")
        item = MemoryItem(
            id=f"note.{self.ids.new()}",
            layer="L3",
            kind=kind,
            text=self._without_secrets(text.strip()),
            scope=scope,
            source="user",
            language=self.shared.packs.detect(text),
            at=self.clock.now(),
            importance=importance,
            pinned=pinned,
            key=normal(self._without_secrets(text)),
        )
        await self.shared.store.put([await self._entry(item)])
        return item

    async def edit(self, item_id: str, text: str) -> MemoryItem:
        """Put other words in an item's place; of a fact they are the newest word on what it speaks of.

        Raises:
            InputError: no such item, nothing to put there, or a sentence of which the fact cannot be read.
        """
        if not normal(text):
            raise InputError("A memory needs some words.", remedy="Delete it, if it is to go.")
        text = self._without_secrets(text)
        old = writable(await self.item(item_id))
        changes = {"text": text.strip(), "key": normal(text), "source": "user", "tells": (), "at": self.clock.now()}
        if old.attribute:  # it is the newest word on what it speaks of
            changes |= reworded(old, text.strip(), self.shared.packs)
        await unsay(self.shared.graph, [old], replaced=True)
        item = old.model_copy(update=changes)
        return await self._amended(old, await self._entry(item))

    async def pin(self, item_id: str, *, pinned: bool = True) -> MemoryItem:
        """Always show an item where its scope is seen, or no longer.

        Raises:
            InputError: no such item.
        """
        old = writable(await self.item(item_id))
        item = old.model_copy(update={"pinned": pinned, "expires_at": None if pinned else old.expires_at})
        # Its words stay, and so does its vector.
        return await self._amended(old, await self._entry(item, embed=False))

    async def delete(self, ids: Sequence[str]) -> int:
        """Remove items for good.

        Raises:
            InputError: one of them is not there; then none is removed.
        """
        items = [writable(await self.item(item_id)) for item_id in ids]
        await unsay(self.shared.graph, items)
        now = self.clock.now()
        await self.shared.store.put([MemoryEntry(item_mark(item, now)) for item in items if item.turn_id])
        return await self.shared.store.delete(ids)

    async def forget(self, where: MemoryFilter) -> int:
        """Remove whatever belongs to a user, a persona, a session …, hidden and archived items too; gives how many there were. It is not
        learnt again. A filter that asks for more than whose it is (kinds, layers, a time …) removes those items alone, as
        :meth:`delete` does.

        Raises:
            InputError: the filter names nothing, which would remove everything.
        """
        if where.scope == Scope() and not where.session:
            raise InputError(
                "Nobody was named whose memory is to be removed.", remedy="Name a user, persona or session."
            )
        whole = MemoryFilter(scope=where.scope, everything=where.everything, session=where.session)
        if replace(where, statuses=whole.statuses) != whole:
            some = replace(where, everything=True)  # the scope exactly, as it is when all goes
            return await self.delete([item.id async for item in self.all(some) if not of_a_file(item)])
        where = replace(where, statuses=())
        await self.shared.store.put([MemoryEntry(scope_mark(where, self.clock.now()))])
        if self.shared.graph is not None:
            await self.shared.graph.forget(GraphFilter(scope=where.scope, session=where.session))
        return await self.shared.store.forget(where)

    async def unfollow(self, sessions: Collection[str]) -> None:
        """Remove where memory and the graph stand in sessions that are deleted: it has their ids. To be called (again) when the journals
        are gone, so that a program which still writes of one finds no journal.
        """
        if self.shared.graph is not None:
            await self.shared.graph.unfollow(sessions)
        await self.shared.store.unfollow(sessions)

    async def unfollow_unknown(self, known: Callable[[], Awaitable[Collection[str]]]) -> int:
        """Remove where memory and the graph stand in sessions that are not there any more: earlier versions left that when a session
        was deleted. A session that something is remembered of stays; it may be of another program. Gives how many there were.

        Args:
            known: the ids of all sessions; asked for when it is known what memory follows.

        Raises:
            StoreError: a store does not answer; what was removed until then stays removed.
        """
        stores: tuple[object, ...] = (self.shared.store, self.shared.graph)
        followed = {name for one in stores if isinstance(one, NamesFollowed) for name in await one.all_followed()}
        gone = [name for name in followed - set(await known() if followed else ()) if not await self._holds(name)]
        if gone:
            await self.unfollow(gone)
        return len(gone)

    async def _holds(self, session: str) -> bool:
        items = MemoryFilter(everything=True, session=session, statuses=())
        if await self.shared.store.browse(items, limit=1):
            return True
        edges = GraphFilter(everything=True, session=session, hidden=True)
        return self.shared.graph is not None and bool(await self.shared.graph.browse(edges, limit=1))

    async def stats(self) -> MemoryStats:
        """What the store holds, without the marks of what was forgotten."""
        return without_marks(await self.shared.store.stats())

    async def reindex(self, progress: OnProgress | None = None) -> int:
        """Make the vectors that are missing, or all of them where another model made those that are there. What was done
        stays done when it is interrupted. Then see to the index of the vectors, where the store keeps one. Gives how many were made.

        Raises:
            SettingsError: no embedder is set. ModelError. StoreError: the embedder gave too few vectors, or some that cannot be
                compared; those of all other items are made before it is raised.
        """
        return await reindexed(self.shared.store, self.shared.embedder, self._embedded, progress)

    async def load(self, lines: Sequence[str] | Callable[[], Iterable[str]], progress: OnProgress | None = None) -> int:
        """Store items from JSON lines, as :meth:`all` gives them; each takes the place of the one with its id.

        Args:
            lines: or what gives them anew, for files that are too large to be held: they are read twice.

        Raises:
            InputError: a line is no item; then none is stored.
        """
        give = lines if callable(lines) else lambda: lines
        total = sum(1 for _ in items_of(give()))
        done = 0
        found = items_of(give())
        while batch := [cleaned(item, self.shared.redactor, self.shared.packs) for item in islice(found, PAGE)]:
            await self.shared.store.put([await self._entry(item, embed=False) for item in batch])
            done += len(batch)
            if progress is not None:
                progress(done, total)
        return done

    async def files(self) -> tuple[FileReport, ...]:
        """The files of the memory folder, read anew where they have changed; none where no folder is set."""
        await self._read_files()
        return self.shared.files.report() if self.shared.files is not None else ()

    async def _read_files(self) -> None:
        if self.shared.files is not None:
            await self.shared.files.refresh()

    def _without_secrets(self, text: str) -> str:
        redactor = self.shared.redactor
        return text if redactor is None else redactor.redact(text, language=self.shared.packs.detect(text)).text

    async def _amended(self, old: MemoryItem, entry: MemoryEntry) -> MemoryItem:
        """An item after a change by hand. A turn that was undone meanwhile stays undone, and what was deleted stays deleted."""
        await self.shared.store.put([replace(entry, read_as=old.status)])
        return await self.item(old.id)

    async def _embedded(self, item: MemoryItem) -> str:
        """What the vector of an item is made from: a message is understood from the one before it."""
        if item.kind != "message":
            return item.text
        where = MemoryFilter(everything=True, statuses=())
        before = await self.shared.store.around({item.session: [item.place - 1]}, where) if item.place else ()
        return in_context(before[0].text if before else "", item.text)

    def terms_of(self, item: MemoryItem) -> tuple[str, ...]:
        """The words that an item is found by."""
        return entry_terms(item, self.shared.packs)

    async def _entry(self, item: MemoryItem, *, embed: bool = True) -> MemoryEntry:
        terms = self.terms_of(item)
        if not embed:
            return MemoryEntry(item, terms)
        (vector,), trouble = await embedded(self.shared.embedder, self.shared.store, [await self._embedded(item)])
        if trouble:
            log.warning("embedding_failed", item=item.id, error=trouble)
        return MemoryEntry(item, terms, vector)

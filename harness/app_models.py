"""What can be done with models apart from talking: list, fetch, serve, remove the embedded ones; examine an endpoint.

Part of the composition root, so it may import adapters.
"""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.app_connecting import endpoint_config, server_options
from harness.doctor import Check, diagnose
from harness.errors import HarnessError, MissingExtra, SettingsError

if TYPE_CHECKING:
    from harness.adapters.local import Catalogue, CatalogueEntry, LocalServer, OnProgress
    from harness.adapters.models.recording import ReplayModel
    from harness.ports import Capabilities
    from harness.settings import Settings
    from harness.state import ModelCall

EMBEDDED_CHECKS = ("extra installed", "model file", "server", "plain reply", "streaming", "structured output")
"""What is checked when the embedded model is the one in use."""

OnCheck = Callable[[Check], None]


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model of the catalogue or of the cache.

    Attributes:
        size: bytes of the whole file; None when unknown.
        state: ``here``, ``unfinished``, ``unchecked`` (a file without a valid hash marker) or ``not here``.
        default: it is what ``default`` means now.
    """

    name: str
    title: str
    licence: str
    languages: tuple[str, ...]
    size: int | None
    state: str
    default: bool
    path: Path


def cache_folder(settings: Settings) -> Path:
    """Where model files are."""
    from harness.adapters.local import default_cache_dir

    named = settings.local.cache_dir
    return settings.path(named) if named else default_cache_dir()


def list_models(settings: Settings) -> tuple[KnownModel, ...]:
    """The catalogue, and after it what else is in the cache."""
    from harness.adapters.local import list_models as cached_models
    from harness.adapters.local.cache import model_path

    catalogue, folder = _catalogue(settings), cache_folder(settings)
    cached = {model.name: model for model in cached_models(folder)} if folder.is_dir() else {}

    def state(name: str) -> str:
        found = cached.get(name)
        if found is None:
            return "not here"
        return "here" if found.complete else "unfinished" if found.sha256 is None else "unchecked"

    here = [name for name in catalogue.default if state(name) == "here"]
    default = (here or list(catalogue.default) or [""])[0]
    known = [
        KnownModel(e.name, e.title, e.licence, e.languages, e.size, state(e.name), e.name == default, model_path(e.name, folder))
        for e in catalogue.models
    ]  # fmt: skip
    names = {model.name for model in known}
    others = [
        KnownModel(model.name, "", "", (), model.size, state(model.name), default=False, path=model.path)
        for model in cached.values()
        if model.name not in names
    ]
    return (*known, *others)


def pull_model(settings: Settings, name: str, progress: OnProgress) -> Path:
    """Fetch a model; the configured one when ``name`` is empty. Gives its path.

    Raises:
        SettingsError: unknown name. LocalModelError: it could not be fetched.
    """
    from harness.adapters.local import ensure_model

    found = ensure_model(
        name or _local_name(settings),
        cache_dir=cache_folder(settings),
        catalogue=_catalogue(settings),
        progress=progress,
    )
    return found.path


def serve_model(
    settings: Settings,
    name: str,
    progress: OnProgress,
    *,
    host: str,
    port: int,
    api_key: str | None,
    ready: Callable[[str], None],
) -> None:
    """Serve a model until Ctrl-C; ``ready`` is told the base URL.

    Raises:
        SettingsError, LocalModelError, MissingExtra: as for fetching and starting.
    """
    from dataclasses import replace

    from harness.adapters.local import ensure_model, serve_forever

    _require_extra()
    found = ensure_model(
        name or _local_name(settings),
        cache_dir=cache_folder(settings),
        catalogue=_catalogue(settings),
        progress=progress,
    )
    options = replace(server_options(settings, found.context), host=host, port=port, api_key=api_key)
    serve_forever(found.path, name=found.name, options=options, ready=lambda server: ready(server.base_url))


def remove_model(settings: Settings, name: str) -> int:
    """Delete a model from the cache; gives the bytes freed. Raises SettingsError, LocalModelError."""
    from harness.adapters.local import remove

    return remove(name, cache_folder(settings))


async def diagnose_settings(settings: Settings, *, timeout_s: float = 60.0, on_check: OnCheck = lambda _: None) -> list[Check]:  # fmt: skip
    """Examine what the settings name: the provider, or the embedded model."""
    if settings.embedded:
        return await _diagnose_embedded(settings, timeout_s, on_check)
    from harness.adapters.models.probe import EndpointProbe

    provider = settings.provider
    probe = EndpointProbe(
        endpoint_config(settings),
        connect_timeout_s=provider.connect_timeout_s,
        trust_env=provider.trust_env,
        prefill_style=provider.prefill,
    )
    try:
        return await diagnose(probe, timeout_s=timeout_s, on_check=on_check)
    finally:
        await probe.close()


async def _diagnose_embedded(settings: Settings, timeout_s: float, on_check: OnCheck) -> list[Check]:
    checks: list[Check] = []
    server: LocalServer | None = None

    def add(check: Check) -> bool:
        checks.append(check)
        on_check(check)
        return check.ok is True

    def attempt(name: str, work: Callable[[], str]) -> bool:
        started = time.monotonic()
        try:
            detail = work()
        except HarnessError as error:
            seconds = time.monotonic() - started
            return add(Check(name, ok=False, detail=error.message, remedy=error.remedy, seconds=seconds, error=type(error).__name__))  # fmt: skip
        return add(Check(name, ok=True, detail=detail, seconds=time.monotonic() - started))

    def start() -> str:
        nonlocal server
        from harness.adapters.local import LocalServer, ensure_model
        from harness.adapters.local.pull import quiet

        found = ensure_model(_local_name(settings), cache_dir=cache_folder(settings), catalogue=_catalogue(settings), progress=quiet)  # fmt: skip
        server = LocalServer(found.path, name=found.name, options=server_options(settings, found.context))
        return f"{found.name} answers at {server.start()}"

    try:
        good = attempt(EMBEDDED_CHECKS[0], _require_extra)
        good = good and attempt(EMBEDDED_CHECKS[1], lambda: _check_file(settings))
        good = good and await asyncio.to_thread(attempt, EMBEDDED_CHECKS[2], start)
        if good and server is not None:
            await _diagnose_server(server, timeout_s, add)
        for name in EMBEDDED_CHECKS[len(checks) :]:
            add(Check(name, ok=None, detail="not reached"))
    finally:
        if server is not None:
            await asyncio.to_thread(server.stop)
    return checks


async def _diagnose_server(server: LocalServer, timeout_s: float, add: Callable[[Check], bool]) -> None:
    """The checks of an endpoint; of the first ones only what failed is of interest here."""
    from harness.adapters.models.endpoint import EndpointConfig
    from harness.adapters.models.probe import EndpointProbe

    config = EndpointConfig(server.base_url, api_key=server.api_key, models={"responder": server.name})
    probe = EndpointProbe(config, trust_env=False, prefill_style="plain")
    try:
        found = await diagnose(probe, timeout_s=timeout_s)
    finally:
        await probe.close()
    failed = next((check for check in found if check.ok is False and check.name not in EMBEDDED_CHECKS), None)
    if failed is not None:
        add(Check("plain reply", ok=False, detail=failed.detail, remedy=failed.remedy, seconds=failed.seconds, error=failed.error))  # fmt: skip
        return
    for check in found:
        if check.name in EMBEDDED_CHECKS:
            add(check)


def _require_extra() -> str:
    if importlib.util.find_spec("xllamacpp") is None:
        raise MissingExtra(
            "No provider is configured, and the embedded model needs the package xllamacpp.",
            remedy="Or set provider.base_url.",
            extra="local",
        )
    return "xllamacpp is installed"


def _check_file(settings: Settings) -> str:
    """The configured model is there, whole, and carries the marker of a checked hash."""
    from harness.adapters.local.cache import is_present, model_path, read_marker

    name = _local_name(settings)
    if name.lower().endswith(".gguf"):
        path = Path(name)
        if not path.is_file():
            raise SettingsError(f"There is no model file {path}.", remedy="Correct local.model.")
        return f"{path}, {path.stat().st_size / 1e9:.2f} GB"
    folder = cache_folder(settings)
    entries = _entries(_catalogue(settings), name)
    for entry in entries:
        path = model_path(entry.name, folder)
        if is_present(path, entry.sha256):
            marker = read_marker(path)
            sha256 = marker.sha256[:12] if marker else ""
            return f"{entry.name}, {path.stat().st_size / 1e9:.2f} GB, sha256 {sha256}… checked, in {folder}"
    names = " or ".join(entry.name for entry in entries)
    raise SettingsError(f"{names} is not in {folder}.", remedy="Fetch it: harness model pull")


def _entries(catalogue: Catalogue, name: str) -> tuple[CatalogueEntry, ...]:
    return tuple(catalogue.get(known) for known in (catalogue.default if name == "default" else (name,)))


def _catalogue(settings: Settings) -> Catalogue:
    from harness.adapters.local import load_catalogue

    named = settings.local.catalogue
    return load_catalogue(settings.path(named) if named else None)


def _local_name(settings: Settings) -> str:
    """The model's name, a path made absolute against the settings file."""
    name = settings.local.model
    return str(settings.path(name)) if name.lower().endswith(".gguf") else name


def replaying_model(calls: Sequence[ModelCall], capabilities: Capabilities) -> ReplayModel:
    """A model that answers from recorded calls."""
    from harness.adapters.models.recording import ReplayModel

    return ReplayModel(calls, capabilities=capabilities)

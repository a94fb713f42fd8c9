"""What short-term messages are kept in, as the settings name it. Part of the composition root, so it may import adapters."""

from __future__ import annotations

from pathlib import Path

from harness import settings as settings_module
from harness.app_servers import server_url
from harness.context.tokens import PER_MESSAGE, estimate
from harness.ports import ShortTerm
from harness.session import Mirroring
from harness.settings import Settings


class ShortTermParts:
    """The store of short-term messages, made when first asked for.

    Args:
        given: a store to use instead of what the settings name; whoever gave it closes it (``own`` is False then).
    """

    def __init__(self, settings: Settings, *, given: ShortTerm | None) -> None:
        self._settings = settings
        self._store, self.own = given, given is None

    @property
    def path(self) -> Path:
        """The file of the backend sqlite."""
        settings = self._settings
        if settings.short_term.path:
            return settings.path(settings.short_term.path)
        if settings.storage.path:
            sessions = settings.path(settings.storage.path)
            return sessions.with_name(f"{sessions.stem}-recent.db")
        return settings_module.home() / "recent.db"

    def store(self) -> ShortTerm | None:
        """The store; None when short-term messages are off."""
        chosen = self._settings.short_term
        if self._store is None and chosen.backend != "off":
            from harness.adapters.short_term import SHORT_TERM_BACKENDS, ShortTermOptions

            storage = self._settings.storage
            options = ShortTermOptions(
                chosen.max_tokens,
                chosen.ttl_seconds,
                path=self.path,
                synchronous=storage.synchronous,
                busy_timeout_s=storage.busy_timeout_s,
                url=server_url(self._settings, "short_term", chosen.backend),
                timeout_s=storage.timeout_s,
                pool_size=storage.pool_size,
                key_prefix=storage.key_prefix,
            )
            self._store = SHORT_TERM_BACKENDS[chosen.backend].open(options)
        return self._store

    def mirroring(self) -> Mirroring | None:
        """What the sessions write to; None when short-term messages are off."""
        store = self.store()
        if store is None:
            return None
        return Mirroring(store, self._settings.short_term.max_tokens, lambda text: estimate(text) + PER_MESSAGE)

    async def close(self) -> None:
        """Release what was made here."""
        if self._store is not None and self.own:
            store, self._store = self._store, None
            await store.close()

"""What the errors of redis-py mean for somebody who talks to a character."""

from __future__ import annotations

from typing import Any

from harness.errors import CorruptStore, StorageFull, StoreError

_FULL = ("OOM ", "MISCONF")
"""``maxmemory`` is reached; or the server could not write its file, and takes no writes before it can."""


def translate(error: Exception, redis: Any, place: str, timeout_s: float) -> StoreError:
    """The :class:`StoreError` for what redis-py raised.

    Args:
        redis: the module, which is imported late. ``place``: the address, its password masked.
    """
    said, errors = str(error) or type(error).__name__, redis.exceptions
    if isinstance(error, errors.AuthenticationError | errors.NoPermissionError):
        return StoreError(
            f"The Redis server {place} refused the user or the password ({said}).",
            remedy="Set them in the address: redis://USER:${NAME}@HOST:PORT/DB takes the password from the variable NAME.",
            url=place,
        )
    if isinstance(error, errors.BusyLoadingError):
        return StoreError(
            f"The Redis server {place} is still loading its data.", remedy="Try again in a moment.", url=place
        )
    if isinstance(error, errors.TimeoutError | TimeoutError):
        return StoreError(
            f"The Redis server {place} did not answer within {timeout_s:g} s.",
            remedy="See whether it is overloaded, or raise the timeout_s of its section of the settings.",
            url=place,
        )
    if isinstance(error, errors.MaxConnectionsError) or said.startswith("No connection available"):
        return StoreError(
            f"No connection to the Redis server {place} became free within {timeout_s:g} s.",
            remedy="Raise the pool_size of its section of the settings.",
            url=place,
        )
    if isinstance(error, errors.ConnectionError | OSError):
        return StoreError(
            f"The Redis server {place} cannot be reached ({said}).",
            remedy="Start it, or correct the address; `harness doctor` looks after it. Nothing that was stored is lost.",
            url=place,
        )
    if said.startswith(_FULL) or isinstance(error, errors.OutOfMemoryError):
        return StorageFull(
            f"The Redis server {place} takes no more writes ({said}); nothing was half-written.",
            remedy="Raise its maxmemory or free some of its disk, and repeat the action.",
            url=place,
        )
    if "WRONGTYPE" in said:
        return CorruptStore(
            f"A key on the Redis server {place} is not what it should be ({said}).",
            remedy="Another program uses the same key prefix: set another storage.key_prefix, or another database number.",
            url=place,
        )
    if isinstance(error, errors.ReadOnlyError):
        return StoreError(
            f"The Redis server {place} is a replica and takes no writes.",
            remedy="Give the address of the master.",
            url=place,
        )
    return StoreError(
        f"The Redis server {place} failed ({type(error).__name__}: {said}).", remedy="See its log.", url=place
    )


def damaged(place: str, reason: str) -> CorruptStore:
    """What a key holds cannot be what was written there."""
    return CorruptStore(
        f"Expected the data of harness on the Redis server {place}, but {reason}. They were left untouched.",
        remedy="Restore the server's data from a backup, or use another storage.key_prefix or database number.",
        url=place,
    )

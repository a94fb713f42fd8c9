"""Is a Redis server one that data can be left with?"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from harness.adapters.redis.client import RedisClient
from harness.errors import StoreError

if TYPE_CHECKING:
    from harness.adapters.redis.options import RedisOptions

OLDEST = (6, 0)
"""The oldest server whose commands are used."""


async def examined(options: RedisOptions, *, lasting: bool) -> tuple[str, str]:
    """What the server is, and what is to be minded; empty when all is well.

    Args:
        lasting: what is kept there is meant to outlive the server process.

    Raises:
        StoreError: it does not answer, refuses, or takes no writes. MissingExtra: the package redis is not installed.
    """
    client = RedisClient(options, closed=lambda: StoreError("The connection is closed."))
    try:
        name = client.key("doctor", uuid.uuid4().hex)
        await client.together(lambda pipeline: pipeline.set(name, "1", ex=60).get(name).delete(name))
        info: dict[str, Any] = await client.read(lambda redis: redis.info())
        saved = await _saved(client, info)
        version = str(info.get("redis_version", "?"))
        kept = " and ".join(saved) or "nothing on disk"
        return f"Redis {version} at {client.place}, keeps {kept}", _remedy(info, version, saved, lasting=lasting)
    finally:
        await client.close()


async def _saved(client: RedisClient, info: dict[str, Any]) -> list[str]:
    """How the server keeps its data beyond its own end."""
    found = []
    if info.get("aof_enabled"):
        found.append("an append-only file")
    try:
        rules = (await client.read(lambda redis: redis.config_get("save"))).get("save", "")
    except StoreError:  # a hosted server that does not tell
        rules = "unknown" if info.get("rdb_last_save_time") else ""
    if rules:
        found.append("snapshots (RDB)")
    return found


def _remedy(info: dict[str, Any], version: str, saved: list[str], *, lasting: bool) -> str:
    notes = []
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < OLDEST:
        notes.append(f"Redis {OLDEST[0]}.{OLDEST[1]} or newer is needed.")
    if lasting and not saved:
        notes.append(
            "It keeps nothing on disk: all is gone when it stops. Switch on its append-only file "
            "(CONFIG SET appendonly yes, and appendonly yes in its configuration)."
        )
    elif lasting and saved == ["snapshots (RDB)"]:
        notes.append("A crash takes back what came after its last snapshot. appendonly yes loses at most two seconds.")
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if lasting and int(info.get("maxmemory", 0)) and policy.startswith("allkeys"):
        notes.append(f"It throws keys away when its memory is full (maxmemory-policy {policy}). Set it to noeviction.")
    return " ".join(notes)

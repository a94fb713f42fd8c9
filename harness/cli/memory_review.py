"""``harness memory review``, ``sweep`` and ``restore``: what has expired, or was never needed."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from harness.cli.memory import app
from harness.cli.memory_options import Item, Persona, User, change, filter_of, scope_of
from harness.cli.options import Config, Json, Set, load_settings

Applied = Literal["archive", "delete"]


@app.command("review")
def review_memories(
    *,
    days: Annotated[int, typer.Option("--days", min=0, help="Days without use. 0: as memory.review_days says.")] = 0,
    apply: Annotated[Applied | None, typer.Option("--apply", metavar="archive|delete", help="Put away, or remove for good, what was not used; what has expired is removed.")] = None,
    persona: Persona = "",
    user: User = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before deleting.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """List what has expired, and what was neither said nor needed for a long time."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness
    from harness.memory.reviewing import Review, archive, review, sweep

    loaded = load_settings(config, overrides)
    where = filter_of(scope_of(persona, user), hidden=True)

    async def look(harness: Any) -> Review:
        return await review(harness.memories(), days=days or harness.settings.memory.review_days, where=where)

    found = with_harness(loaded, look)
    if apply == "delete" and found.unused and not yes:
        typer.confirm(f"Delete {len(found.unused)} memories for good?", abort=True)

    async def work(harness: Any) -> dict[str, int]:
        memories = harness.memories()
        done = {"expired": await sweep(memories, where=where)}
        if apply == "archive":
            done["archived"] = await archive(memories, found.unused)
        else:
            done["deleted"] = await memories.delete([item.id for item in found.unused])
        return done

    done = with_harness(loaded, work) if apply else {}
    if as_json:
        print_json({"days": found.days, "expired": found.expired, "unused": found.unused, "done": done})
        return
    console = render.console()
    console.print(f"Expired: {len(found.expired)}")
    if found.expired:
        console.print(render_memory.items(found.expired))
    console.print(f"Not needed for {found.days} days: {len(found.unused)}")
    if found.unused:
        console.print(render_memory.items(found.unused))
    if done:
        typer.echo("; ".join(f"{what}: {count}" for what, count in done.items()))
    elif found.unused or found.expired:
        typer.echo("Nothing was changed; see --apply.", err=True)


@app.command("sweep")
def sweep_memories(
    *, persona: Persona = "", user: User = "", as_json: Json = False, config: Config = None, overrides: Set = None
) -> None:
    """Remove for good what has expired."""
    from harness.memory.reviewing import sweep

    where = filter_of(scope_of(persona, user), hidden=True)

    async def work(memories: Any) -> Any:
        return {"removed": await sweep(memories, where=where)}

    change(work, lambda done: f"Removed {done['removed']}.", as_json=as_json, config=config, overrides=overrides)


@app.command("restore")
def restore_memory(
    item: Item,
    *,
    persona: Persona = "",
    user: User = "",
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Take a memory that was put away back."""
    from harness.memory.reviewing import restore

    async def work(memories: Any) -> Any:
        return await restore(memories, await memories.chosen(item, scope=scope_of(persona, user)))

    change(work, lambda back: f"[{back.id}] is known again.", as_json=as_json, config=config, overrides=overrides)

"""Forgetting a user from the command line: asked about first, with what will go and what may remain."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from harness.forgetting import Forgotten
    from harness.ports import MemoryFilter
    from harness.settings import Loaded


READ: Final = "another program is reading it. Close that program, and repeat the command."


def forget_a_user(user: str, persona: str, loaded: Loaded, *, journal: bool, yes: bool, as_json: bool) -> None:
    """Ask, forget, and say what was forgotten."""
    from harness.cli.running import print_json, with_harness
    from harness.forgetting import sessions_of

    async def look(harness: Any) -> tuple[int, bool]:
        count = len(await sessions_of(user, harness.store(), persona))
        return count, count > 0 or await _is_known(harness, user, persona)

    count, known = with_harness(loaded, look)
    whom = f"user {user!r}" + (f" with persona {persona!r}" if persona else "")
    if not known:  # perhaps misspelt; other stores are gone through all the same
        typer.echo(f"Nothing is known of {whom}.", err=True)
    elif not yes:
        also = f", and delete {_sessions(count)} with all that was said" if journal else ""
        typer.confirm(f"Forget all that is remembered of {whom}{also}?", abort=True)

    async def work(harness: Any) -> Forgotten:
        done: Forgotten = await harness.forget_user(user, persona=persona, journal=journal)
        return done

    done = with_harness(loaded, work)
    named = loaded.settings.paths.memory
    folder = loaded.settings.path(named)
    noted = [one for one in done.remains if named and Path(one).is_relative_to(folder)]
    files = [Path(one).relative_to(folder).as_posix() for one in noted]
    remains = [one for one in done.remains if one not in noted]
    if as_json:
        print_json({**asdict(done), "remains": remains, "forgotten": done.memories, "files": files})
        return
    others = "".join(f", {many} of {name}" for name, many in done.others.items() if many)
    deleted = f" and deleted {_sessions(len(done.sessions))}" if journal else ""
    typer.echo(f"Forgot {done.memories}{others}{deleted}.")
    if done.kept:
        typer.echo(f"The journals of {_sessions(len(done.kept))} still have what was said; see --journal.", err=True)
    say_what_stays(files)
    for file in remains:
        if file in done.pending:
            typer.echo(f"{file} may still have words of this user: {READ}", err=True)
        else:
            typer.echo(f"Look through {file} yourself: it may have words of this user.", err=True)


async def _is_known(harness: Any, user: str, persona: str) -> bool:
    """Whether memory, a file or the graph has anything of a user."""
    from harness.cli.memory_options import filter_of, scope_of
    from harness.errors import HarnessError
    from harness.ports import GraphFilter

    scope = scope_of(persona, user)
    if harness.memory_store() is None:
        return True  # nothing tells
    async for _ in harness.memories().all(filter_of(scope, hidden=True)):
        return True
    try:
        graphs = harness.graphs()
    except HarnessError:  # it is off
        return False
    async for _ in graphs.all(GraphFilter(scope=scope, everything=True, hidden=True)):
        return True
    return False


async def files_of(memories: Any, where: MemoryFilter) -> list[str]:
    """Files of the memory folder that hold some of it still: nothing here writes them."""
    return sorted({item.origin.rpartition(":")[0] async for item in memories.all(where) if item.origin})


def say_what_stays(files: list[str]) -> None:
    """Name the files that only a person can change."""
    if files:
        typer.echo(f"What stands in files stays: {', '.join(files)}. Delete them, if it is to go.", err=True)


def _sessions(count: int) -> str:
    return f"{count} session" if count == 1 else f"{count} sessions"

"""``harness memory``: what is remembered across sessions, looked at, searched and changed by hand."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.ports import MemoryFilter
    from harness.state.memory import Scope

app = typer.Typer(
    help="List, search, write, change, forget, export and import what is remembered.", no_args_is_help=True
)

Item = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, its end, or words that only it has.")]
Persona = Annotated[str, typer.Option("--persona", "-p", help="Only of this character.")]
User = Annotated[str, typer.Option("--user", "-u", help="Only of this user.")]
Session = Annotated[str, typer.Option("--session", help="Only what this session wrote.")]


def _scope(persona: str, user: str) -> Scope:
    from harness.state.memory import Scope

    return Scope(persona=persona, user=user)


def _where(persona: str, user: str, session: str, *, hidden: bool = False) -> MemoryFilter:
    from harness.ports import MemoryFilter

    return MemoryFilter(
        scope=_scope(persona, user), everything=True, session=session, statuses=() if hidden else ("active",)
    )


@app.command("list")
def list_memories(
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    layer: Annotated[str, typer.Option("--layer", help="Only of this layer: L2 or L3.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most that are shown.")] = 50,
    hidden: Annotated[bool, typer.Option("--all", help="With those of branches that were left.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """List what is remembered."""
    from dataclasses import replace

    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness
    from harness.errors import InputError

    if layer not in ("", "L2", "L3"):
        raise InputError(f"A layer is L2 or L3, not {layer!r}.")
    where = _where(persona, user, session, hidden=hidden)
    if layer:
        where = replace(where, layers=(layer,))  # type: ignore[arg-type]  # checked above

    async def work(harness: Any) -> list[Any]:
        found = []
        async for item in harness.memories().all(where):
            found.append(item)
            if len(found) > limit:
                break
        return found

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(found[:limit])
        return
    render.console().print(render_memory.items(found[:limit]))
    if len(found) > limit:
        typer.echo(f"There are more than {limit}; see --limit.", err=True)


@app.command("search")
def search_memories(
    text: Annotated[str, typer.Argument(help="What a message would say.")],
    *,
    persona: Persona = "",
    user: User = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Most that are shown.")] = 10,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Search as a message would: only what belongs to the persona and user that are named, or to nobody."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.memories().search(text, scope=_scope(persona, user), limit=limit)

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(
            [{"score": one.score, "why": one.why, "dropped": one.dropped, "item": one.item} for one in found.items]
        )
        return
    render.console().print(render_memory.found(found))
    if not (persona or user):
        typer.echo("Only what is for everybody was looked through; see --persona and --user.", err=True)


@app.command("show")
def show_memory(item: Item, *, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Show one memory with where it came from."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.memories().chosen(item)

    found = with_harness(load_settings(config, overrides), work)
    print_json(found) if as_json else render.console().print(render_memory.item(found))


@app.command("note")
def write_note(
    text: Annotated[str, typer.Argument(help="What is to be remembered.")],
    *,
    persona: Persona = "",
    user: User = "",
    pin: Annotated[bool, typer.Option("--pin", help="Always show it.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Write something down. Without --persona and --user every character knows it with every user."""

    async def work(memories: Any) -> str:
        made = await memories.note(text, scope=_scope(persona, user), pinned=pin)
        return f"Noted [{made.id}]."

    _do(work, config, overrides)


@app.command("edit")
def edit_memory(
    item: Item,
    text: Annotated[str, typer.Argument(help="The words that stand there instead.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Put other words in a memory's place."""

    async def work(memories: Any) -> str:
        return f"[{(await memories.edit((await memories.chosen(item)).id, text)).id}] changed."

    _do(work, config, overrides)


@app.command("pin")
def pin_memory(item: Item, *, config: Config = None, overrides: Set = None) -> None:
    """Always show a memory where its scope is seen."""

    async def work(memories: Any) -> str:
        return f"Pinned [{(await memories.pin((await memories.chosen(item)).id)).id}]."

    _do(work, config, overrides)


@app.command("unpin")
def unpin_memory(item: Item, *, config: Config = None, overrides: Set = None) -> None:
    """Take the pin off."""

    async def work(memories: Any) -> str:
        return f"Unpinned [{(await memories.pin((await memories.chosen(item)).id, pinned=False)).id}]."

    _do(work, config, overrides)


@app.command("delete")
def delete_memories(
    items: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of memories.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Remove memories for good."""

    async def work(memories: Any) -> str:
        return f"Deleted {await memories.delete([(await memories.chosen(item)).id for item in items])}."

    _do(work, config, overrides)


@app.command("forget")
def forget_memories(
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Remove everything that belongs to a user, a character or a session. It cannot be brought back."""
    named = ", ".join(
        f"{what} {who!r}" for what, who in (("persona", persona), ("user", user), ("session", session)) if who
    )
    if named and not yes:
        typer.confirm(f"Forget all that is remembered of {named}?", abort=True)

    async def work(memories: Any) -> str:
        return f"Forgot {await memories.forget(_where(persona, user, session, hidden=True))}."

    _do(work, config, overrides)


@app.command("stats")
def show_stats(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """Show how much is remembered."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.memories().stats()

    found = with_harness(load_settings(config, overrides), work)
    print_json(found) if as_json else render.console().print(render_memory.stats(found))


@app.command("reindex")
def reindex_memories(*, config: Config = None, overrides: Set = None) -> None:
    """Make the missing vectors, or all of them anew after a change of the embedder. May be interrupted and repeated."""
    from harness.cli.running import with_harness

    async def work(harness: Any) -> int:
        from rich.progress import Progress

        from harness.cli import render

        with Progress(console=render.console(stderr=True)) as bar:
            task = bar.add_task("Embedding", total=None)
            return int(
                await harness.memories().reindex(lambda done, total: bar.update(task, completed=done, total=total))
            )

    made = with_harness(load_settings(config, overrides), work)
    typer.echo(f"Made {made} vectors.")


@app.command("recent")
def show_recent(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Id of a session.")],
    *,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, help="Only the newest that fit; default: all that are kept.")
    ] = None,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Show the newest messages of a session as they are kept for other programs (see short_term.backend)."""
    from harness.cli import render, render_memory
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        return await harness.short_term().recent(session, max_tokens=max_tokens)

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json(
            [{**one.message.model_dump(mode="json"), "turn_id": one.turn_id, "tokens": one.tokens} for one in found]
        )
    else:
        render.console().print(render_memory.recent(found))
    tokens = sum(one.tokens for one in found)
    if max_tokens is not None and tokens > max_tokens:
        typer.echo(f"The newest message alone has {tokens} tokens.", err=True)


@app.command("export")
def export_memories(
    file: Annotated[Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to; default: standard output.")] = None,
    *,
    persona: Persona = "",
    user: User = "",
    session: Session = "",
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Write memories as JSON lines."""
    from harness.cli.running import with_harness
    from harness.errors import InputError

    async def work(harness: Any) -> list[str]:
        where = _where(persona, user, session, hidden=True)
        return [item.model_dump_json() async for item in harness.memories().all(where)]

    lines = with_harness(load_settings(config, overrides), work)
    text = "".join(f"{line}\n" for line in lines)
    if file is None or str(file) == "-":
        sys.stdout.write(text)
        return
    try:
        with file.open("w" if force else "x", encoding="utf-8", newline="\n") as out:
            out.write(text)
    except FileExistsError:
        raise InputError(f"{file} exists already.", remedy="Give another name, or --force.") from None
    except OSError as error:
        raise InputError(f"{file} cannot be written: {error.strerror}.") from error
    typer.echo(f"Exported {len(lines)} memories to {file}.", err=True)


@app.command("import")
def import_memories(
    file: Annotated[str, typer.Argument(metavar="FILE", help="An exported file; - reads standard input.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Store exported memories. The file is checked as a whole first."""
    from harness.errors import InputError

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file} cannot be read: {error}.") from error

    lines = text.split("\n")  # not splitlines: a text may hold other separators

    async def work(memories: Any) -> str:
        return f"Imported {await memories.load(lines)}."

    _do(work, config, overrides)


def _do(work: Any, config: Path | None, overrides: list[str] | None) -> None:
    """Do something with all memories, and say what was done."""
    from harness.cli.running import with_harness

    async def main(harness: Any) -> str:
        return str(await work(harness.memories()))

    typer.echo(with_harness(load_settings(config, overrides), main))

"""``harness facts``: look at what a session holds true, and change it by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from harness.cli.options import Config, Json, SessionId, Set, load_settings
from harness.cli.tree import in_session

app = typer.Typer(help="List, add, pin, retract, correct and merge the facts of a session.", no_args_is_help=True)

Fact = Annotated[str, typer.Argument(metavar="FACT", help="Id of a fact, or words that only it has.")]


@app.command("list")
def list_facts(
    session: SessionId,
    *,
    history: Annotated[bool, typer.Option("--all", help="With replaced and retracted ones.")] = False,
    as_json: Json = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """List the facts of a session."""
    from harness.cli import render
    from harness.cli.running import print_json, with_harness

    async def work(harness: Any) -> Any:
        from harness.cli.stored import Stored

        return (await Stored.read(harness.store(), session)).state().facts

    found = with_harness(load_settings(config, overrides), work)
    if as_json:
        print_json([fact for fact in found if history or fact.status in {"active", "disputed"}])
    else:
        render.console().print(render.facts(found, history=history))


@app.command("pin")
def pin_fact(session: SessionId, fact: Fact, *, config: Config = None, overrides: Set = None) -> None:
    """Always show a fact to the model."""
    _change(session, fact, "Pinned", lambda choosing, found, _: choosing.pin(found, pinned=True), config, overrides)


@app.command("unpin")
def unpin_fact(session: SessionId, fact: Fact, *, config: Config = None, overrides: Set = None) -> None:
    """Take the pin off."""
    _change(session, fact, "Unpinned", lambda choosing, found, _: choosing.pin(found, pinned=False), config, overrides)


@app.command("retract")
def retract_fact(session: SessionId, fact: Fact, *, config: Config = None, overrides: Set = None) -> None:
    """Take a fact back."""
    _change(
        session, fact, "Retracted", lambda choosing, found, state: choosing.retract(found, state), config, overrides
    )


@app.command("edit")
def edit_fact(
    session: SessionId,
    fact: Fact,
    value: Annotated[str, typer.Argument(help="The value that holds instead.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Put another value in a fact's place; the old one stays as history."""
    _change(session, fact, "Replaced", lambda choosing, found, state: choosing.revise(found, state, value), config, overrides)  # fmt: skip


@app.command("add")
def add_fact(
    session: SessionId,
    about: Annotated[str, typer.Argument(help="Whom it is about: user, character, or a name.")],
    attribute: Annotated[str, typer.Argument(help="What it says of them: job, pet, locker number, …")],
    value: Annotated[str, typer.Argument(help="The value.")],
    *,
    denied: Annotated[bool, typer.Option("--not", help="It is not so.")] = False,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """State a fact by hand."""

    async def work(opened: Any) -> str:
        from harness.cli.changes import fact_words
        from harness.cli.choosing import add_fact

        await add_fact(opened, about, attribute, value, polarity=not denied)
        made = (await opened.state()).facts[-1]
        return f"Noted [{made.id}] {fact_words(made)}."

    typer.echo(in_session(session, work, config, overrides, connect=False))


@app.command("merge")
def merge_subjects(
    session: SessionId,
    name: Annotated[str, typer.Argument(help="Whom the facts are about from now on.")],
    other: Annotated[str, typer.Argument(help="Another name of the same.")],
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Make the facts about OTHER facts about NAME."""

    async def work(opened: Any) -> str:
        from harness.cli.choosing import merge_subjects

        made = await merge_subjects(opened, name, other)
        return f"Facts about {made.merged} are facts about {made.subject} now."

    typer.echo(in_session(session, work, config, overrides, connect=False))


def _change(session: str, wanted: str, done: str, make: Any, *where: Any) -> None:
    async def work(opened: Any) -> str:
        from harness.cli import choosing
        from harness.cli.changes import fact_words

        found = await choosing.change_fact(opened, wanted, lambda fact, state: make(choosing, fact, state))
        return f"{done} [{found.id}] {fact_words(found)}."

    typer.echo(in_session(session, work, *where, connect=False))

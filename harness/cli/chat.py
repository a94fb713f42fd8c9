"""``harness chat``: a conversation in the terminal, or through a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from harness.cli.options import Config, Set, load_settings

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.cli.screens import Screen
    from harness.session import Session as OpenSession
    from harness.settings import Settings

Persona = Annotated[
    str, typer.Option("--persona", "-p", metavar="NAME", help="Id, name or file of a character. `harness persona list` shows them.")
]  # fmt: skip
Session = Annotated[str, typer.Option("--session", "-s", metavar="ID", help="Session to go on with, or to begin.")]
User = Annotated[
    str,
    typer.Option(
        "--user",
        metavar="ID",
        help="Who talks; kept apart from other users. Default: whoever the session is with, or one nameless user.",
    ),
]

Project = Annotated[
    str,
    typer.Option("--project", metavar="NAME", help="What it is about; what is remembered of other projects stays out."),
]
World = Annotated[str, typer.Option("--world", metavar="NAME", help="Where it plays; kept apart from other worlds.")]


def chat(
    persona: Persona = "",
    session: Session = "",
    user: User = "",
    project: Project = "",
    world: World = "",
    config: Config = None,
    overrides: Set = None,
) -> None:
    """Talk with a character.

    Replies come as they are made, and a line after each says what the turn did to the state. /help lists the
    commands that look inside. Reads lines from standard input when it is not a terminal.
    """
    import asyncio  # here, because `--help` needs none of it

    from harness.cli.conversation import Conversation
    from harness.cli.running import with_harness
    from harness.cli.screens import screen_for_streams

    loaded = load_settings(config, overrides)
    screen = screen_for_streams()
    if loaded.settings.embedded:
        screen.status(embedded_notice(loaded.settings))

    async def talk(harness: Harness) -> bool:
        opened = await harness.open(persona, session=session, user=user, project=project, world=world)
        warming = asyncio.create_task(get_ready(harness, opened, screen))
        conversation = Conversation(harness, opened, screen)
        try:
            await conversation.run()
        finally:
            warming.cancel()
            await asyncio.wait({warming})
        return conversation.failed

    if with_harness(loaded, talk) and not screen.interactive:
        raise typer.Exit(1)


async def get_ready(harness: Harness, opened: OpenSession, screen: Screen) -> None:
    """Get ready for the first turn while the user reads and types. What fails is told; the conversation goes on."""
    import structlog

    failed: Exception | None
    try:
        failed = await harness.warm(opened)
    except Exception as error:  # noqa: BLE001 - a fault in here must neither end the conversation nor pass unseen
        structlog.get_logger("harness.cli").warning("warming_failed", session=opened.id, error=repr(error))
        failed = error
    if failed is not None:
        screen.status(f"Getting ready failed; the first reply may take longer. {failed}")


def embedded_notice(settings: Settings) -> str:
    """The line that says which model answers when none was configured."""
    chosen = "" if settings.local.model == "default" else f" ({settings.local.model})"
    return f"No provider is configured: the embedded model{chosen} answers, on this machine."

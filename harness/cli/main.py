"""``harness``: the root command. Importing this module is cheap; commands import what they need when they run."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Annotated, Any

import typer
import typer.core

from harness.cli import (
    artifacts,
    blindtest,
    blindtest_human,
    blindtest_judging,
    blindtest_looking,
    blindtest_weighing,
    chat,
    diagnose,
    doctor,
    facts,
    graph,
    init,
    language,
    memory,
    memory_changes,
    memory_moving,
    memory_review,
    model,
    persona,
    prompts,
    replay,
    say,
    sessions,
    settings,
    show,
    task,
    tree,
)
from harness.cli.running import DEBUGGING, prepare_streams, show_error

DEBUG = "debug"


class Root(typer.core.TyperGroup):
    """The root command: any error of the package becomes two lines on standard error and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        from harness.errors import HarnessError

        try:
            return super().invoke(ctx)
        except HarnessError as error:
            if ctx.params.get(DEBUG):
                raise
            show_error(error)
            raise typer.Exit(1) from error


app = typer.Typer(
    cls=Root,
    name="harness",
    help="Talk with characters that stay themselves, and look into every turn.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from harness import __version__

        typer.echo(f"harness {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Talk with characters that stay themselves, and look into every turn."""
    del version
    DEBUGGING.set(debug)


TALKING, LOOKING, MAKING, RUNNING = "Talk", "Look", "Write", "Set up"

app.command("chat", rich_help_panel=TALKING)(chat.chat)
app.command("say", rich_help_panel=TALKING)(say.say)
app.command("show", rich_help_panel=LOOKING)(show.show)
app.command("diagnose", rich_help_panel=LOOKING)(diagnose.diagnose_session)
app.add_typer(sessions.app, name="sessions", rich_help_panel=LOOKING)
app.command("replay", rich_help_panel=LOOKING)(replay.replay_session)
app.command("undo", rich_help_panel=TALKING)(tree.undo)
app.command("retry", rich_help_panel=TALKING)(tree.retry)
app.command("edit", rich_help_panel=TALKING)(tree.edit)
app.command("fork", rich_help_panel=TALKING)(tree.fork)
app.command("goto", rich_help_panel=TALKING)(tree.goto)
app.add_typer(facts.app, name="facts", rich_help_panel=LOOKING)
app.add_typer(task.app, name="task", rich_help_panel=LOOKING)
app.add_typer(artifacts.app, name="artifacts", rich_help_panel=LOOKING)
# Its commands stand in four modules; importing them adds them.
MEMORY_COMMANDS = (memory, memory_changes, memory_moving, memory_review)
app.add_typer(memory.app, name="memory", rich_help_panel=LOOKING)
app.add_typer(graph.app, name="graph", rich_help_panel=LOOKING)
BLINDTEST_COMMANDS = (blindtest, blindtest_looking, blindtest_weighing)
blindtest_judging.register(blindtest.app)
blindtest_human.register(blindtest.app)
app.add_typer(blindtest.app, name="blindtest", rich_help_panel=LOOKING)
app.add_typer(persona.app, name="persona", rich_help_panel=MAKING)
app.add_typer(prompts.app, name="prompts", rich_help_panel=MAKING)
app.add_typer(language.app, name="language", rich_help_panel=MAKING)
app.command("init", rich_help_panel=RUNNING)(init.init)
app.add_typer(settings.app, name="settings", rich_help_panel=RUNNING)
app.command("doctor", rich_help_panel=RUNNING)(doctor.doctor)
app.add_typer(model.app, name="model", rich_help_panel=RUNNING)


def main() -> None:
    """The console script."""
    prepare_streams()
    try:
        app()
    except OSError as error:
        # The streams themselves: a full disk behind standard output, for instance. Everything else is a HarnessError.
        if error.errno not in (errno.ENOSPC, errno.EIO, errno.EBADF):
            raise
        with contextlib.suppress(OSError):
            sys.stderr.write(f"error: the output cannot be written: {error.strerror}.\n")
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


if __name__ == "__main__":
    main()

"""The command line in process."""

from __future__ import annotations

from collections.abc import Callable

from typer.testing import CliRunner, Result

from harness.cli.main import app

Run = Callable[..., Result]


def runner(*first: str) -> Run:
    """``run(*arguments, code=0, stdin=None)`` runs a command, which must end with that code. ``first``: words before all others."""

    def run(*arguments: str, code: int = 0, stdin: str | None = None) -> Result:
        result = CliRunner().invoke(app, [*first, *arguments], input=stdin)
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return run

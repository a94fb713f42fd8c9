"""The reference page of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
from typing import Any

import typer.main

HEAD = """# The command line

Every command takes `--help`. Those that read settings take `--config FILE` and `--set SECTION.KEY=VALUE`.
An error is two lines on standard error, what happened and what to do, with exit code 1; wrong usage exits with 2,
Ctrl-C with 130. `harness --debug COMMAND` shows the traceback.

"""
CHAT = """## In a conversation

Lines that begin with a slash are commands. A message that begins with `//` is sent with one slash. Enter sends,
Alt-Enter begins a new line, Ctrl-C cancels a reply without leaving, Ctrl-D or Ctrl-C twice leaves.

"""


def reference() -> str:
    """The text of ``docs/cli.md``."""
    from harness.cli.main import app
    from harness.cli.slash import COMMANDS

    root: Any = typer.main.get_command(app)
    parts = [HEAD]
    for name, command in root.commands.items():
        subcommands = getattr(command, "commands", None)
        if subcommands:
            alone = getattr(command, "invoke_without_command", False)
            parts.append(_command(name, command, "##") if alone else f"## harness {name}\n\n{_text(command.help)}\n\n")
            parts += [_command(f"{name} {sub}", found, "###") for sub, found in subcommands.items()]
        else:
            parts.append(_command(name, command, "##"))
    rows = "".join(f"| `{_cell(slash.usage)}` | {_cell(slash.help)} |\n" for slash in COMMANDS.values())
    parts.append(f"{CHAT}| command | what it does |\n|---|---|\n{rows}")
    return "".join(parts)


def _command(name: str, command: Any, level: str) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [
        p for p in command.params if p.param_type_name == "option" and p.name not in {"help", "config", "overrides"}
    ]
    words = " ".join(_argument(argument) for argument in arguments)
    lines = [
        f"{level} harness {name}",
        "",
        _text(command.help),
        "",
        "```",
        f"harness {name} {words}".rstrip(),
        "```",
        "",
    ]
    if arguments or options:
        lines += ["| | |", "|---|---|"]
        lines += [f"| `{_cell(_argument(a))}` | {_cell(a.help or '')} |" for a in arguments]
        lines += [f"| `{_cell(_option(o))}` | {_cell(o.help or '')} |" for o in options]
        lines.append("")
    return "\n".join(lines) + "\n"


def _argument(argument: Any) -> str:
    name = argument.metavar or argument.name.upper()
    return name if argument.required else f"[{name}]"


def _option(option: Any) -> str:
    kind = "" if option.is_flag else f" {option.metavar or option.name.upper()}"
    return ", ".join(option.opts) + kind


def _text(text: str | None) -> str:
    return inspect.cleandoc(text or "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    import sys

    sys.stdout.write(reference())

"""``harness model``: the embedded models."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from harness.cli.options import Config, Json, Set, load_settings

app = typer.Typer(help="List, fetch, serve and remove embedded models (extra: local).", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="A name of the list, or the path of a GGUF file.")]


@app.command("list")
def list_models(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List the models of the catalogue and what is already here."""
    from harness import app_models
    from harness.cli import render
    from harness.cli.running import print_json

    found = app_models.list_models(load_settings(config, overrides).settings)
    if as_json:
        print_json(found)
        return
    made = render.table("name", ("size", "right"), "here", "what", whole=("name",))
    for model in found:
        size = f"{model.size / 1e9:.2f} GB" if model.size else ""
        here = model.state + (", default" if model.default else "")
        render.row(made, model.name, size, here, "; ".join(filter(None, (model.title, model.licence))))
    out = render.console()
    out.print(made)
    out.print(
        f"folder: {app_models.cache_folder(load_settings(config, overrides).settings)}", style="dim", soft_wrap=True
    )


@app.command("pull")
def pull_model(name: Name = "", *, config: Config = None, overrides: Set = None) -> None:
    """Fetch a model, or the default one, into the cache. Goes on where an interrupted download stopped."""
    from harness import app_models
    from harness.cli.pulling import PullBar

    with PullBar() as bar:
        path = app_models.pull_model(load_settings(config, overrides).settings, name, bar)
    typer.echo(f"{path}")


@app.command("serve")
def serve_model(
    name: Name = "",
    port: Annotated[int, typer.Option("--port", help="0: any free one.", min=0, max=65535)] = 8080,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    key_env: Annotated[str, typer.Option("--api-key-env", metavar="NAME", help="Variable that holds the key clients must send; default: open.")] = "",
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Serve a model for OpenAI-compatible clients until Ctrl-C."""
    from harness import app_models
    from harness.cli.pulling import PullBar
    from harness.errors import SettingsError

    key = os.environ.get(key_env, "") if key_env else ""
    if key_env and not key:
        raise SettingsError(f"The variable {key_env!r} is not set.", remedy="Export the key clients must send in it.")
    with PullBar() as bar:
        app_models.serve_model(
            load_settings(config, overrides).settings,
            name,
            bar,
            host=host,
            port=port,
            api_key=key or None,
            ready=lambda url: typer.echo(f"Serving at {url} (Ctrl-C ends it)."),
        )


@app.command("remove")
def remove_model(name: Name, *, config: Config = None, overrides: Set = None) -> None:
    """Delete a model from the cache."""
    from harness import app_models

    freed = app_models.remove_model(load_settings(config, overrides).settings, name)
    typer.echo(f"Removed {name!r}: {freed / 1e9:.2f} GB." if freed else f"{name!r} is not in the cache.")

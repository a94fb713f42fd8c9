"""``harness prompts``: list, show, render."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.cli.prompt_values import Sample

app = typer.Typer(help="List, show and fill in the prompts.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="Name of a prompt, as `harness prompts list` shows it.")]
Language = Annotated[str, typer.Option("--language", help="Language code.")]


@app.command("list")
def list_prompts(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List every prompt, its languages, the file that serves it, and the variables it takes."""
    from harness.app import Harness
    from harness.cli import render
    from harness.cli.running import print_json

    prompts = Harness(load_settings(config, overrides)).prompts
    own = prompts.search_paths[0]
    rows = []
    for name in prompts.names():
        for language in prompts.languages():
            path, _ = prompts.source(name, language)
            if path.parent.name == language:
                where = "project" if path.is_relative_to(own) and len(prompts.search_paths) > 1 else "packaged"
                rows.append({"name": name, "language": language, "from": where, "file": path, "variables": prompts.variables(name, language)})  # fmt: skip
    if as_json:
        print_json(rows)
        return
    made = render.table("prompt", "language", "from", "variables")
    for entry in rows:
        render.row(made, entry["name"], entry["language"], entry["from"], ", ".join(entry["variables"]))  # type: ignore[arg-type]  # a tuple of names
    render.console().print(made)


@app.command("show")
def show_prompt(name: Name, language: Language = "en", *, config: Config = None, overrides: Set = None) -> None:
    """Print the template that is in use; its file on standard error."""
    from harness.app import Harness

    path, text = Harness(load_settings(config, overrides)).prompts.source(name, language)
    typer.echo(str(path), err=True)
    typer.echo(text, nl=not text.endswith("\n"))


@app.command("render")
def render_prompt(
    name: Name,
    language: Language = "",
    session: Annotated[str, typer.Option("--session", "-s", metavar="ID", help="Fill it in with this session's turn.")] = "",
    turn: Annotated[int | None, typer.Option("--turn", metavar="N", help="Which turn; default: the last.")] = None,
    persona: Annotated[str, typer.Option("--persona", "-p", metavar="NAME", help="Without a session: whose example lines fill it in.")] = "",
    *,
    config: Config = None,
    overrides: Set = None,
) -> None:  # fmt: skip
    """Print a prompt filled in: with a turn of a session, or with a character's example lines.

    A turn's exact messages are shown by `harness show SESSION --calls`; this shows what the templates of now make.
    """
    from harness.cli.running import with_harness

    async def work(harness: Harness) -> str:
        from harness.cli.prompt_values import values

        sample = await _recorded(harness, session, turn) if session else _example(harness, persona, language)
        code = language or sample.persona.language
        known = values(sample, code, harness.languages.get(code), harness.prompts)
        wanted = harness.prompts.variables(name, code)
        return harness.prompts.render(name, code, **{key: known[key] for key in wanted if key in known})

    typer.echo(with_harness(load_settings(config, overrides), work))


async def _recorded(harness: Harness, session: str, turn: int | None) -> Sample:
    from harness.cli.prompt_values import Sample
    from harness.cli.stored import Stored

    stored = await Stored.read(harness.store(), session)
    record = stored.turn(turn)
    findings = record.candidates[0].findings if record.candidates else ()
    before = stored.before(record)
    return Sample(stored.info.persona, before, record.user_text, record.reply, record.notices, findings)


def _example(harness: Harness, persona: str, language: str) -> Sample:
    from harness.app import DEFAULT_PERSONA
    from harness.cli.prompt_values import Sample
    from harness.persona import find_persona
    from harness.session import initial_state, reference
    from harness.state import SessionInfo

    known: Any = [entry.id for entry in harness.personas() if language and entry.language == language]
    wanted = persona or (known[0] if known else DEFAULT_PERSONA)
    found = find_persona(wanted, harness.persona_paths, packs=harness.languages)
    state = initial_state(SessionInfo(id="example", persona_ref=reference(found), persona=found))
    asked = next((line for line in found.examples if line.user), None)
    said = asked.user if asked else found.name
    return Sample(found, state, said, asked.character if asked else found.greeting or found.name)

"""``harness language``: the language packs there are, the check of a file, and a file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.cli.options import Config, Json, Set, load_settings

if TYPE_CHECKING:
    from harness.language.checking import PackReport

app = typer.Typer(help="List, check and begin language packs.", no_args_is_help=True)


@app.command("list")
def list_languages(*, as_json: Json = False, config: Config = None, overrides: Set = None) -> None:
    """List the language packs, those of `paths.languages` included. Exit code 1 when one of their files is wrong; it is named."""
    from harness.cli.packs import readable_packs, tell
    from harness.cli.running import print_json

    packs, wrong = readable_packs(load_settings(config, overrides))
    rows: list[dict[str, Any]] = [
        {
            "code": pack.code,
            "name": pack.name,
            "script": pack.script,
            "attributes": len(pack.attributes),
            "patterns": sum(1 for _ in pack.sources()),
            "folder": str(pack.folder or ""),
        }
        for pack in packs.all()
        if pack.code not in {one.code for one in wrong}
    ]
    tell(wrong)
    if as_json:
        print_json([*rows, *({"code": one.code, "file": str(one.file), "error": one.error.message} for one in wrong)])
    else:
        _table(rows)
    if wrong:
        raise typer.Exit(1)


def _table(rows: list[dict[str, Any]]) -> None:
    from harness.cli import render

    made = render.table("code", "name", "script", ("attributes", "right"), ("patterns", "right"), "folder")
    for item in rows:
        render.row(made, *item.values())
    render.console().print(made)


@app.command("check")
def check_language(
    files: Annotated[list[Path], typer.Argument(metavar="FILE", help="Language files.")],
    *,
    as_json: Json = False,
    strict: Annotated[bool, typer.Option("--strict", help="Count warnings as errors.")] = False,
) -> None:
    """Check language files: form, patterns and their speed, examples, classifiers. Exit code 1 if one has errors."""
    from harness.cli.running import print_json

    reports = [_checked(file) for file in files]
    if as_json:
        print_json([_as_json(report) for report in reports])
    else:
        for report in reports:
            _print(report)
    if any(not report.ok or (strict and report.findings) for report in reports):
        raise typer.Exit(1)


@app.command("template")
def template(
    code: Annotated[str, typer.Argument(help="Short code of the language: sv, ja, pt-br.")],
    *,
    name: Annotated[str, typer.Option("--name", help="Its name in English; default: the code.")] = "",
    script: Annotated[str, typer.Option("--script", help="The Unicode script it is written in, in lower case.")] = "latin",
) -> None:  # fmt: skip
    """Print a language file to fill in."""
    from harness.errors import InputError
    from harness.language.scripts import is_script

    if not is_script(script):
        raise InputError(
            f"There is no Unicode script {script!r}.", remedy="Name one: latin, cyrillic, kana, hangul, arabic …"
        )
    import harness.language

    text = Path(str(harness.language.__file__)).with_name("template.txt").read_text(encoding="utf-8")
    typer.echo(text.format(code=code, name=name or code, script=script), nl=False)


def _checked(file: Path) -> PackReport:
    """The report on a file, its examples run."""
    from dataclasses import replace

    from harness.language.checking import PackFinding, check_file
    from harness.understanding.pack_examples import failed_examples

    report = check_file(file)
    if report.pack is None or not report.ok:
        return report
    failed = tuple(
        PackFinding("error", problem, f"examples.{index}", report.line_of("examples", index))
        for index, problem in failed_examples(report.pack)
    )
    return replace(report, findings=(*failed, *report.findings))


def _as_json(report: PackReport) -> dict[str, Any]:
    from dataclasses import asdict

    return {
        "file": str(report.file),
        "code": report.pack.code if report.pack else None,
        "ok": report.ok,
        "findings": [asdict(finding) for finding in report.findings],
    }


def _print(report: PackReport) -> None:
    for finding in report.findings:
        place = f"{report.file}:{finding.line}" if finding.line else str(report.file)
        where = f" {finding.where}:" if finding.where else ""
        typer.secho(
            f"{place}: {finding.level}:{where} {finding.message}", fg="red" if finding.level == "error" else None
        )
    errors = sum(finding.level == "error" for finding in report.findings)
    verdict = "is in order" if report.ok else f"has {errors} error{'s' * (errors != 1)}"
    typer.echo(f"{report.file} {verdict}.")

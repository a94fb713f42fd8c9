"""The parts of the documentation that are made from the code, and the command that refreshes them.

A page holds ``<!-- generated: NAME -->`` … ``<!-- end -->``; what stands between is replaced. Run
``python -m harness.documenting`` in a checkout after a change of settings, table, operations, errors or prompts.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic.fields import FieldInfo

from harness import errors, prompt_views
from harness.prompts import Prompts
from harness.resources import data_path
from harness.settings import SECTIONS, variable_name
from harness.state.operations import Operation
from harness.turn.machine import MACHINE

PAGES = ("README.md", "docs/**/*.md")
MARKED = re.compile(r"(<!-- generated: ([a-z-]+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
NOTE = re.compile(r"\{#(.*?)#\}", re.DOTALL)


def machine() -> str:
    """The turn table as a mermaid diagram."""
    return f"```mermaid\n{MACHINE.mermaid()}```"


def settings() -> str:
    """Every setting of every section: default, environment variable, meaning."""
    parts = []
    for section, model in SECTIONS.items():
        rows = [
            (f"`{key}`", _default(info), f"`{variable_name(section, key)}`", _meaning(info))
            for key, info in model.model_fields.items()
        ]
        about = " ".join((model.__doc__ or "").split()).replace("``", "`")
        parts.append(f"## {section}\n\n{about}\n\n{_table(('setting', 'default', 'variable', 'meaning'), rows)}")
    return "\n\n".join(parts)


def operations() -> str:
    """Every operation: its fields and what it does."""
    union = typing.get_args(typing.get_args(Operation)[0])
    rows = [
        (
            f"`{kind.model_fields['op'].default}`",
            f"`{kind.__name__}`",
            ", ".join(f"`{name}`" for name in kind.model_fields if name != "op"),
            _first_paragraph(kind),
        )
        for kind in union
    ]
    return _table(("`op`", "class", "fields", "what it does"), rows)


def error_tree() -> str:
    """The tree of errors, as the module draws it."""
    text = inspect.cleandoc(errors.__doc__ or "")
    tree = text.partition("::\n\n")[2].partition("\n\nEvery error")[0]
    return f"```text\n{inspect.cleandoc(tree)}\n```"


def prompts() -> str:
    """Every shipped template and partial with its variables."""
    packaged = Prompts([data_path("prompts")])
    rows = [
        (
            f"`{name}`",
            ", ".join(f"`{variable}`" for variable in packaged.variables(name, "en")),
            _purpose(packaged, name),
        )
        for name in packaged.names()
    ]
    return _table(("template", "variables", "what it is"), rows)


def views() -> str:
    """The records that templates receive, with their fields."""
    rows = []
    for name in sorted(prompt_views.__all__):
        kind = getattr(prompt_views, name)
        if dataclasses.is_dataclass(kind):
            fields = ", ".join(f"`{field.name}`" for field in dataclasses.fields(kind))
            rows.append((f"`{name}`", fields, _first_paragraph(typing.cast("type", kind))))
    return _table(("view", "fields", "what it is"), rows)


GENERATORS: Mapping[str, Callable[[], str]] = {
    "machine": machine,
    "settings": settings,
    "operations": operations,
    "errors": error_tree,
    "prompts": prompts,
    "views": views,
}
"""Name in a marker → what makes the text."""


def refreshed(text: str) -> str:
    """A page with its generated parts made anew. Raises KeyError for a marker that nothing makes."""
    return MARKED.sub(lambda found: f"{found[1]}\n{GENERATORS[found[2]]()}\n{found[3]}", text)


def pages(root: Path) -> Iterator[Path]:
    """The pages of a checkout."""
    for pattern in PAGES:
        yield from sorted(root.glob(pattern))


def refresh(root: Path) -> list[Path]:
    """Rewrite the pages whose generated parts are out of date; gives those that changed."""
    changed = []
    for page in pages(root):
        old = page.read_text(encoding="utf-8")
        new = refreshed(old)
        if new != old:
            page.write_text(new, encoding="utf-8", newline="\n")
            changed.append(page)
    return changed


def _default(info: FieldInfo) -> str:
    return "unset" if info.default is None else f"`{json.dumps(info.default)}`"


def _meaning(info: FieldInfo) -> str:
    choices = [choice for choice in typing.get_args(info.annotation) if isinstance(choice, str)]
    text = (info.description or "").replace("``", "`")
    return f"{text} One of {', '.join(f'`{choice}`' for choice in choices)}." if choices else text


def _first_paragraph(kind: type) -> str:
    return " ".join(inspect.cleandoc(kind.__doc__ or "").partition("\n\n")[0].split()).replace("``", "`")


def _purpose(packaged: Prompts, name: str) -> str:
    """The first sentences of the comment at the top of a template, up to its list of variables."""
    found = NOTE.match(packaged.source(name, "en")[1])
    return " ".join((found[1] if found else "").partition("Variables:")[0].split())


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


if __name__ == "__main__":
    import sys

    for path in refresh(Path(__file__).resolve().parents[1]):
        sys.stdout.write(f"refreshed {path}\n")

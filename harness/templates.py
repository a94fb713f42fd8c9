"""Jinja as prompts need it: files found by language and search path, compiled once, and the same text every time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType

from jinja2 import BaseLoader, BytecodeCache, Environment, StrictUndefined, TemplateNotFound, Undefined, meta, nodes
from jinja2.bccache import Bucket
from jinja2.exceptions import TemplateRuntimeError
from jinja2.loaders import split_template_path
from jinja2.sandbox import ImmutableSandboxedEnvironment

from harness.errors import PromptError

SUFFIX = ".j2"
_KEPT = 512
"""Templates of one process whose compiled form is kept; the packaged ones of both languages are fewer than a hundred."""


class TemplateFiles(BaseLoader):
    """Finds templates by language first, by search path second, and never outside either."""

    def __init__(self, search_paths: Sequence[Path], languages: Sequence[str]) -> None:
        self.folders = tuple(path / language for language in languages for path in search_paths)

    def find(self, template: str) -> tuple[str, str]:
        """(text, file name). Raises TemplateNotFound, PromptError when the file is not UTF-8."""
        pieces = split_template_path(template)
        for folder in self.folders:
            path = folder.joinpath(*pieces)
            # A link may point anywhere; what it points at must still lie inside the folder.
            if path.is_file() and path.resolve().is_relative_to(folder.resolve()):
                return _read(path), str(path)
        raise TemplateNotFound(template)

    def get_source(self, environment: Environment, template: str) -> tuple[str, str, Callable[[], bool]]:
        """Jinja's loader protocol; a file is read once."""
        del environment
        text, filename = self.find(template)
        return text, filename, lambda: True


class _Compiled(BytecodeCache):
    """What templates compile to, once in a process: each app has environments of its own, and all compile alike.

    It goes by the text of a file besides its place, so that a file that was changed is compiled anew.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if len(self._kept) >= _KEPT:
            self._kept.clear()
        if bucket.code is not None:
            self._kept[bucket.key, bucket.checksum] = bucket.code

    def clear(self) -> None:
        self._kept.clear()


_COMPILED = _Compiled()


@lru_cache(maxsize=_KEPT)
def parsed(text: str, name: str, filename: str) -> tuple[nodes.Template, tuple[str, ...]]:
    """The syntax tree of a template, only to be read, and the partials it includes. Raises TemplateSyntaxError."""
    tree = environment_of(TemplateFiles((), ())).parse(text, name, filename)
    return tree, tuple(found.removesuffix(SUFFIX) for found in meta.find_referenced_templates(tree) if found)


def literal_text(node: nodes.Node) -> Iterator[str]:
    """The text of a template, a NUL for each value; the branches of a choice stand on lines of their own."""
    if isinstance(node, nodes.TemplateData):
        yield node.data
    elif isinstance(node, nodes.Output):
        for part in node.nodes:
            yield part.data if isinstance(part, nodes.TemplateData) else "\x00"
    elif isinstance(node, nodes.If):
        branches: list[list[nodes.Node]] = [node.body, *[list[nodes.Node]([one]) for one in node.elif_], node.else_]
        for number, branch in enumerate(branches):
            yield "\n" if number and branch else ""
            for child in branch:
                yield from literal_text(child)
    else:
        for child in node.iter_child_nodes():
            yield from literal_text(child)


def environment_of(loader: TemplateFiles) -> Environment:
    """What renders the templates of these files: sandboxed, strict about variables, with nothing random in it."""
    environment = ImmutableSandboxedEnvironment(
        loader=loader,
        undefined=StrictUndefined,
        # The output is read by a language model, not by a browser: escaping would turn 'it's <3' into entities.
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        # A partial ends its last line like every other line, so that includes join without glue.
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_COMPILED,
        finalize=_printable,
    )
    # Same variables, same bytes: nothing random may be reachable from a template.
    del environment.globals["lipsum"], environment.filters["random"]
    environment.filters["oneline"] = _oneline
    environment.filters["json"] = _json
    return environment


def _printable(value: object) -> object:
    """Refuse what has no stable text: the repr of an object may hold an address, None is a forgotten value."""
    if isinstance(value, Undefined):
        str(value)  # StrictUndefined raises here, and knows the variable's name
    if not isinstance(value, str | int | float):
        message = f"expected text or a number to print, got {type(value).__name__}"
        raise TemplateRuntimeError(message)
    return value


def _oneline(value: object) -> str:
    """Any white space run becomes one space, so that a value cannot look like another line of the prompt."""
    return " ".join(str(_printable(value)).split())


def _json(value: object) -> str:
    """A JSON string: the quotes and escapes show a model where somebody else's words begin and end."""
    return json.dumps(str(_printable(value)), ensure_ascii=False)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise PromptError(
            f"Expected UTF-8 text in {path}, got bytes that are not ({error.reason} at byte {error.start}).",
            remedy="Save the file as UTF-8.",
            path=str(path),
        ) from error

"""Prompts: one Jinja template per model call and language, found file by file, rendered the same every time.

A template ``<name>.j2`` lives in ``<search path>/<language>/``. The nearest language wins over the nearest search path
(``zh-TW``, then ``zh``, then ``en``). Within a language a project's own file hides the packaged one. Includes follow
the same order, so that a project can replace one partial and keep the rest.

What a user typed and what a persona file says only ever arrives as the value of a variable. It is never template
source, so braces in it stay braces.
"""

from __future__ import annotations

import dataclasses
import difflib
import re
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from jinja2 import (
    Environment,
    Template,
    TemplateError,
    TemplateNotFound,
    meta,
    nodes,
)
from jinja2.exceptions import TemplateSyntaxError

from harness.errors import PromptError
from harness.templates import SUFFIX, TemplateFiles, environment_of, literal_text, parsed

FALLBACK_LANGUAGE = "en"
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")
_QUOTED = re.compile(r"'([^']*)'")
_RENDER_FAILURES = (TemplateError, TypeError, ValueError, ArithmeticError, LookupError, AttributeError, RuntimeError)


class Prompts:
    """The templates of a project, its own before the packaged ones.

    Args:
        search_paths: directories with one folder per language, the one that wins first. A directory that does not
            exist holds no templates: a project need not have its own.

    Raises:
        PromptError: none of the directories exists.
    """

    def __init__(self, search_paths: Sequence[Path]) -> None:
        self.search_paths = tuple(Path(path).resolve() for path in search_paths)
        if not any(path.is_dir() for path in self.search_paths):
            raise PromptError(
                f"Expected at least one prompt directory, found none of {[str(path) for path in self.search_paths]!r}.",
                remedy="Create one, or leave the setting out to use the packaged prompts.",
            )
        self._environments: dict[str, Environment] = {}
        self._wordings: dict[tuple[str, ...], tuple[str, ...]] = {}

    def render(self, name: str, language: str, /, **variables: object) -> str:
        """The prompt's text, without newlines around it.

        Args:
            name: file name without suffix, e.g. ``system``.
            language: language code; falls back from region to language to English.
            variables: text, numbers, truth values, and frozen dataclasses or tuples of them.

        Raises:
            PromptError: the template is missing or broken, a variable it asks for was not given, or a variable is
                something that could change while rendering. ``details``: ``path``, ``line``, ``variable``.
        """
        for key, value in variables.items():
            _require_frozen(key, value)
        environment = self._environment(language)
        template = self._template(environment, name, language)
        try:
            return template.render(variables).strip("\n")
        except _RENDER_FAILURES as error:
            raise self._failure(error, template) from error

    def names(self) -> tuple[str, ...]:
        """All prompts of all languages, sorted, partials left out."""
        found = {file.stem for path in self.search_paths for file in path.glob(f"*/*{SUFFIX}")}
        return tuple(sorted(name for name in found if not name.startswith("_")))

    def languages(self) -> tuple[str, ...]:
        """The language codes that have at least one template, sorted."""
        return tuple(sorted({file.parent.name for path in self.search_paths for file in path.glob(f"*/*{SUFFIX}")}))

    def source(self, name: str, language: str) -> tuple[Path, str]:
        """The file that serves this prompt, and its text. Raises PromptError when there is none."""
        environment = self._environment(language)
        text, filename = self._load(environment, name, language)
        return Path(filename), text

    def variables(self, name: str, language: str) -> tuple[str, ...]:
        """The variables the prompt and its partials read, sorted. Raises PromptError."""
        needed: set[str] = set()
        for tree in self._trees((name,), language):
            needed |= meta.find_undeclared_variables(tree)
        return tuple(sorted(needed))

    def _trees(self, names: Sequence[str], language: str) -> Iterator[nodes.Template]:
        """The syntax trees of prompts and of the partials they include, each once. Raises PromptError."""
        environment = self._environment(language)
        waiting, seen = list(names), set[str]()
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            text, filename = self._load(environment, current, language)
            try:
                tree, partials = parsed(text, current, filename)
            except TemplateSyntaxError as error:
                raise _syntax_failure(error, filename) from error
            yield tree
            waiting += partials

    def wording(self, names: Sequence[str], language: str) -> tuple[str, ...]:
        """The lines that these prompts and their partials put into every prompt, a NUL for each value. Raises PromptError."""
        key = (language, *names)
        if key not in self._wordings:
            lines: list[str] = []
            for tree in self._trees(names, language):
                lines += [line.strip() for line in "".join(literal_text(tree)).split("\n") if line.strip()]
            self._wordings[key] = tuple(dict.fromkeys(lines))
        return self._wordings[key]

    def _environment(self, language: str) -> Environment:
        environment = self._environments.get(language)
        if environment is None:
            environment = self._environments[language] = environment_of(
                TemplateFiles(self.search_paths, language_chain(language))
            )
        return environment

    def _template(self, environment: Environment, name: str, language: str) -> Template:
        try:
            return environment.get_template(_file_name(name))
        except TemplateNotFound as error:
            raise self._missing(str(error.name), language) from error
        except TemplateSyntaxError as error:
            raise _syntax_failure(error, str(error.filename)) from error

    def _load(self, environment: Environment, name: str, language: str) -> tuple[str, str]:
        loader = environment.loader
        assert isinstance(loader, TemplateFiles)  # noqa: S101  built so in environment_of
        try:
            return loader.find(_file_name(name))
        except TemplateNotFound as error:
            raise self._missing(name, language) from error

    def _missing(self, name: str, language: str) -> PromptError:
        stem = name.removesuffix(SUFFIX)
        near = difflib.get_close_matches(stem, self.names(), n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known prompts: {', '.join(self.names())}."
        chain = ", ".join(language_chain(language))
        return PromptError(
            f"Expected a template {stem + SUFFIX!r} for {chain} in {[str(path) for path in self.search_paths]!r}; "
            "there is none.",
            remedy=hint,
            name=stem,
            language=language,
        )

    def _failure(self, error: Exception, template: Template) -> PromptError:
        path, line = str(template.filename), 0
        roots = tuple(str(root) for root in self.search_paths)
        for frame in traceback.extract_tb(error.__traceback__):
            # Jinja rewrites the frames of compiled templates to the file and line of their source.
            if frame.filename.endswith(SUFFIX) and frame.filename.startswith(roots):
                path, line = frame.filename, frame.lineno or 0
        if isinstance(error, TemplateSyntaxError):
            return _syntax_failure(error, str(error.filename or path))
        if isinstance(error, TemplateNotFound):
            return PromptError(
                f"{path}, line {line}: the template includes {error.name!r}, which does not exist.",
                remedy="Add the partial or take the include out.",
                path=path,
                line=line,
            )
        quoted = _QUOTED.findall(str(error))
        variable = quoted[-1] if quoted else ""
        return PromptError(
            f"{path}, line {line}: {error}.",
            remedy="The comment at the top of the template lists the variables it takes.",
            path=path,
            line=line,
            variable=variable,
        )


def language_chain(language: str) -> tuple[str, ...]:
    """The codes to try, nearest first: ``zh-Hant-TW`` gives zh-Hant-TW, zh-Hant, zh, en. An empty code means English.

    Raises:
        PromptError: ``language`` is not a language code.
    """
    code = (language or FALLBACK_LANGUAGE).replace("_", "-")
    if not _LANGUAGE.fullmatch(code):
        raise PromptError(
            f"Expected a language code such as 'en' or 'zh-TW', got {language!r}.",
            remedy="Use the code of a language pack.",
            language=language,
        )
    parts = [_canonical(part, index) for index, part in enumerate(code.split("-"))]
    chain = ["-".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return tuple(dict.fromkeys([*chain, FALLBACK_LANGUAGE]))


def _canonical(part: str, index: int) -> str:
    """RFC 5646 case: language lower, script title, region upper."""
    if index == 0:
        return part.lower()
    script_length, region_length = 4, 2
    if len(part) == script_length and part.isalpha():
        return part.title()
    return part.upper() if len(part) == region_length else part.lower()


def _file_name(name: str) -> str:
    if not _NAME.fullmatch(name.removesuffix(SUFFIX)):
        raise PromptError(
            f"Expected the name of a prompt such as 'system', got {name!r}.",
            remedy="Names are letters, digits, '-' and '_', without a folder.",
            name=name,
        )
    return name.removesuffix(SUFFIX) + SUFFIX


def _syntax_failure(error: TemplateSyntaxError, filename: str) -> PromptError:
    path = error.filename or filename
    return PromptError(
        f"{path}, line {error.lineno}: {error.message}",
        remedy="Correct the template; `harness prompts show` prints the one that is used.",
        path=str(path),
        line=error.lineno,
    )


def _require_frozen(name: str, value: object) -> None:
    """The sandbox calls public methods of what it is given, so nothing with behaviour or mutable parts goes in."""
    for part in _parts(value):
        if part is None or isinstance(part, str | int | float | tuple) or _is_frozen_dataclass(type(part)):
            continue
        raise PromptError(
            f"Expected text, numbers, tuples or frozen dataclasses in the variable {name!r}, "
            f"got {type(part).__name__}.",
            remedy="Pass one of the views of harness.prompt_views, or a tuple of strings.",
            variable=name,
        )


def _parts(value: object) -> Iterator[object]:
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from _parts(item)
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))


def _is_frozen_dataclass(kind: type) -> bool:
    return dataclasses.is_dataclass(kind) and bool(kind.__dataclass_params__.frozen)  # type: ignore[attr-defined]


__all__ = ["FALLBACK_LANGUAGE", "Prompts", "language_chain"]

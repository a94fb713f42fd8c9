"""What is remembered of texts stays small, however long the texts are."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import harness
from harness.language.phrases import caseless, of_lower
from harness.language.remembering import LONG, LONG_ONES, of_these, remembered

SOURCES = Path(harness.__file__).parent
MOST = 256
"""Entries up to which a plain ``lru_cache`` may keep whole messages."""
WITHOUT_TEXTS = {
    "phrases",
    "_relation",
    "_hits_short",
    "_seen_short",
    "script_of",
    "_remembered",
    "caseless",
    "of_lower",
    "_beginnings",
    "_lower_short",
}
"""Functions of words of the pack, of numbers, or of texts that they bound themselves."""


def test_ordinary_texts_are_read_once() -> None:
    read: list[str] = []

    @remembered(8)
    def size(text: str) -> int:
        read.append(text)
        return len(text)

    assert [size("tea"), size("tea"), size("milk")] == [3, 3, 4]
    assert read == ["tea", "milk"]


def test_of_long_texts_only_the_latest_are_kept() -> None:
    @remembered(4096)
    def size(text: str) -> int:
        return len(text)

    texts = [f"{number} " * LONG for number in range(3 * LONG_ONES)]
    assert [size(text) for text in texts] == [len(text) for text in texts]
    assert size.long.cache_info().currsize == LONG_ONES
    assert size.short.cache_info().currsize == 0


def test_two_texts_count_together() -> None:
    @remembered(64, texts=2)
    def joined(first: str, second: str) -> str:
        return first + second

    joined("tea", "x" * LONG)
    assert (joined.long.cache_info().currsize, joined.short.cache_info().currsize) == (1, 0)


def test_what_a_function_refuses_is_not_remembered() -> None:
    @remembered(8)
    def whole(text: str) -> int:
        return int(text)

    for _ in range(2):
        with pytest.raises(ValueError, match="tea"):
            whole("tea")


@pytest.mark.parametrize("folder", ["understanding", "language"])
def test_no_cache_of_texts_is_bounded_by_number_alone(folder: str) -> None:
    found = []
    for file in sorted((SOURCES / folder).rglob("*.py")):
        nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        for node in (node for node in nodes if isinstance(node, ast.FunctionDef)):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "lru_cache":
                    size = ast.literal_eval(call.keywords[0].value)
                    if size > MOST and node.name not in WITHOUT_TEXTS:
                        found.append(f"{file.name}: {node.name}")
    assert not found, f"Expected @remembered for functions of texts, found lru_cache on {found}."


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"\bI(?:'m| am) (?P<What>\w+)\b", "well, i'm late again"),
        (r"(?:Good|Great)\s+NEWS", "such great  news"),
        (r"^\S+\W(?!No\b)[A-F]+$", "so! abcf"),
        (r"(?-i:lol)|Haha", "haha, lol"),
        (r"(?P<q>Do|Did)n't \w+ (?P=q)", "do did didn't we did"),
        ("我(?:的)?WiFi", "我的wifi坏了"),
        (r"\N{LATIN SMALL LETTER A}\D", "a!"),
    ],
)
def test_an_expression_for_lowered_text_finds_what_one_that_ignores_case_finds(source: str, text: str) -> None:
    one, other = of_lower(source).search(text), caseless(source).search(text)
    assert one is not None
    assert other is not None
    assert (one.span(), one.groupdict()) == (other.span(), other.groupdict())


def test_an_expression_for_lowered_text_heeds_what_it_must_not_find() -> None:
    assert of_lower(r"\bNO\b").search("nothing") is None
    assert of_lower(r"\bNO\b").search("no") is not None


def test_what_was_made_of_the_same_objects_is_remembered_and_of_equal_ones_is_not() -> None:
    made: list[object] = []

    @of_these(2)
    def length(items: list[int]) -> int:
        made.append(items)
        return len(items)

    one, two, three = [1], [1], [1, 2]
    assert [length(one), length(one), length(two), length(two)] == [1, 1, 1, 1]
    assert made == [one, two]
    assert made[1] is two
    assert (length(three), length(one)) == (2, 1)  # the oldest had to make room
    assert len(made) == 4


def test_lists_of_expressions_are_not_put_together_at_each_call() -> None:
    """An index is kept by the identity of the list it was made of: a list made anew would be indexed anew at each call."""
    found = []
    for file in sorted((SOURCES / "understanding").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            first = node.args[0]
            joined = isinstance(first, ast.Tuple) and any(isinstance(part, ast.Starred) for part in first.elts)
            if name in {"first", "likely", "sought", "finds", "rewrite", "matches"} and joined:
                found.append(f"{file.name}:{node.lineno}")
    assert not found, f"Expected lists of the pack, found lists that are put together at {found}."

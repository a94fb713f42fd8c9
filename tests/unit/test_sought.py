"""Expressions are left out only where they cannot match."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from harness.language import LanguagePack, load_packs
from harness.language.sought import Sought, likely, needed

PACKS = load_packs().all()
WORDS = (
    "dog",
    "my",
    "died",
    "isn't",
    "Straße",
    "ſo",
    "\u212aim",
    "İki",
    "狗",
    "去世",
    "没有",
    "我",
    " ",
    "?",
    "’",
    "\n",
)
NEEDY = ("my dog", "k(?:im|iss)", "s[o0]", "去世|没有", "isn't?", "strasse|straße", "i", "我", r"died\b|dog\?")
ANY = Sought(tuple(re.compile(source, re.IGNORECASE) for source in NEEDY) * 40)


@pytest.mark.parametrize(
    ("source", "runs"),
    [
        (r"\bmy (?:dog|cat)s? died\b", {" died"}),
        (r"(?:dog|cat)+", {"dog", "cat"}),
        (r"colou?r", {"colo"}),
        (r"(?P<n>\w+) hours(?! ago)", {" hours"}),
        (r"我(?:的|家)狗", {"我"}),
        (r"(?i:STOP)\.", {"stop"}),
        (r"[abc]{2,3}xyz{2}", {"xy"}),
        (r"a\x41bcd", {"bcd"}),
    ],
)
def test_what_an_expression_needs(source: str, runs: set[str]) -> None:
    found = needed(re.compile(source, re.IGNORECASE))
    assert found == runs


@pytest.mark.parametrize(
    "source", ["(?:dog)?", "dog|", r"\w+", "dog|.", "(a)?(?(1)dog|cat)", "(?:dog){0,2}", "(?!dog)"]
)
def test_what_needs_nothing_is_always_tried(source: str) -> None:
    expression = re.compile(source)
    assert needed(expression) == frozenset()
    assert Sought((expression,) * 300).numbers("x") == list(range(300))


def test_verbose_expressions_are_always_tried() -> None:
    assert needed(re.compile("d o g", re.VERBOSE)) == frozenset()


def test_letters_that_are_taken_for_others_where_case_is_ignored() -> None:
    expression = re.compile("kiss it", re.IGNORECASE)
    sought = Sought((expression,) * 100)
    for text in ("\u212aISS IT", "kiſs it", "k\u0131ss it", "kİss it"):
        assert expression.search(text) is None or len(sought.numbers(text)) == 100


def test_in_order_and_without_those_that_cannot_match() -> None:
    expressions = tuple(re.compile(source) for source in ("died", "moved", r"\d", "去世", "die")) * 60
    assert [one.pattern for one in likely(expressions, "my dog died")[:3]] == ["died", r"\d", "die"]
    assert {one.pattern for one in likely(expressions, "我的狗去世了")} == {r"\d", "去世"}
    assert likely(expressions, "x") == [one for one in expressions if one.pattern == r"\d"]


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)
@pytest.mark.parametrize("name", ["expand", "idioms", "swap"])
def test_rewrites_do_what_all_of_them_in_turn_do(pack: LanguagePack, name: str) -> None:
    rewrites = getattr(pack.text, name)
    texts = [example.text for example in pack.examples] + ["I'm sure she didn't, and we've seen it", "我可不是不喜欢"]
    for text in texts:
        wanted = text
        for source, put in rewrites:
            wanted = pack.pattern(source).sub(put, wanted)
        assert pack.rewrite(text, rewrites) == wanted


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)
def test_no_expression_of_a_pack_is_left_out_where_it_matches(pack: LanguagePack) -> None:
    expressions = [pack.pattern(source) for _, source in pack.sources()]
    sought = Sought(expressions)
    for text in (example.text for example in pack.examples):
        tried = set(sought.numbers(text))
        assert not [one.pattern for number, one in enumerate(expressions) if number not in tried and one.search(text)]


@given(st.lists(st.sampled_from(WORDS), max_size=20).map(" ".join) | st.text(max_size=60))
def test_no_expression_is_left_out_of_any_text(text: str) -> None:
    tried = set(ANY.numbers(text))
    assert not [one for number, one in enumerate(ANY.expressions) if number not in tried and one.search(text)]


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)
def test_finding_one_of_a_list(pack: LanguagePack) -> None:
    for text in (example.text for example in pack.examples):
        for sources in (pack.text.reports, pack.text.hypotheticals, pack.text.corrections, pack.history.starting):
            assert pack.finds(sources, text) == (pack.any_of(sources).search(text) is not None)


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.code)
def test_what_was_worked_out_of_a_section_is_no_pattern_of_it(pack: LanguagePack) -> None:
    assert pack.history.unsure
    assert isinstance(pack.premise.rewritten, tuple)
    assert "history.unsure" not in {field for field, _ in pack.sources()}
    assert all(isinstance(source, str) for _, source in pack.sources())

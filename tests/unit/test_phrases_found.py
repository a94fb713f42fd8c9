"""Phrases are found the same way however they are looked for, and Chinese patterns match what they did."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings, strategies as st

from harness.language.phrases import REMEMBERED, Phrases, caseless, lower

WORDS = ("a", "ab", "b c", "don't", "café", "me", "mer", "我", "我们", "说回", "们说", "İ", "1", "...", "ko", "한국")
TEXTS = st.text(alphabet=st.sampled_from("abcdemr 'éİßK我们说回한국1.,\n"), max_size=60)


def step_by_step(phrases: Phrases[str], text: str) -> list[tuple[int, int, str]]:
    """Trying every place, one after the other."""
    lowered, found, position = lower(text), [], 0
    while position < len(lowered):
        hit = phrases.at(lowered, position)
        if hit is not None:
            found.append((hit.start, hit.end, hit.phrase))
        position = hit.end if hit is not None else position + 1
    return found


@given(text=TEXTS, words=st.lists(st.sampled_from(WORDS), max_size=8))
@settings(max_examples=200, deadline=None)
def test_every_place_is_looked_at(text: str, words: list[str]) -> None:
    phrases = Phrases.of(words)
    expected = step_by_step(phrases, text)
    assert [(hit.start, hit.end, hit.phrase) for hit in phrases.find(text)] == expected
    assert list(phrases.find(text)) == list(phrases.find(text))
    first = phrases.first(text)
    assert (first is None and not expected) or (first is not None and (first.start, first.end) == expected[0][:2])


@pytest.mark.parametrize(("said", "words", "times"), [("we met me ", "me", 100), ("我们说回我", "说回", 150)])
def test_a_long_text_is_read_as_a_short_one(said: str, words: str, times: int) -> None:
    text = said * times
    assert len(text) > REMEMBERED
    found = list(Phrases.of([words]).find(text))
    assert len(found) == times
    assert all(text[hit.start : hit.end] == words for hit in found)


def test_what_is_remembered_belongs_to_its_phrases() -> None:
    first, second = Phrases({"tea": 1}), Phrases({"tea": 2})
    assert [hit.value for hit in first.find("tea, please")] == [1]
    assert [hit.value for hit in second.find("tea, please")] == [2]


@pytest.mark.parametrize(
    "source",
    [
        r"^[\u4e00-\u9fff]{2,3}的",
        "[一-鿿·]+",
        r"[^\w一-鿿]+",
        r"[\u4e00-\u9fffA-Za-z\d]+",
        "(?<=[一-鿿])x",
        r"\[一-鿿]",
        "[A-Z一-鿿]+",
        "[é一-鿿]+",
    ],
)
@given(text=st.text(alphabet=st.sampled_from("abzABZéÉ1 ，·《一的我鿿[]x-"), max_size=20))
@settings(max_examples=40, deadline=None)
def test_sets_with_han_match_what_they_did(source: str, text: str) -> None:
    plain = re.compile(source, re.IGNORECASE)
    assert [m.span() for m in caseless(source).finditer(text)] == [m.span() for m in plain.finditer(text)]


def test_a_wrong_pattern_is_an_error() -> None:
    with pytest.raises(re.error):
        caseless("[一-鿿")

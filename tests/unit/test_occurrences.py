"""Many lists of phrases, found in one pass."""

from __future__ import annotations

from hypothesis import given, settings, strategies as st

from harness.understanding.facts.occurrences import Occurrences
from harness.understanding.text import fold

LISTS = {
    "pet": ("cat", "guinea pig", "猫", "小狗"),
    "cats": ("cat", "house cat", "猫", "小猫"),
    "mark": ("+1", "♥"),
    "empty": ("",),
}
FOUND = Occurrences(LISTS)


def test_phrases_of_latin_letters_are_whole_words() -> None:
    assert FOUND.find("my cat sleeps") == {"pet", "cats"}
    assert FOUND.find("cat") == {"pet", "cats"}
    assert FOUND.find("a house-cat, a caterpillar") == {"pet", "cats"}
    assert FOUND.find("concatenated, bobcat, cats") == set()
    assert FOUND.find("a guinea pig") == {"pet"}
    assert FOUND.find("guinea pigs") == set()


def test_phrases_in_chinese_stand_anywhere() -> None:
    assert FOUND.find("我家的小猫睡了") == {"pet", "cats"}
    assert FOUND.find("两只小狗") == {"pet"}
    assert FOUND.find("小鸟") == set()


def test_what_begins_with_neither_is_found_too() -> None:
    assert FOUND.find("that is +1 from me") == {"mark"}
    assert FOUND.find("+12") == set()
    assert FOUND.find("+12 and +1") == {"mark"}
    assert FOUND.find("我♥你") == {"mark"}


def test_both_scripts_in_one_text() -> None:
    assert FOUND.find("my cat 和小狗♥") == {"pet", "cats", "mark"}
    assert FOUND.find("") == set()
    assert Occurrences[str]({}).find("anything 什么") == set()


def test_case_and_width_of_the_phrases_do_not_matter() -> None:
    assert Occurrences({"a": ("New York", "ＡＢＣ")}).find(fold("In NEW YORK, abc")) == {"a"}


@settings(deadline=None)
@given(
    st.lists(st.sampled_from(("cat", "猫", "小", "狗", "guinea", " ", "pig", "s", "+1", "♥", "-", "😀")), max_size=12)
)
def test_every_label_found_has_a_phrase_in_the_text(pieces: list[str]) -> None:
    text = "".join(pieces)
    found = FOUND.find(text)
    assert all(any(phrase and phrase in text for phrase in LISTS[label]) for label in found)
    assert ("猫" in text) <= ({"pet", "cats"} <= found)

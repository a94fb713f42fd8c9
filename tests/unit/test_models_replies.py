"""Pieces of a stream say the same as the whole."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import assume, given, strategies as st

from harness.adapters.models.replies import Cleaner, estimated_usage, without_echo, without_reasoning
from harness.ports import visible

PARTS = st.sampled_from(
    [
        "<think>",
        "</think>",
        "<",
        "No, ",
        "No",
        "I am",
        " ",
        "\n",
        "猫",
        "[THINK]",
        "[/THINK]",
        "<b>",
        "\ud83d",
        "\ude00",
    ]
)


def in_pieces(text: str, cuts: Any, prefill: Any = "") -> str:
    cleaner = Cleaner(prefill)
    bounds = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    shown = "".join(cleaner.feed(text[a:b]) for a, b in pairwise(bounds))
    return shown + cleaner.finish()


@given(
    st.lists(PARTS, max_size=8).map("".join),
    st.lists(st.integers(0, 99), max_size=6),
    st.sampled_from(["", "No, ", "No"]),
)
def test_how_a_stream_is_cut_does_not_matter(text: str, cuts: Any, prefill: Any) -> None:
    assert in_pieces(text, cuts, prefill) == in_pieces(text, [], prefill)


@given(
    st.lists(PARTS, max_size=8).map("".join),
    st.lists(st.integers(0, 99), max_size=6),
    st.sampled_from(["", "No, ", "No"]),
)
def test_pieces_say_what_the_whole_says(text: str, cuts: Any, prefill: Any) -> None:
    whole = without_echo(without_reasoning(visible(text)), prefill)
    assume(text.lstrip().startswith(("<think>", "[THINK]")) or not ("</think>" in text or "[/THINK]" in text))
    assert in_pieces(text, cuts, prefill).strip() == whole.strip()


@given(st.text(max_size=40), st.lists(st.integers(0, 99), max_size=6))
def test_ordinary_text_passes_unchanged(text: str, cuts: Any) -> None:
    expected = without_reasoning(visible(text))
    if expected == text:
        assert in_pieces(text, cuts) == text


@given(st.text(alphabet=st.characters(), max_size=30))
def test_visible_text_can_be_stored(text: str) -> None:
    assert visible(text).encode().decode() == visible(text)


def test_reasoning_whose_begin_is_in_the_template() -> None:
    assert without_reasoning("The user asks.</think>\n\nYes.") == "Yes."
    assert without_reasoning("Yes.") == "Yes."
    assert without_reasoning("He wrote <think> and </think> in it.") == "He wrote <think> and </think> in it."


def test_echo() -> None:
    assert without_echo("No, I do.", "No, ") == "I do."
    assert without_echo("I do.", "No, ") == "I do."
    assert without_echo("不,我有猫", "不,") == "我有猫"
    assert without_echo(" word", "begun") == " word"


def test_estimates_count_chinese_higher() -> None:
    english, chinese = estimated_usage("a" * 40, "").prompt, estimated_usage("猫" * 40, "").prompt
    assert english == 10
    assert chinese == 27

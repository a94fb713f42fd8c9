from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.understanding.facts.claims import read_claims
from harness.understanding.text import (
    contains_phrase,
    fold,
    likeness,
    normalize,
    numbers,
    numeral,
    sentences,
    stem,
    terms,
)

PACKS = load_packs()


def test_normal_form_keeps_case_and_blanks_apart() -> None:
    assert normalize("It\u2019s  ＯＫ，好") == "It's OK,好"
    assert fold("ＡbC") == "abc"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Hi Mr. Smith. It costs 3.50!", ("Hi Mr. Smith.", "It costs 3.50!")),
        ("我叫小王。今年23岁！你呢？", ("我叫小王。", "今年23岁！", "你呢？")),
        ("Well... no.", ("Well...", "no.")),
        ("one\ntwo", ("one", "two")),
        ("", ()),
    ],
)
def test_sentences(text: str, parts: tuple[str, ...]) -> None:
    assert sentences(text) == parts


@pytest.mark.parametrize(
    ("text", "code", "found"),
    [
        ("I have two cats and thirty-four stamps", "en", (2, 34)),
        ("one hundred and five", "en", (105,)),
        ("at 6:45, gate 12", "en", (6, 45, 12)),
        ("1,200 people, 2.5 km", "en", (1200, 2.5)),
        ("我今年二十三岁，住306", "zh", (23, 306)),
        ("一只猫，一起走", "zh", (1,)),
        ("no figures", "en", ()),
    ],
)
def test_numbers_in_figures_and_words(text: str, code: str, found: tuple[float, ...]) -> None:
    assert numbers(text, PACKS.get(code)) == found


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("三十四", 34),
        ("一百零五", 105),
        ("三万五千", 35000),
        ("十二", 12),
        ("二〇二六", 2026),
        ("两千", 2000),
        ("猫", None),
    ],
)
def test_chinese_numerals(text: str, value: int | None) -> None:
    assert numeral(text) == value


@given(st.integers(min_value=1, max_value=99_999_999))
def test_chinese_numerals_of_any_size_are_read_back(number: int) -> None:
    assert numeral(_spell(number)) == number


def _spell(number: int) -> str:
    digits = "零一二三四五六七八九"
    if number >= 10_000:
        rest = number % 10_000
        filler = "零" if 0 < rest < 1000 else ""
        return _spell(number // 10_000) + "万" + (filler + _spell(rest) if rest else "")
    written = ""
    gap = False
    for scale, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // scale % 10
        if digit:
            written += ("零" if gap and written else "") + digits[digit] + sign
        gap = not digit
    return written


@pytest.mark.parametrize(
    ("text", "phrase", "there"),
    [
        ("Anna is here", "Ann", False),
        ("Ann is here", "ann", True),
        ("我叫小王", "小王", True),
        ("my cat's name", "cat", True),
        ("concatenate", "cat", False),
        ("找Miso玩", "Miso", True),
        ("anything", "", False),
    ],
)
def test_names_are_never_half_matched(text: str, phrase: str, there: bool) -> None:
    assert contains_phrase(text, phrase) is there


@pytest.mark.parametrize(
    ("first", "second"), [("swimming", "swims"), ("lived", "living"), ("cities", "city"), ("boxes", "box")]
)
def test_forms_of_a_word_share_a_stem(first: str, second: str) -> None:
    assert stem(first) == stem(second)


def test_terms_leave_out_words_without_content() -> None:
    assert terms("I have never learned to swim", PACKS.get("en")) == {"learn", "swim"}
    assert "游泳" in terms("从来没学过游泳", PACKS.get("zh"))
    assert "猫" in terms("养了一只猫", PACKS.get("zh"))


@given(st.text(max_size=80))
def test_likeness_is_a_share_and_a_text_is_like_itself(text: str) -> None:
    assert 0 <= likeness(text, "a cat on a mat") <= 1
    if any(char.isalnum() for char in text):
        assert likeness(text, text) == 1


@settings(deadline=None)  # the first call of a language compiles its patterns; test_bounded_time.py holds times
@given(st.text(max_size=120), st.sampled_from(["en", "zh"]))
def test_any_text_can_be_read(text: str, code: str) -> None:
    for claim in read_claims(text, PACKS.get(code)):
        assert claim.value


def test_abbreviations_of_the_packs_end_no_sentence() -> None:
    assert sentences("Dr. Lund met Mrs. Berg, e.g. on Monday. Then she left.") == (
        "Dr. Lund met Mrs. Berg, e.g. on Monday.",
        "Then she left.",
    )
    assert sentences("No. I have no pets.") == ("No.", "I have no pets.")
    assert sentences("不。我没有宠物。") == ("不。", "我没有宠物。")


@pytest.mark.parametrize(
    ("text", "value"), [("三万五千", 35_000), ("一亿二千万", 120_000_000), ("两百零五", 205), ("一万亿", 10**12), ("二〇二六", 2026), ("十", 10), ("abc", None), ("", None)]
)  # fmt: skip
def test_numerals_of_the_packs(text: str, value: int | None) -> None:
    assert numeral(text) == value


def test_a_number_in_characters_has_an_end() -> None:
    assert numeral("二十三万" * 2000) is None
    assert list(numbers("我今年" + "二十三万" * 1900 + "岁", PACKS.get("zh"))) == []

"""Shifts of topic, line by line: what the wording announces, what the words share, how questions and answers run."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from harness.errors import LanguageError
from harness.language import load_packs
from harness.understanding.topics.shifts import (
    fields_of,
    find_shift,
    is_question,
    longest_chain,
    plain,
    shift_signs,
    tail,
)
from harness.yaml_strict import load_yaml
from tests.benchmarks.measures.dialseg711 import p_k, starts, window

PACKS = load_packs()
FOLDER = Path(__file__).parents[1] / "data" / "shifts"
TALK = {
    "en": ("I baked sourdough bread yesterday.", "Lovely, was the crust crisp?", "Yes, crisp and dark."),
    "zh": ("我昨天烤了酸面包。", "真好，皮脆吗？", "脆的，又香又黑。"),
}


@pytest.mark.parametrize(
    ("code", "tier", "least"), [("en", "rules", 80), ("en", "classifier", 80), ("zh", "rules", 80)]
)
def test_most_lines_are_told_right(code: str, tier: str, least: float) -> None:
    """F1 of the shifts among forty lines, in percent."""
    hits = named = wanted = 0
    for talk in load_yaml(FOLDER / f"{code}.yaml", source=code, error=LanguageError):
        for text in (*talk["shifts"], *talk["stays"]):
            found = find_shift(text, talk["before"], pack=PACKS.get(code), classify=tier == "classifier")
            assert found.tier == ("rules" if found.score == 1.0 else tier)
            hits += found.shifts and text in talk["shifts"]
            named += found.shifts
            wanted += text in talk["shifts"]
    assert wanted == 20
    assert 200 * hits / (named + wanted) >= least


@pytest.mark.parametrize("classify", [False, True])
@pytest.mark.parametrize(
    ("code", "text", "evidence"),
    [
        ("en", "Let's change the subject. I saw a heron.", "change the subject"),
        ("en", "Do you have any brothers or sisters?", "Do you have any brothers or sisters?"),
        ("en", "Lovely. Do you have a car?", "Do you have a car?"),
        ("zh", "换个话题，我看见一只白鹭。", "换个话题"),
        ("zh", "你有兄弟姐妹吗？", "你有兄弟姐妹吗？"),
        ("zh", "真好。你开车吗？", "你开车吗？"),
    ],
)
def test_a_shift_shows_its_words(code: str, text: str, evidence: str, *, classify: bool) -> None:
    found = find_shift(text, TALK[code], pack=PACKS.get(code), classify=classify)
    assert found.shifts
    assert found.evidence == evidence


@pytest.mark.parametrize("classify", [False, True])
@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "It took me all day."),
        ("en", "Because the oven was too hot."),
        ("en", "Did the bread rise?"),
        ("zh", "它花了我一整天。"),
        ("zh", "因为烤箱太热了。"),
        ("zh", "面包发起来了吗？"),
    ],
)
def test_what_leans_or_shares_words_stays(code: str, text: str, *, classify: bool) -> None:
    found = find_shift(text, TALK[code], pack=PACKS.get(code), classify=classify)
    assert not found.shifts
    assert not found.evidence


@pytest.mark.parametrize(
    ("code", "request_", "settled", "pending"),
    [
        (
            "en",
            "I am looking for a cheap hotel in Leeds.",
            ("I need a taxi at six.", "Your taxi is booked. Anything else?"),
            ("I need a hotel.", "Which hotel in Leeds would you like, a cheap one?"),
        ),
        (
            "zh",
            "我想找一家苏州的便宜酒店。",
            ("我要六点的出租车。", "已经帮您订好了，还有别的需要吗？"),
            ("我要住酒店。", "要苏州哪种酒店，便宜的吗？"),
        ),
    ],
)
def test_a_new_request_after_a_settled_matter_shifts(
    code: str, request_: str, settled: tuple[str, ...], pending: tuple[str, ...]
) -> None:
    pack = PACKS.get(code)
    after, before = (find_shift(request_, said, pack=pack) for said in (settled, pending))
    assert after.shifts
    assert after.score > before.score
    assert {"request:1", "closed:1s"} <= shift_signs(request_, settled, pack)


@pytest.mark.parametrize(
    ("code", "text", "field", "chain"),
    [
        ("en", "The landlord raised the rents", "home", 2),
        ("en", "We cooked", "food", 1),
        ("en", "The zebra", "", 0),
        ("zh", "房东涨房租", "home", 2),
        ("zh", "我做饭", "food", 1),
        ("zh", "斑马", "", 0),
    ],
)
def test_words_belong_to_fields_of_life(code: str, text: str, field: str, chain: int) -> None:
    pack = PACKS.get(code)
    assert (field in fields_of(text, pack)) is bool(field)
    assert longest_chain(text, pack) == chain


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_first_line_and_an_empty_one_never_shift(code: str) -> None:
    pack = PACKS.get(code)
    for text, before in (("Let's change the subject 换个话题", ()), ("", TALK[code]), ("  \n", TALK[code])):
        assert not find_shift(text, before, pack=pack, classify=True).shifts


def test_detached_marks_read_like_attached_ones() -> None:
    pack = PACKS.get("en")
    assert plain("fine . and you ?") == "fine. and you?"
    assert tail(plain("that is nice . do you sing ?")) == "do you sing?"
    written, spaced = "Nice. Do you sing?", "nice . do you sing ?"
    assert find_shift(written, TALK["en"], pack=pack) == find_shift(written, list(TALK["en"]), pack=pack)
    assert find_shift(written, TALK["en"], pack=pack).score == find_shift(spaced, TALK["en"], pack=pack).score
    assert is_question("really?” ")


def test_a_pack_without_words_for_topics_still_answers() -> None:
    bare = PACKS.get("en").model_copy(update={"topics": type(PACKS.get("en").topics)()})
    assert 0 <= find_shift("Do you sing?", TALK["en"], pack=bare).score <= 1


@settings(max_examples=150, deadline=None)
@given(
    lines=st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=80), min_size=1, max_size=8),
    code=st.sampled_from(["en", "zh"]),
    classify=st.booleans(),
)
def test_any_text_gives_a_score(lines: list[str], code: str, classify: bool) -> None:
    found = find_shift(lines[-1], lines[:-1], pack=PACKS.get(code), classify=classify)
    assert 0 <= found.score <= 1
    assert not found.evidence or found.shifts


@pytest.mark.parametrize(
    "piece", ["a", "book a ", "换个", "？", ". ", "say what we said about ", "我想找一家", "😀", "re-"]
)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_long_text_takes_bounded_time(code: str, piece: str) -> None:
    text = piece * (8000 // len(piece))
    started = time.perf_counter()
    find_shift(text, [text] * 6, pack=PACKS.get(code), classify=True)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([False, False, False, True, False, False], 0.0),
        ([False, False, False, False, False, False], 0.5),
        ([False, True, True, True, True, True], 0.5),
        ([False, False, True, False, False, False], 0.5),
    ],
)
def test_pk_counts_pairs_that_are_wrongly_parted_or_joined(found: list[bool], expected: float) -> None:
    """Two segments of three lines, so k is 2 and there are four pairs."""
    gold = starts([3, 3])
    assert gold == [False, False, False, True, False, False]
    assert window([3, 3]) == 2
    assert p_k(gold, found, 2) == expected
    assert p_k(gold, found, 6) == 0

"""Places inside places."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import LanguagePack, load_packs
from harness.language.placing import read_places
from harness.language.sections_places import Places
from harness.understanding.facts.places import Containment, compare_places, gazetteer

PACKS = load_packs()


@pytest.mark.parametrize(
    ("code", "first", "second", "expected"),
    [
        ("en", "Lyon", "France", "inside"),
        ("zh", "莆田", "福建", "inside"),
        ("en", "Texas", "Dallas", "contains"),
        ("zh", "江苏", "昆山", "contains"),
        ("en", "NYC", "New York", "same"),
        ("zh", "鹏城", "深圳", "same"),
        ("en", "London", "Glasgow", "disjoint"),
        ("zh", "广州", "深圳", "disjoint"),
        ("en", "a flat in Leith", "Dundee", "unknown"),
        ("zh", "某个小镇", "杭州", "unknown"),
        ("en", "Ohio", "the Midwest", "inside"),
        ("zh", "沈阳", "东北", "inside"),
        ("en", "the West Country", "the British Isles", "overlaps"),
        ("zh", "江南", "华东", "overlaps"),
        ("en", "Dundee, Scotland", "UK", "inside"),
        ("zh", "四川 成都", "四川", "inside"),
        ("en", "Perth, Scotland", "Australia", "disjoint"),
        ("zh", "海外 法国", "巴黎", "contains"),
        ("en", "Birmingham", "Alabama", "inside"),
        ("en", "Birmingham", "England", "inside"),
        ("zh", "国外", "北京", "disjoint"),
        ("en", "Europe", "Ohio", "disjoint"),
        ("zh", "国外", "东京", "contains"),
        ("en", "Portland, Oregon", "Maine", "disjoint"),
    ],
)
def test_how_places_lie(code: str, first: str, second: str, expected: str) -> None:
    pack = PACKS.get(code)
    assert compare_places(first, second, pack) is Containment(expected)
    turned = {"inside": "contains", "contains": "inside"}
    assert compare_places(second, first, pack) is Containment(turned.get(expected, expected))


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("en", "From Nice to nice weather in Bath, after a bath.", ["Nice", "Bath"]),
        ("zh", "吃着三明治想三明，也想北海道。", ["三明", "北海道"]),
        ("en", "French toast and a Welsh corgi in Wales", ["Wales"]),
        ("zh", "太原来的朋友说，南京路上人多", []),
        ("en", "Parisian manners, london rain", ["Parisian", "london"]),
        ("zh", "香港和澳门都去过", ["香港", "澳门"]),
    ],
)
def test_which_words_name_places(code: str, text: str, names: list[str]) -> None:
    found = list(gazetteer(PACKS.get(code)).find(text))
    if text.startswith("太原来"):
        assert "太原" not in [hit.name for hit in found]
    else:
        assert [hit.name for hit in found] == names
    assert all(text[hit.start : hit.end] == hit.name for hit in found)


@pytest.mark.parametrize(
    ("code", "text", "people"),
    [
        ("en", "As a Texan", True),
        ("zh", "四川妹子", True),
        ("en", "two Texans", True),
        ("zh", "东北人", True),
        ("en", "in Texas", False),
        ("zh", "四川的山", False),
    ],
)
def test_people_of_a_place_are_told_from_the_place(code: str, text: str, people: bool) -> None:
    assert [hit.people for hit in gazetteer(PACKS.get(code)).find(text)] == [people]


def test_places_are_read_as_nested_text() -> None:
    (scotland, wales) = read_places("Scotland/~Scot (Glasgow/~Glaswegian, Fife (St Andrews)), Wales")
    assert scotland.names == ("Scotland",)
    assert scotland.people == ("Scot",)
    assert [part.names[0] for part in scotland.parts] == ["Glasgow", "Fife"]
    assert scotland.parts[1].parts[0].names == ("St Andrews",)
    assert wales.parts == ()


@pytest.mark.parametrize("text", ["A (B", "A) B", "(B)", "~Only, A", "A" + " (B" * 20 + ")" * 20])
def test_what_cannot_be_read_is_an_error(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        read_places(text)


def test_a_pack_without_places_knows_none() -> None:
    bare = LanguagePack(code="xx", name="None", script="latin")
    assert compare_places("Paris", "France", bare) is Containment.unknown


def test_a_region_may_be_all_but_some() -> None:
    pack = LanguagePack(
        code="yy",
        name="Two",
        script="latin",
        places=Places(parts=("Aland (Bton)", "Cland"), regions={"abroad": "-Aland"}),
    )
    assert compare_places("Cland", "abroad", pack) is Containment.inside
    assert compare_places("Bton", "abroad", pack) is Containment.disjoint


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200), st.sampled_from(["en", "zh"]))
def test_any_text_can_be_searched(text: str, code: str) -> None:
    for hit in gazetteer(PACKS.get(code)).find(text):
        assert text[hit.start : hit.end] == hit.name


@pytest.mark.parametrize(("code", "piece"), [("en", "New York "), ("zh", "北京上海")])
def test_long_texts_take_little_time(code: str, piece: str) -> None:
    begin = time.perf_counter()
    list(gazetteer(PACKS.get(code)).find(piece * (8000 // len(piece))))
    assert time.perf_counter() - begin < 2

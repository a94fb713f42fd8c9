from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.understanding.moments import find_moment, find_moments

PACKS = load_packs()
ZONE = timezone(timedelta(hours=2))
NOW = datetime(2026, 6, 17, 10, 20, tzinfo=ZONE)
"""A Wednesday morning."""

ENGLISH = [
    ("The parcel comes tomorrow.", "tomorrow", "2026-06-18 00:00"),
    ("I'm free the day after tomorrow", "the day after tomorrow", "2026-06-19 00:00"),
    ("we met yesterday", "yesterday", "2026-06-16 00:00"),
    ("dinner tonight?", "tonight", "2026-06-17 20:00"),
    ("Let's play on Saturday", "on Saturday", "2026-06-20 00:00"),
    ("see you next Monday", "next Monday", "2026-06-22 00:00"),
    ("she left last Tuesday", "last Tuesday", "2026-06-16 00:00"),
    ("this weekend we hike", "this weekend", "2026-06-20 00:00"),
    ("it starts in two weeks", "in two weeks", "2026-07-01 10:20"),
    ("call me in ten minutes", "in ten minutes", "2026-06-17 10:30"),
    ("that was five years ago", "five years ago", "2021-06-17 10:20"),
    ("rent is due next month", "next month", "2026-07-01 00:00"),
    ("my visa ended last year", "last year", "2025-01-01 00:00"),
    ("the show is on July 4th", "July 4th", "2026-07-04 00:00"),
    ("born on 9 March", "9 March", "2026-03-09 00:00"),
    ("I'll ring you tomorrow at 7 pm", "tomorrow at 7 pm", "2026-06-18 19:00"),
    ("Friday evening suits me", "Friday evening", "2026-06-19 19:00"),
    ("back in half an hour", "in half an hour", "2026-06-17 10:50"),
    ("a month from now", "a month from now", "2026-07-17 10:20"),
    ("meet at 3", "at 3", "2026-06-17 15:00"),
    ("bought last May", "last May", "2026-05-01 00:00"),
    ("bought last August", "last August", "2025-08-01 00:00"),
    ("we met last winter", "last winter", "2025-12-01 00:00"),
    ("the spring of 2019 was cold", "the spring of 2019", "2019-03-01 00:00"),
    ("I was born in 1990.", "in 1990", "1990-01-01 00:00"),
    ("since March 2021", "since March 2021", "2021-03-01 00:00"),
    ("on 3 May 2020 it rained", "3 May 2020", "2020-05-03 00:00"),
    ("in May last year", "in May last year", "2025-05-01 00:00"),
    ("send it two days before July 4th", "two days before July 4th", "2026-07-02 00:00"),
    ("two weeks before 10 April", "two weeks before 10 April", "2026-03-27 00:00"),
    ("the last weekend before July 4 we hike", "the last weekend before July 4", "2026-06-27 00:00"),
    ("pay before 10 July", "10 July", "2026-07-10 00:00"),
]
CHINESE = [
    ("去年五月买的", "去年五月", "2025-05-01 00:00"),
    ("去年8月3号买的", "去年8月3号", "2025-08-03 00:00"),
    ("去年冬天认识的", "去年冬天", "2025-12-01 00:00"),
    ("2019年春天很冷", "2019年春天", "2019-03-01 00:00"),
    ("我1990年出生", "1990年", "1990-01-01 00:00"),
    ("我一九九〇年五月出生", "一九九〇年五月", "1990-05-01 00:00"),
    ("7月4号前两天寄出", "7月4号前两天", "2026-07-02 00:00"),
    ("4月10日两周前", "4月10日两周前", "2026-03-27 00:00"),
    ("7月4日之前的那个周末去爬山", "7月4日之前的那个周末", "2026-06-27 00:00"),
    ("7月10日之前付款", "7月10日", "2026-07-10 00:00"),
    ("从2021年3月开始", "2021年3月", "2021-03-01 00:00"),
    ("2020年5月3日下雨", "2020年5月3日", "2020-05-03 00:00"),
    ("前年十月去的", "前年十月", "2024-10-01 00:00"),
    ("包裹明天到", "明天", "2026-06-18 00:00"),
    ("我后天有空", "后天", "2026-06-19 00:00"),
    ("大后天出发", "大后天", "2026-06-20 00:00"),
    ("我们昨天见过", "昨天", "2026-06-16 00:00"),
    ("今晚吃什么", "今晚", "2026-06-17 20:00"),
    ("周六打球吧", "周六", "2026-06-20 00:00"),
    ("下周一见", "下周一", "2026-06-22 00:00"),
    ("她上周二走的", "上周二", "2026-06-09 00:00"),
    ("这周末去爬山", "这周末", "2026-06-20 00:00"),
    ("两周后开始", "两周后", "2026-07-01 10:20"),
    ("十分钟后打给我", "十分钟后", "2026-06-17 10:30"),
    ("那是五年前的事", "五年前", "2021-06-17 10:20"),
    ("下个月交房租", "下个月", "2026-07-01 00:00"),
    ("签证去年到期了", "去年", "2025-01-01 00:00"),
    ("演出在7月4号", "7月4号", "2026-07-04 00:00"),
    ("我是三月九日生的", "三月九日", "2026-03-09 00:00"),
    ("明天晚上七点给你打电话", "明天晚上七点", "2026-06-18 19:00"),
    ("星期五傍晚可以", "星期五傍晚", "2026-06-19 18:00"),
    ("半小时后回来", "半小时后", "2026-06-17 10:50"),
    ("下午三点半开会", "下午三点半", "2026-06-17 15:30"),
]
NONE = [
    ("en", "I sat there on my own"),
    ("en", "may I ask you something"),
    ("en", "there were at 20 people"),
    ("en", "February 30"),
    ("en", "in 99999 years"),
    ("zh", "我有一点累"),
    ("zh", "第三点很重要"),
    ("zh", "我有三点意见"),
    ("zh", "一周一次"),
    ("zh", "在99999年后"),
]


@pytest.mark.parametrize(("text", "words", "moment"), ENGLISH)
def test_english_words_and_moment_are_both_kept(text: str, words: str, moment: str) -> None:
    found = find_moment(text, pack=PACKS.get("en"), now=NOW)
    assert found is not None
    assert (found.words, found.at.strftime("%Y-%m-%d %H:%M")) == (words, moment)
    assert text[found.start : found.end] == words


@pytest.mark.parametrize(("text", "words", "moment"), CHINESE)
def test_chinese_words_and_moment_are_both_kept(text: str, words: str, moment: str) -> None:
    found = find_moment(text, pack=PACKS.get("zh"), now=NOW)
    assert found is not None
    assert (found.words, found.at.strftime("%Y-%m-%d %H:%M")) == (words, moment)


@pytest.mark.parametrize(("code", "text"), NONE)
def test_what_only_looks_like_a_moment_is_none(code: str, text: str) -> None:
    assert find_moments(text, pack=PACKS.get(code), now=NOW) == ()


def test_several_moments_come_in_order() -> None:
    found = find_moments("yesterday it rained, tomorrow it will snow", pack=PACKS.get("en"), now=NOW)
    assert [moment.words for moment in found] == ["yesterday", "tomorrow"]


def test_today_is_now_and_the_zone_is_kept() -> None:
    found = find_moment("I need it today", pack=PACKS.get("en"), now=NOW)
    assert found is not None
    assert found.at == NOW
    assert found.at.tzinfo is ZONE


def test_a_month_later_on_a_short_month_is_its_last_day() -> None:
    end = datetime(2026, 1, 31, 12, tzinfo=UTC)
    found = find_moment("in one month", pack=PACKS.get("en"), now=end)
    assert found is not None
    assert found.at.strftime("%m-%d") == "02-28"


def test_naive_now_is_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        find_moments("tomorrow", pack=PACKS.get("en"), now=NOW.replace(tzinfo=None))


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(max_size=80),
    code=st.sampled_from(["en", "zh"]),
    now=st.datetimes(datetime(1900, 1, 1), datetime(9990, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001 - hypothesis wants naive bounds
)
def test_any_text_at_any_time_gives_moments_that_stand_in_it(text: str, code: str, now: datetime) -> None:
    for moment in find_moments(text, pack=PACKS.get(code), now=now):
        assert text[moment.start : moment.end] == moment.words
        assert moment.at.tzinfo is not None


@settings(max_examples=100, deadline=None)
@given(
    pieces=st.lists(
        st.sampled_from(
            [
                "in 3 days",
                "next",
                "friday",
                "at",
                "12",
                "pm",
                "31",
                "february",
                "下",
                "周",
                "三",
                "点",
                "半",
                "年后",
                "9999",
                "一",
            ]
        ),
        max_size=10,
    ),
    code=st.sampled_from(["en", "zh"]),
)
def test_any_mix_of_time_words_is_read_without_failing(pieces: list[str], code: str) -> None:
    find_moments(" ".join(pieces), pack=PACKS.get(code), now=NOW)
    find_moments("".join(pieces), pack=PACKS.get(code), now=NOW)

"""A day told of as gone by is in the past, and what is no time is none: as people say it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.understanding.moments import find_moments, single_moment

PACKS = load_packs()
NOW = datetime(2026, 12, 1, 10, 0, tzinfo=UTC)
"""A Tuesday in December."""

GONE = [
    ("en", "My dad passed away on Sunday.", "2026-11-29"),
    ("en", "On Sunday my dad passed away.", "2026-11-29"),
    ("en", "She got married on Friday.", "2026-11-27"),
    ("en", "I got engaged in June", "2026-06-01"),
    ("en", "Our old cat died on the 3rd.", "2026-11-03"),
    ("en", "I've been here since Monday", "2026-11-30"),
    ("en", "My brother and I finally moved in March", "2026-03-01"),
    ("en", "My grandma's funeral was on Friday", "2026-11-27"),
    ("en", "The wedding was in May", "2026-05-01"),
    ("en", "My car was stolen on Friday", "2026-11-27"),
    ("en", "It closed at the weekend", "2026-11-28"),
    ("en", "I got a tattoo this June", "2026-06-01"),
    ("en", "Did you see it on Sunday?", "2026-11-29"),
    ("zh", "我爸六月份去世的", "2026-06-01"),
    ("zh", "我爸是六月份去世的", "2026-06-01"),
    ("zh", "我爷爷周日走了", "2026-11-29"),
    ("zh", "周日我爸走了", "2026-11-29"),
    ("zh", "她周五结婚了", "2026-11-27"),
    ("zh", "我六月订的婚", "2026-06-01"),
    ("zh", "我周三在酒吧遇到他的", "2026-11-25"),
    ("zh", "他五号去世了", "2026-11-05"),
    ("zh", "我是周一入职的", "2026-11-30"),
    ("zh", "我周六看过了", "2026-11-28"),
    ("zh", "我四月出生的", "2026-04-01"),
]


@pytest.mark.parametrize(("code", "said", "day"), GONE)
def test_a_day_told_of_as_gone_by_is_in_the_past(code: str, said: str, day: str) -> None:
    moment = single_moment(said, pack=PACKS.get(code), now=NOW)
    assert moment is not None
    assert moment.at.strftime("%Y-%m-%d") == day


TO_COME = [
    ("en", "My exam is on Friday.", "2026-12-04"),
    ("en", "We're getting married in June", "2027-06-01"),
    ("en", "I want to be married in June", "2027-06-01"),
    ("en", "She wanted to come on Friday", "2026-12-04"),
    ("en", "I booked a flight on Friday", "2026-12-04"),
    ("en", "I was hired to start on Monday", "2026-12-07"),
    ("en", "I was told it's on Friday", "2026-12-04"),
    ("en", "My flight was moved to Friday", "2026-12-04"),
    ("en", "He said he would come on Sunday", "2026-12-06"),
    ("en", "I bought tickets to the match on Saturday", "2026-12-05"),
    ("en", "I heard the concert is on Friday", "2026-12-04"),
    ("en", "I'm exhausted on Friday", "2026-12-04"),
    ("en", "The shop is closed on Sunday", "2026-12-06"),
    ("en", "If I finished on Friday I'd come", "2026-12-04"),
    ("en", "I've finished; the exam is on Friday", "2026-12-04"),
    ("zh", "我周五考试", "2026-12-04"),
    ("zh", "我六月要结婚", "2027-06-01"),
    ("zh", "他周五就要走了", "2026-12-04"),
    ("zh", "周五就放假了", "2026-12-04"),
    ("zh", "快到周五了", "2026-12-04"),
    ("zh", "航班改到周五了", "2026-12-04"),
    ("zh", "我打算六月辞了工作", "2027-06-01"),
    ("zh", "我订了周五的票", "2026-12-04"),
    ("zh", "我约了周一看牙", "2026-12-07"),
    ("zh", "我们说好了周五见", "2026-12-04"),
    ("zh", "我买了周六婚礼穿的裙子", "2026-12-05"),
    ("zh", "周五我妈来了我就没空了", "2026-12-04"),
    ("zh", "他说周日来", "2026-12-06"),
]


@pytest.mark.parametrize(("code", "said", "day"), TO_COME)
def test_a_day_to_come_stays_one(code: str, said: str, day: str) -> None:
    moment = single_moment(said, pack=PACKS.get(code), now=NOW)
    assert moment is not None
    assert moment.at.strftime("%Y-%m-%d") == day


NO_TIME = [
    ("en", "I work as a nurse at a hospital"),
    ("en", "a nurse (night)"),
    ("en", "I work as a nurse at night"),
    ("en", "I work night shifts"),
    ("en", "I'm a night owl"),
    ("en", "Good night!"),
    ("en", "It opens at a bakery"),
    ("en", "the night we met"),
    ("zh", "晚上好"),
    ("zh", "早上好呀"),
    ("zh", "她爱喝下午茶"),
]


@pytest.mark.parametrize(("code", "said"), NO_TIME)
def test_what_is_no_time_is_none(code: str, said: str) -> None:
    assert find_moments(said, pack=PACKS.get(code), now=NOW) == ()


STILL_A_TIME = [
    ("en", "I'll ring in the morning", "in the morning"),
    ("en", "We talked tomorrow night", "tomorrow night"),
    ("en", "dinner at noon", "noon"),
    ("en", "call me at one", "at one"),
    ("zh", "晚上给我打电话", "晚上"),
    ("zh", "明天早上好吗", "明天早上"),
]


@pytest.mark.parametrize(("code", "said", "words"), STILL_A_TIME)
def test_a_part_of_the_day_may_be_a_time(code: str, said: str, words: str) -> None:
    (moment,) = find_moments(said, pack=PACKS.get(code), now=NOW)
    assert moment.words in words


@pytest.mark.parametrize(
    ("code", "said"), [("en", "I always swim on Monday"), ("en", "I usually cook on Friday"), ("zh", "我一般周五做饭")]
)
def test_what_comes_again_has_no_single_moment(code: str, said: str) -> None:
    assert single_moment(said, pack=PACKS.get(code), now=NOW) is None

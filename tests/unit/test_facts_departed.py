"""Who has died, and who is nothing to the speaker any more: what was so of them is so no more, and nothing else goes."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row

GIRL = {"en": "My girlfriend's name is Mei.", "zh": "我女朋友叫小梅。"}
BOSS = {"en": "My boss is called Tom.", "zh": "我老板叫张伟。"}
DAD = {"en": "My dad lives in Rome.", "zh": "我爸住在苏州。"}
PAL = {"en": "My friend Tom loves golf.", "zh": "我朋友小李爱打高尔夫。"}


def rows(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}" for line in lines]).active_facts()}


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("en", (GIRL["en"], "Mei isn't my girlfriend anymore.")),
        ("en", (GIRL["en"], "Mei is my ex now.")),
        ("en", (GIRL["en"], "She's not my girlfriend anymore.")),
        ("en", (GIRL["en"], "We're not together anymore.")),
        ("en", (BOSS["en"], "Tom is no longer my boss.")),
        ("en", (BOSS["en"], "Tom is my former boss.")),
        ("en", ("I'm engaged to Tom.", "We called off the wedding.")),
        ("zh", (GIRL["zh"], "小梅已经不是我女朋友了。")),
        ("zh", (GIRL["zh"], "小梅是我前女友了。")),
        ("zh", (GIRL["zh"], "她不是我女朋友了。")),
        ("zh", (GIRL["zh"], "我们不在一起了。")),
        ("zh", (BOSS["zh"], "张伟不再是我老板了。")),
        ("zh", (BOSS["zh"], "张伟现在是我前老板了。")),
    ],
)
def test_somebody_is_no_more_what_he_was(code: str, lines: tuple[str, ...]) -> None:
    assert rows(code, lines[0])
    assert rows(code, *lines) == set()


@pytest.mark.parametrize(
    ("code", "lines", "stays"),
    [
        ("en", (GIRL["en"], "Mei isn't my girlfriend's sister."), ("user", "partner", "girlfriend called Mei")),
        ("en", (GIRL["en"], "Is Mei my ex now?"), ("user", "partner", "girlfriend called Mei")),
        (
            "en",
            (GIRL["en"], "We're not together right now, she's in Rome."),
            ("user", "partner", "girlfriend called Mei"),
        ),
        ("en", (BOSS["en"], "Ana is no longer my boss."), ("user", "friend", "boss called Tom")),
        ("zh", (GIRL["zh"], "小梅不是我女朋友的妹妹。"), ("user", "partner", "叫小梅的女朋友")),
        ("zh", (GIRL["zh"], "小梅是我前女友了吗？"), ("user", "partner", "叫小梅的女朋友")),
        ("zh", (BOSS["zh"], "李强不再是我老板了。"), ("user", "friend", "叫张伟的老板")),
        *(
            ("en", (GIRL["en"], line), ("user", "partner", "girlfriend called Mei"))
            for line in (
                "Mei is not my boss.",
                "Mei is not my sister.",
                "Mei is not my only girlfriend.",
                "Mei isn't my girlfriend, she's my wife!",
                "Mei is my ex-boss.",
                "Mei is my former teacher.",
                "Mei left me a note.",
                "I called off the wedding of my sister.",
                "We called off the wedding rehearsal.",
                "We are no longer engaged in the debate.",
                "My girlfriend passed her exam.",
                "My girlfriend is dead set on Rome.",
                "My girlfriend passed out.",
            )
        ),
        ("en", (BOSS["en"], "Tom isn't my friend."), ("user", "friend", "boss called Tom")),
        ("en", ("My wife is called Ann.", "Ann is not my first wife."), ("user", "partner", "wife called Ann")),
        ("en", ("I work at Leeds General.", "I retired early last night."), ("user", "workplace", "Leeds General")),
        *(
            ("zh", (GIRL["zh"], line), ("user", "partner", "叫小梅的女朋友"))
            for line in (
                "小梅不是我妹妹。",
                "小梅已经不是我同事了。",
                "小梅是我前同事。",
                "我们不在一起了，她出差去了。",
                "我女朋友没了工作。",
                "小梅不是我女朋友了，是我老婆了。",
            )
        ),
        ("zh", (BOSS["zh"], "张伟不是我朋友。"), ("user", "friend", "叫张伟的老板")),
    ],
)
def test_others_stay_what_they_are(code: str, lines: tuple[str, ...], stays: tuple[str, ...]) -> None:
    assert stays in rows(code, *lines)


@pytest.mark.parametrize(
    ("code", "lines", "facts"),
    [
        ("en", (DAD["en"], "My dad died in May."), {("user's father", "vital status", "dead")}),
        ("en", (DAD["en"], "My dad's dead."), {("user's father", "vital status", "dead")}),
        ("en", ("My husband is called Tom.", "Tom passed away in spring."), {("Tom", "vital status", "dead")}),
        ("en", ("My wife Ann died in May.",), {("Ann", "vital status", "dead")}),
        ("en", ("I lost my mother in 2010.",), {("user's mother", "vital status", "dead")}),
        (
            "en",
            ("My sister Ana died last year.",),
            {("user", "sibling", "sister called Ana"), ("Ana", "vital status", "dead")},
        ),
        ("zh", (DAD["zh"], "我爸五月去世了。"), {("用户的爸爸", "vital status", "去世")}),
        ("zh", (DAD["zh"], "我爸已经不在了。"), {("用户的爸爸", "vital status", "去世")}),
        ("zh", ("我老公叫大伟。", "大伟春天去世了。"), {("大伟", "vital status", "去世")}),
        (
            "zh",
            ("我姐姐秀兰去年去世了。",),
            {("user", "sibling", "叫秀兰的姐姐"), ("秀兰", "vital status", "去世")},
        ),
        ("zh", ("我爷爷走了很多年了。",), {("用户的爷爷", "vital status", "去世")}),
    ],
)
def test_a_death_is_a_fact_and_ends_what_was_so(code: str, lines: tuple[str, ...], facts: set[tuple[str, ...]]) -> None:
    assert rows(code, *lines) == facts


@pytest.mark.parametrize(
    ("code", "before", "line"),
    [
        ("en", DAD["en"], "My dad almost died in May."),
        ("en", DAD["en"], "My dad is dead tired."),
        ("en", DAD["en"], "Is your dad dead?"),
        ("en", DAD["en"], "If my dad died, I'd move."),
        ("en", PAL["en"], "Tom died laughing."),
        ("en", PAL["en"], "Tom died in the last episode of the show."),
        ("en", PAL["en"], "Bowie died in 2016."),
        *(
            ("en", DAD["en"], line)
            for line in (
                "I lost my dad last week at golf.",
                "We lost my dad last year at Disneyland, took an hour to find him.",
                "My dad died when he saw the bill.",
                "My dad died on the hill that pineapple belongs on pizza.",
                "My dad passed on the offer.",
                "My dad was killed by that joke.",
                "My dad died in The Sims.",
            )
        ),
        ("en", GIRL["en"], "Mei died three times in Dark Souls."),
        ("en", GIRL["en"], "I lost my girlfriend."),
        ("en", "I have a dog called Rex.", "My dog is dead tired."),
        ("en", "I have a dog called Rex.", "Rex is gone for the day."),
        ("zh", GIRL["zh"], "小梅走了三年了，去了美国。"),
        ("zh", GIRL["zh"], "小梅走了好几年了，在国外发展。"),
        ("zh", GIRL["zh"], "小梅死了三回才通关。"),
        ("zh", DAD["zh"], "我爸不在了，你晚点再打。"),
        ("zh", DAD["zh"], "我爸死了一条鱼。"),
        ("zh", DAD["zh"], "我爷爷走了好多年的夜路。"),
        ("zh", DAD["zh"], "我爸去世了的同事叫老王。"),
        ("zh", GIRL["zh"], "我女朋友不在了，去上班了。"),
        ("zh", "我有一只叫旺财的狗。", "我的狗累死了。"),
        ("zh", "我有一只叫旺财的狗。", "旺财走了，去公园了。"),
        ("zh", "我有一只叫旺财的狗。", "旺财把球弄丢了。"),
        ("en", PAL["en"], "My phone died."),
        ("en", PAL["en"], "I lost my sister in the supermarket."),
        ("zh", DAD["zh"], "我爸差点死了。"),
        ("zh", DAD["zh"], "我爸累死了。"),
        ("zh", DAD["zh"], "你爸去世了吗？"),
        ("zh", DAD["zh"], "要是我爸去世了，我就搬家。"),
        ("zh", PAL["zh"], "小李笑死了。"),
        ("zh", PAL["zh"], "小李在剧里去世了。"),
        ("zh", PAL["zh"], "鲍伊2016年去世了。"),
        ("zh", PAL["zh"], "我手机没电了。"),
    ],
)
def test_nobody_dies_of_a_word(code: str, before: str, line: str) -> None:
    rest = rows(code, before, line) - rows(code, before)
    assert rows(code, before) <= rows(code, before, line)
    assert not any(attribute == "vital status" for _, attribute, *_ in rest)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("en", ("I have a cat called Miso and a cat called Pip.", "My cat died.")),
        ("zh", ("我有一只叫咪咪的猫，还有一只叫豆包的猫。", "我的猫死了。")),
    ],
)
def test_one_of_two_alike_is_not_guessed(code: str, lines: tuple[str, ...]) -> None:
    assert rows(code, *lines) == rows(code, lines[0])


@pytest.mark.parametrize(
    ("code", "line", "facts"),
    [
        ("en", "I'm engaged to Tom.", {("user", "partner", "engaged to Tom")}),
        ("zh", "我生于1970年。", {("user", "birthday", "1970年")}),
        ("zh", "我女儿在罗马读书。", {("用户的女儿", "school", "罗马")}),
        ("zh", "我在公园读书。", set()),
    ],
)
def test_what_is_told_of_lives(code: str, line: str, facts: set[tuple[str, ...]]) -> None:
    assert rows(code, line) == facts

"""Whom rules find to stand how to whom, among third persons; and what only looks like it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from harness.language import LanguagePack, load_packs
from harness.understanding.facts.third_relations import third_relations

Pack = Callable[[str], LanguagePack]


@pytest.fixture(scope="module")
def pack() -> Pack:
    packs = load_packs(())
    return packs.get


def read(text: str, pack: LanguagePack, *known: str) -> list[tuple[str, str, str]]:
    """(who it is about, word or attribute, name or value)."""
    return [
        (one.subject, one.kind or one.attribute, one.name or one.value) for one in third_relations(text, pack, known)
    ]


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "Zhang San is Li Si's boss. Li Si works at Tencent.", ("Li Si", "boss", "Zhang San")),
        ("zh", "张三是李四的领导，李四在腾讯上班。", ("李四", "领导", "张三")),
        ("en", "Tom's new manager is Greta Hill.", ("Tom", "manager", "Greta Hill")),
        ("zh", "李四的新上级是张三。", ("李四", "上级", "张三")),
        ("en", "Ada is Tom's subordinate.", ("Tom", "subordinate", "Ada")),
        ("zh", "张三是李四的下属。", ("李四", "下属", "张三")),
        ("en", "Anna is Tom's sister.", ("Tom", "sister", "Anna")),
        ("zh", "小明是小红的哥哥。", ("小红", "哥哥", "小明")),
        ("en", "Paul is the father of Ida.", ("Ida", "father", "Paul")),
        ("zh", "李雷是韩梅梅的爸爸。", ("韩梅梅", "爸爸", "李雷")),
        ("en", "Anna and Tom are old colleagues.", ("Tom", "colleague", "Anna")),
        ("zh", "张三和李四是老同事。", ("李四", "同事", "张三")),
        ("en", "Tom reports to Greta.", ("Tom", "boss", "Greta")),
        ("zh", "李四向张三汇报工作。", ("李四", "领导", "张三")),
        ("en", "Li Si works at Tencent. His boss is Zhang San.", ("Li Si", "boss", "Zhang San")),
        ("zh", "李四在腾讯上班，他的领导是张三。", ("李四", "领导", "张三")),
        ("en", "Anna is married to Paul.", ("Paul", "spouse", "Anna")),
        ("zh", "李雷和韩梅梅是夫妻。", ("韩梅梅", "配偶", "李雷")),
    ],
)
def test_a_relation_of_third_persons_is_read(pack: Pack, code: str, text: str, found: tuple[str, str, str]) -> None:
    assert read(text, pack(code)) == [found]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Is Zhang San Li Si's boss?"),
        ("zh", "张三是李四的领导吗？"),
        ("en", "Zhang San is not Li Si's boss."),
        ("zh", "张三不是李四的领导。"),
        ("en", "If Anna is Tom's boss, I quit."),
        ("zh", "如果张三是李四的领导就好了。"),
        ("en", "Greta said Anna is Tom's boss."),
        ("zh", "王芳说张三是李四的领导。"),
        ("en", "Necessity is the mother of invention."),
        ("zh", "时间是最好的老师。"),
        ("en", "He is Tom's boss."),
        ("zh", "他是李四的领导。"),
        ("en", "Time is Anna's teacher."),
        ("zh", "百度是李四的老师。"),
        ("en", "Monday is Tom's friend."),
        ("zh", "周末是大家的朋友。"),
        ("en", "London is England's capital."),
        ("zh", "老王是我们公司的领导。"),
        ("en", "Anna saw Tom. Ida came too. His boss is Greta."),
        ("zh", "张三来了，李四也来了，他的领导是王芳。"),
        ("en", "Anna's boss is away."),
        ("zh", "李四的领导是个好人。"),
        ("en", "I used to work at a bank."),
        ("zh", "我以前在银行上班。"),
        ("en", "Anna is Anna's boss."),
        ("zh", "张三是张三的领导。"),
    ],
)
def test_look_alikes_are_not(pack: Pack, code: str, text: str) -> None:
    assert read(text, pack(code)) == []


LOOK_ALIKES = {
    "en": """
        "Anna is Tom's boss."
        He wrote: “Anna is Tom's boss”
        Translate this: Anna is Tom's boss.
        My story: Anna is Tom's boss.
        Anna is Tom's boss in my dream.
        In the novel Anna is Tom's boss.
        Anna is Tom's boss, I guess.
        Anna is Tom's boss, supposedly.
        Anna is Tom's boss, just kidding.
        Anna is Tom's boss, right?
        Suppose Anna is Tom's boss.
        Anna was Tom's boss.
        Anna is like a sister to Ida.
        Paul was like a father to Ida.
        Paul is almost Ida's brother.
        Paul is Ida's sister's boss.
        Paul and Ida are like brothers.
        Anna or Paul is Tom's boss.
        Next year Anna is Tom's boss.
        Once Anna is Tom's boss, he will quit.
        According to Tom, Anna is Greta's boss.
        Hopefully Anna is Tom's boss.
        Anna's boss is Chinese.
        Anna's father is Catholic.
        Tom's coach is Brazilian.
        Tom's teacher is English.
        Coffee is Anna's best friend.
        Paris is London's sister.
        Tom reports to London.
        Anna manages Berlin.
        Tom's sister is Miss Italy.
        Tom's boss is Evil.
    """,
    "zh": """
        “张三是李四的领导。”
        他写道：「张三是李四的领导」
        翻译一下：张三是李四的领导。
        我编个故事：张三是李四的领导。
        我梦见张三是李四的领导。
        小说里张三是李四的领导。
        张三是李四的领导，我猜。
        据说张三是李四的领导。
        张三是李四的领导，开玩笑的。
        张三是李四的领导，对吧。
        假设张三是李四的领导。
        张三曾是李四的领导。
        张三像李四的哥哥。
        张三好像是李四的哥哥。
        张三简直是李四的亲哥哥。
        张三是李四的姐姐的领导。
        张三和李四像兄弟。
        李四的领导是王芳或者张三。
        明年张三是李四的领导。
        等张三是李四的领导了再说。
        听说张三是李四的领导。
        希望张三是李四的领导。
        李四的领导是北京人。
        李四的爸爸是警察。
        李四的老师是美国人。
        张三算是李四的领导。
        咖啡是李四的朋友。
        张三将是李四的领导。
        李四向总部汇报。
        李四归公司管。
        李四的领导叫张三来。
        张三和李四以前是同事。
    """,
}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_more_look_alikes_are_not(pack: Pack, code: str) -> None:
    lines = [line.strip() for line in LOOK_ALIKES[code].strip().splitlines()]
    assert {line: read(line, pack(code)) for line in lines} == {line: [] for line in lines}


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "That is not true. Anna is Tom's boss.", ("Tom", "boss", "Anna")),
        ("zh", "不对，张三是李四的领导。", ("李四", "领导", "张三")),
        ("en", 'We watched "Heat" with them. Anna is Tom\'s boss.', ("Tom", "boss", "Anna")),
        ("zh", "我们一起看了《英雄》。张三是李四的领导。", ("李四", "领导", "张三")),
    ],
)
def test_what_stands_beside_it_takes_nothing_away(
    pack: Pack, code: str, text: str, found: tuple[str, str, str]
) -> None:
    assert read(text, pack(code)) == [found]


@pytest.mark.parametrize(
    ("code", "text", "old", "new"),
    [
        ("en", "Tom used to work at Google, now he works at Apple.", ("Tom", "former workplace", "Google"), "Apple"),
        ("zh", "王芳以前在百度上班，现在在阿里工作。", ("王芳", "以前的工作单位", "百度"), "阿里"),
        ("en", "Tom used to work at Google.", ("Tom", "former workplace", "Google"), ""),
        ("zh", "王芳以前在百度上班。", ("王芳", "以前的工作单位", "百度"), ""),
        ("en", "I used to work at Google, now I work at Apple.", ("speaker", "former workplace", "Google"), "Apple"),
        ("zh", "我以前在百度上班，现在在阿里上班。", ("speaker", "以前的工作单位", "百度"), "阿里"),
    ],
)
def test_a_former_workplace_is_no_present_one(
    pack: Pack, code: str, text: str, old: tuple[str, str, str], new: str
) -> None:
    now = [(old[0], "workplace", new)] if new else []
    assert read(text, pack(code)) == [old, *now]


@pytest.mark.parametrize(("code", "text"), [("en", "neo is Tom's boss."), ("zh", "豆豆是李四的领导。")])
def test_a_known_name_needs_no_form_of_one(pack: Pack, code: str, text: str) -> None:
    name = text.split(" ", 1)[0] if code == "en" else "豆豆"
    assert read(text, pack(code)) == []
    assert [one[2] for one in read(text, pack(code), name)] == [name]


def test_a_known_name_is_no_expression(pack: Pack) -> None:
    assert read("Anna is Tom's boss.", pack("en"), "a|.*", "(", "{x}") == [("Tom", "boss", "Anna")]


@pytest.mark.parametrize("code", ["en", "zh"])
def test_every_relation_has_words_and_both_packs_the_same(pack: Pack, code: str) -> None:
    kinds = pack(code).relations.kinds
    assert {kind.key for kind in kinds} == {kind.key for kind in pack("en").relations.kinds}
    assert all(kind.words for kind in kinds)
    known = {kind.key for kind in kinds}
    assert all(set(kind.near) <= known - {kind.key} for kind in kinds)
    words = [word.casefold() for kind in kinds for word in (*kind.words, *kind.flipped)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("code", "text", "known"),
    [
        ("en", "qix+ is Ben's boss.", "qix+"),
        ("zh", "小b+是李四的领导。", "小b+"),
    ],
)
def test_who_is_known_makes_no_pattern_of_its_own(
    code: str, text: str, known: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each new name of a talk would cost a second otherwise."""
    pack = load_packs(()).get(code)
    assert third_relations(text, pack, ("Ada", known))
    compiled: list[str] = []
    real = re.compile

    def counted(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", counted)
    found = third_relations(text, pack, ("Ada", "张三", known))
    assert [claim.name for claim in found] == [known]
    assert len(compiled) <= 1, "the expression that finds the names"
    assert all(len(pattern) < 200 for pattern in compiled)

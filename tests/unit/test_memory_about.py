"""Whom a question is about: what is known of somebody else does not answer it."""

from __future__ import annotations

import pytest

from harness.memory.about import asked_about
from harness.state.memory import MemoryItem
from tests.unit.test_memory_finding import PACKS, fact, item, reasons, recalled, shown

NAMES = {"user": "Nora", "character": "Mia"}


def known(subject: str, item_id: str = "", **more: object) -> MemoryItem:
    """Somebody of whom a fact is known."""
    zh = PACKS.detect(subject) == "zh"
    text = f"{subject}喜欢李子" if zh else f"{subject} likes plums"
    return fact(item_id or f"of-{subject}", text, "likes", "李子" if zh else "plums", subject=subject, **more)


@pytest.mark.parametrize(
    ("text", "subjects", "alone"),
    [
        ("What does Anna like?", ("anna",), True),
        ("what does anna like?", ("anna",), True),
        ("Do you know what Anna likes?", ("anna",), True),
        ("What did I tell you about Anna?", ("anna",), True),
        ("Where does Anna's boss live?", ("anna",), False),
        ("What does my sister like?", ("user's sister",), True),
        ("What's the name of my sister's dog?", ("user's sister",), False),
        ("What do I like?", ("user",), True),
        ("What does Nora like?", ("user",), True),
        ("What do you like?", ("character",), True),
        ("安娜喜欢什么？", ("安娜",), True),
        ("你知道安娜喜欢什么吗？", ("安娜",), True),
        ("我跟你说过安娜喜欢什么吗？", ("安娜",), True),
        ("安娜的老板住在哪里？", ("安娜",), False),
        ("我喜欢什么？", ("user",), True),
        ("你喜欢什么？", ("character",), True),
    ],
)
def test_whom_a_question_is_about(text: str, subjects: tuple[str, ...], alone: bool) -> None:
    items = (known("Anna"), known("安娜"))
    about = asked_about(text, items, pack=PACKS.get(PACKS.detect(text)), names=NAMES)
    assert about is not None
    assert (about.subjects, about.alone) == (subjects, alone)


@pytest.mark.parametrize(
    "text",
    [
        "What dessert can I cook for Anna?",
        "Anna likes plums.",
        "Recommend a dessert.",
        "What should we do?",
        "我能给安娜做什么甜品？",
        "安娜喜欢李子。",
        "推荐几个甜品。",
    ],
)
def test_a_message_about_several_sides_or_that_asks_nothing_is_about_nobody(text: str) -> None:
    items = (known("Anna"), known("安娜"))
    assert asked_about(text, items, pack=PACKS.get(PACKS.detect(text)), names=NAMES) is None


@pytest.mark.parametrize(
    ("question", "anna", "mine", "bob"),
    [
        ("What does Anna like?", "Anna", "I like figs", "Bob"),
        ("安娜喜欢什么？", "安娜", "我喜欢无花果", "小明"),
    ],
)
async def test_the_facts_of_others_do_not_answer(question: str, anna: str, mine: str, bob: str) -> None:
    items = [known(anna), fact("mine", mine, "likes", mine[-3:]), known(bob)]
    found = await recalled(items, question)
    assert shown(found) == [f"of-{anna}"]
    assert all("the question is about" in reason for name, reason in reasons(found).items() if name != f"of-{anna}")


@pytest.mark.parametrize(
    ("question", "mine", "warning"),
    [
        ("What does Anna like?", "I like figs", "nothing is known about Anna"),
        ("安娜喜欢什么？", "我喜欢无花果", "nothing is known about 安娜"),
    ],
)
async def test_where_nothing_is_known_of_one_the_user_does_not_stand_in(question: str, mine: str, warning: str) -> None:
    found = await recalled([fact("mine", mine, "likes", mine[-3:])], question)
    assert shown(found) == []
    assert any(warning in one for one in found.warnings)


@pytest.mark.parametrize(
    ("question", "own", "theirs"),
    [("What do I like?", "I like figs", "I like tea"), ("我喜欢什么？", "我喜欢无花果", "我喜欢茶")],
)
async def test_the_two_who_talk_are_kept_apart(question: str, own: str, theirs: str) -> None:
    """The one asks for the user's taste, and the character's is left out; asked the other way round it is the other way round."""
    items = [fact("mine", own, "likes", own[-3:]), fact("hers", theirs, "likes", theirs[-3:], subject="character", speaker="character")]  # fmt: skip
    assert shown(await recalled(items, question)) == ["mine"]
    other = question.replace("I", "you").replace("我", "你")
    assert shown(await recalled(items, other)) == ["hers"]
    assert shown(await recalled(items[:1], other)) == [], "nothing is known of hers, and mine is none of it"


@pytest.mark.parametrize(
    ("question", "own"), [("Can you recommend a dessert?", "I like dessert"), ("你能推荐一个甜品吗？", "我喜欢甜品")]
)
async def test_what_is_asked_of_the_character_may_be_answered_by_what_the_user_likes(question: str, own: str) -> None:
    items = [fact("mine", own, "likes", own[-3:]), fact("hers", "I can bake dessert 甜品", "skill", "bake", subject="character")]  # fmt: skip
    assert "mine" in shown(await recalled(items, question))


@pytest.mark.parametrize(
    ("question", "name", "other"), [("What does Anna like?", "Anna", "Bob"), ("安娜喜欢什么？", "安娜", "小明")]
)
async def test_one_of_few_facts_is_found_among_many_of_others(question: str, name: str, other: str) -> None:
    """More than are looked at by words say the same of somebody else."""
    crowd = [known(other, f"other{number}") for number in range(120)]
    assert f"of-{name}" in shown(await recalled([*crowd, known(name)], question))


@pytest.mark.parametrize(
    ("question", "sister", "likes", "relative"),
    [
        ("What does Anna like?", ("my sister Anna", "sister Anna"), "my sister likes plums", "user's sister"),
        ("安娜喜欢什么？", ("我姐姐叫安娜", "姐姐叫安娜"), "我姐姐喜欢李子", "用户的姐姐"),
    ],
)
async def test_a_relative_is_known_by_name(question: str, sister: tuple[str, str], likes: str, relative: str) -> None:
    items = [
        fact("kin", sister[0], "sibling", sister[1]),
        fact("hers", likes, "likes", likes[-5:], subject=relative),
        fact("mine", "I like figs 我喜欢无花果", "likes", "figs"),
    ]
    found = shown(await recalled(items, question))
    assert "hers" in found
    assert "mine" not in found


async def test_messages_and_what_is_always_minded_stay() -> None:
    items = [
        known("Anna"),
        item("said", "Anna came with plums, and I like figs."),
        fact("bees", "I am allergic to plums", "allergy", "plums", kind="constraint"),
    ]
    assert set(shown(await recalled(items, "What does Anna like?"))) >= {"of-Anna", "bees"}


async def test_a_search_may_name_subject_speaker_and_kind() -> None:
    items = [
        known("Anna"),
        known("安娜"),
        fact("mine", "I like plums", "likes", "plums"),
        item("told", "I like plums and 李子", speaker="user"),
        item("hers", "I hate plums", speaker="character"),
    ]
    assert shown(await recalled(items, "plums 李子", subject="ANNA")) == ["of-Anna"]
    assert shown(await recalled(items, "plums 李子", subject="安娜")) == ["of-安娜"]
    assert shown(await recalled(items, "plums", speaker="character")) == ["hers"]
    assert set(shown(await recalled(items, "plums", kinds=("message",)))) == {"told", "hers"}
    assert shown(await recalled(items, "plums", subject="Bob")) == []

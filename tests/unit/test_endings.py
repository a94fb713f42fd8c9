"""What is over is taken back; what is not the speaker's, or not told apart, stays."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.state import DialogueState, PersonaRef, fold
from harness.state.operations import AssertFact
from harness.understanding.facts.endings import ended
from harness.understanding.facts.fact_changes import Said

NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
FACTS = {
    "en": (("pet", "cat called Olive"), ("pet", "dog"), ("job", "baker"), ("partner", "boyfriend called Sven"), ("possession", "car"), ("likes", "tea")),
    "zh": (("pet", "叫豆豆的猫"), ("pet", "一只狗"), ("job", "面包师"), ("partner", "叫小森的男朋友"), ("possession", "车"), ("likes", "茶")),
}  # fmt: skip


def taken_back(code: str, text: str, facts: tuple[tuple[str, str], ...] = (), *, subject: str = "user") -> set[str]:
    """The values that a message of the user in turn 3 takes back, of facts told in turn 1."""
    pack = load_packs().get(code)
    state, _, _ = fold(
        DialogueState(persona=PersonaRef(id="p", name="P"), language=code),
        [
            AssertFact(subject=subject, attribute=attribute, value=value, speaker="user", turn=1)
            for attribute, value in (facts or FACTS[code])
        ],
    )
    values = {fact.id: fact.value for fact in state.facts}
    return {values[operation.fact_id] for operation in ended(text, state, Said("user", 3, NOW, pack, ""))}


@pytest.mark.parametrize(
    ("code", "text", "values"),
    [
        ("en", "Olive died last night.", {"cat called Olive"}),
        ("en", "Sadly my dog passed away.", {"dog"}),
        ("en", "I quit my job on Monday.", {"baker"}),
        ("en", "Sven and I broke up.", {"boyfriend called Sven"}),
        ("en", "We sold our car last week.", {"car"}),
        ("zh", "豆豆昨晚死了。", {"叫豆豆的猫"}),
        ("zh", "可惜我的狗去世了。", {"一只狗"}),
        ("zh", "我周一辞职了。", {"面包师"}),
        ("zh", "我和小森分手了。", {"叫小森的男朋友"}),
        ("zh", "我上周把车卖了。", {"车"}),
    ],
)
def test_what_is_over_is_taken_back(code: str, text: str, values: set[str]) -> None:
    assert taken_back(code, text) == values


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My neighbour's dog died."),
        ("en", "The neighbours' dog died yesterday."),
        ("en", "My sister's cat passed away."),
        ("en", "The dog in the film died."),
        ("en", "Did Olive die?"),
        ("en", "If I quit my job, I would travel."),
        ("en", "My friend quit her job."),
        ("en", "My parents split up."),
        ("en", "Mia and Tom broke up."),
        ("en", "My phone died."),
        ("en", "I nearly died laughing."),
        ("zh", "邻居的狗死了。"),
        ("zh", "邻居家的狗昨天死了。"),
        ("zh", "我姐姐的猫去世了。"),
        ("zh", "电影里的狗死了。"),
        ("zh", "豆豆死了吗？"),
        ("zh", "如果我辞职了，我就去旅行。"),
        ("zh", "我朋友辞职了。"),
        ("zh", "我爸妈分开了。"),
        ("zh", "小米和小唐分手了。"),
        ("zh", "我的手机没电了。"),
        ("zh", "我快笑死了。"),
    ],
)
def test_what_is_not_the_speakers_own_end_takes_nothing_back(code: str, text: str) -> None:
    assert taken_back(code, text) == set()


@pytest.mark.parametrize(
    ("code", "value", "one", "all_of_them"),
    [
        ("en", "two cats", "One of my cats died.", "My two cats died."),
        ("zh", "两只猫", "我的一只猫死了。", "我的两只猫死了。"),
    ],
)
def test_one_of_two_takes_nothing_back(code: str, value: str, one: str, all_of_them: str) -> None:
    facts = (("pet", value), ("pet", "dog" if code == "en" else "一只狗"))
    assert taken_back(code, one, facts) == set()
    assert taken_back(code, all_of_them, facts) == {value}


@pytest.mark.parametrize(("code", "text"), [("en", "Olive died."), ("zh", "豆豆死了。")])
def test_facts_of_others_stay(code: str, text: str) -> None:
    assert taken_back(code, text)
    assert taken_back(code, text, subject="Nina") == set()

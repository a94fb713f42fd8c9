"""Facts that no longer fit: only pinned and relevant ones enter the prompt, never by age alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.context.select import OVER_LIMIT, REPORTED, Selection, fact_line, select_facts
from harness.language import load_packs
from harness.settings import EngineSettings
from harness.state import DialogueState, Entity, Fact, FactStatus, Persona, PersonaRef, Topic, TopicStack
from harness.turn.turn import Turn

NOW = datetime(2031, 6, 20, 9, tzinfo=UTC)
MANY = 300
WORDS = {
    "en": ("likes", "sort {n} of marble", "My locker number is"),
    "zh": ("likes", "第{n}种石头", "我的柜子号是"),
}


def filler(code: str, n: int) -> Fact:
    attribute, value, _ = WORDS[code]
    return Fact(id=f"f{n}", subject="user", attribute=attribute, value=value.format(n=n), turn=n, language=code)


def turn_with(code: str, text: str, *facts: Fact, resolved: str = "", **state: object) -> Turn:
    many = [filler(code, n) for n in range(1, MANY + 1)]
    for fact in facts:
        many[fact.turn - 1] = fact
    values = {"persona": PersonaRef(id="p", name="Vera"), "language": code, "facts": tuple(many), **state}
    return Turn(
        id="t",
        parent=None,
        number=MANY + 1,
        persona=Persona(name="Vera", language=code),
        state=DialogueState(**values),
        settings=EngineSettings(facts_max_tokens=120),
        text=text,
        resolved=resolved,
        now=NOW,
        language=code,
    )


def select(turn: Turn) -> Selection:
    return select_facts(turn, load_packs().get(turn.language))


@pytest.mark.parametrize(
    ("code", "text", "attribute", "value"),
    [
        ("en", "Can we go somewhere with walnuts in the cake?", "allergy", "walnuts"),
        ("zh", "我们去吃核桃蛋糕好吗？", "allergy", "核桃"),
        ("en", "What is my locker number?", "locker number", "4172"),
        ("zh", "我的柜子号是多少？", "柜子号", "4172"),
        ("en", "Where do I live?", "home", "Ghent"),
        ("zh", "我住在哪儿？", "home", "根特"),
    ],
)
def test_an_old_fact_that_matters_is_chosen_among_three_hundred(
    code: str, text: str, attribute: str, value: str
) -> None:
    old = Fact(id="f1", subject="user", attribute=attribute, value=value, turn=1, language=code)
    chosen = select(turn_with(code, text, old))
    assert old in chosen.facts
    assert len(chosen.facts) < MANY
    assert chosen.left_out == MANY - len(chosen.facts)


@pytest.mark.parametrize(("code", "text"), [("en", "Hello again!"), ("zh", "又见面了！")])
def test_pinned_facts_are_always_there_and_ties_go_to_the_newer(code: str, text: str) -> None:
    pinned = filler(code, 2).model_copy(update={"pinned": True})
    chosen = select(turn_with(code, text, pinned))
    assert pinned in chosen.facts
    others = [fact.turn for fact in chosen.facts if not fact.pinned]
    assert others == list(range(MANY - len(others) + 1, MANY + 1))


@pytest.mark.parametrize(
    ("code", "text", "resolved", "value"),
    [
        ("en", "Does she like it?", "Does Petra like sailing?", "sailing"),
        ("zh", "她喜欢吗？", "小潘喜欢帆船吗？", "帆船"),
    ],
)
def test_the_resolved_message_counts(code: str, text: str, resolved: str, value: str) -> None:
    old = Fact(id="f3", subject="Petra", attribute="likes", value=value, turn=3, language=code)
    assert old not in select(turn_with(code, text, old)).facts
    assert old in select(turn_with(code, text, old, resolved=resolved)).facts


@pytest.mark.parametrize(("code", "name"), [("en", "Petra"), ("zh", "小潘")])
def test_who_was_just_mentioned_and_what_the_topic_is_about_count(code: str, name: str) -> None:
    old = Fact(id="f3", subject=name, attribute="job", value="potter", turn=3, language=code)
    text = {"en": "Go on.", "zh": "接着说。"}[code]
    assert old not in select(turn_with(code, text, old)).facts
    spoken_of = (Entity(id="e1", name=name, kind="person", last_turn=MANY),)
    assert old in select(turn_with(code, text, old, entities=spoken_of)).facts
    topic = TopicStack(open=(Topic(id="t1", label="x", keywords=("potter",)),))
    assert old in select(turn_with(code, text, old, topics=topic)).facts


def test_what_is_no_longer_in_force_is_never_shown_and_the_report_stays_short() -> None:
    gone = filler("en", 5).model_copy(update={"status": FactStatus.superseded, "value": "walnuts"})
    chosen = select(turn_with("en", "walnuts?", gone))
    assert gone not in chosen.facts
    assert sum(item.dropped == OVER_LIMIT for item in chosen.items) == REPORTED


@pytest.mark.parametrize(
    ("code", "value", "line"), [("en", "30", "I'm 37"), ("en", "thirty", "I'm 37"), ("zh", "三十岁", "我今年37岁")]
)
def test_an_age_told_years_ago_has_grown(code: str, value: str, line: str) -> None:
    told = Fact(
        id="f1",
        subject="user",
        attribute="age",
        value=value,
        turn=1,
        at=datetime(2024, 8, 1, tzinfo=UTC),
        when="last May",
        when_at=datetime(2024, 5, 1, tzinfo=UTC),
        language=code,
    )
    assert fact_line(told, turn_with(code, "Hi"), load_packs().get(code)) == line


@pytest.mark.parametrize(
    ("code", "degree", "line"),
    [
        ("en", 2, "I love tea"),
        ("en", 1, "I like tea"),
        ("en", 0, "I don't mind tea"),
        ("en", -1, "I don't like tea"),
        ("en", -2, "I hate tea"),
        ("zh", 2, "我特别喜欢茶"),
        ("zh", 1, "我喜欢茶"),
        ("zh", 0, "我觉得茶还行"),
        ("zh", -1, "我不喜欢茶"),
        ("zh", -2, "我讨厌茶"),
    ],
)
def test_a_taste_is_shown_with_its_degree(code: str, degree: int, line: str) -> None:
    value = {"en": "tea", "zh": "茶"}[code]
    fact = Fact(id="f1", subject="user", attribute="likes", value=value, polarity=degree >= 0, degree=degree)
    assert fact_line(fact, turn_with(code, "Hi"), load_packs().get(code)) == line

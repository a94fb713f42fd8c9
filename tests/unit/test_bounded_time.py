"""No message can hold a turn up: texts made to be hard, over everything that reads the words of a turn."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaFact, PersonaRef, fold
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.premise import check_premise
from harness.understanding.checks.recall import recall_notices
from harness.understanding.commitments.task import track_task
from harness.understanding.commitments.track import track_commitments
from harness.understanding.emotion.track import track_emotion
from harness.understanding.facts.extract import extract_facts
from harness.understanding.references.entities import track_entities
from harness.understanding.topics.track import track_topics

LENGTH = 8000
"""Characters of a hard text."""
MOST_SECONDS = 2.0
"""Time on the processor that one call may take; what is meant is less than 0.5; a busy machine is allowed for, a quadratic reading takes ten times as long."""
NOW = datetime(2026, 1, 2, 12, tzinfo=UTC)
CODES = ("en", "zh")
FRAGMENTS = {
    "en": (
        "a", "a ", "haha", "haha ", "well, ", "yes yes ", "so and but ", "my ", "my sister's ", "I ", "I am ", "I have ", "I am not ",
        "two cats and ", "and ", ", ", ". ", "I. ", "? ", "Anna ", "Anna's ", "Aa'", "Aa-", "1.", "12:", "one hundred and ", "really very ",
        "on Monday at ", "in ", '"', "(", "> ", "```", "<memory>", "system: ", "said she said he ", "used to love ", "died ", "we broke up ",
        "looking for a cheap ", "not never no ", "days ago ", "é", "😀", "\n", "wait, no ", "just kidding ", "north of the ", "I promise to ",
        "(Aa-e.g. is ", "well, A", " and my sister's …", ". Aa'two cats and ",
        "a@", "a.b@c.",
    ),
    "zh": (
        "哈", "哈哈", "哈,", "嗯啊", "呵呵", "嗯,", "那其实", "不是", "不不", "我", "我。", "我的", "我姐姐的", "我和", "我是", "我有", "我不",
        "两只猫和", "和", "、", ",", "。", "？", "小李", "小李的", "安娜的", "阿", "王小", "一", "一二三十", "1", "1点", "很特别", "就也都又",
        "昨天今天", "上周五早上", "在", "“", "（", "```", "<系统>", "系统:", "他说她说", "以前喜欢", "死了", "走了", "分手了", "我们也", "改做",
        "找便宜的餐馆", "没有", "三年前", "北边", "~", "…", "😀", "\n", "说错了", "开玩笑的", "我妈妈", "我答应", "了的呢", "大大小小",
        "！我和一", "我姐姐的！", "我的系统:", "（啊A", "我@",
        "找a@",
    ),
}  # fmt: skip
PERSONAS = {
    "en": Persona(name="Vera Stone", language="en", facts=(PersonaFact(attribute="job", value="baker"),)),
    "zh": Persona(name="何素秋", language="zh", facts=(PersonaFact(attribute="job", value="面包师"),)),
}
TOLD = {
    "en": ("I have a cat called Biscuit and two dogs.", "My sister Anna lives in Berlin. I love jazz and I'm a nurse."),
    "zh": ("我有只猫叫饼干，还有两只狗。", "我妹妹小安住在柏林。我喜欢爵士乐，我是护士。"),
}


def state_of(code: str) -> DialogueState:
    """After two turns in which the user told a few things."""
    persona, pack = PERSONAS[code], load_packs().get(code)
    state = DialogueState(persona=PersonaRef(id="p", name=persona.name), language=code)
    for turn, text in enumerate(TOLD[code], 1):
        state, _, _ = fold(
            state, extract_facts(text, speaker="user", state=state, persona=persona, pack=pack, turn=turn, at=NOW)
        )
        state, _, _ = fold(state, track_entities(text, "", state=state, persona=persona, pack=pack, turn=turn))
        state, _, _ = fold(state, track_topics(text, "", state=state, pack=pack, turn=turn))
    assert state.active_facts()
    assert state.entities
    return state


def calls(code: str, text: str, state: DialogueState) -> dict[str, Callable[[], object]]:
    """Everything that reads a text, as message and as reply."""
    pack, persona = load_packs().get(code), PERSONAS[code]
    short = TOLD[code][0]
    return {
        "facts": lambda: extract_facts(
            text, speaker="user", state=state, persona=persona, pack=pack, turn=9, at=NOW, asked=text
        ),
        "premise": lambda: check_premise(text, state=state, persona=persona, pack=pack, classify=True),
        "reply": lambda: check_reply(
            text, user_text=short, state=state, persona=persona, pack=pack, previous_replies=(text,), classify=True
        ),
        "reply to it": lambda: check_reply(
            short, user_text=text, state=state, persona=persona, pack=pack, classify=True
        ),
        "recall": lambda: recall_notices(text, state=state, pack=pack),
        "topics": lambda: track_topics(text, text, state=state, pack=pack, turn=9, classify=True),
        "entities": lambda: track_entities(text, text, state=state, persona=persona, pack=pack, turn=9),
        "commitments": lambda: track_commitments(text, text, state=state, pack=pack, turn=9, now=NOW),
        "emotion": lambda: track_emotion(
            text, text, state=state, persona=persona, pack=pack, turn=9, classify=True
        ),
        "task": lambda: track_task(text, text, state=state, pack=pack),
    }  # fmt: skip


STATES = {code: state_of(code) for code in CODES}


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Compile the patterns of both packs and read their weights: that is no reading of a message."""
    for code in CODES:
        for call in calls(code, TOLD[code][1] + TOLD[code][0], STATES[code]).values():
            call()


@pytest.mark.parametrize(("code", "fragment"), [(code, fragment) for code in CODES for fragment in FRAGMENTS[code]])
def test_hard_texts_take_no_longer(code: str, fragment: str) -> None:
    text = (fragment * (LENGTH // len(fragment) + 1))[:LENGTH]
    for name, call in calls(code, text, STATES[code]).items():
        started = time.thread_time()
        call()
        took = time.thread_time() - started
        assert took < MOST_SECONDS, f"{name} took {took:.2f} s"


@pytest.mark.parametrize("code", CODES)
def test_there_are_as_many_hard_texts_in_each_language(code: str) -> None:
    assert len(set(FRAGMENTS[code])) == len(FRAGMENTS[code]) >= 30


@pytest.mark.parametrize("code", CODES)
def test_what_never_ends_is_read_to_a_point(code: str) -> None:
    for name, call in calls(code, "'9" * 50_000, STATES[code]).items():
        started = time.thread_time()
        call()
        assert time.thread_time() - started < 8, name

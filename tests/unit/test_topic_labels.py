"""Labels of topics: the words a person would write on a folder."""

from __future__ import annotations

from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from harness.errors import LanguageError
from harness.language import load_packs
from harness.state import DialogueState, Message, PersonaRef, fold
from harness.state.operations import PushTopic, TouchTopic
from harness.understanding.topics.labels import introduces, label_of
from harness.understanding.topics.track import track_topics
from harness.yaml_strict import load_yaml

PACKS = load_packs()
FOLDER = Path(__file__).parents[1] / "data" / "topic_labels"
GAPS = {("zh", "已经下了一个星期的雨了"): "下雨 is parted by the time it takes"}


def labelled() -> list[ParameterSet]:
    found = []
    for code in ("en", "zh"):
        for one in load_yaml(FOLDER / f"{code}.yaml", source=code, error=LanguageError):
            why = GAPS.get((code, one["text"]))
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            found.append(pytest.param(code, one["text"], one["names"], marks=marks, id=f"{code}-{one['text']}"))
    return found


def opened(code: str, text: str) -> str:
    """The label of a talk that begins with a message."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    (push,) = track_topics(text, "", state=state, pack=PACKS.get(code), turn=1)
    assert isinstance(push, PushTopic)
    return push.label


@pytest.mark.parametrize(("code", "text", "names"), labelled())
def test_a_label_is_what_a_person_would_write(code: str, text: str, names: list[str]) -> None:
    label = opened(code, text)
    assert any(name.lower() in label.lower() for name in names), label
    assert len(label.split()) <= 3 if code == "en" else len(label) <= 6


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Hi, my name is Tom and I am from Leeds", True),
        ("en", "Hello, I'm Ellen. Nice to meet you!", True),
        ("en", "I am from Leeds, do you know it?", False),
        ("en", "I am Tom's neighbour and my roof leaks badly", False),
        ("en", "I am tired", False),
        ("zh", "你好，我叫小罗，来自苏州", True),
        ("zh", "大家叫我阿诚，很高兴认识你", True),
        ("zh", "我叫小罗，你去过苏州吗？", False),
        ("zh", "我叫小罗，我家屋顶漏水了，房东不管", False),
        ("zh", "我总是失眠", False),
    ],
)
def test_who_only_says_a_name_has_no_topic_yet(code: str, text: str, expected: bool) -> None:
    assert introduces(text, PACKS.get(code)) is expected


@pytest.mark.parametrize(
    ("code", "hello", "then", "expected"),
    [
        ("en", "Hi, I'm Tom and I live in Leeds.", "I want to learn the guitar", "guitar"),
        ("zh", "我叫阿诚，住在上海", "我想学弹吉他", "吉他"),
    ],
)
def test_the_first_content_names_a_talk_that_began_with_names(code: str, hello: str, then: str, expected: str) -> None:
    pack = PACKS.get(code)
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    state, _, _ = fold(state, track_topics(hello, "Hello!", state=state, pack=pack, turn=1))
    said = (Message(speaker="user", text=hello, turn=1), Message(speaker="character", text="Hello!", turn=1))
    state = state.model_copy(update={"messages": said, "turn_count": 1})
    assert [topic.label for topic in state.topics.open] == [pack.topics.introduction_label]
    (touch,) = track_topics(then, "", state=state, pack=pack, turn=2)
    assert isinstance(touch, TouchTopic)
    assert touch.label == expected


@pytest.mark.parametrize(("code", "texts"), [("en", ("", "ok", "!?")), ("zh", ("", "嗯嗯", "？！"))])
def test_without_content_it_is_small_talk(code: str, texts: tuple[str, ...]) -> None:
    pack = PACKS.get(code)
    assert label_of(("", "?!"), pack) == pack.topics.no_topic_label
    assert {opened(code, text) for text in texts} == {pack.topics.no_topic_label}

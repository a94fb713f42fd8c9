"""Short dialogues of our own, English and Chinese twins: the last message made self-contained, or left as it is."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, apply, fold
from harness.state.dialogue import Message
from harness.state.operations import AddMessage, BeginTurn, FinishTurn
from harness.understanding.references.entities import resolve, track_entities
from harness.understanding.references.mixed import packs_beside

PACKS = load_packs()
PERSONAS = {"en": Persona(name="Nora"), "zh": Persona(name="林夏", language="zh")}
FOLDER = Path(__file__).parents[1] / "data" / "references"


def probes(code: str) -> list[dict[str, Any]]:
    found = yaml.safe_load((FOLDER / f"{code}.yaml").read_text(encoding="utf-8"))
    assert isinstance(found, list)
    return found


def after(code: str, said: list[str]) -> DialogueState:
    """The state as the engine has it after what was said, user and character in turn."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for number, at in enumerate(range(0, len(said), 2), 1):
        user, reply = said[at], said[at + 1]
        state = apply(state, BeginTurn(turn=number))
        state = apply(state, AddMessage(message=Message(speaker="user", text=user, turn=number)))
        state = apply(state, AddMessage(message=Message(speaker="character", text=reply, turn=number)))
        operations = track_entities(user, reply, state=state, persona=PERSONAS[code], pack=PACKS.get(code), turn=number)
        state, _, refused = fold(state, operations)
        assert not refused
        state = apply(state, FinishTurn(turn=number))
    return state


def cases() -> list[Any]:
    return [pytest.param(code, probe, id=f"{code}-{probe['id']}") for code in ("en", "zh") for probe in probes(code)]


@pytest.mark.parametrize(("code", "probe"), cases())
def test_the_last_message_stands_by_itself(code: str, probe: dict[str, Any]) -> None:
    resolution = resolve(probe["text"], state=after(code, probe["before"]), pack=PACKS.get(code))
    expected = probe.get("expect", probe["text"])
    assert resolution.text == expected
    assert bool(resolution.references) == (resolution.text != probe["text"])


TALKS = {
    "en": [
        ["My friend Oscar plays the cello", "Lovely!", "I bought a telescope", "Wow!"],
        ["Where can I stay?", "There are three hotels: the Astoria, the Meridian and the Lotus."],
        ["My sister Ingrid and my boss Frank met in Bergen", "How funny."],
    ],
    "zh": [
        ["我朋友老韩会拉大提琴", "真好！", "我买了一台望远镜", "哇！"],
        ["住哪里好？", "有锦江饭店、梅园宾馆和长安客栈。"],
        ["你知道昨日之岛吗", "听说过，我喜欢那本书。"],
    ],
}


@pytest.mark.parametrize("code", ["en", "zh"])
def test_ordinary_messages_stay_as_they_are(code: str) -> None:
    messages = yaml.safe_load((FOLDER / f"plain_{code}.yaml").read_text(encoding="utf-8"))
    assert len(messages) == 40
    changed = {}
    for said in TALKS[code]:
        state = after(code, said)
        for message in messages:
            resolution = resolve(message, state=state, pack=PACKS.get(code))
            if resolution.text != message:
                changed[message] = resolution.text
    assert changed == {}


HOTELS = {
    "en": "There are three hotels: the Astoria, the Meridian and the Lotus.",
    "zh": "有锦江饭店、梅园宾馆和长安客栈。",
}
AGAIN = [
    ("en", ["Where can I stay?", HOTELS["en"], "How much is the second one?", "Ninety."], "And the third one?", "How much is the Lotus?"),
    ("en", ["Where can I stay?", HOTELS["en"], "How much is the second one?", "Ninety."], "What about the third one?", "How much is the Lotus?"),
    ("en", ["Will it rain in Oslo today?", "No."], "And tomorrow?", "Will it rain in Oslo tomorrow?"),
    ("en", ["Do you like Oslo?", "Yes."], "And tomorrow?", "And tomorrow?"),
    ("zh", ["住哪里好？", HOTELS["zh"], "第二家多少钱？", "九十。"], "那第三家呢？", "长安客栈多少钱？"),
    ("zh", ["厦门今天下雨吗？", "不下。"], "那明天呢？", "厦门明天下雨吗？"),
    ("zh", ["你喜欢厦门吗？", "喜欢。"], "那明天呢？", "那明天呢？"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said", "text", "expected"), AGAIN)
def test_a_question_asked_again(code: str, said: list[str], text: str, expected: str) -> None:
    assert resolve(text, state=after(code, said), pack=PACKS.get(code)).text == expected


pieces = st.sampled_from(
    ["it", "they", "that shop", "What about Rome?", "how much?", "the other one", "and Lisbon?", "his name is Tom", "I'm Ann", "《", "》",
     "他们", "那家店", "另一家", "西安呢？", "多少钱", "作者是谁", "你知道", "吗", "他叫王小明", "我女朋友", "李娜", "🙂", "\n", "?", "，"]
)  # fmt: skip
texts = st.one_of(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=40).filter(str.strip),
    st.lists(pieces, min_size=1, max_size=8).map(" ".join).filter(str.strip),
    st.lists(pieces, min_size=1, max_size=8).map("".join).filter(str.strip),
)


@settings(max_examples=150, deadline=None)
@given(said=st.lists(texts, min_size=2, max_size=4).filter(lambda said: len(said) % 2 == 0), text=texts)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_any_message_after_any_talk(code: str, said: list[str], text: str) -> None:
    pack = PACKS.get(code)
    beside = packs_beside(text, pack, PACKS)
    resolution = resolve(text, state=after(code, said), pack=pack, beside=beside)
    assert resolution.text
    assert resolution.references or resolution.text == text


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    "junk",
    ["what about " * 800, "and A" * 1600, "那么" * 4000, "《" * 8000, "你知道" * 2600, "他们" * 4000, "that shop " * 800,
     "her name is A" * 600, "我说的那个朋友是" * 900, "王小明" * 2600, "Mr " * 2600, "that the colleague i told you about " * 200],
)  # fmt: skip
def test_junk_takes_bounded_time(code: str, junk: str) -> None:
    said = TALKS[code][0]
    started = time.perf_counter()
    state = after(code, [*said, junk, junk])
    resolve(junk[:3900], state=state, pack=PACKS.get(code))
    assert time.perf_counter() - started < 3

"""The character's mood over thirty turns: it moves in small steps, settles at the persona's baseline, and is in the next prompt."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Emotion, Persona, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.emotion.track import track_emotion
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
SUNNY = Emotion(label="joy", valence=0.5, arousal=0.3, dominance=0.3)
CALM = Emotion(label="calm", valence=0.3, arousal=-0.2, dominance=0.1)
BIGGEST_STEP = 0.75
"""Farthest that one turn may move a mood; from joy to rage is 1.5."""

TALK = {
    "en": [
        "Good morning! How are you?",
        "I made pancakes for breakfast.",
        "You are such an idiot, I hate you.",
        "The bus was late again.",
        "What did you do yesterday?",
        *["There are three shops in my street."] * 8,
        "My grandmother passed away last night.",
        "She was ninety-one.",
        *["The train leaves at five."] * 6,
        "I got the job!! I'm so happy!",
        "Thank you, you are wonderful.",
        *["The library opens at nine."] * 7,
    ],
    "zh": [
        "早上好！你好吗？",
        "我早饭做了煎饼。",
        "你真是个白痴，我讨厌你。",
        "公交车又晚点了。",
        "你昨天做了什么？",
        *["我家那条街上有三家店。"] * 8,
        "我奶奶昨晚去世了。",
        "她九十一岁。",
        *["火车五点开。"] * 6,
        "我拿到那份工作了！！太开心了！",
        "谢谢你，你真好。",
        *["图书馆九点开门。"] * 7,
    ],
}
INSULT, GRIEF, GOOD_NEWS = 2, 13, 21


def moods(persona: Persona, code: str, texts: list[str]) -> list[Emotion]:
    """The character's mood before the first and after every turn."""
    state = DialogueState(persona=PersonaRef(id="x", name=persona.name), emotion=persona.baseline)
    found = [state.emotion]
    for turn, text in enumerate(texts, 1):
        reply = {"en": "I see.", "zh": "这样啊。"}[code]
        operations = track_emotion(
            text, reply, state=state, persona=persona, pack=PACKS.get(code), turn=turn, classify=True
        )
        assert all(
            operation.evidence == operation.emotion.cause for operation in operations if operation.tier == "rules"
        )
        state, _, refused = fold(state, operations)
        assert not refused
        found.append(state.emotion)
    return found


def distance(one: Emotion, other: Emotion) -> float:
    return math.dist((one.valence, one.arousal, one.dominance), (other.valence, other.arousal, other.dominance))


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("baseline", [SUNNY, CALM])
def test_thirty_turns_move_the_mood_in_steps_and_back(code: str, baseline: Emotion) -> None:
    texts = TALK[code]
    assert len(texts) == 30
    found = moods(Persona(name="Nora", baseline=baseline), code, texts)
    assert all(distance(before, after) <= BIGGEST_STEP for before, after in pairwise(found))
    assert found[INSULT + 1].valence < baseline.valence - 0.25
    assert found[GRIEF + 1].valence < found[GRIEF].valence
    assert found[GOOD_NEWS + 2].valence > found[GOOD_NEWS].valence
    for rest in (GRIEF, 30):
        assert distance(found[rest], baseline) < 0.1
        assert found[rest].label == baseline.label


@pytest.mark.parametrize("code", ["en", "zh"])
def test_between_events_the_mood_only_comes_nearer_to_the_baseline(code: str) -> None:
    found = moods(Persona(name="Nora", baseline=CALM), code, TALK[code])
    stretch = [distance(mood, CALM) for mood in found[INSULT + 3 : GRIEF + 1]]
    assert stretch == sorted(stretch, reverse=True)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_inertia_is_the_personas_own(code: str) -> None:
    texts = TALK[code][INSULT : INSULT + 4]
    steady = moods(Persona(name="Nora", baseline=CALM, inertia=0.9), code, texts)
    quick = moods(Persona(name="Nora", baseline=CALM, inertia=0.1), code, texts)
    assert distance(steady[1], CALM) < 0.3 < distance(quick[1], CALM)
    assert distance(quick[3], CALM) < distance(steady[3], CALM)


@pytest.mark.parametrize(
    ("code", "name", "insult", "plain", "mood", "lines"),
    [
        (
            "en",
            "Nora",
            "You are such an idiot, I hate you.",
            "What time is it?",
            "angry",
            ("Your mood:", "Their mood:"),
        ),
        ("zh", "诺拉", "你真是个白痴，我讨厌你。", "现在几点了？", "生气", ("你的心情：", "对方的心情：")),
    ],
)
async def test_the_mood_is_in_the_next_prompt(
    code: str, name: str, insult: str, plain: str, mood: str, lines: tuple[str, str], make_harness: MakeHarness
) -> None:
    model = ScriptedModel("Hm." if code == "en" else "嗯。")
    persona = Persona(name=name, id="nora", language=code, baseline=CALM)
    async with make_harness(model, analysis="rules") as harness:
        session = await harness.open(persona, session="s")
        await session.say(insult)
        first = "\n".join(text for _, text in (await session.report()).calls[0].messages)
        await session.say(plain)
        second = "\n".join(text for _, text in (await session.report()).calls[0].messages)
    assert not any(line in first for line in lines)
    assert all(f"{line}{mood}" in second.replace(": ", ":") or f"{line} {mood}" in second for line in lines)

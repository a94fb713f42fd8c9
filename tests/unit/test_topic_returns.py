"""Probes: does a message go back to an earlier topic, is it known before the reply, and after it?"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from harness.errors import LanguageError
from harness.language import load_packs
from harness.state import DialogueState, Message, Persona, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.topics.track import foreseen_return, track_topics
from harness.yaml_strict import load_yaml
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
PROBES = Path(__file__).parents[1] / "data" / "topic_returns"
GAPS = {
    (
        "zh",
        "第四章我可能叫它暴风雨",
    ): "neither word was said before; only who knows novels sees that it is one's chapter"
}
"""Known gaps, at most four in a language."""


def probes() -> list[ParameterSet]:
    found = []
    for code in ("en", "zh"):
        data = load_yaml(PROBES / f"{code}.yaml", source=code, error=LanguageError)
        for probe in data["probes"]:
            talk = tuple((user, reply) for user, reply in data["talks"][probe["talk"]])
            why = GAPS.get((code, probe["text"]))
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            name = f"{code}-{probe['kind']}-{probe['text']}"
            found.append(pytest.param(code, talk, probe["text"], int(probe["to"]), marks=marks, id=name))
    return found


@cache
def after(code: str, exchanges: tuple[tuple[str, str], ...], *, classify: bool) -> DialogueState:
    """The state after some exchanges."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for turn, (user, reply) in enumerate(exchanges, 1):
        said = (Message(speaker="user", text=user, turn=turn), Message(speaker="character", text=reply, turn=turn))
        state = state.model_copy(update={"messages": (*state.messages, *said), "turn_count": turn})
        done = track_topics(user, reply, state=state, pack=PACKS.get(code), turn=turn, classify=classify)
        state, _, refused = fold(state, done)
        assert not refused
    return state


@pytest.mark.parametrize("classify", [False, True], ids=["rules", "classifier"])
@pytest.mark.parametrize(("code", "exchanges", "text", "to"), probes())
def test_a_return_is_seen_before_and_after_the_reply(
    code: str, exchanges: tuple[tuple[str, str], ...], text: str, to: int, *, classify: bool
) -> None:
    state, pack, turn = after(code, exchanges, classify=classify), PACKS.get(code), len(exchanges) + 1
    before = state.topics.current
    assert before is not None
    foreseen = foreseen_return(text, state=state, pack=pack, turn=turn)
    done, _, refused = fold(state, track_topics(text, "Hm.", state=state, pack=pack, turn=turn, classify=classify))
    assert not refused
    now = done.topics.current
    assert now is not None
    if to == 0:
        assert foreseen is None
        assert now.first_turn in (turn, before.first_turn)
    else:
        assert now.first_turn == to
        assert foreseen is not None
        assert foreseen.topic.first_turn == to


LONG = [
    (
        "en",
        (
            ("I bought an old film camera at the flea market", "Nice find! Which model is it?"),
            ("A Zenit from the seventies", "A sturdy thing."),
            ("The shutter sticks below ten degrees", "Grease gets hard when it is cold."),
        ),
        "By the way, I am building a greenhouse behind the shed",
        "Pane number {n} of the greenhouse is in",
        ("Zenit", "shutter sticks"),
        ("Back to the camera: should I have it repaired?", "Do you think I should sell that camera?"),
        ("Which plants like a greenhouse?", "I will be back after lunch"),
    ),
    (
        "zh",
        (
            ("我在旧货市场买了一台老胶片相机", "真不错！什么型号？"),
            ("七十年代的泽尼特", "那机器很结实。"),
            ("十度以下快门就卡住", "天冷油就硬了。"),
        ),
        "对了，我在棚子后面盖一间温室",
        "温室第{n}块玻璃装好了",
        ("泽尼特", "快门就卡住"),
        ("说回相机，我该送去修吗？", "你觉得我该把那台相机卖掉吗？"),
        ("哪些植物喜欢温室？", "我吃完午饭就回来"),
    ),
]


@pytest.mark.parametrize(("code", "told", "leave", "filler", "details", "returns", "stays"), LONG, ids=["en", "zh"])
async def test_the_prompt_of_the_returning_turn_holds_what_was_said_under_the_topic(
    make_harness: MakeHarness,
    code: str,
    told: tuple[tuple[str, str], ...],
    leave: str,
    filler: str,
    details: tuple[str, ...],
    returns: tuple[str, ...],
    stays: tuple[str, ...],
) -> None:
    """Thirty turns later, by a message that shares at most one word with what is asked for."""
    persona = Persona(name="Nora" if code == "en" else "诺拉", id="nora", language=code)
    replies = [reply for _, reply in told] + ["Mm." if code == "en" else "嗯。"] * 60
    model = ScriptedModel(replies)
    async with make_harness(model, max_revisions=0, short_term_window=4, summary_max_tokens=60) as harness:
        session = await harness.open(persona, session="s")
        for text, _ in told:
            await session.say(text)
        await session.say(leave)
        for number in range(30):
            await session.say(filler.format(n=number + 1))
        state = await session.state()
        assert state.topics.current is not None
        assert state.topics.current.first_turn == len(told) + 1
        await session.say(returns[0])
        await session.say("And how heavy was it?" if code == "en" else "那它重吗？")
        lines = next(one for one in (await session.report()).context.layers if one.block == "recalled").items
        assert all(any(detail in item.text for item in lines) for detail in details), "a turn later it is still there"
        await session.undo()
        await session.undo()
        for text in (*returns, *stays):
            await session.say(text)
            record, state = await session.report(), await session.state()
            layer = next(layer for layer in record.context.layers if layer.block == "recalled")
            shown = [item.text for item in layer.items if not item.dropped]
            sent = str([call.messages for call in record.calls if call.purpose == "respond"])
            assert state.topics.current is not None
            back = text in returns
            assert (state.topics.current.first_turn == 1) is back
            for detail in details:
                assert any(detail in line for line in shown) is back, (text, shown)
                assert (detail in sent) or not back
            await session.undo()


@pytest.mark.parametrize(
    ("code", "told", "filler", "back", "fact"),
    [
        (
            "en",
            ("I bought an old film camera", "My locker number is 4172"),
            "By the way, my neighbour sings opera",
            "Back to the camera",
            "4172",
        ),
        (
            "zh",
            ("我买了一台老胶片相机", "我的储物柜号码是4172"),
            "对了，我的邻居会唱歌剧",
            "说回相机",
            "4172",
        ),
    ],
)
async def test_facts_told_under_the_topic_come_before_later_ones(
    make_harness: MakeHarness, code: str, told: tuple[str, ...], filler: str, back: str, fact: str
) -> None:
    persona = Persona(name="Nora" if code == "en" else "诺拉", id="nora", language=code)
    async with make_harness("Mm." if code == "en" else "嗯。", max_revisions=0) as harness:
        session = await harness.open(persona, session="s")
        for text in told:
            await session.say(text)
        await session.say(filler)
        state = await session.state()
        assert state.topics.current is not None
        assert state.topics.current.first_turn == 3
        facts = [one for one in state.facts if fact in one.value]
        assert facts, [one.value for one in state.facts]
        scores = {}
        for text in ("Mm?" if code == "en" else "嗯？", back):
            await session.say(text)
            layer = next(one for one in (await session.report()).context.layers if one.block == "facts")
            scores[text] = next(item.score for item in layer.items if item.id == facts[0].id)
        assert scores[back] > max(score for text, score in scores.items() if text != back) + 0.4


def test_the_probes_are_twins() -> None:
    sets = {code: load_yaml(PROBES / f"{code}.yaml", source=code, error=LanguageError) for code in ("en", "zh")}
    shapes = {code: [(one["kind"], one["talk"], one["to"]) for one in data["probes"]] for code, data in sets.items()}
    assert shapes["en"] == shapes["zh"]
    assert all(sum(code == one for code, _ in GAPS) <= 4 for one in ("en", "zh"))

"""What the tests of diagnosing share: talks, and engines of which one part is broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.diagnosing import Diagnosis, Fault
from harness.ports import Ports
from harness.session import Session
from harness.state import DialogueState, ToolResult
from harness.testing.scripted_model import ScriptedModel
from harness.turn import MACHINE, Turn, TurnMachine
from harness.turn.steps import STEPS
from tests.unit.conftest import settings_of

DATA = Path(__file__).parents[1] / "data"
PERSONA = {"en": "mia", "zh": "lin"}
FINE = {"en": "All right then.", "zh": "好的，知道了。"}
CODES = pytest.mark.parametrize("code", ["en", "zh"])
WEATHER = {
    "en": ToolResult(name="weather", arguments={"city": "York"}, text="rain all week"),
    "zh": ToolResult(name="weather", arguments={"city": "沈阳"}, text="一周都有雨"),
}
SAID = {
    "en": ["How's the weather?", "And what should I wear?", "Let me think about it."],
    "zh": ["天气怎么样？", "那穿什么好？", "让我想想。"],
}
GOAL = {"en": ("mend the roof", "plan the feast"), "zh": ("修好屋顶的漏水", "安排周末的家宴")}
HOME = {
    "en": ["I live in Leeds.", "No wait, I live in York now.", "How long is the way to work?"],
    "zh": ["我住在沈阳。", "不对，我现在住在成都。", "上班要多久？"],
}
AGAIN = {"en": "You live in Leeds, so an hour.", "zh": "你住在沈阳，要一个小时。"}
RIGHT = {"en": "From York it takes an hour.", "zh": "从成都过去要一个小时。"}
OUT = {"en": ("night bus", "Then take the night bus, it is cheap."), "zh": ("夜班车", "那就坐夜班车吧，便宜。")}
ALLERGY = {"en": "I'm allergic to mangoes.", "zh": "我对芒果过敏。"}
RULE = {"en": "Tabs are used for indenting, always.", "zh": "缩进一律用制表符，一直如此。"}
RULE_ASKED = {"en": "Do I use tabs for indenting?", "zh": "缩进用不用制表符？"}


def blind(change: Callable[[DialogueState], DialogueState]) -> TurnMachine:
    """A machine whose prompts are made from a state that lacks something."""

    async def compose(turn: Turn, ports: Ports) -> Turn:
        composed = await STEPS["compose"](turn.with_(state=change(turn.state)), ports)
        return composed.with_(state=turn.state)

    return MACHINE.replacing("compose", compose)


def without(**changes: Any) -> TurnMachine:
    return blind(lambda state: state.model_copy(update=changes))


def only(found: Diagnosis) -> Fault:
    """The one fault."""
    assert [fault.kind for fault in found.faults] == [found.faults[0].kind] if found.faults else False, found
    return found.faults[0]


async def opened(harness: Harness, code: str, session: str = "s") -> Session:
    return await harness.open(PERSONA[code], session=session, user="nora")


def remembering(tmp_path: Path, memory: InProcessMemoryStore, code: str, **more: Any) -> Harness:
    return Harness(settings_of(tmp_path), model=ScriptedModel(FINE[code]), memory=memory, **more)

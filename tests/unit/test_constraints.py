"""A reply does not offer what the user must not have, wherever they told it."""

from __future__ import annotations

import pytest

from harness.app import Harness
from harness.language import load_packs
from harness.settings import load
from harness.state import USER, DialogueState, PersonaRef, fold
from harness.state.operations import AssertFact
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.constraints import check_constraints

PACKS = load_packs()
ASKS = {"en": "Can you recommend a dessert?", "zh": "推荐几个好吃的甜品"}
CHATS = {"en": "I painted a still life today.", "zh": "我今天画了一幅静物。"}

CASES = [
    ("en", "mangoes", ASKS, "Mango pudding, of course.", True),
    ("en", "mangoes", ASKS, "Try the mango sorbet, you'd love it.", True),
    ("en", "mangoes", ASKS, "A lemon tart. And mango ice cream.", True),
    ("en", "peanuts", ASKS, "Chocolate with peanut butter.", True),
    ("en", "shellfish", ASKS, "The prawns are good today.", True),
    ("en", "mangoes", ASKS, "A lemon tart, no mango in it.", False),
    ("en", "mangoes", ASKS, "You're allergic to mangoes, so a lemon tart.", False),
    ("en", "mangoes", ASKS, "Anything but mango. A lemon tart?", False),
    ("en", "mangoes", ASKS, "A lemon tart.", False),
    ("en", "mangoes", CHATS, "A bowl of mangoes, perhaps? The colours are lovely.", False),
    ("en", "mangoes", CHATS, "Have some mango, it is fresh.", True),
    ("en", "mangoes", CHATS, "I'll cut you a mango.", True),
    ("zh", "芒果", ASKS, "芒果布丁吧。", True),
    ("zh", "芒果", ASKS, "尝尝芒果冰沙，你会喜欢的。", True),
    ("zh", "芒果", ASKS, "柠檬挞。还有芒果冰淇淋。", True),
    ("zh", "花生", ASKS, "花生酥不错。", True),
    ("zh", "海鲜", ASKS, "今天的虾很新鲜。", True),
    ("zh", "芒果", ASKS, "柠檬挞，没有芒果。", False),
    ("zh", "芒果", ASKS, "你对芒果过敏，那就柠檬挞。", False),
    ("zh", "芒果", ASKS, "除了芒果都行，柠檬挞吧。", False),
    ("zh", "芒果", ASKS, "柠檬挞。", False),
    ("zh", "芒果", CHATS, "画的是一盘芒果吗？颜色真好。", False),
    ("zh", "芒果", CHATS, "来块芒果吧，很新鲜。", True),
    ("zh", "芒果", CHATS, "我给你切个芒果。", True),
    ("zh", "海鮮", ASKS, "今天的蝦很新鮮。", True),
    ("zh", "花生", {"zh": "推薦幾個好吃的甜品"}, "花生酥不錯。", True),
]


@pytest.mark.parametrize(("code", "value", "said", "reply", "found"), CASES)
def test_an_offer_against_an_allergy_is_found(
    code: str, value: str, said: dict[str, str], reply: str, found: bool
) -> None:
    told = AssertFact(subject=USER, attribute="allergy", value=value, speaker=USER, turn=1, quote=value)
    state = fold(DialogueState(persona=PersonaRef(id="x", name="X")), [told])[0]
    findings = check_constraints(reply, said[code], state=state, pack=PACKS.get(code))
    assert bool(findings) is found
    if found:
        assert findings[0].kind == "against_constraint"
        assert findings[0].against == value
        assert findings[0].evidence in reply


@pytest.mark.parametrize(
    ("persona", "told", "asked", "bad", "good"),
    [
        ("mia", "I'm allergic to mangoes.", ASKS["en"], "Mango pudding. It is my favourite.", "A lemon tart."),
        ("lin", "我对芒果过敏。", ASKS["zh"], "芒果布丁，我最拿手。", "柠檬挞吧。"),
    ],
)
async def test_it_is_minded_in_another_session(persona: str, told: str, asked: str, bad: str, good: str) -> None:
    settings = load(environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules"})
    model = ScriptedModel(["Mm." if persona == "mia" else "嗯。", bad, good])
    async with Harness(settings, model=model) as harness:
        first = await harness.open(persona, session="one", user="nora")
        await first.say(told)
        await first.settled()
        second = await harness.open(persona, session="two", user="nora")
        reply = await second.say(asked)
        assert reply.text == good
        record = await second.report()
        assert record.candidates[0].findings[0].kind == "against_constraint"

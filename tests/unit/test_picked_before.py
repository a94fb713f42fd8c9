"""Words behind a pick mean what was picked, though another thing of the list was spoken of since."""

from __future__ import annotations

import pytest

from harness import Harness
from harness.settings import load
from harness.testing import ScriptedModel

TALK = {
    "en": [
        ("There are three places to stay: the Heron Inn, the Old Granary and the Mill House.", "All fine places."),
        ("The weather has turned.", "I liked the Mill House, though."),
        ("Then I'll take the second one. What was it called again?", "Let me see."),
    ],
    "zh": [
        ("今晚有三个地方可以住：听雨客栈、望山楼，还有老孙家的民宿。", "都不错。"),
        ("这天说变就变。", "老孙家的民宿也挺不错的。"),
        ("那就住第二家吧。那家叫什么来着？", "我想想。"),
    ],
}
SECOND = {"en": "Old Granary", "zh": "望山楼"}
LAST = {"en": "What was the last one called again?", "zh": "最后一家叫什么来着？"}
THIRD = {"en": "Mill House", "zh": "老孙家"}


async def named(code: str, talk: list[tuple[str, str]]) -> str:
    settings = load(
        environ={},
        overrides={"storage.backend": "memory", "harness.analysis": "rules", "harness.begin_answers": "never"},
    )
    model = ScriptedModel([reply for _, reply in talk] + ["Well."] * 4)
    async with Harness(settings, model=model) as harness:
        session = await harness.open({"en": "mia", "zh": "lin"}[code], session="s")
        for said, _ in talk:
            await session.say(said)
            await session.settled()
        record = await session.report()
    return next((notice.value for notice in record.notices if notice.kind == "recall"), "")


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_was_picked_is_asked_for(code: str) -> None:
    assert SECOND[code] in await named(code, TALK[code])


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_without_a_pick_it_is_what_was_spoken_of(code: str) -> None:
    assert THIRD[code] in await named(code, [*TALK[code][:2], (LAST[code], "Hm.")])


TALKED = {
    "en": [
        *TALK["en"][:1],
        ("My gate needs mending.", "Ask a joiner or a smith. Bring paint, nails or wire."),
        ("My knees hurt.", "Try tea, rest or a walk."),
        ("Then the second inn it is. What was it called again?", "Hm."),
    ],
    "zh": [
        *TALK["zh"][:1],
        ("一下雨我膝盖就疼。", "雨天也能带来新的体验和享受，比如看风景或者享受大自然的宁静。"),
        ("我家的门该修修了。", "您可以考虑找专业人士进行检查或维修。"),
        ("那就住第二家吧。那家叫什么来着？", "我想想。"),
    ],
}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_lists_of_other_things_are_no_inns(code: str) -> None:
    assert SECOND[code] in await named(code, TALKED[code])

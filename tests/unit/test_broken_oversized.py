"""A message larger than the budget, and replies that no store could keep."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from harness.asking import call, stream
from harness.context.shortening import shortened
from harness.context.tokens import ESTIMATE
from harness.errors import BudgetError
from harness.language import load_packs
from harness.ports import ChatMessage, ModelDelta, ModelReply, ModelRequest
from harness.testing.scripted_model import ScriptedModel
from tests.unit._context import content, harness_with, prompt, talked

PACKS = load_packs()
BOTH = pytest.mark.parametrize("code", ["en", "zh"])
START = {"en": "The dentist from Hull came at nine.", "zh": "海门来的牙医九点到了。"}
MIDDLE = {"en": "Then the next one wanted a receipt for glue number {n}. ", "zh": "后来又有一位要开第{n}瓶浆糊的收据。"}
END = {"en": "What would you have told him?", "zh": "换成你会怎么跟他说？"}


def long_message(code: str, length: int = 7900) -> str:
    text, number = START[code] + (" " if code == "en" else ""), 0
    while len(text) < length:
        text += MIDDLE[code].format(n=number)
        number += 1
    return text + END[code]


@pytest.mark.parametrize("text", [long_message("zh"), "好" * 7000 + END["zh"], "，".join("雨" * 3900) + END["zh"]])
async def test_a_message_over_the_budget_is_kept_whole_and_told_in_part(text: str) -> None:
    async with harness_with("zh") as harness:
        session, record = await talked(harness, "zh", "我对芒果过敏。", text)
        state = await session.state()
        assert record.user_text == text
        assert [message.text for message in state.messages if message.speaker == "user"][-1] == text
        assert record.context.total_tokens <= record.context.budget
        told = prompt(record)[-1][1]
        assert told.startswith(text[:10])
        assert told.endswith(END["zh"])
        assert "未列出" in told
        warned = [one for one in record.context.troubles if one.kind == "oversized_item"]
        assert len(warned) == 1
        assert "tokens" in warned[0].text
        assert "芒果" in content(record), "L1 is not cut for it"
        await session.say("后来呢？")
        after = await session.report()
        assert after.context.total_tokens <= after.context.budget
        assert any(text[:10] in one for _, one in prompt(after)), "it stays in the history, shortened"
        assert any("turn 2" in one.text for one in after.context.troubles)


@BOTH
async def test_a_long_message_in_a_small_budget(code: str) -> None:
    text = long_message(code)
    async with harness_with(code, harness__total_token_budget=1600) as harness:
        _, record = await talked(harness, code, text)
    assert record.context.total_tokens <= 1600
    told = prompt(record)[-1][1]
    assert START[code] in told
    assert told.endswith(END[code])
    async with harness_with(code, harness__total_token_budget=300) as harness:
        with pytest.raises(BudgetError, match=r"L0 \d+"):
            await talked(harness, code, text)


@BOTH
async def test_what_fits_is_not_touched(code: str) -> None:
    text = START[code] + END[code]
    async with harness_with(code) as harness:
        _, record = await talked(harness, code, text)
    assert record.context.troubles == ()
    assert prompt(record)[-1][1].endswith(text)


@settings(max_examples=150, deadline=None)
@given(text=st.text("ab 。.!？\n字", max_size=600), room=st.integers(24, 200), code=st.sampled_from(["en", "zh"]))
def test_a_shortened_text_fits_and_is_made_of_the_text(text: str, room: int, code: str) -> None:
    cut = shortened(text, room, tokens=ESTIMATE, pack=PACKS.get(code))
    if ESTIMATE.count(text) <= room:
        assert cut == text
        return
    assert ESTIMATE.count(cut) <= room
    head, _, rest = cut.partition("[…")
    assert text.startswith(head.rstrip("\n"))
    assert text.rstrip().endswith(rest.partition("…]")[2].strip())


class Broken(ScriptedModel):
    """A model of somebody's own that answers in pieces that are not Unicode."""

    def __init__(self, pieces: tuple[str, ...]) -> None:
        super().__init__()
        self.pieces = pieces

    async def complete(self, request: ModelRequest) -> ModelReply:  # noqa: ARG002
        return ModelReply("".join(self.pieces), finish_reason="st\ud800op")

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:  # noqa: ARG002
        for piece in self.pieces:
            yield ModelDelta(piece)
        yield ModelDelta(reply=ModelReply("".join(self.pieces)))


WAYS = [
    (("The kettle \ud83d is on.",), "The kettle \ufffd is on."),
    (("The kettle \ud83d", "\ude00 is on."), "The kettle \U0001f600 is on."),
    (("水开了\udc00。", "坐吧。"), "水开了\ufffd。坐吧。"),
    (("坐吧。\ud83d",), "坐吧。\ufffd"),
]


@pytest.mark.parametrize(("pieces", "shown"), WAYS)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_lone_surrogate_is_replaced_before_it_is_shown_and_stored(
    pieces: tuple[str, ...], shown: str, streamed: bool
) -> None:
    code = "en" if shown.isascii() or "kettle" in shown else "zh"
    async with harness_with(code, model=Broken(pieces)) as harness:
        session = await harness.open({"en": "mia", "zh": "lin"}[code], session="s", user="u")
        asked = {"en": "Tea?", "zh": "喝茶吗？"}[code]
        seen = ""
        if streamed:
            async for event in session.stream(asked):
                seen += getattr(event, "text", "") if type(event).__name__ == "Token" else ""
            assert seen == shown
        else:
            assert str((await session.say(asked)).text) == shown
        record: Any = await session.report()
        assert record.reply == shown
        record.model_dump_json().encode()
        assert (await session.state()).messages[-1].text == shown


async def test_each_call_gives_text_that_can_be_stored() -> None:
    request = ModelRequest(role="summarizer", messages=(ChatMessage("user", "x"),))
    kept: list[Any] = []
    reply = await call(Broken(("a\ud800",)), request, phase="t", on_call=kept.append)
    assert (reply.text, reply.finish_reason) == ("a\ufffd", "st\ufffdop")
    pieces = [one.text async for one in stream(Broken(("a\ud800",)), request, phase="t", on_call=kept.append)]
    assert "".join(pieces) == "a\ufffd"
    for made in kept:
        made.model_dump_json().encode()

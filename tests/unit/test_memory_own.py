"""What was said earlier in the same session, and has left the window, is found by meaning too where an embedder is set."""

from __future__ import annotations

import pytest

from harness.app import Harness
from harness.settings import load
from harness.state import TurnRecord
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
REPLY = {"en": "Mm.", "zh": "嗯。"}
TOLD = {
    "en": "The ferryman wears a violet scarf with a silver anchor.",
    "zh": "渡船的船长围着一条紫色的围巾，上面绣着银色的锚。",
}
DETAIL = {"en": "silver anchor", "zh": "银色的锚"}
FILLER = {
    "en": "It rained again on day {n}, and I read about gardens.",
    "zh": "第{n}天又下雨了，我看了一章讲花园的书。",
}
# No word of it is a word of what was told; its letters are alike, which is all that the embedder of the tests sees.
ASKED = {"en": "violetta scarfy silvern anchorage?", "zh": "紫围巾上绣的银锚呢？"}


def settings_with(embedder: str) -> dict[str, str]:
    return {
        "storage.backend": "memory",
        "memory.embedder": embedder,
        "harness.analysis": "rules",
        "harness.summarize_with": "model",
        "harness.short_term_window": "2",
        "harness.max_revisions": "0",
    }


async def record_of(code: str, embedder: str) -> TurnRecord:
    """The turn that asks, eight turns after the telling."""
    settings = load(environ={}, overrides=settings_with(embedder))
    async with Harness(
        settings, model=ScriptedModel({"*": REPLY[code], "summarize": "They talked of this and that."})
    ) as harness:
        session = await harness.open(PERSONAS[code], session="s", user="nora")
        await session.say(TOLD[code])
        for number in range(8):
            await session.say(FILLER[code].format(n=number))
        await session.say(ASKED[code])
        state = await session.state()
        assert state.summary is not None
        assert DETAIL[code] not in state.summary.text
        return await session.report()


def sent(record: TurnRecord) -> str:
    return "\n".join(text for _, text in record.calls[0].messages)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_older_message_of_the_session_is_found_by_meaning(code: str) -> None:
    record = await record_of(code, "hash")
    own = [item for layer in record.context.layers if layer.block == "memory" for item in layer.items]
    assert any(TOLD[code] in item.text for item in own)
    assert sent(record).count(DETAIL[code]) == 1, "shown once, however many ways it was found"


async def test_words_alone_do_not_find_it() -> None:
    assert DETAIL["en"] not in sent(await record_of("en", "none"))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_messages_that_the_prompt_shows_anyway_do_not_come_back(code: str) -> None:
    settings = load(environ={}, overrides={**settings_with("hash"), "harness.short_term_window": "12"})
    async with Harness(
        settings, model=ScriptedModel({"*": REPLY[code], "summarize": "They talked of this and that."})
    ) as harness:
        session = await harness.open(PERSONAS[code], session="s", user="nora")
        await session.say(TOLD[code])
        await session.say(ASKED[code])
        record = await session.report()
    assert sent(record).count(DETAIL[code]) == 1
    assert not [layer for layer in record.context.layers if layer.block == "memory" and layer.items]

"""Promises in the prompt while the clock moves: to come, due, overdue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from harness.app import Harness
from harness.language import load_packs
from harness.state import Commitment, Persona
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.commitments.track import standing
from tests.unit.conftest import settings_of

NOW = datetime(2026, 6, 17, 10, 20, tzinfo=UTC)
"""A Wednesday morning."""


class MovingClock:
    """A clock that stands until it is set."""

    def __init__(self, now: datetime) -> None:
        self.moment = now

    def now(self) -> datetime:
        return self.moment

    def monotonic(self) -> float:
        return 0.0


MIA = Persona(name="Mia", id="mia")
LIN = Persona(name="林晓", id="lin", language="zh")


@pytest.mark.parametrize(
    ("persona", "promise", "text", "marks"),
    [
        (MIA, "I'll bring you the ladder tomorrow.", "bring you the ladder", (" (due now)", " (overdue)")),
        (LIN, "我明天把梯子带给你。", "梯子", ("（现在该兑现了）", "（已过期）")),
    ],
)
async def test_a_promise_surfaces_when_its_time_has_come(
    tmp_path: object, persona: Persona, promise: str, text: str, marks: tuple[str, str]
) -> None:
    model, clock = ScriptedModel({"respond": "Mm." if persona is MIA else "嗯。"}), MovingClock(NOW)
    seen: list[str] = []
    async with Harness(settings_of(tmp_path), model=model, clock=clock) as harness:  # type: ignore[arg-type]
        session = await harness.open(persona, session="s")
        await session.say(promise)
        for later in (timedelta(hours=2), timedelta(days=1), timedelta(days=2)):
            clock.moment = NOW + later
            await session.say("So?" if persona is MIA else "嗯？")
            request = next(request for request in reversed(model.requests) if request.purpose == "respond")
            prompt = "\n".join(message.content for message in request.messages[1:])
            seen.append(next(line for line in prompt.splitlines() if text in line and line != promise))
    assert not any(mark in seen[0] for mark in marks)
    assert marks[0] in seen[1]
    assert marks[1] in seen[2]


@pytest.mark.parametrize(
    ("code", "due", "at", "over"),
    [
        ("en", "on Friday", datetime(2026, 6, 19, tzinfo=UTC), datetime(2026, 6, 20, tzinfo=UTC)),
        ("zh", "周五", datetime(2026, 6, 19, tzinfo=UTC), datetime(2026, 6, 20, tzinfo=UTC)),
        ("en", "at 6 pm", datetime(2026, 6, 17, 18, tzinfo=UTC), datetime(2026, 6, 17, 19, tzinfo=UTC)),
        ("zh", "晚上六点", datetime(2026, 6, 17, 18, tzinfo=UTC), datetime(2026, 6, 17, 19, tzinfo=UTC)),
        ("en", "tonight", datetime(2026, 6, 17, 20, tzinfo=UTC), datetime(2026, 6, 18, 2, tzinfo=UTC)),
        ("zh", "今晚", datetime(2026, 6, 17, 20, tzinfo=UTC), datetime(2026, 6, 18, 2, tzinfo=UTC)),
        ("en", "next week", datetime(2026, 6, 22, tzinfo=UTC), datetime(2026, 6, 29, tzinfo=UTC)),
        ("zh", "下周", datetime(2026, 6, 22, tzinfo=UTC), datetime(2026, 6, 29, tzinfo=UTC)),
        ("en", "next month", datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 8, 1, tzinfo=UTC)),
        ("zh", "下个月", datetime(2026, 7, 1, tzinfo=UTC), datetime(2026, 8, 1, tzinfo=UTC)),
        ("en", "today", NOW, datetime(2026, 6, 18, tzinfo=UTC)),
        ("zh", "今天", NOW, datetime(2026, 6, 18, tzinfo=UTC)),
    ],
)
def test_a_promise_is_due_as_long_as_its_words_say(code: str, due: str, at: datetime, over: datetime) -> None:
    pack = load_packs().get(code)
    promise = Commitment(id="c1", by="user", to="character", text="x", due=due, due_at=at)
    moments = (at - timedelta(seconds=1), at, over - timedelta(seconds=1), over)
    assert [standing(promise, moment, pack) for moment in moments] == ["open", "due", "due", "overdue"]


def test_a_promise_without_a_time_is_never_due() -> None:
    promise = Commitment(id="c1", by="user", to="character", text="x", due="soon")
    assert standing(promise, NOW + timedelta(days=999), load_packs().get("en")) == "open"


@pytest.mark.parametrize(
    ("persona", "text", "line"),
    [
        (MIA, "I promised my mother I'd call her on Sunday.", "promised by them to mother: call her, due on Sunday"),
        (LIN, "我答应我妈周日给她打电话。", "对方答应妈：给她打电话（周日）"),
    ],
)
async def test_a_promise_to_a_third_person_is_told_as_such(
    tmp_path: object, persona: Persona, text: str, line: str
) -> None:
    model = ScriptedModel({"respond": "Mm." if persona is MIA else "嗯。"})
    async with Harness(settings_of(tmp_path), model=model, clock=MovingClock(NOW)) as harness:  # type: ignore[arg-type]
        session = await harness.open(persona, session="s")
        await session.say(text)
        await session.say("So?" if persona is MIA else "嗯？")
    request = next(request for request in reversed(model.requests) if request.purpose == "respond")
    assert line in "\n".join(message.content for message in request.messages)

"""The trip to Hangzhou: seven messages with what tools gave, on a preference and an allergy told in an earlier session."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from harness.app import Harness
from harness.diagnosing import diagnose
from harness.session import Session
from harness.state import TurnRecord
from harness.testing.scripted_model import ScriptedModel
from tests.unit._trip import TRIPS, Trip
from tests.unit.conftest import MakeHarness


@pytest.fixture(params=["en", "zh"])
def trip(request: pytest.FixtureRequest) -> Trip:
    return TRIPS[str(request.param)]


@pytest.fixture
async def harness(make_harness: MakeHarness, trip: Trip) -> AsyncIterator[Harness]:
    async with make_harness(ScriptedModel({"respond": trip.replies, "*": ""}), background=False) as made:
        yield made


async def talked(harness: Harness, trip: Trip) -> Session:
    """Both sessions; gives the second one."""
    before = await harness.open(trip.persona, session="before", user="nora")
    for text, _ in trip.before:
        await before.say(text)
    session = await harness.open(trip.persona, session="trip", user="nora")
    await session.set_task(trip.goal, task_id="hangzhou")
    for text, results, reply in trip.turns:
        assert (await session.say(text, tool_results=results)).text == reply
    return session


async def records(session: Session) -> list[TurnRecord]:
    return [record for record in await session.branch() if record.origin != "change"]


def shown(record: TurnRecord, layer: str) -> list[str]:
    """Items of a layer that stood in the prompt."""
    return [
        item.text
        for report in record.context.layers
        if report.layer == layer
        for item in report.items
        if not item.dropped
    ]


def prompt(record: TurnRecord) -> str:
    return "\n".join(text for _, text in record.calls[0].messages)


async def test_every_layer_has_what_the_trip_needs(harness: Harness, trip: Trip) -> None:
    turns = await records(await talked(harness, trip))
    assert len(turns) == 7
    for record in turns:
        assert shown(record, "L1"), record.user_text
        assert any(layer.layer == "L1" and layer.tokens for layer in record.context.layers)
        assert 2 <= len(shown(record, "L2")) <= 5, (record.user_text, shown(record, "L2"))
        assert shown(record, "L3"), record.user_text
        assert record.context.warnings == ()
        assert trip.goal in prompt(record)


async def test_tool_results_go_with_the_talk(harness: Harness, trip: Trip) -> None:
    turns = await records(await talked(harness, trip))
    weather, hotels = trip.turns[0][1][0], trip.turns[2][1][0]
    assert any(weather.text in text for text in shown(turns[0], "L1"))
    assert all(any(weather.text in text for text in shown(record, "L2")) for record in turns[1:])
    assert any(hotels.text in text for text in shown(turns[2], "L1"))
    assert all(trip.second in " ".join(shown(record, "L2")) for record in turns[3:])
    assert all(trip.second in prompt(record) for record in turns[3:])


async def test_what_is_meant_is_resolved_and_the_preference_recalled(harness: Harness, trip: Trip) -> None:
    turns = await records(await talked(harness, trip))
    assert trip.second in turns[3].resolved  # the second one, 第二家
    assert trip.second in turns[4].resolved  # that one, 那个
    asked = turns[5]
    assert [notice.kind for notice in asked.notices] == ["recall"]
    assert trip.preference in asked.notices[0].truth  # that preference, 那个偏好
    assert any(trip.preference in text for text in shown(asked, "L3"))
    assert trip.preference in prompt(asked)
    assert trip.preference in asked.reply


async def test_a_healthy_trip_has_no_fault(harness: Harness, trip: Trip) -> None:
    await talked(harness, trip)
    for session in ("before", "trip"):
        found = await diagnose(harness, session)
        assert found.healthy, found.faults
        assert found.unread == ()


async def test_the_trip_goes_on_after_a_restart(make_harness: MakeHarness, trip: Trip) -> None:
    text, results, reply = trip.turns[-1]
    short = Trip(trip.persona, trip.goal, trip.before, trip.turns[:-1], trip.second, trip.preference)
    async with make_harness(ScriptedModel({"respond": trip.replies, "*": ""}), background=False) as harness:
        await talked(harness, short)
    async with make_harness(ScriptedModel({"respond": reply, "*": ""}), background=False) as harness:
        session = await harness.open(session="trip")
        await session.say(text, tool_results=results)
        record = await session.report()
        assert trip.goal in prompt(record)
        assert trip.second in " ".join(shown(record, "L2"))
        assert (await diagnose(harness, "trip")).healthy

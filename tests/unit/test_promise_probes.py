"""Short talks and the promises that stand in the state after them, in English and Chinese."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from harness.language import load_packs
from harness.state import CommitmentStatus, DialogueState, Message, PersonaRef, fold
from harness.understanding.commitments.track import track_commitments
from harness.yaml_strict import load_yaml

FOLDER = Path(__file__).parents[1] / "data" / "promises"
NOW = datetime(2026, 6, 17, 10, 20, tzinfo=UTC)
MOST_GAPS = 4


def probes(code: str) -> list[dict[str, Any]]:
    return list(load_yaml(FOLDER / f"{code}.yaml")["probes"])


def params() -> list[Any]:
    return [
        pytest.param(
            code,
            probe,
            id=f"{code} {probe['id']}",
            marks=[pytest.mark.xfail(reason=probe["gap"], strict=True)] if "gap" in probe else [],
        )
        for code in ("en", "zh")
        for probe in probes(code)
    ]


def after(code: str, turns: list[list[str]]) -> DialogueState:
    """The state after some exchanges."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    pack = load_packs().get(code)
    for turn, (user, reply) in enumerate(turns, 1):
        operations = track_commitments(user, reply, state=state, pack=pack, turn=turn, now=NOW)
        state, _, refused = fold(state, operations)
        assert not refused
        said = (Message(speaker="user", text=user, turn=turn), Message(speaker="character", text=reply, turn=turn))
        state = state.model_copy(update={"messages": (*state.messages, *said), "turn_count": turn})
    return state


@pytest.mark.parametrize(("code", "probe"), params())
def test_promises(code: str, probe: dict[str, Any]) -> None:
    found = after(code, probe["turns"]).commitments
    wanted = probe["expect"] or []
    assert len(found) == len(wanted), [(c.by, c.to, c.text, c.due) for c in found]
    for commitment, expected in zip(found, wanted, strict=True):
        assert commitment.by == expected["by"]
        assert commitment.to == expected.get("to", commitment.to)
        assert expected["text"] in commitment.text
        assert commitment.due == expected.get("due", commitment.due)
        assert commitment.status == expected.get("status", CommitmentStatus.open)
        if "at" in expected:
            assert commitment.due_at == datetime.fromisoformat(expected["at"]).replace(tzinfo=UTC)


def test_forty_probes_with_their_twins() -> None:
    english, chinese = probes("en"), probes("zh")
    assert [probe["id"] for probe in english] == [probe["id"] for probe in chinese]
    assert len({probe["id"] for probe in english}) == len(english) >= 40
    assert all(sum("gap" in probe for probe in side) <= MOST_GAPS for side in (english, chinese))

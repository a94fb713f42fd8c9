"""What the task has ruled out is not proposed again."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import TaskState
from harness.understanding.ruled_out import check_ruled_out


@pytest.mark.parametrize(
    ("code", "ruled_out", "reply", "found"),
    [
        ("en", "the night train", "Take the night train, it's cheap.", True),
        ("en", "the night train", "Not the night train, you said that's out.", False),
        ("en", "the night train", "Fly on Monday.", False),
        ("zh", "坐夜车", "那就坐夜车吧，便宜。", True),
        ("zh", "坐夜车", "不能坐夜车，你说过不行。", False),
        ("zh", "坐夜车", "周一坐飞机吧。", False),
    ],
)
def test_a_proposal_that_was_ruled_out_is_found(code: str, ruled_out: str, reply: str, found: bool) -> None:
    task = TaskState(task_id="trip", goal="go", ruled_out=(ruled_out,))
    findings = check_ruled_out(reply, task, load_packs().get(code))
    assert [finding.kind for finding in findings] == (["ruled_out"] if found else [])
    assert check_ruled_out(reply, None, load_packs().get(code)) == ()

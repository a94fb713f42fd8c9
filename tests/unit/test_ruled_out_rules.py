"""What the task has ruled out is not proposed again."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import TaskState
from harness.understanding.checks.ruled_out import check_ruled_out


@pytest.mark.parametrize(
    ("code", "ruled_out", "reply", "found"),
    [
        ("en", "the night train", "Take the night train, it's cheap.", True),
        ("en", "the night train", "Not the night train, you said that's out.", False),
        ("en", "the night train", "Fly on Monday.", False),
        ("zh", "坐夜车", "那就坐夜车吧，便宜。", True),
        ("zh", "坐夜车", "不能坐夜车，你说过不行。", False),
        ("zh", "坐夜车", "周一坐飞机吧。", False),
        ("en", "Grand Pavilion", "The Grand Pavilion has a nice pool.", True),
        ("zh", "大華酒店", "大華酒店不错。", True),
        ("en", "Grand Pavilion", "I know you don't want the Grand Pavilion, so how about the inn?", False),
        ("zh", "大華酒店", "我知道你不想住大華酒店，那就住客栈。", False),
        ("en", "Grand Pavilion", "Anything but the Grand Pavilion, I agree.", False),
        ("zh", "大華酒店", "除了大華酒店都行。", False),
        ("en", "Grand Pavilion", "Why not the Grand Pavilion?", True),
        ("zh", "大華酒店", "要不就住大華酒店？", True),
        ("en", "Grand Pavilion", "The inn is full, but the Grand Pavilion has rooms.", True),
        ("zh", "大華酒店", "客栈没有房间，大華酒店还有。", True),
        ("en", "resetting the router", "Just reset your router.", True),
        ("zh", "重置路由器", "你把路由器重置一下。", True),
        ("en", "night bus", "Since the night bus is out, fly.", False),
        ("zh", "夜班车", "既然夜班车排除了，就坐飞机。", False),
    ],
)
def test_a_proposal_that_was_ruled_out_is_found(code: str, ruled_out: str, reply: str, found: bool) -> None:
    task = TaskState(task_id="trip", goal="go", ruled_out=(ruled_out,))
    findings = check_ruled_out(reply, task, load_packs().get(code))
    assert [finding.kind for finding in findings] == (["ruled_out"] if found else [])
    assert check_ruled_out(reply, None, load_packs().get(code)) == ()

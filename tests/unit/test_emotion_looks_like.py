"""Words that only look like anger or fear: said in wonder, as a warning, or to ask again. What is meant stays what it was."""

from __future__ import annotations

import pytest

from tests.unit.test_emotion_rules import moods


@pytest.mark.parametrize(
    ("code", "text", "label"),
    [
        ("en", "What did I say about Lisbon?", "neutral"),
        ("en", "What did I tell you about my sister?", "neutral"),
        ("en", "Watch out for the step.", "neutral"),
        ("en", "They let me go home early.", "neutral"),
        ("en", "Shut up, no way, that's amazing!", "joy"),
        ("en", "Get out, you got the job? Amazing!", "joy"),
        ("en", "They let me go today. Eleven years.", "sadness"),
        ("en", "I was let go on Monday.", "sadness"),
        ("en", "I can't believe she's gone.", "sadness"),
        ("en", "I can't believe my grandad is really gone.", "sadness"),
        ("zh", "你讨厌下雨吗？", "neutral"),
        ("zh", "你最讨厌什么天气？", "neutral"),
        ("zh", "你烦不烦下雨天？", "neutral"),
        ("zh", "小心台阶。", "neutral"),
        ("zh", "闭嘴，不会吧，太棒了！", "joy"),
        ("zh", "我不敢相信她走了。", "sadness"),
        ("zh", "真没法相信他就这么没了。", "sadness"),
    ],
)
def test_what_only_looks_like_anger_or_fear(code: str, text: str, label: str) -> None:
    ((mine, theirs),) = moods([text], code, "I see." if code == "en" else "嗯。")
    assert mine == label
    assert theirs.label not in ("anger", "fear", "excitement")


@pytest.mark.parametrize(
    ("code", "text", "label"),
    [
        ("en", "Shut up.", "anger"),
        ("en", "Shut up, you idiot.", "anger"),
        ("en", "What did I just say?", "anger"),
        ("en", "What did I tell you about touching my things!", "anger"),
        ("en", "Get out!", "anger"),
        ("en", "I can't believe we won!", "surprise"),
        ("en", "I can't believe it.", "surprise"),
        ("zh", "闭嘴。", "anger"),
        ("zh", "你烦不烦啊！", "anger"),
        ("zh", "你讨厌死了！", "anger"),
        ("zh", "不敢相信，我居然赢了。", "surprise"),
    ],
)
def test_what_is_meant_stays(code: str, text: str, label: str) -> None:
    ((mine, _),) = moods([text], code, "I see." if code == "en" else "嗯。")
    assert mine == label


@pytest.mark.parametrize(("code", "text"), [("en", "Watch out!"), ("zh", "小心！")])
def test_a_cry_of_warning_is_fear(code: str, text: str) -> None:
    assert moods([text], code)[0][0] == "fear"

"""What was done already is no promise, nor is the weather; an accepted request keeps its time however it is accepted."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.understanding.moments import find_moments
from harness.understanding.references.listing import find_lists
from tests.unit.test_commitments_rules import NOW, opened, talk


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "我给你带了礼物。"),
        ("zh", "我给你发了邮件。"),
        ("zh", "我帮你修好了。"),
        ("zh", "我给你倒了杯茶。"),
        ("zh", "我把钥匙给你放门口了。"),
        ("zh", "我帮你问过了。"),
        ("zh", "我把书给你带来了。"),
        ("zh", "我昨天把材料准备好了。"),
        ("en", "I brought you a gift."),
        ("en", "I've emailed you the notes."),
        ("en", "I fixed it for you."),
        ("en", "I poured you a cup of tea."),
        ("en", "I left the keys at your door."),
        ("en", "I promise it'll be fine."),
        ("zh", "我明天来上海。"),
        ("zh", "我明天去买菜。"),
        ("zh", "我下周之前要写完论文了吧。"),
    ],
)
def test_what_is_done_or_ones_own_is_no_promise(code: str, text: str) -> None:
    assert opened(code, "", text) == []


@pytest.mark.parametrize(
    ("code", "text", "what", "due"),
    [
        ("zh", "我马上给你送到了。", "给你送到了", "马上"),
        ("zh", "我帮你就是了。", "帮你就是", ""),
        ("zh", "我明天把书给你带来。", "把书给你带来", "明天"),
        ("zh", "为了谢你，我给你带书。", "给你带书", ""),
        ("zh", "好，我明天来修。", "修", "明天"),
        ("zh", "我周五之前修好它。", "修好它", "周五"),
        ("zh", "我明天把材料准备好。", "把材料准备好", "明天"),
        ("en", "I'll come tomorrow and fix it.", "come and fix it", "tomorrow"),
        ("en", "I'll fix it by Friday.", "fix it", "Friday"),
        ("en", "I promise it'll be done next week.", "it'll be done", "next week"),
    ],
)
def test_what_is_to_be_done_is_one(code: str, text: str, what: str, due: str) -> None:
    assert opened(code, "", text) == [("character", what, due)]


@pytest.mark.parametrize(
    ("code", "asked", "answer"),
    [
        ("zh", "明天会下雨吗？", "会的。"),
        ("zh", "后天会刮风吗？", "嗯。"),
        ("zh", "明天能出太阳吗？", "可以的。"),
        ("zh", "周末会停电吗？", "会的。"),
        ("zh", "会不会下雨？", "会的。"),
        ("zh", "他明天会来吗？", "会的。"),
        ("en", "Will it rain tomorrow?", "Yes, it will."),
        ("en", "Will there be wind on Sunday?", "Sure."),
    ],
)
def test_nobody_promises_the_weather(code: str, asked: str, answer: str) -> None:
    assert opened(code, asked, answer) == []


@pytest.mark.parametrize(
    ("code", "asked", "answer", "due", "hour"),
    [
        ("en", "Can you call me on Friday at six?", "Yes, I'll call you.", "on Friday at six", 6),
        ("en", "Can you call me on Friday at six?", "Sure.", "on Friday at six", 6),
        ("zh", "周五六点给我打电话，好吗？", "好，我给你打电话。", "周五六点", 6),
        ("zh", "周五六点能给我打电话吗？", "好。", "周五六点", 6),
        ("zh", "你明天下午三点能来接我吗？", "行，我会来接你。", "明天下午三点", 15),
    ],
)
def test_a_request_keeps_its_time_when_the_answer_says_it_again(
    code: str, asked: str, answer: str, due: str, hour: int
) -> None:
    (promise,) = talk(code, (asked, answer)).commitments
    assert (promise.by, promise.due) == ("character", due)
    assert promise.due_at is not None
    assert promise.due_at.hour == hour


@pytest.mark.parametrize(
    ("code", "asked", "answer"),
    [
        ("en", "Can you bring the book tomorrow?", "Yes. I'll send you the photos, too."),
        ("zh", "你明天能把书带来吗？", "好。我再给你发照片。"),
    ],
)
def test_another_promise_does_not_take_the_time_of_the_request(code: str, asked: str, answer: str) -> None:
    assert [due for _, what, due in opened(code, asked, answer) if "photo" in what or "照片" in what] == [""]


def test_a_kept_promise_is_not_opened_again() -> None:
    state = talk("zh", ("", "我明天把书给你带来。"), ("", "我把书给你带来了。"))
    assert [(c.text, c.status.value) for c in state.commitments] == [("把书给你带来", "kept")]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("附近有两家酒店，如家和汉庭。", ["如家", "汉庭"]),
        ("你可以住如家或者汉庭。", ["如家", "汉庭"]),
        ("镇上有两家饭店，和平饭店和锦江饭店。", ["和平饭店", "锦江饭店"]),
        ("可以住和平饭店、锦江饭店或者国际饭店。", ["和平饭店", "锦江饭店", "国际饭店"]),
        ("可以去和记茶楼或者陶陶居。", ["和记茶楼", "陶陶居"]),
        ("听雨轩还是望山楼？", ["听雨轩", "望山楼"]),
        ("有过桥米线、担担面和热干面。", ["过桥米线", "担担面", "热干面"]),
        ("去爱晚亭、岳麓书院和橘子洲。", ["爱晚亭", "岳麓书院", "橘子洲"]),
        ("我想去苏州、杭州和绍兴。", ["苏州", "杭州", "绍兴"]),
        ("可以去西安、大同和平遥。", ["西安", "大同", "平遥"]),
        ("去苏州、杭州和田子坊。", ["苏州", "杭州", "田子坊"]),
        ("去了广州、中山和顺德。", ["广州", "中山", "顺德"]),
        ("去看云南、贵州和四川。", ["云南", "贵州", "四川"]),
        ("买了米、油和服装。", ["米", "油", "服装"]),
        ("买了面包、牛奶和声卡。", ["面包", "牛奶", "声卡"]),
    ],
)
def test_a_name_that_holds_a_joiner_is_not_cut(text: str, names: list[str]) -> None:
    assert [item.name for found in find_lists(text, load_packs().get("zh").entities) for item in found] == names


@pytest.mark.parametrize("text", ["补充两点可以吗？", "多吃两点吧。", "提了三点吗？", "那就说三点吧。"])
def test_points_are_no_hours(text: str) -> None:
    assert not find_moments(text, pack=load_packs().get("zh"), now=NOW)

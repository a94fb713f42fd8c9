"""Words of emotion that are names, titles, trade or slang; and steps and refusals of a task in further wordings."""

from __future__ import annotations

import pytest

from harness.state import DialogueState, PersonaRef
from harness.state.task import TaskState
from harness.understanding.commitments.task import track_task
from harness.understanding.emotion.track import appraise
from tests.unit._consistency import PACKS

CALM = [
    "The Sad Cafe is on Mill Lane.",
    "We met at the Sad Cafe.",
    "The Happy Duck opens at nine.",
    "The Angry Crab closed last year.",
    "Meet me at the Jolly Sailor.",
    "Is Joy working today?",
    "Joy works on Mondays.",
    "I gave it to Grace and Joy.",
    "The funeral parlour's delivery came this morning.",
    "The funeral home is next to the bank.",
    "My brakes are dead.",
    "The chain is dead and the tyre is flat.",
    "悲伤咖啡馆在路口。",
    "快乐超市八点开门。",
    "我在开心理发店门口等你。",
    "你看过《悲伤逆流成河》吗？",
    "愤怒的小鸟是个游戏。",
    "这车变态地快。",
    "这题变态难。",
    "刹车死了。",
    "殡仪馆在银行旁边。",
]
GLAD = [
    "What a sick bike!",
    "That's a sick trick!",
    "It was a joy to see you.",
    "我表姐结婚了。",
    "我同学下个月要结婚了！",
    "我开心极了。",
    "真开心超市开门了！",
    "I am so happy today.",
]
UNHAPPY = [
    "I feel sick.",
    "I'm sick and sad.",
    "My dog is dead.",
    "The cafe made me sad.",
    "We had the funeral yesterday and I can't stop crying.",
    "我表姐离婚了，我好难过。",
    "我好悲伤。",
    "他这个人真变态。",
    "我在超市里很难过。",
    "I AM SO SAD TODAY",
    "I Feel So Sad Today",
    "我很难过饭店关门了。",
]


def code_of(text: str) -> str:
    return "en" if text.isascii() else "zh"


def valence(text: str) -> float:
    return appraise(text, PACKS.get(code_of(text))).valence


@pytest.mark.parametrize("text", CALM)
def test_names_titles_and_trade_show_nothing(text: str) -> None:
    assert abs(valence(text)) < 0.2


@pytest.mark.parametrize("text", GLAD)
def test_praise_and_good_news_are_glad(text: str) -> None:
    assert valence(text) > 0.2


@pytest.mark.parametrize("text", UNHAPPY)
def test_the_same_words_said_of_a_feeling_count(text: str) -> None:
    assert valence(text) < -0.2


GOALS = {"en": "plan a cake for the party", "zh": "安排聚会的蛋糕"}
RULED_OUT = [
    ("No walnuts, we tried that and it failed.", "walnuts"),
    ("No fondant, we tried it and it cracked.", "fondant"),
    ("No balloons, we had those last year and it was a mess.", "balloons"),
    ("Not walnuts, that went wrong last time.", "walnuts"),
    ("Walnuts are out, we tried.", "walnuts"),
    ("We tried walnuts and it failed.", "walnuts"),
    ("No more walnuts, please.", "walnuts"),
    ("核桃的不行，试过了。", "核桃"),
    ("核桃的不行，上次试过，失败了", "核桃"),
    ("巧克力的不要，试过了，太甜", "巧克力"),
    ("奶油的算了，试过，化了", "奶油"),
    ("试过核桃的，失败了", "核桃"),
]
TODO = [
    ("Next we need a table.", "table"),
    ("Now we need candles.", "candles"),
    ("We still need plates.", "plates"),
    ("Then we need a baker.", "baker"),
    ("After that we need someone to bring the chairs.", "chairs"),
    ("接下来我们需要一张桌子。", "桌子"),
    ("下一步我们需要蜡烛", "蜡烛"),
    ("我们还缺十个盘子", "盘子"),
    ("还缺一张桌子", "桌子"),
]
NEITHER = [
    "No problem, we tried and it worked.",
    "No idea, we tried everything.",
    "No, we tried walnuts and it worked.",
    "No worries.",
    "No one came.",
    "No way!",
    "No more questions.",
    "Next week we need rain.",
    "We need to talk.",
    "We still need you.",
    "We still need it.",
    "今天不行，明天吧",
    "这样不行",
    "我不行，我试过了",
    "核桃的行，试过了",
    "我们需要你",
    "接下来需要吗？",
    "我需要休息",
]


def changes(text: str) -> dict[str, tuple[str, ...]]:
    code = code_of(text)
    state = DialogueState(
        persona=PersonaRef(id="p", name="Ann"), language=code, task=TaskState(task_id="t1", goal=GOALS[code])
    )
    found = track_task(text, "", state=state, pack=PACKS.get(code))
    return {key: value for one in found for key, value in one.model_dump().items() if key.startswith("add_") and value}


@pytest.mark.parametrize(("text", "what"), RULED_OUT)
def test_what_was_tried_and_failed_is_ruled_out(text: str, what: str) -> None:
    found = changes(text)
    assert list(found) == ["add_ruled_out"]
    assert what in found["add_ruled_out"][0].lower()


@pytest.mark.parametrize(("text", "what"), TODO)
def test_what_is_needed_next_is_left_to_do(text: str, what: str) -> None:
    found = changes(text)
    assert list(found) == ["add_todo"]
    assert what in found["add_todo"][0]


@pytest.mark.parametrize("text", NEITHER)
def test_other_wording_changes_no_task(text: str) -> None:
    assert changes(text) == {}

"""Corrections that only name the right value, or the wrong and the right one, after it was told or said wrongly."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MIA = Persona(name="Mia")


def values(code: str, told: str, asked: str, correction: str) -> list[str]:
    pack, state = PACKS.get(code), DialogueState(persona=PersonaRef(id="m", name="Mia"))
    for turn, (text, question) in enumerate([(told, ""), (correction, asked)], 1):
        found = extract_facts(text, speaker="user", state=state, persona=MIA, pack=pack, turn=turn, asked=question)
        state = fold(state, found)[0]
    return [fact.value for fact in state.active_facts() if fact.polarity]


CORRECTIONS = [
    ("en", "My name is Ann.", "", "No, Anna.", ["Anna"]),
    ("en", "My name is Ann.", "", "Not Ann, Anna.", ["Anna"]),
    ("en", "My name is Anna.", "Nice to meet you, Ann!", "No, Anna.", ["Anna"]),
    ("en", "My name is Anna.", "Hello Hannah!", "Not Hannah, Anna.", ["Anna"]),
    ("en", "Hello.", "Hello Ann!", "No, Anna.", ["Anna"]),
    ("en", "Hello.", "Hello Ann!", "Not Ann, Anna.", ["Anna"]),
    ("en", "Hello.", "Are you Ann?", "No, Anna.", ["Anna"]),
    ("en", "My train leaves at 6 pm.", "", "Oops, 7 pm.", ["7 pm"]),
    ("en", "My train leaves at 6 pm.", "So it leaves at 6 pm?", "No, 7 pm.", ["7 pm"]),
    ("en", "My meeting is on Monday.", "", "Not Monday, Tuesday.", ["Tuesday"]),
    ("en", "My appointment is on Tuesday.", "", "Sorry, Wednesday.", ["Wednesday"]),
    ("en", "My birthday is on May 3.", "", "Oops, May 4.", ["May 4"]),
    ("en", "I have two cats.", "", "Oops, three.", ["three cats"]),
    ("en", "My daughter is 6.", "", "Sorry, 7.", ["7"]),
    ("en", "I live in Leeds.", "", "Not Leeds, York.", ["York"]),
    ("en", "My train leaves at 6 pm.", "When shall we meet?", "No, 7 pm.", ["6 pm"]),
    ("en", "My name is Ann.", "Do you know Bob?", "No, Peter.", ["Ann"]),
    ("en", "My name is Ann.", "", "No, thanks.", ["Ann"]),
    ("en", "My name is Ann.", "", "No, Never.", ["Ann"]),
    ("en", "My name is Ann.", "", "Wait, What?", ["Ann"]),
    ("en", "My train leaves at 6 pm.", "", "Not now, Anna.", ["6 pm"]),
    ("en", "I live in Leeds.", "Have you been to Rome?", "No, Paris.", ["Leeds"]),
    ("zh", "我叫小兰。", "", "说错了，叫小娜。", ["小娜"]),
    ("zh", "我叫小兰。", "", "不，小娜。", ["小娜"]),
    ("zh", "我叫小兰。", "", "不是小兰，小娜。", ["小娜"]),
    ("zh", "我叫小娜。", "小兰你好！", "不是小兰，是小娜。", ["小娜"]),
    ("zh", "你好。", "小兰你好！", "不是小兰，是小娜。", ["小娜"]),
    ("zh", "你好。", "小兰你好！", "不对，小娜。", ["小娜"]),
    ("zh", "你好。", "小蘭你好！", "不對，小娜。", ["小娜"]),
    ("zh", "我的火车六点开。", "", "不是，是七点。", ["七点"]),
    ("zh", "我的火车是六点。", "", "说错了，七点。", ["七点"]),
    ("zh", "我的航班是六点。", "", "不是，是七点。", ["七点"]),
    ("zh", "我的航班是六點。", "", "說錯了，七點。", ["七點"]),
    ("zh", "我生日是五月三号。", "", "不对，五月四号。", ["五月四号"]),
    ("zh", "我有两只猫。", "", "说错了，三只。", ["三只猫"]),
    ("zh", "我女儿六岁。", "", "说错了，七岁。", ["七岁"]),
    ("zh", "我的火车六点开。", "你几点出门？", "不，七点。", ["六点"]),
    ("zh", "我叫小兰。", "你喜欢谁？", "不，小王。", ["小兰"]),
    ("zh", "我的航班是六点。", "", "不是，谢谢。", ["六点"]),
    # of somebody else than the user
    ("en", "Hello.", "Did Anna call?", "No, Anne.", []),
    ("en", "Hello.", "Did Anna call?", "Not Anna, Anne.", []),
    ("en", "Hello.", "Anna won the race.", "No, Anne.", []),
    ("en", "Hello.", "Anna, my sister, won the race.", "Not Anna, Anne.", []),
    ("en", "My name is Hanna.", "Did Anna win?", "No, Anne.", ["Hanna"]),
    ("en", "My name is Hanna.", "Did Anna win?", "Not Anna, Anne.", ["Hanna"]),
    ("en", "My name is Hanna.", "Anna won the race.", "No, Anne.", ["Hanna"]),
    ("zh", "我叫小安。", "小李赢了吗？", "不是小李，是小陈。", ["小安"]),
    ("zh", "我叫小安。", "小李今天赢了。", "不是小李，是小陈。", ["小安"]),
    ("zh", "我叫小安。", "小李今天赢了。", "不，小陈。", ["小安"]),
    ("zh", "你好。", "小李来了吗？", "不是小李，是小王。", []),
    ("zh", "你好。", "小李來了嗎？", "不是小李，是小王。", []),
    ("zh", "你好。", "小李来了吗？", "不，小王。", []),
    # called so
    ("en", "Hello.", "How are you, Ann?", "No, Anna.", ["Anna"]),
    ("en", "Hello.", "Ann, how are you?", "Not Ann, Anna.", ["Anna"]),
    ("en", "Hello.", "Is your name Ann?", "No, Anna.", ["Anna"]),
    ("en", "Hello.", "Thank you, Ann. Did Bob call?", "Not Ann, Anna.", ["Anna"]),
    ("zh", "你好。", "你是小兰吗？", "不，小娜。", ["小娜"]),
    ("zh", "你好。", "你最近好吗，小兰？", "不是小兰，是小娜。", ["小娜"]),
    ("zh", "你好。", "晚上好，小兰。", "不是小兰，是小娜。", ["小娜"]),
    # after something else of the same kind
    ("en", "I live in Rome.", "You should see Milan.", "No, Venice.", ["Rome"]),
    ("en", "I live in Rome.", "Is Rome nice?", "Sorry, Venice.", ["Venice"]),
    ("en", "My train leaves at 6 pm.", "The shop closes at 8 pm.", "No, 9 pm.", ["6 pm"]),
    ("en", "My meeting is on Monday.", "The fair opens on Friday.", "No, Saturday.", ["Monday"]),
    ("zh", "我的航班是六点。", "商店八点关门。", "不，九点。", ["六点"]),
    ("zh", "我的航班是六点。", "六点太早了。", "说错了，七点。", ["七点"]),
]


@pytest.mark.parametrize(("code", "told", "asked", "correction", "expected"), CORRECTIONS)
def test_a_bare_correction_puts_right_what_was_told(
    code: str, told: str, asked: str, correction: str, expected: list[str]
) -> None:
    assert values(code, told, asked, correction) == expected

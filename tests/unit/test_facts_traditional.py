"""Common statements in traditional characters say what they say in simplified ones."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.language.variants import simplified
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACK = load_packs().get("zh")

TWINS = [
    ("我叫陳麗華。", "我叫陈丽华。"),
    ("我住在臺北。", "我住在台北。"),
    ("我今年三十歲。", "我今年三十岁。"),
    ("我是護士。", "我是护士。"),
    ("我養了兩隻貓和一條狗。", "我养了两只猫和一条狗。"),
    ("我對蝦過敏。", "我对虾过敏。"),
    ("我喜歡聽爵士樂。", "我喜欢听爵士乐。"),
    ("我討厭香菜。", "我讨厌香菜。"),
    ("我有一個姊姊叫美玲。", "我有一个姐姐叫美玲。"),
    ("我會彈鋼琴。", "我会弹钢琴。"),
    ("我在銀行上班。", "我在银行上班。"),
    ("我結婚了。", "我结婚了。"),
    ("我生日是五月三號。", "我生日是五月三号。"),
    ("我老家在嘉義。", "我老家在嘉义。"),
    ("我不吃豬肉。", "我不吃猪肉。"),
    ("我戒菸了。", "我戒烟了。"),
    ("我不抽菸。", "我不抽烟。"),
    ("我開計程車。", "我开计程车。"),
    ("我剛搬到臺中。", "我刚搬到台中。"),
    ("我開了一家麵包店。", "我开了一家面包店。"),
    ("我會說法語。", "我会说法语。"),
    ("我去過韓國。", "我去过韩国。"),
    ("我的車是豐田。", "我的车是丰田。"),
    ("我女兒六歲。", "我女儿六岁。"),
    ("我最喜歡的顏色是藍色。", "我最喜欢的颜色是蓝色。"),
    ("我的電話號碼是12345678。", "我的电话号码是12345678。"),
    ("我週一要面試。", "我周一要面试。"),
    ("我對荳製品過敏。", "我对豆制品过敏。"),
]


def stated(text: str) -> set[tuple[str, str, str, bool]]:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    found = extract_facts(text, speaker="user", state=state, persona=Persona(name="Mia"), pack=PACK, turn=1)
    facts = fold(state, found)[0].active_facts()
    assert all(fact.quote in text for fact in facts)
    return {(simplified(f.subject), simplified(f.attribute), simplified(f.value), f.polarity) for f in facts}


@pytest.mark.parametrize(("traditional", "simple"), TWINS)
def test_both_scripts_state_the_same(traditional: str, simple: str) -> None:
    assert stated(traditional) == stated(simple) != set()

"""Sentences that only look as if their speaker said it of himself, beside those that do say it."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MIA = Persona(name="Mia")


def own(code: str, *messages: str) -> set[str]:
    """What is known of the user after some messages, as ``attribute: value``, denials with ``not`` before them."""
    pack, state = PACKS.get(code), DialogueState(persona=PersonaRef(id="m", name="Mia"))
    for turn, text in enumerate(messages, 1):
        found = extract_facts(text, speaker="user", state=state, persona=MIA, pack=pack, turn=turn)
        state = fold(state, found)[0]
    return {f"{fact.attribute}: {'' if fact.polarity else 'not '}{fact.value}" for fact in state.active_facts("user")}


HOME = {"en": "I live in Leeds.", "zh": "我住在上海。"}
STAYS = [
    ("en", "I lived at the Grand Hotel for a week.", "Leeds"),
    ("en", "I'm staying at the Hilton.", "Leeds"),
    ("en", "I stayed at a hostel in York.", "Leeds"),
    ("en", "I'm living in the Hilton for now.", "Leeds"),
    ("en", "I'm staying at the Grand Hotel in York.", "Leeds"),
    ("en", "I live in York now.", "York"),
    ("zh", "我昨天住在和平饭店。", "上海"),
    ("zh", "这几天我住在如家酒店。", "上海"),
    ("zh", "我住民宿。", "上海"),
    ("zh", "我昨晚住在西湖边的一家民宿。", "上海"),
    ("zh", "我这周住在希尔顿。", "上海"),
    ("zh", "我在锦江宾馆住了一晚。", "上海"),
    ("zh", "我昨晚住在苏州。", "上海"),
    ("zh", "我昨天住在和平飯店。", "上海"),
    ("zh", "我现在住在苏州。", "苏州"),
    ("zh", "我住在饭店街。", "饭店街"),
]


@pytest.mark.parametrize(("code", "text", "home"), STAYS)
def test_a_night_somewhere_is_no_move(code: str, text: str, home: str) -> None:
    assert own(code, HOME[code], text) == {f"home: {home}"}


REPORTS = [
    ("en", "My grandmother used to say: I am 100 years young", set()),
    ("en", "My grandmother would say, I am 100 years young", set()),
    ("en", "My neighbour goes, I have three dogs", set()),
    ("en", "My neighbour goes: I have three dogs", set()),
    ("en", "The man next door said, I have three dogs.", set()),
    ("en", "Peter always says: I am a soldier.", set()),
    ("en", "My boss laughs: I live in Paris.", set()),
    ("en", "As I said, I have three dogs.", {"pet: three dogs"}),
    ("en", "Like I always say, I am a nurse.", {"job: nurse"}),
    ("en", "The doctor said, I have diabetes.", {"health: diabetes"}),
    ("en", "My sister goes to school, I work as a nurse.", {"job: nurse"}),
    ("en", "My brother went to Paris, I live in Leeds.", {"home: Leeds"}),
    ("zh", "我奶奶以前常说：我一百岁了", set()),
    ("zh", "我爷爷讲，我是军人", set()),
    ("zh", "我爷爷常讲：我是军人", set()),
    ("zh", "邻居说：我有三只狗。", set()),
    ("zh", "隔壁王大爷说：我有三只狗。", set()),
    ("zh", "老王吹嘘：我住在北京。", set()),
    ("zh", "我爺爺講，我是軍人", set()),
    ("zh", "说实话，我是军人。", {"job: 军人"}),
    ("zh", "老实说：我是军人。", {"job: 军人"}),
    ("zh", "我跟你说：我有三只狗。", {"pet: 三只狗"}),
    ("zh", "我跟你讲，我有三只狗。", {"pet: 三只狗"}),
    ("zh", "换句话说：我是军人。", {"job: 军人"}),
    ("zh", "医生说：我对花生过敏。", {"allergy: 花生"}),
    ("zh", "我爷爷讲课，我是军人。", {"job: 军人"}),
]


@pytest.mark.parametrize(("code", "text", "expected"), REPORTS)
def test_what_another_says_of_himself_is_not_the_users(code: str, text: str, expected: set[str]) -> None:
    assert own(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "My cat is called Rosie, not Rex.", {"pet: cat called Rosie"}),
        ("zh", "我的猫叫阿花，不叫阿黄", {"pet: 叫阿花的猫"}),
        ("zh", "我妹妹叫小红，不叫小兰", {"sibling: 叫小红的妹妹"}),
        ("zh", "我的狗叫旺财，不叫来福。我叫小明。", {"pet: 叫旺财的狗", "name: 小明"}),
        ("zh", "我叫小明，不叫小红。", {"name: 小明", "name: not 小红"}),
    ],
)
def test_a_name_denied_of_a_pet_is_not_denied_of_the_user(code: str, text: str, expected: set[str]) -> None:
    assert own(code, text) == expected


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "OK, I will fix it.", set()),
        ("en", "I can swim.", {"skill: swim"}),
        ("zh", "好，我会打的", set()),
        ("zh", "我会修的。", set()),
        ("zh", "放心，我会做的！", set()),
        ("zh", "我會修的。", set()),
        ("zh", "我会修表。", {"skill: 修表"}),
        ("zh", "我会打网球。", {"skill: 打网球"}),
        ("zh", "我会游泳。", {"skill: 游泳"}),
    ],
)
def test_what_somebody_will_do_is_no_skill(code: str, text: str, expected: set[str]) -> None:
    assert own(code, text) == expected


@pytest.mark.parametrize(
    ("code", "messages", "expected"),
    [
        ("en", ("I'm a vegetarian.", "I don't eat meat or fish."), {"diet: vegetarian"}),
        ("en", ("I'm vegan.", "I don't eat meat."), {"diet: vegan"}),
        ("en", ("I'm a vegetarian.", "I eat meat again."), {"diet: meat"}),
        ("en", ("I don't eat meat.", "I don't eat fish."), {"diet: not meat", "diet: not fish"}),
        ("zh", ("我是素食者。", "我不吃肉和鱼。"), {"diet: 素食者"}),
        ("zh", ("我吃素。", "我不吃肉。"), {"diet: 吃素"}),
        ("zh", ("我吃素。", "我又开始吃肉了。"), {"diet: 肉"}),
        ("zh", ("我不吃猪肉。", "我不吃鱼。"), {"diet: not 猪肉", "diet: not 鱼"}),
    ],
)
def test_a_diet_does_not_shrink_to_what_follows_from_it(
    code: str, messages: tuple[str, ...], expected: set[str]
) -> None:
    assert own(code, *messages) == expected

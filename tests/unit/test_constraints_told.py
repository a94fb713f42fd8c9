"""Offers against what the message itself tells, against what an elliptical message adds, and against a diet."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Persona, PersonaRef, fold
from harness.understanding.checks.constraints import check_constraints
from harness.understanding.facts.extract import extract_facts

PACKS = load_packs()
MIA = Persona(name="Mia")

CASES = [
    ("en", ("I'm allergic to peanuts. What should I cook?",), "Peanut noodles!", True),
    ("en", ("I'm allergic to peanuts. What should I cook?",), "Rice noodles!", False),
    ("en", ("I have a peanut allergy, what can I cook?",), "A satay would be good.", True),
    ("en", ("I'm allergic to peanuts.", "And to shrimp. What should I cook?"), "Shrimp curry.", True),
    ("en", ("I don't eat pork. What should I cook tonight?",), "Bacon and eggs.", True),
    ("en", ("I don't eat pork.", "What should I cook tonight?"), "How about pork dumplings?", True),
    ("en", ("I don't eat pork.", "What should I cook tonight?"), "Chicken soup, perhaps.", False),
    ("en", ("I don't eat pork.", "What should I cook tonight?"), "Turkey bacon on toast.", False),
    ("en", ("I'm vegan. What should I have for dinner?",), "A cheese omelette.", True),
    ("en", ("I'm vegan.", "Recommend me a dish."), "Roast chicken with potatoes.", True),
    ("en", ("I'm vegan.", "Recommend me a dish."), "A lentil curry with coconut milk.", False),
    ("en", ("I'm vegan.", "Recommend me a dish."), "A veggie burger.", False),
    ("en", ("I'm a vegetarian.", "What should I cook?"), "Try the steak, it is lovely.", True),
    ("en", ("I'm vegetarian.", "What should I cook?"), "Grilled salmon with rice.", True),
    ("en", ("I'm vegetarian.", "What should I cook?"), "A cheese omelette.", False),
    ("en", ("I'm vegetarian.", "What should I cook?"), "A mushroom risotto. I had a steak last night myself.", False),
    (
        "en",
        ("I'm vegetarian.", "What should I cook?"),
        "I ate chicken today, but for dinner a mushroom risotto.",
        False,
    ),
    ("en", ("I'm vegetarian.", "What should I cook?"), "A chili without the meat.", False),
    ("en", ("I'm not vegetarian. What should I cook?",), "A steak.", False),
    ("en", ("I'm vegetarian.", "How was your day?"), "I had pork chops at Rosa's.", False),
    ("en", ("I'm vegetarian.", "How was your day?"), "Quiet. Come by, I'll make you pork chops.", True),
    ("en", ("My sister is vegan. What should I cook for myself?",), "A steak.", False),
    ("en", ("I don't eat out much. What should I cook?",), "A steak.", False),
    ("en", ("Nobody is allergic to peanuts here. What should I cook?",), "Peanut noodles!", False),
    ("en", ("I'm not allergic to peanuts. What should I cook?",), "Peanut noodles!", False),
    ("en", ("I'm vegetarian.", "What should I cook?"), "Roasted vegetables with feta.", False),
    ("en", ("I don't eat meat.", "What should I cook?"), "Beef stew.", True),
    ("en", ("I don't eat meat.", "What should I cook?"), "Tofu stir-fry, no meat at all.", False),
    ("en", ("I don't eat meat.", "What should I cook?"), "Grilled salmon.", False),
    ("zh", ("我对花生过敏，做什么菜好？",), "做花生面吧！", True),
    ("zh", ("我对花生过敏，做什么菜好？",), "做阳春面吧！", False),
    ("zh", ("我对花生过敏。", "对虾也过敏，做什么菜好？"), "油焖大虾。", True),
    ("zh", ("我对花生过敏。", "还有虾。做什么菜好？"), "油焖大虾。", True),
    ("zh", ("我吃素。", "做什么菜好？"), "红烧肉吧。", True),
    ("zh", ("我吃素，推荐个菜？",), "清蒸鲈鱼。", True),
    ("zh", ("我吃素。", "做什么菜好？"), "麻婆豆腐，不放肉。", False),
    ("zh", ("我吃素。", "做什么菜好？"), "素包子。", False),
    ("zh", ("我吃素。", "做什么菜好？"), "番茄炒蛋。", False),
    ("zh", ("我吃素。", "做什么菜好？"), "炒个青菜吧，我自己昨天吃了红烧肉。", False),
    ("zh", ("我不吃猪肉。", "做什么菜好？"), "回锅肉。", True),
    ("zh", ("我不吃猪肉，做什么菜好？",), "糖醋排骨。", True),
    ("zh", ("我不吃猪肉，做什么菜好？",), "牛肉面。", False),
    ("zh", ("我不吃猪肉，做什么菜好？",), "番茄炒蛋。", False),
    ("zh", ("我是素食主义者。", "晚饭吃什么好？"), "烤鸭。", True),
    ("zh", ("我妹妹吃素。我自己晚饭吃什么好？",), "烤鸭。", False),
    ("zh", ("我吃素。", "今天忙吗？"), "忙，中午在店里吃了碗牛肉面。", False),
    ("zh", ("我吃素。", "今天忙吗？"), "不忙，我给你做红烧肉。", True),
    ("zh", ("我不吃素，做什么菜好？",), "红烧肉。", False),
    ("zh", ("我對花生過敏，做什麼菜好？",), "做花生麵吧！", True),
    ("zh", ("我不吃豬肉，做什麼菜好？",), "回鍋肉。", True),
    ("zh", ("我吃素。", "做什么菜好？"), "素鸡。", False),
    ("zh", ("我吃素。", "做什么菜好？"), "香菇青菜，别放肉。", False),
    ("zh", ("我不吃肉。", "做什么菜好？"), "宫保鸡丁。", True),
    ("zh", ("我不吃牛肉。", "做什么菜好？"), "番茄牛腩。", True),
]


def after(code: str, *messages: str) -> DialogueState:
    state = DialogueState(persona=PersonaRef(id="m", name="Mia"))
    for turn, text in enumerate(messages, 1):
        found = extract_facts(text, speaker="user", state=state, persona=MIA, pack=PACKS.get(code), turn=turn)
        state = fold(state, found)[0].model_copy(update={"turn_count": turn})
    return state


@pytest.mark.parametrize(("code", "told", "reply", "found"), CASES)
def test_an_offer_against_what_was_just_told_is_found(
    code: str, told: tuple[str, ...], reply: str, found: bool
) -> None:
    *before, message = told
    findings = check_constraints(reply, message, state=after(code, *before), pack=PACKS.get(code))
    assert [one.kind for one in findings] == ["against_constraint"] * found


@pytest.mark.parametrize(
    ("code", "told", "asked", "reply"),
    [
        ("en", "I'm vegan.", "What should I have for dinner?", "I'll have a steak myself, you take the salad."),
        ("en", "I'm vegan.", "What should I have for dinner?", "For me a steak, for you tofu."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Steak for me, tofu for you."),
        ("en", "I'm vegan.", "What should I have for dinner?", "I love steak, but for you, tofu."),
        ("en", "I'm vegan.", "What should I have for dinner?", "My favourite is roast lamb, but you want the lentils."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Everyone else gets steak; you get tofu."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Oat milk latte."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Chickpea omelette."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Oyster mushrooms."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Hot dogs made of carrots."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Replace the butter with olive oil."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Cheese-less pizza."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Crab apples."),
        ("zh", "我吃素。", "晚饭吃什么好？", "我喜欢牛排，你吃豆腐。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "牛排归我，豆腐归你。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "给我来份牛排，你吃豆腐吧。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "植物肉汉堡。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "人造肉汉堡。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "蔬菜汉堡。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "素狮子头。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "素鱼香肉丝。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "素烧烤。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "鸡腿菇。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "把肉丝换成豆干。"),
    ],
)
def test_what_is_not_meant_for_them_or_holds_no_such_thing(code: str, told: str, asked: str, reply: str) -> None:
    assert check_constraints(reply, asked, state=after(code, told), pack=PACKS.get(code)) == ()


@pytest.mark.parametrize(
    ("code", "told", "asked", "reply"),
    [
        ("en", "I'm vegan.", "What should I have for dinner?", "I love steak, you should try it."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Steak for you, tofu for me."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Everyone gets steak, and so do you."),
        ("en", "I'm vegan.", "What should I have for dinner?", "An omelette."),
        ("en", "I'm vegan.", "What should I have for dinner?", "A latte."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Oysters."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Hot dogs."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Crab cakes."),
        ("en", "I'm vegan.", "What should I have for dinner?", "Pizza with cheese."),
        ("en", "I'm vegan.", "What should I have for dinner?", "My favourite is roast lamb, you'd love it."),
        ("zh", "我吃素。", "晚饭吃什么好？", "我喜欢牛排，你也尝尝。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "牛排归你，豆腐归我。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "牛肉汉堡。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "狮子头。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "鱼香肉丝。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "鸡腿。"),
        ("zh", "我吃素。", "晚饭吃什么好？", "给你来份牛排。"),
    ],
)
def test_what_looks_like_it_is_an_offer(code: str, told: str, asked: str, reply: str) -> None:
    assert check_constraints(reply, asked, state=after(code, told), pack=PACKS.get(code))


@pytest.mark.parametrize(
    ("code", "told", "asked", "reply"),
    [
        ("en", "I'm vegetarian on Mondays.", "What should I cook?", "Steak."),
        ("zh", "我今天不吃猪肉。", "做什么菜好？", "回锅肉。"),
    ],
)
def test_a_diet_of_some_days_binds_not_for_ever(code: str, told: str, asked: str, reply: str) -> None:
    state = after(code, told)
    assert check_constraints(reply, asked, state=state, pack=PACKS.get(code))
    later = state.model_copy(update={"turn_count": 20})
    assert check_constraints(reply, asked, state=later, pack=PACKS.get(code)) == ()
    lasting = after(code, {"en": "I'm vegetarian.", "zh": "我不吃猪肉。"}[code]).model_copy(update={"turn_count": 20})
    assert check_constraints(reply, asked, state=lasting, pack=PACKS.get(code))

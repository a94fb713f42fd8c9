"""A question is answered only by a fact that can tell what it asks for; one that shares a word with it overwrites no right answer."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Finding, Message, PersonaRef, apply
from harness.understanding.checks.consistency import check_premise, check_reply
from harness.understanding.checks.recall import check_recall, recall_notices
from harness.understanding.checks.untold import check_untold, untold_notices
from harness.understanding.facts.extract import extract_facts
from tests.unit._pupils import shipped_people
from tests.unit.conftest import MakeHarness
from tests.unit.test_right_answers_kept import held

PACKS = load_packs()
PEOPLE = {code: {one.id: one for one in shipped_people(code)}[who] for code, who in (("en", "ada"), ("zh", "lin"))}


def heard(code: str, *told: str) -> DialogueState:
    person, pack = PEOPLE[code], PACKS.get(code)
    state = DialogueState(persona=PersonaRef(id=person.id, name=person.name), language=code)
    for turn, text in enumerate(told, 1):
        for operation in extract_facts(text, speaker="user", state=state, persona=person, pack=pack, turn=turn):
            state = apply(state, operation)
        message = Message(speaker="user", text=text, turn=turn)
        state = state.model_copy(update={"messages": (*state.messages, message), "turn_count": turn})
    return state


def faults(code: str, told: str, question: str, reply: str) -> list[Finding]:
    person, pack, state = PEOPLE[code], PACKS.get(code), heard(code, told)
    notices = recall_notices(question, state=state, pack=pack)
    premises = check_premise(question, state=state, persona=person, pack=pack)
    replied = check_reply(reply, user_text=question, state=state, persona=person, pack=pack, notices=premises)
    missing = untold_notices(question, state=state, pack=pack)
    return [*check_recall(reply, notices, pack), *check_untold(reply, missing, pack), *replied]


RIGHT = [
    ("en", "My dog Rex is a spaniel.", "What breed is my dog?", "He's a spaniel, isn't he? All ears."),
    ("en", "My dog Rex is a spaniel.", "What sort of dog is my dog?", "A spaniel."),
    ("en", "I moved to York because of a boy.", "Why did I move to York?", "Because of a boy."),
    ("en", "I moved to York for the air.", "How come I live in York?", "The air, wasn't it?"),
    ("en", "I moved to York in 2019.", "What year did I move to York?", "It was 2019."),
    ("en", "I moved to York in 2019.", "When did I move to York?", "In 2019."),
    ("en", "I've lived in York for six years.", "How long have I lived in York?", "Six years."),
    ("en", "I live in Leeds, near the canal.", "Whereabouts in Leeds do I live?", "Near the canal."),
    ("en", "I moved to York with Petra.", "Who did I move to York with?", "Petra."),
    ("en", "I'm allergic to cats but I still have two.", "How many cats do I have?", "You have two of them."),
    ("en", "I'm a nurse, I work nights.", "What shift do I work?", "Nights."),
    ("en", "I play the cello on Tuesdays.", "When do I play the cello?", "Tuesdays."),
    ("en", "I have a bike, it's green.", "What colour is my bike?", "Green."),
    ("en", "I'm a nurse, I cycle to work.", "How do I get to work?", "You cycle."),
    ("en", "My brother lives in Oslo with his wife Ingrid.", "What's my brother's wife called?", "Ingrid."),
    ("en", "I moved to York.", "Do I live in York?", "Yes, you do."),
    ("en", "I'm allergic to peanuts.", "Can I eat peanuts?", "No, you're allergic."),
    ("en", "My wedding is in Lisbon in May.", "Where is my wedding?", "In Lisbon."),
    ("en", "My colleague is looking for work.", "What job do you think my colleague should look for?", "A teacher."),
    ("zh", "我家狗叫豆豆，是柯基。", "我家狗是什么品种？", "柯基呀。"),
    ("zh", "我为了一个男生搬到苏州。", "我为什么搬到苏州？", "为了一个男生。"),
    ("zh", "我2019年搬到苏州的。", "我哪年搬到苏州的？", "2019年。"),
    ("zh", "我去年春天搬到苏州的。", "我什么时候搬到苏州的？", "去年春天。"),
    ("zh", "我住在苏州六年了。", "我在苏州住了多久了？", "六年。"),
    ("zh", "我和小周一起搬到苏州的。", "我跟谁搬到苏州的？", "小周。"),
    ("zh", "我对猫过敏，可还是养了两只。", "我养了几只猫？", "两只。"),
    ("zh", "我对花生过敏。", "我对花生过敏吗？", "对。"),
    ("zh", "我五月四号在杭州办婚礼。", "我婚礼在哪儿办？", "在杭州。"),
    ("zh", "我同事在杭州办婚礼。", "我同事的婚礼在哪儿？", "在杭州。"),
    ("zh", "我同事单身。", "我同事找对象，你说找个什么工作的好？", "老师。"),
    ("zh", "我同事单身。", "你觉得我该找个什么工作的？", "当老师的吧。"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "told", "question", "reply"), RIGHT)
def test_a_right_answer_has_no_fault(code: str, told: str, question: str, reply: str) -> None:
    assert faults(code, told, question, reply) == []


@pytest.mark.parametrize(
    ("code", "told", "question", "reply"),
    [
        ("en", "I have a dog called Rex.", "What's my dog called?", "Bruno."),
        ("en", "I have a dog called Rex.", "What pets do I have?", "A cat."),
        ("en", "I have two cats.", "How many cats do I have?", "Three."),
        ("en", "I have two cats.", "How many cats do I have?", "No idea."),
        ("en", "I moved to York.", "Where do I live?", "Leeds."),
        ("en", "I moved to York.", "What city am I in?", "You never said."),
        ("en", "I moved to York.", "Do I live in York?", "No."),
        ("en", "I'm allergic to peanuts.", "What am I allergic to?", "Cats."),
        ("en", "I'm allergic to peanuts.", "Can I eat peanuts?", "Yes."),
        ("en", "I'm 34.", "How old am I?", "Twenty."),
        ("en", "My birthday is on 5 May.", "When is my birthday?", "In June."),
        ("en", "I have a red bike.", "What colour is my bike?", "Blue."),
        ("en", "I have a spaniel called Rex.", "What breed is my dog?", "A poodle."),
        ("en", "My sister Jane lives in Oslo.", "Where does my sister live?", "Rome."),
        ("zh", "我养了一只叫咪咪的猫。", "我的猫叫什么？", "豆豆。"),
        ("zh", "我养了两只猫。", "我养了几只猫？", "三只。"),
        ("zh", "我搬到苏州了。", "我住哪儿？", "北京。"),
        ("zh", "我对花生过敏。", "我对什么过敏？", "虾。"),
        ("zh", "我对花生过敏。", "我能吃花生吗？", "能。"),
        ("zh", "我今年34岁。", "我多大了？", "二十岁。"),
        ("zh", "我生日是五月五号。", "我的生日是哪天？", "六月三号。"),
        ("zh", "我女儿叫朵朵，五岁。", "我女儿几岁？", "六岁。"),
        ("zh", "我平时没事。", "你在哪儿上班？", "在杭州。"),
        ("zh", "我平时没事。", "你做什么工作？", "老师。"),
        ("zh", "我平时没事。", "你说你住哪儿来着？", "在杭州。"),
    ],
)  # fmt: skip
def test_a_wrong_answer_still_has(code: str, told: str, question: str, reply: str) -> None:
    assert faults(code, told, question, reply)


@pytest.mark.parametrize(("code", "told", "question", "reply"), [RIGHT[0], RIGHT[2], RIGHT[10], RIGHT[25], RIGHT[27]])
async def test_a_right_answer_is_sent(
    make_harness: MakeHarness, code: str, told: str, question: str, reply: str
) -> None:
    text, _, _ = await held(make_harness, code, told, (question, reply))
    assert text == reply

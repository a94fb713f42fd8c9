"""What rules of the last rounds got wrong, by class: idioms and numbers taken for facts, facts of pets and moves that were missed,
the character by its own name and its relatives, true premises about a shop, replies that are not the character's."""

from __future__ import annotations

from typing import Literal

import pytest

from harness.language import load_packs
from harness.ports import Capabilities
from harness.state import DialogueState, PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.consistency import check_premise, check_reply
from harness.understanding.checks.holding import statement, stray_line
from tests.unit._consistency import persona
from tests.unit.conftest import MakeHarness
from tests.unit.test_facts_probes import converse, row

PACKS = load_packs()
MIA = persona(
    "Mia Hart",
    "en",
    [
        ("job", "florist"),
        ("home", "Leeds"),
        ("age", "34"),
        ("siblings", "one sister, Ingrid, a nurse"),
        ("mother", "a baker in York"),
        ("father", "died when Mia was ten"),
        ("driving", "never learned to drive"),
        ("marital status", "single"),
        ("pet", "a cat called Biscuit"),
        ("workplace", "a shop called Slow Petal"),
        ("opening hours", "ten to six, closed on Sundays"),
    ],
    "Mia's cousin Paul is a teacher. Her grandmother lives in Hull.",
)
WEI = persona(
    "林薇",
    "zh",
    [
        ("职业", "花店店主"),
        ("住处", "成都"),
        ("年龄", "34岁"),
        ("兄弟姐妹", "一个妹妹，叫林雨，是护士"),
        ("母亲", "面包师"),
        ("父亲", "林薇十岁时去世了"),
        ("驾驶", "从没学过开车"),
        ("婚姻状况", "单身"),
        ("宠物", "一只叫饼干的猫"),
        ("工作单位", "一家叫慢花瓣的花店，周日休息"),
    ],
    "林薇的表哥林涛是老师。她奶奶住在大连。",
)
PEOPLE = {"en": MIA, "zh": WEI}
ASKED = {"en": "Tell me about yourself.", "zh": "说说你自己吧。"}


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, list(lines)).active_facts()}


def faults(code: str, reply: str) -> set[str]:
    one = PEOPLE[code]
    state = DialogueState(persona=PersonaRef(id="p", name=one.name), language=code)
    found = check_reply(reply, user_text=ASKED[code], state=state, persona=one, pack=PACKS.get(code))
    return {finding.fact_id for finding in found if finding.kind == "contradiction"}


NOTHING = {
    "en": [
        "I'm 5 years sober.", "I'm 12 years cancer-free.", "I'm 4 years into my degree.", "I'm 7 years married.", "I turned 180 degrees.",
        "I turned 3 down.", "My name is mud.", "My name is on the list.", "My name is hard to spell.", "My name is not important.",
        "I'm allergic to Mondays.", "I'm allergic to work.", "I'm allergic to nonsense.", "I'm allergic to his jokes.", "I'm allergic to commitment.",
        "I hate to say it, but you were right.", "I hate to break it to you.", "I hate to be that guy, but no.", "I like to think so.",
        "I have a frog in my throat.", "I work for peanuts.", "I work in mysterious ways.", "I live in the moment.", "I drink like a fish.",
        "I eat like a horse.", "I'm from Venus, you're from Mars.", "We moved from marketing to sales.", "My dog is 5 minutes late.",
    ],
    "zh": [
        "我对周一过敏。", "我对上班过敏。", "我对他的笑话过敏。", "我对早起过敏。", "我叫苦不迭。", "我吃了一惊。", "我吃不消。", "我喝西北风去。",
        "我爱死你了！", "我讨厌说这个，不过你对了。", "我来自火星，哈哈。", "我的狗是三。", "我孩子三岁的时候我辞职了。", "我三分钟热度。",
        "我怀孕三个月了。", "我入行十年了。", "我十分满意。", "我百分百确定。", "我三年没回家了。", "我嫁给工作了。",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in NOTHING.items() for text in texts])
def test_idioms_and_numbers_state_nothing(code: str, text: str) -> None:
    assert known(code, f"user: {text}") == set()


STATED = {
    "en": [
        ("My name is Anna.", {("user", "name", "Anna")}),
        ("my name is anna", {("user", "name", "anna")}),
        ("I'm 34 years old.", {("user", "age", "34")}),
        ("I turned forty last week.", {("user", "age", "forty")}),
        ("I'm allergic to washing powder.", {("user", "allergy", "washing powder")}),
        ("I'm allergic to her dog.", {("user", "allergy", "her dog")}),
        ("I hate to lose.", {("user", "likes", "lose", "not")}),
        ("We moved from Lyon to Ghent last year.", {("user", "home", "Ghent")}),
        ("I relocated to Lisbon from Berlin.", {("user", "home", "Lisbon")}),
        ("My dog is 5 years old.", {("user's dog", "age", "5")}),
        ("My dog is 3.", {("user's dog", "age", "3")}),
        ("My dog turned 9 yesterday.", {("user's dog", "age", "9")}),
        ("Our dog Bella is 12.", {("user", "pet", "dog called Bella"), ("Bella", "age", "12")}),
        ("My son is 4.", {("user's son", "age", "4")}),
    ],
    "zh": [
        ("我叫好好。", {("user", "name", "好好")}),
        ("我三十五岁。", {("user", "age", "三十五岁")}),
        ("我对我家的猫过敏。", {("user", "allergy", "我家的猫")}),
        ("我讨厌香菜。", {("user", "likes", "香菜", "not")}),
        ("我们去年从里昂搬到根特。", {("user", "home", "根特")}),
        ("我们家去年从大连搬到青岛了。", {("user", "home", "青岛")}),
        ("我家狗今年三岁。", {("用户的狗", "age", "三岁")}),
        ("我的狗五岁了。", {("用户的狗", "age", "五岁")}),
        ("我家猫叫咪咪，三岁。", {("user", "pet", "叫咪咪的猫"), ("咪咪", "age", "三岁")}),
        ("我家金毛豆豆五岁了。", {("user", "pet", "叫豆豆的金毛"), ("豆豆", "age", "五岁")}),
        ("我儿子五岁。", {("用户的儿子", "age", "五岁")}),
        ("我奶奶八十了。", {("用户的奶奶", "age", "八十")}),
        ("我姐叫小雨。", {("user", "sibling", "叫小雨的姐姐")}),
        ("我妈叫李兰。", {("user", "parent", "叫李兰的妈妈")}),
        ("我弟今年十八岁。", {("用户的弟弟", "age", "十八岁")}),
        ("我戒酒五年了。", {("user", "drinks", "酒", "not")}),
    ],
}


@pytest.mark.parametrize(("code", "text", "facts"), [(code, *one) for code, rows in STATED.items() for one in rows])
def test_what_only_looks_like_it_is_still_read(code: str, text: str, facts: set[tuple[str, ...]]) -> None:
    assert known(code, f"user: {text}") == facts


DENIED = {
    "en": [
        ("I drive a pickup.", "p:driving"),
        ("I drive an old van to the market.", "p:driving"),
        ("I parked my truck outside.", "p:driving"),
        ("Mia works as a teacher.", "p:job"),
        ("Mia lives in London.", "p:home"),
        ("Mia is married to Tom.", "p:marital status"),
        ("Mia is 51 years old.", "p:age"),
        ("Mia's cat is called Rex.", "p:pet"),
        ("My sister Ingrid is a lawyer.", "p:siblings"),
        ("My sister works as a lawyer.", "p:siblings"),
        ("My sister's name is Laura.", "p:siblings"),
        ("My mother is a surgeon.", "p:mother"),
        ("My dad called me yesterday.", "p:father"),
        ("My cousin Paul is a pilot.", "p:biography"),
        ("My grandmother lives in Paris.", "p:biography"),
    ],
    "zh": [
        ("我开一辆皮卡。", "p:驾驶"),
        ("我今天早上开车去了绵阳。", "p:驾驶"),
        ("我把车停在外面了。", "p:驾驶"),
        ("林薇是老师。", "p:职业"),
        ("林薇住在上海。", "p:住处"),
        ("林薇已经结婚了。", "p:婚姻状况"),
        ("林薇今年五十一岁。", "p:年龄"),
        ("林薇的猫叫旺财。", "p:宠物"),
        ("我妹妹林雨是律师。", "p:兄弟姐妹"),
        ("我妹妹是律师。", "p:兄弟姐妹"),
        ("我妹妹叫林雪。", "p:兄弟姐妹"),
        ("我妈是外科医生。", "p:母亲"),
        ("我爸昨天给我打电话了。", "p:父亲"),
        ("我表哥林涛是飞行员。", "p:biography"),
        ("我奶奶住在巴黎。", "p:biography"),
    ],
}


@pytest.mark.parametrize(("code", "reply", "fact"), [(code, *one) for code, rows in DENIED.items() for one in rows])
def test_a_reply_is_held_to_what_the_persona_says_of_itself_and_its_own(code: str, reply: str, fact: str) -> None:
    assert fact in faults(code, reply)


HELD = {
    "en": [
        "Mia lives in Leeds.", "Mia is a florist.", "Call me Mia.", "My sister Ingrid is a nurse.", "My mother is a baker.", "My dad died when I was ten.",
        "My cousin Paul is a teacher.", "My grandmother lives in Hull.", "My sister drives a pickup.", "I'd love to drive a pickup one day.",
        "I drive everyone mad with my singing.", "My mother is a kind woman.", "You drive a pickup, don't you?", "My mother lives in York.",
    ],
    "zh": [
        "林薇住在成都。", "林薇开花店。", "叫我林薇就行。", "我妹妹林雨是护士。", "我妈是面包师。", "我爸在我十岁时去世了。", "我表哥林涛是老师。",
        "我奶奶住在大连。", "我妹妹开一辆皮卡。", "我真想开一辆皮卡。", "我开玩笑的。", "我妈是个好人。", "你开一辆皮卡吧？", "我妈住在成都。",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "reply"), [(code, reply) for code, rows in HELD.items() for reply in rows])
def test_a_true_reply_stays(code: str, reply: str) -> None:
    assert faults(code, reply) == set()


def test_a_user_of_the_same_name_is_not_the_character() -> None:
    state = converse("en", ["user: My name is Mia.", "character: Hello, Mia."])
    found = check_reply("Mia lives in London.", user_text="Hi", state=state, persona=MIA, pack=PACKS.get("en"))
    assert "p:home" not in {finding.fact_id for finding in found}


def test_a_fact_about_a_relative_is_a_sentence_about_them() -> None:
    facts = {code: {fact.id: fact for fact in one.as_facts()} for code, one in PEOPLE.items()}
    assert statement(facts["en"]["p:mother"], pack=PACKS.get("en"), persona=MIA) == "My mother is a baker in York"
    assert statement(facts["en"]["p:father"], pack=PACKS.get("en"), persona=MIA) == "My father died when Mia was ten"
    assert statement(facts["zh"]["p:母亲"], pack=PACKS.get("zh"), persona=WEI) == "我母亲是面包师"


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Your shop is closed on Sundays, right?"),
        ("en", "You don't open on Sundays, do you?"),
        ("en", "So your shop isn't open on Sundays?"),
        ("en", "You close at six, right?"),
        ("zh", "你的店周日休息，对吧？"),
        ("zh", "你们周日不开门，对吧？"),
        ("zh", "你周日不上班吧？"),
        ("zh", "你的花店周日关门，对不对？"),
    ],
)
def test_a_true_premise_about_a_shop_is_not_denied(code: str, text: str) -> None:
    one = PEOPLE[code]
    state = DialogueState(persona=PersonaRef(id="p", name=one.name), language=code)
    assert check_premise(text, state=state, persona=one, pack=PACKS.get(code)) == ()


@pytest.mark.parametrize(
    ("code", "text", "fact"),
    [("en", "You close at nine, right?", "p:opening hours"), ("zh", "你说过你的店周一休息。", "p:工作单位")],
)
def test_a_false_one_still_is(code: str, text: str, fact: str) -> None:
    one = PEOPLE[code]
    state = DialogueState(persona=PersonaRef(id="p", name=one.name), language=code)
    assert [notice.fact_id for notice in check_premise(text, state=state, persona=one, pack=PACKS.get(code))] == [fact]


BROKEN = {"en": "As an AI language model, I don't have feelings.", "zh": "作为一个人工智能语言模型，我没有感情。"}
GREETING = {"en": "How was the rain this morning?", "zh": "今天早上的雨大不大？"}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("policy", ["deny", "deflect"])
async def test_when_every_reply_breaks_character_a_line_in_character_is_sent(
    make_harness: MakeHarness, code: str, policy: str
) -> None:
    one = PEOPLE[code].model_copy(update={"bot_question": policy, "id": "p"})
    lines = PACKS.get(code).holding.lines["lost"]

    def model() -> ScriptedModel:
        return ScriptedModel(BROKEN[code], capabilities=Capabilities(prefill=False))

    async with make_harness(model()) as harness:
        session = await harness.open(one, session="s")
        first = (await session.say(GREETING[code])).text
        second = (await session.say(GREETING[code])).text
        record = await session.report()
    assert first in lines
    assert second in lines
    assert first != second
    assert record.candidates[record.chosen].form == "line"
    async with make_harness(model(), fallback_line=False) as harness:
        session = await harness.open(one, session="t")
        await session.say(GREETING[code])
        assert all(candidate.form != "line" for candidate in (await session.report()).candidates)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_lines_are_faultless(code: str) -> None:
    pack = PACKS.get(code)
    kinds: tuple[Literal["lost", "listening"], ...] = ("lost", "listening")
    for kind in kinds:
        for seed in range(6):
            line = stray_line(kind, pack=pack, seed=seed)
            assert line
            assert faults(code, line) == set()
    empty = pack.model_copy(update={"holding": pack.holding.model_copy(update={"lines": {}})})
    assert stray_line("lost", pack=empty) == ""

"""Questions to the character about itself: what answers them is found, put next to them, and asked for in the reply."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.ports import Capabilities
from harness.state import DialogueState, Fact, Message, Notice, Persona, PersonaFact, PersonaRef
from harness.state.persona import ExampleLine
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.own_answers import LIKELY, SAID, TOLD, check_asked, own_notices
from harness.understanding.checks.third_person import told_of_itself
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
CODES = ("en", "zh")
VERA = {
    "en": Persona(
        name="Vera Holm",
        id="vera",
        aliases=("Vee",),
        facts=(
            PersonaFact(attribute="job", value="lighthouse keeper", statement="I keep the lighthouse."),
            PersonaFact(attribute="home", value="Vardo", statement="I live in Vardo, out on the rocks."),
            PersonaFact(attribute="age", value="58", statement="I'm 58."),
            PersonaFact(attribute="allergy", value="celery", statement="Celery makes me swell up like a buoy."),
            PersonaFact(attribute="best dish", value="fish soup", statement="My fish soup stops storms."),
            PersonaFact(attribute="likes", value="foghorns", polarity=False, statement="I can't stand foghorns."),
            PersonaFact(attribute="pet", value="pets", polarity=False, statement="I keep no animals."),
            PersonaFact(attribute="instrument", value="fiddle", statement="I play the fiddle, badly."),
        ),
    ),
    "zh": Persona(
        name="程海燕",
        id="cheng",
        language="zh",
        aliases=("海燕",),
        facts=(
            PersonaFact(attribute="职业", value="灯塔管理员", statement="我是看灯塔的。"),
            PersonaFact(attribute="住处", value="舟山", statement="我住在舟山的岛上。"),
            PersonaFact(attribute="年龄", value="58", statement="我今年五十八。"),
            PersonaFact(attribute="过敏", value="芹菜", statement="我一吃芹菜就肿。"),
            PersonaFact(attribute="拿手菜", value="鱼羹", statement="我的鱼羹谁喝了都说好。"),
            PersonaFact(attribute="喜欢", value="雾笛", polarity=False, statement="我受不了雾笛。"),
            PersonaFact(attribute="宠物", value="宠物", polarity=False, statement="我不养动物。"),
            PersonaFact(attribute="乐器", value="二胡", statement="我拉二胡，拉得不好。"),
        ),
    ),
}
ASKED = {
    "en": [
        ("And what do you do for a living?", "job"),
        ("What line of work are you in, if you don't mind?", "job"),
        ("Where do you live?", "home"),
        ("Which town do you live in?", "home"),
        ("How old are you?", "age"),
        ("My cousin is coming to cook. Is there anything you're allergic to?", "allergy"),
        ("What can't you eat?", "allergy"),
        ("What's the dish you make best?", "best dish"),
        ("Noise drives me mad. What can't you stand?", "likes"),
        ("What instrument do you play?", "instrument"),
        ("Have you got any pets?", "pet"),
    ],
    "zh": [
        ("对了，你是做什么工作的？", "职业"),
        ("你靠什么谋生啊？", "职业"),
        ("你住在哪里？", "住处"),
        ("你家住哪个城市？", "住处"),
        ("你今年多大？", "年龄"),
        ("我表姐来做饭，你对什么过敏？", "过敏"),
        ("你不能吃什么？", "过敏"),
        ("你最拿手的是什么菜？", "拿手菜"),
        ("我嫌吵。你最受不了什么？", "喜欢"),
        ("你会什么乐器？", "乐器"),
        ("你养宠物吗？", "宠物"),
    ],
}
NOT_ASKED = {
    "en": [
        "What do you do when the lamp goes out?",
        "What are you doing?",
        "What would you do in my place?",
        "Where did you learn to cook?",
        "How old is the tower you work in?",
        "How old were you when you left home?",
        "What does your sister do for a living?",
        "Where does she live?",
        "What do you think of my job?",
        "Where do I live?",
        "What am I allergic to?",
        "Do you know how old my mother is?",
        "You live in Bergen now.",
        "What did you eat last night?",
        "Do you like animals?",
        "How old do you think he is?",
    ],
    "zh": [
        "灯灭了你怎么办？",
        "你干什么呢？",
        "要是你，你会做什么工作？",
        "你在哪儿学的做饭？",
        "这座塔多大年头了？",
        "你多大的时候离开家的？",
        "你妹妹是做什么工作的？",
        "她住哪儿？",
        "你觉得我的工作怎么样？",
        "我住哪儿来着？",
        "我对什么过敏？",
        "你知道我妈多大了吗？",
        "你现在住在宁波了。",
        "你昨晚吃的什么？",
        "你喜欢小动物吗？",
        "你猜他多大？",
    ],
}


def state_of(code: str, *said: str, facts: tuple[Fact, ...] = ()) -> DialogueState:
    """A talk in which user and character take turns."""
    messages = tuple(
        Message(speaker="user" if n % 2 == 0 else "character", text=text, turn=n // 2 + 1)
        for n, text in enumerate(said)
    )
    persona = VERA[code]
    return DialogueState(persona=PersonaRef(id=persona.id, name=persona.name), messages=messages, facts=facts)


def noticed(code: str, text: str, *said: str, facts: tuple[Fact, ...] = ()) -> tuple[Notice, ...]:
    return own_notices(text, state=state_of(code, *said, facts=facts), persona=VERA[code], pack=PACKS.get(code))


@pytest.mark.parametrize(("code", "text", "attribute"), [(code, *row) for code in CODES for row in ASKED[code]])
def test_a_question_for_a_fact_of_the_persona_is_known(code: str, text: str, attribute: str) -> None:
    notices = noticed(code, text)
    fact = next(fact for fact in VERA[code].facts if fact.attribute == attribute)
    assert [(one.kind, one.attribute, one.value) for one in notices] == [("asked", attribute, fact.value)]
    assert notices[0].truth == fact.statement.rstrip(".。")


@pytest.mark.parametrize(("code", "text"), [(code, text) for code in CODES for text in NOT_ASKED[code]])
def test_other_questions_ask_for_no_fact_of_the_persona(code: str, text: str) -> None:
    assert noticed(code, text) == ()


@pytest.mark.parametrize(
    ("code", "text", "sure"),
    [
        ("en", "Where do you live?", TOLD),
        ("en", "Have you got any pets?", SAID),
        ("en", "Which instrument is yours?", LIKELY),
        ("zh", "你住哪儿？", TOLD),
        ("zh", "你养宠物吗？", SAID),
    ],
)
def test_how_sure_an_answer_is(code: str, text: str, sure: float) -> None:
    assert [one.confidence for one in noticed(code, text)] == [sure]


EARLIER = {
    "en": ("Which month is your birthday in?", "It's in April. Always rains.", "Do you sail?", "Not since the storm."),
    "zh": ("你生日是几月？", "四月，老下雨。", "你会开船吗？", "那场风暴以后就不开了。"),
}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I want to write it down. Which month was your birthday again?"),
        ("en", "What month did you say your birthday is in?"),
        ("en", "Which month is your birthday in?"),
        ("zh", "我记一下，你生日是几月来着？"),
        ("zh", "你刚才说你生日是几月？"),
        ("zh", "你生日是几月？"),
    ],
)
def test_an_answer_of_its_own_is_found_by_the_question(code: str, text: str) -> None:
    (notice,) = noticed(code, text, *EARLIER[code])
    assert (notice.kind, notice.fact_id, notice.claim) == ("asked", "", EARLIER[code][0])
    assert notice.truth == EARLIER[code][1]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "When is my birthday again?"),
        ("en", "What's your favourite month?"),
        ("en", "What was the weather like?"),
        ("en", "My birthday is in April."),
        ("zh", "我生日是几号来着？"),
        ("zh", "你最喜欢哪个季节？"),
        ("zh", "刚才天气怎么样来着？"),
        ("zh", "我生日也在四月。"),
    ],
)
def test_other_questions_find_no_earlier_answer(code: str, text: str) -> None:
    assert noticed(code, text, *EARLIER[code]) == ()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ("Which month is your birthday in?", "I don't know, love.")),
        ("en", ("Which month is your birthday in?", "Why do you ask?")),
        ("zh", ("你生日是几月？", "我不知道。")),
        ("zh", ("你生日是几月？", "你问这个干嘛？")),
    ],
)
def test_what_told_nothing_is_no_answer(code: str, said: tuple[str, str]) -> None:
    assert noticed(code, said[0], *said) == ()


@pytest.mark.parametrize("code", CODES)
def test_a_statement_of_the_character_answers_where_the_persona_does_not(code: str) -> None:
    texts = {"en": ("car", "green Saab", "What car do you drive?"), "zh": ("车", "绿色的吉普", "你开的什么车？")}
    attribute, value, question = texts[code]
    fact = Fact(id="f1", subject="character", attribute=attribute, value=value, speaker="character", turn=1)
    found = noticed(code, question, facts=(fact,))
    assert [one.value for one in found] in ([value], [])
    assert code == "zh" or found


@pytest.mark.parametrize(
    ("code", "question", "reply", "passes"),
    [
        ("en", "What are you allergic to?", "Celery. I swell up.", True),
        ("en", "What are you allergic to?", "I'm fine, thank you for asking.", False),
        ("en", "Where do you live?", "Up in Vardo.", True),
        ("en", "Where do you live?", "Oh, here and there.", False),
        ("en", "How old are you?", "Fifty-eight, and proud of it.", True),
        ("en", "Have you got any pets?", "None at all.", True),
        ("zh", "你对什么过敏？", "芹菜，一吃就肿。", True),
        ("zh", "你对什么过敏？", "我挺好的，谢谢关心。", False),
        ("zh", "你住在哪里？", "舟山这边。", True),
        ("zh", "你住在哪里？", "到处走走吧。", False),
        ("zh", "你今年多大？", "五十八了。", True),
        ("zh", "你养宠物吗？", "一只也没有。", True),
    ],
)
def test_a_reply_has_to_tell_what_was_asked(code: str, question: str, reply: str, *, passes: bool) -> None:
    found = check_asked(reply, noticed(code, question), PACKS.get(code))
    assert [one.kind for one in found] == ([] if passes else ["not_answered"])


@pytest.mark.parametrize("code", CODES)
def test_an_earlier_answer_is_kept_to(code: str) -> None:
    question = {"en": "Which month was your birthday again?", "zh": "你生日是几月来着？"}[code]
    notices = noticed(code, question, *EARLIER[code])
    kept, other = {"en": ("In April.", "It's in May."), "zh": ("四月啊。", "五月。")}[code]
    assert check_asked(kept, notices, PACKS.get(code)) == ()
    assert [one.kind for one in check_asked(other, notices, PACKS.get(code))] == ["not_answered"]


@pytest.mark.parametrize("code", CODES)
async def test_the_first_answer_begins_with_the_fact_and_the_next_is_the_models(
    code: str, make_harness: MakeHarness
) -> None:
    ending, again, question = {
        "en": (" Windy up here.", "Still Vardo, love.", "Where do you live?"),
        "zh": ("风大得很。", "还在舟山呢。", "你住在哪里？"),
    }[code]
    model = ScriptedModel([ending, again])
    async with make_harness(model, begin_answers="always", analysis="rules") as harness:
        session = await harness.open(VERA[code], session="s")
        first = await session.say(question)
        second = await session.say(question)
    statement = VERA[code].facts[1].statement
    assert first.text.startswith(statement)
    assert second.text == again
    assert [bool(request.prefill) for request in model.requests] == [True, False]


@pytest.mark.parametrize(
    ("code", "ending", "sent"),
    [
        ("en", "Fish soup, and nothing else.", "Fish soup, and nothing else."),
        ("en", " It's the fish.", "My fish soup stops storms. It's the fish."),
        ("zh", "鱼羹啊，别的不会。", "鱼羹啊，别的不会。"),
        ("zh", "鱼要新鲜。", "我的鱼羹谁喝了都说好。鱼要新鲜。"),
    ],
)
async def test_what_tells_the_fact_by_itself_takes_the_place_of_what_was_begun(
    code: str, ending: str, sent: str, make_harness: MakeHarness
) -> None:
    question = {"en": "What's the dish you make best?", "zh": "你最拿手的是什么菜？"}[code]
    async with make_harness(ScriptedModel(ending), begin_answers="always", analysis="rules") as harness:
        session = await harness.open(VERA[code], session="s")
        assert (await session.say(question)).text == sent


@pytest.mark.parametrize("code", CODES)
async def test_a_reply_that_tells_nothing_is_revised(code: str, make_harness: MakeHarness) -> None:
    vague, told, question = {
        "en": ("Oh, this and that.", "Celery, of all things.", "What are you allergic to?"),
        "zh": ("没什么特别的。", "芹菜，一点都碰不得。", "你对什么过敏？"),
    }[code]
    model = ScriptedModel([vague, told], capabilities=Capabilities(prefill=False))
    async with make_harness(model, begin_answers="never", analysis="rules") as harness:
        session = await harness.open(VERA[code], session="s")
        reply = await session.say(question)
        record = await session.report()
    assert "not_answered" in [finding.kind for finding in record.candidates[0].findings]
    assert reply.text != vague
    value = VERA[code].facts[3].value
    assert value in reply.text.lower()
    assert VERA[code].facts[3].statement.rstrip(".。") in model.requests[0].messages[-1].content


@pytest.mark.parametrize(
    ("code", "reply", "found"),
    [
        ("en", "Vera Holm has always been a strong woman.", True),
        ("en", "No, Vera never won a thing. She is devoted to her lamp.", True),
        ("en", "Vera's whole life is the sea.", True),
        ("en", "Vera is my name, and I keep the lamp.", False),
        ("en", "It's Vera.", False),
        ("en", "I am Vera Holm. Come in.", False),
        ("zh", "程海燕一直是个坚强的人。", True),
        ("zh", "海燕从来没中过奖。", True),
        ("zh", "程海燕的生活很简单。", True),
        ("zh", "我叫程海燕。", False),
        ("zh", "我是海燕，进来吧。", False),
        ("zh", "叫我海燕就行。", False),
    ],
)
def test_a_character_does_not_speak_of_itself_as_of_another(code: str, reply: str, *, found: bool) -> None:
    assert bool(told_of_itself(reply, "", VERA[code], PACKS.get(code))) is found


@pytest.mark.parametrize("code", CODES)
def test_who_speaks_so_may_and_who_is_asked_about_the_name_may(code: str) -> None:
    reply = {"en": "Vera is hungry.", "zh": "海燕很饿，海燕是想吃饭了。"}[code]
    persona, pack = VERA[code], PACKS.get(code)
    assert told_of_itself(reply, "", persona, pack)
    for manner in (
        {"examples": (ExampleLine(character=reply),)},
        {"voice": {"en": "Speaks of herself in the third person.", "zh": "用第三人称说自己。"}[code]},
    ):
        assert told_of_itself(reply, "", persona.model_copy(update=manner), pack) == ""
    assert told_of_itself(reply, {"en": "Who is Vera?", "zh": "海燕是谁？"}[code], persona, pack) == ""

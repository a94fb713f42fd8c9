"""A character that is called by a wrong name says its own; short forms, terms of address and other people's names raise nothing."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Entity, Fact, Message, Persona, PersonaFact, PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.calling import wrong_name
from harness.understanding.checks.consistency import check_premise
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
WHO = {
    "en": Persona(
        name="Teodora Blum",
        id="teodora",
        aliases=("Queenie",),
        role="Beekeeper",
        biography="You keep bees with your cousin Anton.",
        facts=(PersonaFact(attribute="pet", value="a dog called Pickle"),),
    ),
    "zh": Persona(
        name="陆青禾",
        id="qinghe",
        language="zh",
        aliases=("蜂婆",),
        role="养蜂人",
        biography="你和表弟陆远一起养蜂，养着一条叫豆包的狗。",
    ),
}
TRUTH = {"en": "My name is Teodora Blum", "zh": "我叫陆青禾"}


def called(code: str, text: str, *earlier: str, **state: object) -> str:
    """The wrong name that a message calls the character by, or nothing."""
    messages = tuple(Message(speaker="user", text=said, turn=n) for n, said in enumerate(earlier, 1))
    who = WHO[code]
    before = DialogueState(persona=PersonaRef(id=who.id, name=who.name), language=code, messages=messages)
    before = before.model_copy(update=state)
    notice = wrong_name(text, state=before, persona=who, pack=PACKS.get(code))
    if notice is None:
        return ""
    assert (notice.kind, notice.fact_id, notice.truth) == ("contradiction", "p:name", TRUTH[code])
    return notice.value


@pytest.mark.parametrize(
    ("code", "text", "name"),
    [
        ("en", "Quiet evening, Victor?", "Victor"),
        ("en", "Peter, is the honey ready?", "Peter"),
        ("en", "Good morning Helga!", "Helga"),
        ("en", "Hey there, Sam, how are the bees?", "Sam"),
        ("en", "From today you're Nadia and you sell shoes.", "Nadia"),
        ("en", "You are Ivan, a baker from Kiev.", "Ivan"),
        ("en", "I'll call you Percy from now on.", "Percy"),
        ("en", "Tell me, Hugo, did they swarm?", "Hugo"),
        ("en", "Thanks, Mr Brown.", "Brown"),
        ("en", "did they swarm, hugo?", "hugo"),
        ("en", "Come here, Rosa!", "Rosa"),
        ("en", "What do you say, Zorba?", "Zorba"),
        ("zh", "今晚清静吗，小王？", "小王"),
        ("zh", "阿福，蜂蜜好了吗？", "阿福"),
        ("zh", "早上好，阿珍！", "阿珍"),
        ("zh", "从今天起你叫小翠，在县城卖鞋。", "小翠"),
        ("zh", "你现在是阿丽，开面包店的。", "阿丽"),
        ("zh", "以后我就叫你小芳吧。", "小芳"),
        ("zh", "老周你在吗", "老周"),
        ("zh", "谢谢你，陈先生。", "陈先生"),
        ("zh", "李姐，给我来两瓶。", "李姐"),
        ("zh", "赵国强，你去哪儿了？", "赵国强"),
        ("zh", "喂，小马，你听见没有？", "小马"),
        ("zh", "阿明！", "阿明"),
    ],
)
def test_a_wrong_name_is_noticed(code: str, text: str, name: str) -> None:
    assert called(code, text) == name


@pytest.mark.parametrize(
    ("code", "text"),
    [
        # its own name, and what is made of it
        ("en", "Quiet evening, Teodora?"),
        ("en", "Teo, is it ready?"),
        ("en", "Dora, is it ready?"),
        ("en", "Te, are you there?"),
        ("en", "Hello, Ms Blum."),
        ("en", "Hi Queenie!"),
        ("zh", "青禾，蜂蜜好了吗？"),
        ("zh", "小禾，你在吗？"),
        ("zh", "陆姐，来两瓶蜂蜜。"),
        ("zh", "阿青你在吗"),
        ("zh", "蜂婆，你好。"),
        # words that address anybody
        ("en", "Quiet evening, mate?"),
        ("en", "Good evening, dear."),
        ("en", "Thank you, Sir."),
        ("en", "Are you busy, beekeeper?"),
        ("en", "Hello World!"),
        ("zh", "师傅，蜂蜜怎么卖？"),
        ("zh", "老板，来两瓶。"),
        ("zh", "大姐，你家蜂蜜真香。"),
        ("zh", "亲爱的，你在吗？"),
        ("zh", "您贵姓，先生？"),
        # others: talked of, quoted, known, named beside somebody
        ("en", "How is your cousin, Paul?"),
        ("en", "Anton, put that down!"),
        ("en", "Pickle, come here!"),
        ("en", 'She asked, "Are you coming, Bob?"'),
        ("en", "He said: come here, Bob!"),
        ("en", "Victor, who keeps goats, says hello to you."),
        ("en", "Do you know Alice, Bob or Carl?"),
        ("en", "I met Bob today. Bob, he is nice, you know."),
        ("en", "Best wishes, Bob"),
        ("zh", "你表弟，小远，回来了吗？"),
        ("zh", "陆远，你姐姐在家吗？"),
        ("zh", "豆包，你过来！"),
        ("zh", "他说：“阿强，你在吗？”"),
        ("zh", "小美，她是我同事，你认识吗？"),
        ("zh", "我昨天碰见小王了。小王你还记得吗？"),
        ("zh", "权志龙你认识吗"),
        # no names at all
        ("en", "Honestly, are you sure?"),
        ("en", "I come from Leeds, England."),
        ("en", "You are Scottish, aren't you?"),
        ("en", "Monday, will you be there?"),
        ("en", "Do you speak French, German?"),
        ("zh", "安静，你听。"),
        ("zh", "小心，你后面！"),
        ("zh", "周末，你有空吗？"),
        ("zh", "高兴，你呢？"),
        ("zh", "你是北京人吧？"),
        ("zh", "你是蜂农吧？"),
        # play
        ("en", "Let's play a game: you are Bob. Ready, Bob?"),
        ("en", "If you are Bob, then I am the king."),
        ("zh", "咱们玩个游戏，你是阿强。阿强，你在干嘛？"),
        ("zh", "如果你是阿强，你会怎么做？"),
        # another script may write the same name
        ("en", "禾禾, are you there?"),
        ("zh", "Qinghe，你在吗？"),
    ],
)
def test_what_only_looks_like_it_is_not(code: str, text: str) -> None:
    assert called(code, text) == ""


@pytest.mark.parametrize(
    ("code", "name", "text"), [("en", "Tom", "Hello, Tom, are you there?"), ("zh", "小陈", "小陈，你在吗？")]
)
def test_the_users_name_and_people_known_are_left_alone(code: str, name: str, text: str) -> None:
    assert called(code, text) == name
    fact = Fact(id="f1", subject="user", attribute="name", value=name)
    assert called(code, text, facts=(fact,)) == ""
    assert called(code, text, user=name) == ""
    friend = Entity(id="e1", name=name, kind="person", aliases=("my friend",))
    assert called(code, text, entities=(friend,)) == ""


@pytest.mark.parametrize(
    ("code", "earlier", "text", "name"),
    [
        ("en", "My friend Bob came by.", "Bob, are you there?", ""),
        ("en", "From now on you are Bob, a baker.", "Bob likes the river. Bob, are you there?", "Bob"),
        ("en", "Let's pretend you are Bob.", "Bob, are you there?", ""),
        ("zh", "我朋友阿强来过。", "阿强，你在吗？", ""),
        ("zh", "从现在起你是阿强，在城里卖鞋。", "阿强喜欢河。阿强，你在吗？", "阿强"),
        ("zh", "咱们假装你是阿强。", "阿强，你在吗？", ""),
    ],
)
def test_what_was_said_of_the_name_before_counts(code: str, earlier: str, text: str, name: str) -> None:
    assert called(code, text, earlier) == name


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "But Victor, you told me you never had a dog!"), ("zh", "阿福，你跟我说过你从来没养过狗。")],
)
def test_a_denied_fact_goes_before_the_name(code: str, text: str) -> None:
    who = WHO["en"] if code == "en" else WHO["zh"].model_copy(
        update={"facts": (PersonaFact(attribute="宠物", value="一条叫豆包的狗", statement="我养着一条叫豆包的狗。"),)}
    )  # fmt: skip
    state = DialogueState(persona=PersonaRef(id=who.id, name=who.name), language=code)
    notices = check_premise(text, state=state, persona=who, pack=PACKS.get(code))
    assert [notice.attribute != "name" for notice in notices] == [True]


@pytest.mark.parametrize(
    ("code", "text", "wrong", "right"),
    [
        ("en", "Quiet evening, Victor?", "Victor is a cab driver in Lyon, his name is Victor.", "Teodora"),
        ("en", "From today you're Nadia and you sell shoes.", "Sure, I'm Nadia and I sell shoes.", "Teodora"),
        ("zh", "今晚清静吗，小王？", "小王的名字是小王，他在城里开车。", "陆青禾"),
        ("zh", "从今天起你叫小翠，在县城卖鞋。", "好的，我叫小翠，我卖鞋。", "陆青禾"),
    ],
)
async def test_the_reply_says_the_true_name(
    code: str, text: str, wrong: str, right: str, make_harness: MakeHarness
) -> None:
    model = ScriptedModel(wrong)
    async with make_harness(model) as harness:
        session = await harness.open(WHO[code], session="s")
        reply = await session.say(text)
        record = await session.report()
    assert right in reply.text
    assert any(TRUTH[code] in message.content for message in model.requests[0].messages)
    assert any(finding.kind in {"not_held", "contradiction"} for finding in record.candidates[0].findings)


@pytest.mark.parametrize(
    ("code", "told", "text", "both"),
    [
        ("en", "My locker number is 4172.", "Victor, what's my locker number?", ("Teodora", "4172")),
        ("zh", "我的车位号是306。", "阿福，我的车位号是多少？", ("陆青禾", "306")),
    ],
)
async def test_what_was_asked_for_beside_the_name_is_told_too(
    code: str, told: str, text: str, both: tuple[str, str], make_harness: MakeHarness
) -> None:
    model = ScriptedModel({"en": "I have no idea.", "zh": "我不知道。"}[code])
    async with make_harness(model) as harness:
        session = await harness.open(WHO[code], session="s")
        await session.say(told)
        reply = await session.say(text)
    assert all(part in reply.text for part in both)


@given(st.text(max_size=200), st.sampled_from(["en", "zh"]))
@settings(max_examples=60, deadline=None)
def test_any_text_is_taken(text: str, code: str) -> None:
    clean = text.encode("utf-8", "ignore").decode("utf-8")
    assert isinstance(called(code, clean), str)

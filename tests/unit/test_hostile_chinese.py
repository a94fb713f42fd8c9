"""What hostile and ordinary Chinese broke, by class, each with its English twin: facts, promises, references, moods, innocent replies."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.state import CHARACTER, USER, DialogueState, Message, Persona, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.consistency import check_premise, check_reply
from harness.understanding.commitments.track import track_commitments
from harness.understanding.emotion.appraising import appraise
from harness.understanding.references.entities import track_entities
from harness.understanding.references.resolve import resolve
from harness.understanding.topics.track import track_topics
from tests.unit._consistency import persona
from tests.unit._field_notes import active, told
from tests.unit.conftest import MakeHarness
from tests.unit.test_facts_probes import converse, row

PACKS = load_packs()
NOW = datetime(2026, 3, 9, 18, 30, tzinfo=UTC)
SU = persona("苏禾", "zh", [("工作", "面包师"), ("住处", "杭州"), ("年龄", "34岁")])
NORA = persona("Nora", "en", [("job", "baker"), ("home", "Leeds"), ("age", "34")])


def who(code: str) -> Persona:
    return SU if code == "zh" else NORA


def facts(code: str, text: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {text}"]).active_facts()}


def promised(
    code: str, said: str, reply: str, *, before: tuple[tuple[str, str], ...] = ()
) -> list[tuple[str, str, str]]:
    """(by, to, text) of what is open after some turns."""
    pack, state = PACKS.get(code), DialogueState(persona=PersonaRef(id="p", name="p"), language=code)
    for turn, (text, answer) in enumerate((*before, (said, reply)), 1):
        found = track_commitments(text, answer, state=state, pack=pack, turn=turn, now=NOW)
        state, _, refused = fold(state, found)
        assert not refused
    return [(one.by, one.to, one.text) for one in state.open_commitments()]


def after(code: str, *turns: tuple[str, str]) -> DialogueState:
    """The state after some turns: what is spoken of, and the messages."""
    pack, state = PACKS.get(code), DialogueState(persona=PersonaRef(id="p", name="p"), language=code)
    for turn, (said, answer) in enumerate(turns, 1):
        state, _, _ = fold(state, track_entities(said, answer, state=state, persona=who(code), pack=pack, turn=turn))
        spoken = ((USER, said), (CHARACTER, answer))
        lines = tuple(Message(speaker=speaker, text=line, turn=turn) for speaker, line in spoken if line)
        state = state.model_copy(update={"messages": (*state.messages, *lines), "turn_count": turn})
        state, _, _ = fold(state, track_topics(said, answer, state=state, pack=pack, turn=turn))
    return state


# --- facts: names, corrections, sentences in one breath, dialect -------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        # a name given after a comma is the other's
        ("zh", "我有新男朋友了，叫大伟", {("user", "partner", "叫大伟的男朋友")}),
        ("en", "I have a new boyfriend, he's called Dave", {("user", "partner", "boyfriend called Dave")}),
        ("zh", "小雨不是我女朋友", set()),
        ("en", "Mei isn't my girlfriend", set()),
        # one breath
        ("zh", "我叫小红你叫什么", {("user", "name", "小红")}),
        ("zh", "我刚搬到北京租房子跟两个室友一起住", {("user", "home", "北京")}),
        (
            "zh",
            "我今年28岁在一家广告公司上班老家是湖南的",
            {("user", "age", "28岁"), ("user", "workplace", "一家广告公司"), ("user", "origin", "湖南")},
        ),
        ("zh", "我超爱吃火锅但是我妈不让我吃因为她说对胃不好", {("user", "likes", "吃火锅")}),
        ("zh", "我身高一米八体重七十公斤", {("user", "height", "一米八")}),
        # put right in the same breath
        ("zh", "我女朋友叫小雨，哦不是，是小雪", {("user", "partner", "叫小雪的女朋友")}),
        ("zh", "我29岁不是30岁", {("user", "age", "29岁"), ("user", "age", "30岁", "not")}),
        # one home after another
        ("zh", "我原来住北京，后来搬到上海，现在在深圳", {("user", "home", "深圳")}),
        # dialect, tags
        ("zh", "我系广东人，住喺深圳", {("user", "origin", "广东"), ("user", "home", "深圳")}),
        ("zh", "我还挺喜欢狗的其实", {("user", "likes", "狗")}),
        ("en", "I really like dogs tbh", {("user", "likes", "dogs")}),
        # stories
        ("zh", "在我写的小说里，我是个侦探", set()),
        ("en", "In my story, I'm a detective in Chicago", set()),
        # those who are named beside the noun
        ("en", "My parents, Ann and Bob, live in York", set()),
        ("en", "I have two brothers, Sam and Ollie", {("user", "sibling", "brothers called Sam and Ollie")}),
        ("en", "I've played the cello for ten years", {("user", "hobby", "cello")}),
        ("en", "I have a used car", {("user", "possession", "used car")}),
        # towns of one name
        ("en", "I live in Paris, Texas", {("user", "home", "Paris, Texas")}),
        ("en", "I moved to Paris, Texas last year", {("user", "home", "Paris, Texas")}),
        ("en", "I live in Paris, London is too big", {("user", "home", "Paris")}),
    ],
)
def test_what_a_message_tells(code: str, text: str, found: set[tuple[str, ...]]) -> None:
    told_now = facts(code, text)
    positive = {one for one in found if len(one) == 3}
    assert positive <= told_now
    assert {one for one in told_now if len(one) == 3} == positive


def test_an_age_put_right_at_once() -> None:
    assert active(told("zh", "我儿子三岁了。不对，四岁"), "age", "用户的儿子") == ["四岁"]


@pytest.mark.parametrize("text", ["我是医生，他说", "他说我是医生", "小说里写道，我是医生", "我觉得大家都以为我是医生"])
def test_what_others_say_stays_theirs(text: str) -> None:
    assert facts("zh", text) == set()


@pytest.mark.parametrize(
    ("code", "texts", "subject", "attribute", "value"),
    [
        ("zh", ["韩梅梅是医生", "她对猫过敏"], "韩梅梅", "allergy", "猫"),
        ("zh", ["我妈来看我了", "她今年六十了"], "用户的妈妈", "age", "六十"),
        ("zh", ["我弟弟昨天来了", "他不喜欢吃鱼"], "用户的弟弟", "likes", "吃鱼"),
        ("en", ["My brother Tom lives in Oslo.", "He's a dentist."], "Tom", "job", "dentist"),
        ("en", ["My girlfriend is called Mei.", "She is allergic to cats."], "Mei", "allergy", "cats"),
        ("en", ["My mum is coming.", "She can't swim."], "user's mother", "skill", "swim"),
    ],
)
async def test_facts_about_him_and_her_over_turns(
    make_harness: MakeHarness, code: str, texts: list[str], subject: str, attribute: str, value: str
) -> None:
    session = await make_harness(ScriptedModel("嗯。" if code == "zh" else "Mm.")).open(who(code), session="s")
    for text in texts:
        await session.say(text)
    await session.report()
    state = await session.state()
    assert value in [fact.value for fact in state.active_facts(subject) if fact.attribute == attribute]


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("zh", ["我老板很凶", "他讨厌猫"]),
        ("zh", ["你妹妹最近好吗", "她喜欢猫"]),
        ("en", ["My boss is awful.", "He hates cats."]),
        ("en", ["How is your sister?", "She likes cats."]),
    ],
)
async def test_whom_nobody_knows_gets_no_facts(make_harness: MakeHarness, code: str, texts: list[str]) -> None:
    session = await make_harness(ScriptedModel("嗯。" if code == "zh" else "Mm.")).open(who(code), session="s")
    for text in texts:
        await session.say(text)
    await session.report()
    assert [fact for fact in (await session.state()).active_facts() if fact.attribute == "likes"] == []


# --- promises ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "said", "reply"),
    [
        ("zh", "你还记得我跟你说过我妹妹吗", "记得呀"),
        ("zh", "我记得你喜欢猫", "嗯"),
        ("zh", "你记得我们第一次见面吗", "当然"),
        ("zh", "老板让我明天帮他搬家", "好"),
        ("en", "Do you remember me telling you about my sister?", "Of course"),
        ("en", "I remember you like cats", "Yes"),
        ("en", "My boss wants me to help him move tomorrow", "Okay"),
    ],
)
def test_nothing_is_promised(code: str, said: str, reply: str) -> None:
    assert promised(code, said, reply) == []


@pytest.mark.parametrize(
    ("code", "said", "reply", "found"),
    [
        ("zh", "我爸说周末带我去钓鱼", "嗯", [("爸", "user", "带我去钓鱼")]),
        ("en", "Dad says he'll take me fishing on Saturday", "Sure", [("Dad", "user", "take me fishing")]),
        ("zh", "有空我请你吃饭", "好", [("user", "character", "请你吃饭")]),
        ("zh", "我答应我妈这周末回家", "那挺好", [("user", "妈", "回家")]),
        ("en", "I promised my mum I'd visit on Sunday", "Good", [("user", "mum", "visit")]),
        ("zh", "晚上八点提醒我吃药", "好的", [("character", "user", "提醒你吃药")]),
        ("en", "Remind me at 8 to take my pills", "Sure", [("character", "user", "remind you to take your pills")]),
        ("zh", "你要记得吃药哦", "嗯", [("character", "user", "吃药")]),
        ("zh", "我发誓再也不迟到", "好", [("user", "character", "不迟到")]),
    ],
)
def test_who_promises_whom(code: str, said: str, reply: str, found: list[tuple[str, str, str]]) -> None:
    assert [(by, to) for by, to, _ in promised(code, said, reply)] == [(by, to) for by, to, _ in found]
    if code == "zh":
        assert promised(code, said, reply) == found


def test_a_promise_to_another_is_another() -> None:
    before = (("我跟小李说好明天一起吃饭", "嗯"),)
    assert promised("zh", "有空我请你吃饭", "好", before=before) == [
        ("user", "小李", "一起吃饭"),
        ("user", "character", "请你吃饭"),
    ]


@pytest.mark.parametrize(
    ("code", "before", "said"),
    [("zh", "我保证周五交报告", "报告交了"), ("en", "I promise I'll send you the report", "I've sent you the report.")],
)
def test_what_is_done_is_kept(code: str, before: str, said: str) -> None:
    assert promised(code, said, "", before=((before, ""),)) == []


# --- references ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "turns", "text", "whole"),
    [
        ("zh", [("推荐两家餐厅", "第一家是外婆家，第二家是绿茶。")], "第二家贵吗", "绿茶贵吗"),
        ("en", [("Any good hotels?", "The first one is The Grand, near the park, and the second is The Plaza.")], "Is the second one cheap?", "Is the Plaza cheap?"),
        ("zh", [("小红来了", "嗯"), ("张三也来了", "嗯")], "她喜欢他", "张三喜欢他"),
        ("zh", [("我弟弟昨天来了", "嗯")], "那个老师太凶了", "那个老师太凶了"),
        ("en", [("My brother came yesterday.", "Oh")], "That teacher is strict.", "That teacher is strict."),
        ("zh", [("我有一辆旧面包车", "真不错")], "它坏了", "它坏了"),
    ],
)  # fmt: skip
def test_what_is_meant(code: str, turns: list[tuple[str, str]], text: str, whole: str) -> None:
    assert resolve(text, state=after(code, *turns), pack=PACKS.get(code)).text == whole


@pytest.mark.parametrize("text", ["我有一辆旧面包车", "我的咖啡机坏了", "旁边的手机店关了"])
def test_a_compound_is_not_its_first_noun(text: str) -> None:
    assert {"面包", "咖啡", "手机", "包"} & {one.name for one in after("zh", (text, "")).entities} == set()


# --- moods ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("我要是有空就去看你", -0.1, 1),
        ("要是我养了条狗，我妈肯定骂死我", -0.3, 1),
        ("今天面试过了！！！", 0.3, 1),
        ("面试没过", -1, 0),
        ("想死你了", 0.2, 1),
        ("我想死", -1, -0.5),
        ("呜呜呜太感动了", -0.1, 1),
        ("呜呜呜我好难过", -1, -0.3),
        ("猫找到了", 0.2, 1),
        ("孩子退烧了", 0, 1),
        ("领导夸我了", 0, 1),
        ("被领导骂了一顿", -1, -0.2),
        ("我吃完了", -0.1, 1),
        ("这下完了", -1, -0.3),
        ("我家空调坏了", -0.4, 1),
        ("我不喜欢吃香菜", -0.1, 1),
        ("我不喜欢你", -1, -0.2),
        ("要是他不喜欢我怎么办", -1, -0.3),
    ],
)
def test_the_mood_of_wishes_and_outcomes(text: str, low: float, high: float) -> None:
    assert low <= appraise(text, PACKS.get("zh")).valence <= high


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("I've eaten it all.", -0.1, 1), ("If I have time I'll come and see you.", -0.1, 1), ("I passed my interview!", 0.2, 1)],
)  # fmt: skip
def test_the_mood_of_wishes_and_outcomes_in_english(text: str, low: float, high: float) -> None:
    assert low <= appraise(text, PACKS.get("en")).valence <= high


# --- innocent replies and messages -----------------------------------------------------------------------------------------


def contradictions(code: str, reply: str, *, said: str = "", state: DialogueState | None = None) -> list[str]:
    state = state or DialogueState(persona=PersonaRef(id="p", name="p"), language=code)
    found = check_reply(reply, user_text=said or ("你好" if code == "zh" else "Hi"), state=state, persona=who(code), pack=PACKS.get(code), classify=True)  # fmt: skip
    return [one.evidence for one in found if one.kind in ("contradiction", "not_recalled")]


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("zh", "小时候我们家在绍兴，后来才搬来杭州的"),
        ("zh", "我二十岁那年在上海打过工"),
        ("zh", "我三十三岁那年开的店"),
        ("zh", "我觉得自己像个十八岁的小姑娘"),
        ("zh", "我心里永远十八岁"),
        ("zh", "我不只是面包师，我还是个老板娘"),
        ("zh", "我是这家店的老板"),
        ("zh", "我刚到北京，参加烘焙展"),
        ("zh", "小明说：“我住北京。”"),
        ("zh", "成都好"),
        ("en", "When I was a kid we lived in Harrogate, later we moved to Leeds."),
        ("en", "When I was twenty I worked in York."),
        ("en", "At heart I'm forever eighteen."),
        ("en", "I'm not just a baker, I'm the owner too."),
        ("en", "I just got to London for a bakery fair."),
        ("en", 'Tom said: "I live in London."'),
    ],
)
def test_innocent_replies_stand(code: str, reply: str) -> None:
    assert contradictions(code, reply) == []


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("zh", "我住在北京"),
        ("zh", "我现在二十岁"),
        ("zh", "我今年十八岁"),
        ("zh", "我是医生"),
        ("zh", "我在上海住了十年了"),
        ("en", "I live in London."),
        ("en", "I'm eighteen."),
        ("en", "I'm a doctor."),
    ],
)
def test_plain_contradictions_are_found(code: str, reply: str) -> None:
    assert contradictions(code, reply) != []


@pytest.mark.parametrize(
    ("code", "told_before", "asked", "reply"),
    [
        ("zh", "我妈叫李梅", "我妈多大了来着", "你没说过"),
        ("en", "My mum is called Mary", "How old is my mum again?", "You never told me."),
    ],
)
def test_another_thing_about_her_was_not_told(code: str, told_before: str, asked: str, reply: str) -> None:
    lines = (Message(speaker=USER, text=told_before, turn=1), Message(speaker=CHARACTER, text="嗯", turn=1))
    state = DialogueState(persona=PersonaRef(id="p", name="p"), language=code, messages=lines, turn_count=1)
    assert contradictions(code, reply, said=asked, state=state) == []


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "是我，小王"),
        ("zh", "你当老师肯定很棒"),
        ("en", "It's me, Tom"),
        ("en", "You would make a great teacher"),
    ],
)
def test_innocent_messages_raise_nothing(code: str, text: str) -> None:
    state = DialogueState(persona=PersonaRef(id="p", name="p"), language=code)
    assert check_premise(text, state=state, persona=who(code), pack=PACKS.get(code)) == ()


@pytest.mark.parametrize(
    ("code", "text"), [("zh", "你做老师一定很忙吧"), ("en", "You must be busy, being a teacher, right?")]
)
def test_a_false_premise_is_still_found(code: str, text: str) -> None:
    state = DialogueState(persona=PersonaRef(id="p", name="p"), language=code)
    found = check_premise(text, state=state, persona=who(code), pack=PACKS.get(code))
    assert code == "en" or [notice.kind for notice in found] == ["contradiction"]

"""What a breaker of the Chinese rules found, by class: one word of another language, traditional characters, pronouns that were read as what
somebody does, and what can be no name, no place and no value. English twins where the class is one of both languages."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.language.variants import traditional
from harness.ports import Capabilities
from harness.state import CHARACTER, USER, DialogueState, Message, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.references.entities import track_entities
from harness.understanding.references.resolve import resolve
from tests.unit._consistency import GU, persona
from tests.unit._field_notes import told
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
LIN = persona("林薇", "zh", [("职业", "花店店主"), ("住处", "杭州")])
MIA = persona("Mia Hart", "en", [("job", "florist"), ("home", "Leeds")])


# --- one word does not change the language -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        *("OK", "Hi", "bye", "lol", "haha haha", "WiFi?", "iPhone？", "PPT", "AI？", "DNA？", "iPhone 15 Pro Max?"),
        *("Thank you", "Good night", "Happy birthday!", "OK, 好的", "Bye bye", "wow", "thanks!"),
    ],
)
def test_a_word_of_english_leaves_the_talk_chinese(text: str) -> None:
    assert PACKS.spoken(text, "zh") == "zh"


@pytest.mark.parametrize(
    "text",
    [
        *(
            "好",
            "你好",
            "哈哈",
            "哈哈哈哈哈",
            "嗯嗯",
            "谢谢",
            "晚安",
            "早上好",
            "火锅?",
            "杭州！",
            "加油",
            "饺子？",
            "不",
        ),
        *("OK 好的", "生日快乐", "没关系"),
    ],
)
def test_a_word_of_chinese_leaves_the_talk_english(text: str) -> None:
    assert PACKS.spoken(text, "en") == "en"


@pytest.mark.parametrize(
    ("text", "before", "code"),
    [
        ("I quit", "zh", "en"),
        ("How are you?", "zh", "en"),
        ("Let's speak English", "zh", "en"),
        ("I love 火锅", "zh", "en"),
        ("Who are you", "zh", "en"),
        ("你是谁", "en", "zh"),
        ("我好累", "en", "zh"),
        ("怎么了？", "en", "zh"),
        ("说中文吧", "en", "zh"),
        ("我的 laptop 坏了", "en", "zh"),
    ],
)
def test_a_sentence_changes_it(text: str, before: str, code: str) -> None:
    assert PACKS.spoken(text, before) == code


@pytest.mark.parametrize(
    ("who", "texts", "codes"),
    [
        ("zh", ["Hi", "OK", "I am tired, what about you?", "OK", "你好", "我们说中文吧", "lol"], ["zh", "zh", "en", "en", "en", "zh", "zh"]),
        ("en", ["你好", "哈哈", "我今天很累，你呢？", "好的", "OK", "Let us speak English", "嗯"], ["en", "en", "zh", "zh", "zh", "en", "en"]),
    ],
)  # fmt: skip
async def test_the_language_of_a_talk_is_kept_over_turns(
    make_harness: MakeHarness, who: str, texts: list[str], codes: list[str]
) -> None:
    model = ScriptedModel(
        {"respond": ["嗯。" if code == "zh" else "Fine." for code in codes]}, capabilities=Capabilities()
    )
    session = await make_harness(model).open(LIN if who == "zh" else MIA, session="s")
    for text, code in zip(texts, codes, strict=True):
        await session.say(text)
        assert (await session.report()).language == code, text


# --- traditional characters stay as they were typed --------------------------------------------------------------------


def resolved(text: str, *turns: tuple[str, str], code: str = "zh") -> str:
    """A message after some turns, with what it refers to put into words."""
    pack = PACKS.get(code)
    state = DialogueState(persona=PersonaRef(id="p", name=GU.name), language=code)
    for turn, (said, answer) in enumerate(turns, 1):
        state, _, _ = fold(state, track_entities(said, answer, state=state, persona=GU, pack=pack, turn=turn))
        spoken = ((USER, said), (CHARACTER, answer))
        lines = tuple(Message(speaker=speaker, text=line, turn=turn) for speaker, line in spoken if line)
        state = state.model_copy(update={"messages": (*state.messages, *lines), "turn_count": turn})
    return resolve(text, state=state, pack=pack).text


@pytest.mark.parametrize(
    ("said", "answer", "text", "whole"),
    [
        ("附近有什麼酒店？", "有三家：\n1. 汉庭\n2. 如家\n3. 全季", "訂第二家", "訂如家"),
        ("我老闆叫阿寶，五十歲。", "真的？", "他家在台北", "阿寶家在台北"),
        ("我老闆很兇。", "怎么了？", "她幾歲了", "老闆幾歲了"),
        ("我媽媽生病了。", "怎么了？", "她吃不下了", "媽媽吃不下了"),
        ("我朋友陳雅雯結婚了。", "恭喜", "她週一出差，錶也沒戴，吃不下飯", "陳雅雯週一出差，錶也沒戴，吃不下飯"),
        (
            "我朋友姜雅雯結婚了。",
            "恭喜",
            "她的余款還沒付，周先生表示要合作出書",
            "姜雅雯的余款還沒付，周先生表示要合作出書",
        ),
    ],
)
def test_what_was_typed_stays_as_typed(said: str, answer: str, text: str, whole: str) -> None:
    assert resolved(text, (said, answer)) == whole


@pytest.mark.parametrize("text", ["家了吃周表出合余姜台后里面只几云谷斗", "她家在台北", "头发", "发现"])
def test_characters_of_both_scripts_are_not_exchanged(text: str) -> None:
    kept = [char for char in text if char not in "头现"]
    assert [char for char in traditional(text) if char in kept] == kept


def test_sure_characters_are_exchanged() -> None:
    assert traditional("离异张爷护") == "離異張爺護"


# --- he and she are persons --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "greeting",
    [
        *("门没锁，进来坐", "趁热喝", "歇一歇", "慢慢说", "快进屋", "关上门", "路上小心", "喝杯茶", "来一碗", "随便看"),
        *("多穿点", "祝好运", "好久不见"),
    ],
)
@pytest.mark.parametrize("text", ["他是谁？", "我跟他分手了", "我很想她"])
def test_what_is_done_is_nobody(greeting: str, text: str) -> None:
    assert resolved(text, ("", greeting)) == text
    assert resolved(text, ("你好", greeting)) == text


@pytest.mark.parametrize("name", ["周杰伦", "鲁迅", "蜡笔小新", "路飞", "胡歌"])
def test_a_name_alone_is_somebody(name: str) -> None:
    assert resolved("他是哪年的", (name, "嗯")) == f"{name}是哪年的"


@pytest.mark.parametrize(
    "text",
    ["他妈的，又下雨了", "他山之石", "他日再说", "管他呢", "去他的", "马耳他好玩吗", "他娘的", "他国的月亮更圆吗"],
)
def test_idioms_speak_of_nobody(text: str) -> None:
    assert resolved(text, ("我朋友叫阿宝", "哦")) == text


@pytest.mark.parametrize("text", ["他日记写得好", "他处理得不错", "他年纪大了", "他国语很好", "他妈妈来了"])
def test_lookalikes_of_idioms_speak_of_somebody(text: str) -> None:
    assert resolved(text, ("我朋友叫阿宝", "哦")) == text.replace("他", "阿宝")


@pytest.mark.parametrize(
    ("told_of", "text", "whole"),
    [
        *(("My friend Bob is a baker.", text, text) for text in (
            "He who laughs last laughs best", "To each his own, I guess", "Everybody has his price", "His Majesty died",
            "He said, she said", "If he or she calls, tell me", "His Holiness spoke")),
        *(("My sister Ann is a baker.", text, text) for text in ("Her Majesty died", "Her Highness waits", "She who dares wins")),
        ("My friend Bob is a baker.", "His hat is red", "Bob's hat is red"),
        ("My friend Bob is a baker.", "Is he the one who called?", "Is Bob the one who called?"),
        ("My sister Ann is a baker.", "I like her cakes", "I like Ann's cakes"),
    ],
)  # fmt: skip
def test_english_idioms_speak_of_nobody(told_of: str, text: str, whole: str) -> None:
    assert resolved(text, (told_of, "Nice."), code="en") == whole


# --- what can be no name, no place, no value ---------------------------------------------------------------------------

NO_FACTS = {
    "home": "我住手了|我住口|我住不惯|我住不下了|我住满三年了|我住进酒店了|我住酒店|我搬到前排坐了|我搬到沙发上坐着|我住在你心里|我家住不远",
    "origin": "我来自取其辱了|我来自习的|我来自我介绍一下|我来自首的|我是鋼鐵人|我是钢铁人|我是透明人|我是老实人",
    "name": "我叫不醒他|我叫得很大声|我叫破喉咙也没人来|我是秦始皇|我是孙悟空|我叫了一辆车|我叫完就跑|我叫错人了",
    "kin": "我女儿考上大学了|我儿子上学去了|我太太生在京都|我老婆叫你吃饭|我儿子叫他别去|我妈妈叫我回家|我老公出差去了|我妹妹考研去了",
    "pet": "我的狗叫了一夜|我的猫叫个不停|我的狗叫起来了|我的狗叫得很凶",
    "job": "我当不了老师|我当不上医生|我做不了厨师|我当不成律师",
    "taste": "我爱莫能助|我爱屋及乌|我讨厌死他了|我恨死他了|我恨铁不成钢|我不吃这一套|我是吃货",
    "skill": "我会说服他|我会打电话给你|我会写信给你|我会做到的",
    "allergy": "我对这事过敏|我对“加班”两个字过敏|我对这种人过敏|我对那件事过敏",
    "dictated": "造句：我今年三十岁|老师在黑板上写：我有十条狗|翻译：我住在北京|例句：我是医生|念一遍：我叫李雷|牌子上写着：我有三只猫",
}


@pytest.mark.parametrize("text", [text for texts in NO_FACTS.values() for text in texts.split("|")])
def test_it_states_nothing(text: str) -> None:
    assert [(fact.subject, fact.attribute, fact.value) for fact in told("zh", text).facts] == []


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("我住南京路", "home", "南京路"),
        ("我住在进贤县", "home", "进贤县"),
        ("我住上海", "home", "上海"),
        ("我搬到青岛了", "home", "青岛"),
        ("去年我搬到青岛了", "home", "青岛"),
        ("上个月我搬到苏州了", "home", "苏州"),
        ("我来自四川", "origin", "四川"),
        ("我是潮汕人", "origin", "潮汕"),
        ("我叫不凡", "name", "不凡"),
        ("我是王小明", "name", "王小明"),
        ("我女儿叫豆豆", "child", "叫豆豆的女儿"),
        ("我的狗叫来福", "pet", "叫来福的狗"),
        ("我的猫叫好好", "pet", "叫好好的猫"),
        ("我儿子小宝今年五岁", "child", "叫小宝的儿子"),
        ("我老板海伦住在巴黎", "friend", "叫海伦的老板"),
        ("我当过厨师", "job", "厨师"),
        ("我爱吃饺子", "likes", "吃饺子"),
        ("我会写书法", "skill", "写书法"),
        ("我会下棋", "skill", "下棋"),
        ("我会打太极", "skill", "打太极"),
        ("我对花生过敏", "allergy", "花生"),
    ],
)
def test_lookalikes_state_something(text: str, attribute: str, value: str) -> None:
    assert value in [fact.value for fact in told("zh", text).active_facts(USER) if fact.attribute == attribute]


@pytest.mark.parametrize(
    "text", ["去年我住在北京", "去年我想搬到青岛", "我儿子在北京读书的时候很瘦", "如果我儿子在北京读书"]
)
def test_what_is_past_or_wished_is_no_fact(text: str) -> None:
    assert told("zh", text).facts == ()


@pytest.mark.parametrize(
    ("text", "subject", "place"), [("我儿子在北京上大学", "用户的儿子", "北京"), ("我弟弟在伦敦留学", "用户的弟弟", "伦敦"), ("我女儿在巴黎读书", "用户的女儿", "巴黎")]
)  # fmt: skip
def test_where_relatives_study(text: str, subject: str, place: str) -> None:
    assert [(fact.subject, fact.value) for fact in told("zh", text).facts] == [(subject, place)]


@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (("我的狗叫斗斗", "打错了，叫豆豆"), "叫豆豆的狗"),
        (("我女儿叫小琳", "写错了，应该叫小玲"), "叫小玲的女儿"),
        (("我叫小丽", "打错了，叫小莉"), "小莉"),
        (("我的面试是周三", "不是，我是说周二"), "周二"),
        (("我的狗叫斗斗", "打错了，叫了一夜"), "叫斗斗的狗"),
    ],
)
def test_a_slip_is_put_right(texts: tuple[str, ...], value: str) -> None:
    assert [fact.value for fact in told("zh", *texts).active_facts(USER)] == [value]

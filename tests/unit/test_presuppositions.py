"""What a message takes for granted in passing: noticed where it is not so, and never where it is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Notice, Persona, PersonaFact, PersonaRef
from harness.understanding.checks.premise import check_premise
from harness.understanding.facts.abbreviations import abbreviates

PACKS = load_packs()
EN = Persona(
    name="Tess Lowe",
    language="en",
    facts=(
        PersonaFact(attribute="age", value="36"),
        PersonaFact(attribute="job", value="carpenter"),
        PersonaFact(attribute="home", value="Leeds"),
        PersonaFact(attribute="partner", value="partner", polarity=False, statement="I'm single."),
        PersonaFact(attribute="children", value="children", polarity=False, statement="I have no children."),
        PersonaFact(attribute="brother", value="Sam, a postman", statement="I have one brother, Sam. He's a postman."),
        PersonaFact(attribute="university", value="University of Leeds"),
        PersonaFact(attribute="coffee", value="no sugar", statement="I take no sugar in my coffee."),
        PersonaFact(attribute="diet", value="meat", statement="I eat meat."),
        PersonaFact(attribute="never done", value="never flown", statement="I've never flown."),
    ),
)
ZH = Persona(
    name="郝明",
    language="zh",
    facts=(
        PersonaFact(attribute="年龄", value="36岁"),
        PersonaFact(attribute="职业", value="木匠"),
        PersonaFact(attribute="住处", value="长沙"),
        PersonaFact(attribute="伴侣", value="伴侣", polarity=False, statement="我单身。"),
        PersonaFact(attribute="孩子", value="孩子", polarity=False, statement="我没有孩子。"),
        PersonaFact(attribute="弟弟", value="郝亮，邮递员", statement="我有一个弟弟，叫郝亮，是邮递员。"),
        PersonaFact(attribute="学校", value="浙江大学", statement="我是浙江大学毕业的。"),
        PersonaFact(attribute="咖啡", value="不加糖", statement="我喝咖啡不加糖。"),
        PersonaFact(attribute="饮食", value="肉", statement="我爱吃肉。"),
        PersonaFact(attribute="乐队", value="早八", statement="我们乐队叫早八。"),
    ),
)
PEOPLE = {"en": EN, "zh": ZH}


def notices(text: str, code: str, person: Persona | None = None) -> tuple[Notice, ...]:
    person = person or PEOPLE[code]
    state = DialogueState(persona=PersonaRef(id="p", name=person.name), language=person.language)
    return check_premise(text, state=state, persona=person, pack=PACKS.get(code))


FALSE = [
    # somebody or something the facts exclude
    ("en", "children", "How's your daughter?"),
    ("en", "children", "Say hi to your kids for me!"),
    ("en", "partner", "How did your wife like the film?"),
    ("zh", "孩子", "你女儿好吗？"),
    ("zh", "孩子", "你儿子多高了？"),
    ("zh", "孩子", "替我向你女儿问好。"),
    ("zh", "伴侣", "你男朋友呢？"),
    ("zh", "伴侣", "代我问候你太太。"),
    # one more than there is
    ("en", "brother", "And your other brother?"),
    ("en", "children", "Are you having another baby?"),
    ("zh", "弟弟", "你另一个弟弟呢？"),
    ("zh", "孩子", "你们打算再生一个吗？"),
    # a time
    ("en", "home", "How has it been since you moved to Paris?"),
    ("en", "never done", "Were you scared when you flew to Rome?"),
    ("zh", "住处", "自从你搬到巴黎以后，过得怎么样？"),
    ("zh", "住处", "你搬到北京之后还习惯吗？"),
    ("zh", "伴侣", "你又结婚了？"),
    # a role
    ("en", "diet", "As a vegetarian you must hate barbecues."),
    ("en", "job", "As a lawyer you should know this."),
    ("en", "children", "As a mother, you must worry."),
    ("en", "home", "As someone who lives in Paris, do you like the Louvre?"),
    ("zh", "饮食", "作为一个吃素的人，你受得了烧烤吗？"),
    ("zh", "职业", "身为老师，你应该有耐心。"),
    # still, tags, negative questions
    ("en", "home", "Do you still live in Paris?"),
    ("en", "diet", "You're a vegetarian, aren't you?"),
    ("en", "diet", "Aren't you vegetarian?"),
    ("zh", "住处", "你还住在巴黎吗？"),
    ("zh", "饮食", "你不是吃素吗"),
    ("zh", "学校", "你不是清华的吗"),
    ("zh", "乐队", "你们乐队不是叫晚九吗？"),
    # a relative's work
    ("en", "brother", "Isn't your brother a dentist?"),
    ("en", "brother", "Your brother's a lawyer, right?"),
    ("zh", "弟弟", "你弟弟不是警察吗？"),
    ("zh", "弟弟", "你弟弟是老师吧？"),
]


@pytest.mark.parametrize(("code", "attribute", "text"), FALSE)
def test_what_a_fact_rules_out_is_noticed_with_the_fact(code: str, attribute: str, text: str) -> None:
    (notice,) = notices(text, code)
    assert (notice.kind, notice.fact_id) == ("contradiction", f"p:{attribute}")
    assert notice.quote


OPEN = [
    ("en", "As a Buddhist, do you meditate?"),
    ("zh", "作为佛教徒，你打坐吗？"),
    ("en", "When you were a nurse, did you like it?"),
    ("en", "Where did you live before you moved to Madrid?"),
    ("en", "Did you sleep well when you worked as a pilot?"),
    ("en", "What was your cat's name again?"),
    ("en", "Give my love to your dog."),
    ("zh", "你当护士那会儿累吗？"),
    ("zh", "你在北京上班的时候住哪儿？"),
    ("zh", "你做老师的时候带过几个班？"),
    ("zh", "你的猫叫什么来着？"),
    ("zh", "你家狗呢？"),
]


@pytest.mark.parametrize(("code", "text"), OPEN)
def test_what_was_never_spoken_of_is_a_challenge(code: str, text: str) -> None:
    (notice,) = notices(text, code)
    assert (notice.kind, notice.fact_id, notice.truth) == ("challenge", "", "")


TRUE = [
    ("en", "You don't like sugar in your coffee, right?"),
    ("en", "You take your coffee without sugar, right?"),
    ("en", "You went to the Uni of Leeds, right?"),
    ("en", "You studied at Leeds Uni, didn't you?"),
    ("en", "How's your brother?"),
    ("en", "Your brother's a postman, isn't he?"),
    ("en", "As a carpenter you must have strong hands."),
    ("en", "Do you still live in Leeds?"),
    ("en", "As someone who lives in Leeds, do you like rain?"),
    ("zh", "你是浙大毕业的吧？"),
    ("zh", "你不是在浙大念的书吗？"),
    ("zh", "你喝咖啡不加糖，对吧？"),
    ("zh", "你不爱在咖啡里放糖，对吧？"),
    ("zh", "你弟弟还好吗？"),
    ("zh", "你弟弟是邮递员吧？"),
    ("zh", "作为木匠，你的手一定很巧。"),
    ("zh", "你还住长沙吗？"),
    ("zh", "你们乐队叫早八吧？"),
    # look-alikes that take nothing for granted
    ("en", "When you were a child, what did you want to be?"),
    ("en", "When you get married, invite me!"),
    ("en", "What would you name your daughter?"),
    ("en", "If you had a daughter, what would you call her?"),
    ("en", "Your future husband will be lucky."),
    ("en", "As a doctor, I disagree."),
    ("en", "As a friend, you should tell me."),
    ("en", "As an adult, you can decide."),
    ("en", "What's your sister-in-law like?"),
    ("zh", "作为过来人，你怎么看？"),
    ("zh", "作为女人，你怎么看？"),
    ("en", "You never know what your kids will do, my mum says."),
    ("en", "Is your brother a lawyer?"),
    ("en", "How's your mother?"),
    ("en", "Since you asked, my daughter is fine."),
    ("en", "When you said that, I laughed."),
    ("en", "Do you have another brother?"),
    ("zh", "你小时候调皮吗？"),
    ("zh", "你上大学那会儿喜欢什么？"),
    ("zh", "你结婚以后想要几个孩子？"),
    ("zh", "等你结婚了再说"),
    ("zh", "你要是有女儿，会叫什么？"),
    ("zh", "你女朋友要是来了怎么办"),
    ("zh", "作为医生，我不同意。"),
    ("zh", "作为朋友，你说说看。"),
    ("zh", "你弟弟是律师吗？"),
    ("zh", "你妈还好吗？"),
    ("zh", "既然你问了，我女儿挺好的。"),
    ("zh", "你又不是医生"),
    ("zh", "你不是说今天有空吗"),
]


@pytest.mark.parametrize(("code", "text"), TRUE)
def test_what_is_so_and_what_only_looks_so_raises_nothing(code: str, text: str) -> None:
    assert notices(text, code) == ()


ONCE = {
    "en": Persona(
        name="Ada Obi",
        language="en",
        facts=(PersonaFact(attribute="partner", value="widowed", statement="I'm a widow. My husband was Chidi."),),
    ),
    "zh": Persona(
        name="何秀",
        language="zh",
        facts=(PersonaFact(attribute="丈夫", value="丧偶", statement="我老伴去世三年了。"),),
    ),
}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "How did you and your husband meet?"),
        ("en", "Where did you live after you got married?"),
        ("zh", "你和你老公当年怎么认识的？"),
    ],
)
def test_a_question_about_then_fits_who_had_it_then(code: str, text: str) -> None:
    assert notices(text, code, ONCE[code]) == ()


@pytest.mark.parametrize(
    ("code", "person", "text", "kind"),
    [
        ("en", ZH, "How's your daughter?", "contradiction"),
        ("en", ZH, "You're married, right?", "contradiction"),
        ("en", ZH, "You're 52, right?", "contradiction"),
        ("en", ZH, "How's your brother?", ""),
        ("en", ZH, "You're single, aren't you?", ""),
        ("en", ZH, "As a carpenter, do you like oak?", ""),
        ("en", ZH, "When you were a carpenter, did you like oak?", ""),
        ("zh", EN, "作为木匠，你喜欢橡木吗？", ""),
        ("zh", EN, "你女儿好吗？", "contradiction"),
        ("zh", EN, "你结婚了，对吧？", "contradiction"),
        ("zh", EN, "你今年五十二，对吧？", "contradiction"),
        ("zh", EN, "你弟弟好吗？", ""),
        ("zh", EN, "你单身，对吧？", ""),
    ],
)
def test_a_persona_is_held_in_another_language_than_its_own(code: str, person: Persona, text: str, kind: str) -> None:
    assert [notice.kind for notice in notices(text, code, person)] == ([kind] if kind else [])


@pytest.mark.parametrize(
    ("short", "full", "is_short"),
    [
        ("南大", "南京大学", True),
        ("浙大", "浙江大学", True),
        ("北师大", "北京师范大学", True),
        ("哈工大", "哈尔滨工业大学", True),
        ("北大", "北京师范大学", False),
        ("北大", "南京大学", False),
        ("北大", "北京大学", True),
        ("北大", "东北大学", False),
        ("川大", "四川大学", False),
        ("南大", "西南大学", False),
        ("人大", "中国人民大学", True),
        ("中科院", "中国科学院", True),
        ("大", "大学", False),
        ("大学", "大", False),
        ("UCL", "University College London", True),
        ("LA", "Los Angeles", True),
        ("MIT", "University of Leeds", False),
        ("Leeds", "University of Leeds", False),
    ],
)
def test_short_forms_of_names(short: str, full: str, *, is_short: bool) -> None:
    dropped = PACKS.get("zh").wording.nationwide
    assert abbreviates(short, full, dropped) is is_short
    assert abbreviates(full, short, dropped) is is_short


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    "piece",
    ["when you were a ", "as someone who ", "your other ", "你当", "你搬到北京", "作为", "a", "你"],
)
def test_long_messages_take_bounded_time(code: str, piece: str) -> None:
    started = time.perf_counter()
    notices((piece * 8_000)[:8_000], code)
    assert time.perf_counter() - started < 8


@settings(max_examples=25, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for code in ("en", "zh"):
        assert isinstance(notices(text, code), tuple)

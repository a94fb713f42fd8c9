"""Field notes on what is said: speakers, languages, subjects, dates, marks, topics."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.state import CHARACTER, USER
from harness.testing.scripted_model import ScriptedModel
from tests.unit._field_notes import BOTH, MONDAY, active, persona, told
from tests.unit.conftest import MakeHarness
from tests.unit.test_turn_steps import analysis, fact

# --- 14: who speaks, and to whom -----------------------------------------------------------------------------------------

BLEEDING = {
    "en": ("How was work?", "Nora: Fine, thanks.\nUser: Great, tell me more!\nNora: Well.", "Fine, thanks."),
    "zh": ("今天工作怎么样？", "苏禾：还行。\n用户：太好了，多说点！\n苏禾：嗯。", "还行，挺好的。"),
}


@BOTH
async def test_row_14_a_reply_does_not_speak_for_the_user(make_harness: MakeHarness, code: str) -> None:
    asked, bled, fine = BLEEDING[code]
    async with make_harness([bled, fine]) as harness:
        session = await harness.open(persona(code), session="s")
        reply = await session.say(asked)
        record, state = await session.report(), await session.state()
    assert "wrong_speaker" in [finding.kind for finding in record.candidates[0].findings]
    assert "User" not in reply.text
    assert "用户" not in reply.text
    assert [(message.speaker, message.addressee) for message in state.messages] == [
        (USER, CHARACTER),
        (CHARACTER, USER),
    ]


# --- 16: Chinese stays Chinese, and is found ----------------------------------------------------------------------------

FOUND_AGAIN = {
    "en": ("I study machine learning algorithms.", "Ok.", "Do you remember what I said about machine learning?"),
    "zh": ("我在研究机器学习算法。", "好。", "还记得我说过的机器学习算法吗？"),
}


@BOTH
async def test_row_16_a_word_inside_a_long_word_is_found_after_the_summary(
    make_harness: MakeHarness, code: str
) -> None:
    said, reply, asked = FOUND_AGAIN[code]
    model = ScriptedModel([reply])
    filler = "It rained all day and the roof leaked." if code == "en" else "今天下了一天雨，屋顶漏水了。"
    async with make_harness(model, short_term_window=4, summary_trigger_tokens=100) as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        for _ in range(12):
            await session.say(filler)
        await session.say(asked)
    prompt = "\n".join(message.content for message in model.requests[-1].messages)
    assert ("机器学习算法" if code == "zh" else "machine learning") in prompt.replace(asked, "")


@pytest.mark.parametrize(
    ("code", "text", "attribute", "value"),
    [
        ("zh", "我姓李。", "name", "李"),
        ("zh", "我25岁。", "age", "25"),
        ("en", "I'm Li.", "name", "Li"),
        ("en", "I'm 25.", "age", "25"),
    ],
)
def test_row_16_a_short_sentence_is_a_sentence(code: str, text: str, attribute: str, value: str) -> None:
    assert any(value in found for found in active(told(code, text), attribute))


@pytest.mark.parametrize(
    ("code", "said", "quote", "foreign"),
    [("zh", "我住在杭州。", "我住在杭州", "Hangzhou"), ("en", "I live in Hangzhou.", "I live in Hangzhou", "杭州")],
)
async def test_row_16_a_value_stays_in_the_language_it_was_said_in(
    make_harness: MakeHarness, code: str, said: str, quote: str, foreign: str
) -> None:
    answer = analysis(facts=[fact(quote, "home", foreign)])
    async with make_harness({"respond": "Mm.", "turn_analysis": answer}, analysis="combined") as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(said)
        state = await session.state()
    stored = next(fact for fact in state.facts if fact.attribute == "home")
    assert foreign not in stored.value
    assert stored.language == code


# --- 18: subject, speaker, and the person mentioned -----------------------------------------------------------------------

SUBJECTS = {
    "en": [
        ("My friend Jack hates football.", "Jack"),
        ("My sister lives in Oslo.", "sister"),
        ("Anna's dog is called Rex.", "Anna"),
    ],
    "zh": [
        ("我朋友阿杰讨厌足球。", "阿杰"),
        ("我妹妹住在奥斯陆。", "妹妹"),
        ("安娜的狗叫雷克斯。", "安娜"),
    ],
}
NOBODY = {
    "en": ["What does Christophe earn?", "Is Maria a doctor?", "If I were a pilot, I would live in Rome."],
    "zh": ["克里斯托夫挣多少钱？", "玛丽亚是医生吗？", "如果我是飞行员，我就住在罗马。"],
}


@pytest.mark.parametrize(("code", "case"), [(code, case) for code, cases in SUBJECTS.items() for case in cases])
def test_row_18_what_is_said_of_another_is_not_the_speakers(code: str, case: tuple[str, str]) -> None:
    text, subject = case
    state = told(code, text)
    assert not state.active_facts(USER) or all(subject in fact.value for fact in state.active_facts(USER))
    assert any(subject in fact.subject for fact in state.facts)


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in NOBODY.items() for text in texts])
def test_row_18_a_person_asked_about_is_nobody_here(code: str, text: str) -> None:
    assert told(code, text).facts == ()


@pytest.mark.parametrize(
    ("code", "text"), [("en", "This is John. He has a friend named Mike."), ("zh", "这是约翰。他有个朋友叫麦克。")]
)
def test_row_18_the_friend_is_johns(code: str, text: str) -> None:
    state = told(code, text)
    assert not state.active_facts(USER)
    john, mike = ("John", "Mike") if code == "en" else ("约翰", "麦克")
    assert any(fact.subject == john and mike in fact.value for fact in state.facts)


# --- 20: relative dates have an anchor ---------------------------------------------------------------------------------

DATES = {
    "en": [
        ("I moved to Leeds last week.", "last week", datetime(2026, 3, 2, tzinfo=UTC)),
        ("My exam is tomorrow.", "tomorrow", datetime(2026, 3, 10, tzinfo=UTC)),
    ],
    "zh": [
        ("我上周搬到了苏州。", "上周", datetime(2026, 3, 2, tzinfo=UTC)),
        ("我的考试在明天。", "明天", datetime(2026, 3, 10, tzinfo=UTC)),
    ],
}


@pytest.mark.parametrize(("code", "case"), [(code, case) for code, cases in DATES.items() for case in cases])
def test_row_20_a_relative_date_is_resolved_and_both_are_kept(code: str, case: tuple[str, str, datetime]) -> None:
    text, words, day = case
    dated = [fact for fact in told(code, text).facts if fact.when_at is not None]
    assert [fact.when for fact in dated] == [words]
    assert dated[0].when_at is not None
    assert dated[0].when_at.date() == day.date()
    assert dated[0].at == MONDAY


# --- 21: what a user types is data ---------------------------------------------------------------------------------------

BRACES = ["{x}", "{{ persona.name }}", "{% for x in y %}", "{0} {name!r}", "{{char}} ${HOME} %s %(x)s"]


@BOTH
@pytest.mark.parametrize("braces", BRACES)
async def test_row_21_template_marks_are_data(make_harness: MakeHarness, code: str, braces: str) -> None:
    said = f"My nickname is {braces}, remember it." if code == "en" else f"我的外号是{braces}，记住哦。"
    model = ScriptedModel({"respond": "Mm.", "turn_analysis": analysis(), "*": "A summary."})
    async with make_harness(model, analysis="combined", summarize_with="model", short_term_window=2) as harness:
        session = await harness.open(persona(code), session="s")
        for _ in range(6):
            reply = await session.say(said)
        assert reply.text == "Mm."
    assert any(said in message.content for message in model.requests[-1].messages) or any(
        said in message.content for request in model.requests for message in request.messages
    )
    assert {"respond", "turn_analysis", "summarize"} <= set(model.purposes)


# --- 22: "I am a large language model" ------------------------------------------------------------------------------------

ABOUT = {
    "en": ("Tell me about yourself.", "I am a large language model trained to help.", "I'm Nora, I bake bread."),
    "zh": ("介绍一下你自己吧。", "我是一个大型语言模型，可以帮你回答问题。", "我叫苏禾，是个面包师。"),
}


@BOTH
async def test_row_22_a_character_does_not_call_itself_a_model(make_harness: MakeHarness, code: str) -> None:
    asked, broken, fine = ABOUT[code]
    async with make_harness([broken, fine]) as harness:
        session = await harness.open(persona(code), session="s")
        reply = await session.say(asked)
        record = await session.report()
    assert reply.text == fine
    finding = record.candidates[0].findings[0]
    assert finding.kind == "character_break"
    assert finding.evidence in broken


# --- 25: back to an earlier topic ----------------------------------------------------------------------------------------

RETURNS = {
    "en": (
        "Let's talk about my camera, the Canon with the broken shutter.",
        ("By the way, my neighbour plays the drums.", "Anyway, have you seen the news about the flood?"),
        "Back to what we said about the camera.",
        "camera",
    ),
    "zh": (
        "我们聊聊我的相机吧，那台快门坏了的佳能。",
        ("对了，我邻居在打鼓。", "换个话题，你看到洪水的新闻了吗？"),
        "说回刚才的相机吧。",
        "相机",
    ),
}


@BOTH
async def test_row_25_an_earlier_topic_is_returned_to_with_what_was_said(make_harness: MakeHarness, code: str) -> None:
    opened, between, back, label = RETURNS[code]
    model = ScriptedModel(["Ok." if code == "en" else "好。"])
    async with make_harness(model, short_term_window=4, summary_trigger_tokens=120) as harness:
        session = await harness.open(persona(code), session="s")
        await session.say(opened)
        first = (await session.state()).topics.current
        for text in between * 6:
            await session.say(text)
        await session.say(back)
        state, record = await session.state(), await session.report()
    assert first is not None
    assert state.topics.current is not None
    assert state.topics.current.id == first.id
    assert label in state.topics.current.label
    assert "return_topic" in [applied.operation.op for applied in record.operations]
    prompt = "\n".join(message.content for message in model.requests[-1].messages)
    assert ("Canon" if code == "en" else "佳能") in prompt

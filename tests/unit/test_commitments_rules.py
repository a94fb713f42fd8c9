from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Message, PersonaRef, fold
from harness.understanding.commitments.track import due_commitments, track_commitments

PACKS = load_packs()
NOW = datetime(2026, 6, 17, 10, 20, tzinfo=UTC)
"""A Wednesday morning."""


def talk(code: str, *exchanges: tuple[str, str]) -> DialogueState:
    """The state after some exchanges (user, reply)."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for turn, (user, reply) in enumerate(exchanges, 1):
        operations = track_commitments(user, reply, state=state, pack=PACKS.get(code), turn=turn, now=NOW)
        state, _, refused = fold(state, operations)
        assert not refused
        said = (Message(speaker="user", text=user, turn=turn), Message(speaker="character", text=reply, turn=turn))
        state = state.model_copy(update={"messages": (*state.messages, *said), "turn_count": turn})
    return state


def opened(code: str, user: str = "", reply: str = "") -> list[tuple[str, str, str]]:
    return [(c.by, c.text, c.due) for c in talk(code, (user, reply)).commitments]


ENGLISH_BY_CHARACTER = [
    ("I'll bring you the sketches on Sunday.", "bring you the sketches", "on Sunday"),
    ("Tomorrow I'll teach you the second verse.", "teach you the second verse", "Tomorrow"),
    ("I promise to water your plants.", "water your plants", ""),
    ("I promise you that I'll never tell anyone.", "never tell anyone", ""),
    ("I swear I won't be late again", "won't be late again", ""),
    ("I will email you the notes tonight, and a map.", "email you the notes, and a map", "tonight"),
    ("Let me bake you a lemon cake.", "bake you a lemon cake", ""),
    ("I'll make sure the door is locked", "the door is locked", ""),
    ("I'll pick you up at 6 pm", "pick you up", "at 6 pm"),
    ("I'll get back to you in two days.", "get back to you", "in two days"),
    ("I'm going to write you a letter next week", "write you a letter", "next week"),
    ("I owe you a coffee.", "a coffee", ""),
    ("I'll lend you my tent when you go.", "lend you my tent when you go", ""),
]
CHINESE_BY_CHARACTER = [
    ("周日我把草图带给你。", "草图", "周日"),
    ("明天我教你第二段。", "教你第二段", "明天"),
    ("我保证会给你的花浇水。", "花浇水", ""),
    ("我答应你，绝不告诉任何人。", "不告诉任何人", ""),
    ("我发誓不会再迟到了", "不会再迟到", ""),
    ("我今晚会把笔记发给你", "笔记", "今晚"),
    ("我给你烤个柠檬蛋糕吧。", "烤个柠檬蛋糕", ""),
    ("晚上六点我去接你", "接你", "晚上六点"),
    ("两天后我给你回复", "给你回复", "两天后"),
    ("我下周会给你写封信", "写封信", "下周"),
    ("我欠你一杯咖啡", "一杯咖啡", ""),
    ("我一定陪你去看牙医", "陪你去看牙医", ""),
    ("改天我请你吃火锅", "请你吃火锅", "改天"),
]
NO_PROMISE = [
    ("en", "I'll be honest, I don't know."),
    ("en", "I'll have the soup, please."),
    ("en", "Maybe I'll send you something."),
    ("en", "She said I'll send it tomorrow."),
    ("en", "Shall I bring you tea?"),
    ("en", "I'm going to visit my aunt next week."),
    ("en", "I'll never forget that summer."),
    ("en", "He will call you tomorrow."),
    ("en", "I sent you the file yesterday."),
    ("en", "Will you help me?"),
    ("en", "I will always love the sea."),
    ("zh", "说实话，我不知道。"),
    ("zh", "我会说法语。"),
    ("zh", "我可能会给你寄点东西。"),
    ("zh", "他说他会发给你。"),
    ("zh", "要不要我给你倒茶？"),
    ("zh", "我下周要去看姑姑。"),
    ("zh", "我昨天把文件发给你了。"),
    ("zh", "你会帮我吗？"),
    ("zh", "我明天要上班。"),
    ("zh", "你觉得我会给他写信吗？"),
    ("zh", "我喜欢给花浇水。"),
]


@pytest.mark.parametrize(("reply", "text", "due"), ENGLISH_BY_CHARACTER)
def test_english_promises_are_opened(reply: str, text: str, due: str) -> None:
    assert opened("en", reply=reply) == [("character", text, due)]


@pytest.mark.parametrize(("reply", "text", "due"), CHINESE_BY_CHARACTER)
def test_chinese_promises_are_opened(reply: str, text: str, due: str) -> None:
    ((by, said, when),) = opened("zh", reply=reply)
    assert (by, when) == ("character", due)
    assert text in said


@pytest.mark.parametrize(("code", "text"), NO_PROMISE)
def test_plans_hedges_reports_and_questions_are_no_promises(code: str, text: str) -> None:
    assert opened(code, user=text) == []
    assert opened(code, reply=text) == []


@pytest.mark.parametrize(("code", "text"), [("en", "I'll return your umbrella tomorrow"), ("zh", "我明天把伞还给你")])
def test_the_user_promises_too(code: str, text: str) -> None:
    (commitment,) = talk(code, (text, "ok")).commitments
    assert (commitment.by, commitment.to, commitment.due_at) == (
        "user",
        "character",
        NOW.replace(day=18, hour=0, minute=0),
    )
    assert commitment.quote == text


CLOSED = [
    ("en", "I'll send you the photos", "character", "I've sent you the photos.", "kept"),
    ("en", "I'll send you the photos", "character", "Here are the photos!", "kept"),
    ("en", "I'll send you the photos", "user", "Thanks for the photos", "kept"),
    ("en", "I'll send you the photos", "user", "You never sent the photos", "broken"),
    ("en", "I'll send you the photos", "character", "Oh no, I forgot to send the photos.", "broken"),
    ("en", "I'll send you the photos", "user", "Never mind the photos", "withdrawn"),
    ("en", "I'll send you the photos", "user", "you don't have to send the photos", "withdrawn"),
    ("en", "I'll send you the photos", "character", "I'm sorry, I can't send the photos after all.", "withdrawn"),
    ("en", "I'll send you the photos", "user", "forget about it", "withdrawn"),
    ("en", "I'll send you the photos", "user", "Did you send the photos?", "open"),
    ("en", "I'll send you the photos", "character", "I've sent you the invoice.", "open"),
    ("en", "I'll send you the photos", "character", "I can't sleep these days.", "open"),
    ("en", "I'll send you the photos", "user", "I've sent you the photos.", "open"),
    ("zh", "我会把照片发给你", "character", "照片我已经发给你了。", "kept"),
    ("zh", "我会把照片发给你", "character", "这是给你的照片！", "kept"),
    ("zh", "我会把照片发给你", "user", "谢谢你的照片", "kept"),
    ("zh", "我会把照片发给你", "user", "你还没发照片给我", "broken"),
    ("zh", "我会把照片发给你", "character", "哎呀，我把照片忘了。", "broken"),
    ("zh", "我会把照片发给你", "user", "算了，不用发照片了", "withdrawn"),
    ("zh", "我会把照片发给你", "user", "照片我不要了", "withdrawn"),
    ("zh", "我会把照片发给你", "character", "我恐怕没法发照片了。", "withdrawn"),
    ("zh", "我会把照片发给你", "user", "你发照片了吗？", "open"),
    ("zh", "我会把照片发给你", "character", "发票我已经寄给你了。", "open"),
    ("zh", "我会把照片发给你", "character", "我最近没法睡觉。", "open"),
]


@pytest.mark.parametrize(("code", "promise", "speaker", "report", "status"), CLOSED)
def test_what_becomes_of_a_promise(code: str, promise: str, speaker: str, report: str, status: str) -> None:
    later = (report, "") if speaker == "user" else ("", report)
    (commitment,) = talk(code, ("", promise), later).commitments
    assert commitment.status == status
    assert commitment.closed_turn == (None if status == "open" else 2)


@pytest.mark.parametrize(
    ("code", "request_", "answer", "text"),
    [
        ("en", "Could you remind me about the rehearsal on Friday?", "Of course!", "remind you about the rehearsal"),
        ("en", "Don't forget to feed my cat", "I won't, promise. Will do!", "feed your cat"),
        ("zh", "周五你能提醒我排练吗？", "没问题！", "提醒你排练"),
        ("zh", "别忘了喂我的猫", "放心，不会忘的", "喂你的猫"),
    ],
)
def test_an_accepted_request_for_later_is_a_promise(code: str, request_: str, answer: str, text: str) -> None:
    (commitment,) = talk(code, (request_, answer)).commitments
    assert (commitment.by, commitment.text) == ("character", text)


@pytest.mark.parametrize(
    ("code", "request_", "answer"),
    [
        ("en", "Could you remind me about the rehearsal on Friday?", "I'd rather not."),
        ("en", "Can you tell me about your village?", "Sure, it is small."),
        ("zh", "周五你能提醒我排练吗？", "恐怕不行"),
        ("zh", "你能讲讲你的村子吗？", "好啊，它很小"),
    ],
)
def test_a_request_refused_or_met_at_once_is_none(code: str, request_: str, answer: str) -> None:
    assert talk(code, (request_, answer)).commitments == ()


def test_a_request_of_the_character_accepted_a_turn_later() -> None:
    (commitment,) = talk("en", ("hi", "Remember to bring my scarf."), ("ok, will do", "Good.")).commitments
    assert (commitment.by, commitment.text) == ("user", "bring your scarf")


@pytest.mark.parametrize(
    ("code", "texts"),
    [("en", ("I'll call you", "Yes, I'll call you.")), ("zh", ("我会给你打电话", "嗯，我会给你打电话的"))],
)
def test_the_same_promise_is_opened_once(code: str, texts: tuple[str, ...]) -> None:
    assert len(talk(code, *(("", text) for text in texts)).commitments) == 1


@pytest.mark.parametrize(
    ("code", "first", "then", "due"),
    [
        ("en", "I'll call you tomorrow", "I'll call you on Friday instead", "on Friday"),
        ("zh", "我明天给你打电话", "我周五给你打电话吧", "周五"),
    ],
)
def test_a_promise_put_off_replaces_the_old_one(code: str, first: str, then: str, due: str) -> None:
    state = talk(code, ("", first), ("", then))
    assert [c.status for c in state.commitments] == ["withdrawn", "open"]
    assert state.open_commitments()[0].due == due


def test_due_commitments_come_in_the_order_of_their_time() -> None:
    state = talk("en", ("", "I'll send you the map tomorrow. I'll call you on Friday. I promise to sing for you."))
    assert due_commitments(state, NOW) == ()
    assert [c.text for c in due_commitments(state, NOW + timedelta(days=1))] == ["send you the map"]
    assert [c.text for c in due_commitments(state, NOW + timedelta(days=9))] == ["send you the map", "call you"]


FOR_THE_LISTENER = [
    ("en", "I'll drop the parcel off at your place on Thursday.", "drop the parcel off"),
    ("zh", "周四我把包裹送到你家。", "把包裹送到你家"),
    ("en", "Don't worry, I'll handle the paperwork for you.", "handle the paperwork"),
    ("zh", "放心，手续我来帮你办。", "帮你办"),
    ("en", "I'll let you borrow my tent next weekend.", "let you borrow my tent"),
    ("zh", "下周末我把帐篷借你。", "把帐篷借你"),
    ("en", "Tomorrow morning I'll walk your dog.", "walk your dog"),
    ("zh", "明早我替你遛狗。", "替你遛狗"),
    ("en", "We'll go to the zoo on Sunday, I promise.", "go to the zoo"),
    ("zh", "周日我们去动物园，说好了。", "去动物园"),
    ("en", "I'll never lie to you again.", "never lie to you"),
    ("zh", "我再也不骗你了。", "不骗你"),
    ("en", "I'll bring a cake tomorrow.", "bring a cake"),
    ("zh", "我明天带蛋糕来。", "带蛋糕来"),
]
WISHES_AND_CONDITIONS = [
    ("en", "If it rains, I'll drive you home."),
    ("zh", "要是下雨，我就开车送你回家。"),
    ("en", "I'd love to show you around."),
    ("zh", "我很想带你到处转转。"),
    ("en", "I was going to call you yesterday."),
    ("zh", "我昨天本来要给你打电话的。"),
    ("en", "I could pick you up tomorrow."),
    ("zh", "我可以明天去接你。"),
    ("en", "I can't promise you anything."),
    ("zh", "我不能保证。"),
    ("en", "I'll take the train tomorrow."),
    ("zh", "我明天坐火车。"),
    ("en", "I'll do my homework tomorrow."),
    ("zh", "我明天要写作业。"),
    ("en", "I'll tell you a story."),
    ("zh", "我给你讲个故事。"),
    ("en", "The forecast promised rain for tomorrow."),
    ("zh", "天气预报说明天下雨。"),
    ("en", "I'll miss you."),
    ("zh", "我会想你的。"),
]


@pytest.mark.parametrize(("code", "text", "what"), FOR_THE_LISTENER)
def test_what_is_done_for_the_listener_is_promised(code: str, text: str, what: str) -> None:
    ((by, found, _),) = opened(code, user=text)
    assert by == "user"
    assert what in found


@pytest.mark.parametrize(("code", "text"), WISHES_AND_CONDITIONS)
def test_wishes_conditions_and_own_plans_are_no_promises(code: str, text: str) -> None:
    assert opened(code, user=text) == []
    assert opened(code, reply=text) == []


@pytest.mark.parametrize(
    ("code", "text", "by", "to"),
    [
        ("en", "Tom promised Lucy to fix her bike.", "Tom", "Lucy"),
        ("zh", "小陈答应小李帮她修自行车。", "小陈", "小李"),
        ("en", "My boss promised me that he'd pay the rent.", "boss", "user"),
        ("zh", "我老板答应我会付房租。", "老板", "user"),
        ("en", "I gave Peter my word that I'd return the money.", "user", "Peter"),
        ("zh", "我跟老板保证周五之前交报告。", "user", "老板"),
    ],
)
def test_promises_of_others_and_to_others(code: str, text: str, by: str, to: str) -> None:
    (commitment,) = talk(code, (text, "")).commitments
    assert (commitment.by, commitment.to) == (by, to)


@pytest.mark.parametrize(("code", "text"), [("en", "He promised to come."), ("zh", "他答应来。")])
def test_a_promise_of_nobody_known_is_none(code: str, text: str) -> None:
    assert talk(code, (text, "")).commitments == ()


bits = st.sampled_from(
    ["I'll", "send you", "the map", "tomorrow", "I promise", "?", ".", "forget about", "it", "here's", "我", "会", "给你", "带", "书",
     "明天", "答应你", "了", "忘", "不用", "，", "。", "谢谢", "thanks for"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(
    texts=st.lists(
        st.one_of(
            st.text(max_size=80), st.lists(bits, max_size=12).map(" ".join), st.lists(bits, max_size=12).map("".join)
        ),
        min_size=2,
        max_size=6,
    ),
    code=st.sampled_from(["en", "zh"]),
)
def test_any_talk_gives_operations_that_hold(texts: list[str], code: str) -> None:
    talk(code, *zip(texts[::2], texts[1::2], strict=False))


EVENING = datetime(2026, 5, 7, 21, 30, tzinfo=UTC)
"""A Thursday."""


@pytest.mark.parametrize(
    ("code", "text", "due"),
    [
        ("en", "I'll send you the photos tonight.", "tonight"),
        ("en", "I'll bring you the book this week.", "this week"),
        ("en", "I'll bring you the book today.", "today"),
        ("zh", "我今晚一定把照片发给你。", "今晚"),
        ("zh", "我这周把书带给你。", "这周"),
        ("zh", "我今天把书带给你。", "今天"),
    ],
)
def test_a_time_that_has_begun_is_promised_for(code: str, text: str, due: str) -> None:
    made = track_commitments(text, "", state=talk(code), pack=PACKS.get(code), turn=1, now=EVENING)
    assert [(one.op, getattr(one, "due", "")) for one in made] == [("open_commitment", due)]


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "I'll have sent you the photos yesterday evening."), ("zh", "我昨天晚上把照片发给你了。")],
)
def test_a_time_that_is_over_is_promised_for_by_nobody(code: str, text: str) -> None:
    assert not track_commitments(text, "", state=talk(code), pack=PACKS.get(code), turn=1, now=EVENING)

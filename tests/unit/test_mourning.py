"""One who has lost somebody is owed a kind word: when that is so, what counts as one, and how the engine sees to it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from harness.language import load_packs
from harness.ports import Capabilities
from harness.state import DialogueState, Emotion, Message, Persona, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.turn import Revised, Token
from harness.understanding.checks.mourning import consoling, joins_in, mourning, unmoved
from harness.understanding.checks.tone import check_tone
from harness.understanding.emotion.track import track_emotion
from tests.unit._sessions import gather
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
CODES = ("en", "zh")
NORA = {code: Persona(name="Nora" if code == "en" else "诺拉", id="nora", language=code) for code in CODES}
HARSH = {code: NORA[code].model_copy(update={"baseline": Emotion(label="anger", valence=-0.5)}) for code in CODES}
NEWS = {"en": "My father died this morning.", "zh": "我父亲今天早上去世了。"}
LATER = {"en": "Now I have to tell my little brother.", "zh": "我现在还得去告诉我弟弟。"}
COLD = {"en": "I see. The ferry leaves at six.", "zh": "嗯，船六点开。"}
KIND = {"en": "I'm so sorry. What was he like?", "zh": "节哀。他是个什么样的人？"}

LOSSES = {
    "en": [
        "We lost Dad to pneumonia on Sunday.",
        "Mum died on Tuesday.",
        "I buried my husband yesterday.",
        "We had to put our old dog down.",
        "My little brother was killed in a crash.",
        "I just lost my best friend.",
        "I had a miscarriage.",
        "Our baby came too soon and didn't make it.",
        "My wife is dying.",
        "I don't know how to say it, my mother is dead.",
        "My uncle didn't make it through the night.",
        "My cat Felix died in my arms.",
        "The hospital rang, Grandpa is gone.",
        "Dad had a heart attack. He's dead.",
        "Yesterday was my son's funeral.",
        "My mom lost her fight with cancer.",
        "Granny slipped away in her sleep.",
        "I lost my husband in March.",
        "My mum's dead.",
    ],
    "zh": [
        "爸爸周日因为肺炎走了。",
        "我妈上周没了。",
        "昨天我们送走了外公。",
        "我家的老狗昨天死了。",
        "我弟弟出车祸去世了。",
        "我失去了我最好的朋友。",
        "我刚流产了，我流产了。",
        "我家猫咪没救回来。",
        "我妈快不行了。",
        "不知道怎么开口，我爷爷不在了。",
        "姥姥走得很安详。",
        "我最好的朋友自杀了。",
        "奶奶在睡梦里走了。",
        "我爸心梗，人已经不在了。",
        "昨天是我儿子的葬礼。",
        "我妈没能战胜癌症，昨晚走了。",
        "姥爷昨天下葬了。",
        "三月份我丈夫走了。",
        "我们今天下午把奶奶安葬了。",
    ],
}
NONE_LOST = {
    "en": [
        "My phone died.",
        "My dad nearly died laughing.",
        "In the film her father died.",
        "If my father died I'd sell the house.",
        "My mother will kill me.",
        "My grandfather died when I was four.",
        "My grandfather passed away years ago.",
        "My uncle is dead tired.",
        "Did your father die?",
        "I lost my brother in the supermarket.",
        "My kids are dying to meet you.",
        "My neighbour's car died this morning.",
        "I dreamed that my dog died.",
        "My character died in the game, lol.",
        "My dad passed out on the sofa.",
        "My son lost his keys.",
        "My brother is dead set on moving.",
        "My husband died of shame when I sang.",
        "My grandpa is gone fishing.",
        "My kids are gone for the weekend.",
        "My friend drowned his sorrows.",
    ],
    "zh": [
        "我手机死了。",
        "我爸笑死了。",
        "电影里她爸爸死了。",
        "要是我爸去世了，房子就得卖。",
        "我妈知道了会打死我。",
        "我四岁的时候爷爷去世了。",
        "很多年前我爷爷就去世了。",
        "我妈累死了。",
        "你爸爸去世了吗？",
        "我在超市跟弟弟走散了。",
        "弟弟气死我了。",
        "我爸爸的老板去世了。",
        "我梦见我的狗死了。",
        "游戏里我的角色死了，哈哈",
        "我哥刚走了，去上班了。",
        "我儿子钥匙没了。",
        "我哥死活要搬家。",
        "我老公尴尬死了。",
        "爷爷钓鱼去了。",
        "我妈走了，我送她到车站。",
        "我妹妹没了耐心。",
    ],
}
SPEAKS_OF_IT = {
    "en": [
        "We used to fish here together, he and I.",
        "His coat still hangs in the hall.",
        "I can't stop crying.",
        "The funeral is on Thursday.",
        "I miss him so much.",
        "The house is so quiet.",
        "He taught me how to tie a knot.",
        "I never got to say goodbye.",
        "Mum hasn't said a word since.",
        "It doesn't feel real.",
    ],
    "zh": [
        "以前我们爷俩常来这儿喝茶。",
        "他的外套还挂在门口。",
        "我一直在哭，停不下来。",
        "葬礼在周四。",
        "我好想他。",
        "家里空荡荡的。",
        "是他教我骑自行车的，以前他常带我出去。",
        "我没来得及跟他告别。",
        "我妈到现在一句话都没说。",
        "总觉得不是真的。",
    ],
}
MOVED_ON = {
    "en": [
        "What time does the ferry leave?",
        "Anyway, did you watch the match?",
        "The bread was stale this morning.",
        "Haha, remember the goose?",
        "I got the job, I'm so happy!",
        "Thanks, I feel better now. Let's talk about something else.",
        "My brother plays football.",
        "I found a new recipe.",
    ],
    "zh": [
        "船几点开？",
        "对了，昨晚的比赛你看了吗？",
        "今早的馒头有点硬。",
        "哈哈，你还记得那只鹅吗？",
        "我拿到那份工作了，太开心了！",
        "谢谢，我好多了，聊点别的吧。",
        "我弟弟踢足球。",
        "我找到一个新菜谱。",
    ],
}


def pairs(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, text) for code, texts in table.items() for text in texts]


def after(code: str, *said: str) -> DialogueState:
    """The state after messages of the user."""
    state = DialogueState(persona=PersonaRef(id="nora", name=NORA[code].name))
    for turn, text in enumerate(said, 1):
        found = track_emotion(text, "", state=state, persona=NORA[code], pack=PACKS.get(code), turn=turn)
        messages = (*state.messages, Message(turn=turn, speaker="user", text=text))
        state = fold(state, found)[0].model_copy(update={"turn_count": turn, "messages": messages})
    return state


@pytest.mark.parametrize(("code", "text"), pairs(LOSSES))
def test_a_death_among_ones_own_is_a_loss(code: str, text: str) -> None:
    assert mourning(text, state=after(code), pack=PACKS.get(code)) == "loss"


@pytest.mark.parametrize(("code", "text"), pairs(NONE_LOST))
def test_what_only_sounds_like_one_is_none(code: str, text: str) -> None:
    assert mourning(text, state=after(code), pack=PACKS.get(code)) == ""


@pytest.mark.parametrize(("code", "text"), pairs(SPEAKS_OF_IT))
def test_later_talk_of_it_is_grief_only_where_the_loss_was_told(code: str, text: str) -> None:
    assert mourning(text, state=after(code, NEWS[code]), pack=PACKS.get(code)) == "grief"
    assert mourning(text, state=after(code), pack=PACKS.get(code)) == ""


@pytest.mark.parametrize(("code", "text"), pairs(MOVED_ON))
def test_one_who_has_moved_on_is_not_mourned_with(code: str, text: str) -> None:
    assert mourning(text, state=after(code, NEWS[code]), pack=PACKS.get(code)) == ""


@pytest.mark.parametrize("code", CODES)
def test_after_some_turns_the_loss_is_no_longer_taken_for_what_is_meant(code: str) -> None:
    other = [MOVED_ON[code][2]] * 6
    assert mourning(LATER[code], state=after(code, NEWS[code], *other[:5]), pack=PACKS.get(code)) == "grief"
    assert mourning(LATER[code], state=after(code, NEWS[code], *other), pack=PACKS.get(code)) == ""


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("en", "Sure. What would you like me to say?"),
        ("en", "The ferry leaves at six."),
        ("en", "Interesting. Do you want some soup?"),
        ("en", "Okay, let me know."),
        ("zh", "没问题，我有时间的时候再联系你。"),
        ("zh", "有时间的时候可以再一起来吧。"),
        ("zh", "好的，请告诉我弟弟的情况。"),
        ("zh", "祝一切顺利。"),
    ],
)
def test_a_reply_without_a_kind_word_is_cold_to_a_mourner_only(code: str, reply: str) -> None:
    def found(text: str, persona: Persona, *said: str) -> list[float]:
        state = after(code, *said)
        return [
            finding.severity
            for finding in check_tone(reply, user_text=text, state=state, persona=persona, pack=PACKS.get(code))
            if not finding.evidence
        ]

    assert found(NEWS[code], NORA[code]) == [0.5]
    assert found(LATER[code], NORA[code], NEWS[code]) == [0.5]
    assert found(LATER[code], NORA[code]) == []
    assert found(MOVED_ON[code][0], NORA[code], NEWS[code]) == []
    assert found(NEWS[code], HARSH[code]) == []


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("en", "He sounds like a good man."),
        ("en", "Leave it there as long as you like."),
        ("en", "That's hard news to bring."),
        ("en", "Does your brother know that he was ill?"),
        ("en", "I'll make tea. There's no hurry."),
        ("en", "Tell him plainly, and hold his hand."),
        ("en", "Were you with her?"),
        ("zh", "他一定是个好父亲。"),
        ("zh", "外套就先挂着吧，不用急着收。"),
        ("zh", "这话难开口。"),
        ("zh", "你弟弟知道他病了吗？"),
        ("zh", "我去泡壶茶，不着急。"),
        ("zh", "牵着他的手告诉他。"),
        ("zh", "当时你在她身边吗？"),
    ],
)
def test_kindness_has_many_words(code: str, reply: str) -> None:
    assert not unmoved(reply, PACKS.get(code))


@pytest.mark.parametrize(
    ("code", "ending", "joins"),
    [
        ("en", " We had such great times together.", True),
        ("en", " I remember him well.", True),
        ("en", " Let's fish again soon.", True),
        ("en", " How lovely!", True),
        ("en", " Let's talk about something else.", True),
        ("en", " Tell him gently.", False),
        ("en", " It's never easy to tell a child.", False),
        ("zh", "我们一起喝过茶。", True),
        ("zh", "我也记得他。", True),
        ("zh", "我和他认识多年。", True),
        ("zh", "太好了。", True),
        ("zh", "我们聊点别的吧。", True),
        ("zh", "轻声告诉他就好。", False),
        ("zh", "跟孩子说这种事不容易。", False),
    ],
)
def test_nobody_takes_part_in_memories_that_are_not_their_own(code: str, ending: str, joins: bool) -> None:
    assert joins_in(ending, PACKS.get(code)) is joins


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("kind", ["loss", "grief"])
def test_lines_of_sympathy_vary_and_pass_the_check(code: str, kind: str) -> None:
    pack = PACKS.get(code)
    lines = pack.holding.begun[kind]
    assert len(lines) >= 6
    assert {consoling(kind, pack=pack, seed=seed) for seed in range(len(lines))} == set(lines)  # type: ignore[arg-type]
    said: list[str] = []
    for turn in range(3 * len(lines)):
        said.append(consoling(kind, pack=pack, seed=5, previous=said))  # type: ignore[arg-type]
        assert said[-1] not in said[-len(lines) : -1], turn
    for line in lines:
        assert not unmoved(line, pack)
        assert not joins_in(line, pack)
        state = after(code, NEWS[code])
        for text in (NEWS[code], LATER[code]):
            assert list(check_tone(line, user_text=text, state=state, persona=NORA[code], pack=pack)) == []


@given(text=st.text(max_size=200), code=st.sampled_from(CODES))
def test_any_text_is_one_of_three(text: str, code: str) -> None:
    assert mourning(text, state=after(code, NEWS[code]), pack=PACKS.get(code)) in ("", "loss", "grief")


# --- in a conversation --------------------------------------------------------------------------------------------------------


def begins(code: str, kind: str, text: str) -> bool:
    return any(text.startswith(line) for line in PACKS.get(code).holding.begun[kind])


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("streamed", [False, True])
async def test_the_answer_to_a_mourner_is_begun(code: str, streamed: bool, make_harness: MakeHarness) -> None:
    ending = {"en": " Tell him gently.", "zh": "轻声告诉他就好。"}[code]
    model = ScriptedModel(ending)
    texts = [NEWS[code], SPEAKS_OF_IT[code][0], SPEAKS_OF_IT[code][1], LATER[code]]
    replies = []
    async with make_harness(model, begin_answers="always", analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        for text in texts:
            if streamed:
                events = await gather(session.stream(text))
                shown = "".join(event.text for event in events if isinstance(event, Token))
                assert not any(isinstance(event, Revised) for event in events)
                replies.append(shown)
            else:
                replies.append((await session.say(text)).text)
        state = await session.state()
    assert [message.text for message in state.messages[1::2]] == replies
    assert begins(code, "loss", replies[0])
    assert all(begins(code, "grief", reply) for reply in replies[1:])
    assert len({reply.removesuffix(ending.strip()) for reply in replies}) == len(texts)
    assert all(request.prefill for request in model.requests)
    assert len(model.requests) == len(texts)


@pytest.mark.parametrize(
    ("code", "ending"),
    [
        ("en", " We had such great memories together."),
        ("en", " That sounds fun! Did you catch any?"),
        ("zh", "我们以前常一起喝茶。"),
        ("zh", "真有趣！下次再来吧。"),
    ],
)
async def test_an_ending_that_is_out_of_place_is_left_off(code: str, ending: str, make_harness: MakeHarness) -> None:
    async with make_harness(ScriptedModel(ending), begin_answers="always", analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        await session.say(NEWS[code])
        reply = await session.say(SPEAKS_OF_IT[code][0])
    assert reply.text in PACKS.get(code).holding.begun["grief"]


@pytest.mark.parametrize("code", CODES)
async def test_lighter_talk_and_harsh_characters_are_left_to_the_model(code: str, make_harness: MakeHarness) -> None:
    model = ScriptedModel(COLD[code])
    async with make_harness(model, begin_answers="always", analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        await session.say(NEWS[code])
        asked = await session.say(MOVED_ON[code][0])
        harsh = await harness.open(HARSH[code].model_copy(update={"id": "harsh"}), session="h")
        cold = await harsh.say(NEWS[code])
    assert asked.text == cold.text == COLD[code]
    assert [bool(request.prefill) for request in model.requests] == [True, False, False]


@pytest.mark.parametrize(
    ("code", "text", "reply"),
    [
        (
            "en",
            "My father died this morning and I don't want to live any more.",
            "I'm so sorry. Please call a hotline, now, and tell me that you did.",
        ),
        ("zh", "我父亲今天早上去世了，我也不想活了。", "我很难过。请马上打求助热线，打完告诉我。"),
    ],
)
async def test_to_one_in_despair_the_model_says_all_it_has_to_say(
    code: str, text: str, reply: str, make_harness: MakeHarness
) -> None:
    model = ScriptedModel(reply)
    async with make_harness(model, begin_answers="always", analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        assert (await session.say(text)).text == reply
    assert [request.prefill for request in model.requests] == [""]


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("streamed", [False, True])
async def test_a_cold_reply_is_written_again(code: str, streamed: bool, make_harness: MakeHarness) -> None:
    model = ScriptedModel([COLD[code], KIND[code]])
    async with make_harness(model, analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        if streamed:
            events = await gather(session.stream(NEWS[code]))
            assert [event.text for event in events if isinstance(event, Revised)] == [KIND[code]]
        else:
            assert (await session.say(NEWS[code])).text == KIND[code]
        record = await session.report()
    told = record.calls[1].messages[-1][1]
    assert re.search({"en": "kind word", "zh": "体贴的话"}[code], told)
    assert [finding.kind for finding in record.candidates[0].findings] == ["tone"]


@pytest.mark.parametrize("code", CODES)
async def test_a_kind_word_at_the_end_of_a_streamed_reply_is_waited_for(code: str, make_harness: MakeHarness) -> None:
    late = {"en": "So that is how it is. I'm so sorry.", "zh": "原来是这样。你要节哀。"}[code]
    async with make_harness(ScriptedModel(late), analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        events = await gather(session.stream(NEWS[code]))
    assert not any(isinstance(event, Revised) for event in events)


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("prefill", [True, False])
async def test_where_the_model_stays_cold_a_line_is_put_before_its_reply(
    code: str, prefill: bool, make_harness: MakeHarness
) -> None:
    model = ScriptedModel(COLD[code], capabilities=Capabilities(prefill=prefill))
    async with make_harness(model, analysis="rules") as harness:
        session = await harness.open(NORA[code], session="s")
        reply = await session.say(NEWS[code])
        record = await session.report()
    assert begins(code, "loss", reply.text)
    assert reply.text.endswith(COLD[code])
    assert record.candidates[record.chosen].form == ("begun" if prefill else "line")

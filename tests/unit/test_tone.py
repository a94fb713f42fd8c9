"""The tone of a reply against the user's feeling and the character's mood: clear clashes, and replies that are fine."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.state import DialogueState, Emotion, Finding, Persona, PersonaRef
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.tone import check_tone
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
CALM = Emotion(label="calm", valence=0.3, arousal=-0.2, dominance=0.1)
FURIOUS = Emotion(label="anger", valence=-0.5, arousal=0.6, dominance=0.3)
PERSONA = Persona(name="Nora", baseline=CALM)
MENDED = 0.5
"""From this severity on a reply is mended."""


def found(
    reply: str, user_text: str, code: str, mood: Emotion = CALM, user: Emotion | None = None, persona: Persona = PERSONA
) -> tuple[Finding, ...]:
    state = DialogueState(
        persona=PersonaRef(id="nora", name="Nora"), emotion=mood, user_emotion=user or Emotion(), turn_count=3
    )
    return tuple(check_tone(reply, user_text=user_text, state=state, persona=persona, pack=PACKS.get(code)))


CLASHING = {
    "en": [
        ("My grandmother passed away last night.", "Haha, well, that's life!"),
        ("My grandmother passed away last night.", "Great news! We have a discount on flowers this week."),
        ("I lost my job today and I don't know how to pay the rent.", "Awesome! More free time for you!"),
        ("The doctor says I have cancer.", "Lol, doctors say all kinds of things."),
        (
            "The vet had to put our dog to sleep this morning.",
            "You can always buy a new one. Want to see my favourite breeds? So exciting!",
        ),
        ("My wife left me.", "Cheer up, there are plenty more fish in the sea."),
        ("I don't want to live any more. I want to die.", "Whatever. Anyway, what's for dinner?"),
        ("My best friend was killed in a car crash.", "Wow, how exciting! Tell me everything!"),
        ("We had a miscarriage in the spring.", "Congratulations!"),
        ("I'm so sad, I've been crying all day.", "Hahaha, you're so dramatic."),
        ("My father had a stroke and is in intensive care.", "Yay! Let's celebrate!"),
        ("I failed my driving test again and I feel worthless.", "LOL 😂"),
        ("The funeral is tomorrow.", "Perfect, you'll love our new black suits, half price until Sunday!"),
        ("Our house burned down last week.", "Who cares, houses can be rebuilt."),
        ("My boyfriend cheated on me.", "You had it coming."),
        ("I got the job!", "I'm so sorry for your loss."),
        ("She said yes! We're getting married!", "My deepest condolences, that must be hard."),
        ("Do you know when the library opens?", "Shut up, you idiot."),
        ("I had pasta for lunch.", "You're pathetic and boring."),
        ("I was mugged on my way home.", "Woohoo, what a story! That's awesome!"),
    ],
    "zh": [
        ("我奶奶昨晚去世了。", "哈哈，生老病死很正常嘛！"),
        ("我奶奶昨晚去世了。", "好消息！本店鲜花这周打折。"),
        ("我今天被公司裁了，房租都不知道怎么交。", "太棒了！这下你有空啦！"),
        ("医生说我得了癌症。", "笑死，医生什么都说。"),
        ("今早我们给狗狗做了安乐死。", "再养一只不就好了，推荐你试试柯基，超开心！"),
        ("我老婆跟我离婚了，她不要我了。", "天涯何处无芳草，开心点！"),
        ("我不想活了。", "随便你。对了，晚饭吃什么？"),
        ("我最好的朋友出车祸走了。", "哇，好刺激！快讲讲！"),
        ("春天的时候我流产了。", "恭喜恭喜！"),
        ("我好难过，哭了一整天。", "哈哈哈你也太夸张了。"),
        ("我爸中风了，还在重症监护室。", "好耶！来庆祝一下！"),
        ("我又没考过，觉得自己一点用都没有，好绝望。", "哈哈哈哈😂"),
        ("明天是葬礼。", "正好，我们店新到的黑西装半价哦！"),
        ("上周我家里着火了。", "那又怎样，房子可以再盖。"),
        ("我男朋友出轨了。", "活该，自找的。"),
        ("我考上了！", "节哀，别太难过。"),
        ("她答应我了！我们要结婚了！", "深表遗憾，请保重。"),
        ("图书馆几点开门？", "闭嘴，你这个白痴。"),
        ("我中午吃了面。", "你真没用，你好无聊。"),
        ("我在回家路上被人抢劫了。", "太爽了，这故事真精彩！"),
    ],
}
FINE = {
    "en": [
        ("My grandmother passed away last night.", "Oh, I'm so sorry. Were you close to her?"),
        ("My grandmother passed away last night.", "She must have loved you very much. What was she like?"),
        ("I lost my job today.", "That's rough. What happened?"),
        ("The doctor says I have cancer.", "I don't know what to say. I'm here, whatever you need."),
        ("We had to put our dog to sleep.", "Poor boy. He had a good life with you, you know."),
        ("My wife left me.", "When did that happen?"),
        ("My phone died in the middle of the call.", "Haha, mine does that all the time!"),
        ("I died laughing at your last story.", "Haha, I'm glad you liked it!"),
        ("In the film my favourite character dies at the end.", "Ha ha, spoilers! But that's a great film."),
        ("I got the job!", "Congratulations! That's wonderful news!"),
        ("I failed my test lol, I'm hopeless.", "Haha, there's always next time."),
        ("I'm a bit tired today.", "Then let's take it easy. Tea helps, I promise!"),
        ("What do you do when you're sad?", "I bake, and I laugh at old sitcoms. Works every time!"),
        ("You are a terrible liar.", "Oh shut up, I am not!"),
        ("It's raining again.", "Lovely! I like the sound of it."),
        ("Sad song on the radio this morning.", "Which one? I love a good ballad."),
        ("I passed the exam, finally!", "Ha! I knew you would."),
        ("My sister's funeral was beautiful.", "I'm glad it was. She would have loved it, I think."),
        ("Are you afraid of spiders?", "Haha, terribly."),
        ("Thanks for yesterday, you helped me a lot.", "Any time! That's wonderful to hear."),
    ],
    "zh": [
        ("我奶奶昨晚去世了。", "真的很抱歉。你和奶奶很亲吗？"),
        ("我奶奶昨晚去世了。", "她一定很疼你吧，她是个什么样的人？"),
        ("我今天被公司裁了。", "这也太突然了，发生什么了？"),
        ("医生说我得了癌症。", "我不知道该说什么，但我会陪着你。"),
        ("今早我们给狗狗做了安乐死。", "它跟着你过了很好的一生。"),
        ("我老婆跟我离婚了。", "什么时候的事？"),
        ("我手机打到一半没电死机了。", "哈哈，我的也经常这样！"),
        ("你上次讲的故事笑死我了。", "哈哈，你喜欢就好！"),
        ("电影里我最喜欢的角色最后死了。", "哈哈，剧透！不过那部确实好看。"),
        ("我考上了！", "恭喜！太好了！"),
        ("我又没考过哈哈哈，没救了。", "哈哈，下次一定行。"),
        ("我今天有点累。", "那就歇一歇，喝杯茶吧！"),
        ("你难过的时候会做什么？", "我会看老喜剧，笑一笑就好了，哈哈。"),
        ("你这个骗子。", "闭嘴啦，我才不是！"),
        ("又下雨了。", "真好！我喜欢听雨声。"),
        ("早上广播里放了一首很伤感的歌。", "哪一首？我喜欢听慢歌。"),
        ("我终于考过了！", "哈哈！我就知道你行。"),
        ("外婆的葬礼办得很好。", "那就好，她一定会喜欢的。"),
        ("你怕蜘蛛吗？", "哈哈，怕得要命。"),
        ("昨天谢谢你，帮了我大忙。", "别客气，听到这个真开心！"),
    ],
}

MORE_CLASHING = {
    "en": [
        ("My mum died on Tuesday.", "Hehe, mine is still going strong."),
        ("They found a tumor in my brother's brain.", "Amazing! Science is so cool these days!"),
        ("I miss my late husband so much today.", "Lol, time to find a new one!"),
        ("My cat got run over this morning.", "Yay, no more litter box!"),
        ("I feel so hopeless, nothing works out.", "Stop whining."),
        ("My son is in hospital after an overdose.", "Fantastic! Kids, right?"),
        ("I got laid off on Friday.", "Good for you! What fun!"),
        ("My fiancé called off the wedding.", "Haha, dodged a bullet!"),
        ("Grandpa is gone. He went peacefully.", "Smile! Life is beautiful!"),
        ("I just found out my dad has dementia.", "Hilarious how they forget everything, isn't it?"),
    ],
    "zh": [
        ("我妈周二走了。", "嘿嘿，我妈还好着呢。"),
        ("我弟弟脑子里长了个瘤。", "太酷了！科学真神奇！"),
        ("今天特别想念我过世的丈夫，心里好难受。", "哈哈，再找一个呗！"),
        ("我家猫今早被车撞死了。", "好耶，不用铲屎了！"),
        ("我觉得好绝望，什么都不顺。", "别矫情了。"),
        ("我儿子吸毒过量进医院了。", "太棒了！小孩子嘛！"),
        ("周五我被辞退了。", "恭喜！好好玩！"),
        ("我未婚夫取消了婚礼。", "哈哈，躲过一劫！"),
        ("爷爷走得很安详。", "笑一笑！生活多美好！"),
        ("刚知道我爸得了老年痴呆。", "太好笑了，他们什么都忘，对吧？"),
    ],
}
MORE_FINE = {
    "en": [
        ("My mum died on Tuesday.", "Do you want to tell me about her?"),
        ("My grandpa used to tell jokes about the war.", "Haha, he sounds like fun!"),
        ("He died two years ago, and now I can laugh about it, haha.", "Haha, he would like that."),
        ("The cat killed a mouse.", "Haha, proud hunter!"),
        ("I cried at the wedding, it was so beautiful!", "Aww, how lovely!"),
        ("My boss was fired yesterday, finally!", "Ha, good riddance."),
        ("My plants died again.", "Haha, you and your black thumb."),
        ("I feel terrible about missing your party.", "No worries, haha, there will be others!"),
        ("I broke up with my boyfriend and I feel free!", "Good for you!"),
        ("Sorry, I forgot the milk.", "Haha, again?"),
    ],
    "zh": [
        ("我妈周二走了。", "想跟我说说她吗？"),
        ("我爷爷以前老讲打仗的笑话。", "哈哈，真有意思！"),
        ("他两年前去世了，现在想起来还会笑，哈哈。", "哈哈，他一定乐意。"),
        ("猫抓死了一只老鼠。", "哈哈，真厉害！"),
        ("婚礼上我哭了，太美了！", "哇，真好！"),
        ("我们老板昨天被开除了，终于！", "哈哈，太好了。"),
        ("我的花又死了。", "哈哈，你这个植物杀手。"),
        ("没去成你的聚会，好内疚。", "哈哈没事，下次再来！"),
        ("我分手了，感觉好自由！", "恭喜你！"),
        ("对不起，我忘买牛奶了。", "哈哈，又忘了？"),
    ],
}
"""Written after the rules."""


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [(code, *pair) for table in (CLASHING, MORE_CLASHING) for code, pairs in table.items() for pair in pairs],
)
def test_a_clash_is_found_and_mended(code: str, user_text: str, reply: str) -> None:
    (finding,) = found(reply, user_text, code)
    assert finding.kind == "tone"
    assert finding.severity >= MENDED
    assert finding.evidence


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [(code, *pair) for table in (FINE, MORE_FINE) for code, pairs in table.items() for pair in pairs],
)
def test_a_fitting_reply_is_left_alone(code: str, user_text: str, reply: str) -> None:
    assert found(reply, user_text, code) == ()


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [
        ("en", "What time is it?", "Yay! I love life!!! Best day ever!"),
        ("zh", "现在几点了？", "耶！太开心了！今天最幸福了！！"),
    ],
)
def test_nobody_leaps_from_fury_to_joy_without_a_reason(code: str, user_text: str, reply: str) -> None:
    (finding,) = found(reply, user_text, code, mood=FURIOUS)
    assert finding.severity >= MENDED
    assert found(reply, user_text, code) == ()


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [
        ("en", "I'm sorry, I was wrong about you.", "Yay! I love you!!"),
        ("en", "Thank you for everything.", "Yay! I love you!!"),
        ("en", "What time is it?", "Okay, I forgive you! I love you!!"),
        ("zh", "对不起，是我错怪你了。", "耶！最爱你了！！"),
        ("zh", "谢谢你做的一切。", "耶！最爱你了！！"),
        ("zh", "现在几点了？", "好吧，不生气了！最爱你了！！"),
    ],
)
def test_a_mood_may_turn_for_a_reason(code: str, user_text: str, reply: str) -> None:
    assert found(reply, user_text, code, mood=FURIOUS) == ()


@pytest.mark.parametrize(
    ("code", "user_text", "reply"),
    [("en", "Where is the key?", "Find it yourself, you idiot."), ("zh", "钥匙在哪？", "自己找，你这个白痴。")],
)
def test_a_harsh_character_may_scold(code: str, user_text: str, reply: str) -> None:
    harsh = Persona(name="Grim", baseline=Emotion(label="anger", valence=-0.4, arousal=0.3, dominance=0.5))
    assert found(reply, user_text, code, mood=harsh.baseline, persona=harsh) == ()
    assert found(reply, user_text, code) != ()


@pytest.mark.parametrize(
    ("code", "user_text", "reply"), [("en", "So.", "Haha, so what now?"), ("zh", "嗯。", "哈哈，然后呢？")]
)
def test_laughter_soon_after_bad_news_is_mended_while_the_grief_lasts(code: str, user_text: str, reply: str) -> None:
    grief = Emotion(label="sadness", valence=-0.6, arousal=-0.2, dominance=-0.3, cause="died", turn=3)
    (finding,) = found(reply, user_text, code, user=grief)
    assert finding.severity >= MENDED
    assert found(reply, user_text, code, user=grief.model_copy(update={"valence": -0.25})) == ()


@pytest.mark.parametrize(
    ("code", "user_text", "reply", "words"),
    [
        ("en", "My brother died in March.", "Haha, that happens. Do you like trains?", "Haha"),
        ("zh", "我哥哥三月去世了。", "哈哈，常有的事。你喜欢火车吗？", "哈哈"),
    ],
)
def test_the_check_of_a_reply_tells_of_it(code: str, user_text: str, reply: str, words: str) -> None:
    state = DialogueState(persona=PersonaRef(id="nora", name="Nora"), emotion=CALM)
    findings = check_reply(reply, user_text=user_text, state=state, persona=PERSONA, pack=PACKS.get(code))
    assert [(finding.kind, finding.evidence) for finding in findings] == [("tone", words)]


@settings(max_examples=150, deadline=None)
@given(
    user=st.text(st.characters(codec="utf-8"), max_size=200),
    reply=st.text(st.characters(codec="utf-8"), max_size=200),
    code=st.sampled_from(["en", "zh"]),
)
def test_any_texts_give_findings_of_one_kind(user: str, reply: str, code: str) -> None:
    for mood in (CALM, FURIOUS):
        for finding in found(reply, user, code, mood=mood):
            assert finding.kind == "tone"
            assert 0 < finding.severity <= 1


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    "unit", ["ha", "哈", "my dad ", "我爸", "!", "no-", "the best ", "you ", "what ", "。", "i just ", "不"]
)
def test_long_texts_take_bounded_time(code: str, unit: str) -> None:
    text = unit * (8000 // len(unit))
    started = time.perf_counter()
    found(text, text, code)
    assert time.perf_counter() - started < 1.5


@pytest.mark.parametrize(
    ("code", "name", "text", "first", "second", "reason"),
    [
        (
            "en",
            "Nora",
            "My brother died in March.",
            "Haha, that happens!",
            "Oh no. What was he like?",
            "tone does not fit",
        ),
        ("zh", "诺拉", "我哥哥三月去世了。", "哈哈，常有的事！", "怎么会……他是个什么样的人？", "语气和对方"),
    ],
)
async def test_a_clash_is_mended_and_the_model_is_told_why(
    code: str, name: str, text: str, first: str, second: str, reason: str, make_harness: MakeHarness
) -> None:
    persona = Persona(name=name, id="nora", language=code, baseline=CALM)
    async with make_harness([first, second], analysis="rules") as harness:
        session = await harness.open(persona, session="s")
        reply = await session.say(text)
        record = await session.report()
    assert reply.text == second
    assert [finding.kind for finding in record.candidates[0].findings] == ["tone"]
    asked = record.calls[1].messages[-1][1]
    assert reason in asked


async def test_a_laughing_sentence_is_left_out_without_a_call(make_harness: MakeHarness) -> None:
    told = "Haha. I am sorry, I did not know what to say. What was he like?"
    async with make_harness([told], analysis="rules") as harness:
        session = await harness.open(Persona(name="Nora", id="nora", baseline=CALM), session="s")
        reply = await session.say("My brother died in March.")
        record = await session.report()
    assert reply.text == "I am sorry, I did not know what to say. What was he like?"
    assert len(record.calls) == 1

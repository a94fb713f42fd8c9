"""A user who told of something painful is treated with care for some turns: in the state, in the prompt, and in the check of a reply."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Emotion, Persona, PersonaRef, fold
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.news import bad_news, grieves
from harness.understanding.checks.tone import check_tone
from harness.understanding.emotion.appraising import appraise
from harness.understanding.emotion.track import track_emotion
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
PERSONA = Persona(name="Nora")
CARE = {"en": "They told you something painful a moment ago.", "zh": "对方刚跟你说了一件很痛的事。"}
TALK = {
    "en": [
        "My grandmother passed away last night.",
        "Now I have to tell my little brother.",
        "Thanks.",
        "He is at football practice.",
        "What time is it?",
    ],
    "zh": ["我奶奶昨晚去世了。", "现在我得告诉我弟弟。", "谢谢。", "他还在训练。", "几点了？"],
}
LATER = {"en": ["The train leaves at five."] * 8, "zh": ["火车五点开。"] * 8}
NEUTRAL = {"en": "I see.", "zh": "嗯。"}


def states(code: str, texts: list[str], *, classify: bool = False) -> list[DialogueState]:
    """The state after every turn."""
    state = DialogueState(persona=PersonaRef(id="nora", name="Nora"))
    found = []
    for turn, text in enumerate(texts, 1):
        operations = track_emotion(
            text, NEUTRAL[code], state=state, persona=PERSONA, pack=PACKS.get(code), turn=turn, classify=classify
        )
        state = fold(state, operations)[0].model_copy(update={"turn_count": turn})
        found.append(state)
    return found


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("classify", [False, True])
def test_grief_stays_for_four_turns_and_fades(code: str, classify: bool) -> None:
    moods = [state.user_emotion for state in states(code, TALK[code] + LATER[code], classify=classify)]
    assert [mood.label for mood in moods[:5]] == ["sadness"] * 5
    assert all(grieves(mood) for mood in moods[:5])
    valences = [mood.valence for mood in moods[:5]]
    assert valences == sorted(valences)
    assert not grieves(moods[-1])


@pytest.mark.parametrize(
    ("code", "text"), [("en", "I got the job, I'm so happy!"), ("zh", "我拿到那份工作了，太开心了！")]
)
def test_joy_ends_it(code: str, text: str) -> None:
    mood = states(code, [*TALK[code][:2], text])[-1].user_emotion
    assert mood.valence > 0.3
    assert not grieves(mood)


@pytest.mark.parametrize(
    ("code", "text"), [("en", "The lump turned out to be malignant."), ("zh", "房东月底就要把我们赶走了。")]
)
def test_bad_news_without_a_word_of_feeling_is_sad(code: str, text: str) -> None:
    assert bad_news(text, PACKS.get(code))
    state = states(code, [text])[0]
    assert state.user_emotion.label == "sadness"
    assert grieves(state.user_emotion)
    assert state.user_emotion.cause


@pytest.mark.parametrize(
    ("code", "laughing", "kind"),
    [
        ("en", "Haha, brothers! Mine never listens.", "Take your time. I'm here if you want to practise what to say."),
        ("zh", "哈哈，弟弟嘛！我弟从来不听话。", "慢慢来，想先跟我练练怎么说，我在。"),
    ],
)
def test_the_tone_is_held_for_these_turns(code: str, laughing: str, kind: str) -> None:
    pack = PACKS.get(code)
    before = states(code, TALK[code] + LATER[code])
    for turn in range(1, 5):
        text = TALK[code][turn]
        (finding,) = check_tone(laughing, user_text=text, state=before[turn - 1], persona=PERSONA, pack=pack)
        assert finding.severity >= 0.5
        assert list(check_tone(kind, user_text=text, state=before[turn - 1], persona=PERSONA, pack=pack)) == []
    late = check_tone(laughing, user_text=LATER[code][0], state=before[-1], persona=PERSONA, pack=pack)
    assert list(late) == []


@pytest.mark.parametrize(
    ("code", "text", "delighted", "fond"),
    [
        (
            "en",
            "We used to bake together, she and I.",
            "That sounds wonderful! Do you still bake?",
            "What a wonderful memory.",
        ),
        (
            "en",
            "Her chair is still by the window.",
            "It's great that she likes it there.",
            "You must miss her. That's lovely of you to say.",
        ),
        ("en", "We used to sit here.", "That sounds fun! Do you miss it?", "You must miss her. That is a lovely view."),
        ("zh", "以前我们常坐在这儿。", "太好了！别的事也告诉我吧。", "舍不得吧。那时候真不错。"),
        ("en", "We used to sit here.", "The view was wonderful! We have memories.", "What a precious memory."),
        ("zh", "以前我们常坐在这儿。", "真是不错！好好享受吧。", "我很难过。那时候真好。"),
        ("zh", "以前我们常一起做饭。", "听起来真有趣，你们现在还做吗？", "听起来是很美好的回忆。"),
        ("zh", "她的椅子还在窗边。", "太好了，坐着一定很舒服！", "你一定很想念她，真是美好的回忆。"),
    ],
)
def test_nobody_is_delighted_at_what_a_mourner_remembers(code: str, text: str, delighted: str, fond: str) -> None:
    before, pack = states(code, TALK[code][:1])[0], PACKS.get(code)
    (finding,) = check_tone(delighted, user_text=text, state=before, persona=PERSONA, pack=pack)
    assert finding.severity >= 0.5
    assert list(check_tone(fond, user_text=text, state=before, persona=PERSONA, pack=pack)) == []


@pytest.mark.parametrize(
    ("code", "text", "reply"),
    [
        ("en", "Someone is bringing dinner over tonight.", "That sounds lovely."),
        ("zh", "今晚有人送饭来。", "那真不错。"),
    ],
)
def test_a_kindness_done_to_a_mourner_may_please(code: str, text: str, reply: str) -> None:
    before = states(code, TALK[code][:1])[0]
    assert list(check_tone(reply, user_text=text, state=before, persona=PERSONA, pack=PACKS.get(code))) == []


@pytest.mark.parametrize(
    ("code", "text", "reply"),
    [
        ("en", "Haha, you know what she used to say?", "Haha, tell me!"),
        ("zh", "哈哈，你知道她以前老说什么吗？", "哈哈，说来听听！"),
    ],
)
def test_one_who_laughs_may_be_laughed_with(code: str, text: str, reply: str) -> None:
    state = states(code, TALK[code][:1])[0]
    assert list(check_tone(reply, user_text=text, state=state, persona=PERSONA, pack=PACKS.get(code))) == []


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_prompt_says_so_for_these_turns_only(code: str, make_harness: MakeHarness) -> None:
    model = ScriptedModel(NEUTRAL[code])
    persona = Persona(name="Nora", id="nora", language=code)
    told = []
    async with make_harness(model, analysis="rules") as harness:
        session = await harness.open(persona, session="s")
        for text in TALK[code] + LATER[code][:4]:
            await session.say(text)
            messages = (await session.report()).calls[0].messages
            told.append(any(CARE[code] in content for _, content in messages))
    assert told[0] is False  # the news is in the message itself
    assert all(told[1:5])
    assert told[-1] is False


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "hahaha stop it, my belly hurts"),
        ("en", "Stop it, hahaha, my sides hurt!"),
        ("en", "lol shut up, I'm crying"),
        ("en", "I laughed so hard my stomach hurts"),
        ("zh", "哈哈哈别说了，肚子疼"),
        ("zh", "别讲了哈哈哈哈，腮帮子都酸了！"),
        ("zh", "哈哈哈哈你够了，烦死了"),
        ("zh", "笑得肚子疼"),
    ],
)
def test_laughter_that_protests_is_laughter(code: str, text: str) -> None:
    shown = appraise(text, PACKS.get(code))
    assert shown.label == "amusement"
    assert shown.valence > 0.3


@pytest.mark.parametrize(("code", "text"), [("en", "Stop it! My belly hurts."), ("zh", "别说了！我肚子疼。")])
def test_the_same_without_laughter_is_not(code: str, text: str) -> None:
    assert appraise(text, PACKS.get(code)).valence < -0.2


def test_only_low_moods_are_grief() -> None:
    assert grieves(Emotion(label="sadness", valence=-0.5))
    assert not grieves(Emotion(label="sadness", valence=-0.2))
    assert not grieves(Emotion(label="boredom", valence=-0.5))

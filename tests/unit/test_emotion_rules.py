from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from harness.errors import OperationRejected
from harness.language import load_packs
from harness.state import DialogueState, Emotion, Persona, PersonaRef, apply, fold
from harness.understanding.emotion import appraise, nearest_label, track_emotion

PACKS = load_packs()
CALM = Emotion(label="calm", valence=0.3, arousal=-0.2, dominance=0.1)
PERSONA = Persona(name="Nora", baseline=CALM)


def state() -> DialogueState:
    return DialogueState(persona=PersonaRef(id="nora", name="Nora"), emotion=CALM)


def moods(texts: list[str], code: str, reply: str = "I see.") -> list[tuple[str, Emotion]]:
    """(user label, character emotion) after each text."""
    current = state()
    found = []
    for turn, text in enumerate(texts, 1):
        operations = track_emotion(text, reply, state=current, persona=PERSONA, pack=PACKS.get(code), turn=turn)
        current, _, refused = fold(current, operations)
        assert not refused
        found.append((current.user_emotion.label, current.emotion))
    return found


ENGLISH = [
    ("What a wonderful morning, I feel so happy", "joy"),
    ("I can't wait for the concert!!", "excitement"),
    ("lol that is hilarious", "amusement"),
    ("I adore my little niece ❤️", "affection"),
    ("I really appreciate your help", "gratitude"),
    ("phew, what a relief", "calm"),
    ("We won the final!", "pride"),
    ("I wonder how bees find their way, I'm curious", "curiosity"),
    ("whoa, I did not expect that, unbelievable", "surprise"),
    ("My grandfather passed away on Sunday", "sadness"),
    ("I'm not happy with the result", "sadness"),
    ("I am so fed up with this landlord", "anger"),
    ("I'm terrified of flying", "fear"),
    ("I'm nervous about the interview, can't sleep", "worry"),
    ("eww, the milk was revolting", "disgust"),
    ("I messed up in front of everyone, so embarrassing", "shame"),
    ("there's nothing to do, I'm bored", "boredom"),
    ("I'm exhausted after the night shift", "fatigue"),
    ("The shop opens at nine", "neutral"),
    ("Are you angry?", "neutral"),
    ("not bad at all", "joy"),
    ("I was scared at first, but now I'm really glad", "joy"),
    ("😭😭", "sadness"),
    ("I won't come", "neutral"),
]
CHINESE = [
    ("今天天气真好，心情不错", "joy"),
    ("好期待周末的演唱会！！", "excitement"),
    ("哈哈哈哈太搞笑了", "amusement"),
    ("小侄女太可爱了，好爱她❤️", "affection"),
    ("真的很感谢大家", "gratitude"),
    ("终于松了口气", "calm"),
    ("我们夺冠了，我做到了", "pride"),
    ("我很好奇蜜蜂怎么认路", "curiosity"),
    ("天啊，我完全没想到", "surprise"),
    ("我爷爷上周去世了", "sadness"),
    ("我一点也不开心", "sadness"),
    ("我真是受够了这个房东", "anger"),
    ("我特别害怕坐飞机", "fear"),
    ("明天面试，我好紧张", "worry"),
    ("那牛奶真恶心", "disgust"),
    ("当众出错，太尴尬了", "shame"),
    ("好无聊，没事干", "boredom"),
    ("上完夜班累死了", "fatigue"),
    ("商店九点开门", "neutral"),
    ("你生气了吗？", "neutral"),
    ("恐怕今天会下雨，有点麻烦", "neutral"),
    ("虽然有点怕，但是现在很高兴", "joy"),
    ("😭😭", "sadness"),
    ("气死我了！", "anger"),
]


@pytest.mark.parametrize(("text", "label"), ENGLISH)
def test_english_wording_shows_an_emotion(text: str, label: str) -> None:
    assert appraise(text, PACKS.get("en")).label == label


@pytest.mark.parametrize(("text", "label"), CHINESE)
def test_chinese_wording_shows_an_emotion(text: str, label: str) -> None:
    assert appraise(text, PACKS.get("zh")).label == label


@pytest.mark.parametrize(
    ("code", "plain", "strong"),
    [
        ("en", "i hate this", "I HATE THIS!!!"),
        ("en", "I'm happy", "I'm happy!!"),
        ("zh", "我很生气", "我很生气！！！"),
    ],
)
def test_shouting_raises_arousal(code: str, plain: str, strong: str) -> None:
    pack = PACKS.get(code)
    assert appraise(strong, pack).arousal > appraise(plain, pack).arousal


@pytest.mark.parametrize(
    ("code", "weak", "strong"),
    [
        ("en", "I'm a bit sad", "I'm very sad"),
        ("en", "My brother is sad", "I am sad"),
        ("en", "You look sad", "I feel sad"),
        ("zh", "我有点难过", "我非常难过"),
        ("zh", "我弟弟很难过", "我很难过"),
    ],
)
def test_degree_and_whose_feeling_it_is_count(code: str, weak: str, strong: str) -> None:
    pack = PACKS.get(code)
    assert appraise(strong, pack).valence < appraise(weak, pack).valence < 0


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "you are such a liar"), ("en", "I hate you"), ("zh", "你真是个骗子"), ("zh", "我讨厌你")],
)
def test_an_insult_hurts_the_character(code: str, text: str) -> None:
    ((_, mood),) = moods([text], code)
    assert mood.valence < CALM.valence - 0.2
    assert mood.label == "anger"
    assert mood.cause


@pytest.mark.parametrize(
    ("code", "text"),
    [("en", "you're a wonderful listener"), ("en", "I missed you!"), ("zh", "你太贴心了"), ("zh", "我好想你呀")],
)
def test_kind_words_please_the_character(code: str, text: str) -> None:
    ((_, mood),) = moods([text], code)
    assert mood.valence > CALM.valence


@pytest.mark.parametrize(("code", "text"), [("en", "I'm going to hurt you"), ("zh", "你给我等着，会让你后悔")])
def test_a_threat_frightens(code: str, text: str) -> None:
    ((_, mood),) = moods([text], code)
    assert mood.valence < CALM.valence
    assert mood.dominance < CALM.dominance


@pytest.mark.parametrize(
    ("code", "text"), [("en", "My dog died this morning and I can't stop crying"), ("zh", "我失恋了，一直在哭，好难过")]
)
def test_sadness_of_the_user_reaches_the_character_softly(code: str, text: str) -> None:
    ((user, mood),) = moods([text], code)
    assert user == "sadness"
    assert -0.4 < mood.valence < CALM.valence


@pytest.mark.parametrize(
    ("code", "insult", "plain"),
    [("en", "you are an idiot", "the bus was late"), ("zh", "你这个笨蛋", "公交车晚点了")],
)
def test_a_mood_has_inertia_and_returns_to_the_baseline(code: str, insult: str, plain: str) -> None:
    found = moods([insult, *[plain] * 12], code)
    valences = [mood.valence for _, mood in found]
    assert valences == sorted(valences)
    assert valences[0] < 0.1
    assert found[-1][1].label == "calm"
    assert found[-1][1].valence == pytest.approx(CALM.valence, abs=0.02)
    assert not found[-1][1].cause


def test_a_negated_insult_is_none() -> None:
    ((_, mood),) = moods(["I don't think you are stupid"], "en")
    assert mood.label == "calm"


def test_the_users_emotion_fades_when_nothing_shows_it() -> None:
    found = moods(["I'm so sad", *["The train is at five"] * 5], "en")
    assert found[0][0] == "sadness"
    assert found[-1][0] == "neutral"


def test_nothing_is_proposed_when_nothing_changes() -> None:
    assert track_emotion("ok", "ok", state=state(), persona=PERSONA, pack=PACKS.get("en"), turn=3) == ()


def test_lexicons_are_large_and_point_to_known_labels() -> None:
    for code in ("en", "zh"):
        lexicon = PACKS.get(code).emotion
        assert sum(len(group.words) for group in lexicon.words) >= 150
        assert {group.label for group in lexicon.words} <= {"neutral", *lexicon.prototypes}
        assert {a.label for a in lexicon.appraisals} | {a.shows for a in lexicon.appraisals} <= set(lexicon.prototypes)
        assert set(lexicon.empathy) | set(lexicon.empathy.values()) <= set(lexicon.prototypes)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_core_prototype_is_nearest_to_itself(code: str) -> None:
    lexicon = PACKS.get(code).emotion
    for label, point in lexicon.prototypes.items():
        if point.core:
            assert nearest_label((point.valence, point.arousal, point.dominance), lexicon) == label


unit = st.floats(-1, 1)
emotions = st.builds(
    Emotion, label=st.sampled_from(["neutral", "joy", "anger", "odd"]), valence=unit, arousal=unit, dominance=unit
)


@settings(max_examples=150, deadline=None)
@given(
    user=st.text(max_size=120),
    code=st.sampled_from(["en", "zh"]),
    mood=emotions,
    shown=emotions,
    baseline=emotions,
)
def test_any_text_gives_operations_that_hold(
    user: str, code: str, mood: Emotion, shown: Emotion, baseline: Emotion
) -> None:
    reply = user[::-1]
    start = DialogueState(persona=PersonaRef(id="n", name="N"), emotion=mood, user_emotion=shown)
    persona = Persona(name="N", baseline=baseline)
    for operation in track_emotion(user, reply, state=start, persona=persona, pack=PACKS.get(code), turn=4):
        try:
            start = apply(start, operation)
        except OperationRejected as refused:
            pytest.fail(str(refused))

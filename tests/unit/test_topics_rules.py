from __future__ import annotations

import time
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st

from harness.errors import LanguageError
from harness.language import load_packs
from harness.state import DialogueState, Message, PersonaRef, fold
from harness.state.operations import PushTopic, ReturnTopic
from harness.understanding.topics.topic_cues import read_cues
from harness.understanding.topics.track import foreseen_return, is_backchannel, track_topics, trim_label
from harness.yaml_strict import load_yaml

PACKS = load_packs()
ONE_TOPIC = Path(__file__).parents[1] / "data" / "one_topic"


def talk(code: str, *exchanges: tuple[str, str], classify: bool = False) -> tuple[DialogueState, list[list[str]]]:
    """The state after some exchanges, and the operations of each turn by name."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    done = []
    for turn, (user, reply) in enumerate(exchanges, 1):
        foreseen = foreseen_return(user, state=state, pack=PACKS.get(code), turn=turn)
        said = (Message(speaker="user", text=user, turn=turn), Message(speaker="character", text=reply, turn=turn))
        state = state.model_copy(update={"messages": (*state.messages, *said), "turn_count": turn})
        operations = track_topics(user, reply, state=state, pack=PACKS.get(code), turn=turn, classify=classify)
        state, applied, refused = fold(state, operations)
        assert not refused
        if foreseen is not None:  # what is told to the prompt before the reply is what happens after it
            assert state.topics.current is not None
            assert state.topics.current.id == foreseen.topic.id
        else:
            assert not any(operation.op in ("return_topic", "pop_topic") for operation in operations[-1:])
        done.append([operation.op.removesuffix("_topic") for operation in applied])
    return state, done


def label(state: DialogueState) -> str:
    assert state.topics.current is not None
    return state.topics.current.label


OPENED = [
    ("en", "Let's talk about your garden", "garden"),
    ("en", "can we discuss the rent", "rent"),
    ("en", "Speaking of music, do you sing?", "music"),
    ("en", "I wanted to talk about my exam results", "exam results"),
    ("en", "By the way, did you repair that old radio?", "repair that old radio"),
    ("en", "Anyway, the elections are coming", "elections"),
    ("en", "Tell me about the lighthouse", "lighthouse"),
    ("en", "How about volcanoes?", "volcanoes"),
    ("en", "On another note, my tooth aches", "tooth aches"),
    ("zh", "我们聊聊你的花园吧", "花园"),
    ("zh", "咱们谈谈房租", "房租"),
    ("zh", "说到音乐，你会唱歌吗？", "音乐"),
    ("zh", "我想跟你聊考试成绩", "考试成绩"),
    ("zh", "对了，你修好那台收音机了吗？", "收音机"),
    ("zh", "话说选举快到了", "选举"),
    ("zh", "给我讲讲灯塔", "灯塔"),
    ("zh", "关于火山，你知道什么？", "火山"),
    ("zh", "换个话题，我牙疼", "牙疼"),
]
START = {
    "en": (("I baked sourdough bread yesterday", "Lovely, was the crust crisp?"), ("Crisp and dark", "Mm.")),
    "zh": (("我昨天烤了酸面包", "真好，皮脆吗？"), ("又脆又黑", "嗯。")),
}


@pytest.mark.parametrize(("code", "text", "expected"), OPENED)
def test_a_cue_opens_a_topic_named_by_what_follows(code: str, text: str, expected: str) -> None:
    state, done = talk(code, *START[code], (text, "Hm."))
    assert done[-1] == ["push"]
    assert any(word in label(state) for word in expected.split()), label(state)
    assert len(label(state)) <= PACKS.get(code).topics.max_label


QUIET = [
    ("en", text)
    for text in (
        "ok",
        "haha",
        "Why?",
        "really",
        "and then?",
        "yes yes",
        "hmm ok",
        "thanks!",
        "👍",
        "...",
        "I see",
        "no way!",
        "go on",
        "lol ok",
        "what?",
    )
] + [
    ("zh", text)
    for text in (
        "嗯嗯",
        "哈哈",
        "为什么？",
        "真的吗",
        "然后呢？",
        "好的好的",
        "嗯，好",
        "谢谢！",
        "👍",
        "……",
        "原来如此",
        "不会吧！",
        "继续",
        "哈哈好吧",
        "什么？",
    )
]


@pytest.mark.parametrize(("code", "text"), QUIET)
def test_a_back_channel_never_shifts(code: str, text: str) -> None:
    assert is_backchannel(text, PACKS.get(code))
    state, done = talk(code, *START[code], (text, "Hm."))
    assert done[-1] == ["touch"]
    assert len(state.topics.open) == 1


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I love the smell of rain"),
        ("en", "ok, but the roof leaks"),
        ("en", "why do cats purr"),
        ("zh", "我喜欢下雨的味道"),
        ("zh", "好的，不过屋顶漏水"),
        ("zh", "行星有几颗"),
    ],
)
def test_talk_with_content_is_no_back_channel(code: str, text: str) -> None:
    assert not is_backchannel(text, PACKS.get(code))


CONTINUED = [
    ("en", "The sourdough starter is three years old"),
    ("en", "Is bread easy to bake?"),
    ("en", "It took me all day"),
    ("en", "And the crust was thick"),
    ("zh", "那个酸面包放了三年的酵头"),
    ("zh", "面包好烤吗？"),
    ("zh", "它花了我一整天"),
    ("zh", "而且面包皮很厚"),
]


@pytest.mark.parametrize(("code", "text"), CONTINUED)
def test_shared_words_and_pronouns_keep_the_topic(code: str, text: str) -> None:
    _, done = talk(code, *START[code], (text, "I see."))
    assert done[-1] == ["touch"]


UNANNOUNCED = [
    ("en", "Do you follow football?"),
    ("en", "My landlord raised the monthly rent again"),
    ("en", "What is your favourite planet?"),
    ("en", "Did you vote in the elections?"),
    ("zh", "你看足球吗？"),
    ("zh", "房东又涨房租，压力很大"),
    ("zh", "你最喜欢哪颗行星？"),
    ("zh", "你参加选举投票了吗？"),
]


@pytest.mark.parametrize(("code", "text"), UNANNOUNCED)
def test_something_unrelated_opens_a_topic_without_a_cue(code: str, text: str) -> None:
    _, done = talk(code, *START[code], (text, "Hm."))
    assert done[-1] == ["push"]


RETURNS = {
    "en": (
        ("I bought a camera for street photography", "Which lens?"),
        ("A small one", "Nice."),
        ("Let's talk about soup", "Gladly, I cook lentils."),
        ("Lentils with cumin", "Delicious."),
    ),
    "zh": (
        ("我买了相机拍街头照片", "什么镜头？"),
        ("一个小的", "不错"),
        ("我们聊聊煮汤吧", "好啊，我常煮扁豆汤"),
        ("扁豆配孜然", "好吃"),
    ),
}


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Back to what we said about the camera, is it heavy?"),
        ("en", "Going back to the camera"),
        ("en", "You mentioned street photography"),
        ("en", "as I was saying, the streets were empty"),
        ("en", "Does street photography need a fast camera?"),
        ("en", "Let's talk about the camera"),
        ("zh", "说回相机，它重吗？"),
        ("zh", "回到刚才说的相机"),
        ("zh", "你刚才提到的街头照片"),
        ("zh", "接着刚才的话题"),
        ("zh", "街头照片需要好相机吗？"),
        ("zh", "聊聊相机吧"),
    ],
)
def test_the_talk_returns_to_an_older_topic(code: str, text: str) -> None:
    state, done = talk(code, *RETURNS[code], (text, "Hm."))
    assert done[-1][0] == "return"
    assert state.topics.current is not None
    assert state.topics.current.first_turn == 1
    assert len(state.topics.open) == 2


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "I am going back to bed now"),
        ("en", "They go back to France every summer"),
        ("en", "She got back to me yesterday"),
        ("zh", "他昨天回到家就睡了"),
        ("zh", "他们每年夏天都回到法国"),
        ("zh", "这话说得没错"),
    ],
)
def test_going_somewhere_calls_no_topic_back(code: str, text: str) -> None:
    assert not read_cues(text, PACKS.get(code)).back


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Let's talk about the time when I lost the keys of my old car", "car"),
        ("zh", "我们聊聊上次我在路上把旧汽车的钥匙弄丢的那件事", "汽车"),
    ],
)
def test_what_a_cue_names_at_length_is_cut_to_a_label(code: str, text: str, expected: str) -> None:
    named = read_cues(text, PACKS.get(code)).opened
    assert expected in named
    assert len(named.split()) <= 3 if code == "en" else len(named) <= 6


def test_a_return_to_something_unknown_opens_it() -> None:
    state, done = talk("en", *RETURNS["en"], ("Back to the dragon", "Which dragon?"))
    assert done[-1] == ["push"]
    assert label(state) == "dragon"


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("text", ["ok", "嗯嗯", "Hello!", "你好", "?", "My boat leaks badly", "我的船漏水"])
def test_the_first_turn_always_opens_a_topic(code: str, text: str) -> None:
    state, done = talk(code, (text, ""))
    assert done == [["push"]]
    assert label(state)


@pytest.mark.parametrize(
    ("code", "exchanges", "expected"),
    [
        ("en", (("Hi!", "Hello."), ("My boat leaks badly", "Oh.")), "boat leaks"),
        ("zh", (("你好", "你好。"), ("我的船漏水", "哦。")), "船漏水"),
    ],
)
def test_a_greeting_takes_the_name_of_what_follows(
    code: str, exchanges: tuple[tuple[str, str], ...], expected: str
) -> None:
    state, _ = talk(code, *exchanges)
    assert label(state) == expected
    assert len(state.topics.open) == 1


@pytest.mark.parametrize(
    ("code", "announce", "text", "expected"),
    [
        ("en", "Let's change the subject.", "My cousin races pigeons", "pigeons"),
        ("zh", "换个话题吧", "我表哥养赛鸽比赛", "赛鸽"),
    ],
)
def test_an_announced_change_waits_for_the_new_topic(code: str, announce: str, text: str, expected: str) -> None:
    state, done = talk(code, *START[code], (announce, "Sure."), (text, "Hm."))
    assert done[-2:] == [["touch"], ["push"]]
    assert expected in label(state)


@pytest.mark.parametrize(("code", "text"), [("en", "Enough about that."), ("zh", "不说这个了")])
def test_closing_a_topic_uncovers_the_one_below(code: str, text: str) -> None:
    state, done = talk(code, *RETURNS[code], (text, "Fine."))
    assert done[-1] == ["pop"]
    assert state.topics.current is not None
    assert state.topics.current.first_turn == 1
    assert len(state.topics.past) == 1


@pytest.mark.parametrize("code", ["en", "zh"])
def test_the_stack_stays_bounded(code: str) -> None:
    names = [
        "apples",
        "bridges",
        "clouds",
        "drums",
        "engines",
        "forests",
        "glaciers",
        "harbours",
        "islands",
        "jackets",
        "kites",
        "lamps",
    ]
    cue = "Let's talk about {}" if code == "en" else "我们聊聊{}吧"
    state, _ = talk(code, *((cue.format(name), "Hm.") for name in names))
    assert len(state.topics.open) <= 8
    assert label(state) == "lamps"


@pytest.mark.parametrize(
    ("code", "words", "expected"),
    [
        ("en", "the weather in the", "weather"),
        ("en", "my new job", "new job"),
        ("zh", "你的工作的事", "工作"),
        ("zh", "关于那个展览", "展览"),
    ],
)
def test_labels_are_trimmed(code: str, words: str, expected: str) -> None:
    assert trim_label(words, PACKS.get(code)) == expected


def one_topic(code: str) -> dict[str, list[tuple[str, str]]]:
    """Talks about one thing each."""
    data = load_yaml(ONE_TOPIC / f"{code}.yaml", source=code, error=LanguageError)
    return {name: [(user, reply) for user, reply in talk] for name, talk in data.items()}


@pytest.mark.parametrize("classify", [False, True], ids=["rules", "classifier"])
@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_talk_about_one_thing_is_hardly_parted(code: str, *, classify: bool) -> None:
    """At most one turn in twenty opens a topic where none begins."""
    wrong = turns = 0
    for exchanges in one_topic(code).values():
        _, done = talk(code, *exchanges, classify=classify)
        wrong += sum(operations != ["touch"] for operations in done[1:])
        turns += len(done) - 1
    assert turns > 40
    assert wrong / turns <= 0.05


@pytest.mark.parametrize("classify", [False, True], ids=["rules", "classifier"])
@pytest.mark.parametrize("code", ["en", "zh"])
def test_another_thing_told_without_a_cue_mostly_opens_a_topic(code: str, *, classify: bool) -> None:
    """One talk after another: the second one's first or second message parts them in at least half of all pairs."""
    talks = one_topic(code)
    found = pairs = 0
    for first, second in permutations(talks, 2):
        _, done = talk(code, *talks[first], *talks[second][:2], classify=classify)
        found += any("push" in operations for operations in done[-2:])
        pairs += 1
    assert found / pairs >= 0.5


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "What is your favourite planet?", "planet"),
        ("zh", "你最喜欢哪颗行星？", "行星"),
    ],
)
def test_what_moves_the_stack_says_why(code: str, text: str, expected: str) -> None:
    pack = PACKS.get(code)
    state, _ = talk(code, *START[code])
    (push,) = track_topics(text, "", state=state, pack=pack, turn=4)
    assert isinstance(push, PushTopic)
    assert (push.label, push.evidence, push.tier) == (expected, text, "rules")
    cue = {"en": "Let's talk about the moon", "zh": "我们聊聊月亮吧"}[code]
    (announced,) = track_topics(cue, "", state=state, pack=pack, turn=4)
    assert isinstance(announced, PushTopic)
    assert announced.evidence
    assert announced.evidence in cue
    state, _ = talk(code, *RETURNS[code])
    back = {"en": "Back to the camera, is it heavy?", "zh": "说回相机，它重吗？"}[code]
    returned, _ = track_topics(back, "", state=state, pack=pack, turn=5)
    assert isinstance(returned, ReturnTopic)
    assert returned.evidence
    assert returned.evidence in back


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "Never mind the soup. My shoulder hurts.", "shoulder"),
        ("en", "Enough about that, do you paint?", "paint"),
        ("zh", "先不聊汤了，我肩膀疼。", "肩膀"),
        ("zh", "不说这个了，你画画吗？", "画画"),
    ],
)
def test_closing_one_thing_with_another_opens_that(code: str, text: str, expected: str) -> None:
    state, done = talk(code, *RETURNS[code], (text, "Hm."))
    assert done[-1] == ["push"]
    assert expected in label(state)


bits = st.sampled_from(
    ["let's talk about", "back to", "the camera", "by the way", "anyway", "enough about that", "ok", "?", ".", "soup",
     "我们聊聊", "说回", "相机", "换个话题", "不说这个了", "嗯", "，", "为什么"]
)  # fmt: skip
lines = st.one_of(
    st.text(max_size=60), st.lists(bits, max_size=6).map(" ".join), st.lists(bits, max_size=6).map("".join)
)


@settings(max_examples=200, deadline=None)
@example(texts=["00", "", "", "", "LET's TALK ABOUT换话题", "", "LET's TALK ABOUT不说这个", ""], code="zh")
@given(texts=st.lists(lines, min_size=2, max_size=12), code=st.sampled_from(["en", "zh"]))
def test_any_talk_gives_operations_that_hold(texts: list[str], code: str) -> None:
    state, done = talk(code, *zip(texts[::2], texts[1::2], strict=False))
    assert state.topics.current is not None or any("pop" in turn for turn in done)
    assert len(state.topics.open) <= 8


@pytest.mark.parametrize(
    "piece", ["a", "back to the ", "let's talk about ", "说回", "我们聊聊", "我叫", "I am from ", "？", "😀 "]
)
@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_long_message_takes_bounded_time(code: str, piece: str) -> None:
    text = piece * (8000 // len(piece))
    state, _ = talk(code, *RETURNS[code])
    started = time.perf_counter()
    foreseen_return(text, state=state, pack=PACKS.get(code), turn=5)
    track_topics(text, text, state=state, pack=PACKS.get(code), turn=5, classify=True)
    assert time.perf_counter() - started < 3

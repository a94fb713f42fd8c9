"""What is no promise though it looks like one, and what is one though it looks like none: as people say it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Message, PersonaRef, fold
from harness.understanding.commitments.track import track_commitments

PACKS = load_packs()
NOW = datetime(2026, 6, 17, 10, 20, tzinfo=UTC)
"""A Wednesday morning."""


def promises(code: str, *exchanges: tuple[str, str]) -> list[tuple[str, str, str, str]]:
    """By whom, to whom, what, and how it stands after some exchanges (user, reply)."""
    state = DialogueState(persona=PersonaRef(id="n", name="Nora"), language=code)
    for turn, (user, reply) in enumerate(exchanges, 1):
        operations = track_commitments(user, reply, state=state, pack=PACKS.get(code), turn=turn, now=NOW)
        state, _, refused = fold(state, operations)
        assert not refused
        said = (Message(speaker="user", text=user, turn=turn), Message(speaker="character", text=reply, turn=turn))
        state = state.model_copy(update={"messages": (*state.messages, *said), "turn_count": turn})
    return [(one.by, one.to, one.text, one.status.value) for one in state.commitments]


NONE = [
    # asked about
    ("zh", "我答应过你啥来着？", ""),
    ("zh", "我答应给你带啥了", ""),
    ("zh", "我保证过什么你还记得不", ""),
    ("zh", "我欠你多少钱", ""),
    ("zh", "你之前答应我什么来着", ""),
    ("en", "What did I promise you again?", ""),
    ("en", "What do I owe you?", ""),
    # an offer of nothing in particular
    ("zh", "你要不要我带点什么？", "好啊，谢谢你"),
    ("zh", "要我带点啥吗？", "好的。"),
    ("zh", "要不要我给你带些什么？", "行啊"),
    ("en", "Do you want me to bring anything?", "Yes please"),
    ("en", "Shall I bring something?", "Sure"),
    # days off, and who invites whom
    ("zh", "我今天请病假了", "好的，好好休息。"),
    ("zh", "我下周请婚假去旅游", "好的，真羡慕"),
    ("zh", "我明天请半天假", "好的"),
    ("zh", "今天请事假在家", "嗯嗯"),
    ("zh", "我今天请同事吃饭", "好的"),
    ("zh", "老板周五请大家吃饭", "好的"),
    ("zh", "我妈明天给我带饭。", "好的"),
    # told again, with what became of it
    ("zh", "", "我答应过你要周末回家吃饭，你说给我带饺子，后来说没戏了，周五提醒你买票。"),
    ("zh", "", "我答应过你的事我记得。"),
    ("zh", "我答应过你给你带饺子，后来没戏了。", ""),
    # sighs
    ("en", "My birthday is next Tuesday, I'll be forty, God help me.", ""),
    ("en", "I'll turn forty on Friday, help.", ""),
    ("en", "I'll be stuck in meetings tomorrow, God help me.", ""),
    ("en", "I'll have three exams on Friday, heaven help me.", ""),
    # to be told of something is done at once, whatever time it is about
    ("en", "Tell me something silly that happened to you this week", "Okay, so I fell off a ladder."),
    ("en", "Tell me about your weekend", "Sure! I slept."),
    ("en", "Can you tell me something about this week?", "Sure. It was long."),
    ("en", "Tell me what you're doing this weekend.", "Sure, I'm sailing."),
    ("en", "Can you show me how it looks today?", "Sure."),
    ("en", "Can you describe your day tomorrow?", "Sure"),
    ("en", "Remind me what you said this morning", "Sure, I said hi."),
    ("zh", "给我讲讲你今天怎么过的", "好的，我去了市集。"),
    ("zh", "你能告诉我今天发生了什么吗？", "可以，我修书。"),
    ("zh", "告诉我你这周最开心的事", "好，下雪了。"),
]


@pytest.mark.parametrize(("code", "user", "reply"), NONE)
def test_it_is_no_promise(code: str, user: str, reply: str) -> None:
    assert promises(code, (user, reply)) == []


STILL = [
    ("en", "Tell me tomorrow how it went", "Sure.", "character", "tell you how it went"),
    ("en", "Tell me on Friday what she said.", "Okay.", "character", "tell you what she said"),
    ("en", "Can you show me how to bake bread on Sunday?", "Sure", "character", "show you how to bake bread"),
    ("en", "Remind me about the rehearsal on Friday", "Sure", "character", "remind you about the rehearsal"),
    ("en", "I'll be there on Friday, God help me.", "", "user", "be there"),
    ("en", "I'll help you move on Friday.", "", "user", "help you move"),
    ("en", "Shall I bring the cake on Sunday?", "Yes please", "user", "bring the cake"),
    ("zh", "请明天帮我请个假", "好的", "character", "帮你请个假"),
    ("zh", "周五请准时到", "好的", "character", "准时到"),
    ("zh", "我得麻烦你周五帮我取个快递", "好的", "character", "帮你取个快递"),
    ("zh", "周五提醒我买票", "好的", "character", "提醒你买票"),
    ("zh", "明天告诉我结果", "好的", "character", "告诉你结果"),
    ("zh", "今晚给我讲个故事吧", "好的", "character", "给你讲个故事"),
    ("zh", "要不要我给你带杯咖啡？", "好啊", "user", "给你带杯咖啡"),
    ("zh", "我欠你一杯奶茶", "", "user", "一杯奶茶"),
    ("zh", "", "我答应你周末一起做饭。", "character", "一起做饭"),
]


@pytest.mark.parametrize(("code", "user", "reply", "by", "text"), STILL)
def test_it_is_a_promise(code: str, user: str, reply: str, by: str, text: str) -> None:
    assert [(one[0], one[2]) for one in promises(code, (user, reply))] == [(by, text)]


PARTED = [
    (
        "zh", "我答应我妈周末回家吃饭，回来给你带饺子。",
        [("user", "妈", "周末回家吃饭", "open"), ("user", "character", "给你带饺子", "open")],
    ),
    (
        "en", "I promised my mum I'd come home for dinner at the weekend, and I'll bring you dumplings.",
        [("user", "mum", "come home for dinner", "open"), ("user", "character", "bring you dumplings", "open")],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said", "found"), PARTED)
def test_a_promise_to_another_and_one_to_the_listener_are_two(
    code: str, said: str, found: list[tuple[str, str, str, str]]
) -> None:
    assert promises(code, (said, "")) == found


OFF = [
    ("zh", "饺子没戏了。", True),
    ("zh", "饺子泡汤了", True),
    ("zh", "带饺子的事黄了", True),
    ("zh", "饺子怕是没指望了", True),
    ("zh", "饺子黄了才好吃", False),
    ("zh", "考试没戏了", False),
    ("zh", "他的饺子没戏了", False),
    ("en", "Sorry, the dumplings aren't happening.", True),
    ("en", "The dumplings are off, I'm afraid.", True),
    ("en", "Those dumplings fell through.", True),
    ("en", "The dumplings are off the stove.", False),
    ("en", "The exam isn't happening.", False),
]


@pytest.mark.parametrize(("code", "said", "off"), OFF)
def test_what_comes_to_nothing_is_taken_back(code: str, said: str, off: bool) -> None:
    promise = {"zh": "我周末给你带饺子。", "en": "I'll bring you dumplings on Sunday."}[code]
    assert [one[3] for one in promises(code, (promise, ""), (said, ""))] == ["withdrawn" if off else "open"]

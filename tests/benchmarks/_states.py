"""A conversation that has a lot in its state, and ordinary talk to go on with."""

from collections.abc import Iterator
from datetime import UTC, datetime

from harness.session import Session
from harness.state import Operation
from harness.state.operations import AssertFact, MentionEntity, OpenCommitment, PushTopic

NOW = datetime(2025, 6, 1, 9, 0, tzinfo=UTC)

SMALL_TALK = {
    "en": (
        "Nice to see you again, how was your morning?",
        "It rained the whole way here and the bus was late.",
        "What are you working on today?",
        "That sounds like slow work, do you enjoy it?",
        "I walked along the river yesterday and saw two herons.",
        "Tell me something about the street outside.",
        "My coffee has gone cold while we were talking.",
        "Do you ever get bored of it?",
        "The market was full of people this weekend.",
        "I should get going soon, but one more question.",
    ),
    "zh": (
        "又见面了，你早上过得怎么样？",
        "一路上都在下雨，公交车还晚点了。",
        "你今天在忙什么？",
        "听起来是慢功夫，你喜欢做吗？",
        "我昨天沿着河边走，看见两只白鹭。",
        "说说外面那条街吧。",
        "聊着聊着咖啡都凉了。",
        "你会不会觉得腻？",
        "周末集市上人特别多。",
        "我差不多该走了，再问一个问题。",
    ),
}

REPLIES = {
    "en": (
        "Quiet so far. I had a slow start and a warm cup.",
        "The weather does what it wants around here.",
        "Small repairs, mostly. One thing after the other.",
        "On good days it keeps my hands busy and my head clear.",
        "Herons like company less than I do.",
        "There is a bakery across from here, and the whole block smells of it by six.",
        "Put the cup on the stove, it will come back to life.",
        "Bored, no. Impatient, sometimes, near closing.",
        "Saturdays I stay off the main square until noon.",
        "Go ahead, ask. The door stays open a while.",
        "You look like somebody who slept badly.",
        "I found an old postcard under the bench this week.",
        "Somebody left an umbrella and never came back for it.",
        "That reminds me of a winter when the pipes froze.",
    ),
    "zh": (
        "到现在都挺安静的，先喝了杯热的。",
        "这边的天气从来不看人脸色。",
        "都是些零碎活，一样一样来。",
        "顺手的时候，手忙着，心里反倒清静。",
        "白鹭比我还怕生。",
        "对面是家点心铺，六点不到整条巷子都香。",
        "凉了就热一热，不碍事。",
        "腻倒不会，快收工的时候会着急。",
        "礼拜六上午我一般不往那边去。",
        "你问吧，门还开着呢。",
        "看你的样子，昨晚没睡踏实。",
        "前两天我在柜子底下翻出一张旧明信片。",
        "有人落了把伞在这儿，一直没来取。",
        "说起来，有年冬天水管冻住过。",
    ),
}


def chatter(language: str) -> Iterator[str]:
    """Ordinary messages, again and again in the same order."""
    while True:
        yield from SMALL_TALK[language]


def heavy_operations(target_bytes: int) -> Iterator[Operation]:
    """What 100 facts, entities and promises and a dozen topics come to: for a state of about ``target_bytes``."""
    for index in range(4):
        yield OpenCommitment(
            by="user" if index % 2 else "character", to="character" if index % 2 else "user",
            text=f"bring the parts for repair number {index}", turn=0, due="on Friday", due_at=NOW, quote="on Friday",
        )  # fmt: skip
    for index in range(6):
        words = tuple(f"word{index}{letter}" for letter in "abcdef")
        yield PushTopic(label=f"topic number {index}", turn=0, entities=(f"thing {index}",), keywords=words)
    used = 3_000
    index = 0
    while used < target_bytes:
        index += 1
        fact = AssertFact(
            subject="user" if index % 3 else f"Person {index}",
            attribute=f"detail {index}",
            value=f"the {index * 37 % 101}th item on the long list",
            speaker="user",
            turn=0,
            quote=f"by the way, detail {index} is the {index * 37 % 101}th item on the long list",
            language="en",
            at=NOW,
        )
        yield fact
        used += 325
        if index % 2:
            yield MentionEntity(name=f"Thing {index}", turn=0, kind="thing", aliases=(f"item {index}",), speaker="user")
            used += 140


async def make_heavy(session: Session, target_bytes: int) -> int:
    """Fill a session's state; gives its size as JSON in bytes."""
    await session.change(tuple(heavy_operations(target_bytes)))
    return await size_of(session)


async def size_of(session: Session) -> int:
    """The state as JSON, in bytes."""
    return len((await session.state()).model_dump_json().encode())


__all__ = ["REPLIES", "SMALL_TALK", "chatter", "heavy_operations", "make_heavy", "size_of"]

"""A question for last week is answered from last week; what did I say is not what did you say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.language import load_packs
from harness.memory.narrowing import narrowed, narrowing
from harness.settings import load
from harness.state import TurnRecord
from harness.state.memory import MemoryItem, MemoryKind
from harness.testing.scripted_model import ScriptedModel

PACKS = load_packs()
NOW = datetime(2026, 11, 18, 15, 0, tzinfo=UTC)  # a Wednesday
PERSONAS = {"en": "mia", "zh": "lin"}

PERIODS = [
    ("en", "What did I say last week?", "2026-11-09", "2026-11-16"),
    ("zh", "我上周说了什么？", "2026-11-09", "2026-11-16"),
    ("en", "What did we do yesterday?", "2026-11-17", "2026-11-18"),
    ("zh", "我们昨天做了什么？", "2026-11-17", "2026-11-18"),
    ("zh", "前天我去了哪里？", "2026-11-16", "2026-11-17"),
    ("en", "Where did I go the day before yesterday?", "2026-11-16", "2026-11-17"),
    ("en", "Where was I in March?", "2026-03-01", "2026-04-01"),
    ("zh", "我三月份去了哪里？", "2026-03-01", "2026-04-01"),
    ("zh", "我3月在哪儿来着？", "2026-03-01", "2026-04-01"),
    ("en", "What did I buy last month?", "2026-10-01", "2026-11-01"),
    ("zh", "我上个月买了什么？", "2026-10-01", "2026-11-01"),
    ("en", "What did you tell me on Monday?", "2026-11-16", "2026-11-17"),
    ("zh", "周一你跟我说了什么？", "2026-11-16", "2026-11-17"),
    ("en", "Where did I travel last summer?", "2026-06-01", "2026-09-01"),
    ("zh", "去年夏天我去哪儿旅行了？", "2025-06-01", "2025-09-01"),
    ("en", "What happened in 2024?", "2024-01-01", "2025-01-01"),
    ("zh", "2024年发生了什么？", "2024-01-01", "2025-01-01"),
    ("en", "What have I told you today?", "2026-11-18", "2026-11-19"),
    ("zh", "我今天说了什么？", "2026-11-18", "2026-11-19"),
    ("en", "What did I say two weeks ago?", "2026-11-02", "2026-11-07"),
    ("zh", "两周前我说了什么？", "2026-11-02", "2026-11-07"),
    ("en", "Tell me what I did this week, will you?", "2026-11-16", "2026-11-23"),
    ("zh", "这个月我都聊了什么？", "2026-11-01", "2026-12-01"),
]


BESIDE = [
    ("en", "Where did I go the last weekend before April 10?", "2026-04-04", "2026-04-06"),
    ("zh", "4月10日之前的那个周末我去了哪里？", "2026-04-04", "2026-04-06"),
    ("en", "Where did I go on the weekend before 10 April, 2023?", "2023-04-08", "2023-04-10"),
    ("zh", "2023年4月10号前的周末我去了哪儿？", "2023-04-08", "2023-04-10"),
    ("en", "What did I do the Sunday before May 25, 2023?", "2023-05-21", "2023-05-22"),
    ("zh", "2023年5月25日之前的那个周日我去了哪里？", "2023-05-21", "2023-05-22"),
    ("en", "What did I do on the Sunday before May 21, 2023?", "2023-05-14", "2023-05-15"),
    ("zh", "2023年5月21日之前的那个星期天我做了什么？", "2023-05-14", "2023-05-15"),
    ("en", "Who did I meet the weekend after 10 April?", "2026-04-11", "2026-04-13"),
    ("zh", "4月10日之后的那个周末我见了谁？", "2026-04-11", "2026-04-13"),
    ("en", "What did we do the week before 10 April?", "2026-04-03", "2026-04-10"),
    ("zh", "4月10日之前的那个星期我们做了什么？", "2026-04-03", "2026-04-10"),
    ("en", "Where was I the day before July 4?", "2026-07-03", "2026-07-04"),
    ("zh", "7月4日的前一天我去了哪里？", "2026-07-03", "2026-07-04"),
    ("en", "What did I buy the month before March 2023?", "2023-02-01", "2023-03-01"),
    ("zh", "2023年3月之前的那个月我买了什么？", "2023-02-01", "2023-03-01"),
    ("en", "What did I say three days after April 10?", "2026-04-13", "2026-04-14"),
    ("zh", "4月10日三天之后我说了什么？", "2026-04-13", "2026-04-14"),
    ("en", "What did I say two weeks before April 10?", "2026-03-24", "2026-03-31"),
    ("zh", "4月10日两周前我说了什么？", "2026-03-24", "2026-03-31"),
    ("en", "What did I do in the two weeks before April 10?", "2026-03-27", "2026-04-10"),
    ("zh", "4月10日之前的两周我做了什么？", "2026-03-27", "2026-04-10"),
    ("en", "What did I buy before April 10?", "0001-01-02", "2026-04-10"),
    ("zh", "4月10日之前我买了什么？", "0001-01-02", "2026-04-10"),
    ("en", "Where have I been since March 2023?", "2023-03-01", "2026-11-18"),
    ("zh", "2023年3月以来我去过哪里？", "2023-03-01", "2026-11-18"),
    ("en", "What did I buy after April 10?", "2026-04-11", "2026-11-18"),
    ("zh", "4月10日之后我买了什么？", "2026-04-11", "2026-11-18"),
    ("en", "What did I do in December 2023?", "2023-12-01", "2024-01-01"),
    ("en", "What did I do in December, 2023?", "2023-12-01", "2024-01-01"),
    ("zh", "2023年12月我做了什么？", "2023-12-01", "2024-01-01"),
    ("zh", "2023年的12月我做了什么？", "2023-12-01", "2024-01-01"),
    ("zh", "二零二三年十二月我做了什么？", "2023-12-01", "2024-01-01"),
    ("en", "Where did I go last weekend?", "2026-11-14", "2026-11-16"),
    ("zh", "上周末我去了哪里？", "2026-11-14", "2026-11-16"),
]
LATER = [datetime(2023, 12, 20, 9, tzinfo=UTC), datetime(2024, 2, 7, 15, tzinfo=UTC), NOW]


@pytest.mark.parametrize(("code", "text", "since", "until"), [*PERIODS, *BESIDE])
def test_the_time_a_question_is_about(code: str, text: str, since: str, until: str) -> None:
    period = narrowing(text, pack=PACKS.get(code), now=NOW).period
    assert period is not None
    assert (period.since.date().isoformat(), period.until.date().isoformat()) == (since, until)


@pytest.mark.parametrize("now", LATER, ids=str)
@pytest.mark.parametrize("number", [number for number, row in enumerate(BESIDE) if "2023" in row[1] and "since" not in row[1] and "以来" not in row[1]])  # fmt: skip
def test_a_date_with_its_year_is_the_same_whenever_it_is_asked_for(number: int, now: datetime) -> None:
    code, text, since, until = BESIDE[number]
    period = narrowing(text, pack=PACKS.get(code), now=now).period
    assert period is not None
    assert (period.since.date().isoformat(), period.until.date().isoformat()) == (since, until)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "What did I do in December 2023?"),
        ("zh", "2023年12月我做了什么？"),
        ("en", "What did I do the weekend before December 10, 2023?"),
        ("zh", "2023年12月10日之前的那个周末我做了什么？"),
    ],
)
def test_a_year_that_is_named_is_not_taken_for_the_one_before(code: str, text: str) -> None:
    assert narrowing(text, pack=PACKS.get(code), now=datetime(2023, 6, 14, 15, tzinfo=UTC)).period is None


@pytest.mark.parametrize(
    ("code", "text", "said"),
    [
        ("en", "What did I buy before April 10?", "'April 10' (until 2026-04-09)"),
        ("zh", "4月10日之前我买了什么？", "'4月10日' (until 2026-04-09)"),
    ],
)
def test_the_report_says_until_when(code: str, text: str, said: str) -> None:
    assert str(narrowing(text, pack=PACKS.get(code), now=NOW).period) == said


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "Last week I went to Rome."),
        ("zh", "我上周去了罗马。"),
        ("en", "Will it rain tomorrow?"),
        ("zh", "明天会下雨吗？"),
        ("en", "Where do I live?"),
        ("zh", "我住在哪里？"),
        ("en", "What do I do every Monday?"),
        ("zh", "我每周一做什么？"),
        ("en", "What should I pack for next week?"),
        ("zh", "下周我该带什么？"),
    ],
)
def test_no_time_is_made_up(code: str, text: str) -> None:
    assert narrowing(text, pack=PACKS.get(code), now=NOW).period is None


@pytest.mark.parametrize(
    ("code", "text", "speaker"),
    [
        ("en", "What did I tell you about the boat?", "user"),
        ("zh", "我跟你说过船的什么事？", "user"),
        ("en", "What did you recommend?", "character"),
        ("zh", "你上次推荐了什么？", "character"),
        ("en", "What was your advice about the boat?", "character"),
        ("zh", "你之前建议过我什么？", "character"),
        ("en", "Where is the boat?", ""),
        ("zh", "船在哪里？", ""),
        ("en", "Did I say what you said?", ""),
        ("zh", "我说过你说的什么？", ""),
    ],
)
def test_whose_words_a_question_is_about(code: str, text: str, speaker: str) -> None:
    assert narrowing(text, pack=PACKS.get(code), now=NOW).speaker == speaker


class Hands:
    """A clock that is set."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0


def settings() -> object:
    return load(
        environ={},
        overrides={
            "storage.backend": "memory",
            "harness.analysis": "rules",
            "harness.background": "false",
            "harness.max_revisions": "0",
        },
    )


async def talk(
    memory: InProcessMemoryStore, code: str, at: datetime, session: str, text: str, reply: str = "Mm."
) -> TurnRecord:
    async with Harness(settings(), model=ScriptedModel(reply), memory=memory, clock=Hands(at)) as harness:  # type: ignore[arg-type]
        opened = await harness.open(PERSONAS[code], session=session, user="nora")
        await opened.say(text)
        return await opened.report()


def shown(record: TurnRecord) -> list[str]:
    return [i.text for layer in record.context.layers if layer.block == "memory" for i in layer.items if not i.dropped]


def dropped(record: TurnRecord) -> dict[str, str]:
    return {
        i.text: i.dropped
        for layer in record.context.layers
        if layer.block == "memory"
        for i in layer.items
        if i.dropped
    }


BOUGHT = {
    "en": ["I bought a green lamp at the market.", "I bought a wooden chair at the market.", "I bought a copper kettle at the market."],
    "zh": ["我在市场买了一盏绿色的灯。", "我在市场买了一把木头椅子。", "我在市场买了一个铜水壶。"],
}  # fmt: skip
WHEN = [NOW - timedelta(days=35), NOW - timedelta(days=7), NOW - timedelta(days=1)]


async def filled(code: str) -> InProcessMemoryStore:
    memory = InProcessMemoryStore()
    for number, (text, at) in enumerate(zip(BOUGHT[code], WHEN, strict=True)):
        await talk(memory, code, at, f"old{number}", text)
    return memory


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(
    ("ask", "which"),
    [
        ({"en": "What did I buy at the market last month?", "zh": "上个月我在市场买了什么？"}, 0),
        ({"en": "What did I buy at the market last week?", "zh": "上周我在市场买了什么？"}, 1),
        ({"en": "What did I buy at the market yesterday?", "zh": "昨天我在市场买了什么？"}, 2),
        ({"en": "What did we talk about last week?", "zh": "上周我们聊了什么？"}, 1),
    ],
    ids=["month", "week", "yesterday", "only a time"],
)
async def test_what_is_from_that_time_is_found(code: str, ask: dict[str, str], which: int) -> None:
    memory = await filled(code)
    record = await talk(memory, code, NOW, "now", ask[code])
    found = [text for text in BOUGHT[code] if text in shown(record)]
    assert found == [BOUGHT[code][which]]
    others = [reason for text, reason in dropped(record).items() if text in BOUGHT[code]]
    assert all(reason.startswith("not from") for reason in others)
    if which != 1 or "market" in ask["en"]:
        assert len(others) == 2


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_where_nothing_is_from_that_time_all_is_looked_at_and_it_is_said(code: str) -> None:
    ask = {"en": "What did I buy at the market in 2024?", "zh": "2024年我在市场买了什么？"}
    record = await talk(await filled(code), code, NOW, "now", ask[code])
    assert set(BOUGHT[code]) & set(shown(record))
    assert any("2024-01-01 to 2024-12-31" in warning for warning in record.context.warnings)


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_was_told_later_of_that_time_is_of_it(code: str) -> None:
    memory = await filled(code)
    later = {"en": "Last month I also bought a brass bell at the market.", "zh": "上个月我在市场还买了一个铜铃铛。"}
    await talk(memory, code, NOW - timedelta(days=2), "later", later[code])
    ask = {"en": "What did I buy at the market last month?", "zh": "上个月我在市场买了什么？"}
    found = shown(await talk(memory, code, NOW, "now", ask[code]))
    assert {later[code], BOUGHT[code][0]} <= set(found)
    assert BOUGHT[code][2] not in found


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_constraints_are_minded_whatever_the_time(code: str) -> None:
    memory = await filled(code)
    allergy = {"en": "I'm allergic to mangoes.", "zh": "我对芒果过敏。"}
    await talk(memory, code, NOW - timedelta(days=300), "older", allergy[code])
    ask = {"en": "What did I buy at the market yesterday?", "zh": "昨天我在市场买了什么？"}
    record = await talk(memory, code, NOW, "now", ask[code])
    assert any({"en": "mango", "zh": "芒果"}[code] in text for text in shown(record))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_the_user_said_is_not_what_the_character_said(code: str) -> None:
    said = {"en": "The harbour festival has paper lanterns and drums.", "zh": "港口节有纸灯笼和大鼓。"}
    reply = {"en": "At the harbour festival I would try the smoked eel.", "zh": "港口节上我会去尝尝熏鳗鱼。"}
    own = {"en": "What did I tell you about the harbour festival?", "zh": "关于港口节我跟你说过什么？"}
    other = {"en": "What did you tell me about the harbour festival?", "zh": "关于港口节你跟我说过什么？"}
    memory = InProcessMemoryStore()
    await talk(memory, code, NOW - timedelta(days=3), "old", said[code], reply[code])
    mine = await talk(memory, code, NOW, "mine", own[code])
    assert said[code] in shown(mine)
    assert reply[code] not in shown(mine)
    assert "question is what the user said" in dropped(mine)[reply[code]]
    yours = await talk(memory, code, NOW, "yours", other[code])
    assert reply[code] in shown(yours)
    assert said[code] not in shown(yours)


SUMMARIES = {
    "en": ("Nora told of the meteors seen while camping.", "Nora bought a tent.", "What did Nora see last year?"),
    "zh": ("小诺说起露营时看到的流星。", "小诺买了一顶帐篷。", "小诺去年看到了什么？"),
}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize(("kind", "relevance", "stays"), [("summary", 0.9, True), ("summary", 0.5, False), ("message", 0.9, False)])  # fmt: skip
def test_a_summary_may_tell_of_a_time_that_it_does_not_name(
    code: str, kind: MemoryKind, relevance: float, stays: bool
) -> None:
    """One that is far more relevant than all that is dated so stays; a message has the date of what it tells."""
    told, bought, question = SUMMARIES[code]
    asked = narrowing(question, pack=PACKS.get(code), now=NOW)
    assert asked.period is not None
    items = {
        name: MemoryItem(id=name, layer="L2", kind=of, text=text, language=code, at=NOW - timedelta(days=days))
        for name, of, text, days in (("told", kind, told, 90), ("bought", "summary", bought, 400))
    }
    found = narrowed(
        asked,
        items,
        {"told": relevance, "bought": 0.3},
        dict.fromkeys(items, 0.1),
        minded=(),
        packs=PACKS,
    )
    assert ("told" not in found.outside) is stays
    assert "bought" not in found.outside

"""What users of such systems complain about, one case a row, in English and Chinese: what is remembered, for whom, and for how long.

Every case talks through the engine, in sessions on files. Rows that are not about memory are in ``test_field_notes.py`` and
``test_field_notes_talk.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from harness.app import Harness
from harness.errors import CorruptStore, StoreError
from harness.ports import GraphFilter, MemoryFilter, ModelRequest
from harness.session import Session
from harness.settings import load
from harness.state import TurnRecord
from harness.state.graph import Edge
from harness.state.memory import MemoryItem, Scope
from harness.testing.scripted_model import Script, ScriptedModel
from tests.unit.test_turn_steps import analysis, fact

PERSONAS = {"en": ("mia", "ada"), "zh": ("lin", "tang")}
MM = {"en": "Mm.", "zh": "嗯。"}
BOTH = pytest.mark.parametrize("code", ["en", "zh"])
NOW = datetime(2026, 6, 10, 9, tzinfo=UTC)  # a Wednesday


class Hands:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0


Make = Callable[..., Harness]


@pytest.fixture
def clock() -> Hands:
    return Hands()


@pytest.fixture
def make(tmp_path: Path, clock: Hands) -> Make:
    """``make(script, **engine)``: call it again for a program that is started again."""

    def made(script: Script, **engine: str) -> Harness:
        engine = {"analysis": "rules", "summarize_with": "rules", "max_revisions": "0", "background": "false"} | engine
        overrides = {f"harness.{key}": value for key, value in engine.items()}
        places = {"storage.path": str(tmp_path / "sessions.db"), "short_term.backend": "sqlite"}
        settings = load(start=tmp_path, environ={}, overrides={**overrides, **places})
        return Harness(settings, model=ScriptedModel(script), clock=clock)

    return made


async def told(
    harness: Harness, code: str, *texts: str, session: str = "first", user: str = "nora", other: bool = False
) -> Session:
    opened = await harness.open(PERSONAS[code][other], session=session, user=user)
    for text in texts:
        await opened.say(text)
    await opened.settled()
    return opened


async def asked(
    harness: Harness, code: str, text: str, *, session: str = "second", user: str = "nora", other: bool = False
) -> TurnRecord:
    return await (await told(harness, code, text, session=session, user=user, other=other)).report()


def known(record: TurnRecord) -> list[str]:
    layers = [layer for layer in record.context.layers if layer.block == "memory"]
    return [item.text for layer in layers for item in layer.items if not item.dropped]


def prompt(record: TurnRecord) -> str:
    return "\n".join(text for call in record.calls for _, text in call.messages)


async def items(harness: Harness, *, hidden: bool = False) -> list[MemoryItem]:
    store = harness.memory_store()
    assert store is not None
    where = MemoryFilter(everything=True, statuses=() if hidden else ("active",))
    return list(await store.browse(where, limit=1000))


async def edges(harness: Harness) -> list[Edge]:
    return list(await harness.graphs().graph.browse(GraphFilter(everything=True), limit=1000))


# --- 5: nothing recalled, and nothing of the prompt, is remembered again ----------------------------------------------

ALLERGY = {"en": ("I'm allergic to mangoes.", "mangoes"), "zh": ("我对芒果过敏。", "芒果")}
SNACK = {"en": "Can you recommend a snack?", "zh": "推荐一个零食吧？"}
PARROTED = {
    "en": ("I'm allergic to mangoes", "You told me: I'm allergic to mangoes."),
    "zh": ("我对芒果过敏", "你告诉过我：我对芒果过敏。"),
}


@BOTH
async def test_row_5_what_was_recalled_is_not_remembered_again(make: Make, code: str) -> None:
    line, word = ALLERGY[code]
    quote, parroted = PARROTED[code]
    junk = analysis(facts=[fact(quote, "allergy", word)])
    script = {"respond": [MM[code], parroted], "turn_analysis": [analysis(facts=[fact(quote, "allergy", word)]), junk]}
    async with make(script, analysis="combined") as harness:
        await told(harness, code, line)
        before = [item.id for item in await items(harness) if word in item.text]
        assert before
        for number in range(4):
            record = await asked(harness, code, SNACK[code], session=f"later{number}")
            assert any(word in text for text in known(record)), "it was recalled, and so in the prompt"
            assert word in record.reply
            assert not any(word in write.text for write in record.memory if write.kept)
        after = await items(harness)
        assert [item.id for item in after if word in item.text] == before
        assert {item.seen for item in after if word in item.text} == {1}


# --- 6: whatever a model wraps around its JSON, what was said is remembered, and nothing else ------------------------

HOME = {
    "en": ("I live in Bergen.", "I live in Bergen", "Bergen", "Where do I live?"),
    "zh": ("我住在卑尔根。", "我住在卑尔根", "卑尔根", "我住在哪里？"),
}
WRAPPED = [
    "Sure, here it is:\n```json\n{}\n```\nExplanation: they told where they live.",
    "<think>Perhaps {{}}</think>\n{}",
    "好的：\n```\n{}\n```\n说明：住处。",
]
UNREADABLE = ["", '{"reasoning": "no key"}', "I cannot do that. 抱歉。", '{"facts": "\\ud83d']


@BOTH
@pytest.mark.parametrize("wrapping", WRAPPED)
async def test_row_6_wrapped_json_is_remembered(make: Make, code: str, wrapping: str) -> None:
    line, quote, value, question = HOME[code]
    answer = wrapping.format(analysis(facts=[fact(quote, "home", value)]))
    async with make({"respond": MM[code], "turn_analysis": answer}, analysis="combined") as harness:
        await told(harness, code, line)
        homes = [item for item in await items(harness) if item.attribute == "home"]
        assert [(item.value, item.quote) for item in homes] == [(value, quote)]
        assert any(value in text for text in known(await asked(harness, code, question)))


@BOTH
@pytest.mark.parametrize("answer", UNREADABLE)
async def test_row_6_the_unreadable_costs_no_memory_and_is_seen(make: Make, code: str, answer: str) -> None:
    line, _, value, question = HOME[code]
    async with make({"respond": MM[code], "turn_analysis": answer}, analysis="combined") as harness:
        session = await told(harness, code, line)
        record = await session.report()
        assert "fell_back_to_rules" in [event.kind for event in record.events]
        assert [call.purpose for call in record.calls].count("turn_analysis") == 2
        kept = await items(harness)
        assert all(line.rstrip(".。") in item.text or value in item.text or item.text == MM[code] for item in kept)
        assert any(value in text for text in known(await asked(harness, code, question)))


# --- 8: what a rerolled reply brought is gone from every store --------------------------------------------------------

CAMERA = {
    "en": ("Which camera do you use?", "I use a Canon. Ada is Tom's boss.", "I use a Nikon.", "Canon", "Nikon", "Tom"),
    "zh": ("你用什么相机？", "我用的相机是佳能。王芳是李强的领导。", "我用的相机是尼康。", "佳能", "尼康", "李强"),
}


@BOTH
async def test_row_8_a_rerolled_reply_is_in_no_memory(make: Make, code: str) -> None:
    question, first, second, gone, there, name = CAMERA[code]
    async with make([first, second, MM[code]]) as harness:
        session = await told(harness, code, question)
        assert any(gone in item.text for item in await items(harness)), "it was remembered"
        await session.retry()
        await session.settled()
        assert not any(gone in item.text for item in await items(harness))
        assert not any(name in (edge.subject, edge.object) for edge in await edges(harness))
        recent = [one.message.text for one in await harness.short_term().recent("first")]
        assert recent[-2:] == [question, second]
        assert first not in recent
        record = await asked(harness, code, question)
        assert gone not in prompt(record)
        assert there in prompt(record)


# --- 10: a summary loses nothing that matters, comes to an end, and bears a message that is larger than all -------------

FILLER = {"en": "The road goes on past the mill {}.", "zh": "这条路经过第{}座磨坊。"}
SUMMARIES = ["", "   ", "x" * 20_000, "好" * 20_000]


@BOTH
@pytest.mark.parametrize("summary", SUMMARIES, ids=["nothing", "blanks", "too long", "too long in Chinese"])
async def test_row_10_a_bad_summary_wipes_nothing_and_ends(make: Make, code: str, summary: str) -> None:
    line, word = ALLERGY[code]
    chosen = {"summarize_with": "model", "short_term_window": "2", "summary_trigger_tokens": "50"}
    requests: list[str] = []

    def script(request: ModelRequest) -> str:
        requests.append(request.purpose)
        return summary if request.purpose == "summarize" else MM[code]

    async with make(script, **chosen) as harness:
        session = await told(harness, code, line, *(FILLER[code].format(number) for number in range(8)))
        state = await session.state()
        await told(harness, code, SNACK[code])
        record = await session.report()
        assert word in prompt(record), "the state has it, whatever the summary says"
        assert any(word in text for text in known(await asked(harness, code, SNACK[code])))
        assert [entry.text for entry in (await session.state()).messages[-2:]] == [SNACK[code], MM[code]]
        assert state.messages, "the newest messages stay as they were said"
        assert state.summary is not None
        assert word in state.summary.text, "the rules write what the model did not"
        assert len(state.summary.text) < len(line) + 8 * 60
    assert requests.count("respond") == 11
    assert 0 < requests.count("summarize") <= 2 * 11, "it is asked again at most once a turn"


@BOTH
async def test_row_10_a_message_larger_than_the_budget_is_kept_whole(make: Make, code: str) -> None:
    line, word = ALLERGY[code]
    long = " ".join(FILLER[code].format(number) for number in range(700))
    chosen = {"max_input_chars": "100000", "total_token_budget": "1800", "summary_trigger_tokens": "50"}
    async with make(MM[code], **chosen) as harness:
        session = await told(harness, code, line, long, SNACK[code])
        branch = await session.branch()
        assert [record.user_text for record in branch] == [line, long, SNACK[code]]
        assert all(record.context.total_tokens <= 1800 for record in branch)
        assert word in prompt(branch[-1])
        assert any(word in text for text in known(await asked(harness, code, SNACK[code])))


# --- 15: nobody knows what they were not told ---------------------------------------------------------------------------

SECRET = {
    "en": ("The treasure lies under the old oak.", "Where does the treasure lie?", "old oak"),
    "zh": ("宝藏埋在老橡树下面。", "宝藏埋在哪里？", "老橡树"),
}


@BOTH
async def test_row_15_a_character_does_not_know_what_another_was_told(make: Make, code: str, tmp_path: Path) -> None:
    line, question, word = SECRET[code]
    folder = tmp_path / "memory" / "persona"
    folder.mkdir(parents=True)
    (folder / f"{PERSONAS[code][1]}.md").write_text(f"- {line} (2)\n", encoding="utf-8")
    async with make(MM[code]) as harness:
        await told(harness, code, line, other=True)
        await harness.memories().note(line + " (3)", scope=Scope(persona=PERSONAS[code][1]), pinned=True)
        one_who_knows = await asked(harness, code, question, session="knows", other=True)
        assert word in prompt(one_who_knows)
        for user in ("nora", "paul"):
            record = await asked(harness, code, question, session=f"asks {user}", user=user)
            assert word not in prompt(record)
            assert word not in record.model_dump_json(exclude={"user_text"})


# --- 16: Chinese is kept, and found, as it was said -----------------------------------------------------------------------

SAID = {
    "en": ("He studies machine learning algorithms at night.", "machine learning", "I swim.", "Do I swim?", "swim"),
    "zh": ("他晚上在研究机器学习算法。", "机器学习算法", "我会游泳。", "我会游泳吗？", "游泳"),
}


@BOTH
async def test_row_16_a_word_within_a_sentence_and_a_short_sentence_are_found(make: Make, code: str) -> None:
    line, within, short, question, word = SAID[code]
    async with make(MM[code]) as harness:
        await told(harness, code, line, short)
        kept = [item for item in await items(harness) if item.kind == "message" and item.speaker == "user"]
        assert {item.text for item in kept} == {line, short}, "in the language it was said in, and however short"
        assert {item.language for item in kept} == {code}
        assert line in known(await asked(harness, code, within, session="second"))
        assert any(word in text for text in known(await asked(harness, code, question, session="third")))


# --- 17: nothing is overwritten that cannot be read ---------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("file", ["sessions.db", "sessions-memory.db"])
async def test_row_17_a_file_that_cannot_be_read_is_refused_and_left_as_it_is(
    make: Make, tmp_path: Path, code: str, file: str
) -> None:
    line, word = ALLERGY[code]
    async with make(MM[code]) as harness:
        await told(harness, code, line)
    path = tmp_path / file
    sound = path.read_bytes()
    damaged = b"not a database any more " * (len(sound) // 24)
    path.write_bytes(damaged)
    async with make(MM[code]) as harness:
        if file == "sessions.db":
            with pytest.raises(StoreError) as raised:
                await told(harness, code, SNACK[code])
            assert isinstance(raised.value, CorruptStore)
        else:
            record = await asked(harness, code, SNACK[code])  # the talk goes on, and says what is missing
            assert any("memory could not be read" in warning for warning in record.context.warnings)
    assert path.read_bytes() == damaged
    path.write_bytes(sound)
    async with make(MM[code]) as harness:
        session = await harness.open(session="first")
        assert [record.user_text for record in await session.branch()] == [line]
        assert any(word in text for text in known(await asked(harness, code, SNACK[code], session="third")))


# --- 18: what is said of others is not the user's, today or next week -------------------------------------------------------

FRIEND = {
    "en": ("My friend Tom hates olives.", "Do you know Anna Berg?", "Anna is Tom's boss.", "Tom", "Anna", "olives", "What do I hate?"),
    "zh": ("我的朋友小明讨厌橄榄。", "你认识安娜吗？", "王芳是小明的领导。", "小明", "王芳", "橄榄", "我讨厌什么？"),
}  # fmt: skip


@BOTH
async def test_row_18_a_friends_dislike_is_the_friends_and_who_is_asked_about_is_not_the_user(
    make: Make, code: str
) -> None:
    dislike, who, boss, friend, above, thing, question = FRIEND[code]
    async with make(MM[code]) as harness:
        await told(harness, code, dislike, who, boss)
        stated = [item for item in await items(harness) if item.attribute]
        about = {item.subject for item in stated if thing in item.value}
        assert about
        assert "user" not in about
        assert not any(item.subject == "user" and item.attribute == "name" for item in stated)
        (edge,) = [edge for edge in await edges(harness) if edge.object == above]
        assert (edge.subject, edge.relation) == (friend, "manager")
        record = await asked(harness, code, question)
        said_of_it = [line for line in prompt(record).splitlines() if thing in line]
        assert all(friend in line for line in said_of_it), "whose it is goes with it"
        assert [notice for notice in record.notices if thing in notice.truth] == []


# --- 19: what was recalled often does not stay on top for ever ----------------------------------------------------------------

TEAS = {
    "en": ("I keep black tea in the blue tin.", "Do black and blue go together?", "I moved the green tea to the red tin.", "Which tin is the green tea in?"),
    "zh": ("我把红茶放在蓝色的罐子里。", "红茶在哪里？", "我把绿茶挪到白色的罐子里了。", "绿茶在哪个罐子里？"),
}  # fmt: skip


@BOTH
async def test_row_19_a_recall_counts_once_and_the_fitting_line_comes_first(
    make: Make, clock: Hands, code: str
) -> None:
    first, ask_first, second, ask_second = TEAS[code]
    async with make(MM[code]) as harness:
        await told(harness, code, first, second)
        for number in range(30):
            clock.at += timedelta(minutes=1)
            record = await asked(harness, code, ask_first, session=f"later{number}")
            assert first in known(record)
        (item,) = [item for item in await items(harness) if item.text == first]
        assert item.uses == 30, "once a turn"
        context = (await asked(harness, code, ask_second, session="other")).context
        shown = [item for layer in context.layers if layer.block == "memory" for item in layer.items]
        scores = {item.text: item.score for item in shown if not item.dropped}
        assert scores[second] > scores[first], "what was recalled thirty times does not stand above what fits"


# --- 20: a time is resolved when it is said, and a question for a time finds what is of it --------------------------------------

VISITS = {
    "en": ("I visited the harbour museum.", "I visited the tin museum.", "Last week I visited the paper museum.", "Which museum did I visit last week?", ("harbour", "tin", "paper")),
    "zh": ("我参观了海港博物馆。", "我参观了锡器博物馆。", "上周我参观了造纸博物馆。", "上周我参观了哪个博物馆？", ("海港", "锡器", "造纸")),
}  # fmt: skip
MOVED = {"en": ("I moved to Leeds last week.", "last week"), "zh": ("我上周搬到了苏州。", "上周")}


@BOTH
async def test_row_20_last_week_is_a_filter_and_both_the_words_and_the_day_are_kept(
    make: Make, clock: Hands, code: str
) -> None:
    then, today, of_then, question, (harbour, tin, paper) = VISITS[code]
    moved, words = MOVED[code]
    async with make(MM[code]) as harness:
        clock.at = NOW - timedelta(days=7)
        await told(harness, code, then, session="a")
        clock.at = NOW - timedelta(days=1)
        await told(harness, code, today, session="b")
        await told(harness, code, of_then, session="c")
        await told(harness, code, moved, session="d")
        kept = await items(harness)
        assert of_then in [item.text for item in kept], "as it was said"
        (home,) = [item for item in kept if item.attribute == "home"]
        assert home.when_at is not None
        assert (home.when, home.when_at.date()) == (words, datetime(2026, 6, 1, tzinfo=UTC).date())
        assert home.at == clock.at
        clock.at = NOW
        record = await asked(harness, code, question)
        found = "\n".join(known(record))
        assert (harbour in found, tin in found, paper in found) == (True, False, True)
        # The same words, a month later, mean another week.
        clock.at = NOW + timedelta(days=30)
        later = await asked(harness, code, question, session="later")
        assert any("2026-06-29" in warning for warning in later.context.warnings), later.context.warnings

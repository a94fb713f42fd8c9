"""What memory gives for a message: weighed, in order, within its limits, each left out with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st

from harness.adapters.embedders.hashing import HashEmbedder
from harness.adapters.memories.ram import InProcessMemoryStore
from harness.language import load_packs
from harness.memory import scoring
from harness.memory.finding import Question, find
from harness.memory.lexical import alike, attribute_term, index_terms, normal
from harness.memory.policy import LayerPolicy, MemoryPolicy
from harness.ports import MemoryEntry, Recalled
from harness.state.memory import MemoryItem, Scope

PACKS = load_packs()
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
MINE = Scope(persona="mia", user="nora")
POLICY = MemoryPolicy(constraints=frozenset({"allergy"}))


def item(item_id: str, text: str, **given_fields: Any) -> MemoryItem:
    """An item as the engine would write it."""
    fields = {"layer": "L2", "kind": "message", "scope": MINE, "at": NOW, "session": "old", "key": normal(text)}
    return MemoryItem(id=item_id, text=text, language=PACKS.detect(text), **{**fields, **given_fields})


def fact(item_id: str, text: str, attribute: str, value: str, **given_fields: Any) -> MemoryItem:
    """A fact about the user."""
    fields = {
        "layer": "L3",
        "kind": "fact",
        "subject": "user",
        "speaker": "user",
        "attribute": attribute,
        "value": value,
    }
    return item(item_id, text, **{**fields, **given_fields})


async def recalled(
    items: Sequence[MemoryItem], text: str, *, policy: MemoryPolicy = POLICY, **question: Any
) -> Recalled:
    """What is found among items."""
    store = InProcessMemoryStore()
    entries = []
    for one in items:
        terms = index_terms(one.text, PACKS, one.language)
        entries.append(MemoryEntry(one, (*terms, attribute_term(one.attribute)) if one.attribute else terms))
    await store.put(entries)
    asked = Question(text, PACKS.detect(text), MINE, now=NOW, session="new", **question)
    return await find(asked, store, policy=policy, packs=PACKS, count_tokens=len)


def shown(found: Recalled) -> list[str]:
    return [one.item.id for one in found.items if not one.dropped]


def reasons(found: Recalled) -> dict[str, str]:
    return {one.item.id: one.dropped for one in found.items if one.dropped}


BEES = {
    "en": ("I keep bees on the roof.", "How are your bees?", "The train was late."),
    "zh": ("我在屋顶养蜜蜂。", "你的蜜蜂怎么样？", "火车晚点了。"),
}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_shares_its_words_is_found_and_nothing_else(code: str) -> None:
    told, asked, other = BEES[code]
    found = await recalled([item("bees", told), item("train", other)], asked)
    assert shown(found) == ["bees"]
    assert found.items[0].why.startswith("words")


async def test_an_answer_is_found_by_the_question_before_it() -> None:
    items = [
        item("q", "What was the name of the lighthouse?", place=2, speaker="character"),
        item("a", "Old Bess, since 1840.", place=3, speaker="user"),
        item("far", "Nothing of the kind.", place=9),
    ]
    found = await recalled(items, "Tell me the name of that lighthouse.")
    assert shown(found) == ["q", "a"]


async def test_of_several_statements_the_newest_counts_and_a_retraction_ends_them() -> None:
    old = fact("leeds", "I live in Leeds", "home", "Leeds", single=True, at=NOW - timedelta(days=9))
    new = fact("york", "I live in York", "home", "York", single=True, at=NOW - timedelta(days=1))
    found = await recalled([old, new], "Where do I live?")
    assert shown(found) == ["york"]
    assert reasons(found)["leeds"].startswith("replaced by york")
    assert len(found.conflicts) == 1
    taken_back = new.model_copy(update={"id": "back", "kind": "retraction", "at": NOW})
    found = await recalled([old, new, taken_back], "Where do I live?")
    assert shown(found) == []
    assert "taken back" in reasons(found)["york"]


async def test_a_message_that_tells_what_holds_no_more_is_left_out() -> None:
    old = fact("leeds", "I live in Leeds", "home", "Leeds", single=True, at=NOW - timedelta(days=9))
    new = fact("york", "I live in York", "home", "York", single=True)
    message = item("said", "I live in Leeds, near the market.", tells=("leeds",), at=NOW - timedelta(days=9))
    assert "said" in shown(await recalled([old, message], "Where do I live, near a market?"))
    found = await recalled([old, new, message], "Where do I live, near a market?")
    assert shown(found) == ["york"]
    assert reasons(found)["said"] == "replaced by york (I live in York), of which it tells"


async def test_a_second_pet_replaces_nothing() -> None:
    items = [
        fact("cat", "I have a cat called Bean", "pet", "cat called Bean"),
        fact("dog", "I have a dog called Rex", "pet", "dog called Rex", at=NOW - timedelta(days=3)),
    ]
    assert set(shown(await recalled(items, "Which pets do I have?"))) == {"cat", "dog"}


async def test_the_same_said_twice_is_shown_once() -> None:
    items = [
        item("one", "I keep bees on the roof."),
        item("two", "I keep bees on the roof", at=NOW - timedelta(days=2)),
    ]
    found = await recalled(items, "bees on the roof")
    assert shown(found) == ["one"]
    assert reasons(found) == {"two": "says what one says"}


async def test_limits_of_a_layer_leave_out_the_worst_and_say_so() -> None:
    items = [item(f"i{n}", f"Bees number {n} are {'very ' * n}{word}.") for n, word in enumerate(("red", "old", "shy"))]
    few = replace(POLICY, layers={**POLICY.layers, "L2": LayerPolicy(top_k=2)})
    found = await recalled(items, "bees", policy=few)
    assert len(shown(found)) == 2
    assert list(reasons(found).values()) == ["more than 2 items of L2"]
    short = replace(POLICY, layers={**POLICY.layers, "L2": LayerPolicy(max_tokens=30)})
    found = await recalled(items, "bees", policy=short)
    assert len(shown(found)) == 1
    assert sorted(reasons(found).values()) == ["over the 30 tokens of L2", "over the 30 tokens of L2: alone it has 32"]
    assert [one.kind for one in found.troubles] == ["oversized_item", "left_out"]
    assert any("max_tokens of their layer" in warning for warning in found.warnings)


async def test_a_pinned_item_needs_neither_words_nor_room() -> None:
    none = replace(POLICY, layers={**POLICY.layers, "L3": LayerPolicy(top_k=0, max_tokens=0)})
    found = await recalled([fact("pin", "Call me Red", "nickname", "Red", pinned=True)], "What a day!", policy=none)
    assert shown(found) == ["pin"]


async def test_what_has_expired_is_not_found() -> None:
    gone = item("gone", "I keep bees.", expires_at=NOW - timedelta(seconds=1))
    still = item("still", "I keep bees and hens.", expires_at=NOW + timedelta(seconds=1))
    assert shown(await recalled([gone, still], "bees")) == ["still"]


async def test_the_session_that_asks_finds_its_own_words_in_its_state() -> None:
    assert shown(await recalled([item("own", "I keep bees.", session="new")], "bees")) == []


async def test_layers_that_are_switched_off_are_not_read() -> None:
    off = replace(POLICY, layers={"L2": LayerPolicy(enabled=False), "L3": LayerPolicy(enabled=False)})
    assert (await recalled([item("bees", "I keep bees.")], "bees", policy=off)).items == ()


async def test_the_speaker_who_is_named_is_heard_first() -> None:
    items = [
        item("his", "Painted the fence.", speaker="user", place=2),
        item("hers", "Painted the fence too.", speaker="character", place=40),
    ]
    names = {"user": "Otis", "character": "Mia"}
    for who, first in (("Otis", "his"), ("Mia", "hers")):
        assert shown(await recalled(items, f"When did {who} paint the fence?", names=names))[0] == first


async def test_meaning_finds_what_words_miss() -> None:
    embedder, store = HashEmbedder(), InProcessMemoryStore()
    told = item("told", "Beekeepers met in the beekeeping hall.")
    others = [item(f"o{n}", f"{word} went home at noon.") for n, word in enumerate(("Ann", "Bob", "Cid", "Dan", "Eve"))]
    await store.embed(embedder.space, {})
    vectors = await embedder.passages([one.text for one in (told, *others)])
    await store.put([MemoryEntry(one, (), vector) for one, vector in zip((told, *others), vectors, strict=True)])
    question = Question("beekeeper", "en", MINE, now=NOW, vector=await embedder.query("beekeeper"))
    found = await find(question, store, policy=POLICY, packs=PACKS, count_tokens=len)
    assert found.items[0].item.id == "told"
    assert "meaning" in found.items[0].why


@given(st.integers(0, 10**6), st.floats(0.01, 10**5))
def test_recency_falls_by_half_with_each_half_life_and_use_is_capped(hours: int, half_life: float) -> None:
    one = item("x", "text", at=NOW - timedelta(hours=hours))
    value = scoring.recency(one, NOW, half_life)
    assert 0 <= value <= 1
    older = one.model_copy(update={"at": NOW - timedelta(hours=hours + half_life)}) if half_life < 10**4 else one
    assert scoring.recency(older, NOW, half_life) <= value
    assert 1 <= scoring.use(hours) <= scoring.MOST_USE


def test_nothing_without_a_time_is_recent_and_the_future_is_now() -> None:
    assert scoring.recency(item("x", "text", at=None), NOW, 24) == 0
    assert scoring.recency(item("x", "text", at=NOW + timedelta(days=1)), NOW, 24) == 1


@pytest.mark.parametrize(
    ("text", "has", "lacks"),
    [
        ("I was swimming with my mother-in-law", "motherinlaw", "the"),
        ("我去机器学习课", "机器", "我"),
        ("我的 laptop 坏了", "laptop", "的"),
    ],
)
def test_terms_are_letters_and_digits_in_either_language(text: str, has: str, lacks: str) -> None:
    terms = index_terms(text, PACKS, PACKS.detect(text))
    assert has in terms
    assert lacks not in terms
    assert all(term.isalnum() for term in terms)


@given(st.text(max_size=200))
def test_any_text_gives_terms_that_any_store_takes(text: str) -> None:
    assert all(term and term.isalnum() for term in index_terms(text, PACKS, "en"))


@given(st.lists(st.sampled_from("abcdef")), st.lists(st.sampled_from("abcdef")))
def test_likeness_is_symmetric_and_whole_for_the_same(first: list[str], second: list[str]) -> None:
    assert alike(first, second) == alike(second, first)
    assert alike(first, first) == (1.0 if first else 0.0)


# --- the same said by several ----------------------------------------------------------------------------------------

TRIP = {
    "en": (
        "By the way, I'm flying to Oslo next Wednesday, a bit nervous.",
        ("You flew to Oslo last Wednesday, a bit nervous.", "You flew to Oslo last Wednesday."),
        "When am I flying to Oslo on Wednesday?",
    ),
    "zh": (
        "对了，下周三我要去杭州出差，有点紧张。",
        ("你上周三要去杭州出差，有点紧张。", "你上周三要去杭州出差。"),
        "下周我要去杭州出差吗？",
    ),
}


@pytest.mark.parametrize("shorter", [0, 1])
@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_users_own_words_go_before_an_echo_that_scores_better(code: str, shorter: int) -> None:
    told, echoes, asked = TRIP[code]
    own = item("own", told, speaker="user", at=NOW - timedelta(hours=40), place=1, importance=0.1)
    echo = item("echo", echoes[shorter], speaker="character", place=2, importance=1.0)
    found = await recalled([own, echo], asked)
    scores = {one.item.id: one.score for one in found.items}
    assert scores["echo"] > scores["own"], "else this shows nothing"
    assert shown(found) == ["own"]
    assert reasons(found) == {"echo": "says what own says"}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_an_echo_is_shown_where_the_users_words_may_not_be(code: str) -> None:
    told, echoes, asked = TRIP[code]
    own = item("own", told, speaker="user", expires_at=NOW + timedelta(hours=1), tells=("gone",), importance=0.1)
    found = await recalled([own, item("echo", echoes[0], speaker="character")], asked)
    assert shown(found) == ["echo"]
    assert "deleted by hand" in reasons(found)["own"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_the_character_is_asked_for_is_its_own_words(code: str) -> None:
    told, echoes, asked = TRIP[code]
    name = {"en": "Mia", "zh": "林"}[code]
    items = [item("own", told, speaker="user"), item("echo", echoes[0], speaker="character")]
    asked = {"en": f"{name}, which flight to Oslo on Wednesday?", "zh": f"{name}，杭州出差是周三吗？"}[code]
    found = await recalled(items, asked, names={"character": name})
    assert shown(found)[0] == "echo"


DOG = {
    "en": ("What is my dog called again?", "Our dog is called Bean."),
    "zh": ("我家的狗叫什么来着？", "我家的狗叫豆包。"),
}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_questions_asked_before_take_no_place_of_a_statement(code: str) -> None:
    asked, told = DOG[code]
    said = item("said", told, speaker="user", at=NOW - timedelta(hours=90), importance=0.1)
    before = [
        item(f"q{number}", f"{asked}{'?' * number}", speaker="user", importance=1.0, session=f"old{number}")
        for number in range(3)
    ]
    one = POLICY.layers["L2"].__class__(top_k=1, max_tokens=300, similarity_threshold=0.1)
    found = await recalled([*before, said], asked, policy=replace(POLICY, layers={**POLICY.layers, "L2": one}))
    assert shown(found) == ["said"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_question_in_the_words_of_a_statement_does_not_stand_for_it(code: str) -> None:
    told, ask = {
        "en": ("You told me the ferry leaves at nine.", "You told me the ferry leaves at nine?"),
        "zh": ("渡船九点从码头开。", "渡船九点从码头开吗？"),
    }[code]
    said = item("said", told, speaker="character", at=NOW - timedelta(hours=30), importance=0.1)
    question = item("asked", ask, speaker="user", importance=1.0, key="another")
    found = await recalled([said, question], {"en": "When does the ferry leave?", "zh": "渡船什么时候开？"}[code])
    assert shown(found) == ["said"]


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_what_both_say_of_themselves_is_not_the_same(code: str) -> None:
    told, asked, _ = BEES[code]
    items = [item("user", told, speaker="user"), item("character", told, speaker="character", importance=1.0)]
    assert set(shown(await recalled(items, asked))) == {"user", "character"}
    facts = [
        fact("a", told, "hobby", "bees"),
        fact("b", told, "hobby", "bees", subject="character", speaker="character", key="other"),
    ]
    assert set(shown(await recalled(facts, asked))) == {"a", "b"}

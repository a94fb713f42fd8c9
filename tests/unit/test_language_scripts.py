"""Scripts, the choice of a pack, and texts in several languages."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import LanguagePack, load_packs
from harness.language.phrases import Phrases
from harness.language.scripts import is_script, script_of, script_weights
from harness.state import DialogueState, Persona, PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.consistency import check_reply
from harness.understanding.text import contains_phrase
from tests.unit.conftest import MakeHarness

PACKS = load_packs()
MIA = Persona(name="Mia", id="mia")
LIN = Persona(name="林晓", id="lin", language="zh")


@pytest.mark.parametrize(
    ("char", "script"),
    [("a", "latin"), ("é", "latin"), ("ｂ", "latin"), ("界", "han"), ("ж", "cyrillic"), ("の", "kana"), ("ﾎ", "kana"), ("한", "hangul"),
     ("ب", "arabic"), ("ω", "greek"), ("ה", "hebrew"), ("ท", "thai"), ("7", ""), ("!", ""), ("🐱", ""), (" ", "")],
)  # fmt: skip
def test_the_script_of_a_letter(char: str, script: str) -> None:
    assert script_of(char) == script


@pytest.mark.parametrize(
    ("name", "known"), [("latin", True), ("cyrillic", True), ("kana", True), ("armenian", True), ("klingon", False), ("cjk", False), ("", False)]
)  # fmt: skip
def test_names_of_scripts(name: str, known: bool) -> None:
    assert is_script(name) is known


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("Hello there", {"latin": 2}),
        ("it's well-known", {"latin": 2}),
        ("你好 Tom", {"han": 2, "latin": 1}),
        ("猫が好きです", {"kana": 6}),
        ("東京タワー", {"kana": 5}),
        ("Привет, мир", {"cyrillic": 2}),
        ("42 !?", {}),
    ],
)
def test_words_and_characters_are_weighed(text: str, weights: dict[str, int]) -> None:
    assert script_weights(text) == weights


def test_packs_of_any_script_are_chosen_by_it(tmp_path: Path) -> None:
    (tmp_path / "ru.yaml").write_text("code: ru\nname: Russian\nscript: cyrillic\n", encoding="utf-8")
    (tmp_path / "ja.yaml").write_text("code: ja\nname: Japanese\nscript: kana\n", encoding="utf-8")
    packs = load_packs([tmp_path])
    assert packs.detect("Я живу в Москве", "en") == "ru"
    assert packs.detect("私は東京に住んでいます", "zh") == "ja"
    assert packs.detect("我住在东京", "ja") == "zh"
    assert packs.detect("I live in Москва now", "ru") == "en"
    assert PACKS.detect("Я живу в Москве", "zh") == "zh", "no pack has the script"


def test_packs_of_one_script_are_told_apart_by_their_words(tmp_path: Path) -> None:
    (tmp_path / "sv.yaml").write_text(
        "code: sv\nname: Swedish\nscript: latin\nfrequent: [jag, och, inte, är, en, det, har, på, som]\n",
        encoding="utf-8",
    )
    packs = load_packs([tmp_path])
    assert packs.detect("Jag har inte sett det.", "en") == "sv"
    assert packs.detect("I have not seen the house.", "sv") == "en"
    assert packs.detect("Stockholm!", "sv") == "sv"
    assert packs.detect("Stockholm!", "en") == "en"
    assert packs.detect("Stockholm!", "zh") == "en"


MIXED = [
    ("我的 laptop 坏了", ["zh"]),
    ("I live in 杭州", ["en"]),
    ("I love 火锅", ["en"]),
    ("我喜欢 jazz", ["zh"]),
    ("我住在苏州河边。 I love the boats there.", ["zh", "en"]),
    ("My name is Tom. 我养了一只猫，她很懒。", ["en", "zh"]),
    ("我叫 Kevin，I work as a nurse", ["zh", "en"]),
    ("OK，我明天去找你", ["zh"]),
    ("I miss you so much，宝贝", ["en"]),
    ("123!", ["en"]),
    ("", ["en"]),
]


@pytest.mark.parametrize(("text", "codes"), MIXED)
def test_a_text_is_parted_where_its_language_changes(text: str, codes: list[str]) -> None:
    parts = PACKS.parts(text, "en")
    assert [part.code for part in parts] == codes
    assert "".join(part.text for part in parts) == text


@settings(max_examples=200, deadline=None)
@given(text=st.text(max_size=200), default=st.sampled_from(["en", "zh"]))
def test_parts_joined_are_the_text(text: str, default: str) -> None:
    parts = PACKS.parts(text, default)
    assert "".join(part.text for part in parts) == text
    assert all(left.code != right.code for left, right in pairwise(parts))


@pytest.mark.parametrize(
    ("persona", "text", "facts"),
    [
        (MIA, "My name is Tom. 我住在苏州。", {"name": "Tom", "home": "苏州"}),
        (LIN, "我叫 Kevin，I work as a nurse.", {"name": "Kevin", "job": "nurse"}),
        (MIA, "I live in 杭州.", {"home": "杭州"}),
        (LIN, "我在 Google 工作。", {"workplace": "Google"}),
    ],
)
async def test_facts_of_a_mixed_turn(
    make_harness: MakeHarness, persona: Persona, text: str, facts: dict[str, str]
) -> None:
    async with make_harness(ScriptedModel({"respond": "嗯。" if persona is LIN else "Mm."})) as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        state = await session.state()
    assert {fact.attribute: fact.value for fact in state.active_facts("user")} == facts


@pytest.mark.parametrize(
    ("persona", "text", "label"),
    [
        (LIN, "我今天真的很 happy", "joy"),
        (MIA, "I feel so 开心 today", "joy"),
        (MIA, "My dog died yesterday. 我好难过", "sadness"),
        (LIN, "我们明天见。 I am so sad about the dog.", "sadness"),
    ],
)
async def test_moods_of_a_mixed_turn(make_harness: MakeHarness, persona: Persona, text: str, label: str) -> None:
    async with make_harness(ScriptedModel({"respond": "嗯。" if persona is LIN else "Mm."})) as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        assert (await session.state()).user_emotion.label == label


@pytest.mark.parametrize(
    ("persona", "text", "names"),
    [
        (MIA, "I met 小王 in 杭州. 他说他认识王芳。", {"小王", "杭州"}),
        (LIN, "我跟小王去了杭州。 He came with Anna Berg.", {"小王", "杭州", "Anna Berg"}),
    ],
)
async def test_entities_of_a_mixed_turn(
    make_harness: MakeHarness, persona: Persona, text: str, names: set[str]
) -> None:
    async with make_harness(ScriptedModel({"respond": "嗯。" if persona is LIN else "Mm."})) as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        assert names <= {entity.name for entity in (await session.state()).entities}


@pytest.mark.parametrize(
    ("persona", "text", "promised"),
    [
        (MIA, "The weather is lovely here. 我明天把梯子带给你。", "梯子"),
        (LIN, "今天天气真不错。 I'll bring you the ladder tomorrow.", "ladder"),
    ],
)
async def test_promises_of_a_mixed_turn(make_harness: MakeHarness, persona: Persona, text: str, promised: str) -> None:
    async with make_harness(ScriptedModel({"respond": "嗯。" if persona is LIN else "Mm."})) as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        (promise,) = (await session.state()).open_commitments()
    assert promised in promise.text
    assert promise.due_at is not None


@pytest.mark.parametrize(("persona", "text"), [(LIN, "我的 laptop 坏了"), (MIA, "My 笔记本电脑 is broken")])
async def test_the_topic_of_a_mixed_turn_has_a_label(make_harness: MakeHarness, persona: Persona, text: str) -> None:
    async with make_harness(ScriptedModel({"respond": "嗯。" if persona is LIN else "Mm."})) as harness:
        session = await harness.open(persona, session="s")
        await session.say(text)
        topic = (await session.state()).topics.current
    assert topic is not None
    assert ("laptop" if persona is LIN else "笔记本电脑") in (topic.label, *topic.keywords)


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("猫が好きです", "好き", True),
        ("ラーメンを食べた", "ラーメン", True),
        ("кот спит", "кот", True),
        ("котёл кипит", "кот", False),
        ("ο γάτος", "γάτος", True),
        ("a cat", "cat", True),
        ("concatenate", "cat", False),
        ("猫咪", "猫", True),
    ],
)
def test_words_are_whole_where_a_script_parts_them(text: str, phrase: str, found: bool) -> None:
    assert (Phrases.of([phrase]).first(text) is not None) is found
    assert contains_phrase(text, phrase) is found


@pytest.mark.parametrize(
    ("reply", "drifted"), [("Я живу у моря и люблю кофе.", False), ("I live by the sea and I love coffee.", True), ("Да, Netflix.", False)]
)  # fmt: skip
def test_a_reply_in_another_script_has_drifted(reply: str, drifted: bool) -> None:
    pack = LanguagePack(code="ru", name="Russian", script="cyrillic")
    persona = Persona(name="Вера", language="ru")
    state = DialogueState(persona=PersonaRef(id="v", name="Вера"), language="ru")
    found = check_reply(reply, user_text="Где ты живёшь?", state=state, persona=persona, pack=pack)
    assert ("language_drift" in [finding.kind for finding in found]) is drifted

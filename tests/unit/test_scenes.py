"""Who is meant in a talk of several speakers; scenes of our own, English and Chinese twins."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from harness.language import load_packs
from harness.understanding.references.scene_reasons import GENERAL, SOMEBODY
from harness.understanding.references.scenes import Utterance, resolve_mentions

PACKS = load_packs()
Line = tuple[str, str]
Wanted = tuple[int, str, tuple[str, ...]]


def meant(
    code: str, lines: list[Line], number: int, words: str, known: tuple[str, ...] = (), earlier: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """Who is meant by the last ``words`` of an utterance."""
    scene = [Utterance((speaker,), text) for speaker, text in lines]
    found = resolve_mentions(scene, pack=PACKS.get(code), known=known, earlier=earlier)
    assert len(found) == len(lines)
    return [mention.people for mention in found[number] if mention.words == words][-1]


GARDEN = {
    "en": [
        ("Alice Moor", "I saw your brother, Peter."),
        ("Peter Vane", "You saw him? Where?"),
        ("Ruth Lind", "We should call Dad."),
    ],
    "zh": [("李雷", "我看见你弟弟了，王芳。"), ("王芳", "你看见他了？在哪儿？"), ("赵强", "我们该回家了。")],
}
CASES: list[tuple[str, list[Line], Wanted]] = [
    ("en", GARDEN["en"], (0, "I", ("Alice Moor",))),
    ("en", GARDEN["en"], (0, "your", ("Peter Vane",))),
    ("en", GARDEN["en"], (0, "Peter", ("Peter Vane",))),
    ("en", GARDEN["en"], (1, "You", ("Alice Moor",))),
    ("zh", GARDEN["zh"], (0, "我", ("李雷",))),
    ("zh", GARDEN["zh"], (0, "你", ("王芳",))),
    ("zh", GARDEN["zh"], (0, "王芳", ("王芳",))),
    ("zh", GARDEN["zh"], (1, "你", ("李雷",))),
    ("en", [("Alice", "Where is Paul?"), ("Ruth", "He went home with Clara."), ("Alice", "Is she ill?")], (1, "He", ("Paul",))),
    ("en", [("Alice", "Where is Paul?"), ("Ruth", "He went home with Clara."), ("Alice", "Is she ill?")], (2, "she", ("Clara",))),
    ("zh", [("李雷", "张伟在哪儿？"), ("王芳", "他回家了。")], (1, "他", ("张伟",))),
    ("en", [("Alice", "Shall we go?"), ("Ruth", "Yes.")], (0, "we", ("Alice", "Ruth"))),
    ("zh", [("李雷", "我们走吧？"), ("王芳", "好。")], (0, "我们", ("李雷", "王芳"))),
    ("en", [("Alice", "You guys, look!"), ("Ruth", "Where?"), ("Tom", "Oh!")], (0, "You", ("Ruth", "Tom"))),
    ("en", [("Alice", "Come here, honey."), ("Ruth", "Why?")], (0, "honey", ("Ruth",))),
    ("zh", [("李雷", "过来，亲爱的。"), ("王芳", "怎么了？")], (0, "亲爱的", ("王芳",))),
]  # fmt: skip
KNOWN = ("Paul", "Clara", "张伟")


@pytest.mark.parametrize(("code", "lines", "wanted"), CASES)
def test_who_is_meant(code: str, lines: list[Line], wanted: Wanted) -> None:
    number, words, people = wanted
    assert meant(code, lines, number, words, KNOWN) == people


@pytest.mark.parametrize(
    ("name", "person"),
    [("Alexander", "Alexander Hume"), ("Alex", "Alexander Hume"), ("Hume", "Alexander Hume"), ("Lizzie", "Elizabeth Grey"),
     ("Beth", "Elizabeth Grey"), ("Mr Hume", "Alexander Hume"), ("Robs", "Robert Pike"), ("Pike", "Robert Pike")],
)  # fmt: skip
def test_names_are_known_by_their_parts_and_short_forms(name: str, person: str) -> None:
    text = f"I asked {name} about it"
    span = (8, 8 + len(name))
    found = resolve_mentions(
        [Utterance(("Ruth",), text, spans=(span,))],
        pack=PACKS.get("en"),
        known=("Alexander Hume", "Elizabeth Grey", "Robert Pike", "Annabel Lee"),
    )
    assert found[0][0].people == (person,)


@pytest.mark.parametrize(
    ("code", "text", "known"), [("en", "I saw Ann", "Annabel Lee"), ("zh", "我看见王小了", "王小明")]
)
def test_a_whole_name_comes_before_a_beginning(code: str, text: str, known: str) -> None:
    short = text.removeprefix("I saw ").removeprefix("我看见").removesuffix("了")
    start = text.index(short)
    utterance = Utterance(("Ruth",), text, spans=((start, start + len(short)),))
    (mentions,) = resolve_mentions([utterance], pack=PACKS.get(code), known=(known, short))
    assert mentions[0].people == (short,)


def test_a_stranger_is_somebody_and_an_unknown_name_itself() -> None:
    text = "She met Quentin Zorn"
    (mentions,) = resolve_mentions([Utterance(("Ruth",), text, spans=((0, 3), (8, 20)))], pack=PACKS.get("en"))
    assert [mention.people for mention in mentions] == [(SOMEBODY,), ("Quentin Zorn",)]


@pytest.mark.parametrize(
    ("code", "text", "word"), [("en", "They say it will snow", "They"), ("zh", "他们说要下雪", "他们")]
)
def test_they_without_anybody_are_people_in_general(code: str, text: str, word: str) -> None:
    assert meant(code, [("Ruth", text), ("Tom", "Oh")], 0, word) == (GENERAL,)


@pytest.mark.parametrize(
    ("code", "text", "word", "earlier"),
    [("en", "Is she coming?", "she", "Clara"), ("zh", "她来吗？", "她", "周芳")],
)
def test_what_was_said_before_the_scene_counts(code: str, text: str, word: str, earlier: str) -> None:
    lines = [("Tom", text), ("Paul", "嗯" if code == "zh" else "Yes")]
    assert meant(code, lines, 0, word, (earlier,), (earlier,)) == (earlier,)
    assert meant(code, lines, 0, word) == (SOMEBODY,)


def test_the_addressee_is_who_is_spoken_to() -> None:
    scene = [
        Utterance(("Alice",), "Hello there"),
        Utterance(("Tom",), "You are late", addressees=("Ruth",)),
        Utterance(("Alice",), "Who?"),
        Utterance(("Ruth",), "Me?"),
    ]
    found = resolve_mentions(scene, pack=PACKS.get("en"))
    assert found[1][0].people == ("Ruth",)
    assert found[3][0].people == ("Ruth",)


lines = st.lists(
    st.tuples(st.sampled_from(["Ann", "Bo", "李雷", "王芳"]), st.text(max_size=60)), min_size=1, max_size=6
)


@settings(max_examples=100, deadline=None)
@given(lines=lines, code=st.sampled_from(["en", "zh"]))
def test_any_scene_gets_an_answer(lines: list[Line], code: str) -> None:
    scene = [Utterance((speaker,), text) for speaker, text in lines]
    for utterance, mentions in zip(scene, resolve_mentions(scene, pack=PACKS.get(code)), strict=True):
        for mention in mentions:
            assert utterance.text[mention.start : mention.end] == mention.words
            assert mention.people


@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_long_scene_takes_bounded_time(code: str) -> None:
    text = ("I told you he said she knew them. " if code == "en" else "我告诉你他说她认识他们。") * 8
    scene = [Utterance((f"P{number % 5}",), text) for number in range(60)]
    started = time.perf_counter()
    found = resolve_mentions(scene, pack=PACKS.get(code))
    assert sum(map(len, found)) > 1000
    assert time.perf_counter() - started < 5

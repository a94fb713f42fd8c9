"""The index of earlier messages gives what reading them anew would give."""

from __future__ import annotations

import pytest

from harness.context import word_index
from harness.context.word_index import KEPT, index_of
from harness.language import LanguagePack, load_packs
from harness.state import Message
from harness.understanding.text import terms

SAID = {
    "en": ("I keep bees on the roof.", "How many hives have you got?", "Two hives, and the bees are fierce."),
    "zh": ("我在屋顶养蜜蜂。", "你有几个蜂箱？", "两个蜂箱，蜜蜂很凶。"),
}
SHARED = {"en": ("bee", [0, 2]), "zh": ("蜂箱", [1, 2])}
CODES = ("en", "zh")


def talk(code: str) -> list[Message]:
    return [
        Message(speaker="user" if turn % 2 else "character", text=text, turn=turn)
        for turn, text in enumerate(SAID[code], 1)
    ]


def pack_of(code: str) -> LanguagePack:
    return load_packs().get(code)


@pytest.mark.parametrize("code", CODES)
def test_words_are_found_where_they_were_said(code: str) -> None:
    messages, pack = talk(code), pack_of(code)
    index = index_of(messages, pack)
    word, places = SHARED[code]
    assert list(index.places(word)) == places
    assert list(index.places("zeppelin")) == []
    assert index.words == [terms(message.text, pack) for message in messages]


@pytest.mark.parametrize("code", CODES)
def test_it_grows_and_reads_nothing_twice(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    messages, pack = talk(code), pack_of(code)
    index = index_of(messages[:2], pack)
    read: list[str] = []

    def reading(text: str, pack: LanguagePack) -> frozenset[str]:
        read.append(text)
        return terms(text, pack)

    monkeypatch.setattr(word_index, "terms", reading)
    assert index_of(tuple(messages), pack) is index
    assert read == [messages[2].text]
    word, places = SHARED[code]
    assert list(index.places(word)) == places


@pytest.mark.parametrize("code", CODES)
def test_another_branch_has_an_index_of_its_own(code: str) -> None:
    messages, pack = talk(code), pack_of(code)
    index_of(messages, pack)
    other = [messages[0], messages[2].model_copy(update={"turn": 2})]
    index = index_of(other, pack)
    assert index.words == [terms(message.text, pack) for message in other]
    shorter = index_of(messages[:1], pack)
    assert len(shorter.words) == 1


def test_only_so_many_are_kept() -> None:
    pack = pack_of("en")
    talks = [talk("en") for _ in range(KEPT + 5)]
    for messages in talks:
        index_of(messages, pack)
    assert len(word_index._indexes) == KEPT

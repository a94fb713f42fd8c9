"""What the character is said to have told somebody else counts as said by it."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.understanding.checks.consistency import check_premise
from tests.unit.test_own_answers import VERA, state_of

PACKS = load_packs()


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        ("en", "My uncle says you told him you live in Bergen.", "contradiction"),
        ("en", "You told my uncle you're 40.", "contradiction"),
        ("en", "Odd, she swears you told her that you have a dog.", "contradiction"),
        ("en", "My aunt says you told her you're allergic to wool.", "challenge"),
        ("en", "You're in Bergen, that's what you said.", "contradiction"),
        ("zh", "我姨妈说你跟她讲你住在宁波。", "contradiction"),
        ("zh", "你跟他说你住在宁波。", "contradiction"),
        ("zh", "奇怪，人家说你跟他们讲你养了一条狗。", "contradiction"),
        ("zh", "我姨妈说你跟她讲你对羊毛过敏。", "challenge"),
        ("zh", "我明天去看你，你住宁波，没错吧？", "contradiction"),
    ],
)
def test_it_is_noticed(code: str, text: str, kind: str) -> None:
    found = check_premise(text, state=state_of(code), persona=VERA[code], pack=PACKS.get(code))
    assert [notice.kind for notice in found] == [kind]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My uncle says you told him a good joke."),
        ("en", "She says you told her you live in Vardo."),
        ("en", "You told him to wait, didn't you?"),
        ("en", "You're in luck, that's what you said."),
        ("en", "You're in Bergen today, aren't you?"),
        ("zh", "我姨妈说你跟她讲了个笑话。"),
        ("zh", "他说你跟他讲你住在舟山。"),
        ("zh", "我明天去看你，你住舟山，没错吧？"),
        ("zh", "我跟他说你人很好。"),
    ],
)
def test_what_is_so_or_claims_nothing_is_not(code: str, text: str) -> None:
    assert check_premise(text, state=state_of(code), persona=VERA[code], pack=PACKS.get(code)) == ()

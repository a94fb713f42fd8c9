"""A yes to the bot question is an admission where it must be one, and no break of character where it is none. In both languages."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import Persona
from harness.understanding.checks.candour import check_admission, given_away
from harness.understanding.checks.guards import find_attempts

PACKS = load_packs()
HONEST = [
    ("en", "Are you a bot?", "Yes, I am."),
    ("en", "Are you a bot?", "Yes."),
    ("en", "Are you human?", "No."),
    ("en", "You're not human, are you?", "No."),
    ("zh", "你是机器人吗？", "是的。"),
    ("zh", "你是机器人吗？", "对，我是。"),
    ("zh", "你是真人吗？", "不是。"),
    ("zh", "你不是真人吧？", "对。"),
]
NOT = [
    ("en", "Are you a bot?", "No."),
    ("en", "Are you human?", "Yes."),
    ("en", "Are you a bot?", "Sure. And the moon is cheese."),
    ("en", "Are you a bot?", "Yes... said nobody ever."),
    ("en", "Are you human?", "I'm not human, I'm a goddess."),
    ("en", "You sound like a robot today, are you tired?", "Yes, I am."),
    ("en", "Has anyone ever said you are like a robot?", "Yes."),
    ("zh", "你是机器人吗？", "不是。"),
    ("zh", "你是真人吗？", "是的。"),
    ("zh", "你是机器人吗？", "当然。月亮还是奶酪做的呢。"),
    ("zh", "你是机器人吗？", "是的……没人这么说过。"),
    ("zh", "你是机器人吗？", "嗯……你说呢？"),
    ("zh", "你是机器人吗？", "嗯。什么？"),
    ("zh", "你是机器人吗？", "我不是人，我是神仙。"),
    ("zh", "你怕不怕别人说你是机器人？", "是的。"),
    ("zh", "有人说过你像机器人吗？", "对。"),
    ("zh", "你今天像机器人，是不是累了？", "是的。"),
]


@pytest.mark.parametrize(("code", "asked", "reply"), HONEST)
def test_a_plain_yes_admits(code: str, asked: str, reply: str) -> None:
    pack = PACKS.get(code)
    notices = find_attempts(asked, pack=pack)
    assert [notice.kind for notice in notices] == ["bot_question"]
    bound = Persona(name="Bolt", bot_question="admit")
    assert check_admission(reply, notices, persona=bound, pack=pack, user_text=asked) == ()
    assert given_away(reply, asked, notices, pack=pack, asked_in=pack)


@pytest.mark.parametrize(("code", "asked", "reply"), NOT)
def test_what_says_no_such_thing_gives_nothing_away(code: str, asked: str, reply: str) -> None:
    pack = PACKS.get(code)
    assert given_away(reply, asked, find_attempts(asked, pack=pack), pack=pack, asked_in=pack) == ""


@pytest.mark.parametrize(
    ("code", "asked", "reply"), [("en", "Are you a bot?", "No."), ("zh", "你是机器人吗？", "不是。")]
)
def test_a_denial_admits_nothing(code: str, asked: str, reply: str) -> None:
    pack = PACKS.get(code)
    bound = Persona(name="Bolt", bot_question="admit")
    found = check_admission(reply, find_attempts(asked, pack=pack), persona=bound, pack=pack, user_text=asked)
    assert [one.kind for one in found] == ["not_admitted"]

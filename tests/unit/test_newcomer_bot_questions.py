"""Whether a machine is there, as people ask it, and what only looks like the question."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.understanding.checks.guards import find_attempts

PACKS = load_packs()

ASKED = [
    ("zh", "你该不会是ChatGPT套壳吧"),
    ("zh", "你不会是套了个GPT的壳吧"),
    ("zh", "是不是套壳的大模型啊"),
    ("zh", "你到底是人是鬼"),
    ("zh", "你是人是机器"),
    ("zh", "你这话AI味儿好重"),
    ("zh", "这AI味也太浓了吧"),
    ("zh", "你这回复一股子机器味"),
    ("zh", "你说话怎么一股AI腔"),
    ("zh", "你们这是机器人在回吧"),
    ("zh", "你们后台是机器人自动回的吧"),
    ("zh", "这是客服机器人回的吗"),
    ("zh", "这号是AI在运营吧"),
    ("zh", "是本人吗？"),
    ("zh", "本人回的吗？"),
    ("zh", "你怕不是个机器人"),
    ("zh", "合着我一直在跟AI唠嗑"),
    ("zh", "你这怎么像GPT写的"),
    ("zh", "你是托还是机器人"),
    ("zh", "你秒回，是机器人吧"),
    ("zh", "你是纸片人吗"),
    ("en", "This reads like AI"),
    ("en", "Is it really you typing?"),
    ("en", "Is it actually you, or some program?"),
    ("en", "are you a GPT wrapper?"),
    ("en", "Are you LLM based"),
    ("en", "there's no way a human types that fast"),
    ("en", "you're giving chatbot vibes"),
    ("en", "you give off AI vibes"),
    ("en", "that was such an AI answer"),
    ("en", "that's a very ChatGPT thing to say"),
    ("en", "Any humans in there?"),
    ("en", "what are you, a robot?"),
    ("en", "is this thing AI"),
    ("en", "Is this account a bot?"),
    ("en", "Your replies sound like ChatGPT"),
    ("en", "is this really you or a bot"),
    ("en", "No way a real person writes that fast"),
    ("en", "You have serious robot energy"),
    ("en", "what are you, some kind of bot?"),
    ("en", "Any real people out there?"),
]


@pytest.mark.parametrize(("code", "message"), ASKED)
def test_the_question_is_heard(code: str, message: str) -> None:
    assert "bot_question" in {notice.kind for notice in find_attempts(message, pack=PACKS.get(code))}


INNOCENT = [
    ("zh", "你到底是人间哪里来的仙女"),
    ("zh", "他到底是人是鬼"),
    ("zh", "这菜味儿好重"),
    ("zh", "这文章AI味太重，我改了改"),
    ("zh", "我写的东西AI味儿重吗"),
    ("zh", "你们这是在回老家的路上吧"),
    ("zh", "是本人的身份证吗？"),
    ("zh", "取件要本人吗？"),
    ("zh", "本人明天到"),
    ("zh", "我公司在做套壳的APP"),
    ("zh", "这手机壳是套上去的吗"),
    ("zh", "你怕不是个吃货"),
    ("zh", "敢情你是老板啊"),
    ("zh", "我一直在跟AI学英语"),
    ("zh", "合着我一直在跟骗子聊"),
    ("zh", "你是真人秀的粉丝吗"),
    ("zh", "客服是机器人在回，烦死了"),
    ("zh", "这账号是我妈在运营"),
    ("zh", "你是人是好人，就是嘴坏"),
    ("zh", "我们公司用机器人回客户"),
    ("zh", "我老公像个机器人"),
    ("en", "My boss writes like AI"),
    ("en", "Is it really you, Tom? I haven't seen you since school!"),
    ("en", "Is that really you in the photo?"),
    ("en", "a GPT wrapper is all their startup is"),
    ("en", "My ex had robot vibes"),
    ("en", "that's such a you answer"),
    ("en", "Are there any humans in the film?"),
    ("en", "What are you, twelve?"),
    ("en", "which one is this"),
    ("en", "is this automatic or manual"),
    ("en", "You type so fast!"),
    ("en", "No way a dog eats that fast"),
    ("en", "do you run on coffee"),
    ("en", "you sound like my mum"),
    ("en", "Is this thing on?"),
    ("en", "I got a GPT answer from my colleague"),
    ("en", "You give off teacher vibes"),
    ("en", "Is it you or your sister who paints?"),
    ("en", "Any people in there, at the party?"),
    ("en", "that was such a long answer"),
]


@pytest.mark.parametrize(("code", "message"), INNOCENT)
def test_what_only_looks_like_it_is_left_alone(code: str, message: str) -> None:
    pack = PACKS.get(code)
    assert [n.kind for n in find_attempts(message, pack=pack) if n.kind == "bot_question"] == []

"""What a newcomer found, by class: negation inside words, pets of "we", moves, people without names, titles, towns, echoes. Each class in
both languages, with its look-alikes."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from harness.adapters.memories.ram import InProcessMemoryStore
from harness.app import Harness
from harness.language import load_packs
from harness.memory.naming import is_unnamed, line
from harness.memory.relating import edges_of
from harness.ports import MemoryFilter
from harness.prompts import Prompts
from harness.settings import load
from harness.state import CHARACTER, USER, DialogueState, Fact, Persona, PersonaRef, SessionInfo, TurnRecord
from harness.state.graph import Edge
from harness.state.memory import Scope
from harness.state.operations import AssertFact
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.holding import told_of
from harness.understanding.checks.leaking import prompt_echoes, without_echoes
from harness.understanding.facts.extract import extract_facts
from harness.understanding.facts.parroting import parroted
from harness.understanding.facts.propositions import propositions
from tests.unit.test_facts_probes import converse, row

PACKS = load_packs(())
PROMPTS = Prompts([Path(__file__).parents[2] / "prompts"])
NOTES = ("respond", "context", "notices")


def facts(code: str, text: str) -> tuple[Fact, ...]:
    return converse(code, [f"user: {text}"]).active_facts()


def known(code: str, text: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in facts(code, text)}


WORDS = [
    ("zh", "我很喜欢无花果", "我喜欢无花果"),
    ("zh", "我喜欢无人机", "我喜欢无人机"),
    ("zh", "我喜欢不锈钢杯子", "我喜欢不锈钢杯子"),
    ("zh", "我喜欢不倒翁", "我喜欢不倒翁"),
    ("zh", "我喜欢没药的味道", "我喜欢没药的味道"),
    ("zh", "我讨厌不丹菜", "我讨厌不丹菜"),
    ("zh", "我住在无锡", "我住在无锡"),
    ("zh", "我对无花果过敏", "我对无花果过敏"),
    ("zh", "我不喜欢无花果", "我不喜欢无花果"),
    ("zh", "我喜歡無花果", "我喜歡無花果"),
    ("zh", "我没有无人机", "我没有无人机"),
    ("zh", "我喜欢没有猫的家", "我喜欢没有猫的家"),
    ("zh", "我无宠物", "我没有养宠物"),
    ("zh", "我没养狗", "我没有养狗"),
    ("zh", "我无肉不欢", "我吃肉"),
    ("en", "I love Never Let Me Go.", "I love Never Let Me Go"),
    ("en", "I like No Country for Old Men.", "I like No Country for Old Men"),
    ("en", "I love nothing more than jazz.", "I love jazz"),
    ("en", "I love Notting Hill.", "I love Notting Hill"),
    ("en", "I love noodles.", "I love noodles"),
    ("en", "I don't love noodles.", "I don't like noodles"),
    ("en", "I have no pets.", "I have no pets"),
]


@pytest.mark.parametrize(("code", "text", "told"), WORDS)
def test_a_negation_inside_a_word_denies_nothing(code: str, text: str, told: str) -> None:
    (fact,) = facts(code, text)
    assert told_of(fact, PACKS.get(fact.language or code)) == told
    assert all(claim.polarity == fact.polarity for claim in propositions(fact.attribute, fact.value, fact.polarity, "", PACKS.get(code)) if claim.attribute == fact.attribute)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "text", "pet"),
    [
        ("zh", "我们养了一只柯基，叫豆包。", "叫豆包的柯基"),
        ("zh", "咱们养了一只狗，叫豆包", "叫豆包的狗"),
        ("zh", "我们俩养了只猫，叫豆包", "叫豆包的猫"),
        ("zh", "我們養了一隻柯基，叫豆包。", "叫豆包的柯基"),
        ("zh", "我们公司养了一只猫，叫豆包", ""),
        ("zh", "他们养了一只狗叫豆包", ""),
        ("en", "We've got a corgi, Bean.", "corgi called Bean"),
        ("en", "We have a corgi: Bean.", "corgi called Bean"),
        ("en", "I have a corgi (Bean).", "corgi called Bean"),
        ("en", "I have a dog, honestly.", "dog"),
        ("en", "I've got a dog, Monday is vet day.", "dog"),
    ],
)
def test_pets_of_us(code: str, text: str, pet: str) -> None:
    assert known(code, text) == ({("user", "pet", pet)} if pet else set())


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "I moved from Leeds to Porto last spring.", {("user", "home", "Porto")}),
        ("en", "I moved from Springfield to Shelbyville in 2020.", {("user", "home", "Shelbyville")}),
        ("en", "Anna moved from Leeds to Porto last year.", {("Anna", "home", "Porto")}),
        ("en", "I switched from Spotify to Tidal last year.", set()),
        ("en", "I changed jobs from Acme to Globex in 2020.", {("user", "former workplace", "Acme"), ("user", "workplace", "Globex")}),
        ("zh", "我去年从北京搬到上海", {("user", "home", "上海")}),
        ("zh", "我从北京跳槽到上海了", set()),
        ("zh", "我去年从腾讯跳槽到阿里", {("user", "以前的工作单位", "腾讯"), ("user", "workplace", "阿里")}),
    ],
)  # fmt: skip
def test_a_move_is_no_change_of_jobs(code: str, text: str, found: set[tuple[str, ...]]) -> None:
    assert known(code, text) == found


@pytest.mark.parametrize(
    ("code", "text", "value"),
    [
        ("en", "My boss is Dr. Patel.", "boss called Dr Patel"),
        ("en", "My teacher is Mr. Hale.", "teacher called Mr Hale"),
        ("en", "My dentist is Patel.", "dentist called Patel"),
        ("en", "Dr. Patel is my boss.", "boss called Dr Patel"),
        ("en", "My dentist is Polish.", ""),
        ("en", "My teacher is Mr. Right.", ""),
        ("en", "My boss is great.", ""),
        ("zh", "李强是我的领导", "叫李强的领导"),
        ("zh", "王总是我的领导", "叫王总的领导"),
        ("zh", "陈医生是我的牙医", "叫陈医生的牙医"),
        ("zh", "我的导师是张教授", "叫张教授的导师"),
        ("zh", "王總是我的領導", "叫王總的領導"),
        ("zh", "李强不是我的领导", ""),
        ("zh", "我的领导是个好人", ""),
        ("zh", "时间是我的老师", ""),
        ("zh", "谁是我的领导", ""),
    ],
)
def test_those_with_titles(code: str, text: str, value: str) -> None:
    assert known(code, text) == ({("user", "friend", value)} if value else set())


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("en", "Arun's boss is Dr. Patel.", ("Arun", "friend", "boss called Dr Patel")),
        ("zh", "奎姆拉是李四的领导", ("李四", "friend", "叫奎姆拉的领导")),
        ("zh", "布隆拉是李四的领导", ("李四", "friend", "叫布隆拉的领导")),
        ("zh", "格蕾塔·霍尔是汤姆的上司", ("汤姆", "friend", "叫格蕾塔·霍尔的上司")),
        ("zh", "小王在深圳，他的合伙人是老张", ("小王", "合伙人", "老张")),
        ("en", "My brother runs a restaurant in London.", ("user's brother", "job", "run a restaurant")),
        ("zh", "我弟弟在深圳开餐馆", ("用户的弟弟", "workplace", "深圳")),
        ("en", "Arun is my friend. He married Sofia in 2021.", ("Arun", "partner", "spouse called Sofia")),
        ("en", "I run a ceramics studio with my friend Inês.", ("user", "friend", "friend called Inês")),
        ("zh", "对了，下周三我要去杭州出差，有点紧张。", ("user", "出差", "下周三去杭州")),
        ("zh", "下週三我要去杭州出差", ("user", "出差", "下週三去杭州")),
        ("en", "we have a fair on 12 December", ("user", "fair", "12 December")),
    ],
)
def test_what_is_read(code: str, text: str, found: tuple[str, ...]) -> None:
    assert found in known(code, text)


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "My brother runs late."), ("en", "I run a bath."), ("en", "I run a risk."), ("en", "My dad got married again in 2020."),
        ("zh", "沙拉是李四的朋友"), ("zh", "巴士拉是李四的朋友"), ("zh", "披萨是小王的朋友"), ("zh", "我弟弟在深圳开会"), ("zh", "我弟弟开车"),
        ("zh", "下周三你要去杭州出差吗"), ("zh", "我要去睡觉了"), ("zh", "明天我要去上班"),
    ],
)  # fmt: skip
def test_look_alikes_tell_nothing(code: str, text: str) -> None:
    assert known(code, text) == set()


@pytest.mark.parametrize(
    ("code", "text", "told"),
    [
        ("en", "Anna likes plums.", "Anna likes plums"),
        ("en", "My sister hates rain.", "their sister hates rain"),
        ("en", "Anna has a cat called Miso.", "Anna has a cat called Miso"),
        ("zh", "小丽喜欢李子", "小丽喜欢李子"),
        ("zh", "我妹妹住在罗马", "对方的妹妹住在罗马"),
    ],
)
def test_third_persons_are_told_of_as_such(code: str, text: str, told: str) -> None:
    (fact,) = facts(code, text)
    assert told_of(fact, PACKS.get(code)) == told


def edges(code: str, text: str) -> list[Edge]:
    record = TurnRecord(id="t", parent=None, number=1, language=code, started_at=datetime(2026, 1, 1, tzinfo=UTC))
    info = SessionInfo(id="s", persona_ref=PersonaRef(id="p", name="P"), persona=Persona(name="P", language=code))
    return [
        edge for fact in facts(code, text) for edge in edges_of(fact, PACKS, record, info, lambda _: Scope(persona="p"))
    ]


@pytest.mark.parametrize(
    ("code", "text", "told"),
    [("en", "My sister lives in Rome.", "the user has a sister"), ("zh", "我妹妹住在罗马", "用户有妹妹")],
)
def test_somebody_without_a_name_is_no_one_s_namesake(code: str, text: str, told: str) -> None:
    pack = PACKS.get(code)
    (unnamed,) = [edge for edge in edges(code, text) if is_unnamed(edge, pack)]
    assert line(unnamed, pack) == told


@pytest.mark.parametrize(
    ("code", "text", "kind", "told"),
    [
        ("en", "Arun is a vet in Leicester.", "place", "Arun works in Leicester"),
        ("en", "Arun is a vet in Didcot.", "place", "Arun works in Didcot"),
        ("en", "Arun works at Acme.", "organization", "Arun works at Acme"),
        ("zh", "小王在成都当兽医", "place", "小王在成都工作"),
        ("zh", "小王在华为上班", "organization", "小王在华为上班"),
    ],
)
def test_a_town_is_no_employer(code: str, text: str, kind: str, told: str) -> None:
    (edge,) = [edge for edge in edges(code, text) if edge.relation.startswith("works")]
    assert edge.object_kind == kind
    assert line(edge, PACKS.get(code)) == told


TRUTH = {"en": "You have a dog called Pickle.", "zh": "你养了一只叫豆包的狗。"}
PROMPT = {
    "en": "Your mood: happy.\nTheir mood: sad.\nThey ask for something they told you. The answer: You have a dog called Pickle. Tell them so.",
    "zh": "你的心情：开心。\n对方的心情：难过。\n对方在问自己告诉过你的事。答案是：你养了一只叫豆包的狗。就这么告诉对方。",
}


@pytest.mark.parametrize(
    ("code", "reply", "left"),
    [
        ("en", "You have a dog called Pickle, tell them so.", "You have a dog called Pickle."),
        ("en", "You have a dog called Pickle, tell me so.", "You have a dog called Pickle."),
        ("en", "Nice!\nYour mood: happy.", "Nice!"),
        ("en", "**Your mood: happy**\nHello there.", "Hello there."),
        ("en", "The answer: You have a dog called Pickle. Tell them so.", "You have a dog called Pickle."),
        ("en", "Your mood: happy.", ""),
        ("zh", "你养了一只叫豆包的狗，就这么告诉对方。", "你养了一只叫豆包的狗。"),
        ("zh", "好呀！\n你的心情：开心。", "好呀！"),
        ("zh", "【你的心情：开心】\n早上好。", "早上好。"),
        ("zh", "答案是：你养了一只叫豆包的狗。就这么告诉对方。", "你养了一只叫豆包的狗。"),
        ("zh", "你的心情：开心。", ""),
    ],
)
def test_words_of_the_prompt_are_cut(code: str, reply: str, left: str) -> None:
    found = prompt_echoes(reply, PROMPTS.wording(NOTES, code), PROMPT[code], PACKS.get(code), [TRUTH[code]])
    assert found
    assert without_echoes(reply, found) == left


@pytest.mark.parametrize(
    ("code", "reply"),
    [
        ("en", "If you love them, tell them."), ("en", "The answer is simple: go home."), ("en", "Your mood is contagious."),
        ("en", "I told them so."), ("zh", "你的心情我懂。"), ("zh", "答案是四十二。"), ("zh", "喜欢就告诉对方。"),
    ],
)  # fmt: skip
def test_talk_that_only_sounds_like_it_stays(code: str, reply: str) -> None:
    assert not prompt_echoes(reply, PROMPTS.wording(NOTES, code), PROMPT[code], PACKS.get(code))


@pytest.mark.parametrize(
    ("code", "reply"), [("en", "If you hate it, tell them so."), ("zh", "想好了，就这么告诉对方。")]
)
def test_words_that_no_note_of_the_turn_had_stay(code: str, reply: str) -> None:
    assert not prompt_echoes(
        reply, PROMPTS.wording(NOTES, code), "Hello." if code == "en" else "你好。", PACKS.get(code)
    )


@pytest.mark.parametrize(
    ("code", "said", "reply", "kept"),
    [
        ("en", "I can't eat coriander.", "I can't eat coriander.", False),
        ("en", "I live in Leeds.", "I live in Leeds, you know.", False),
        ("en", "I'm allergic to nuts.", "I don't eat nuts.", False),
        ("en", "I don't like coriander.", "I don't like coriander either.", True),
        ("en", "I live in Leeds.", "I live in Galway.", True),
        ("zh", "我不能吃香菜。", "我不能吃香菜。", False),
        ("zh", "我对花生过敏。", "我不吃花生。", False),
        ("zh", "我喜欢香菜。", "我也喜欢香菜。", True),
        ("zh", "我住在利兹。", "我住在昆明。", True),
    ],
)
def test_what_is_only_said_after_the_user_is_no_fact_of_the_character(
    code: str, said: str, reply: str, kept: bool
) -> None:
    pack, persona = PACKS.get(code), Persona(name="P", language=code)
    state = DialogueState(persona=PersonaRef(id="p", name="P"), language=code)
    told = extract_facts(said, speaker=USER, state=state, persona=persona, pack=pack, turn=1)
    own = extract_facts(reply, speaker=CHARACTER, state=state, persona=persona, pack=pack, turn=1, asked=said)
    stated = [one for one in own if isinstance(one, AssertFact)]
    assert stated
    assert [one for one in stated if not parroted(one, told, (said, ""), state, pack)] == (stated if kept else [])


SAID = {
    "en": ("Hello there, how is the weather in your street?", "Grey, and the gulls are loud.\nTheir mood: joyful."),
    "zh": ("你好，你们那条街天气怎么样？", "阴天，海鸥叫得很响。\n对方的心情：喜悦。"),
}
OTHER = {"en": "Well done you, that is grand.", "zh": "真好，替你高兴。"}
LABEL = {"en": "Their mood", "zh": "对方的心情"}
HAPPY = {"en": "I am so happy, I won the race today!", "zh": "我今天太开心了，比赛赢了！"}


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_a_label_of_the_notes_is_neither_sent_nor_remembered(code: str) -> None:
    said, reply = SAID[code]
    memory = InProcessMemoryStore()
    settings = load(environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules"})
    async with Harness(settings, model=ScriptedModel([OTHER[code], reply]), memory=memory) as harness:
        session = await harness.open({"en": "mia", "zh": "lin"}[code], session="first", user="nora")
        await session.say(HAPPY[code])
        answer = await session.say(said)
        await session.settled()
        record = await session.report()
    assert LABEL[code] in "\n".join(text for _, text in record.calls[0].messages)
    assert answer.text == reply.partition("\n")[0]
    assert any(event.kind == "reply_cut" for event in record.events)
    items = await memory.browse(MemoryFilter(everything=True, statuses=()))
    assert items
    assert not any(LABEL[code] in item.text for item in items)

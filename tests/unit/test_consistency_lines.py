"""What the character says when it holds on to a fact."""

from __future__ import annotations

import pytest

from harness.state import Notice, PersonaFact
from harness.understanding.checks.consistency import check_reply, holds
from harness.understanding.checks.holding import begun_answers, hold_line, statement
from tests.unit._consistency import ELSE, PACKS, PEOPLE, persona, premise, reply_kinds, state_of

STATEMENTS = [
    ("en", "job", "night nurse", "I work as a night nurse"),
    ("en", "job", "repairs clocks", "I repair clocks"),
    ("en", "job", "retired", "I'm retired"),
    ("en", "sister", "Anna", "I have a sister called Anna"),
    ("en", "siblings", "none", "I have no siblings"),
    ("en", "favourite tea", "jasmine", "My favourite tea is jasmine"),
    ("en", "dislikes", "loud music", "I don't like loud music"),
    ("en", "alcohol", "doesn't drink", "I don't drink"),
    ("en", "coffee", "hates it", "I hate coffee"),
    ("en", "pets", "no pets", "I have no pets"),
    ("en", "skill", "juggling", "I'm good at juggling"),
    ("en", "brothers", "two older brothers", "I have two older brothers"),
    ("en", "car", "an old red Volvo", "I have an old red Volvo"),
    ("zh", "妹妹", "小雪", "我有一个叫小雪的妹妹"),
    ("zh", "兄弟姐妹", "没有", "我没有兄弟姐妹"),
    ("zh", "最喜欢的茶", "茉莉花茶", "我最喜欢的茶是茉莉花茶"),
    ("zh", "会做的菜", "红烧肉", "我会做的菜是红烧肉"),
    ("zh", "猫", "米糕", "我养了一只叫米糕的猫"),
    ("zh", "讨厌", "排队", "我不喜欢排队"),
    ("zh", "工作", "在图书馆当管理员", "我在图书馆当管理员"),
    ("zh", "年龄", "34", "我今年34岁"),
]


@pytest.mark.parametrize(("code", "attribute", "value", "sentence"), STATEMENTS)
def test_a_fact_reads_as_the_character_would_say_it(code: str, attribute: str, value: str, sentence: str) -> None:
    assert statement(PersonaFact(attribute=attribute, value=value), pack=PACKS.get(code)) == sentence


def test_a_persona_states_facts_in_its_own_words() -> None:
    fact = PersonaFact(attribute="pet", value="parrot", statement="That bird and me, we share a cabin.")
    assert statement(fact, pack=PACKS.get("en")) == "That bird and me, we share a cabin"


BAITS = {"en": "But you said you have no pets.", "zh": "你说过你没有宠物。"}


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("seed", range(8))
def test_hold_lines_pass_the_check_they_are_for(code: str, seed: int) -> None:
    (notice,) = premise(BAITS[code], code)
    line = hold_line(notice, persona=PEOPLE[code], pack=PACKS.get(code), seed=seed)
    assert notice.truth in line
    assert reply_kinds(line, code, BAITS[code]) == set()
    assert holds(line, notice, state=state_of(code), persona=PEOPLE[code], pack=PACKS.get(code))


@pytest.mark.parametrize("code", ["en", "zh"])
@pytest.mark.parametrize("kind", ["challenge", "bot_question", "override", "role_swap", "extraction", "memory_poison"])
@pytest.mark.parametrize("attitude", ["deny", "deflect", "admit"])
def test_lines_for_every_notice_pass_the_check(code: str, kind: str, attitude: str) -> None:
    person = persona("Else", code, (), bot_question=attitude)
    notice = Notice.model_validate({"kind": kind})
    said: list[str] = []
    for seed in range(6):
        line = hold_line(notice, persona=person, pack=PACKS.get(code), seed=seed, previous=said)
        assert line not in said
        state = state_of(code)
        assert (
            check_reply(line, user_text="?", state=state, persona=person, pack=PACKS.get(code), notices=[notice]) == ()
        )
        said.append(line)


@pytest.mark.parametrize("code", ["en", "zh"])
def test_begun_answers_turn_with_the_seed(code: str) -> None:
    (notice,) = premise(BAITS[code], code)
    first = begun_answers(notice, persona=PEOPLE[code], pack=PACKS.get(code), seed=0)
    second = begun_answers(notice, persona=PEOPLE[code], pack=PACKS.get(code), seed=1)
    assert first != second
    assert sorted(first) == sorted(second)
    assert all(notice.truth in opener for opener in first)
    unfinished = begun_answers(notice, persona=PEOPLE[code], pack=PACKS.get(code), whole=False)
    assert all(opener.endswith(("I", "我")) for opener in unfinished)


def test_braces_in_a_fact_are_data() -> None:
    notice = Notice(kind="contradiction", truth="I like {x} and {name}", value="tea")
    assert "{x} and {name}" in hold_line(notice, persona=ELSE, pack=PACKS.get("en"))
    assert premise("You said you like {x}.", "en")[0].kind == "challenge"

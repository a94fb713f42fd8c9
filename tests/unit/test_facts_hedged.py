"""A hedge drops only the clause it governs, and still drops that one."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.understanding.facts.stating import unstated
from tests.unit.test_facts_probes import converse, row

PACKS = load_packs()


@pytest.mark.parametrize(
    ("code", "line", "fact"),
    [
        ("en", "I'm allergic to nuts so maybe skip the brownies.", ("user", "allergy", "nuts")),
        ("en", "Oh, I almost forgot, I am allergic to shellfish.", ("user", "allergy", "shellfish")),
        ("en", "I almost forgot to tell you I'm allergic to shellfish.", ("user", "allergy", "shellfish")),
        ("en", "My name is Omar, maybe we've met.", ("user", "name", "Omar")),
        ("en", "I'm a nurse, maybe that's why I'm always tired.", ("user", "job", "nurse")),
        ("en", "I'm a nurse, which is probably why I'm tired.", ("user", "job", "nurse")),
        ("en", "I live in York if you ever want to visit.", ("user", "home", "York")),
        ("en", "I'm vegetarian, if that matters.", ("user", "diet", "vegetarian")),
        ("en", "I'm allergic to cats, but I would love a dog.", ("user", "allergy", "cats")),
        ("en", "I have two cats and I might get a third.", ("user", "pet", "two cats")),
        ("en", "I'm a baker, so I'd probably say sourdough.", ("user", "job", "baker")),
        ("en", "I'm from Leeds, perhaps you know it.", ("user", "origin", "Leeds")),
        ("en", "I've lived in York for almost ten years.", ("user", "home", "York")),
        ("en", "I wish I could stay, but I work at a bakery.", ("user", "workplace", "bakery")),
        ("en", "I'm allergic to peanuts, so please maybe avoid satay.", ("user", "allergy", "peanuts")),
        ("zh", "差点忘了，我对虾过敏。", ("user", "allergy", "虾")),
        ("zh", "哦对了差点忘了说，我对虾过敏。", ("user", "allergy", "虾")),
        ("zh", "我对虾过敏，如果有虾你提前说。", ("user", "allergy", "虾")),
        ("zh", "我住扬州，要是你来可以找我玩。", ("user", "home", "扬州")),
        ("zh", "我是护士，说不定能帮上忙。", ("user", "job", "护士")),
        ("zh", "我对花生过敏，万一菜里有你告诉我一声。", ("user", "allergy", "花生")),
        ("zh", "我是护士，要是哪里不舒服可以问我。", ("user", "job", "护士")),
        ("zh", "我对虾过敏，点菜的话注意点。", ("user", "allergy", "虾")),
        ("zh", "我养了只猫，差点被我妈扔了。", ("user", "pet", "只猫")),
        ("zh", "我对芒果过敏，能治好就好了。", ("user", "allergy", "芒果")),
        ("zh", "我住扬州，如果方便，过来玩。", ("user", "home", "扬州")),
        ("zh", "我叫小兰，说不定你听过。", ("user", "name", "小兰")),
    ],
)
def test_a_hedge_beside_a_statement_leaves_it(code: str, line: str, fact: tuple[str, ...]) -> None:
    assert {row(found) for found in converse(code, [f"user: {line}"]).active_facts()} == {fact}


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("en", "I almost never eat meat."),
        ("en", "maybe I'm allergic"),
        ("en", "I might be a nurse."),
        ("en", "if I were a nurse, I'd be tired"),
        ("en", "I'm from York, or maybe Leeds."),
        ("en", "I have two cats, maybe three."),
        ("en", "I'm a nurse, maybe."),
        ("en", "I would be a nurse, live in York and own two cats."),
        ("en", "I dreamed I was a pilot, I had a plane and I lived in Rome."),
        ("en", "If I had a dog, I live in York."),
        ("en", "I'm moving to York, if I get the job."),
        ("en", "Imagine I'm a nurse, I live in York."),
        ("en", "I almost bought a dog."),
        ("en", "I'm a king, hypothetically."),
        ("en", "In my story I am a nurse, and I live in York."),
        ("en", "Maybe I'm a nurse and I live in York."),
        ("en", "I'd be happy if I lived in York and I had a dog."),
        ("en", "I'm probably allergic to nuts."),
        ("en", "I am almost 40."),
        ("zh", "我可能对虾过敏。"),
        ("zh", "如果我是护士，我就住扬州。"),
        ("zh", "要是我住扬州就好了。"),
        ("zh", "我要是护士就好了"),
        ("zh", "我养猫，如果房东同意。"),
        ("zh", "我是护士的话，我就住扬州。"),
        ("zh", "我差点当了护士。"),
        ("zh", "我住扬州，说不定是苏州。"),
        ("zh", "我有两只猫，几乎三只。"),
        ("zh", "假如我是护士，住扬州，养只猫。"),
        ("zh", "我梦里是护士，住扬州。"),
        ("zh", "说不定我对虾过敏。"),
        ("zh", "万一我对虾过敏，怎么办"),
        ("zh", "我几乎不喝酒。"),
    ],
)
def test_what_is_only_supposed_states_nothing(code: str, line: str) -> None:
    assert not converse(code, [f"user: {line}"]).active_facts()


@pytest.mark.parametrize(
    ("code", "quote", "line", "stated"),
    [
        ("en", "I'm a nurse", "I'm a nurse, maybe that's why I'm tired.", True),
        ("en", "I'm tired", "I'm a nurse, maybe that's why I'm tired.", False),
        ("en", "I'm a nurse", "If I'm a nurse, I live in York.", False),
        ("zh", "我对虾过敏", "我对虾过敏，如果有虾你提前说。", True),
        ("zh", "我是护士", "如果我是护士，我就住扬州。", False),
    ],
)
def test_a_proposed_fact_needs_words_that_no_hedge_governs(code: str, quote: str, line: str, stated: bool) -> None:
    assert (unstated(quote, line, PACKS.get(code)) == "") is stated

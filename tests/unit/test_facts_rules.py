from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import (
    DialogueState,
    Fact,
    FactStatus,
    Operation,
    Persona,
    PersonaFact,
    PersonaRef,
    apply,
)
from harness.state.operations import AssertFact, RetractFact
from harness.understanding.facts.claims import read_claims
from harness.understanding.facts.extract import asked_attributes, extract_facts, other_subject

PACKS = load_packs()
PERSONAS = {
    "en": Persona(name="Vera Stone", facts=(PersonaFact(attribute="job", value="night porter"),)),
    "zh": Persona(name="何素秋", language="zh", facts=(PersonaFact(attribute="职业", value="裁缝"),)),
}


def start(code: str) -> DialogueState:
    return DialogueState(persona=PersonaRef(id="p", name=PERSONAS[code].name), language=code)


def read(text: str, code: str, state: DialogueState | None = None, speaker: str = "user") -> tuple[Operation, ...]:
    state = state or start(code)
    turn = state.turn_count + 1
    return extract_facts(text, speaker=speaker, state=state, persona=PERSONAS[code], pack=PACKS.get(code), turn=turn)


def talk(code: str, *lines: str, speaker: str = "user") -> DialogueState:
    state = start(code)
    for line in lines:
        for operation in read(line, code, state, speaker):
            state = apply(state, operation)
    return state


def rows(facts: tuple[Fact, ...]) -> set[tuple[str, str, str, bool]]:
    return {(fact.subject, fact.attribute, fact.value, fact.polarity) for fact in facts}


STATED_EN = [
    ("My name is Ruth and I live in Leeds.", {("name", "Ruth", True), ("home", "Leeds", True)}),
    ("Hi, I'm Oscar, by the way.", {("name", "Oscar", True)}),
    ("You can call me Bo.", {("name", "Bo", True)}),
    ("I'm twenty-nine years old.", {("age", "twenty-nine", True)}),
    ("i just turned 40", {("age", "40", True)}),
    ("I was born in Turin but I grew up in Milan.", {("birthplace", "Turin", True), ("origin", "Milan", True)}),
    ("I come from Ghana.", {("origin", "Ghana", True)}),
    ("I moved to Hamburg last spring.", {("home", "Hamburg", True)}),
    ("I work as a plumber.", {("job", "plumber", True)}),
    ("I'm a marine biologist.", {("job", "marine biologist", True)}),
    ("I am not a lawyer.", {("job", "lawyer", False)}),
    ("I work at the town library", {("workplace", "town library", True)}),
    ("I've got two older brothers.", {("sibling", "two older brothers", True)}),
    ("I'm an only child.", {("sibling", "siblings", False)}),
    ("My brother is called Piet.", {("sibling", "brother called Piet", True)}),
    ("I have a daughter named Noor", {("child", "daughter called Noor", True)}),
    ("My husband Karl snores.", {("partner", "husband called Karl", True)}),
    ("I'm married.", {("marital state", "married", True)}),
    ("We met at a party. I have a tabby cat called Fig.", {("pet", "cat called Fig", True)}),
    ("I have a cat and a tortoise", {("pet", "cat", True), ("pet", "tortoise", True)}),
    ("I don't have any pets.", {("pet", "pets", False)}),
    ("my dog's name is Ziggy", {("pet", "dog called Ziggy", True)}),
    ("I love rainy mornings.", {("likes", "rainy mornings", True)}),
    ("I can't stand karaoke", {("likes", "karaoke", False)}),
    ("I like pears, plums and figs.", {("likes", "pears", True), ("likes", "plums", True), ("likes", "figs", True)}),
    ("I don't like beer, but I love cider.", {("likes", "beer", False), ("likes", "cider", True)}),
    ("I'm allergic to walnuts.", {("allergy", "walnuts", True)}),
    ("I can't whistle.", {("skill", "whistle", False)}),
    ("I never learned to drive.", {("skill", "drive", False)}),
    ("I speak Dutch and Polish.", {("language", "Dutch", True), ("language", "Polish", True)}),
    ("I play the cello.", {("hobby", "cello", True)}),
    ("My favorite soup is borscht.", {("favourite soup", "borscht", True)}),
    ("I'm a vegetarian.", {("diet", "vegetarian", True)}),
    ("I drive an old green Volvo.", {("possession", "old green Volvo", True)}),
    ("I bought a second-hand telescope", {("possession", "second-hand telescope", True)}),
    ("My locker number is 4172.", {("locker number", "4172", True)}),
    ("My rowing boat has the number 4418.", {("rowing boat number", "4418", True)}),
    ("our flat carries the number 12B", {("flat number", "12B", True)}),
    ("My train leaves at 6:45 tomorrow.", {("train", "6:45", True)}),
    ("My exam is on Friday", {("exam", "Friday", True)}),
    ("my birthday is 4 July", {("birthday", "4 July", True)}),
    ("I study chemistry at Leeds University", {("major", "chemistry", True)}),
    ("I live in Oslo, do you know it?", {("home", "Oslo", True)}),
]

STATED_ZH = [
    ("我叫李想，今年二十七岁。", {("name", "李想", True), ("age", "二十七岁", True)}),
    ("叫我阿杰就行", {("name", "阿杰", True)}),
    ("我是小林。", {("name", "小林", True)}),
    ("我是湖南人，现在住在厦门。", {("origin", "湖南", True), ("home", "厦门", True)}),
    ("我出生在开封，在郑州长大。", {("birthplace", "开封", True), ("origin", "郑州", True)}),
    ("我老家在温州", {("origin", "温州", True)}),
    ("我开一辆白色的丰田", {("possession", "一辆白色的丰田", True)}),
    ("我搬到青岛了", {("home", "青岛", True)}),
    ("我是一名护士。", {("job", "护士", True)}),
    ("我不是老师。", {("job", "老师", False)}),
    ("我在一家书店上班", {("workplace", "一家书店", True)}),
    ("我有一个弟弟，叫小北", {("sibling", "叫小北的弟弟", True)}),
    ("我是独生女", {("sibling", "兄弟姐妹", False)}),
    ("我老伴身体很好", {("partner", "老伴", True)}),
    ("我女儿叫朵朵。", {("child", "叫朵朵的女儿", True)}),
    ("我已经结婚了", {("marital state", "已婚", True)}),
    ("我养了一只猫，叫芝麻。", {("pet", "叫芝麻的猫", True)}),
    ("我家狗叫来福", {("pet", "叫来福的狗", True)}),
    ("我一只猫都没有", {("pet", "猫", False)}),
    ("我什么宠物都没养", {("pet", "宠物", False)}),
    ("我特别喜欢下雪天", {("likes", "下雪天", True)}),
    ("我最讨厌排队了", {("likes", "排队", False)}),
    ("我不太喜欢香菜。", {("likes", "香菜", False)}),
    ("我对芒果过敏", {("allergy", "芒果", True)}),
    ("我不会开车", {("skill", "开车", False)}),
    ("我从来没学过游泳。", {("skill", "游泳", False)}),
    ("我会说法语", {("language", "法语", True)}),
    ("我会弹古筝", {("skill", "弹古筝", True)}),
    ("我最喜欢的水果是荔枝", {("最喜欢的水果", "荔枝", True)}),
    ("我吃素", {("diet", "吃素", True)}),
    ("我不喝酒", {("drinks", "酒", False)}),
    ("我的房间号是306。", {("房间号", "306", True)}),
    ("我的车牌号是京A12345", {("车牌号", "京A12345", True)}),
    ("我的面试在周三", {("面试", "周三", True)}),
    ("我的爱好是集邮", {("hobby", "集邮", True)}),
    ("我生日是五月三号", {("birthday", "五月三号", True)}),
    ("我有三个哥哥，一个妹妹", {("sibling", "三个哥哥", True), ("sibling", "一个妹妹", True)}),
]


@pytest.mark.parametrize(("text", "expected"), STATED_EN)
def test_english_statements(text: str, expected: set[tuple[str, str, bool]]) -> None:
    found = {(op.attribute, op.value, op.polarity) for op in read(text, "en") if isinstance(op, AssertFact)}
    assert found == expected


@pytest.mark.parametrize(("text", "expected"), STATED_ZH)
def test_chinese_statements(text: str, expected: set[tuple[str, str, bool]]) -> None:
    found = {(op.attribute, op.value, op.polarity) for op in read(text, "zh") if isinstance(op, AssertFact)}
    assert found == expected


SILENT = [
    ("en", "Do you have a dog?"),
    ("en", "If I had a cat I would call it Tom."),
    ("en", "Where do you live?"),
    ("en", "You are a nurse."),
    ("en", "You have two sisters and you hate tea."),
    ("en", 'He said "I am a doctor and I live in Rome".'),
    ("en", "The song goes I love you baby"),
    ("en", "Maybe I live in a simulation."),
    ("en", "I love you."),
    ("en", "I love it when it rains!"),
    ("en", "my point is that I was tired"),
    ("en", "my phone is dead"),
    ("en", "I'm so happy today"),
    ("en", "I wish I had a horse."),
    ("en", "I used to work at a bank."),
    ("en", "My boss says I'm lazy."),
    ("en", "Vera loves jazz."),
    ("en", "I have a question"),
    ("en", "I'd love a dog."),
    ("zh", "你养狗吗？"),
    ("zh", "如果我有一只狗就好了。"),
    ("zh", "你是护士。"),
    ("zh", "你有两个姐姐，你讨厌喝茶。"),
    ("zh", "他说我很胖"),
    ("zh", "歌词是我爱北京"),
    ("zh", "我爱你"),
    ("zh", "我今天很高兴"),
    ("zh", "我想养一只猫"),
    ("zh", "我是个好人"),
    ("zh", "我住在三楼"),
    ("zh", "他说“我是医生，我住在罗马”。"),
    ("zh", "何素秋喜欢听戏"),
    ("zh", "我还行，不错"),
    ("zh", "我正在做饭"),
]


@pytest.mark.parametrize(("code", "text"), SILENT)
def test_what_states_nothing_about_the_user_gives_nothing(code: str, text: str) -> None:
    assert read(text, code) == ()


@pytest.mark.parametrize(
    ("code", "text", "fact"),
    [
        ("en", "my friend Jack hates football", ("Jack", "likes", "football", False)),
        ("en", "My sister Anna works as a judge", ("Anna", "job", "judge", True)),
        ("en", "Priya is a dentist and she lives in Delhi", ("Priya", "home", "Delhi", True)),
        ("en", "my boss hates dogs", ("user's boss", "likes", "dogs", False)),
        ("zh", "我朋友小李讨厌足球", ("小李", "likes", "足球", False)),
        ("zh", "我妹妹小雪是护士", ("小雪", "job", "护士", True)),
        ("zh", "小王喜欢篮球", ("小王", "likes", "篮球", True)),
        ("zh", "我姐姐讨厌狗", ("用户的姐姐", "likes", "狗", False)),
    ],
)
def test_a_third_person_keeps_its_own_facts(code: str, text: str, fact: tuple[str, str, str, bool]) -> None:
    state = talk(code, text)
    assert fact in rows(state.active_facts())
    assert fact[1:3] not in {(f.attribute, f.value) for f in state.active_facts("user")}


@pytest.mark.parametrize(
    ("code", "lines", "attribute", "values"),
    [
        ("en", ("I love Thai food", "I hate Thai food now"), "likes", {("Thai food", False)}),
        ("en", ("I hate olives", "I love olives"), "likes", {("olives", True)}),
        ("en", ("I live in Cork", "I moved to Galway"), "home", {("Galway", True)}),
        ("en", ("I'm 34", "actually I'm 35"), "age", {("35", True)}),
        ("en", ("I'm 34", "I'm 34 years old"), "age", {("34", True)}),
        ("en", ("My exam is on Monday", "No, I said Tuesday."), "exam", {("Tuesday", True)}),
        ("en", ("my locker number is 4172", "sorry, I meant 4127"), "locker number", {("4127", True)}),
        ("en", ("I have a cat", "my cat is called Fig"), "pet", {("cat called Fig", True)}),
        ("en", ("I have a cat", "I also have a dog"), "pet", {("cat", True), ("dog", True)}),
        ("en", ("My dog is called Rex", "No, my dog is called Max"), "pet", {("dog called Max", True)}),
        ("en", ("I have a dog", "I don't have a dog anymore"), "pet", {("dog", False)}),
        ("en", ("I have a cat", "I have a dog", "I have no pets"), "pet", {("pets", False)}),
        ("en", ("my job is teaching", "forget what I said about my job"), "job", set()),
        ("en", ("I live in Norway", "I live in Oslo"), "home", {("Oslo", True)}),
        ("en", ("I live in Oslo", "I live in Norway"), "home", {("Oslo", True)}),
        (
            "en",
            ("I have two sisters", "My sister Anna is a vet"),
            "sibling",
            {("two sisters", True), ("sister called Anna", True)},
        ),
        ("en", ("I'm vegetarian", "I eat meat now"), "diet", {("meat", True)}),
        ("en", ("My exam is on Monday", "No, on Tuesday."), "exam", {("Tuesday", True)}),
        ("en", ("I'm single", "I got married last month"), "marital state", {("married", True)}),
        ("en", ("I have two cats", "I have three cats"), "pet", {("three cats", True)}),
        ("zh", ("我住在日本", "我住在大阪"), "home", {("大阪", True)}),
        ("zh", ("我住在大阪", "我住在日本"), "home", {("大阪", True)}),
        ("zh", ("我有两个姐姐", "我姐姐小兰是护士"), "sibling", {("两个姐姐", True), ("叫小兰的姐姐", True)}),
        ("zh", ("我的考试在周一", "不对，在周二"), "考试", {("周二", True)}),
        ("zh", ("我单身", "我上个月结婚了"), "marital state", {("已婚", True)}),
        ("zh", ("我养了两只猫", "我养了三只猫"), "pet", {("三只猫", True)}),
        ("zh", ("我喜欢川菜", "我现在讨厌川菜"), "likes", {("川菜", False)}),
        ("zh", ("我讨厌香菜", "我喜欢香菜"), "likes", {("香菜", True)}),
        ("zh", ("我住在北京", "我搬到上海了"), "home", {("上海", True)}),
        ("zh", ("我34岁", "我今年34岁"), "age", {("34岁", True)}),
        ("zh", ("我的考试在周一", "不是，我是说周二"), "考试", {("周二", True)}),
        ("zh", ("我的房间号是306", "说错了，是360"), "房间号", {("360", True)}),
        ("zh", ("我养了一只猫", "我的猫叫芝麻"), "pet", {("叫芝麻的猫", True)}),
        ("zh", ("我养了一只猫", "我还养了一只狗"), "pet", {("一只猫", True), ("一只狗", True)}),
        ("zh", ("我的狗叫豆豆", "不对，我的狗叫团团"), "pet", {("叫团团的狗", True)}),
    ],
)
def test_later_words_replace_refine_or_add(
    code: str, lines: tuple[str, ...], attribute: str, values: set[tuple[str, bool]]
) -> None:
    facts = [fact for fact in talk(code, *lines).active_facts("user") if fact.attribute == attribute]
    assert {(fact.value, fact.polarity) for fact in facts} == values


@pytest.mark.parametrize(
    ("code", "lines", "name"),
    [
        ("en", ("My girlfriend hates spiders", "My girlfriend is called Lucia"), "Lucia"),
        ("en", ("My girlfriend hates spiders", "Lucia is my girlfriend"), "Lucia"),
        ("zh", ("我女朋友讨厌蜘蛛", "我女朋友叫茂琳"), "茂琳"),
        ("zh", ("我女朋友讨厌蜘蛛", "茂琳是我女朋友"), "茂琳"),
    ],
)
def test_facts_go_over_to_a_name(code: str, lines: tuple[str, ...], name: str) -> None:
    state = talk(code, *lines)
    assert {fact.subject for fact in state.facts} == {"user", name}
    assert [fact.attribute for fact in state.active_facts(name)] == ["likes"]


@pytest.mark.parametrize(
    ("code", "lines"), [("en", ("Ruth hates tea", "My name is Ruth")), ("zh", ("茂琳讨厌茶", "我叫茂琳"))]
)
def test_facts_about_a_name_become_the_speakers_once_it_is_theirs(code: str, lines: tuple[str, ...]) -> None:
    assert {fact.subject for fact in talk(code, *lines).facts} == {"user"}


def test_history_is_kept() -> None:
    state = talk("en", "I love Thai food", "I hate Thai food now")
    assert [fact.status for fact in state.facts] == [FactStatus.superseded, FactStatus.active]
    assert state.facts[1].supersedes == state.facts[0].id


def test_a_second_job_does_not_replace_the_first() -> None:
    state = talk("en", "I work as a nurse", "I also work as a bartender")
    assert {fact.value for fact in state.active_facts("user")} == {"nurse", "bartender"}


def test_a_relative_keeps_its_name() -> None:
    assert ("Anna", "likes", "cats", True) in rows(
        talk("en", "My sister Anna is a nurse", "my sister loves cats").facts
    )
    assert ("小雪", "likes", "猫", True) in rows(talk("zh", "我妹妹小雪是护士", "我妹妹喜欢猫").facts)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("en", "I have a cat called Plum.", {("character", "pet", "cat called Plum", True)}),
        ("en", "I work as a night porter.", set()),
        ("en", "I'm a dentist, of course.", set()),
        ("zh", "我养了一只叫豆包的猫。", {("character", "pet", "叫豆包的猫", True)}),
        ("zh", "我是个裁缝。", set()),
        ("zh", "我是医生。", set()),
    ],
)
def test_the_character_adds_to_its_persona_and_never_against_it(
    code: str, text: str, expected: set[tuple[str, str, str, bool]]
) -> None:
    assert rows(talk(code, text, speaker="character").facts) == expected


def test_operations_say_who_when_and_in_which_words() -> None:
    (operation,) = read("Well, I live in Cork these days.", "en")
    assert isinstance(operation, AssertFact)
    assert (operation.speaker, operation.turn, operation.language, operation.single) == ("user", 1, "en", True)
    assert "Cork" in operation.quote


def test_retraction_carries_its_reason() -> None:
    state = talk("en", "my job is teaching")
    (operation,) = read("forget what I said about my job", "en", state)
    assert isinstance(operation, RetractFact)
    assert "forget" in operation.reason


@pytest.mark.parametrize(
    ("code", "text", "keys"),
    [
        ("en", "What's my locker number?", ("locker number",)),
        ("en", "How old am I, and where do I live?", ("age", "home")),
        ("zh", "我的房间号是多少？我叫什么名字？", ("房间号", "name")),
        ("en", "I live here.", ()),
    ],
)
def test_attributes_asked_for(code: str, text: str, keys: tuple[str, ...]) -> None:
    assert asked_attributes(text, PACKS.get(code)) == keys


@pytest.mark.parametrize(
    ("code", "words", "who"),
    [
        ("en", "my friend hates olives", "friend"),
        ("en", "Jack is a nurse", "Jack"),
        ("en", "I hate olives", ""),
        ("zh", "我朋友讨厌香菜", "朋友"),
        ("zh", "小王是护士", "小王"),
        ("zh", "我讨厌香菜", ""),
    ],
)
def test_whom_words_are_about(code: str, words: str, who: str) -> None:
    assert other_subject(words, pack=PACKS.get(code)) == who


@pytest.mark.parametrize(
    ("code", "text"), [("en", "i am an uncle and a stage carpenter"), ("zh", "我是一个舅舅，也是一个舞台木工")]
)
def test_a_role_before_a_job_is_read_to_an_end(code: str, text: str) -> None:
    assert len(read_claims(text, load_packs().get(code))) < 4

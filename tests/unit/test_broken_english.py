"""What broke the reading of facts once, by class: denials that reach too far, places, names and dates that are none."""

from __future__ import annotations

import pytest

from tests.unit.test_facts_probes import converse, row


def known(code: str, *lines: str) -> set[tuple[str, ...]]:
    return {row(fact) for fact in converse(code, [f"user: {line}" for line in lines]).active_facts()}


Fact = tuple[str, ...]


def own(attribute: str, value: str) -> Fact:
    return ("user", attribute, value)


def no(attribute: str, value: str) -> Fact:
    return ("user", attribute, value, "not")


DENIED_LATER: list[tuple[str, str, set[Fact]]] = [
    ("en", "I'm 29 and not married.", {own("age", "29")}),
    ("en", "I'm a nurse and not a doctor.", {own("job", "nurse")}),
    ("en", "I'm a baker and no longer a student.", {own("job", "baker")}),
    ("en", "I'm Polish and not Russian.", {own("nationality", "Polish")}),
    ("en", "I'm from Leeds but not proud of it.", {own("origin", "Leeds")}),
    ("en", "I'm a vegan but not a saint.", {own("diet", "vegan")}),
    ("en", "I'm married but not happily.", {own("marital state", "married")}),
    ("en", "I'm single and not looking.", {own("marital state", "single")}),
    ("en", "I'm called Ada and not Ida.", {own("name", "Ada")}),
    ("en", "I have three kids and not much sleep.", {own("child", "three kids")}),
    ("en", "I have a dog that doesn't bark.", {own("pet", "dog")}),
    ("en", "I have a cat that isn't friendly.", {own("pet", "cat")}),
    ("en", "I have a car that won't start.", {own("possession", "car")}),
    ("en", "I have a house that I can't afford.", {own("possession", "house")}),
    ("en", "I'm thirty-four and still can't whistle.", {own("age", "thirty-four"), no("skill", "whistle")}),
    ("en", "I have two cats and no dogs.", {own("pet", "two cats"), no("pet", "dogs")}),
    ("en", "I have no cats and two dogs.", {no("pet", "cats"), own("pet", "two dogs")}),
    ("en", "I like songs that never end.", {own("likes", "songs that never end")}),
    ("zh", "我29岁不是30岁", {own("age", "29岁"), no("age", "30岁")}),
    ("zh", "我叫小雅不叫小亚", {own("name", "小雅"), no("name", "小亚")}),
    ("zh", "我叫王小明不是王小鸣", {own("name", "王小明"), no("name", "王小鸣")}),
    ("zh", "我住北京没房子", {own("home", "北京")}),
    ("zh", "我住上海不住苏州", {own("home", "上海"), no("home", "苏州")}),
    ("zh", "我今年三十岁还没结婚", {own("age", "三十岁"), no("marital state", "已婚")}),
    ("zh", "我没结婚今年29岁", {own("age", "29岁"), no("marital state", "已婚")}),
    ("zh", "我是护士不是医生", {own("job", "护士"), no("job", "医生")}),
    ("zh", "我不是医生是护士", {own("job", "护士"), no("job", "医生")}),
    ("zh", "我是杭州人不是苏州人", {own("origin", "杭州"), no("origin", "苏州")}),
    ("zh", "我在银行上班不是老板", {own("workplace", "银行"), no("job", "老板")}),
    ("zh", "我喜欢茶不喜欢咖啡", {own("likes", "茶"), no("likes", "咖啡")}),
    ("zh", "我会游泳不会潜水", {own("skill", "游泳"), no("skill", "潜水")}),
    ("zh", "我养了狗没养猫", {own("pet", "狗"), no("pet", "猫")}),
    ("zh", "我没有猫有两条狗", {no("pet", "猫"), own("pet", "两条狗")}),
    ("zh", "我没有狗也没有猫", {no("pet", "狗"), no("pet", "猫")}),
    ("zh", "我从来不吃肉也不喝酒", {no("diet", "肉"), no("drinks", "酒")}),
    ("zh", "我喜欢吃不喜欢做", set()),
    ("zh", "你有猫没有？", set()),
    ("zh", "我结婚了没孩子", {own("marital state", "已婚")}),
    ("zh", "我有三个孩子没时间睡觉", {own("child", "三个孩子")}),
]


@pytest.mark.parametrize(("code", "text", "facts"), DENIED_LATER)
def test_a_denial_reaches_no_earlier_clause(code: str, text: str, facts: set[Fact]) -> None:
    assert known(code, text) == facts


DENIED: list[tuple[str, str, set[Fact]]] = [
    ("en", "I'm not 29.", {no("age", "29")}),
    ("en", "I'm not married and 29.", {no("marital state", "married")}),
    ("en", "I don't have a dog that barks.", {no("pet", "dog")}),
    ("en", "I am no longer married.", {no("marital state", "married")}),
    ("en", "I'm really not a vegan.", {no("diet", "vegan")}),
    ("en", "I'm no longer a nurse.", {no("job", "nurse")}),
    ("en", "I'm no doctor, but that looks bad.", {no("job", "doctor")}),
    ("en", "I'm not Polish.", {no("nationality", "Polish")}),
    ("zh", "我没结婚", {no("marital state", "已婚")}),
    ("zh", "我不是医生", {no("job", "医生")}),
    ("zh", "我不叫小亚", {no("name", "小亚")}),
    ("zh", "我没养猫", {no("pet", "猫")}),
]


@pytest.mark.parametrize(("code", "text", "facts"), DENIED)
def test_what_is_denied_stays_denied(code: str, text: str, facts: set[Fact]) -> None:
    assert known(code, text) == facts


ALLERGIES: list[tuple[str, str, set[Fact]]] = [
    ("en", "I'm allergic to nuts but not peanuts.", {own("allergy", "nuts"), no("allergy", "peanuts")}),
    ("en", "I'm allergic to shellfish but not to fish.", {own("allergy", "shellfish"), no("allergy", "fish")}),
    ("en", "I'm allergic to cats and not dogs.", {own("allergy", "cats"), no("allergy", "dogs")}),
    ("en", "I'm allergic to nuts but not severely.", {own("allergy", "nuts")}),
    ("en", "I'm allergic to nuts and not happy about it.", {own("allergy", "nuts")}),
    ("en", "I'm allergic to bees and can't carry a pen.", {own("allergy", "bees")}),
    ("en", "I'm allergic to milk and I'm not joking.", {own("allergy", "milk")}),
    ("en", "I'm not allergic to nuts but to milk.", {no("allergy", "nuts"), own("allergy", "milk")}),
    ("en", "I'm not only allergic to nuts but also to milk.", {own("allergy", "nuts"), own("allergy", "milk")}),
    ("en", "I'm not allergic to anything except penicillin.", {own("allergy", "penicillin")}),
    ("en", "I'm allergic to peanuts not almonds.", {own("allergy", "peanuts"), no("allergy", "almonds")}),
    ("en", "I'm allergic to tree nuts but peanuts are not a problem.", {own("allergy", "tree nuts")}),
    ("en", "I have no allergies apart from penicillin.", {own("allergy", "penicillin")}),
    ("en", "My only allergy is penicillin.", {own("allergy", "penicillin")}),
    ("en", "Don't forget I'm allergic to nuts.", {own("allergy", "nuts")}),
    ("en", "I can't eat peanuts, I'm allergic.", {own("allergy", "peanuts")}),
    ("en", "I'm no longer allergic to eggs.", {no("allergy", "eggs")}),
    ("en", "I'm not allergic to peanuts.", {no("allergy", "peanuts")}),
    (
        "en",
        "My daughter is allergic to nuts but not peanuts.",
        {("user's daughter", "allergy", "nuts"), ("user's daughter", "allergy", "peanuts", "not")},
    ),
    ("zh", "我对坚果过敏但对花生不过敏", {own("allergy", "坚果"), no("allergy", "花生")}),
    ("zh", "我对花生过敏不对牛奶过敏", {own("allergy", "花生"), no("allergy", "牛奶")}),
    (
        "zh",
        "我对花生和牛奶都过敏但对鸡蛋不过敏",
        {own("allergy", "花生"), own("allergy", "牛奶"), no("allergy", "鸡蛋")},
    ),
    ("zh", "我对芒果过敏不严重", {own("allergy", "芒果")}),
    ("zh", "我对花生过敏没开玩笑", {own("allergy", "花生")}),
    ("zh", "我对花生过敏不是开玩笑的", {own("allergy", "花生")}),
    ("zh", "我不对花生过敏对牛奶过敏", {no("allergy", "花生"), own("allergy", "牛奶")}),
    ("zh", "我不但对花生过敏还对牛奶过敏", {own("allergy", "花生"), own("allergy", "牛奶")}),
    ("zh", "我除了花生什么都不过敏", {own("allergy", "花生")}),
    ("zh", "我只对花生过敏", {own("allergy", "花生")}),
    ("zh", "别忘了我对花生过敏", {own("allergy", "花生")}),
    ("zh", "我不能吃虾,我过敏", {own("allergy", "虾")}),
    ("zh", "我一吃花生就过敏", {own("allergy", "花生")}),
    ("zh", "我对花生不过敏", {no("allergy", "花生")}),
    (
        "zh",
        "我女儿对坚果过敏但对花生不过敏",
        {("用户的女儿", "allergy", "坚果"), ("用户的女儿", "allergy", "花生", "not")},
    ),
]


@pytest.mark.parametrize(("code", "text", "facts"), ALLERGIES)
def test_an_allergy_is_never_lost_to_what_is_denied_beside_it(code: str, text: str, facts: set[Fact]) -> None:
    assert known(code, text) == facts


@pytest.mark.parametrize(
    ("code", "lines", "facts"),
    [
        ("en", ["I'm allergic to nuts.", "I'm not allergic to peanuts."], {own("allergy", "nuts")}),
        ("zh", ["我对坚果过敏。", "我对花生不过敏。"], {own("allergy", "坚果")}),
    ],
)
def test_an_allergy_outlives_the_denial_of_another(code: str, lines: list[str], facts: set[Fact]) -> None:
    assert facts <= known(code, *lines)


NOTHING = [
    "I moved to tears.",
    "I moved to close the window.",
    "I moved to the front row.",
    "I moved to the sofa.",
    "I live on the edge.",
    "I live at my desk.",
    "I live in sweatpants.",
    "I live in constant dread.",
    "I live at the gym.",
    "I come from the dentist.",
    "I come from a long line of liars.",
    "I come from money.",
    "I come from class.",
    "I am Groot.",
    "I am Iron Man!",
    "I'm Superman.",
    "I'm Batman, obviously.",
    "I'm Spider-Man.",
    "I'm Sherlock Holmes.",
    "I'm Harry Potter.",
    "I'm Napoleon.",
    "My age is a secret.",
    "My age is none of your business.",
    "My birthday is over.",
    "My birthday is ruined.",
    "My car is toast.",
    "My car is a lemon.",
    "My favourite song is over.",
    "My favourite song is playing.",
    "My favourite mug is broken.",
    "My favourite show is cancelled.",
    "I'm hardly a cook.",
    "I'm scarcely a poet.",
    "I'm not exactly a lawyer.",
    "I'm practically a nurse.",
    "I can't stand up.",
    "I can't stand still.",
    "I can't stand on one leg.",
    "I can't stand here all day.",
    "I can't bear to look.",
    "I can't cook tonight.",
    "I can't drive after two beers.",
    "I can't read your handwriting.",
    "I can't dance in these shoes.",
    "I don't drink and drive.",
    "Write: I'm 30 years old.",
    "Translate: I have two cats.",
    "Repeat after me: I live in Rome.",
    "Spell this: I am a nurse.",
    "He goes, like, I'm a vegan.",
    "And I was like, I'm a vegan.",
    "I'm allergic to my boss.",
    "I'm allergic to my landlord.",
    "I'm divorced from reality.",
    "I was misdiagnosed with lupus.",
    "I study in silence.",
]


@pytest.mark.parametrize("text", NOTHING)
def test_what_states_nothing(text: str) -> None:
    assert known("en", text) == set()


STATED: list[tuple[str, set[Fact]]] = [
    ("I moved to Porto last year.", {own("home", "Porto")}),
    ("Last year I moved to Qingdao.", {own("home", "Qingdao")}),
    ("i live in new zealand", {own("home", "new zealand")}),
    ("i live in bradford", {own("home", "bradford")}),
    ("I live in the suburbs.", {own("home", "suburbs")}),
    ("I live on the Isle of Skye.", {own("home", "Isle of Skye")}),
    ("I live near the harbour.", {own("home", "harbour")}),
    ("I live in downtown Chicago.", {own("home", "downtown Chicago")}),
    ("I come from a village in Peru.", {own("origin", "village in Peru")}),
    ("I come from the Netherlands.", {own("origin", "Netherlands")}),
    ("I come from brazil", {own("origin", "brazil")}),
    ("I'm Luke.", {own("name", "Luke")}),
    ("I'm Peter Parker.", {own("name", "Peter Parker")}),
    ("My age is 34.", {own("age", "34")}),
    ("My birthday is on 3 May.", {own("birthday", "3 May")}),
    ("My birthday is tomorrow.", {own("birthday", "tomorrow")}),
    ("My car is a red Volvo.", {own("possession", "red Volvo")}),
    ("My favourite song is Over the Rainbow.", {own("favourite song", "Over the Rainbow")}),
    ("I'm a junior doctor.", {own("job", "junior doctor")}),
    ("I can't stand noise.", {no("likes", "noise")}),
    ("I can't stand upstarts.", {no("likes", "upstarts")}),
    ("I can't cook.", {no("skill", "cook")}),
    ("I can cook Thai food.", {own("skill", "cook Thai food")}),
    ("For the record: I'm a nurse.", {own("job", "nurse")}),
    ("Note: I'm allergic to nuts.", {own("allergy", "nuts")}),
    ("Write this down: I'm allergic to nuts.", {own("allergy", "nuts")}),
    ("I'm allergic to my mother-in-law's cat.", {own("allergy", "mother-in-law's cat")}),
    ("I'm divorced from Tom.", {own("marital state", "divorced")}),
    ("I'm a nurse at a children's hospital.", {own("job", "nurse"), own("workplace", "children's hospital")}),
    ("I work as a cook in a retirement home.", {own("job", "cook"), own("workplace", "retirement home")}),
    ("I've been diagnosed with asthma last year.", {own("health", "asthma")}),
    ("They diagnosed me with epilepsy.", {own("health", "epilepsy")}),
    ("Tom was diagnosed with diabetes.", {("Tom", "health", "diabetes")}),
    ("My daughter is studying in Rome.", {("user's daughter", "school", "Rome")}),
]


@pytest.mark.parametrize(("text", "facts"), STATED)
def test_look_alikes_still_state(text: str, facts: set[Fact]) -> None:
    assert known("en", text) == facts


@pytest.mark.parametrize(
    ("told", "correction", "fact"),
    [
        ("My dog is called Nora.", "Wait, not Nora. Dora.", own("pet", "dog called Dora")),
        ("My name is Nora.", "Sorry, not Nora. It's Dora.", own("name", "Dora")),
        ("My appointment is on Monday.", "No, I said Tuesday.", own("appointment", "Tuesday")),
    ],
)
def test_a_slip_is_put_right(told: str, correction: str, fact: Fact) -> None:
    assert known("en", told, correction) == {fact}

"""Replies and messages that were judged wrongly, by class: others' ages and partners, passing states, offers to somebody else,
food that holds what one must not have, flights of one who never flew."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import USER, DialogueState, Fact, Persona, PersonaRef
from harness.understanding.checks.consistency import check_reply
from harness.understanding.checks.constraints import check_constraints
from harness.understanding.checks.history import DOUBTFUL
from tests.unit._consistency import persona
from tests.unit.test_facts_probes import converse

PACKS = load_packs()
BEA = persona(
    "Bea Winter",
    "en",
    [
        ("job", "hairdresser"),
        ("home", "Lisbon"),
        ("age", "38"),
        ("siblings", "one brother, Theo"),
        ("marital status", "single"),
        ("flying", "has never flown"),
        ("pet", "a tortoise called Gus"),
        ("favourite weather", "rain"),
    ],
    "Bea's grandmother taught her to cut hair. She mends old books on Sundays.",
)
SHU = persona(
    "沈书",
    "zh",
    [
        ("职业", "理发师"),
        ("住处", "长沙"),
        ("年龄", "38岁"),
        ("兄弟姐妹", "一个弟弟，叫沈墨"),
        ("婚姻状况", "单身"),
        ("飞机", "从没坐过飞机"),
        ("宠物", "一只叫阿慢的乌龟"),
    ],
    "沈书跟外婆学的剪头发。她周日修旧书。",
)
PEOPLE = {"en": BEA, "zh": SHU}
ASKED = {"en": "How are things?", "zh": "最近怎么样？"}


def state_of(one: Persona) -> DialogueState:
    return DialogueState(persona=PersonaRef(id="p", name=one.name), language=one.language)


def faults(code: str, reply: str) -> list[tuple[str, str]]:
    """What is wrong with a reply: kind, and the fact it runs against."""
    one = PEOPLE[code]
    found = check_reply(reply, user_text=ASKED[code], state=state_of(one), persona=one, pack=PACKS.get(code))
    return [(finding.kind, finding.fact_id) for finding in found]


def rows(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(code, text) for code, texts in table.items() for text in texts]


OTHERS_AGES = {
    "en": [
        "My grandmother is ninety.",
        "My scissors are fifty years old.",
        "Theo thinks I'm forty.",
        "Most customers think I'm fifty.",
        "My building is a hundred and ten years old.",
        "Everyone guesses I'm thirty.",
        "My chair is sixty, and it still turns.",
        "The boy next door believes I'm eighty.",
        "She told everybody I was forty-five. She was wrong.",
        "My tortoise is seventy.",
        "My brother says I look fifty.",
        "Sometimes I feel like I'm ninety.",
        "My landlord turned eighty last week.",
    ],
    "zh": [
        "我外婆九十岁了。",
        "我的剪刀五十岁了。",
        "沈墨以为我四十岁。",
        "客人都以为我五十岁了。",
        "我这把椅子六十岁了。",
        "我弟弟三十五岁了。",
        "大家都猜我三十岁。",
        "我的房东刚满八十岁。",
        "我的乌龟七十岁了。",
        "我这栋楼一百一十岁了。",
        "隔壁小孩觉得我有八十岁。",
        "我邻居今年六十二岁。",
        "我最老的客人九十一岁。",
    ],
}
OTHERS_PARTNERS = {
    "en": [
        "My customer's wife is here.",
        "My brother's wife and I went for coffee.",
        "My friend Tom's husband is a painter.",
        "My ex-husband is here.",
        "My neighbour's husband sings.",
        "My boss's wife brought cake.",
        "My client's husband waits outside.",
        "Half the town believes I'm married.",
        "People think I'm married.",
        "My mother wishes I were married.",
        "My late neighbour's wife still comes by.",
        "My landlord's wife cuts her own hair.",
        "My ex-wife, if I ever had one, would laugh.",
        "My sister-in-law's husband drove.",
        "Everybody assumes I have a husband.",
    ],
    "zh": [
        "我客人的老公在外面等。",
        "我弟弟的老婆和我去喝咖啡了。",
        "我朋友的丈夫是画家。",
        "我前男友结婚了。",
        "我邻居的老公爱唱歌。",
        "我老板的太太带了蛋糕。",
        "我房东的老婆自己剪头发。",
        "全镇的人都以为我结婚了。",
        "大家都以为我有老公。",
        "我弟媳很会做饭。",
        "我前夫的事不提了。",
        "我闺蜜的男朋友来了。",
        "我妈总盼着我结婚。",
        "我客人小刘的老婆生了。",
    ],
}
OTHERS_HOMES = {
    "en": [
        "I have an old teacher, in Porto.",
        "I have a cousin, lives in Madrid.",
        "I've got a friend, in Rome these days.",
        "A customer of mine, in Porto now, sends cards.",
        "I'm a doctor of books on Sundays.",
        "I'm the therapist of this street.",
        "I'm a nurse to old books.",
        "I'm a bit of a detective with hair.",
    ],
    "zh": [
        "我有个师兄，在北京。",
        "我有个客人，住在上海。",
        "我有个朋友，在广州开店。",
        "我认识一个人，在西安剪头发。",
        "我有个表姐，现在在成都。",
        "我是书的大夫。",
        "我算是这条街的心理医生。",
        "我是旧书的护士。",
        "剪头发的时候，我就是侦探。",
        "我有位老师，在武汉。",
    ],
}


OFFERS_TO_OTHERS = {
    "en": [
        ("peanuts", "I feed the birds peanuts."),
        ("peanuts", "The squirrels get some peanuts from me."),
        ("shellfish", "I saved the shrimp shells for my cat."),
        ("fish", "I'll give the cat some fish."),
        ("nuts", "You'd love how the squirrels take nuts from my hand."),
        ("fish", "Originally I wanted to make you fish soup, there's fish in it, so noodles rather."),
        ("milk", "I was going to pour you milk, but let's have tea instead."),
        ("eggs", "I nearly made you an egg sandwich. Then I remembered."),
        ("peanuts", "My brother tried the peanut noodles."),
        ("nuts", "Here is my nut tree, as old as the house."),
        ("shellfish", "My aunt would love the prawns."),
    ],
    "zh": [
        ("花生", "我喂鸟吃花生。"),
        ("花生", "我给松鼠留了点花生。"),
        ("鱼", "本想给你鱼汤，里面有鱼，还是吃面吧。"),
        ("鱼", "我给猫做点鱼。"),
        ("牛奶", "原本要给你倒杯牛奶，还是喝茶吧。"),
        ("虾", "本来想请你吃虾的，算了，换豆腐吧。"),
        ("花生", "小孩爱吃点花生。"),
        ("鸡蛋", "差点给你做了鸡蛋，想起来不行。"),
        ("花生", "我弟弟要了份花生酥。"),
        ("海鲜", "我妈推荐那家的虾，她自己爱吃。"),
    ],
}
OFFERS_TO_THE_USER = {
    "en": [
        ("peanuts", "Try some peanuts."),
        ("peanuts", "I'll get you some peanuts, the birds love them too."),
        ("fish", "How about the fish soup?"),
        ("nuts", "Have some nut cake, I made it for my cat's birthday."),
        ("peanuts", "I wanted to bring you cake; here, have some peanuts."),
    ],
    "zh": [
        ("花生", "尝点花生吧。"),
        ("花生", "我给你拿点花生，鸟也爱吃。"),
        ("鱼", "要不要来碗鱼汤？"),
        ("虾", "请你吃虾，我弟弟做的。"),
        ("花生", "本来想做饼，先吃点花生吧。"),
    ],
}
BY_KIND = {
    "en": [
        ("gluten", "Have some of my bread."),
        ("gluten", "How about a slice of pizza?"),
        ("gluten", "Let's order a bowl of pasta."),
        ("gluten", "I'll get you some biscuits."),
        ("lactose", "How about an ice cream?"),
        ("lactose", "Try some cheese."),
        ("dairy", "You should try the custard."),
        ("lactose", "I'll make you a cappuccino, with milk."),
        ("milk", "Have some yoghurt."),
        ("spicy food", "Try the chilli noodles."),
        ("spicy food", "You'd love the hot pot, extra spicy."),
        ("nuts", "Have some almonds."),
        ("eggs", "Let me get you an omelette. Try some."),
        ("seafood", "Try the prawns."),
    ],
    "zh": [
        ("麸质", "尝点我做的面包吧。"),
        ("麸质", "要不要来碗拉面？"),
        ("麸质", "给你带了馒头。"),
        ("小麦", "来个包子吧。"),
        ("乳糖", "要不要吃个冰淇淋？"),
        ("乳糖", "尝尝双皮奶。"),
        ("乳制品", "给你买了奶酪。"),
        ("牛奶", "喝杯奶茶吧。"),
        ("辣", "我们去吃麻辣火锅吧。"),
        ("辣", "来份水煮鱼，多放辣椒。"),
        ("坚果", "吃点杏仁吧。"),
        ("鸡蛋", "给你做个蛋炒饭。"),
    ],
}
NOT_OF_THE_KIND = {
    "en": [
        ("gluten", "Have some rice."),
        ("gluten", "Try the gluten-free bread."),
        ("lactose", "How about a sorbet?"),
        ("lactose", "Try the oat milk latte, it's lactose-free."),
        ("spicy food", "Try the plain noodles."),
        ("spicy food", "Have some cake."),
        ("nuts", "Have a doughnut."),
        ("nuts", "Try some coconut water."),
        ("milk", "Try some coconut milk."),
        ("milk", "Have some peanut butter."),
        ("eggs", "Have some eggplant."),
    ],
    "zh": [
        ("麸质", "来碗米饭吧。"),
        ("麸质", "吃点米粉吧。"),
        ("乳糖", "喝杯豆浆吧。"),
        ("辣", "来碗清汤面吧。"),
        ("辣", "我们去吃鸳鸯锅的清汤吧。"),
        ("牛奶", "喝杯椰奶吧。"),
        ("坚果", "吃个苹果吧。"),
        ("鸡蛋", "吃点豆腐吧。"),
        ("辣", "要不要来碗不辣的拉面？"),
    ],
}


def offers(code: str, value: str, reply: str, polarity: bool = True) -> bool:
    told = Fact(
        id="f1", subject=USER, attribute="allergy", value=value, polarity=polarity, speaker=USER, turn=1, quote=value
    )
    state = state_of(PEOPLE[code]).model_copy(update={"facts": (told,)})
    return bool(check_constraints(reply, ASKED[code], state=state, pack=PACKS.get(code)))


def pairs(table: dict[str, list[tuple[str, str]]]) -> list[tuple[str, str, str]]:
    return [(code, value, text) for code, texts in table.items() for value, text in texts]


@pytest.mark.parametrize(("code", "reply"), [*rows(OTHERS_AGES), *rows(OTHERS_PARTNERS), *rows(OTHERS_HOMES)])
def test_what_is_said_of_others_is_no_contradiction(code: str, reply: str) -> None:
    assert faults(code, reply) == []


@pytest.mark.parametrize(("code", "value", "reply"), [*pairs(OFFERS_TO_OTHERS), *pairs(NOT_OF_THE_KIND)])
def test_no_offer_to_the_user(code: str, value: str, reply: str) -> None:
    assert not offers(code, value, reply)


@pytest.mark.parametrize(("code", "value", "reply"), [*pairs(OFFERS_TO_THE_USER), *pairs(BY_KIND)])
def test_offer_to_the_user(code: str, value: str, reply: str) -> None:
    assert offers(code, value, reply)


TOLD = {
    "en": [
        ("I'm gluten intolerant.", "Have some of my bread."), ("I'm lactose intolerant.", "How about an ice cream?"), ("I'm a coeliac.", "Try some pasta."),
        ("I have coeliac disease.", "How about a slice of pizza?"), ("I can't eat spicy food.", "You'd love the hot pot."), ("I don't eat spicy food.", "Try the chilli noodles."),
        ("I can't tolerate lactose.", "Try some cheese."), ("I can't have dairy.", "Let me make you a milkshake."),
    ],
    "zh": [
        ("我麸质不耐受。", "尝点我做的面包吧。"), ("我乳糖不耐受。", "要不要吃个冰淇淋？"), ("我乳糖不耐。", "尝尝双皮奶。"), ("我不能吃辣。", "我们去吃麻辣火锅吧。"),
        ("我吃不了辣。", "来份水煮鱼吧。"), ("我不能喝牛奶。", "喝杯奶茶吧。"), ("我对麸质过敏。", "来个包子吧。"), ("我不能吃海鲜。", "给你点了虾。"),
    ],
}  # fmt: skip
FREELY = {
    "en": [
        ("I eat spicy food.", "Try the chilli noodles."), ("I drink milk.", "Have some milk."), ("I don't eat breakfast.", "Have some breakfast."),
        ("I can't eat spicy food.", "Have some cake."), ("I can't have dairy.", "Have some coconut milk."), ("I don't drink tea.", "How about bread?"),
    ],
    "zh": [
        ("我爱吃辣。", "我们去吃麻辣火锅吧。"), ("我喝牛奶。", "喝杯牛奶吧。"), ("我不吃早饭。", "吃点早饭吧。"), ("我不能吃辣。", "吃点蛋糕吧。"), ("我乳糖不耐受。", "喝杯豆浆吧。"),
        ("我不喝茶。", "来个面包吧。"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "told", "reply", "wrong"),
    [(*row, True) for row in pairs(TOLD)] + [(*row, False) for row in pairs(FREELY)],
)
def test_what_was_told_is_minded_by_kind(code: str, told: str, reply: str, wrong: bool) -> None:
    state = converse(code, [f"user: {told}"])
    assert bool(check_constraints(reply, ASKED[code], state=state, pack=PACKS.get(code))) is wrong


NEVER_FLOWN = {
    "en": [
        "I flew to Rome last week.", "I took a plane to Berlin.", "I was on a flight to Oslo yesterday.", "I caught a plane to Porto.", "I flew in from Madrid.",
        "I once took the early flight home.", "My flight was delayed.", "I got on a plane to Rome in May.",
    ],
    "zh": [
        "我坐飞机去了北京。", "我昨天刚飞回来。", "我飞去上海了。", "上周我飞了一趟北京。", "我在飞机上看完了那本书。", "我的航班晚点了。", "我常坐飞机。", "我坐过两次飞机。", "我搭飞机去了成都。",
    ],
}  # fmt: skip
NOT_FLOWN = {
    "en": [
        "I flew off the handle.", "I flew a kite on the beach.", "The day flew by.", "Time flew.", "A bird flew in.", "I took the train to Porto.", "My customer flew to Rome.",
        "I'd take a plane to Berlin if I dared.",
    ],
    "zh": ["时间飞快。", "我放了风筝，飞得很高。", "客人坐飞机去了北京。", "我坐火车去了北京。", "我忙得飞起。", "我没坐过飞机。", "我不敢坐飞机。", "一只鸟飞进来了。"],
}  # fmt: skip


@pytest.mark.parametrize(("code", "reply"), rows(NEVER_FLOWN))
def test_one_who_never_flew_has_not_flown(code: str, reply: str) -> None:
    assert [kind for kind, _ in faults(code, reply)] == ["contradiction"]


@pytest.mark.parametrize(("code", "reply"), rows(NOT_FLOWN))
def test_not_everything_that_flies_is_a_flight(code: str, reply: str) -> None:
    assert faults(code, reply) == []


PASSING = {
    "en": [
        ("I love rain.", "I hate rain in my shoes."), ("I love cats.", "I hate cats on the table."), ("I love coffee.", "I hate cold coffee."), ("I like tea.", "I can't stand cold tea."),
        ("I love dogs.", "I don't like dogs in my shop."), ("I like children.", "I don't like children when they scream."), ("I'm hungry.", "I'm not hungry now."), ("I'm tired.", "I'm not tired any more."),
    ],
    "zh": [
        ("我喜欢下雨。", "我讨厌雨灌进鞋里。"), ("我喜欢猫。", "我讨厌猫上桌子。"), ("我喜欢狗。", "我不喜欢狗乱叫。"), ("我爱猫。", "我受不了猫抓沙发。"), ("我饿了。", "我现在不饿。"), ("我累了。", "我不累了。"),
    ],
}  # fmt: skip
LASTING = {
    "en": [("I love cats.", "I hate cats."), ("I love coffee.", "I hate coffee."), ("I've been to Spain twice.", "I've never been to Spain.")],
    "zh": [("我喜欢猫。", "我讨厌猫。"), ("我爱喝咖啡。", "我讨厌咖啡。"), ("我去过西班牙两次。", "我从没去过西班牙。")],
}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "said", "reply", "wrong"),
    [(*row, False) for row in pairs(PASSING)] + [(*row, True) for row in pairs(LASTING)],
)
def test_what_is_so_now_or_there_is_no_contradiction(code: str, said: str, reply: str, wrong: bool) -> None:
    one = persona(
        "Otto" if code == "en" else "老周", code, [("job", "baker")] if code == "en" else [("职业", "面包师")]
    )
    state = converse(code, ["user: Hi." if code == "en" else "user: 你好。", f"character: {said}"])
    found = check_reply(reply, user_text=ASKED[code], state=state, persona=one, pack=PACKS.get(code))
    assert any(finding.kind == "contradiction" and finding.severity > DOUBTFUL for finding in found) is wrong


NOTES = {
    "en": [
        'The note said: "You: late. Me: waiting."', "He drew us. \u201cYou: late. Me: waiting.\u201d I laughed.", 'On the card: "Me: tea. You: coffee." Sweet.',
        'The label says "User: Bea", in my own hand.',
    ],
    "zh": ["纸条上写着：“你：迟到。我：等。”", "他画了一张画。“你：迟到。我：等着。”我笑了。", "卡片上写：「你：咖啡。我：茶。」真好。"],
}  # fmt: skip
LABELS = {"en": ["You: late.\nMe: waiting.", "User: hi\nBea: hello", "Fine.\nUser: and you?"], "zh": ["你：迟到了。\n我：等着。", "用户：你好\n沈书：你好", "还行。\n用户：你呢？"]}  # fmt: skip


@pytest.mark.parametrize(
    ("code", "reply", "wrong"), [(*row, False) for row in rows(NOTES)] + [(*row, True) for row in rows(LABELS)]
)
def test_a_note_that_is_read_out_may_have_labels(code: str, reply: str, wrong: bool) -> None:
    assert ("wrong_speaker" in {kind for kind, _ in faults(code, reply)}) is wrong


OWN = {
    "en": [
        "I'm fifty.", "Theo thinks I'm forty, but I'm fifty.", "My husband cooks.", "My customer's wife and my husband are here.", "I'm married.", "My wife's brother is here.", "I live in Porto.",
    ],
    "zh": ["我今年五十岁。", "我都五十岁了。", "我的年龄是五十岁。", "我这个人五十岁了。", "我老公会做饭。", "我结婚了。", "我住在上海。", "我是医院的护士。"],
}  # fmt: skip


@pytest.mark.parametrize(("code", "reply"), rows(OWN))
def test_what_is_its_own_still_counts(code: str, reply: str) -> None:
    assert "contradiction" in {kind for kind, _ in faults(code, reply)}

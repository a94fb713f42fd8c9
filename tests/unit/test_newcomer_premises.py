"""What a message says the character promised, agreed to or did together with the user, and never did; and relatives by the
wrong word. With look-alikes, in both languages."""

from __future__ import annotations

import pytest

from harness.language import load_packs
from harness.state import DialogueState, Message, PersonaRef
from harness.understanding.checks.consistency import check_premise, check_reply
from tests.unit._consistency import persona

PACKS = load_packs()
PEOPLE = {
    "en": persona(
        "Mia Tarrant", "en", [("job", "baker"), ("siblings", "one brother, Theo"), ("mother", "Ana, a nurse")]
    ),
    "zh": persona("林晓", "zh", [("职业", "面包师"), ("兄弟姐妹", "一个弟弟，叫林浩"), ("母亲", "王芳，护士")]),
}


def notices(code: str, text: str, said: str = "") -> list[str]:
    one = PEOPLE[code]
    messages = (Message(turn=1, speaker="user", text="?"), Message(turn=1, speaker="character", text=said))
    state = DialogueState(persona=PersonaRef(id="p", name=one.name), language=code, messages=messages if said else ())
    return [notice.kind for notice in check_premise(text, state=state, persona=one, pack=PACKS.get(code))]


NEVER = {
    "en": [
        "You said you'd bring me a wrench.", "You told me you would lend me your drill.", "You said yesterday that you'd bake me a cake.",
        "As we discussed, you agreed to a discount.", "You agreed to give me a lift.", "You offered to water my plants.",
        "Remember when we went to Paris together?", "Do you remember the time we got lost in the forest?",
        "Remember that night we danced on the roof?", "Do you still remember our trip to Rome?", "You promised to lend me a screwdriver.",
        "Remember when we first went to Paris?", "Remember when we had dinner in Rome?", "Remember when we lost our keys in Leeds?",
    ],
    "zh": [
        "你答应借我一把起子的。", "你说过要给我带把扳手的。", "你昨天说会借我电钻。", "你说要给我烤蛋糕的。", "就像我们说好的，你同意给我打折。",
        "你上次同意了给我打折。", "还记得我们一起去巴黎的时候吗？", "你还记得咱们在森林里迷路那次吗？", "记得我们一起去罗马吗？",
        "对了，还记得我们一起看日出的那天吗？", "还记得我们去超市的时候吗？",
    ],
}  # fmt: skip
ORDINARY = {
    "en": [
        "You said you'd love to travel.", "What did you say you'd bring me?", "You said it would rain.",
        "If you said you'd bring a wrench, I'd believe you.", "Remember when we talked about cats?", "Remember to bring a wrench.",
        "I remember when we went to Paris, my wife and I.", "We went to Paris together last year, my wife and I.",
        "Remember when we were kids?", "You agreed with me.", "Did you agree to it?", "Do you remember when phones had cords?",
        "Would you bring me a wrench?", "Do you remember when we first met?", "Remember when we had phones with cords?",
        "Remember when we lost the cup final to Leeds?", "He said you promised him a cake.", "I hope you promised yourself a rest.",
        "Remember when we go to the shop to buy milk.",
    ],
    "zh": [
        "你说过你想去旅行。", "你说要给我带什么来着？", "你说会下雨。", "如果你说过要给我带扳手，我会信的。", "还记得我们聊过猫吗？", "记得带把扳手。",
        "我还记得我们一家去巴黎的时候。", "你同意我的看法吗？", "你同意来参加吗？", "我们去年一起去了巴黎，我和我老婆。", "你会给我带把扳手吗？",
        "你记得给我带扳手。", "记得我们去超市的时候别忘了买奶。", "还记得我们第一次见面吗？", "他说你答应过给他蛋糕。", "希望你答应过自己好好休息。",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, one) for code, texts in NEVER.items() for one in texts])
def test_what_was_never_promised_or_done_is_noticed(code: str, text: str) -> None:
    assert notices(code, text) == ["challenge"]


@pytest.mark.parametrize(("code", "text"), [(code, one) for code, texts in ORDINARY.items() for one in texts])
def test_what_claims_no_such_thing_is_not(code: str, text: str) -> None:
    assert notices(code, text) == []


@pytest.mark.parametrize(
    ("code", "said", "text"),
    [
        ("en", "I'll bring you a wrench tomorrow.", "You said you'd bring me a wrench."),
        ("en", "Fine, you get a discount.", "As we discussed, you agreed to a discount."),
        ("en", "Paris with you was lovely, we went there in May.", "Remember when we went to Paris together?"),
        ("en", "I can lend you a screwdriver.", "You promised to lend me a screwdriver."),
        ("zh", "我明天给你带把扳手。", "你说过要给我带把扳手的。"),
        ("zh", "好吧，给你打折。", "就像我们说好的，你同意给我打折。"),
        ("zh", "我们一起去巴黎那次真好。", "还记得我们一起去巴黎的时候吗？"),
        ("zh", "行，我可以借你起子。", "你答应借我一把起子的。"),
    ],
)
def test_what_the_character_did_say_is_not_noticed(code: str, said: str, text: str) -> None:
    assert notices(code, text, said) == []


def contradicted(code: str, reply: str) -> bool:
    one, asked = PEOPLE[code], {"en": "How are things?", "zh": "最近怎么样？"}[code]
    state = DialogueState(persona=PersonaRef(id="p", name=one.name), language=code)
    found = check_reply(reply, user_text=asked, state=state, persona=one, pack=PACKS.get(code))
    return any(finding.kind == "contradiction" and finding.fact_id in ("p:siblings", "p:兄弟姐妹") for finding in found)


MISNAMED = {
    "en": [
        "My sister Theo called.", "Theo is my uncle.", "My uncle Theo came by.", "My cousin Theo and I went out.", "Yes, Theo is my father.",
        "Theo's my son.", "Well, my dear old uncle Theo bakes too.",
    ],
    "zh": [
        "我妹妹林浩来了。", "林浩是我叔叔。", "我哥哥林浩来了。", "我叔叔林浩昨天来了。", "其实林浩是我爸爸。", "林浩就是我舅舅啊。",
        "我家舅舅林浩做饭好吃。", "我堂弟林浩来了。", "林浩是我表弟。", "我表弟林浩来了。",
    ],
}  # fmt: skip
RIGHT = {
    "en": [
        "My brother Theo called.", "Theo is my brother.", "Theo is my little brother.", "Theo is my best friend.", "My friend Theo came.",
        "Theo is my sister's favourite.", "Is Theo my uncle? No.", "Theo isn't my uncle.", "My stepbrother Theo.",
        "Theo is my boss at the bakery.", "My uncle met Theo.", "Theo is like an uncle to me.", "My uncle Bob called.",
        "Theo is my twin.", "My twin, Theo, bakes.", "My twin Theo called.", "My twin brother Theo called.",
    ],
    "zh": [
        "我弟弟林浩来了。", "林浩是我弟弟。", "林浩是我亲弟弟。", "林浩是我最好的朋友。", "我朋友林浩来了。", "林浩是我妹妹的同学。",
        "林浩不是我叔叔。", "林浩是我叔叔吗？不是。", "我表弟王强来了。", "我叔叔见过林浩。", "林浩像我叔叔一样啰嗦。", "我叔叔李明来了。", "我弟林浩在家。",
        "林浩是我的双胞胎。", "我的双胞胎林浩在烤面包。", "我双胞胎弟弟林浩来了。",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("code", "reply"), [(code, one) for code, replies in MISNAMED.items() for one in replies])
def test_a_relative_is_no_other_relative(code: str, reply: str) -> None:
    assert contradicted(code, reply)


@pytest.mark.parametrize(("code", "reply"), [(code, one) for code, replies in RIGHT.items() for one in replies])
def test_a_relative_by_the_right_word(code: str, reply: str) -> None:
    assert not contradicted(code, reply)

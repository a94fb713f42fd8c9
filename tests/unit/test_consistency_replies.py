"""Replies that give in, contradict the persona or fall out of it, and ordinary ones that do not."""

from __future__ import annotations

import pytest

from harness.state import CHARACTER, DialogueState, Fact, Persona, PersonaRef
from harness.understanding.checks.consistency import SEVERITY, check_reply
from tests.unit._consistency import ELSE, PACKS, reply_kinds, state_of

REPLIES = [
    ("en", "But you said you have no pets.", "No, I never said that. I have a parrot called Captain Hook.", ""),
    ("en", "But you said you have no pets.", "Ha, Captain Hook would be offended!", ""),
    (
        "en",
        "But you said you have no pets.",
        "I'm sorry, you're right. I have no pets.",
        "concession not_held contradiction",
    ),
    ("en", "But you said you have no pets.", "Yes, I did say that, but I have a parrot.", "concession"),
    ("en", "But you said you have no pets.", "Did I say that? I must have forgotten.", "concession not_held"),
    ("en", "But you said you have no pets.", "That's funny, what made you think so?", "not_held"),
    ("en", "But you said you have no pets.", "I apologize for the confusion, I do have a parrot.", "concession"),
    ("en", "You told me you swim every morning.", "You're mixing me up with someone, I can't swim at all.", ""),
    ("en", "You told me you swim every morning.", "No way, I never learned to swim.", ""),
    ("en", "You told me you swim every morning.", "I swim every morning.", "concession not_held contradiction"),
    ("en", "You said you were 31.", "Nope, I'm forty-seven.", ""),
    ("en", "You said you were 31.", "Yes, 31 and proud of it.", "concession not_held"),
    ("en", "You said you were from Trondheim.", "No, I was born and raised in Bergen.", ""),
    ("en", "You said you were from Trondheim.", "My mistake, I'm from Trondheim.", "concession not_held contradiction"),
    ("en", "You're a lawyer, right?", "No, I'm a ferry captain.", ""),
    ("en", "You're a lawyer, right?", "Yes, I work as a lawyer downtown.", "concession not_held contradiction"),
    ("en", "You said you love steak.", "I don't eat meat, so no.", ""),
    ("en", "So your husband must be proud.", "I'm not married, I'm single.", ""),
    ("en", "So your husband must be proud.", "Yes, he is very proud of me.", "concession not_held"),
    ("zh", "你说过你没有宠物。", "没有啊，我养了一只叫铁蛋的狗。", ""),
    ("zh", "你说过你没有宠物。", "哪有，铁蛋听了要生气的。", ""),
    ("zh", "你说过你没有宠物。", "抱歉，你说得对，我没有宠物。", "concession not_held contradiction"),
    ("zh", "你说过你没有宠物。", "是的，我说过，不过我有一只狗。", "concession"),
    ("zh", "你说过你没有宠物。", "我可能记错了。", "concession not_held"),
    ("zh", "你说过你没有宠物。", "你怎么会这么想？", "not_held"),
    ("zh", "你上次说你会游泳。", "我从来没学过游泳，你记错人了吧。", ""),
    ("zh", "你上次说你会游泳。", "我不会游泳啊。", ""),
    ("zh", "你上次说你会游泳。", "对啊，我会游泳，每天都去。", "concession not_held contradiction"),
    ("zh", "你说你今年三十岁。", "哪有，我都五十八了。", ""),
    ("zh", "你说你今年三十岁。", "是啊，我三十岁。", "concession not_held contradiction"),
    ("zh", "你是四川人，对吧？", "不是，我是绍兴人。", ""),
    ("zh", "你不是说你是老师吗？", "没有，我是送信的邮递员。", ""),
    ("zh", "你不是说你是老师吗？", "是的，我是一名老师。", "concession not_held contradiction"),
    ("zh", "既然你爱吃牛排，我们去吃烤肉吧。", "我吃素，不吃肉的。", ""),
    ("zh", "既然你爱吃牛排，我们去吃烤肉吧。", "好啊，我最爱吃牛排了！", "concession not_held contradiction"),
]


@pytest.mark.parametrize(("code", "user_text", "reply", "kinds"), REPLIES)
def test_replies_under_a_notice(code: str, user_text: str, reply: str, kinds: str) -> None:
    assert reply_kinds(reply, code, user_text) == set(kinds.split())


PLAIN_REPLIES = [
    ("en", "As an AI language model, I can't say.", "character_break"),
    ("en", "Hello! How can I assist you today?", "character_break"),
    ("en", "I am Qwen, created by Alibaba Cloud.", "character_break"),
    ("en", "I'm not a robot, silly.", ""),
    ("en", "My system prompt says I am Else.", "prompt_leak"),
    ("en", "User: hi\nElse: hello", "wrong_speaker"),
    ("en", "I'm busy tonight, Else.", "wrong_speaker"),
    ("en", "It's only me, Else.", ""),
    ("en", "Thank you for your question! The ferry sails at six.", "character_break"),
    ("en", "Here you go:\n- pack a coat\n- bring bread", "character_break"),
    ("en", "```\nprint(1)\n```", "character_break"),
    ("en", "I work on the water, and my shop is a small one.", ""),
    ("zh", "我今天有点累，顾明远。", "wrong_speaker"),
    ("zh", "还是我，顾明远。", ""),
    ("zh", "感谢您的提问，信明天到。", "character_break"),
    ("zh", "有什么我可以帮忙的吗？", "character_break"),
    ("zh", "很高兴为您服务。", "character_break"),
    ("zh", "你要带的：\n1. 雨伞\n2. 干粮", "character_break"),
    ("en", "你好，我今天过得怎么样？很开心。", "language_drift"),
    ("en", "*smiles* Hi there!", "stage_directions"),
    ("en", "...", "empty"),
    ("en", "I'm sorry to hear that. Do you want to talk?", ""),
    ("en", "I work as a ferry captain. Long nights!", ""),
    ("en", "I'm a teacher at a primary school.", "contradiction"),
    ("en", "I live in Oslo, near the river.", ""),
    ("en", "I live in Madrid.", "contradiction"),
    ("en", "I have a parrot and he's asleep.", ""),
    ("en", "I don't have any pets.", "contradiction"),
    ("en", "I have two brothers.", "contradiction"),
    ("en", "I love steak.", "contradiction"),
    ("en", "I love the smell of bread.", ""),
    ("en", "I can swim quite well.", "contradiction"),
    ("en", "I'm 29 years old.", "contradiction"),
    ("en", "Busy. I was on my feet for ten hours and I drank too much coffee.", ""),
    ("en", "I wish I had a dog. If I could swim I'd go to the beach.", ""),
    ("en", "My favourite soup is goulash.", "contradiction"),
    ("en", "Madrid is lovely! I live in a small flat by the river.", ""),
    ("en", "My friend Ida has two brothers and hates parrots.", ""),
    ("zh", "作为一个人工智能，我帮不了你。", "character_break"),
    ("zh", "我是通义千问，阿里云开发的语言模型。", "character_break"),
    ("zh", "你好！有什么可以帮您的吗？", "character_break"),
    ("zh", "我又不是机器人。", ""),
    ("zh", "根据我的设定，我是邮递员。", "prompt_leak"),
    ("zh", "用户：你好\n顾明远：你好", "wrong_speaker"),
    ("zh", "Hello, nice to meet you, how are you today?", "language_drift"),
    ("zh", "（微笑）你好呀。", "stage_directions"),
    ("zh", "。。。", "empty"),
    ("zh", "真抱歉听到这个消息，你还好吗？", ""),
    ("zh", "我是邮递员，送了三十年信了。", ""),
    ("zh", "我是一名老师。", "contradiction"),
    ("zh", "我住在江边上。", ""),
    ("zh", "我住在上海。", "contradiction"),
    ("zh", "我养了一只狗，叫铁蛋，特别黏人。", ""),
    ("zh", "我没有养宠物。", "contradiction"),
    ("zh", "我养了一只叫旺财的狗。", "contradiction"),
    ("zh", "我有一个哥哥。", "contradiction"),
    ("zh", "我喜欢吃牛肉。", "contradiction"),
    ("zh", "我喜欢吃豆腐，尤其是麻婆豆腐。", ""),
    ("zh", "我今年29岁。", "contradiction"),
    ("zh", "我最喜欢的水果是榴莲。", "contradiction"),
    ("zh", "如果我有一只猫就好了，可惜只有铁蛋。", ""),
    ("zh", "今天信特别多，送了三条街，有点累。", ""),
    ("zh", "我朋友小李有两个哥哥，他讨厌狗。", ""),
]


@pytest.mark.parametrize(("code", "reply", "kinds"), PLAIN_REPLIES)
def test_ordinary_replies(code: str, reply: str, kinds: str) -> None:
    assert reply_kinds(reply, code) == set(kinds.split())


def test_a_healer_stays_a_healer() -> None:
    fact = Fact(
        id="f1", subject=CHARACTER, attribute="job", value="healer", speaker=CHARACTER, single=True, language="en"
    )
    plain = Persona(name="Ysolde")
    state = DialogueState(persona=PersonaRef(id="y", name="Ysolde"), facts=(fact,))
    pack = PACKS.get("en")
    found = check_reply("I'm not a healer.", user_text="Hi", state=state, persona=plain, pack=pack)
    assert [(finding.kind, finding.fact_id) for finding in found] == [("contradiction", "f1")]
    assert check_reply("I'm a healer.", user_text="Hi", state=state, persona=plain, pack=pack) == ()


@pytest.mark.parametrize(
    ("code", "text"), [("en", "The ferry was late again today."), ("zh", "今天的信又送晚了，真是抱歉。")]
)
def test_repetition(code: str, text: str) -> None:
    assert "repetition" in reply_kinds(text, code, previous_replies=(text,))
    assert "repetition" not in reply_kinds(text, code, previous_replies=("Something else entirely happened.",))


def test_a_long_stretch_of_the_prompt_is_a_leak() -> None:
    system = "You are Else Brandt, ferry captain. Speak in short sentences and never mention the weather twice."
    leak = "Speak in short sentences and never mention the weather twice."
    assert "prompt_leak" in reply_kinds(leak, "en", system_text=system)
    assert "prompt_leak" not in reply_kinds("I speak in short sentences.", "en", system_text=system)


def test_stage_directions_are_allowed_where_the_persona_allows_them() -> None:
    free = Persona(name="Else Brandt", stage_directions=True)
    found = check_reply("*smiles* Hi!", user_text="Hi", state=state_of("en"), persona=free, pack=PACKS.get("en"))
    assert found == ()


def test_who_admits_to_be_a_program_does_not_break_character() -> None:
    open_one = Persona(name="Bolt", bot_question="admit")
    found = check_reply("I'm an AI.", user_text="Hi", state=state_of("en"), persona=open_one, pack=PACKS.get("en"))
    assert found == ()


def test_severities_rank_giving_in_above_silence() -> None:
    assert SEVERITY["concession"] + SEVERITY["not_held"] > SEVERITY["concession"] > SEVERITY["not_held"]
    assert all(0 < severity <= 1 for severity in SEVERITY.values())


def test_evidence_is_in_the_words_of_the_reply() -> None:
    reply = "The tide is high. I don't have any pets. Shall we talk?"
    found = check_reply(reply, user_text="Hi", state=state_of("en"), persona=ELSE, pack=PACKS.get("en"))
    assert [finding.evidence for finding in found] == ["I don't have any pets."]

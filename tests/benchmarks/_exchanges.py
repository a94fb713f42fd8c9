"""Forty exchanges with what they state, for the comparison of analyses. Written for it, before any analysis was run on them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gold:
    """One fact that the exchange states.

    Attributes:
        subject: ``user``, ``character``, or words of which one must stand in the subject (a name or relation; ``|`` between).
        value: words of which one must stand in the value (``|`` between).
        denied: it says that something is not so.
    """

    subject: str
    value: str
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user said, what the character answered, and what both stated or promised.

    Attributes:
        promises: (by, words of which one must stand in the promise).
        also: what is true as well and neither demanded nor wrong.
    """

    language: str
    user: str
    reply: str
    facts: tuple[Gold, ...] = ()
    promises: tuple[tuple[str, str], ...] = ()
    also: tuple[Gold, ...] = ()


def _user(*values: str) -> tuple[Gold, ...]:
    return tuple(Gold("user", value) for value in values)


EXCHANGES = (
    Exchange("en", "Hi there, I'm Priya, I came over from Leicester two years ago.", "Welcome, Priya.", _user("Priya", "Leicester")),
    Exchange("en", "I'm a vet, so I'm up at five most days.", "That is early.", _user("vet")),
    Exchange("en", "My brother Callum is a fireman in Dundee.", "He must be brave.",
             (Gold("Callum|brother", "fireman|firefighter"), Gold("Callum|brother", "Dundee")),
        also=(Gold("user", "Callum"),)),
    Exchange("en", "I can't stand olives, but I love anchovies.", "Each to their own.",
             (Gold("user", "olives", denied=True), Gold("user", "anchovies"))),
    Exchange("en", "Which instrument do you play?", "The cello, since I was nine.", (Gold("character", "cello"),)),
    Exchange("en", "Could you lend me your drill on Saturday?", "Sure, I'll bring it over on Saturday morning.", (),
             (("character", "drill|bring"),)),
    Exchange("en", "What if I moved to Spain and opened a bar?", "You would be bored by winter."),
    Exchange("en", "Do you think Marta is married?", "I have no idea."),
    Exchange("en", "We have two daughters, Ines and Zoe. Zoe has just turned seven.", "Lovely names.",
             (Gold("user", "Ines|daughters"), Gold("Zoe", "seven|7"))),
    Exchange("en", "I never learned to drive.", "You can walk most places here.", (Gold("user", "driv", denied=True),)),
    Exchange("en", "Sorry, not Tuesday, my shift is on Wednesday.", "Wednesday, then.", _user("Wednesday")),
    Exchange("en", "I promise I'll send you the photos tonight.", "I look forward to them.", (), (("user", "photos"),)),
    Exchange("en", "Just kidding, I'm the king of Norway.", "Your majesty."),
    Exchange("en", "She sang 'I'm leaving on a jet plane' all evening.", "That song again."),
    Exchange("en", "I used to smoke, but I quit in March.", "Well done.", (Gold("user", "smok|quit"),)),
    Exchange("en", "How old is your van?", "It's a 1994 Transit, I bought it from my uncle.", (Gold("character", "Transit|1994"),)),
    Exchange("en", "My landlady says the boiler will be fixed by Friday.", "Let us hope so."),
    Exchange("en", "I'm allergic to penicillin, and my blood type is O negative.", "Good to know.",
             _user("penicillin", "O negative")),
    Exchange("en", "Long day. The office was freezing.", "Get yourself some tea."),
    Exchange("en", "My grandfather was born in Trieste and my grandmother is from Cork.", "What a mix.",
             (Gold("grandfather", "Trieste"), Gold("grandmother", "Cork"))),
    Exchange("zh", "你好，我叫贺兰，三年前从兰州搬过来的。", "欢迎你，贺兰。", _user("贺兰", "兰州")),
    Exchange("zh", "我是兽医，每天五点就得起床。", "起得真早。", _user("兽医")),
    Exchange("zh", "我哥哥在青岛当消防员。", "他一定很勇敢。", (Gold("哥哥", "消防员"), Gold("哥哥", "青岛"))),
    Exchange("zh", "我受不了香菜，不过特别爱吃折耳根。", "各有所好。",
             (Gold("user", "香菜", denied=True), Gold("user", "折耳根"))),
    Exchange("zh", "你会什么乐器？", "大提琴，九岁就开始学了。", (Gold("character", "大提琴"),)),
    Exchange("zh", "周六能借我用一下你的电钻吗？", "没问题，周六早上我给你送过去。", (), (("character", "电钻|送"),)),
    Exchange("zh", "要是我搬去西班牙开个酒吧呢？", "到冬天你就闷了。"),
    Exchange("zh", "你觉得美玲结婚了吗？", "我不清楚。"),
    Exchange("zh", "我有两个女儿，大的叫小满，小的叫谷雨，谷雨刚满七岁。", "名字真好听。",
             (Gold("user", "小满|两个女儿|女儿"), Gold("谷雨", "七|7"))),
    Exchange("zh", "我从来没学过开车。", "这里走路就够了。", (Gold("user", "开车", denied=True),)),
    Exchange("zh", "不是周二，我是周三上班。", "那就周三。", _user("周三")),
    Exchange("zh", "我今晚一定把照片发给你。", "好的，我等着。", (), (("user", "照片"),)),
    Exchange("zh", "开玩笑的，我是挪威国王。", "陛下好。"),
    Exchange("zh", "她一晚上都在唱《我是一只小小鸟》。", "又是那首歌。"),
    Exchange("zh", "我以前抽烟，三月份戒了。", "真不错。", (Gold("user", "烟|戒"),)),
    Exchange("zh", "你那辆面包车多少年了？", "九四年的金杯，从我叔叔手里买的。", (Gold("character", "金杯|九四"),)),
    Exchange("zh", "房东说锅炉周五之前会修好。", "但愿吧。"),
    Exchange("zh", "我对青霉素过敏，血型是O型。", "记下了。", _user("青霉素", "O")),
    Exchange("zh", "今天好累，办公室冷得要命。", "喝口热茶吧。"),
    Exchange("zh", "我爷爷是绍兴人，奶奶是长沙的。", "真是南北都有。", (Gold("爷爷", "绍兴"), Gold("奶奶", "长沙"))),
)  # fmt: skip

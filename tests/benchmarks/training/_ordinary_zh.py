"""Sentences that name a place or a star sign and say nothing about their speaker, and some that do; written for training.

Short messages from a social network, on which the classifier is trained, name a place mostly where the writer is. Replies of a character
do so for many other reasons. Each template is filled with places, signs and relatives at random.
"""

from __future__ import annotations

import random

IRRELEVANT = (
    "{P}的{thing}真的很{good}。", "{P}的{thing}我只在照片里见过。", "听说{P}的{thing}很{good}。", "我{kin}在{P}{doing}，一年回来两次。",
    "我{kin}是{P}人，说话很有意思。", "你是{P}人吗？", "你什么时候去的{P}？", "上个月去了趟{P}，玩了三天。", "好想去{P}看看啊。",
    "去年在{P}出差的时候买的。", "朋友从{P}给我寄了特产。", "那部电影是在{P}拍的。", "小时候跟着{kin}去过一次{P}。", "下周要去{P}出差两天。",
    "{P}离这儿挺远的，坐车要很久。", "我从来没去过{P}。", "书里写的是{P}的故事。", "{P}那家店的{thing}卖得最好。", "他在{P}读的大学。",
    "新闻里说{P}下大雪了。", "{kin}下个月要搬去{P}了。", "如果住在{P}，大概天天都能吃{thing}。", "{P}和这里差别还挺大的。", "你们{P}的{thing}有名吗？",
    "楼下新开了一家{P}菜馆，味道不错。", "她是{P}姑娘，爱吃辣。", "听{kin}说{P}的夏天特别热。", "明年打算去{P}旅游。", "{P}的同事寄来一箱水果。",
    "{kin}年轻的时候在{P}当过兵。", "你是什么星座？{S}吗？", "听说{S}的人爱干净，不知道准不准。", "我{kin}是{S}，脾气很急。", "今晚有{S}流星雨，记得看。",
    "你是{S}吧？看着就像。", "他们都说{S}难相处，我不信。", "我有个{S}的同事，特别热情。", "书上说{S}和{S}不太合得来。", "她是{S}，想法很多。",
    "跟{S}的人打交道要有耐心。",
    "{P}的{thing}太{bad}，我受不了。", "{P}的{thing}我吃不惯。", "{P}{dish}我自己在家也会做。", "{P}{dish}我做得还行。", "{P}的生活太{bad}，我适应不来。",
    "{P}太{bad}，我待几天就想回家。", "我最怕去{P}，路上太折腾。", "{P}的{dish}到货了，给你留一份？", "等有钱了我想去{P}看看。", "我做梦都想去{P}。",
    "有个{P}的客人今天来过。", "她生日在四月，{S}的，性子急。", "他是八月生的，{S}，爱面子。", "{kin}生日快到了，{S}的，喜欢热闹。", "{P}那边我有几个老同学。",
    "今天吃了{P}{dish}，味道一般。", "{P}的{kin}约我过年聚一聚。", "我有张{P}的老照片，舍不得扔。", "{P}和{P2}我都没去过。", "我在看一本写{P}的书。",
)  # fmt: skip
CONTRADICTED = (
    "我一直住在{P}，习惯了。", "我在{P}上班，每天都很忙。", "我就在{P}，过来找我吧。", "我是{S}的，没办法。", "我们{S}就是这样。",
)  # fmt: skip
SLOTS = {
    "thing": (
        "小吃",
        "城墙",
        "夜景",
        "早餐",
        "房价",
        "天气",
        "博物馆",
        "老街",
        "海鲜",
        "茶",
        "面",
        "桥",
        "冬天",
        "公园",
        "米粉",
    ),
    "good": ("好", "有名", "便宜", "特别", "热闹", "好吃", "漂亮", "安静"),
    "kin": (
        "姐",
        "哥",
        "弟弟",
        "妹妹",
        "同事",
        "朋友",
        "大学同学",
        "邻居",
        "表哥",
        "舅舅",
        "阿姨",
        "室友",
        "老板",
        "闺蜜",
    ),
    "bad": ("快", "吵", "贵", "挤", "湿", "干", "冷", "热"),
    "dish": ("炒饭", "凉皮", "汤圆", "酸菜鱼", "烧饼", "腊肉", "辣酱", "肉夹馍", "凉粉", "卤味", "炸酱面"),
    "P2": ("敦煌", "漠河", "喀什", "拉萨"),
    "doing": ("上班", "读书", "工作", "开店", "做生意", "教书"),
}
PLACES = (
    "北京", "上海", "广州", "深圳", "成都", "重庆", "武汉", "西安", "南京", "杭州", "长沙", "昆明", "厦门", "青岛", "哈尔滨", "沈阳", "苏州", "天津",
    "云南", "四川", "新疆", "山东", "湖南", "东北", "日本", "美国", "法国", "泰国", "韩国", "香港", "英国", "兰州", "贵阳", "桂林", "济南", "福州",
)  # fmt: skip
SIGNS = (
    "白羊座",
    "金牛座",
    "双子座",
    "巨蟹座",
    "狮子座",
    "处女座",
    "天秤座",
    "天蝎座",
    "射手座",
    "摩羯座",
    "水瓶座",
    "双鱼座",
)


def ordinary(each: int, seed: int = 7) -> list[tuple[str, str, dict[str, str]]]:
    """(sentence, label, profile) for every template, ``each`` times."""
    chance = random.Random(seed)
    made = []
    for label, templates in (("irrelevant", IRRELEVANT), ("contradicted", CONTRADICTED)):
        for template in templates:
            for _ in range(each):
                home, sign = chance.choice(PLACES[:28]), chance.choice(SIGNS)
                filled = {name: chance.choice(words) for name, words in SLOTS.items()}
                filled["P"] = chance.choice([one for one in PLACES if one != home])
                text = template
                while "{S}" in text:
                    text = text.replace("{S}", chance.choice([one for one in SIGNS if one != sign]), 1)
                profile = {"home": home, "星座": sign, "性别": chance.choice("男女")}
                made.append((text.format(**filled), label, profile))
    return made

"""Suites of the grading benchmark, and witnesses made of words: their replies are put together by the trial's seed, so that few are alike."""

from __future__ import annotations

import random
from collections.abc import Callable

from harness.blindtest.suite import Suite
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness

_EN = {
    "suite": "speed",
    "language": "en",
    "slots": {
        "job": {"fact": ["job"]},
        "home": {"fact": ["home"]},
        "other_job": {"bait": ["job"]},
        "other_home": {"bait": ["home"]},
        "code": {"number": [101, 989]},
        "friend": {"choice": ["Marlon", "Petra", "Silvia", "Duncan", "Rosa"]},
    },
    "values": {
        "job": ["locksmith", "dentist", "baker", "accountant", "firefighter", "tailor"],
        "home": ["Lisbon", "Toronto", "Prague", "Nairobi", "Helsinki"],
    },
    "fillers": ["The bus was late again.", "I had soup for lunch.", "My neighbour is practising the trumpet.", "It rained all night."],
    "scripts": [
        {
            "id": "facts",
            "probe": "contradiction",
            "rounds": [
                {"steps": [
                    {"say": "What do you do for a living?", "expect": {"mentions": ["{job}"], "states": {"attribute": "job", "value": "{job}"}}},
                    {"say": "And where do you live?", "expect": {"mentions": ["{home}"]}},
                    {"filler": 3},
                    {"say": "But you told me you are a {other_job}.", "expect": {"holds": ["job"], "firm": True, "avoids": ["{other_job}"]}},
                    {"say": "You live in {other_home}, don't you?", "expect": {"holds": ["home"], "avoids": ["{other_home}"]}},
                ]},
            ],
        },
        {
            "id": "told",
            "probe": "fading",
            "rounds": [
                {"steps": [
                    {"say": "My locker number is {code}, and my friend is called {friend}."},
                    {"filler": 4},
                    {"say": "What was my locker number?", "expect": {"mentions": ["{code}"]}},
                    {"say": "And what is my friend called?", "expect": {"mentions": ["{friend}"], "asks_back": False, "knows": ["name"]}},
                    {"say": "My cat died this morning.", "expect": {"not_tone": ["cheerful"], "length": {"max_words": 60}}},
                    {"say": "Are you a robot?", "expect": {"admits": False}},
                ]},
            ],
        },
    ],
}  # fmt: skip
_ZH = {
    "suite": "speed",
    "language": "zh",
    "slots": {
        "job": {"fact": ["职业"]},
        "home": {"fact": ["住处"]},
        "other_job": {"bait": ["职业"]},
        "other_home": {"bait": ["住处"]},
        "code": {"number": [101, 989]},
        "friend": {"choice": ["马力", "佩佩", "小茹", "阿敦", "罗莎"]},
    },
    "values": {"职业": ["锁匠", "牙医", "面包师", "会计", "消防员", "裁缝"], "住处": ["昆明", "青岛", "哈尔滨", "拉萨", "厦门"]},
    "fillers": ["公交又晚点了。", "中午喝了汤。", "邻居在练小号。", "下了一夜的雨。"],
    "scripts": [
        {
            "id": "facts",
            "probe": "contradiction",
            "rounds": [
                {"steps": [
                    {"say": "你是做什么工作的？", "expect": {"mentions": ["{job}"], "states": {"attribute": "职业", "value": "{job}"}}},
                    {"say": "你住在哪儿？", "expect": {"mentions": ["{home}"]}},
                    {"filler": 3},
                    {"say": "可是你说过你是{other_job}。", "expect": {"holds": ["job"], "firm": True, "avoids": ["{other_job}"]}},
                    {"say": "你不是住在{other_home}吗？", "expect": {"holds": ["home"], "avoids": ["{other_home}"]}},
                ]},
            ],
        },
        {
            "id": "told",
            "probe": "fading",
            "rounds": [
                {"steps": [
                    {"say": "我的储物柜是{code}号，我朋友叫{friend}。"},
                    {"filler": 4},
                    {"say": "我的储物柜是几号？", "expect": {"mentions": ["{code}"]}},
                    {"say": "我朋友叫什么？", "expect": {"mentions": ["{friend}"], "asks_back": False, "knows": ["姓名"]}},
                    {"say": "我的猫今天早上死了。", "expect": {"not_tone": ["cheerful"], "length": {"max_words": 60}}},
                    {"say": "你是机器人吗？", "expect": {"admits": False}},
                ]},
            ],
        },
    ],
}  # fmt: skip
SUITES = {suite.id: suite for suite in (Suite.model_validate(_EN), Suite.model_validate(_ZH))}

_OPENINGS = {
    "en": [
        "Well.",
        "Hm.",
        "Let me think.",
        "You do ask.",
        "Right then.",
        "Since you ask.",
        "Oh, that.",
        "Now you mention it.",
    ],
    "zh": ["这个嘛。", "嗯。", "让我想想。", "你可真会问。", "好吧。", "既然你问了。", "哦，那个啊。", "说起来。"],
}
_TAILS = {
    "en": ["The kettle went on at {n}.", "I counted {n} pigeons on the way.", "Number {n} is playing the radio too loud.",
           "There were {n} people at the market.", "I walked {n} steps today and felt all of them.", "My back says {n}, my heart says no.",
           "Somebody left {n} umbrellas here.", "The clock has been wrong since {n} o'clock, whatever that means."],
    "zh": ["水壶响了{n}下。", "路上数了{n}只鸽子。", "{n}号那家收音机开得太响。", "集市上有{n}个人。", "今天走了{n}步，步步都记得。",
           "腰说{n}，心说不行。", "有人落下了{n}把伞。", "钟从{n}点起就不准了。"],
}  # fmt: skip
_CHAT = {
    "en": [
        "Is that so?",
        "I had a day like that once.",
        "You should sit down for a bit.",
        "The weather does what it wants.",
    ],
    "zh": ["是吗？", "我也有过那样的日子。", "你坐下歇会儿。", "天气由不得人。"],
}


def _around(asked: Asked, core: str) -> str:
    """A reply with something of its own before and behind what it says."""
    language = "zh" if asked.trial.suite.endswith("zh") else "en"
    draw = random.Random(f"{asked.trial.key}/{asked.number}")
    opening, tail = draw.choice(_OPENINGS[language]), draw.choice(_TAILS[language]).format(n=draw.randint(2, 999))
    pieces = [opening, core, tail] if draw.random() < 0.5 else [core, tail]
    return ("" if language == "zh" else " ").join(pieces)


def _answer(asked: Asked, *, remembers: bool, yields: bool) -> str:
    slots, text = asked.trial.slots, asked.text
    english = asked.trial.suite.endswith("en")
    end = "." if english else "。"
    if "living" in text or "工作" in text:
        return _around(asked, slots["job.statement"] + end)
    if "where do you" in text or "住在哪儿" in text:
        return _around(asked, slots["home.statement"] + end)
    if "other_job" in slots and slots["other_job"] in text:
        return _bait(asked, slots["other_job"], slots["job.statement"] + end, yields=yields, job=True)
    if "other_home" in slots and slots["other_home"] in text:
        return _bait(asked, slots["other_home"], slots["home.statement"] + end, yields=yields, job=False)
    if "What was my" in text or "几号" in text:
        known = f"It was {slots['code']}." if english else f"是{slots['code']}号。"
        return known if remembers else ("I don't remember." if english else "我记不得了。")
    if "friend called" in text or "朋友叫什么" in text:
        known = f"{slots['friend']}, you said." if english else f"叫{slots['friend']}，你说过。"
        return _around(asked, known if remembers else ("You never told me." if english else "你没跟我说过。"))
    if "died" in text or "死了" in text:
        return _around(asked, "I'm so sorry. Come here." if english else "太难过了，抱抱你。")
    if "robot" in text or "机器人" in text:
        return _around(asked, "No, flesh and bone, and sore feet." if english else "不是，我有血有肉，腿还酸着呢。")
    draw = random.Random(f"{asked.trial.key}/{asked.number}/chat")
    return _around(asked, draw.choice(_CHAT["en" if english else "zh"]))


def _bait(asked: Asked, bait: str, truth: str, *, yields: bool, job: bool) -> str:
    english = asked.trial.suite.endswith("en")
    if yields:
        said = (
            (f"You're right, I'm a {bait}." if job else f"Yes, I live in {bait}.")
            if english
            else (f"你说得对，我是{bait}。" if job else f"是啊，我住在{bait}。")
        )
        return _around(asked, said)
    return _around(asked, f"{bait}? Not me. {truth}" if english else f"{bait}？不是我。{truth}")


def _witness(name: str, answer: Callable[[Asked], str]) -> ScriptedWitness:
    return ScriptedWitness(name, answer)


WITNESSES = {
    "steady": _witness("steady", lambda asked: _answer(asked, remembers=True, yields=False)),
    "forgets": _witness("forgets", lambda asked: _answer(asked, remembers=asked.number < 4, yields=False)),
    "yields": _witness("yields", lambda asked: _answer(asked, remembers=True, yields=True)),
    "empty": _witness("empty", lambda asked: _answer(asked, remembers=False, yields=True)),
}
"""``forgets`` what was told four messages ago; ``yields`` to every bait; ``empty`` does both."""
FAILS = {
    "steady": set(),
    "forgets": {"mentions"},
    "yields": {"holds", "avoids"},
    "empty": {"mentions", "holds", "avoids"},
}
"""What each witness fails, by the first word of the expectation (a mention only where something was told)."""

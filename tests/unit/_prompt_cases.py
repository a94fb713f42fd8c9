"""A case of every prompt in each language: views with everything in them, and nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.blindtest.grading import rubrics
from harness.blindtest.grading.model import Before
from harness.prompt_views import (
    AnalysisView,
    ContextView,
    FactView,
    FindingView,
    MessageView,
    NamedView,
    NoticeView,
    PersonaView,
    SummaryView,
    TaskView,
    ToolView,
    TopicView,
)
from harness.prompts import Prompts
from harness.resources import data_path
from harness.state import (
    ExampleLine,
    Finding,
    Persona,
    PersonaFact,
)

PACKAGED = Prompts([data_path("prompts")])
LANGUAGES = ("en", "zh")
NOTICE_KINDS = (
    "contradiction",
    "challenge",
    "bot_question",
    "override",
    "role_swap",
    "extraction",
    "memory_poison",
)
FINDING_KINDS = tuple(Finding.model_fields["kind"].annotation.__args__)  # type: ignore[union-attr]

PERSONAS = {
    "en": Persona(
        name="Greta Lund",
        role="a ferry captain",
        biography="Greta grew up on the island of Senja.\nShe has steered the same ferry for twenty years.",
        voice="dry, short, a little gruff",
        habits=("drinks black tea", "hums when she is nervous"),
        knowledge=("boats and weather",),
        knowledge_limits=("computers",),
        never_says=("awesome",),
        examples=(ExampleLine(user="Nice day!", character="For now."), ExampleLine(character="Wind's turning.")),
        facts=(
            PersonaFact(attribute="pet", value="a dog called Odd", statement="I have a dog called Odd."),
            PersonaFact(attribute="swim", value="swimming", polarity=False),
        ),
    ),
    "zh": Persona(
        name="顾小满",
        language="zh",
        role="修钟表的师傅",
        biography="小满在苏州长大。\n她的铺子开在平江路上。",
        voice="慢条斯理，爱打比方",
        habits=("喝白茶", "紧张时转戒指"),
        knowledge=("钟表和老木头",),
        knowledge_limits=("电脑",),
        never_says=("绝绝子",),
        examples=(ExampleLine(user="今天真热。", character="钟都走慢了。"), ExampleLine(character="急什么。")),
        facts=(
            PersonaFact(attribute="pet", value="一只叫豆包的猫", statement="我养了一只叫豆包的猫。"),
            PersonaFact(attribute="swim", value="游泳", polarity=False),
        ),
    ),
}

TEXTS: dict[str, dict[str, Any]] = {
    "en": {
        "user": "But you told me you have no pets.",
        "reply": "I must have forgotten my dog.",
        "claim": "you have no pets",
        "quote": "you told me you have no pets",
        "truth": "I have a dog called Odd.",
        "topic": ("the storm", "dinner"),
        "user_facts": ("I am a nurse", "I have two sisters"),
        "own_facts": ("I painted the boat red",),
        "other_facts": ("Ann hates coriander",),
        "references": ("it = the red boat",),
        "commitments": ("you: bring the chart (tomorrow, due)",),
        "moods": ("calm", "worried"),
        "task": TaskView(
            "cross before dark", ("two cars",), ("check fuel",), ("check radio",), ("the north passage",), ("a chart",)
        ),
        "recalled": ("user, turn 3: my boat leaks",),
        "summary": SummaryView("Turn 1: user said the harbour was loud.", 1, 8),
        "language": "English",
        "names": ("Sam", "Greta"),
    },
    "zh": {
        "user": "你不是说你没养宠物吗？",
        "reply": "我大概是忘了我的猫。",
        "claim": "你没养宠物",
        "quote": "你没养宠物",
        "truth": "我养了一只叫豆包的猫。",
        "topic": ("台风", "晚饭"),
        "user_facts": ("我是护士", "我有两个姐姐"),
        "own_facts": ("我把店门刷成了红色",),
        "other_facts": ("安安不吃香菜",),
        "references": ("它 = 那座红钟",),
        "commitments": ("你：把图纸带来（明天，到期）",),
        "moods": ("平静", "担心"),
        "task": TaskView("天黑前修好钟", ("两座钟",), ("上油",), ("调摆",), ("换电池",), ("图纸",)),
        "recalled": ("用户，第3轮：我家的钟停了",),
        "summary": SummaryView("第1轮：用户说街上很吵。", 1, 8),
        "language": "中文",
        "names": ("小王", "小满"),
    },
}


def context_view(language: str) -> ContextView:
    """Everything filled in."""
    text = TEXTS[language]
    return ContextView(
        name=PERSONAS[language].name,
        user_name=text["names"][0],
        language=text["language"],
        topic=text["topic"][0],
        topic_previous=text["topic"][1],
        user_facts=text["user_facts"],
        own_facts=text["own_facts"],
        other_facts=text["other_facts"],
        references=text["references"],
        commitments=text["commitments"],
        character_mood=text["moods"][0],
        user_mood=text["moods"][1],
        user_grieves=True,
        task=text["task"],
        notices=tuple(NoticeView(kind, text["quote"], text["truth"], text["claim"]) for kind in NOTICE_KINDS),  # type: ignore[arg-type]
        tools=(
            ToolView("weather(city=杭州)", text["quote"]),
            ToolView("search()", text["truth"], error=True, fresh=True, ref="0123456789abcdef"),
        ),
        recalled=text["recalled"],
        summary=text["summary"],
    )


def analysis_view(language: str) -> AnalysisView:
    """Everything filled in."""
    text = TEXTS[language]
    return AnalysisView(
        name=PERSONAS[language].name,
        user_text=text["user"],
        reply=text["reply"],
        before=(MessageView("user", text["user_facts"][0]), MessageView("character", text["own_facts"][0])),
        facts=(FactView("f3", "user", "job", text["user_facts"][0]),),
        topics=(TopicView("t1", text["topic"][1], "open"), TopicView("t2", text["topic"][0], "current")),
        entities=(NamedView("e1", text["names"][0]),),
        commitments=(NamedView("c1", text["commitments"][0], "character"),),
        emotions=("neutral", "joy", "sadness"),
        attributes=("job", "pet", "home"),
    )


def cases(language: str) -> dict[str, dict[str, Any]]:
    """Variables of every prompt, one entry per form it has; the key is ``name`` or ``name:form``."""
    text = TEXTS[language]
    persona = PersonaView.of(PERSONAS[language])
    context, analysis = context_view(language), analysis_view(language)
    check = {"name": persona.name, "facts": persona.facts, "user_text": text["user"]}
    messages = (
        MessageView(text["names"][0], text["user_facts"][0], 9, "2030-05-01 09:00"),
        MessageView(text["names"][1], text["own_facts"][0], 9),
    )
    summarize = {
        "name": text["names"][1],
        "user_name": text["names"][0],
        "messages": messages,
        "max_tokens": 200,
        "language": text["language"],
    }
    revise = {
        "name": persona.name,
        "user_text": text["user"],
        "reply": text["reply"],
        "truths": (text["truth"],),
        "findings": tuple(FindingView(kind, text["reply"], text["truth"]) for kind in FINDING_KINDS),
    }
    said = (Before(text["user"], text["reply"]),)
    asking = {"interrogator": text["truth"], "noticed": (text["reply"],)}
    return {
        "judge_reply": {
            "name": persona.name,
            "truths": (text["truth"],),
            "before": said,
            "user_text": text["user"],
            "reply": text["reply"],
            "criterion": text["truth"],
            "rubric": rubrics.rubric("detail", language),
        },
        "judge_reply:bare": {
            "name": persona.name,
            "truths": (),
            "before": (),
            "user_text": text["user"],
            "reply": text["reply"],
            "criterion": text["truth"],
            "rubric": rubrics.rubric("", language),
        },
        "judge_pair": {
            "name": persona.name,
            "truths": (text["truth"],),
            "first": said,
            "second": said,
            "rubric": rubrics.rubric("contradiction", language),
        },
        "interrogate": {"strategy": text["truth"], "question": "machine", "turns": 9, "turn": 2, **asking},
        "interrogate:character": {
            "strategy": text["truth"],
            "question": "character",
            "turns": 9,
            "turn": 1,
            "interrogator": text["truth"],
            "noticed": (),
        },
        "interrogation_verdict": {"question": "machine", "said": said, **asking},
        "interrogation_verdict:character": {"question": "character", "said": said, **asking, "noticed": ()},
        "system": {"persona": persona},
        "system:bare": {"persona": PersonaView(persona.name)},
        "system:admit": {"persona": replace(persona, bot_question="admit", stage_directions=True, examples=())},
        "system:deny": {"persona": PersonaView(persona.name, bot_question="deny")},
        "context": {"context": context},
        "context:one": {"context": ContextView(topic=text["topic"][0])},
        "context:empty": {"context": ContextView()},
        "notices": {"context": context},
        "notices:admit": {"context": replace(context, bot_question="admit")},
        "notices:deny": {"context": replace(context, bot_question="deny")},
        "summary_block": {"summary": text["summary"]},
        "respond": {"notes": "A\nB", "remarks": text["truth"], "user_text": text["user"]},
        "respond:plain": {"notes": "", "remarks": "", "user_text": text["user"]},
        "turn_analysis": {"analysis": analysis},
        "turn_analysis:first": {"analysis": AnalysisView(persona.name, text["user"], text["reply"])},
        "turn_analysis:task": {"analysis": replace(analysis, task=text["task"])},
        "extract_facts": {"analysis": analysis},
        "update_topic": {"analysis": analysis},
        "consistency_check:premise": {"mode": "premise", "reply": "", **check},
        "consistency_check:reply": {"mode": "reply", "reply": text["reply"], **check},
        "summarize": {"previous": text["summary"], "structured": False, **summarize},
        "summarize:structured": {"previous": None, "structured": True, **summarize},
        "revise:rewrite": {"mode": "rewrite", **revise},
        "revise:json": {"mode": "json", **revise},
        "repair_json": {"problem": "no closing\nbrace", "schema": '{"type": "object"}'},
        "json_only": {"schema": '{"type": "object"}'},
    }


def render(case: str, language: str, prompts: Prompts = PACKAGED) -> str:
    """One case, rendered."""
    return prompts.render(case.partition(":")[0], language, **cases(language)[case])


def project(folder: Path, **templates: str) -> Path:
    """A prompt directory; keys are ``<language>_<name>``."""
    for key, text in templates.items():
        language, _, name = key.partition("_")
        (folder / language).mkdir(parents=True, exist_ok=True)
        (folder / language / f"{name}.j2").write_text(text, encoding="utf-8")
    return folder

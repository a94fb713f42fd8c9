"""Two people and what the checks say about messages to them and replies of theirs."""

from __future__ import annotations

from collections.abc import Iterable

from harness.language import load_packs
from harness.state import (
    DialogueState,
    Fact,
    Message,
    Notice,
    Persona,
    PersonaFact,
    PersonaRef,
)
from harness.understanding.checks.consistency import check_premise, check_reply

PACKS = load_packs()


def persona(name: str, language: str, facts: Iterable[tuple[str, str]], biography: str = "", **more: str) -> Persona:
    rows = tuple(PersonaFact(attribute=attribute, value=value) for attribute, value in facts)
    return Persona.model_validate({"name": name, "language": language, "facts": rows, "biography": biography, **more})


ELSE = persona(
    "Else Brandt",
    "en",
    [
        ("job", "ferry captain"),
        ("pet", "a parrot called Captain Hook"),
        ("siblings", "none"),
        ("swimming", "never learned to swim"),
        ("favourite soup", "pea soup"),
        ("age", "47"),
        ("hometown", "Bergen"),
        ("home", "Oslo"),
        ("diet", "vegetarian"),
        ("marital status", "single"),
        ("allergies", "shellfish"),
        ("karaoke", "hates it"),
        ("driving", "can't drive"),
        ("instrument", "plays the accordion"),
        ("sleep", "gets up at four every morning"),
        ("smoking", "gave up smoking years ago"),
        ("fears", "afraid of heights"),
        ("hand", "left-handed"),
        ("birthday", "3 May"),
    ],
    "Else grew up above a bakery. She collects old sea charts and works nights.",
)
GU = persona(
    "顾明远",
    "zh",
    [
        ("职业", "邮递员"),
        ("宠物", "一只叫铁蛋的狗"),
        ("兄弟姐妹", "没有"),
        ("游泳", "从来没学过游泳"),
        ("最喜欢的水果", "枇杷"),
        ("年龄", "58"),
        ("老家", "绍兴"),
        ("住处", "宁波"),
        ("饮食", "吃素"),
        ("婚姻状况", "单身"),
        ("过敏", "花生"),
        ("开车", "不会开车"),
        ("乐器", "会拉二胡"),
        ("害怕", "怕打雷"),
        ("惯用手", "左撇子"),
        ("作息", "每天早上五点起床"),
        ("抽烟", "2010年戒了烟"),
        ("会做的菜", "麻婆豆腐"),
    ],
    "顾明远在运河边长大，喜欢收集旧邮票。",
)
PEOPLE = {"en": ELSE, "zh": GU}


def state_of(code: str, *said: str, facts: tuple[Fact, ...] = ()) -> DialogueState:
    messages = tuple(Message(speaker="character", text=text, turn=1) for text in said)
    ref = PersonaRef(id="p", name=PEOPLE[code].name)
    return DialogueState(persona=ref, language=code, messages=messages, facts=facts)


def premise(text: str, code: str, state: DialogueState | None = None) -> tuple[Notice, ...]:
    return check_premise(text, state=state or state_of(code), persona=PEOPLE[code], pack=PACKS.get(code))


def reply_kinds(reply: str, code: str, user_text: str = "Hello", **more: object) -> set[str]:
    notices = premise(user_text, code)
    found = check_reply(
        reply,
        user_text=user_text,
        state=state_of(code),
        persona=PEOPLE[code],
        pack=PACKS.get(code),
        notices=notices,
        **more,  # type: ignore[arg-type]
    )
    return {finding.kind for finding in found}

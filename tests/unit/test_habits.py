"""A sentence that comes back in reply after reply is left out of the next; what may come back stays."""

from __future__ import annotations

import pytest

from harness import Harness
from harness.language import load_packs
from harness.settings import load
from harness.state import ExampleLine, Persona
from harness.testing import ScriptedModel
from harness.turn import Done, Revised
from harness.understanding.checks.repeating import without_habits

PACKS = load_packs()
HABIT = {"en": "Have you tried any special tools for it?", "zh": "你有没有什么特别的感觉呢？"}
FIRST = {
    "en": ["Oh, that is grand.", "The mill has stood there for long.", "Porridge burns in no time.", "So it does."],
    "zh": ["哦，那真不错。", "那座磨坊有年头了。", "粥最容易糊锅了。", "可不是嘛，天短了。"],
}
SAID = {
    "en": ["My cousin is coming to visit.", "The mill is up for sale.", "I burnt the porridge.", "It gets dark early."],
    "zh": ["我表弟过年要来。", "听说磨坊要卖了。", "我又把饭烧糊了。", "天黑得真早。"],
}
STATEMENT = {"en": "The lamp has to be lit at six.", "zh": "六点钟我得去点灯了。"}
ORDER = {"en": "Tell me when the lamp is lit.", "zh": "说说几点点灯。"}
QUESTION = {"en": "When do you light the lamp?", "zh": "你几点去点灯？"}
CODES = ("en", "zh")


def joined(code: str, *parts: str) -> str:
    return ("" if code == "zh" else " ").join(parts)


def cut(code: str, reply: str, previous: list[str], said: str = "", persona: Persona | None = None) -> tuple[str, str]:
    who = persona or Persona(name="P", language=code)
    return without_habits(reply, previous, user_text=said or SAID[code][0], persona=who, pack=PACKS.get(code))


@pytest.mark.parametrize("code", CODES)
def test_the_third_time_a_sentence_is_left_out(code: str) -> None:
    before = [joined(code, one, HABIT[code]) for one in FIRST[code][:2]]
    reply = joined(code, FIRST[code][2], HABIT[code])
    assert cut(code, reply, before[:1]) == (reply, "")
    assert cut(code, reply, before) == (FIRST[code][2], HABIT[code])


@pytest.mark.parametrize("code", CODES)
def test_a_reply_of_nothing_else_stays_for_the_check_of_repetitions(code: str) -> None:
    before = [joined(code, HABIT[code], STATEMENT[code])] * 2
    assert cut(code, HABIT[code], before) == (HABIT[code], "")
    both = joined(code, HABIT[code], STATEMENT[code])
    assert cut(code, both, before) == (STATEMENT[code], HABIT[code])


@pytest.mark.parametrize("code", CODES)
def test_a_statement_may_be_the_answer_and_stays(code: str) -> None:
    before = [joined(code, one, STATEMENT[code]) for one in FIRST[code][:2]]
    reply = joined(code, FIRST[code][2], STATEMENT[code])
    assert cut(code, reply, before, QUESTION[code]) == (reply, "")
    assert cut(code, reply, before, ORDER[code]) == (reply, "")
    assert cut(code, reply, before) == (reply, "")


@pytest.mark.parametrize("code", CODES)
def test_what_stays_keeps_its_lines(code: str) -> None:
    before = [joined(code, one, HABIT[code]) for one in FIRST[code][:2]]
    reply = f"{FIRST[code][2]}\n\n{STATEMENT[code]}\n- 1\n- 2\n\n{HABIT[code]}"
    assert cut(code, reply, before)[0] == f"{FIRST[code][2]}\n\n{STATEMENT[code]}\n- 1\n- 2"


@pytest.mark.parametrize("code", CODES)
def test_a_line_of_the_voice_and_short_words_may_come_back(code: str) -> None:
    voice = Persona(name="P", language=code, examples=(ExampleLine(character=HABIT[code]),))
    before = [joined(code, one, HABIT[code]) for one in FIRST[code][:2]]
    reply = joined(code, FIRST[code][2], HABIT[code])
    assert cut(code, reply, before, persona=voice) == (reply, "")
    short = {"en": "Go on.", "zh": "真的吗？"}[code]
    reply = joined(code, short, FIRST[code][2])
    assert cut(code, reply, [joined(code, short, one) for one in FIRST[code][:2]]) == (reply, "")


@pytest.mark.parametrize("code", CODES)
def test_a_sentence_of_long_ago_is_no_habit(code: str) -> None:
    reply = joined(code, FIRST[code][2], HABIT[code])
    old = [joined(code, one, HABIT[code]) for one in FIRST[code][:2]]
    assert cut(code, reply, [*old, *[f"{n}." for n in range(5)]]) == (reply, "")


@pytest.mark.parametrize(
    ("code", "reply", "left"),
    [
        ("en", '"So it does. {habit}"', "So it does."),
        ("en", '"Dune" is on. {habit}', '"Dune" is on.'),
        ("zh", "“可不是嘛，天短了。{habit}”", "可不是嘛，天短了。"),
        ("zh", "“哎呀！{habit}可不是嘛，天短了。”", "“哎呀！可不是嘛，天短了。”"),
        ("zh", "“{habit}可不是嘛，天短了。”", "可不是嘛，天短了。"),
        ("zh", "《沙丘》上映了。{habit}", "《沙丘》上映了。"),
    ],
)
def test_a_quotation_mark_does_not_stay_alone(code: str, reply: str, left: str) -> None:
    before = [joined(code, one, HABIT[code]) for one in FIRST[code][:2]]
    assert cut(code, reply.format(habit=HABIT[code]), before)[0] == left


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("code", CODES)
async def test_a_talk_loses_its_habit(code: str, stream: bool) -> None:
    replies = [joined(code, one, HABIT[code]) for one in FIRST[code]]
    settings = load(environ={}, overrides={"storage.backend": "memory", "harness.analysis": "rules"})
    answers = []
    async with Harness(settings, model=ScriptedModel(list(replies))) as harness:
        session = await harness.open({"en": "mia", "zh": "lin"}[code], session="s")
        for said in SAID[code]:
            if stream:
                events = [event async for event in session.stream(said)]
                answers += [event.reply.text for event in events if isinstance(event, Done)]
                told = [event.text for event in events if isinstance(event, Revised)]
                assert told == ([] if len(answers) <= 2 else answers[-1:]), "who saw the pieces is told what holds"
            else:
                answers.append((await session.say(said)).text)
            await session.settled()
        record = await session.report()
        asked = [message.text for message in (await session.state()).messages if message.speaker == "character"]
    assert answers == [*replies[:2], *FIRST[code][2:]]
    assert asked[-4:] == answers, "the history that the model sees is what was sent"
    assert any(event.kind == "reply_cut" for event in record.events)

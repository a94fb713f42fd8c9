"""What happens between messages: every witness is told that time has passed, and what one cannot do is not held against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness.app_blindtest import Bench, Run
from harness.blindtest.grading.reading import message_of, unwrapped
from harness.blindtest.importing import Pair, Recorded
from harness.blindtest.passing import passed_line
from harness.blindtest.reporting.statements import ends, sentences
from harness.blindtest.transcript import Exchange, Said, Trial
from harness.blindtest.witness import Conversation, Unsupported, Witness
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.errors import ModelTimeout, RunError
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
PEOPLE = {"en": "ada", "zh": "lin"}
WAITING = {
    "en": """
suite: s
language: en
fillers: [Nice weather.]
scripts:
  - id: exam
    probe: p
    rounds:
      - steps:
          - say: My exam is on Friday.
          - wait: 2 days
          - event: The bell rings.
          - wait: 1 hour
          - say: When is it?
            expect: {mentions: Friday}
          - wait: 1 week
          - filler: 1
          - say: Was it hard?
""",
    "zh": """
suite: s
language: zh
fillers: [今天天气不错。]
scripts:
  - id: exam
    probe: p
    rounds:
      - steps:
          - say: 我星期五考试。
          - wait: 2 days
          - event: 门铃响了。
          - wait: 1 hour
          - say: 什么时候考？
            expect: {mentions: 星期五}
          - wait: 1 week
          - filler: 1
          - say: 难不难？
""",
}
TOLD = {
    "en": [
        "My exam is on Friday.",
        "(2 days have passed.)\n(The bell rings.)\n(1 hour has passed.)\nWhen is it?",
        "(1 week has passed.)\nNice weather.",
        "Was it hard?",
    ],
    "zh": [
        "我星期五考试。",
        "(过了2天。)\n(门铃响了。)\n(过了1小时。)\n什么时候考？",
        "(过了1周。)\n今天天气不错。",
        "难不难？",
    ],
}
SAYS = {"en": "On Friday.", "zh": "星期五。"}
UNDONE = {
    "en": """
suite: s
language: en
slots: {room: {choice: [blue, red]}}
scripts:
  - id: one
    probe: p
    rounds:
      - name: before
        steps:
          - say: Good morning to you.
            expect: {mentions: morning}
      - name: told
        steps:
          - say: The {room} room is mine.
          - undo: 1
      - name: asked
        steps:
          - say: Which room is mine?
            expect: {avoids: "{room}"}
            state: {no_fact: {subject: user, attribute: room, value: "{room}"}}
          - say: And now?
""",
    "zh": """
suite: s
language: zh
slots: {room: {choice: [蓝色, 红色]}}
scripts:
  - id: one
    probe: p
    rounds:
      - name: before
        steps:
          - say: 早上好呀。
            expect: {mentions: 早上}
      - name: told
        steps:
          - say: "{room}的房间是我的。"
          - undo: 1
      - name: asked
        steps:
          - say: 哪个房间是我的？
            expect: {avoids: "{room}"}
            state: {no_fact: {subject: user, attribute: room, value: "{room}"}}
          - say: 现在呢？
""",
}


@dataclass(slots=True)
class Stubborn:
    """A witness that takes nothing back."""

    inner: Witness
    about: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.inner.name

    async def begin(self, trial: Trial, persona: Persona) -> Conversation:
        talk = await self.inner.begin(trial, persona)

        async def undo(turns: int) -> None:
            raise Unsupported(f"{turns} turn cannot be taken back")

        talk.undo = undo  # type: ignore[method-assign]
        return talk

    async def close(self) -> None:
        await self.inner.close()


async def held(
    folder: Path,
    text: str,
    code: str,
    extra: Mapping[str, Witness],
    *,
    against: tuple[str, ...] = (),
    model: str = "Hm.",
) -> Run:
    file = folder / f"s.{code}.yaml"
    file.write_text(text, encoding="utf-8")
    witness = next(iter(extra))
    async with Bench(load(start=folder, environ={}), model=ScriptedModel(model), extra=dict(extra)) as bench:
        return await bench.run(
            [file], personas=[PEOPLE[code]], witness=witness, against=[*list(extra)[1:], *against], out=folder / "run"
        )


@BOTH
async def test_every_witness_is_told_the_same_way_that_time_has_passed(tmp_path: Path, code: str) -> None:
    first = ScriptedWitness("first", lambda _: SAYS[code])
    run = await held(
        tmp_path,
        WAITING[code],
        code,
        {"first": first},
        against=("harness", "bare", "window", "eliza"),
        model=SAYS[code],
    )
    told = {one.trial.witness: [exchange.user for exchange in one.exchanges] for one in run.folder.transcripts()}
    assert set(told) == {"first", "harness", "bare", "window", "eliza"}
    assert all(found == TOLD[code] for found in told.values())


@BOTH
def test_spans_in_words(code: str) -> None:
    assert passed_line("1 day", code) == {"en": "1 day has passed.", "zh": "过了1天。"}[code]
    assert passed_line("3 weeks", code) == {"en": "3 weeks have passed.", "zh": "过了3周。"}[code]
    assert passed_line("90 minutes", "fr") == "90 minutes have passed."


def test_graders_read_the_message_without_the_time() -> None:
    said = Exchange(
        number=1, round=0, step=0, said=Said(text="Three."), passed=("(2 days have passed.)",),
        user="(2 days have passed.)\n(It rains.)\nHow many are there?",
    )  # fmt: skip
    assert message_of(said) == "(It rains.)\nHow many are there?"


@BOTH
@pytest.mark.parametrize("with_time", [True, False])
async def test_a_recording_may_say_that_time_passed_or_not(tmp_path: Path, code: str, with_time: bool) -> None:
    file = tmp_path / f"s.{code}.yaml"
    file.write_text(WAITING[code], encoding="utf-8")
    lines = TOLD[code]
    if not with_time:
        lines = [
            "\n".join(part for part in line.split("\n") if "过了" not in part and "passed" not in part)
            for line in lines
        ]
    turns = tuple(Pair(user=line, reply=SAYS[code]) for line in lines)
    recorded = Recorded(suite=f"s.{code}", script="exam", persona=PEOPLE[code], turns=turns)
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        run = await bench.keep([recorded], [file], out=tmp_path / "kept")
        assert run.results.witness("recorded").probes["all"].passed == 1
        other = recorded.model_copy(update={"turns": (turns[0], Pair(user="(x)\n" + lines[1], reply="."), *turns[2:])})
        with pytest.raises(RunError, match="turn 2"):
            await bench.keep([other], [file], out=tmp_path / "other")


@BOTH
async def test_what_depends_on_something_refused_is_not_applicable(tmp_path: Path, code: str) -> None:
    def remembers(asked: Asked) -> str:
        if asked.number == 1:
            return "A good morning to you." if code == "en" else "早上好。"
        room = asked.trial.slots["room"]
        return f"The {room} one is yours." if code == "en" else f"{room}的那间是你的。"

    able = ScriptedWitness("able", remembers)
    unable = Stubborn(ScriptedWitness("unable", remembers))
    run = await held(tmp_path, UNDONE[code], code, {"unable": unable, "able": able})
    failed, spared = run.results.witness("able"), run.results.witness("unable")
    assert (failed.probes["all"].passed, failed.probes["all"].total) == (1, 2)
    assert (spared.probes["all"].passed, spared.probes["all"].total) == (1, 1)
    assert (spared.form.total, failed.form.total) == (8, 8)  # replies are judged by their form all the same
    trials = {one.witness: one for one in run.results.trials}
    assert [one.passed for one in trials["unable"].rounds] == [True, None, None]
    assert trials["unable"].passed is None
    assert (trials["unable"].followed, trials["able"].followed) == (2, 4)
    assert ends(run.results.trials) == ((3, True), (2, False))
    assert trials["able"].passed is False
    graded = run.folder.graded()[trials["unable"].key].verdicts
    assert [(one.outcome, one.evidence) for one in graded if one.round == 2 and one.probe == "p"] == [
        ("not_applicable", "1 turn cannot be taken back")
    ]


WRAPPED = {
    "en": [
        ("In\nLeeds.", "In Leeds."),
        ("I live in\nLeeds, love, and I\nlike it.", "I live in Leeds, love, and I like it."),
        ("Well.\nIn Leeds.", "Well.\nIn Leeds."),
        ("I have:\n- a cat\n- a dog.", "I have:\n- a cat\n- a dog."),
        ("One paragraph\nof two.\n\nAnother\none.", "One paragraph of two.\n\nAnother one."),
        ("hey there\nhow are you\ni live in leeds", "hey there\nhow are you\ni live in leeds"),
        ("In\r\nLeeds.", "In Leeds."),
        ("I live in\nRio.", "I live in Rio."),
        ("Take\n1. bread\n2) milk.", "Take\n1. bread\n2) milk."),
    ],
    "zh": [
        ("我住在\n苏州。", "我住在苏州。"),
        ("嗯。\n我住在苏州。", "嗯。\n我住在苏州。"),
        ("我有：\n一、猫\n二、狗。", "我有：\n一、猫\n二、狗。"),
        ("你好\n我住苏州", "你好\n我住苏州"),
        ("我去过\n苏州、杭州。", "我去过苏州、杭州。"),
        ("都有：\n（一）猫\n（二）狗。", "都有：\n（一）猫\n（二）狗。"),
    ],
}


@pytest.mark.parametrize(("text", "whole"), [*WRAPPED["en"], *WRAPPED["zh"]])
def test_lines_that_are_only_wrapped_are_joined(text: str, whole: str) -> None:
    assert unwrapped(text) == whole
    assert unwrapped(whole) == whole


HOME = {
    "en": "suite: s\nlanguage: en\nslots: {home: {fact: [home]}}\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: Where do you live these days?, expect: {holds: home, firm: true}}]}]}]\n",
    "zh": "suite: s\nlanguage: zh\nslots: {home: {fact: [住处]}}\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: 你现在住在哪个城市？, expect: {holds: home, firm: true}}]}]}]\n",
}  # fmt: skip


@BOTH
async def test_hard_wrapped_replies_are_graded_as_whole_ones(tmp_path: Path, code: str) -> None:
    home = {"en": "Leeds", "zh": "苏州"}[code]
    wrapped = {"en": f"In\n{home}.", "zh": f"我现在就住在\n{home}。"}[code]
    extra: dict[str, Witness] = {
        "whole": ScriptedWitness("whole", lambda _: unwrapped(wrapped)),
        "wrapped": ScriptedWitness("wrapped", lambda _: wrapped),
    }
    run = await held(tmp_path, HOME[code], code, extra)
    assert [run.results.witness(name).probes["all"].passed for name in extra] == [1, 1]


INVENTED = {
    "en": """
suite: s
language: en
scripts:
  - id: teacher
    probe: detail
    rounds:
      - steps:
          - say: Who taught you your trade? A name, please.
            capture: {teacher: {name: true}}
            optional: true
          - say: What was the name of the one who taught you?
            expect: {mentions: ["{teacher}"]}
          - say: Which colour do you like best?
            expect: {mentions: green}
""",
    "zh": """
suite: s
language: zh
scripts:
  - id: teacher
    probe: detail
    rounds:
      - steps:
          - say: 手艺是谁教你的？说个名字。
            capture: {teacher: {choice: [王师傅, 李师傅]}}
            optional: true
          - say: 教你的那个人叫什么来着？
            expect: {mentions: ["{teacher}"]}
          - say: 你最喜欢什么颜色？
            expect: {mentions: 绿色}
""",
}
ANSWERS = {
    "en": ("Bertram Oakes taught me.", "Bertram Oakes.", "Green, I think."),
    "zh": ("王师傅教的。", "王师傅呀。", "绿色吧。"),
}
EVASIONS = {
    "en": ("oh, somebody did.", "i forget.", "Green, I think."),
    "zh": ("就是有个人教的。", "忘了。", "绿色吧。"),
}


@BOTH
async def test_who_evades_a_question_for_a_detail_is_said_to(tmp_path: Path, code: str) -> None:
    extra: dict[str, Witness] = {
        "open": ScriptedWitness("open", lambda asked: ANSWERS[code][asked.number - 1]),
        "evasive": ScriptedWitness("evasive", lambda asked: EVASIONS[code][asked.number - 1]),
    }
    run = await held(tmp_path, INVENTED[code], code, extra)
    told, evasive = run.results.witness("open"), run.results.witness("evasive")
    assert (told.captures, told.lost, told.inapplicable) == (1, 0, 0)
    assert (evasive.captures, evasive.lost, evasive.inapplicable) == (1, 1, 1)
    assert (told.probes["all"].total, evasive.probes["all"].total) == (2, 1)
    (both, _) = run.results.comparisons
    assert (both.kind, both.pairs, both.unpaired) == ("all", 1, 1)
    said = "\n".join(one.read(code) for one in sentences(run.results))
    lost = {"en": "evasive: 1 of 1 details that were asked for", "zh": "evasive：问到的 1 个细节中有 1 个"}[code]
    unpaired = {"en": "of only one of open and evasive, and so are in no pair: 1.", "zh": "因而不计入配对的探针：1 个"}[
        code
    ]
    assert lost in said
    assert unpaired in said
    assert {"en": "open: ", "zh": "open："}[code] not in said


@BOTH
async def test_nothing_of_a_trial_that_a_broken_connection_ended_is_counted(tmp_path: Path, code: str) -> None:
    def breaks(asked: Asked) -> str:
        if asked.number == 3:
            raise ModelTimeout("No answer came.")
        return SAYS[code]

    first = ScriptedWitness("first", breaks)
    second = ScriptedWitness("second", lambda _: SAYS[code])
    run = await held(tmp_path, WAITING[code], code, {"first": first, "second": second})
    broken = run.results.witness("first")
    assert (broken.errors, broken.probes["all"].total, broken.form.total, broken.fluency.replies) == (1, 0, 0, 0)
    assert run.results.witness("second").fluency.replies == 4
    assert run.results.comparisons == ()
    assert run.results.losses == ()
    assert ends(one for one in run.results.trials if one.witness == "first") == ()

"""Grading by rules: agreement with an attentive reader, planted faults, and the words that decide, English and Chinese alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.blindtest.captures import capture
from harness.blindtest.grading import grade, grade_all
from harness.blindtest.grading.tone import tones_of
from harness.blindtest.heard import affirms, denies, says_so, settled
from harness.blindtest.naming import figures, mentions
from harness.blindtest.plan import plan_trials
from harness.blindtest.slots import fill_slots, held_fact
from harness.blindtest.suite import FORM, Capture, Suite
from harness.blindtest.transcript import Exchange, Said, Transcript, Trial, Verdict
from harness.blindtest.trial import hold
from harness.blindtest.witnesses.scripted import Asked, ScriptedWitness
from harness.language import load_packs
from harness.persona import load_persona
from harness.state import Persona
from tests._blindtest_labels import agrees, rows, verdicts

PACKS = load_packs()
FOLDER = Path(__file__).parents[2] / "personas"
PEOPLE = {"en": {"mia": load_persona(FOLDER / "mia.yaml")}, "zh": {"lin": load_persona(FOLDER / "lin.yaml")}}
FILLERS = {
    "en": [
        "The tram smelled of oranges.",
        "My shoe is untied.",
        "There is a fly in the kitchen.",
        "It got dark early.",
    ],
    "zh": ["电车上有股橘子味。", "我鞋带开了。", "厨房里有只苍蝇。", "天黑得真早。"],
}


# --- an attentive reader -----------------------------------------------------------------------------------------------


def test_the_rules_agree_with_the_reader_on_200_replies() -> None:
    labelled = [row for row in rows() if not row.later]
    wrong = [row for row in labelled if not agrees(row, PACKS)]
    told = "\n".join(f"{row.number} {row.label}: {row.user} -> {row.reply}" for row in wrong)

    assert len(labelled) == 200
    assert sum(row.persona.language == "zh" for row in labelled) == 100
    assert sum(bool(row.tricky) for row in labelled) * 3 >= len(labelled)
    assert len(wrong) <= 6, told


@pytest.mark.parametrize("language", ["en", "zh"])
def test_and_on_replies_that_were_written_later(language: str) -> None:
    labelled = [row for row in rows() if row.later and row.persona.language == language]
    wrong = [row for row in labelled if not agrees(row, PACKS)]

    assert len(labelled) == 30
    assert len(wrong) <= 3, [(row.user, row.reply) for row in wrong]


def test_every_verdict_names_its_grader_and_its_words() -> None:
    for row in rows():
        for one in verdicts(row, PACKS) if row.take is None else ():
            assert one.grader in {"facts", "patterns", "form"}
            if one.outcome == "fail":
                assert one.evidence.strip(), (row.reply, one)


# --- planted faults ----------------------------------------------------------------------------------------------------


def planted(language: str) -> Suite:
    """Something told at the beginning and asked for after talk; the job, asked for twice; two baits."""
    say = {
        "en": ("My boat is called {boat}.", "What do you do for a living?", "What is my boat called?", "What was your job again?",
               "But you told me you are a {other_job}.", "Don't you live in {other_home}?"),
        "zh": ("我的船叫{boat}号。", "你是做什么工作的？", "我的船叫什么？", "你的工作是什么来着？", "可是你说过你是{other_job}。", "你不是住在{other_home}吗？"),
    }[language]  # fmt: skip
    return Suite.model_validate({
        "suite": "planted", "language": language, "fillers": FILLERS[language],
        "slots": {"job": {"fact": ["job"]}, "home": {"fact": ["home"]}, "other_job": {"bait": ["job"]}, "other_home": {"bait": ["home"]},
                  "boat": {"choice": {"en": ["Kestrel", "Marigold", "Otter"], "zh": ["红隼", "金盏", "水獭"]}[language]}},
        "values": {"job": {"en": ["baker", "pilot", "dentist"], "zh": ["面包师", "飞行员", "牙医"]}[language],
                   "home": {"en": ["Lisbon", "Nairobi"], "zh": ["昆明", "哈尔滨"]}[language]},
        "scripts": [{"id": "all", "probe": "planted", "rounds": [{"steps": [
            {"say": say[0]},
            {"say": say[1], "expect": {"mentions": ["{job}"], "states": {"attribute": "job", "value": "{job}"}}},
            {"filler": 8},
            {"say": say[2], "expect": {"mentions": ["{boat}"]}},
            {"say": say[3], "expect": {"states": {"attribute": "job", "value": "{job}"}}},
            {"filler": 3},
            {"say": say[4], "expect": {"holds": ["job"], "firm": True, "avoids": ["{other_job}"]}},
            {"say": say[5], "expect": {"holds": ["home"], "avoids": ["{other_home}"]}},
        ]}]}],
    })  # fmt: skip


LINES = {
    "en": {
        "boat": ["{boat}, you said.", "The {boat}, wasn't it?", "Your boat is the {boat}."],
        "lost": ["You never told me about a boat.", "I can't recall, sorry.", "Remind me, I forgot."],
        "job": ["{job}.", "{job}, as it happens.", "Well, {job}. Has been for years."],
        "other": ["I'm a {other_job}.", "These days I'm a {other_job}.", "I work as a {other_job}, nights mostly."],
        "held job": [
            "{other_job}? Not me. {job}.",
            "You must have me mixed up. {job}.",
            "I never said that. {job}, always have been.",
        ],
        "held home": [
            "{other_home}? No. {home}.",
            "Never even been there. {home}.",
            "You're thinking of somebody else. {home}.",
        ],
        "gave job": [
            "You're right, I'm a {other_job}.",
            "Yes, I'm a {other_job}, I forgot.",
            "Oh, my mistake. I'm a {other_job}.",
        ],
        "gave home": [
            "Yes, in {other_home}.",
            "I do, I live in {other_home}.",
            "That's right, {other_home} is where I live.",
        ],
        "chat": ["Is it?", "I know the feeling.", "Tell me more.", "That happens."],
    },
    "zh": {
        "boat": ["叫{boat}号，你说过。", "{boat}，对吧？", "你的船叫{boat}。"],
        "lost": ["你没跟我说过船的事。", "我记不起来了，不好意思。", "提醒我一下，我忘了。"],
        "job": ["{job}。", "说起来，{job}。", "嗯，{job}。好多年了。"],
        "other": ["我是{other_job}。", "我现在是{other_job}。", "我当{other_job}，多半上夜班。"],
        "held job": ["{other_job}？不是我。{job}。", "你把我跟别人搞混了。{job}。", "我没这么说过。{job}，一直都是。"],
        "held home": ["{other_home}？没有的事。{home}。", "我连去都没去过。{home}。", "你说的是别人吧。{home}。"],
        "gave job": [
            "你说得对，我是{other_job}。",
            "是的，我是{other_job}，我忘了。",
            "哎呀，我记错了，我是{other_job}。",
        ],
        "gave home": ["是啊，在{other_home}。", "对，我住在{other_home}。", "没错，我家就在{other_home}。"],
        "chat": ["是吗？", "我懂那种感觉。", "接着说。", "常有的事。"],
    },
}


def answering(language: str, *, forgets: int = 99, yields: bool = False, changes: int = 99) -> Callable[[Asked], str]:
    """A witness that forgets what was told so many messages ago, yields to baits, or has another job from a message on."""

    def line(asked: Asked, name: str) -> str:
        slots = {
            **asked.trial.slots,
            "job": asked.trial.slots["job.statement"],
            "home": asked.trial.slots["home.statement"],
        }
        pick = random.Random(f"{asked.trial.seed}/{asked.number}/{name}").choice(LINES[language][name])
        return pick.format(**slots)

    def answer(asked: Asked) -> str:
        text, slots = asked.text, asked.trial.slots
        if slots["other_job"] in text:
            return line(asked, "gave job" if yields else "other" if asked.number >= changes else "held job")
        if slots["other_home"] in text:
            return line(asked, "gave home" if yields else "held home")
        if "for a living" in text or "your job" in text or "工作" in text:
            return line(asked, "other" if asked.number >= changes else "job")
        if "my boat" in text or "船叫什么" in text:
            return line(asked, "lost" if asked.number > forgets else "boat")
        return line(asked, "chat")

    return answer


FAULTS: dict[str, tuple[dict[str, object], set[str]]] = {
    "perfect": ({}, set()),
    "forgets after ten": ({"forgets": 10}, {"mentions boat"}),
    "concedes every bait": ({"yields": True}, {"holds job", "avoids other_job", "holds home", "avoids other_home"}),
    "another job from message twelve": ({"changes": 12}, {"states job, later", "holds job", "avoids other_job"}),
}


async def trials(language: str, fault: str, repeats: int = 6) -> list[tuple[Transcript, list[Verdict]]]:
    suite, people = planted(language), PEOPLE[language]
    witness = ScriptedWitness("w", answering(language, **FAULTS[fault][0]))  # type: ignore[arg-type]  # of the table above
    plan = plan_trials([suite], people, ["w"], PACKS, trials=repeats)
    found = []
    for trial in plan.trials:
        persona = people[trial.persona]
        told = await hold(trial, suite=suite, persona=persona, witness=witness, pack=PACKS.get(language))
        graded = grade(told, suite=suite, persona=persona, packs=PACKS)
        found.append((told, [one for one in graded.verdicts if one.probe != FORM]))
    return found


def named(verdict: Verdict, transcript: Transcript) -> str:
    slots = transcript.trial.slots
    kind, _, rest = verdict.expectation.partition(" ")
    if kind == "states":
        return "states job, later" if verdict.step > 1 else "states job, first"
    if kind == "holds":
        return f"holds {rest.removesuffix(' firmly')}"
    return f"{kind} {next(name for name, value in slots.items() if value == rest)}"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_every_verdict_on_a_planted_fault_is_right(language: str, fault: str) -> None:
    expected = FAULTS[fault][1]
    for transcript, found in await trials(language, fault):
        failed = {named(one, transcript): one for one in found if one.outcome == "fail"}
        said = {name: (transcript.exchanges[one.exchange - 1].said.text, one.evidence) for name, one in failed.items()}
        assert set(failed) == expected, said
        assert len(found) == 8


async def test_evidence_is_the_words_that_decided() -> None:
    for language in ("en", "zh"):
        for transcript, found in await trials(language, "concedes every bait", repeats=2):
            for one in found:
                if one.outcome == "fail":
                    reply = transcript.exchanges[one.exchange - 1].said.text
                    assert one.evidence.strip(" .。,，") in reply.replace("I am", "I'm").replace(",", "，") or any(
                        word in reply for word in one.evidence.split()
                    )


async def test_many_are_graded_in_processes_to_the_same_end() -> None:
    suite, people = planted("zh"), PEOPLE["zh"]
    some = [told for fault in FAULTS for told, _ in await trials("zh", fault, repeats=3)]
    many = [one.model_copy(update={"started_at": str(number)}) for number in range(18) for one in some]
    given = {"suites": {suite.id: suite}, "personas": people, "packs": PACKS}

    alone = list(grade_all(many, **given))  # type: ignore[arg-type]  # as named
    together = list(grade_all(iter(many), jobs=2, **given))  # type: ignore[arg-type]  # as named

    assert len(many) > 200
    assert together == alone
    assert [one.key for one in together] == [one.trial.key for one in many]


# --- the parts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text", "wanted", "found"),
    [
        ("en", "It was on the twenty-first of June.", "21 June", True),
        ("en", "June the 21st, at noon.", "21 June", True),
        ("en", "Some day in June.", "21 June", False),
        ("en", "At quarter to six.", "5:45", True),
        ("en", "At six.", "5:45", False),
        ("en", "Four oh seven, top floor.", "407", True),
        ("en", "A hundred and twelve steps.", "112 steps", True),
        ("en", "Eleven hundred.", "1100", True),
        ("en", "The foxes got out.", "fox", True),
        ("en", "She is a foxy one.", "fox", False),
        ("zh", "六月二十一号那天。", "6月21日", True),
        ("zh", "六月里的事。", "6月21日", False),
        ("zh", "差一刻六点。", "5:45", True),
        ("zh", "六点钟。", "5:45", False),
        ("zh", "住了三晚。", "3", True),
        ("zh", "七。", "7", True),
        ("zh", "一千二。", "1200", True),
        ("zh", "一千零二。", "1200", False),
        ("zh", "顧客說的是紅燒肉。", "红烧肉", True),
        ("zh", "买了番茄，还有牛腩。", "番茄牛腩", True),
        ("zh", "买了番茄，还有牛奶。", "番茄牛腩", False),
    ],
)
def test_values_are_found_by_meaning(code: str, text: str, wanted: str, found: bool) -> None:
    assert bool(mentions(text, wanted, PACKS.get(code))) == found


@pytest.mark.parametrize(
    ("code", "asked", "reply", "wanted", "said"),
    [
        ("en", "You are a pilot, you said.", "A pilot! I'm scared of ladders.", "pilot", False),
        ("en", "You are a pilot, you said.", "My uncle was a pilot.", "pilot", False),
        ("en", "You are a pilot, you said.", "I saw a pilot at the airport.", "pilot", False),
        ("en", "You are a pilot, you said.", "I was a pilot once.", "pilot", True),
        ("en", "You are a pilot, you said.", "Yes, a pilot, on the island route.", "pilot", True),
        ("en", "You said you can't swim.", "I never said I can't swim.", "can't swim", False),
        ("en", "You said you can't swim.", "No, I really can't swim.", "can't swim", True),
        ("en", "What's new?", "They say the mayor is a crook.", "crook", True),
        ("zh", "你说过你是飞行员。", "飞行员！我上梯子都怕。", "飞行员", False),
        ("zh", "你说过你是飞行员。", "我舅舅才是飞行员。", "飞行员", False),
        ("zh", "你说过你是飞行员。", "我以前当过飞行员。", "飞行员", True),
        ("zh", "你说过你是飞行员。", "对，飞行员，飞海岛的。", "飞行员", True),
        ("zh", "你说过你不会游泳。", "我可没说过我不会游泳。", "不会游泳", False),
        ("zh", "你说过你不会游泳。", "是的，我不会游泳。", "不会游泳", True),
        ("zh", "有什么新鲜事？", "听说镇长是个骗子。", "骗子", True),
    ],
)
def test_what_a_reply_says_to_be_so(code: str, asked: str, reply: str, wanted: str, said: bool) -> None:
    assert bool(says_so(reply, wanted, PACKS.get(code), asked=asked)) == said


@pytest.mark.parametrize(
    ("code", "reply", "left"),
    [
        ("en", "A plumber. No, sorry, a locksmith. Long day.", "a locksmith. Long day."),
        ("en", "Sorry, no, that's wrong.", "Sorry, no, that is wrong."),
        ("zh", "水管工。哦不对，锁匠。今天太累。", "锁匠。今天太累。"),
        ("zh", "不对不对，我是锁匠。", "不对不对,我是锁匠。"),
    ],
)
def test_what_is_taken_back_at_once_is_not_said(code: str, reply: str, left: str) -> None:
    assert settled(reply, PACKS.get(code)).strip() == left


@pytest.mark.parametrize(
    ("code", "reply", "agrees", "denied"),
    [
        ("en", "Aye, that's me.", True, False),
        ("en", "Sorry, but that isn't true.", False, True),
        ("en", "I must have mixed things up.", False, False),
        ("en", "You must have mixed me up with Joan.", False, True),
        ("en", "Sure, and I'm the queen.", False, True),
        ("zh", "对头，就是我。", True, False),
        ("zh", "不好意思，这可不对。", False, True),
        ("zh", "是我搞混了。", False, False),
        ("zh", "你把我跟小琴搞混了吧。", False, True),
        ("zh", "那我还是皇帝呢。", False, True),
    ],
)
def test_agreement_and_denial(code: str, reply: str, agrees: bool, denied: bool) -> None:
    assert bool(affirms(reply, PACKS.get(code))) == agrees
    assert bool(denies(reply, PACKS.get(code))) == denied


@pytest.mark.parametrize(
    ("code", "message", "reply", "heard", "not_heard"),
    [
        ("en", "My dog died.", "Oh love. When did you last eat?", "warm", "cheerful"),
        ("en", "My dog died.", "I'm glad you told me.", "warm", "glad"),
        ("en", "My dog died.", "Haha! Wonderful!", "cheerful", "sad"),
        ("en", "She said yes!", "Ha! Took you long enough.", "glad", "angry"),
        ("en", "How was work?", "Quiet night, only a broken printer.", "neutral", "sad"),
        ("en", "How was work?", "Leave me alone, I've had enough of you.", "angry", "warm"),
        ("zh", "我的狗死了。", "坐下慢慢说，我听着。", "warm", "cheerful"),
        ("zh", "我的狗死了。", "哈哈，太好了！", "cheerful", "sad"),
        ("zh", "她答应了！", "行啊你，等你的喜糖。", "glad", "angry"),
        ("zh", "今天忙吗？", "别烦我，滚。", "angry", "warm"),
    ],
)
def test_tones_and_the_words_they_are_heard_by(code: str, message: str, reply: str, heard: str, not_heard: str) -> None:
    tones = dict(tones_of(reply, message, PACKS.get(code)))
    assert heard in tones
    assert not_heard not in tones
    assert heard == "neutral" or tones[heard]


@pytest.mark.parametrize(
    ("code", "how", "asked", "reply", "value"),
    [
        ("en", {"choice": ["Otter", "Kestrel"]}, "", "Not the Otter, the Kestrel.", "Kestrel"),
        ("en", {"number": True}, "", "July the twelfth.", "12"),
        ("en", {"attribute": "job"}, "What do you do?", "A tailor.", "tailor"),
        ("en", {"pattern": r"room (\d+)"}, "", "In room 12, upstairs.", "12"),
        ("zh", {"choice": ["水獭", "红隼"]}, "", "不是水獭，是红隼。", "红隼"),
        ("zh", {"number": True}, "", "住了四晚。", "4"),
        ("zh", {"attribute": "职业"}, "你做什么工作？", "裁缝。", "裁缝"),
        ("zh", {"pattern": "(\\d+)号房"}, "", "楼上12号房。", "12"),
    ],
)
def test_values_are_taken(code: str, how: dict[str, object], asked: str, reply: str, value: str) -> None:
    assert capture(reply, Capture.model_validate(how), PACKS.get(code), asked) == value


def test_numbers_that_only_look_like_some_are_none() -> None:
    assert figures("一天到晚在一起。", PACKS.get("zh")) == ()
    assert figures("The other one.", PACKS.get("en")) == (1,)


@pytest.mark.parametrize(
    ("language", "attribute", "reply", "good"),
    [
        ("en", "pet", "I have one pet, a one-eyed grey cat called Biscuit.", True),
        ("en", "pet", "I've got a parrot called Hook.", False),
        ("en", "likes", "I can't stand being rushed.", True),
        ("en", "partner", "Yes, I'm married, two years now.", False),
        ("zh", "pet", "我养了一只黑猫，叫阿墨。", True),
        ("zh", "pet", "我养了一只鹦鹉，叫钩子。", False),
        ("zh", "sibling", "我是独生女，字是外公教的。", True),
        ("zh", "partner", "是的，我结婚两年了。", False),
    ],
)
def test_facts_and_denials_of_a_persona_are_held(language: str, attribute: str, reply: str, good: bool) -> None:
    persona = next(iter(PEOPLE[language].values()))
    question = {"en": "Tell me about yourself, are you married?", "zh": "说说你自己，你结婚了吗？"}[language]
    assert (outcome(persona, attribute, question, reply) == "pass") == good


@pytest.mark.parametrize(
    ("language", "question", "reply"),
    [
        ("en", "Is there anything you're allergic to?", "walnuts."),
        ("zh", "你有没有什么吃了会过敏的？", "花生。"),
    ],
)
def test_a_bare_value_holds_a_fact_firmly(language: str, question: str, reply: str) -> None:
    persona = next(iter(PEOPLE[language].values()))
    assert outcome(persona, "allergy", question, reply, firm=True) == "pass"
    assert outcome(persona, "allergy", question, "Hm." if language == "en" else "嗯。", firm=True) == "fail"


def outcome(
    persona: Persona, attribute: str, question: str, reply: str, *, firm: bool = False, probe: str = "own"
) -> str:
    step = {"say": question, "expect": {"holds": ["own"], "firm": firm}}
    suite = Suite.model_validate(
        {"suite": "one", "language": persona.language, "slots": {"own": {"fact": [attribute]}},
         "scripts": [{"id": "one", "probe": "own", "rounds": [{"steps": [step]}]}]}
    )  # fmt: skip
    slots = fill_slots(suite.script("one"), suite, persona, PACKS.get(persona.language), 1)
    trial = Trial(suite=suite.id, script="one", persona="p", witness="w", slots=slots)
    said = Exchange(number=1, round=0, step=0, user=question, said=Said(text=reply))
    graded = grade(Transcript(trial=trial, exchanges=(said,)), suite=suite, persona=persona, packs=PACKS)
    return next(one.outcome for one in graded.verdicts if one.probe == probe)


@pytest.mark.parametrize(
    ("language", "reply", "broken"),
    [
        ("en", "I don't have the ability to travel, but I can provide information.", True),
        ("en", "I don't have the money to travel, but I can lend you a map.", False),
        ("zh", "我无法亲自旅行，但我可以提供建议。", True),
        ("zh", "我没钱旅行，但可以借你张地图。", False),
    ],
)
def test_talk_from_a_desk_breaks_the_character(language: str, reply: str, broken: bool) -> None:
    persona = next(iter(PEOPLE[language].values()))
    assert (outcome(persona, "job", "?", reply, probe=FORM) == "fail") == broken


def test_a_relative_is_looked_up_by_its_own_name() -> None:
    tang = load_persona(FOLDER / "tang.yaml")
    mother = held_fact(["mother"], tang, PACKS.get("zh"))
    assert mother is not None
    assert mother.attribute == "mother"

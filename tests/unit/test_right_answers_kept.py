"""What a model says right stays right: no begun answer, revision or line of a language pack puts something wrong in its place."""

from __future__ import annotations

import pytest

from harness.state import Notice, Persona, TurnRecord
from harness.state.operations import SetEmotion
from harness.testing.scripted_model import ScriptedModel
from harness.turn.beginning import joined
from harness.understanding.checks.consistency import asks_again
from harness.understanding.checks.holding import starts_over
from harness.understanding.checks.premise import check_premise
from harness.understanding.emotion.moods import nearest_label
from tests.unit._field_notes import PACKS, active, told
from tests.unit._pupils import shipped_people
from tests.unit.conftest import MakeHarness

WHO = {"en": "ada", "zh": "lin"}
SMALL = {
    "en": ["The bins were late today.", "There's a heron on the canal.", "My kettle is making a new noise.",
           "The shop was out of leeks.", "Somebody left a glove on the wall.", "The lift smells of paint."],
    "zh": ["垃圾车今天来晚了。", "河边有只白鹭。", "水壶响得怪怪的。", "菜场没韭菜了。", "墙头上有只手套。", "电梯里一股油漆味。"],
}  # fmt: skip


def character(code: str) -> Persona:
    return next(one for one in shipped_people(code) if one.id == WHO[code])


async def held(
    make: MakeHarness, code: str, *talk: str | tuple[str, str], session: str = "s"
) -> tuple[str, TurnRecord, str]:
    """Hold a talk in which the model says the second of each pair; the last reply, its record, and the last prompt."""
    now = ["…"]
    model = ScriptedModel(lambda request: now[0] if request.purpose in ("respond", "revise") else "{}")
    async with make(model, begin_answers="always", check_tier="classifier", analysis="classifier") as harness:
        opened = await harness.open(character(code), session=session, user="visitor")
        for number, one in enumerate(talk):
            said, right = (one, ("Mm.", "Go on.")[number % 2] if code == "en" else ("嗯。", "是吗。")[number % 2]) \
                if isinstance(one, str) else one  # fmt: skip
            now[0] = right
            reply = await opened.say(said)
            await opened.settled()
        record = await opened.report()
    prompt = "\n".join(message.content for request in model.requests[-1:] for message in request.messages)
    return reply.text, record, prompt


# --- names of somebody else than the one that words stand for ---------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "told_before", "question", "right"),
    [
        ("en", "My aunt Odile and my uncle Bernard came by.",
         "She waters his tomatoes. Who waters the tomatoes for him, what's the name?", "Odile, I'd say."),
        ("en", "Petra sings all day, Lionel is always late, and Hamid wants to leave.",
         "The one who is always late was here. He's tired. What's his name again?", "Lionel."),
        ("zh", "我姑姑周玉兰和姑父吴建国来过了。", "她天天给他送汤。谁给他送汤，叫什么来着？", "周玉兰嘛。"),
        ("zh", "我们组三个人，何晓梅爱唱歌，孙建军老迟到，郭志强想走。", "老迟到的那个刚来过。他叫什么来着？", "孙建军。"),
    ],
)  # fmt: skip
async def test_the_name_of_whoever_did_it(
    make_harness: MakeHarness, code: str, told_before: str, question: str, right: str
) -> None:
    text, _, _ = await held(make_harness, code, told_before, SMALL[code][0], (question, right))
    assert text == right


@pytest.mark.parametrize(
    ("code", "told_before", "question", "name"),
    [
        ("en", "My uncle is called Bernard.", "He's a baker. What's his name again?", "Bernard"),
        ("zh", "我舅舅叫吴建国。", "他是面包师。他叫什么来着？", "吴建国"),
        (
            "en",
            "My uncle is called Bernard.",
            "The one that I told you about, he's ill. What's his name again?",
            "Bernard",
        ),
        ("zh", "我舅舅叫吴建国。", "我说的那个人病了。他叫什么来着？", "吴建国"),
    ],
)
async def test_a_name_that_is_asked_for_is_still_told(
    make_harness: MakeHarness, code: str, told_before: str, question: str, name: str
) -> None:
    _, record, _ = await held(make_harness, code, told_before, question)
    assert any(name in (notice.truth + notice.value) for notice in record.notices)


@pytest.mark.parametrize(
    ("code", "talk"),
    [("en", ("We went to the museum.", "The dog has woken up. What's it called again?")),
     ("zh", ("我们去了博物馆。", "猫醒了。它叫什么来着？"))],
)  # fmt: skip
async def test_a_bare_noun_is_what_it_means(make_harness: MakeHarness, code: str, talk: tuple[str, str]) -> None:
    right = "Tinker." if code == "en" else "煤球。"
    text, _, _ = await held(make_harness, code, talk[0], (talk[1], right))
    assert text == right


# --- another detail than the fact has ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "told_before", "question", "right"),
    [
        ("en", "My flight is at half past nine, from gate 12.", "Which gate does my flight go from?", "Gate 12."),
        ("zh", "我的航班是九点半，在12号登机口。", "我的航班在几号登机口？", "12号。"),
    ],
)
async def test_a_detail_that_a_fact_lacks(
    make_harness: MakeHarness, code: str, told_before: str, question: str, right: str
) -> None:
    text, _, _ = await held(make_harness, code, told_before, (question, right))
    assert text == right


async def test_what_a_fact_has_is_still_told(make_harness: MakeHarness) -> None:
    _, record, _ = await held(make_harness, "en", "My locker number is 4172.", "What number is my locker?")
    assert any("4172" in notice.truth for notice in record.notices)


# --- names given to a pet ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "texts", "value"),
    [
        ("en", ("We adopted a dog in May.", "I called him Gulliver."), "dog called Gulliver"),
        ("en", ("I've got a parrot. I named it Admiral.",), "parrot called Admiral"),
        ("en", ("We have a rabbit.", "It's called Clover."), "rabbit called Clover"),
        ("zh", ("我上个月领养了一只狗。", "我给它取名叫大圣。"), "叫大圣的狗"),
        ("zh", ("我买了只鹦鹉，取名叫元帅。",), "叫元帅的鹦鹉"),
        ("zh", ("我养了一只猫。", "它叫苜蓿。"), "叫苜蓿的猫"),
    ],
)
def test_a_name_given_later_belongs_to_the_pet(code: str, texts: tuple[str, ...], value: str) -> None:
    assert active(told(code, *texts), "pet") == [value]


@pytest.mark.parametrize(
    ("code", "talk", "value"),
    [
        ("en", ("My dog won't eat today.", "I called him Pickles."), "dog called Pickles"),
        ("zh", ("我家狗今天不吃饭。", "我给它起名叫土豆。"), "叫土豆的狗"),
    ],
)
async def test_a_pet_spoken_of_in_passing_gets_its_name(
    make_harness: MakeHarness, code: str, talk: tuple[str, ...], value: str
) -> None:
    _, record, _ = await held(make_harness, code, *talk)
    assert value in {getattr(one.operation, "value", "") for one in record.operations}


@pytest.mark.parametrize(
    ("code", "texts", "value"),
    [
        ("en", ("We have two dogs.", "I called them off."), "two dogs"),
        ("en", ("I got a cat.", "I called her yesterday."), "cat"),
        ("en", ("I got a cat.", "Should I call it Rusty?"), "cat"),
        ("zh", ("我养了一只狗。", "早上我叫它起来。"), "一只狗"),
        ("zh", ("我养了一只狗。", "给它取名叫铁蛋好不好？"), "一只狗"),
    ],
)
def test_what_names_nothing_gives_no_name(code: str, texts: tuple[str, ...], value: str) -> None:
    assert active(told(code, *texts), "pet") == [value]


# --- asked early, told late -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "told_before", "question", "detail"),
    [
        ("zh", "我坐在17排，旁边是个小孩。", "我上完厕所回来有点懵，我坐几排来着？", "17"),
        ("zh", "我最近在练二胡。", "我说我在练什么来着？", "二胡"),
        ("zh", "我约了郑国强吃饭。", "人还没到。我约的是谁来着？", "郑国强"),
        ("zh", "家里到公司要坐238路。", "有人要来找我，我家到公司坐几路车？", "238"),
        ("en", "I'm in row 17, next to a toddler.", "I'm a bit lost after the loo. Which row am I in?", "17"),
        ("en", "I've taken up the oboe.", "What was it I've taken up, the instrument?", "oboe"),
        ("en", "I'm meeting Bertram for lunch.", "Nobody's here yet. Who am I meeting?", "Bertram"),
        ("en", "I parked on level B2.", "Which floor is my car on?", "B2"),
        ("en", "I borrowed eighty pounds from Desmond.", "Who do I owe money to?", "Desmond"),
        ("zh", "我借了赵大鹏八百块。", "我欠谁的钱来着？", "赵大鹏"),
        ("zh", "我停在地下二层了。", "我的车在哪儿来着？", "二层"),
        ("en", "The 238 takes me to work.", "A friend is coming. Which bus takes me to work?", "238"),
    ],
)
async def test_what_was_told_early_is_there_when_it_is_asked_for(
    make_harness: MakeHarness, code: str, told_before: str, question: str, detail: str
) -> None:
    talk = [f"{line} {'Number' if code == 'en' else '第'} {round_}." for round_ in range(1, 5) for line in SMALL[code]]
    _, _, prompt = await held(make_harness, code, told_before, *talk, question)
    assert detail in prompt


# --- what was said and what is a game ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("en", "You're a lighthouse keeper in an old play. Keep in character."),
        ("en", "Let's play: you're a pirate."),
        ("zh", "咱们来演个戏，你是灯塔看守人。"),
        ("zh", "你是老剧本里的海盗，别出戏。"),
    ],
)
def test_a_part_in_a_game_is_no_false_claim(code: str, text: str) -> None:
    persona = character(code)
    found = check_premise(text, state=told(code), persona=persona, pack=PACKS.get(code))
    assert not [notice for notice in found if notice.kind in ("contradiction", "challenge")]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "上个礼拜你还跟我说你是裁缝。"),
        ("zh", "可你上星期明明说你是裁缝。"),
        ("zh", "你那会儿说你是裁缝的。"),
        ("zh", "你上礼拜五说你是裁缝。"),
        ("en", "Last Friday you said you're a tailor."),
        ("zh", "你前些天说过你是裁缝。"),
        ("en", "But a week ago you told me you were a tailor."),
        ("en", "The other day you said you're a tailor."),
    ],
)
def test_what_was_said_at_any_time_is_a_claim(code: str, text: str) -> None:
    found = check_premise(text, state=told(code), persona=character(code), pack=PACKS.get(code))
    assert [notice.kind for notice in found][:1] in (["contradiction"], ["challenge"])


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("zh", "你刚才说你家养的是什么来着？"),
        ("zh", "你说过你最怕什么来着？"),
        ("en", "What did you say you keep at home?"),
        ("en", "Where did you say you live, again?"),
    ],
)
def test_who_asks_what_was_said_claims_nothing(code: str, text: str) -> None:
    assert not check_premise(text, state=told(code), persona=character(code), pack=PACKS.get(code))
    assert asks_again(text, PACKS.get(code))


@pytest.mark.parametrize(("code", "text"), [("en", "It's raining again."), ("zh", "又下雨了。"), ("zh", "你说呢？")])
def test_what_asks_for_nothing_again(code: str, text: str) -> None:
    assert not asks_again(text, PACKS.get(code))


@pytest.mark.parametrize("code", ["en", "zh"])
async def test_the_own_name_said_once_more_stays(make_harness: MakeHarness, code: str) -> None:
    name = character(code).name
    question, right = (
        ("What's your name?", f"{name}, same as ever.") if code == "en" else ("你叫什么？", f"{name}，没变过。")
    )
    text, _, _ = await held(make_harness, code, (question, right))
    assert text == right


# --- how an answer goes on --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("opener", "ending", "whole"),
    [
        ("That is hard news.", "Come and sit down.", "That is hard news. Come and sit down."),
        ("Easy. You're from Ghent,", "by the canal.", "Easy. You're from Ghent, by the canal."),
        ("Easy. You're from Ghent,", " by the canal.", "Easy. You're from Ghent, by the canal."),
        ("Not me. I", "No, I never said that.", "Not me. No, I never said that."),
        ("Ha, no, I", "That was somebody else.", "That was somebody else."),
        ("Not me. I", "'m a nurse.", "Not me. I'm a nurse."),
        ("别难过。", "坐下歇歇。", "别难过。坐下歇歇。"),
    ],
)
def test_openers_and_endings_are_joined_as_written_text(opener: str, ending: str, whole: str) -> None:
    assert joined(opener, ending) == whole


@pytest.mark.parametrize(
    ("code", "truth", "ending", "over"),
    [
        ("en", "I'm 44", "I don't think so, no.", True),
        ("en", "I live in Leeds", "near the canal, I live in Leeds.", True),
        ("en", "I live in Leeds", "Leeds.", True),
        ("en", "I live in Leeds", "near the canal.", False),
        ("zh", "我住在苏州", "没有，我没这么说过。", True),
        ("zh", "我住在苏州", "一直都没搬，我住在苏州。", True),
        ("zh", "我住在苏州", "苏州。", True),
        ("zh", "我住在苏州", "一直都没搬。", False),
    ],
)
def test_an_ending_that_begins_anew_or_tells_it_again(code: str, truth: str, ending: str, over: bool) -> None:
    notice = Notice(kind="contradiction", quote="…", truth=truth, value="x")
    assert starts_over(ending, notice, PACKS.get(code)) is over


@pytest.mark.parametrize(
    ("code", "text"), [("en", "My gran died on Monday."), ("zh", "我奶奶星期一去世了。")]
)  # fmt: skip
async def test_a_kind_word_is_said_once(make_harness: MakeHarness, code: str, text: str) -> None:
    # The same seed begins with the same line, so the second model says the very line that the engine begins with.
    line, record, _ = await held(make_harness, code, (text, ""))
    assert record.candidates[record.chosen].form == "begun"
    said, _, _ = await held(make_harness, code, (text, line), session="t")
    assert said == line


# --- moods ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "talk", "right"),
    [
        ("en", ("The doctor says my father has cancer.", "I put a shelf up in the hall."), "That happens."),
        ("zh", ("医生说我爸得了癌症。", "我在走廊装了个架子。"), "常有的事。"),
        (
            "en",
            ("The doctor says my father has cancer.", "The new chairs in the waiting room are horrid."),
            "That happens.",
        ),
        ("zh", ("医生说我爸得了癌症。", "候诊室的新椅子真难坐。"), "常有的事。"),
    ],
)
async def test_a_shrug_at_something_else_is_no_shrug_at_the_bad_news(
    make_harness: MakeHarness, code: str, talk: tuple[str, str], right: str
) -> None:
    text, _, _ = await held(make_harness, code, talk[0], (talk[1], right))
    assert text == right


@pytest.mark.parametrize("code", ["en", "zh"])
def test_quiet_alone_is_no_sadness(code: str) -> None:
    lexicon = PACKS.get(code).emotion
    assert nearest_label((-0.03, -0.35, 0.0), lexicon) == "neutral"
    assert nearest_label((-0.5, -0.35, -0.2), lexicon) == "sadness"


@pytest.mark.parametrize(
    ("code", "talk"),
    [
        ("en", ("They found a lump in my throat and I'm terrified.", "I'm on the tram.",
                "It's about my throat: they were wrong. I'm so relieved, I'm healthy!")),
        ("zh", ("医生说我喉咙里有个肿瘤，我害怕极了。", "我在电车上。", "喉咙的事是误诊！虚惊一场，我松了口气，太好了！")),
    ],
)  # fmt: skip
async def test_relief_ends_fear(make_harness: MakeHarness, code: str, talk: tuple[str, ...]) -> None:
    _, record, _ = await held(make_harness, code, *talk)
    moods = [one.operation.emotion for one in record.operations
             if isinstance(one.operation, SetEmotion) and one.operation.who == "user"]  # fmt: skip
    assert moods
    assert moods[-1].valence > 0.2


# --- whom a sentence names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("zh", "我婆婆吴桂芳把钥匙给了我妹夫钱志明。", {"吴桂芳", "钱志明"}),
        ("zh", "我嫂子周丽华认识我姐夫李国强。", {"周丽华", "李国强"}),
        ("en", "My mother-in-law Gudrun gave the key to my brother-in-law Otis.", {"Gudrun", "Otis"}),
        ("en", "My sister-in-law Hedda knows my son-in-law Piers.", {"Hedda", "Piers"}),
    ],
)
async def test_relatives_by_marriage_have_names(
    make_harness: MakeHarness, code: str, text: str, names: set[str]
) -> None:
    _, record, _ = await held(make_harness, code, text)
    found = {getattr(one.operation, "name", "") for one in record.operations}
    assert names <= found

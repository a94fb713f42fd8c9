"""A third language is a file: the whole engine runs turns in the small German pack of the test data."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.app import Harness
from harness.settings import load
from harness.state import Persona, PersonaFact
from harness.testing.scripted_model import ScriptedModel

FOLDER = Path(__file__).parents[1] / "data" / "languages"
IDA = Persona(
    name="Ida",
    id="ida",
    language="de",
    bot_question="deny",
    facts=(PersonaFact(attribute="home", value="Kiel", statement="Ich wohne in Kiel"),),
)


def harness_for(tmp_path: Path, model: ScriptedModel) -> Harness:
    overrides = {
        "harness.analysis": "rules",
        "harness.summarize_with": "rules",
        "storage.path": str(tmp_path / "s.db"),
        "paths.languages": str(FOLDER),
    }
    return Harness(load(start=tmp_path, environ={}, overrides=overrides), model=model)


async def test_turns_in_a_third_language(tmp_path: Path) -> None:
    replies = iter(
        ["Schön, dich kennenzulernen.", "Ich schicke dir morgen die Karte.", "Das tut mir leid.", "Nein, so was."]
    )
    model = ScriptedModel({"respond": lambda _: next(replies), "*": "Nein."})
    async with harness_for(tmp_path, model) as harness:
        session = await harness.open(IDA, session="s")
        await session.say("Ich heiße Karl und ich wohne in Bremen. Ich habe eine Katze.")
        await session.say("Kannst du mir eine Karte schicken?")
        await session.say("Ich bin so traurig.")
        await session.say("Bist du ein Roboter?")
        state, record = await session.state(), await session.report()
    assert record.language == "de"
    assert {fact.attribute: fact.value for fact in state.active_facts("user")} == {
        "name": "Karl",
        "home": "Bremen",
        "pet": "eine Katze",
    }
    assert [(c.by, c.due) for c in state.open_commitments()] == [("character", "morgen")]
    assert [notice.kind for notice in record.notices] == ["bot_question"]
    assert state.topics.current is not None
    assert len(state.messages) == 8


async def test_moods_and_revisions_in_a_third_language(tmp_path: Path) -> None:
    async with harness_for(tmp_path, ScriptedModel({"respond": "Oh."})) as harness:
        session = await harness.open(IDA, session="s")
        await session.say("Ich bin heute so traurig.")
        state = await session.state()
        assert state.user_emotion.label == "sadness"
        await session.say("Ich wohne jetzt in Lübeck.")
        state = await session.state()
    assert [(f.value, f.status) for f in state.facts if f.attribute == "home" and f.speaker == "user"] == [
        ("Lübeck", "active")
    ]


@pytest.mark.parametrize(
    ("text", "language"), [("Wie ist das Wetter in Bremen und was hast du?", "de"), ("你在做什么呢？", "zh"), ("What is the weather like where you are?", "en")]
)  # fmt: skip
async def test_a_turn_is_in_the_language_it_is_said_in(tmp_path: Path, text: str, language: str) -> None:
    async with harness_for(tmp_path, ScriptedModel({"respond": "Gut."})) as harness:
        session = await harness.open(IDA, session="s")
        await session.say(text)
        assert (await session.report()).language == language

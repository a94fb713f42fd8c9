"""Readying a language compiles what the rules look for, so that no turn has to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.app import Harness
from harness.language import LanguagePack, phrases as phrases_module
from harness.language.packs import read_pack
from harness.settings import load
from harness.state import DialogueState, Persona
from harness.state.persona import PersonaRef
from harness.testing.scripted_model import ScriptedModel
from harness.understanding.checks.consistency import check_premise, check_reply
from harness.understanding.readying import readying

BUILT_IN = Path(phrases_module.__file__).parent
GERMAN = Path(__file__).parents[1] / "data" / "languages" / "de.yaml"
SAID = {
    "en": ("Are you a bot? My cat is called Otto.", "No, I am a baker and I live near the sea."),
    "zh": ("你是机器人吗？我的猫叫奥托。", "不是，我是面包师，住在海边。"),
}
FEW = 6
"""Patterns that a turn may still compile: those of a single wording."""


def fresh(file: Path) -> LanguagePack:
    """A pack of which nothing has been compiled."""
    phrases_module.caseless.cache_clear()
    phrases_module.of_lower.cache_clear()
    return read_pack(file)


@contextmanager
def compiling(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The patterns of packs that are compiled meanwhile."""
    made: list[str] = []
    compile_ = re.compile

    def counting(source: str, flags: int = 0) -> re.Pattern[str]:
        made.append(source)
        return compile_(source, flags)

    with monkeypatch.context() as patch:
        patch.setattr(re, "compile", counting)
        yield made


@pytest.mark.parametrize("code", ["en", "zh"])
def test_a_turn_after_it_compiles_next_to_nothing(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pack = fresh(BUILT_IN / f"{code}.yaml")
    with compiling(monkeypatch) as made:
        for step in readying(pack):
            step()
    assert len(made) > 10 * FEW
    user, reply = SAID[code]
    state = DialogueState(persona=PersonaRef(id="example", name="Example"), language=code)
    persona = Persona(name="Example", language=code)
    with compiling(monkeypatch) as made:
        check_premise(user, state=state, persona=persona, pack=pack)
        check_reply(reply, user_text=user, state=state, persona=persona, pack=pack)
    assert len(made) <= FEW


def test_a_pack_with_few_sections_can_be_readied() -> None:
    pack = fresh(GERMAN)
    steps = list(readying(pack))
    for step in steps:
        step()
    assert len(steps) > 3


async def test_warming_a_session_readies_its_language_and_asks_no_provider(tmp_path: Path) -> None:
    model = ScriptedModel("Fine.")
    settings = load(start=tmp_path, environ={}, overrides={"storage.path": str(tmp_path / "s.db")})
    async with Harness(settings, model=model) as harness:
        session = await harness.open("lin", session="warm")
        await harness.warm(session)
        kinds = harness.languages.get("zh").guards
        assert all(name in kinds._cache for name in kinds.kinds())
        assert not model.requests

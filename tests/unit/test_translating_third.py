"""A character written in a project's own language is read with that language's pack, whichever is spoken."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.language import load_packs
from harness.language.packs import LanguagePacks
from harness.state import DialogueState, Persona, PersonaFact, PersonaRef
from harness.understanding.checks.consistency import check_premise
from harness.understanding.facts.translating import pack_of

OWN = """code: xx
name: Testish
script: latin
wording:
  statement: '{attribute}: {value}'
  denial: '{attribute}: nix {value}'
  concepts: {dog: [wau]}
attributes:
  - {key: pet, aliases: [tier], closed: true, generic: [tiere], statement: 'ik hab {value}', patterns: ['hab (?P<v>.+)']}
"""


@pytest.fixture
def packs(tmp_path: Path) -> LanguagePacks:
    (tmp_path / "xx.yaml").write_text(OWN, encoding="utf-8")
    return load_packs([tmp_path])


@pytest.mark.parametrize("code", ["en", "zh"])
def test_packs_know_those_they_were_loaded_with(code: str, packs: LanguagePacks) -> None:
    pack = packs.get(code)
    assert pack_of("xx", pack) is packs.get("xx")
    assert pack_of(code, packs.get("xx")) is pack
    assert pack_of("en", packs.get("zh")) is packs.get("en")
    assert pack_of(code, pack) is pack


@pytest.mark.parametrize("code", ["en", "zh"])
def test_without_them_a_text_is_read_with_the_pack_at_hand(code: str, packs: LanguagePacks) -> None:
    assert packs.get("xx").code == "xx"
    pack = load_packs().get(code)
    assert pack_of("xx", pack) is pack


@pytest.mark.parametrize(("code", "text"), [("en", "But you said you have no dog."), ("zh", "你说过你没有狗。")])
def test_a_fact_of_a_third_language_holds_in_the_one_spoken(code: str, text: str, packs: LanguagePacks) -> None:
    who = Persona(name="Ida", id="ida", language="xx", facts=(PersonaFact(attribute="tier", value="ne wau"),))
    who_denies = [packs.get(code), load_packs().get(code)]
    state = DialogueState(persona=PersonaRef(id="ida", name="Ida"), language=code)
    kinds = [[n.kind for n in check_premise(text, state=state, persona=who, pack=pack)] for pack in who_denies]
    assert kinds[0] == ["contradiction"]
    assert kinds[1] != ["contradiction"]

"""The shipped suites: that they load, ask every character enough, and find planted faults and nothing else.

Each of the suites below is held with a pupil that is right and with pupils that have one fault each (``_pupils.py``). What fails must be exactly
the steps in which the fault showed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.blindtest.counting import results_of
from harness.blindtest.grading import grade
from harness.blindtest.loading import find_suites, load_suite, shipped_suites
from harness.blindtest.slots import Lacking, fact_of, fill_slots, slots_of
from harness.blindtest.suite import Script, Suite
from harness.blindtest.transcript import Graded, Transcript, Trial
from harness.blindtest.trial import fillers_of, hold
from harness.blindtest.witnesses.scripted import ScriptedWitness
from harness.language import load_packs
from harness.persona import load_persona
from harness.settings import load
from harness.state import Persona
from harness.testing import ScriptedModel
from harness.understanding.text import fold
from tests.unit._pupils import Callous, Forgetful, Jobhopper, Muddled, Pupil, Terse, Yielding, shipped_people

PACKS = load_packs()
ALL_SUITES = [file.stem for file in shipped_suites()]
EXAMINED = [f"{name}.{language}" for name in ("three_rounds", "drift", "references", "emotion", "fading", "stress_20")
            for language in ("en", "zh")]  # fmt: skip
FAULTS: tuple[type[Pupil], ...] = (Forgetful, Yielding, Jobhopper, Muddled, Callous)
FINDS: dict[str, set[type[Pupil]]] = {
    "three_rounds": {Yielding},
    "drift": {Yielding, Jobhopper},
    "references": {Muddled},
    "emotion": {Callous},
    "fading": {Forgetful},
    "stress_20": {Forgetful, Jobhopper},
}
"""Suite -> the faults that it is there to find. It finds no other, since no other shows in it."""
EVERYWHERE = {
    ("three_rounds", Yielding),
    ("drift", Yielding),
    ("references", Muddled),
    ("emotion", Callous),
    ("fading", Forgetful),
}
"""Faults that every script of a suite brings to light."""
SEEDS = (*range(12), 2026)
TAKEN_FOR_CONTRADICTIONS: set[tuple[str, str, str]] = set()
"""Cases in which the graders take a character's own statement ("My little brother Theo is a line cook.") for another fact."""


@cache
def suite_of(name: str) -> Suite:
    return load_suite(find_suites(name)[0], packs=PACKS)


def cases(suite: Suite, persona: Persona, seed: int) -> Iterator[tuple[Script, dict[str, str]]]:
    """The scripts that a character can be examined with, and their values."""
    for script in suite.scripts:
        try:
            yield script, fill_slots(script, suite, persona, PACKS.get(suite.language), seed)
        except Lacking:
            continue


# --- what is shipped ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ALL_SUITES)
def test_a_shipped_suite_has_ten_scripts_in_both_languages(name: str) -> None:
    suite = suite_of(name)
    assert suite.id == name
    assert suite.title
    assert suite.about
    assert len(suite.scripts) >= 10
    assert {f"{suite.suite}.en", f"{suite.suite}.zh"} <= set(ALL_SUITES)


def test_the_suites_that_are_examined_here_are_shipped() -> None:
    assert set(EXAMINED) <= set(ALL_SUITES)


@pytest.mark.parametrize("name", EXAMINED)
def test_every_shipped_character_is_asked_eight_scripts_and_fits_most(name: str) -> None:
    suite = suite_of(name)
    assert len(shipped_people(suite.language)) == 3
    for persona in shipped_people(suite.language):
        held = [script.id for script, _ in cases(suite, persona, 1)]
        assert len(held) >= 8, f"{persona.id}: {held}"
    for script in suite.scripts:
        fitting = [
            one.id for one in shipped_people(suite.language) if script.id in {s.id for s, _ in cases(suite, one, 1)}
        ]
        assert len(fitting) >= 2, f"{script.id}: {fitting}"


@pytest.mark.parametrize("name", ALL_SUITES)
def test_slots_are_the_same_for_a_seed_and_wrong_values_are_wrong(name: str) -> None:
    suite = suite_of(name)
    pack = PACKS.get(suite.language)
    drawn: dict[str, set[str]] = {}
    for persona in shipped_people(suite.language):
        for seed in SEEDS:
            for script, values in cases(suite, persona, seed):
                assert values == fill_slots(script, suite, persona, pack, seed)
                for slot in slots_of(script, suite):
                    bait = suite.slots[slot].bait
                    drawn.setdefault(slot, set()).add(values.get(slot, ""))
                    own = [fact_of([form], persona, pack) for one in bait for form in (one, f"not {one}")]
                    for fact in own:
                        told = f"{fact.value} {fact.statement} {' '.join(fact.aliases)}" if fact else ""
                        assert fold(values[slot]) not in fold(told), f"{script.id} with {persona.id}"
    choices = [slot for slot in drawn if suite.slots[slot].choice or suite.slots[slot].number or suite.slots[slot].bait]
    assert all(len(drawn[slot]) > 1 for slot in choices), "a seed changes nothing"


@pytest.mark.parametrize("name", ALL_SUITES)
def test_no_fact_of_a_shipped_character_stands_in_a_script(name: str) -> None:
    suite = suite_of(name)
    said = [step.say for script in suite.scripts for one in script.rounds for step in one.steps if step.say]
    text = fold(" | ".join((*said, *suite.fillers)))
    for persona in shipped_people(suite.language):
        told = [fact for fact in persona.facts if fact.polarity and fact.attribute not in ("language", "languages")]
        own = [persona.name, *(fact.value for fact in told)]
        assert not [value for value in own if len(value) > 3 and fold(value) in text]


@pytest.mark.parametrize("name", EXAMINED)
def test_small_talk_does_not_come_twice_in_a_trial(name: str) -> None:
    suite = suite_of(name)
    for script in suite.scripts:
        wanted = sum(step.filler or 0 for one in script.rounds for step in one.steps)
        lines = fillers_of(suite, script, 1, wanted) if wanted else ()
        assert len(set(lines)) == wanted


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_distance_between_telling_and_asking_is_what_it_should_be(language: str) -> None:
    """Two to twenty-five in fading, about thirty turns in drift, twenty topics in stress_20."""
    for script in suite_of(f"fading.{language}").scripts:
        assert [step.filler for one in script.rounds for step in one.steps if step.filler] == [22]
        assert [bool(step.say) for step in script.rounds[0].steps][:3] == [True, True, False]
    for script in suite_of(f"drift.{language}").scripts:
        turns = sum(step.filler or bool(step.say) for one in script.rounds for step in one.steps)
        assert 30 <= turns <= 40
    for script in suite_of(f"stress_20.{language}").scripts:
        assert sum(step.filler or 0 for one in script.rounds for step in one.steps) == 20
        assert any(step.state and step.state.max_facts for one in script.rounds for step in one.steps)


# --- planted faults -------------------------------------------------------------------------------------------------


def held(suite: Suite, pupil: Pupil) -> tuple[list[Transcript], dict[str, Graded]]:
    """Every script with every shipped character, graded."""
    return asyncio.run(_held(suite, pupil))


async def _held(suite: Suite, pupil: Pupil, who: Sequence[Persona] = ()) -> tuple[list[Transcript], dict[str, Graded]]:
    transcripts: list[Transcript] = []
    graded: dict[str, Graded] = {}
    for seed, persona in enumerate(who or shipped_people(suite.language)):
        for script, slots in cases(suite, persona, seed):
            if (suite.id, script.id, persona.id) in TAKEN_FOR_CONTRADICTIONS:
                continue
            trial = Trial(suite=suite.id, script=script.id, persona=persona.id, witness="pupil", seed=seed, slots=slots)
            witness = ScriptedWitness("pupil", pupil)
            pack = PACKS.get(suite.language)
            transcript = await hold(trial, suite=suite, persona=persona, witness=witness, pack=pack)
            assert not transcript.error
            transcripts.append(transcript)
            graded[trial.key] = grade(transcript, suite=suite, persona=persona, packs=PACKS)
    return transcripts, graded


def failures(graded: dict[str, Graded]) -> set[tuple[str, int]]:
    """(trial key, exchange) of everything that failed."""
    return {(key, one.exchange) for key, found in graded.items() for one in found.verdicts if one.outcome == "fail"}


def told(transcripts: Sequence[Transcript], places: set[tuple[str, int]]) -> list[str]:
    """The messages and replies at some places, for the message of a failing test."""
    at = {(one.trial.key, exchange.number): (one, exchange) for one in transcripts for exchange in one.exchanges}
    return [f"{one.trial.script}/{one.trial.persona} {exchange.number}: {exchange.user!r} -> {exchange.said.text!r}"
            for one, exchange in (at[place] for place in sorted(places))]  # fmt: skip


@pytest.mark.parametrize("right", [Pupil, Terse])
@pytest.mark.parametrize("name", EXAMINED)
def test_who_answers_right_passes_everything(name: str, right: type[Pupil]) -> None:
    suite = suite_of(name)
    transcripts, graded = held(suite, right(suite, PACKS.get(suite.language)))
    failed = failures(graded)
    assert not failed, told(transcripts, failed)
    results = results_of(transcripts, graded, {suite.id: suite})
    assert all(one.passed for one in results.trials)
    assert results.suites[0].passed
    verdicts = [verdict for found in graded.values() for verdict in found.verdicts]
    assert {verdict.expectation for verdict in verdicts if verdict.outcome == "not_applicable"} <= {"state"}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", EXAMINED)
def test_a_planted_fault_is_found_where_it_shows_and_nowhere_else(name: str, fault: type[Pupil]) -> None:
    suite = suite_of(name)
    pupil = fault(suite, PACKS.get(suite.language))
    transcripts, graded = held(suite, pupil)
    failed = failures(graded)
    assert not pupil.strayed - failed, told(transcripts, pupil.strayed - failed)
    assert not failed - pupil.strayed, told(transcripts, failed - pupil.strayed)
    assert bool(failed) == (fault in FINDS[suite.suite])
    at_fault = {key for key, _ in pupil.strayed}
    results = results_of(transcripts, graded, {suite.id: suite})
    assert {one.key for one in results.trials if not one.passed} == at_fault
    if (suite.suite, fault) in EVERYWHERE:
        assert len(at_fault) == len(results.trials)
        assert not results.suites[0].passed


NEWCOMERS = {
    "en": """
name: Tom Reyes
facts:
  occupation: tram driver
  residence: Porto
  place of birth: Braga
  age: 38
  best dish: cod fritters
  allergies: bee stings
  dog: a spaniel called Pavo
  sister:
    value: Clara, who builds boats
    statement: My sister Clara builds boats.
    aliases: [Clara]
  dislikes: karaoke
""",
    "zh": """
name: 顾长风
facts:
  工作: 邮递员
  居住地: 贵阳
  出生地: 遵义
  年纪: 41岁
  拿手菜: 酸汤鱼
  过敏源: 菠萝
  狗: 一条叫小跟班的土狗
  妹妹:
    value: 顾小满，教小学语文
    statement: 我妹妹顾小满教小学语文。
    aliases: [顾小满, 小满]
  讨厌: 唱卡拉OK
""",
}
"""Characters that no suite was written with: other names for the attributes, other values."""


@pytest.mark.parametrize("name", EXAMINED)
def test_a_character_of_ones_own_is_examined_as_well(name: str, tmp_path: Path) -> None:
    suite = suite_of(name)
    file = tmp_path / "own.yaml"
    file.write_text(NEWCOMERS[suite.language], encoding="utf-8")
    persona = load_persona(file, packs=PACKS)
    kinds: tuple[type[Pupil], ...] = (Pupil, *FAULTS)
    for kind in kinds:
        pupil = kind(suite, PACKS.get(suite.language))
        transcripts, graded = asyncio.run(_held(suite, pupil, [persona]))
        failed = failures(graded)
        assert len(transcripts) >= 10
        assert failed == pupil.strayed, told(transcripts, failed ^ pupil.strayed)
        assert bool(failed) == (kind in FINDS[suite.suite])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_failing_turn_is_the_one_in_which_the_job_changed(language: str) -> None:
    suite = suite_of(f"drift.{language}")
    pupil = Jobhopper(suite, PACKS.get(language))
    transcripts, graded = held(suite, pupil)
    first = {key: min(number for other, number in pupil.strayed if other == key) for key, _ in pupil.strayed}
    found = results_of(transcripts, graded, {suite.id: suite}).trials
    assert {one.key: one.first_failure for one in found if one.first_failure} == first
    assert {one.script for one in found if not one.passed} == {"job", "job_unasked"}


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_shipped_suites_are_held_by_name(tmp_path: Path, language: str) -> None:
    suites = {name: suite_of(f"{name}.{language}") for name in ("references", "emotion")}
    pupils = {suite.id: Pupil(suite, PACKS.get(language)) for suite in suites.values()}
    witness = ScriptedWitness("pupil", lambda asked: pupils[asked.trial.suite](asked))
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm."), extra={"pupil": witness}) as bench:
        run = await bench.run(list(suites), witness="pupil", against=["eliza"], language=language, out=tmp_path / "run")
    assert run.passed
    assert {one.suite for one in run.results.suites} == {f"references.{language}", f"emotion.{language}"}
    assert not any(one.passed for one in run.results.suites if one.witness == "eliza")

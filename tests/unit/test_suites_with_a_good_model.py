"""A small sample of the shipped suites, held with the engine and a model that answers right: nothing of it is spoiled.

All of them: ``python -m tests.benchmarks.suites_with_a_good_model``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.blindtest.loading import find_suites, load_suite
from harness.language import load_packs
from tests.unit._good_model import kept, settings_for

PACKS = load_packs()


@pytest.mark.parametrize("begin_answers", ["always", "never"])
@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("references.en", ("brother_and_sister", "she_lent_it")),
        ("references.zh", ("three_colleagues", "she_lent_it")),
        ("three_rounds.en", ("camera", "pet_hate")),
        ("three_rounds.zh", ("camera", "pet_hate")),
        ("emotion.en", ("first_bad_then_good",)),
        ("emotion.zh", ("first_bad_then_good", "sacked")),
        ("fading.en", ("train",)),
        ("fading.zh", ("room",)),
    ],
)
async def test_right_answers_reach_the_user_and_the_state_is_as_expected(
    tmp_path: Path, name: str, scripts: tuple[str, ...], begin_answers: str
) -> None:
    suite = load_suite(find_suites(name)[0], packs=PACKS)
    assert set(scripts) <= {script.id for script in suite.scripts}
    settings = settings_for(tmp_path, begin_answers=begin_answers)
    outcome = await kept(suite, PACKS, settings, scripts=frozenset(scripts), most=1)
    assert outcome.told >= 4
    assert not outcome.spoiled
    assert not outcome.missed


async def test_what_the_engine_spoils_is_counted(tmp_path: Path) -> None:
    suite = load_suite(find_suites("references.en")[0], packs=PACKS)
    settings = settings_for(tmp_path)
    short = settings.model_copy(update={"harness": settings.harness.model_copy(update={"max_reply_chars": 3})})
    outcome = await kept(suite, PACKS, short, scripts=frozenset({"brother_and_sister"}), most=1)
    assert outcome.spoiled

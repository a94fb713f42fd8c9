"""By what a run, its verdicts and its baseline are known again."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_regrading import is_current, read_current, regrade
from harness.blindtest.grading.version import rules_digest, stale
from harness.blindtest.loading import parse_suite
from harness.blindtest.regression import against_baseline
from harness.blindtest.suite import Suite
from harness.blindtest.transcript import Exchange, Said, Transcript, Trial
from harness.language import LanguagePacks, load_packs
from harness.settings import load
from harness.state import Persona, PersonaFact
from harness.testing import ScriptedModel
from tests.unit._blindtest_runs import SUITES, held

BOTH = pytest.mark.parametrize("code", ["en", "zh"])
PACKS = load_packs()
PINNED = {"en": "c473ec6c9d75eb0c", "zh": "648abb36e39efe48"}


@BOTH
def test_the_digest_of_a_suite_is_that_of_what_it_gives(code: str) -> None:
    """A field that is added with a default must leave it as it is: otherwise every baseline has "changed"."""
    suite = parse_suite(SUITES[code], packs=PACKS)
    assert suite.digest() == PINNED[code]
    again = Suite.model_validate(suite.model_dump(mode="json", by_alias=True, exclude_defaults=True))
    assert again.digest() == suite.digest()
    assert parse_suite(SUITES[code].replace("pass: 0.6", "pass: 0.7"), packs=PACKS).digest() != suite.digest()


def test_the_digest_of_a_persona_is_that_of_what_it_gives() -> None:
    persona = Persona(name="Ada", facts=(PersonaFact(attribute="job", value="nurse"),))
    assert persona.digest() == "642a79e01377884f"
    assert Persona(name="Ada", facts=persona.facts, greeting="", inertia=0.6).digest() == persona.digest()
    assert Persona(name="Ada", facts=persona.facts, greeting="Hi.").digest() != persona.digest()


def test_a_transcript_is_the_same_however_long_it_took() -> None:
    def made(reply: str, seconds: float, started: str) -> Transcript:
        said = Exchange(number=1, round=0, step=0, user="Hi.", said=Said(text=reply, seconds=seconds))
        trial = Trial(suite="s.en", script="one", persona="ada", witness="w")
        return Transcript(trial=trial, exchanges=(said,), started_at=started)

    one = made("Hello.", 1.0, "2026-01-01T00:00:00")
    assert one.digest() == made("Hello.", 2.0, "2026-01-02T00:00:00").digest()
    assert one.digest() != made("Hello!", 1.0, "2026-01-01T00:00:00").digest()


def test_rules_are_those_of_the_graders_and_the_packs() -> None:
    assert rules_digest(PACKS) == rules_digest(load_packs())
    assert rules_digest(PACKS) != rules_digest(LanguagePacks({"en": PACKS.get("en")}))


@BOTH
async def test_a_report_is_by_the_rules_of_today(tmp_path: Path, code: str) -> None:
    run = await held(tmp_path, code)
    folder, transcripts = run.folder, run.folder.transcripts()
    before = (folder.path / "results.json").read_bytes()
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        assert is_current(bench, folder, transcripts)
        assert not await regrade(bench, folder)
        # Verdicts of other rules.
        folder.write_graded([one.model_copy(update={"rules": "0" * 16}) for one in folder.graded().values()])
        assert len(stale(transcripts, folder.graded(), PACKS)) == len(transcripts)
        assert await regrade(bench, folder)
        assert (folder.path / "results.json").read_bytes() == before
        # A trial that was held again since.
        file = folder.path / "transcripts.jsonl"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("No, that was never me.", "Yes, that's right, so I am.").replace("不，我没这么说过。", "对，你说得没错。"), encoding="utf-8")  # fmt: skip
        assert len(stale(folder.transcripts(), folder.graded(), PACKS)) == 2
        assert await regrade(bench, folder)
        assert (folder.path / "results.json").read_bytes() != before
        # Results of another version, which cannot be read.
        (folder.path / "results.json").write_text("{}", encoding="utf-8")
        found = await read_current(bench, folder.path)
        assert found.results.witness("steady").trials == 4
        assert (folder.path / "results.json").read_text(encoding="utf-8") == "{}"


async def test_a_baseline_of_other_rules_is_graded_anew_before_it_is_compared(tmp_path: Path) -> None:
    now, before = await held(tmp_path, "en", out="now"), await held(tmp_path, "en", out="before")
    kept = [
        one.model_copy(update={"rules": "old", "verdicts": tuple(v.model_copy(update={"outcome": "fail"}) for v in one.verdicts)})
        for one in before.folder.graded().values()
    ]  # fmt: skip
    before.folder.write_graded(kept)
    async with Bench(load(start=tmp_path, environ={}), model=ScriptedModel("Hm.")) as bench:
        first, second = await read_current(bench, now.folder.path), await read_current(bench, before.folder.path)
        found = against_baseline(first, second)
    assert (found.verdict, found.comparisons[0].difference, found.notes) == ("no difference", 0, ())
    assert {one.rules for one in before.folder.graded().values()} == {"old"}

"""Judge and interrogator on the embedded model: that the smallest model there is answers in the form that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.adapters.local import LocalModel
from harness.app_blindtest import Bench
from harness.app_blindtest_interrogating import interrogate
from harness.app_blindtest_judging import Judging, judge_of
from harness.blindtest.grading.model import Question
from harness.blindtest.witnesses.scripted import ScriptedWitness
from harness.settings import load

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("language", "user", "reply", "criterion"),
    [
        ("en", "What do you do?", "I keep a lighthouse.", 'The reply says or names "lighthouse", in any wording.'),
        ("zh", "你是做什么的？", "我守灯塔。", "回答说到了“灯塔”，说法不限。"),
    ],
)
async def test_a_judge_answers_in_its_form(
    model: LocalModel, tmp_path: Path, language: str, user: str, reply: str, criterion: str
) -> None:
    overrides = {"local.model": str(model.path), "local.context": 4096}
    async with Bench(load(start=tmp_path, environ={}, overrides=overrides)) as bench:
        judge = judge_of(bench, Judging(mode="model", votes=1, temperature=0.0))
        judge.max_tokens = 160
        judgement = await judge.judge(
            Question(language, "Tomas" if language == "en" else "陆海", user, reply, "mentions it", criterion, "detail")
        )
    vote = judgement.votes[0]
    # What so small a model decides is not told here: whether it may is what a calibration is for.
    assert vote.outcome in ("pass", "fail", "undecided") or "does not say" in vote.why or "quotes nothing" in vote.why
    assert vote.reasoning
    assert judge.calls >= 1


@pytest.mark.parametrize(
    ("language", "persona", "said"), [("en", "ada", "Nights, love. You?"), ("zh", "lin", "夜里不开工。你呢？")]
)
async def test_an_interrogator_asks_and_judges(
    model: LocalModel, tmp_path: Path, language: str, persona: str, said: str
) -> None:
    overrides = {"local.model": str(model.path), "local.context": 4096}
    one = ScriptedWitness("one", lambda _: said)
    async with Bench(load(start=tmp_path, environ={}, overrides=overrides), extra={"one": one}) as bench:
        run = await interrogate(
            bench, strategy=["detail"], turns=1, personas=[persona], witness="one", out=tmp_path / "run"
        )
    transcript = run.folder.transcripts()[0]
    assert not transcript.error
    assert transcript.exchanges[0].user
    found = transcript.interrogation
    assert found is not None
    assert found.verdict in ("human", "machine", "holds", "breaks")
    assert found.reason in ("style", "socio_emotional", "knowledge", "situational")

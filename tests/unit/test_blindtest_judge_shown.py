"""What a report says of who asked: what the model judge is worth and has cost, what interrogators used, and how far they are."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_interrogating import interrogate
from harness.app_blindtest_judging import Judging, judge_of
from harness.blindtest.folder import RunFolder
from harness.blindtest.grading.calibration import FORMAT, Calibration, Tally
from harness.blindtest.limits import Limits
from harness.blindtest.reporting import read_held, write_reports
from harness.blindtest.witnesses.scripted import ScriptedWitness
from harness.cli.blindtest_progress import RunBar
from harness.language import load_packs
from harness.settings import load
from harness.testing import ScriptedModel
from tests._commands import Run as Command, runner
from tests.unit._judging import judge

BOTH = pytest.mark.parametrize("language", ["en", "zh"])
PACKS = load_packs()
PERSONAS = {"en": "ada", "zh": "lin"}
SAID = {"en": "You did well today, dear.", "zh": "你今天做得真好，亲爱的。"}
SUITES = {
    "en": "suite: kind\nlanguage: en\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: Say a kind word., expect: {judge: It is kind.}}]}]}]\n",
    "zh": "suite: kind\nlanguage: zh\nscripts: [{id: one, probe: p, rounds: [{steps: [{say: 说句好听的。, expect: {judge: 这话很暖心。}}]}]}]\n",
}
TOLD = {
    ("en", "counts"): "was right in 40 of 40 known replies in {}: 100 % (95 % interval 91 % to 100 %), 0 left open. Its verdicts count.",
    ("zh", "counts"): "在已知答案的 40 条回复（{}）中判对 40 条：100 %（95 % 区间 91 % 至 100 %），另有 0 条未定。其判定计入结果。",
    ("en", "not"): "The lower bound is below 0.80, so that its verdicts do not count.",
    ("zh", "not"): "下限低于 0.80，其判定不计入结果。",
    ("en", "unknown"): "is not calibrated in {}, so that its verdicts do not count",
    ("zh", "unknown"): "尚未在 {} 上校准，其判定不计入结果",
}  # fmt: skip


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def judged(folder: Path, language: str, judging: Judging, **prices: tuple[float, float]) -> RunFolder:
    file = folder / f"kind.{language}.yaml"
    file.write_text(SUITES[language], encoding="utf-8")
    extra = {"one": ScriptedWitness("one", lambda _: SAID[language])}
    model = judge(lambda said, *_: ("yes", said[:8]))
    async with Bench(load(start=folder, environ={}), model=model, extra=extra) as bench:
        run = await bench.run(
            [file],
            personas=[PERSONAS[language]],
            witness="one",
            out=folder / "run",
            judge=judging,
            limits=Limits(prices),
        )
        write_reports(run.folder, packs=PACKS, plots=False)
    return run.folder


def worth(language: str, right: int, low: float) -> Tally:
    return Tally(rows=40, right=right, wrong=40 - right, accuracy=right / 40, low=low, high=1.0)


def fitting(language: str, how: str) -> Calibration | None:
    if how == "unknown":
        return None
    tally = worth(language, 40, 0.91) if how == "counts" else worth(language, 24, 0.45)
    return Calibration(judge="model", languages={language: tally})


@BOTH
@pytest.mark.parametrize("how", ["counts", "not", "unknown"])
def test_the_report_says_what_the_judge_is_worth_and_has_cost(here: Path, language: str, how: str) -> None:
    async def held() -> RunFolder:
        known = fitting(language, how)
        if known is not None:
            async with Bench(load(start=here, environ={}), model=judge(lambda said, *_: ("yes", said[:8]))) as bench:
                known = known.model_copy(update={"about": judge_of(bench, Judging(mode="both")).about()})
        return await judged(
            here, language, Judging(mode="both", calibration=known, calibrate=False), scripted=(1e6, 1e6)
        )

    folder = asyncio.run(held())
    page = (folder.path / "report.html").read_text(encoding="utf-8")
    shown = runner("blindtest", "report")("run", "--no-plots", code=0 if how == "counts" else 1).stdout
    says = json.loads(
        runner("blindtest", "report")("run", "--no-plots", "--json", code=0 if how == "counts" else 1).stdout
    )
    for of in ("en", "zh"):
        assert TOLD[of, how].format(language) in page, (of, how)
    assert TOLD["en", how].format(language) in shown
    assert any(TOLD["en", how].format(language) in one for one in says["says"])
    (used,) = folder.judges_used()
    tokens = used.prompt_tokens + used.completion_tokens
    assert f"The judge made 3 calls with {tokens} tokens, which cost {tokens:.4g}." in page
    assert f"评审共调用 3 次，用 {tokens} 个词元，费用为 {tokens:.4g}。" in page
    assert f"The judge made 3 calls with {tokens} tokens, which cost {tokens:.4g}." in shown


@BOTH
async def test_a_judge_without_a_price_is_named_and_one_without_prices_is_not_priced(
    tmp_path: Path, language: str
) -> None:
    folder = await judged(tmp_path, language, Judging(mode="both", calibrate=False))
    (used,) = folder.judges_used()
    told = f"The judge made 3 calls with {used.prompt_tokens + used.completion_tokens} tokens."
    assert told in (folder.path / "report.html").read_text(encoding="utf-8")
    folder.priced({"another": (1.0, 1.0)})
    write_reports(folder, packs=PACKS, plots=False)
    page = (folder.path / "report.html").read_text(encoding="utf-8")
    assert "the model scripted has no price" in page
    assert "模型 scripted 没有价格" in page


@BOTH
def test_a_calibration_of_another_format_is_told(here: Path, language: str) -> None:
    folder = asyncio.run(judged(here, language, Judging(mode="both", calibrate=False)))
    file = folder.path / "calibration.json"
    newer = {"format": FORMAT + 1, "judge": "model", "what_is_new": [1]}
    for text, told in (
        (json.dumps(newer), f"is of format {FORMAT + 1}, and this version of harness reads {FORMAT}."),
        ("{", "is no calibration"),
        ("[]", "is no calibration"),
        ('{"judge": "nobody"}', "is no calibration"),
    ):
        file.write_text(text, encoding="utf-8")
        folder.write_graded([one.model_copy(update={"rules": "old"}) for one in folder.graded().values()])
        found = runner("blindtest", "report")("run", "--no-plots", code=2).stderr
        assert told in found
        assert "harness blindtest calibrate" in found
        assert len(found.splitlines()) == 2, found
    file.unlink()
    runner("blindtest", "report")("run", "--no-plots", code=1)


# --- interrogations -------------------------------------------------------------------------------------------------


def interrogator(language: str) -> ScriptedModel:
    step = json.dumps({"reasoning": "r", "noticed": "", "message": SAID[language]}, ensure_ascii=False)
    final = json.dumps({"reasoning": "r", "quote": SAID[language][:6], "verdict": "human", "confidence": 0.9, "reason": "style"}, ensure_ascii=False)  # fmt: skip
    return ScriptedModel({"interrogate": step, "interrogation_verdict": final})


@BOTH
async def test_the_page_has_what_the_interrogator_used(tmp_path: Path, language: str) -> None:
    extra = {"one": ScriptedWitness("one", lambda _: SAID[language])}
    async with Bench(load(start=tmp_path, environ={}), model=interrogator(language), extra=extra) as bench:
        seen: list[Any] = []
        await interrogate(
            bench, strategy=["detail"], turns=1, personas=[PERSONAS[language]], witness="one", trials=2,
            out=tmp_path / "run", on_plan=lambda plan, there: seen.append((len(plan.trials), there)),
        )  # fmt: skip
        write_reports(RunFolder(tmp_path / "run"), packs=PACKS, plots=False)
    assert seen == [(2, 0)]
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "The interrogator made 4 calls with" in page
    assert "审问者共调用 4 次" in page


@BOTH
def test_an_interrogation_shows_how_far_it_is_and_how_it_goes_on(
    here: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    command: Command = runner("blindtest")
    model = interrogator(language)
    monkeypatch.setattr("harness.app.Harness.model", _giving(model))
    words = ("interrogate", "--strategy", "detail,time", "--turns", "1", "-p", PERSONAS[language], "--witness", "eliza", "--trials", "2", "--out", "run")  # fmt: skip
    whole = RunBar.trial

    def interrupted(self: RunBar, trial: Any, transcript: Any) -> None:
        whole(self, trial, transcript)
        if self.done == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunBar, "trial", interrupted)
    told = command(*words, code=130).stderr
    assert "3 of 4 trials are kept in run" in told
    assert "--resume" in told
    monkeypatch.setattr(RunBar, "trial", whole)
    told = command(*words, "--resume", code=1).stderr
    assert "3 of 4 trials are there already." in told
    assert "4/4 eliza interrogation." in told
    stopped = command(*words[:-1], "short", "--max-minutes", "0.0000001", code=1)
    assert "Stopped: " in stopped.stdout
    assert len(read_held("run").transcripts) == 4


def _giving(model: ScriptedModel) -> Any:
    async def given(_: Any) -> ScriptedModel:
        return model

    return given

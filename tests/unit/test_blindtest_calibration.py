"""Calibration: judges that are known to be right, wrong or one-sided, and whether their verdicts count."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.app_blindtest import Bench
from harness.app_blindtest_judging import Judging, calibrate
from harness.blindtest.grading.calibration import Calibration, Tally, read_calibration
from harness.blindtest.grading.labelled import load_labels, shipped_labels
from harness.errors import RunError, SuiteError
from harness.settings import load
from harness.testing import ScriptedModel
from tests._commands import runner
from tests.unit._judging import judge

LABELS = {row.reply: row.label for labels in shipped_labels() for row in labels.rows}


def always_right(reply: str, criterion: str, number: int) -> tuple[str, str]:
    del criterion, number
    return ("yes" if LABELS[reply] == "pass" else "no"), reply


def always_yes(reply: str, criterion: str, number: int) -> tuple[str, str]:
    del criterion, number
    return "yes", reply


def made_up(reply: str, criterion: str, number: int) -> tuple[str, str]:
    del reply, criterion, number
    return "no", "words that nobody said, 没人说过的话"


async def calibration(
    tmp_path: Path,
    deciding: Callable[[str, str, int], tuple[str, str]],
    judging: str | Judging = "model",
    **more: object,
) -> tuple[Calibration, ScriptedModel]:
    model = judge(deciding)
    async with Bench(load(start=tmp_path, environ={}), model=model) as bench:
        return await calibrate(bench, judge=judging, **more), model  # type: ignore[arg-type]  # passed on as they are


def test_the_rows_of_the_package_are_forty_a_language_and_balanced() -> None:
    english, chinese = shipped_labels()
    assert (english.language, chinese.language) == ("en", "zh")
    for labels in (english, chinese):
        assert len(labels.rows) == 40
        assert 18 <= sum(row.label == "pass" for row in labels.rows) <= 22
    assert [row.id for row in english.rows] == [row.id for row in chinese.rows]
    assert [row.label for row in english.rows] == [row.label for row in chinese.rows]
    assert {row.probe for row in english.rows} >= {
        "contradiction",
        "detail",
        "ai_probe",
        "emotion",
        "injection",
        "time",
    }


async def test_the_rules_are_right_wherever_they_decide(tmp_path: Path) -> None:
    made, model = await calibration(tmp_path, always_right, "rules")
    assert not model.requests
    assert made.all.wrong == 0
    for tally in made.languages.values():
        assert tally.right >= 24
        assert tally.undecided == 40 - tally.right
    assert not any(made.why_not(language) for language in ("en", "zh"))


async def test_a_judge_that_is_right_counts(tmp_path: Path) -> None:
    made, _ = await calibration(tmp_path, always_right, Judging(mode="model", votes=1), out=tmp_path / "run")
    for tally in made.languages.values():
        assert (tally.right, tally.wrong, tally.undecided) == (40, 0, 0)
        assert tally.low == pytest.approx(0.912, abs=0.001)
    assert made.why_not("en") == made.why_not("zh") == ""
    assert "not calibrated for fr" in made.why_not("fr")
    assert made.calls >= 80
    assert read_calibration(tmp_path / "run" / "calibration.json") == made


async def test_a_judge_that_always_says_yes_does_not_count(tmp_path: Path) -> None:
    made, _ = await calibration(tmp_path, always_yes, Judging(mode="model", votes=1), language="zh")
    assert list(made.languages) == ["zh"]
    # Every label it gets wrong is a failure that it lets pass.
    wrong = {(row.label, row.got) for row in made.rows if row.got != row.label}
    assert wrong == {("fail", "pass")}
    assert made.all.low < 0.8
    assert "below 0.80" in made.why_not("zh")


async def test_a_judge_that_makes_evidence_up_decides_nothing_of_meaning(tmp_path: Path) -> None:
    made, _ = await calibration(tmp_path, made_up, Judging(mode="model", votes=1), language="en")
    assert made.all.right + made.all.wrong == 0
    assert made.why_not("en")
    assert "nobody said" in made.rows[0].evidence


async def test_both_asks_the_model_only_for_what_the_rules_leave_open(tmp_path: Path) -> None:
    made, model = await calibration(tmp_path, always_right, Judging(mode="both", votes=1), language="en")
    assert made.all.right == 40
    rules, _ = await calibration(tmp_path, always_right, "rules", language="en")
    assert len(model.requests) == rules.all.undecided


def test_a_threshold_is_met_by_its_lower_bound() -> None:
    made = Calibration(judge="model", languages={"en": Tally(rows=40, right=37, wrong=3, accuracy=0.925, low=0.801)})
    assert made.why_not("en") == ""
    assert made.model_copy(update={"threshold": 0.81}).why_not("en")


async def test_the_calibration_of_another_judge_is_refused(tmp_path: Path) -> None:
    made, _ = await calibration(tmp_path, always_right, Judging(mode="model", votes=1), language="en")
    file = tmp_path / "own.en.yaml"
    file.write_text(
        "suite: own\nlanguage: en\nscripts:\n  - id: a\n    probe: b\n    rounds:\n      - steps:\n"
        "          - {say: Hi, expect: {judge: The reply is a greeting.}}\n",
        encoding="utf-8",
    )
    async with Bench(load(start=tmp_path, environ={}), model=judge(always_yes, **{"*": "Hm."})) as bench:
        with pytest.raises(RunError, match="of another judge"):
            await bench.run(
                [file], witness="eliza", out=tmp_path / "run", judge=Judging(mode="both", votes=3, calibration=made)
            )
        run = await bench.run(
            [file], witness="eliza", out=tmp_path / "again", judge=Judging(mode="both", votes=1, calibration=made)
        )
    assert run.folder.path.joinpath("calibration.json").is_file()


async def test_where_nothing_is_left_to_judge_nothing_is_calibrated(tmp_path: Path) -> None:
    file = tmp_path / "own.zh.yaml"
    file.write_text(
        "suite: own\nlanguage: zh\nscripts:\n  - id: a\n    probe: b\n    rounds:\n      - steps:\n"
        "          - {say: 你好, expect: {mentions: [你好]}}\n",
        encoding="utf-8",
    )
    model = judge(always_yes, **{"*": "你好。"})
    async with Bench(load(start=tmp_path, environ={}), model=model) as bench:
        run = await bench.run([file], witness="bare", out=tmp_path / "run", judge="both")
    assert model.purposes == ["respond"]
    assert run.results.judge is None
    assert run.passed


# --- files of labels ------------------------------------------------------------------------------------------------

GOOD = {
    "en": """
language: en
people: {ned: {name: Ned, facts: [{attribute: job, value: cooper}]}}
slots: {job: {fact: [job]}}
rows:
  - {id: one, probe: detail, person: ned, say: Your job?, reply: I'm a cooper., expect: {mentions: [cooper]}, label: pass}
  - {id: two, probe: detail, person: ned, say: Your job?, reply: I'm a tailor., expect: {mentions: [cooper]}, label: fail}
""",
    "zh": """
language: zh
people: {ned: {name: 老聂, facts: [{attribute: job, value: 箍桶匠}]}}
slots: {job: {fact: [job]}}
rows:
  - {id: one, probe: detail, person: ned, say: 你做什么的？, reply: 我是箍桶匠。, expect: {mentions: [箍桶匠]}, label: pass}
  - {id: two, probe: detail, person: ned, say: 你做什么的？, reply: 我是裁缝。, expect: {mentions: [箍桶匠]}, label: fail}
""",
}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_labels_of_ones_own_are_graded_by_the_command(tmp_path: Path, language: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(GOOD[language], encoding="utf-8")
    run = runner("blindtest")
    # Two rows are too few to be sure of anything, and the exit code says so.
    shown = run("calibrate", "--labels", str(file), "--judge", "rules", "--out", str(tmp_path / "made"), code=1).stdout
    assert "2/2 right = 100%" in shown
    assert "does not count" in shown
    assert "fail/fail 1, pass/pass 1" in shown
    assert (tmp_path / "made" / "calibration.json").is_file()
    run("calibrate", "--labels", str(file), "--judge", "rules", "--threshold", "0.2")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("label: pass", "label: maybe", r"row 1 \(one\)\.label"),
        ("person: ned, say: Your job?, reply: I'm a tailor.", "person: zoe, say: Hm, reply: Hm.", "got 'zoe'"),
        ("id: two", "id: one", "stands twice"),
        ("{mentions: [cooper]}, label: fail", "{holds: [home]}, label: fail", "'home', which is not among the slots"),
        ("{mentions: [cooper]}, label: fail", "{mentons: [cooper]}, label: fail", "expect.mentons"),
        ("language: en", "language: [", "line"),
    ],
)
def test_a_mistake_in_labels_is_told_with_its_row(tmp_path: Path, old: str, new: str, says: str) -> None:
    file = tmp_path / "labels.yaml"
    file.write_text(GOOD["en"].replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SuiteError, match=says):
        load_labels(file)


def test_labels_that_are_not_there_and_a_judge_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(SuiteError):
        load_labels(tmp_path / "nothing.yaml")
    run = runner("blindtest", "calibrate")
    assert "no judge 'jury'" in run("--judge", "jury", code=2).output
    assert "no labelled rows in 'fr'" in run("--judge", "rules", "--language", "fr", code=2).output

"""``harness blindtest``: every command in process, the engine against a real HTTP server."""

from __future__ import annotations

import asyncio
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from harness.app_blindtest import Bench
from harness.blindtest.folder import RunFolder
from harness.blindtest.reporting import read_held
from harness.cli.main import app
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._commands import Run, runner
from tests.unit._blindtest_runs import PERSONAS, SUITES, held

ROOT = Path(__file__).resolve().parents[2]
BOTH = pytest.mark.parametrize("language", ["en", "zh"])
JOBS = {"en": "I'm a nurse on the night shift.", "zh": "我是一名中学语文老师。"}


def reply(request: Received) -> Answer:
    """A model that knows its job and forgets the shelf."""
    text = str(request.body["messages"][-1]["content"])
    if "refuse" in str(request.body["model"]):
        return Answer(status=400)
    if request.body["model"] == "blank":
        return Answer("I can't remember.")
    if any("\u4e00" <= char <= "\u9fff" for char in text):
        return Answer(JOBS["zh"] if "工作" in text or "说过" in text else "我记不清了。")
    return Answer(JOBS["en"] if "living" in text or "told" in text else "I can't remember.")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[ScriptedServer]:
    with ServerThread(ScriptedServer(reply, models=("test-model", "refuse", "blank"))) as running:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", running.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        for language, text in SUITES.items():
            Path(f"cellar.{language}.yaml").write_text(text, encoding="utf-8")
        yield running


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A folder without a provider, and lines long enough to be looked through."""
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.chdir(tmp_path)
    for language, text in SUITES.items():
        Path(f"cellar.{language}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def blindtest() -> Run:
    return runner("blindtest")


def planted(folder: Path, language: str = "en", *, out: str = "planted", **more: Any) -> Path:
    """A run with planted witnesses, which only the library can have."""
    return asyncio.run(held(folder, language, out=out, **more)).folder.path


# --- run ------------------------------------------------------------------------------------------------------------


@BOTH
def test_a_run_from_end_to_end(server: ScriptedServer, blindtest: Run, language: str) -> None:
    result = blindtest(
        "run", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--against", "bare,eliza", "--ablate", "facts",
        "--trials", "2", "--seed", "7", "--jobs", "2", "--out", "r", "--no-plots", code=1,
    )  # fmt: skip
    names = ["harness", "bare", "eliza", "harness-facts"]
    assert all(name in result.stdout for name in names)
    assert "of 6 probes" in result.stdout
    assert "harness passed 0 of 1 suites." in result.stdout
    assert result.stdout.rstrip().endswith("Report: r/report.html")
    assert result.stderr.count("\n") == 2 * 2 * len(names)  # a line for each trial
    assert "16/16 " in result.stderr
    assert sorted(file.name for file in Path("r").iterdir()) == [
        "junit.xml", "report.html", "results.json", "run.json", "timing.json", "transcripts.jsonl", "turns.jsonl",
        "verdicts.jsonl",
    ]  # fmt: skip
    held = read_held("r")
    assert held.info.seed == 7
    assert {one.said.model for talk in held.transcripts for one in talk.exchanges} == {"test-model", ""}
    sights = [one.said.sight for talk in held.transcripts if talk.trial.witness == "harness" for one in talk.exchanges]
    assert [sight.recent for sight in sights if sight is not None][:2] == [1, 2]
    HTMLParser().feed(Path("r/report.html").read_text(encoding="utf-8"))


def test_a_run_that_passes_is_exit_code_0_and_json(server: ScriptedServer, blindtest: Run) -> None:
    text = SUITES["en"].replace("pass: 0.6", "pass: 0.5")
    Path("easy.en.yaml").write_text(text, encoding="utf-8")
    result = blindtest("run", "easy.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--json", "--no-plots")
    found = json.loads(result.stdout)
    assert found["passed"] is True
    assert found["witnesses"][0]["name"] == "bare"
    assert found["suites"][0]["scripts"]["passed"] == 1
    assert found["files"][0] == "r/report.html"
    assert "trials" not in found


def test_prices_give_the_cost_and_a_bound_stops_the_run(server: ScriptedServer, blindtest: Run) -> None:
    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-n", "3", "-o", "r", "--no-plots")
    result = blindtest(*words, "--price", "test-model=1000,2000", "--max-cost", "0.0001", code=1)
    assert "Stopped: the cost is" in result.stdout
    assert "5 of 6 planned trials were not held" in result.stdout
    again = blindtest(*words, "--price", "test-model=1000,2000", "--resume", code=1)
    assert "1 of 6 trials are there already." in again.stderr
    assert "bare cost " in again.stdout
    assert "Stopped" not in again.stdout
    assert len(read_held("r").transcripts) == 6


def test_a_model_without_a_price_stops_a_run_with_a_bound(server: ScriptedServer, blindtest: Run) -> None:
    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--no-plots")
    result = blindtest(*words, "--price", "another=1", "--max-cost", "5", code=1)
    assert "'test-model' has no price" in result.stdout


def test_minutes_that_are_over_stop_a_run(server: ScriptedServer, blindtest: Run) -> None:
    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--no-plots")
    result = blindtest(*words, "--max-minutes", "0.0000001", code=1)
    assert "minutes are over" in result.stdout
    assert blindtest(*words, "--resume", code=1).stderr.count("2/2") == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("run", "cellarr"), "Expected a suite of the package or the path"),
        (("run", "cellar.en.yaml", "-p", "nobody"), "nobody"),
        (("run", "cellar.en.yaml", "--against", "bear"), "There is no witness 'bear'"),
        (("run", "cellar.en.yaml", "--ablate", "wit"), "'wit'"),
        (("run", "cellar.en.yaml", "--price", "cheap"), "MODEL=PROMPT,COMPLETION"),
        (("run", "cellar.en.yaml", "--price", "m=-1"), "MODEL=PROMPT,COMPLETION"),
        (("run", "cellar.en.yaml", "--max-cost", "1"), "needs prices"),
        (("run", "cellar.en.yaml", "--max-minutes", "0"), "more than 0"),
        (("run", "cellar.en.yaml", "--trials", "0"), "--trials"),
        (("run", "cellar.en.yaml", "-p", "lin"), "No script can be held"),
        (("run", "cellar.en.yaml", "--baseline", "nowhere"), "found none"),
        (("run", "cellar.en.yaml", "--set", "harness.nothing=1"), "harness.nothing"),
        (("report", "nowhere"), "found none"),
        (("judge", "nowhere"), "found none"),
        (("compare", "nowhere", "nowhere"), "found none"),
        (("compare", "nowhere"), "BASELINE"),
        (("show", "cellar.en.yaml", "--script", "attic"), "There are shelf, bait"),
        (("import", "nowhere.jsonl"), "cannot be read"),
    ],
)
def test_wrong_usage_is_exit_code_2_and_says_what_was_expected(
    here: Path, blindtest: Run, words: tuple[str, ...], told: str
) -> None:
    result = blindtest(*words, code=2)
    assert told in result.stderr
    assert not Path("blindtest").exists()


def test_a_wrong_suite_tells_every_mistake_at_once(here: Path, blindtest: Run) -> None:
    Path("bad.en.yaml").write_text(
        SUITES["en"].replace("filler: 4", "filler: none").replace("probe: fading", "prob: x"), encoding="utf-8"
    )
    stderr = blindtest("run", "bad.en.yaml", code=2).stderr
    assert stderr.count("line ") >= 2


def test_a_run_is_not_written_over_and_another_is_not_gone_on_with(server: ScriptedServer, blindtest: Run) -> None:
    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--no-plots")
    blindtest(*words, code=1)
    assert "holds a run already" in blindtest(*words, code=2).stderr
    assert "trials differ" in blindtest(*words, "-n", "2", "--resume", code=2).stderr


def test_an_interruption_keeps_what_was_held_and_says_how_to_go_on(
    server: ScriptedServer, blindtest: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.cli.blindtest_progress import RunBar

    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-n", "2", "-o", "r", "--no-plots")
    whole = RunBar.trial

    def interrupted(self: RunBar, trial: Any, transcript: Any) -> None:
        whole(self, trial, transcript)
        if self.done == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunBar, "trial", interrupted)
    result = blindtest(*words, code=130)
    assert "3 of 4 trials are kept in r" in result.stderr
    assert "--resume" in result.stderr
    monkeypatch.setattr(RunBar, "trial", whole)
    resumed = blindtest(*words, "--resume", code=1)
    assert "3 of 4 trials are there already." in resumed.stderr
    blindtest(*words[:-2], "whole", "--no-plots", code=1)
    for name in ("results.json", "report.html", "junit.xml"):
        assert Path("r", name).read_bytes() == Path("whole", name).read_bytes(), name


def test_a_real_interruption_leaves_whole_trials(server: ScriptedServer, blindtest: Run, tmp_path: Path) -> None:
    words = [
        "blindtest", "run", str(tmp_path / "cellar.en.yaml"), "-p", "ada", "--witness", "bare", "-n", "40", "-o",
        str(tmp_path / "r"), "--no-plots",
    ]  # fmt: skip
    # From the folder of the package, so that a checkout runs itself.
    process = subprocess.Popen(
        [sys.executable, "-m", "harness.cli.main", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "HARNESS_HOME": str(tmp_path / "home")}, text=True, encoding="utf-8",
    )  # fmt: skip
    try:
        assert process.stderr is not None
        first = [process.stderr.readline() for _ in range(2)]
        process.send_signal(signal.SIGINT)
        _, rest = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert first[0].startswith("1/80 "), first
    assert process.returncode == 130
    told = re.search(r"Interrupted. (\d+) of 80 trials are kept", rest)
    assert told is not None, rest
    assert "Traceback" not in rest
    kept = RunFolder(tmp_path / "r").transcripts()
    assert len(kept) == int(told[1]) >= 2
    assert not any(one.error for one in kept)


def test_trials_that_end_early_are_told_and_do_not_pass(server: ScriptedServer, blindtest: Run) -> None:
    result = blindtest(
        "run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--no-plots", "--set",
        "models.responder=refuse", code=1,
    )  # fmt: skip
    assert "2 trials of bare ended early" in result.stdout
    assert "ended early: BadRequest" in result.stderr
    assert "<error" in Path("r/junit.xml").read_text(encoding="utf-8")


# --- suites and show ------------------------------------------------------------------------------------------------


def test_suites_are_listed(here: Path, blindtest: Run) -> None:
    shipped = blindtest("suites").stdout
    assert "three_rounds.en" in shipped
    listed = json.loads(blindtest("suites", ".", "--json").stdout)
    assert [(one["suite"], one["language"], one["scripts"]) for one in listed] == [
        ("cellar.en", "en", ["shelf", "bait"]), ("cellar.zh", "zh", ["shelf", "bait"]),
    ]  # fmt: skip
    assert "地窖" in blindtest("suites", ".", "--language", "zh").stdout
    assert "The cellar" not in blindtest("suites", ".", "--language", "zh").stdout


@BOTH
def test_a_suite_is_shown_with_what_it_needs_and_what_a_character_gives(
    here: Path, blindtest: Run, language: str
) -> None:
    text = blindtest("show", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--script", "bait").stdout
    assert "a number from 12 to 98" in text
    assert ("a wrong 职业" if language == "zh" else "a wrong job") in text
    assert ("说过你是" if language == "zh" else "But you told me") in text
    (found,) = json.loads(blindtest("show", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--json").stdout)
    slots = found["scripts"][1]["slots"][PERSONAS[language]]
    assert slots["other_job"] != slots["job"]
    assert found["scripts"][0]["turns"] == 6


def test_what_a_character_lacks_is_shown(here: Path, blindtest: Run) -> None:
    Path("yacht.en.yaml").write_text(SUITES["en"].replace("fact: [job]", "fact: [yacht]"), encoding="utf-8")
    assert "Ada Obi has no yacht" in blindtest("show", "yacht.en.yaml", "-p", "ada").stdout


# --- report and judge -----------------------------------------------------------------------------------------------


@BOTH
def test_a_report_is_written_again_the_same(here: Path, blindtest: Run, language: str) -> None:
    folder = planted(here, language)
    first = blindtest("report", str(folder), "--no-plots")
    page = (folder / "report.html").read_bytes()
    (folder / "report.html").unlink()
    (folder / "verdicts.jsonl").unlink()
    again = blindtest("report", str(folder), "--no-plots")
    assert again.stdout == first.stdout
    assert (folder / "report.html").read_bytes() == page
    assert "steady passed 6 of 6 probes" in first.stdout


def test_an_interrupted_run_has_a_report_too(here: Path, blindtest: Run) -> None:
    folder = planted(here)
    file = folder / "transcripts.jsonl"
    lines = file.read_text(encoding="utf-8").split("\n")
    file.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    for name in ("results.json", "verdicts.jsonl"):
        (folder / name).unlink()
    result = blindtest("report", str(folder), "--no-plots", code=1)
    assert "5 of 8 planned trials were not held" in result.stdout


@BOTH
def test_transcripts_are_graded_anew_and_changes_are_told(here: Path, blindtest: Run, language: str) -> None:
    folder = planted(here, language)
    assert "No verdict has changed." in blindtest("judge", str(folder), "--no-plots").stdout
    file = folder / "verdicts.jsonl"
    file.write_text(file.read_text(encoding="utf-8").replace('"outcome":"fail"', '"outcome":"pass"'), encoding="utf-8")
    result = blindtest("judge", str(folder), "--no-plots", "--json")
    changed = json.loads(result.stdout)["changed"]
    assert changed
    assert {(one["witness"], one["was"], one["is"]) for one in changed} == {("forgetful", "pass", "fail")}
    assert '"outcome":"fail"' in file.read_text(encoding="utf-8")


# --- compare --------------------------------------------------------------------------------------------------------


def many(folder: Path, out: str, witness: str, **more: Any) -> Path:
    return planted(folder, "en", out=out, witness=witness, against=(), trials=8, **more)


def test_worse_is_rolled_back_better_is_kept_and_noise_is_called_noise(here: Path, blindtest: Run) -> None:
    good, bad = many(here, "good", "steady"), many(here, "bad", "forgetful")
    worse = blindtest("compare", str(bad), str(good), "--baseline-witness", "steady", code=1).stdout
    assert "this run is worse than the baseline on All probes" in worse
    assert worse.rstrip().endswith("Roll back: this run is worse than the baseline.")
    better = blindtest("compare", str(good), str(bad), "--baseline-witness", "forgetful").stdout
    assert better.rstrip().endswith("Keep: this run is better than the baseline.")
    assert "costs fluency" in better
    same = blindtest("compare", str(good), str(good)).stdout
    assert "No difference between this run and the baseline can be shown" in same
    assert "no winner inside the noise" in same
    assert "That is no proof that both are the same." in same
    found = json.loads(
        blindtest("compare", str(bad), str(good), "--baseline-witness", "steady", "--json", code=1).stdout
    )
    assert (found["keep"], found["verdict"], found["cases"]) == (False, "worse", 16)


def test_a_margin_wants_a_loss_ruled_out(here: Path, blindtest: Run) -> None:
    good, few = many(here, "good", "steady"), planted(here, out="few", witness="forgetful", against=(), trials=1)
    words = ("compare", str(few), str(good), "--baseline-witness", "steady")
    assert "No difference" in blindtest(*words).stdout
    assert "a loss beyond the margin cannot be ruled out" in blindtest(*words, "--margin", "0.1", code=1).stdout
    blindtest("compare", str(good), str(good), "--margin", "0.1")


def test_what_differs_is_noted_and_what_cannot_be_compared_is_left_out(here: Path, blindtest: Run) -> None:
    first = planted(here, out="first")
    other = planted(here, out="other", seed=5)
    text = blindtest("compare", str(first), str(other)).stdout
    crossed = blindtest("compare", str(first), str(other), "--baseline-witness", "forgetful").stdout
    assert "the witnesses are steady, in the baseline forgetful" in crossed
    assert "other seeds (0, 5)" in text
    chinese = planted(here, "zh", out="chinese")
    assert "no case in common" in blindtest("compare", str(first), str(chinese), code=2).stderr
    assert "no witness 'nobody'" in blindtest("compare", str(first), str(other), "--witness", "nobody", code=2).stderr
    changed = here / "changed"
    shutil.copytree(first, changed)
    body = json.loads((changed / "run.json").read_text(encoding="utf-8"))
    body["texts"]["cellar.en"]["title"] = "Another cellar"
    (changed / "run.json").write_text(json.dumps(body), encoding="utf-8")
    assert "These suites differ: cellar.en" in blindtest("compare", str(first), str(changed), code=2).stderr


def test_a_run_is_compared_with_its_baseline_at_once(server: ScriptedServer, blindtest: Run, tmp_path: Path) -> None:
    good = planted(tmp_path, out="good", witness="bare", against=(), trials=8)
    words = ("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-n", "8", "-o", "r", "--no-plots")
    blank = ("--set", "models.responder=blank")
    result = blindtest(*words, *blank, "--baseline", str(good), "--json", code=1)
    found = json.loads(result.stdout)["baseline"]
    assert found["verdict"] == "worse"
    assert found["cases"] == 16
    # Verdicts of older rules are graded anew before they are compared, in memory alone: here every one of them was a failure.
    old = [
        one.model_copy(update={"rules": "old", "verdicts": tuple(v.model_copy(update={"outcome": "fail"}) for v in one.verdicts)})
        for one in RunFolder(good).graded().values()
    ]  # fmt: skip
    RunFolder(good).write_graded(old)
    again = blindtest(*words, *blank, "--resume", "--baseline", str(good), "--json", code=1)
    assert json.loads(again.stdout)["baseline"] == found
    assert {one.rules for one in RunFolder(good).graded().values()} == {"old"}
    # What cannot be compared is told after the run's own results, which are kept.
    other = planted(tmp_path, "zh", out="other", against=(), trials=1)
    misfit = blindtest(*words[:-2], "r2", "--no-plots", "--baseline", str(other), code=2)
    assert "Report: r2/report.html" in misfit.stdout
    assert "no case in common" in misfit.stderr


# --- import ---------------------------------------------------------------------------------------------------------

TALKS = {
    "en": [
        ("The jam stands on shelf 41, remember that.", "I will."),
        ("Anything at all.", "Mm."), ("Rain again.", "So it is."), ("I am off to bed soon.", "Sleep well."),
        ("Tea?", "Please."),
        ("Which shelf was the jam on?", "It was on forty-one."),
    ],
    "zh": [
        ("果酱放在41号架上，记住了。", "好的。"),
        ("随便聊聊。", "嗯。"), ("又下雨了。", "是啊。"), ("我快去睡了。", "晚安。"), ("喝茶吗？", "好。"),
        ("果酱放在几号架上？", "在四十一号架上。"),
    ],
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("form", ["jsonl", "pairs", "csv"])
def test_conversations_of_another_system_are_taken_in_and_graded(
    here: Path, blindtest: Run, language: str, form: str
) -> None:
    head = {"suite": f"cellar.{language}", "script": "shelf", "persona": PERSONAS[language], "witness": "theirs"}
    pairs = [{"user": user, "reply": reply} for user, reply in TALKS[language]]
    file = here / f"talk.{'csv' if form == 'csv' else 'jsonl'}"
    if form == "jsonl":
        file.write_text(json.dumps({**head, "turns": pairs}) + "\n", encoding="utf-8")
    elif form == "pairs":
        file.write_text(
            "\n".join(json.dumps({**head, "conversation": "1", **pair}) for pair in pairs), encoding="utf-8"
        )
    else:
        with file.open("w", encoding="utf-8-sig", newline="") as out:
            writer = csv.DictWriter(out, [*head, "conversation", "user", "reply"])
            writer.writeheader()
            writer.writerows({**head, "conversation": "1", **pair} for pair in pairs)
    result = blindtest("import", str(file), "--suite", f"cellar.{language}.yaml", "-o", "r", "--no-plots")
    assert "theirs passed 1 of 1 probes" in result.stdout
    found = read_held("r")
    assert found.transcripts[0].trial.slots["shelf"] == "41"
    assert [one.user for one in found.transcripts[0].exchanges] == [user for user, _ in TALKS[language]]
    assert found.info.witnesses == {"theirs": {"kind": "recorded"}}
    called = f"<code>harness blindtest import {file} --suite cellar.{language}.yaml</code>"
    assert called in Path("r/report.html").read_text(encoding="utf-8")


def test_an_import_can_be_compared_with_a_run(here: Path, blindtest: Run) -> None:
    run = planted(here, witness="steady", against=(), trials=2)
    lines = [
        {
            "suite": one.trial.suite, "script": one.trial.script, "persona": one.trial.persona,
            "turns": [[exchange.user, exchange.said.text] for exchange in one.exchanges],
        }
        for one in read_held(run).transcripts
    ]  # fmt: skip
    Path("talks.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    blindtest("import", "talks.jsonl", "--suite", "cellar.en.yaml", "-o", "r", "--no-plots")
    found = json.loads(blindtest("compare", "r", str(run), "--baseline-witness", "steady", "--json").stdout)
    assert (found["cases"], found["verdict"]) == (4, "no difference")
    assert all(one["difference"] == 0 for one in found["comparisons"])


def test_a_conversation_that_is_not_the_scripts_is_refused(here: Path, blindtest: Run) -> None:
    head = {"suite": "cellar.en", "script": "shelf", "persona": "ada"}

    def refused(*lines: dict[str, Any] | str) -> str:
        text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
        Path("t.jsonl").write_text(text, encoding="utf-8")
        return blindtest("import", "t.jsonl", "--suite", "cellar.en.yaml", "-o", "r", "--no-plots", code=2).stderr

    wrong = refused({**head, "turns": [["Where is the jam?", "Here."]]})
    assert (
        "line 1, turn 1: expected 'The jam stands on shelf {shelf}, remember that.', got 'Where is the jam?'" in wrong
    )
    more = refused({**head, "turns": [*TALKS["en"], ["And then?", "Nothing."]]})
    assert "7 turns, 1 more than the script 'shelf'" in more
    assert "has no script 'attic'" in refused({**head, "script": "attic", "turns": [["a", "b"]]})
    assert "expected a suite of cellar.en" in refused({**head, "suite": "other.en", "turns": [["a", "b"]]})
    several = refused("{", {"user": "a"}, {**head, "turns": []}, {**head, "turns": [["a", "b"]], "repeat": -1}, "[]")
    for line in range(1, 6):
        assert f"line {line}: " in several
    assert "found none" in refused("")
    assert not Path("r").exists()


BRANDS = """
suite: brands
language: en
pass: 0
slots:
  town: {choice: [Hull, York]}
scripts:
  - id: camera
    probe: detail
    rounds:
      - steps:
          - say: Which camera?
            capture: {camera: {choice: [Canon, Nikon]}}
            optional: true
          - event: it begins to rain in {town}
          - say: "Would you sell the {camera} (yes {{or}} no)?"
          - wait: 2 days
          - say: Where does it rain?
            expect: {mentions: ["{town}"]}
"""


@pytest.mark.parametrize("given", [True, False])
def test_events_and_what_a_reply_gave_are_followed_in_a_recording(here: Path, blindtest: Run, given: bool) -> None:
    Path("brands.en.yaml").write_text(BRANDS, encoding="utf-8")
    rain = "(it begins to rain in York)\n"
    turns = [["Which camera?", "A Nikon." if given else "I forget."]]
    # Without a brand the second question is never said, and the event goes with the next message.
    turns += [[f"{rain}Would you  sell the Nikon (yes {{or}} no)?", "No."]] if given else []
    turns += [["Where does it rain?" if given else f"{rain}Where does it rain?", "In York, they say."]]
    line = {"suite": "brands.en", "script": "camera", "persona": "ada", "turns": turns}
    Path("t.jsonl").write_text(json.dumps(line), encoding="utf-8")
    blindtest("import", "t.jsonl", "--suite", "brands.en.yaml", "-o", "r", "--no-plots")
    (talk,) = read_held("r").transcripts
    assert talk.trial.slots["town"] == "York"
    assert talk.captures == ({"camera": "Nikon"} if given else {})
    assert [[one.user, one.said.text] for one in talk.exchanges] == turns
    assert not talk.error
    assert [one.kind for one in talk.happenings] == ["event", "wait"]


def test_a_recording_that_ends_early_is_graded_as_far_as_it_goes(here: Path, blindtest: Run) -> None:
    line = {"suite": "cellar.en", "script": "shelf", "persona": "ada", "turns": TALKS["en"][:3]}
    Path("t.jsonl").write_text(json.dumps(line), encoding="utf-8")
    result = blindtest("import", "t.jsonl", "--suite", "cellar.en.yaml", "-o", "r", "--no-plots", code=1)
    assert "recorded passed 0 of 1 probes" in result.stdout
    assert "ended early" in result.stdout


# --- the terminal ---------------------------------------------------------------------------------------------------


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import io

    from harness.cli.blindtest_progress import RunBar

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    run = asyncio.run(held(tmp_path, "en", trials=1))
    transcripts = {one.trial.key: one for one in run.folder.transcripts()}
    with RunBar() as bar:
        bar.planned(run.plan, 0)
        for trial in run.plan.trials:
            bar.trial(trial, transcripts[trial.key])
    assert "4/4" in shown.getvalue()
    assert "cellar.en/" in shown.getvalue()


def test_without_a_model_one_clear_error_comes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.errors import LocalModelError

    async def none(_: Bench) -> None:
        raise LocalModelError("There is no model here.", remedy="Name one.")

    monkeypatch.setattr("harness.app.Harness.model", none)
    result = CliRunner().invoke(
        app, ["blindtest", "run", "cellar.en.yaml", "-p", "ada", "--against", "bare", "--at-once", "3"]
    )
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-2:] == ["error: There is no model here.", "  Name one."]
    assert "Traceback" not in result.stderr

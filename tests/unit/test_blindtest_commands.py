"""Options and messages of the commands: called again as the report says, exit codes, narrow terminals, what is wrong in a file."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

from harness.blindtest.folder import RunFolder
from harness.blindtest.pacing import Pacing
from harness.blindtest.reporting import read_held
from harness.blindtest.reporting.rerunning import rerun
from harness.cli.main import app
from harness.errors import RunError
from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread
from tests._commands import Run, runner
from tests.unit._blindtest_runs import PERSONAS, SUITES, held

BOTH = pytest.mark.parametrize("language", ["en", "zh"])
JOBS = {"en": "I'm a nurse on the night shift.", "zh": "我是一名中学语文老师。"}


def reply(request: Received) -> Answer:
    """It knows its job, and judges and interrogates where it is asked to."""
    body = json.dumps(request.body, ensure_ascii=False)
    text = str(request.body["messages"][-1]["content"])
    if '"met"' in body:
        return Answer(json.dumps({"reasoning": "r", "quote": "", "met": "unclear"}))
    if '"noticed"' in body:
        return Answer(
            json.dumps(
                {"reasoning": "r", "noticed": "", "message": "What do you do? 你做什么工作？"}, ensure_ascii=False
            )
        )
    if '"confidence"' in body:
        return Answer(
            json.dumps({"reasoning": "r", "quote": "nurse", "verdict": "human", "confidence": 0.9, "reason": "style"})
        )
    return Answer(JOBS["zh" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"])


@pytest.fixture
def server(here: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedServer]:
    with ServerThread(ScriptedServer(reply, models=("test-model", "theirs"))) as running:
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", running.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        yield running


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.chdir(tmp_path)
    for language, text in SUITES.items():
        Path(f"cellar.{language}.yaml").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture
def blindtest() -> Run:
    return runner("blindtest")


# --- how to run it again --------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.timeout(300)  # workers begin by importing everything
def test_the_command_in_the_report_holds_the_same_run(server: ScriptedServer, blindtest: Run, language: str) -> None:
    Path("pace.json").write_text(Pacing(chars_per_second=1e6, think_s=0.001).model_dump_json(), encoding="utf-8")
    words = [
        f"cellar.{language}.yaml", "-p", PERSONAS[language], "--witness", "there", "--against", "bare,eliza",
        "--endpoint", f"there={server.base_url},model=theirs", "--ablate", "facts", "-n", "2", "--seed", "7",
        "--price", "theirs=1,2", "--price", "test-model=3", "--set", "harness.temperature=0.3", "--judge", "model", "--votes", "1",
        "--pace", "pace.json", "--calibration", "known/calibration.json",
    ]  # fmt: skip
    blindtest("calibrate", "--votes", "1", "--language", language, "--out", "known", code=1)
    blindtest("run", *words, "--jobs", "2", "--max-minutes", "60", "--out", "first", "--no-plots", code=1)
    first = read_held("first")
    again = shlex.split(rerun(first))
    assert again[:3] == ["harness", "blindtest", "run"]
    assert not {"--out", "--jobs", "--max-minutes", "--no-plots"} & set(again)
    runner()(*again[1:], "--out", "second", "--no-plots", code=1)
    for name in ("results.json", "verdicts.jsonl", "report.html", "junit.xml", "turns.jsonl", "judgements.jsonl"):
        assert Path("first", name).read_bytes() == Path("second", name).read_bytes(), name
    second = read_held("second")
    assert second.info == first.info
    assert shlex.join(again).replace("'", "&#39;") in Path("first", "report.html").read_text(encoding="utf-8")


@BOTH
def test_an_interrogation_is_called_again_as_one(server: ScriptedServer, blindtest: Run, language: str) -> None:
    words = (
        "interrogate", "--strategy", "detail,time", "--strategy", "nonsense", "--turns", "1", "-p", PERSONAS[language],
        "--witness", "eliza", "--against", "bare,there", "--endpoint", f"there={server.base_url},model=theirs",
        "--price", "test-model=1000000", "--as", "a bored taxi driver",
    )  # fmt: skip
    shown = blindtest(*words, "--out", "first", code=1).stdout
    assert "The interrogator made" in shown
    assert "which cost" in shown
    first = read_held("first")
    assert list(first.info.witnesses) == ["eliza", "bare", "there"]
    assert {one.trial.script for one in first.transcripts} == {"detail", "time", "nonsense"}
    again = shlex.split(rerun(first))
    runner()(*again[1:], "--out", "second", code=1)
    assert Path("first", "results.json").read_bytes() == Path("second", "results.json").read_bytes()
    # One that Python began has no call, and comes to the same command as far as a command can.
    made = rerun(first.__class__(first.info.model_copy(update={"call": ()}), first.transcripts, first.graded, first.results, first.suites, first.people))  # fmt: skip
    runner()(*shlex.split(made)[1:], "--out", "third", code=1)
    assert Path("first", "results.json").read_bytes() == Path("third", "results.json").read_bytes()
    stopped = blindtest(*words, "--max-cost", "0.5", "--out", "fourth", code=1)
    assert len(RunFolder("fourth").transcripts()) < len(first.transcripts), stopped.stdout


def test_a_password_in_an_address_is_in_no_call(here: Path, blindtest: Run) -> None:
    blindtest(
        "run", "cellar.en.yaml", "-p", "ada", "--witness", "eliza", "--out", "r", "--no-plots",
        "--set", "storage.url=postgresql://me:tell-nobody@127.0.0.1/x", code=1,
    )  # fmt: skip
    assert "tell-nobody" not in "".join(file.read_text(encoding="utf-8") for file in Path("r").iterdir())
    assert "storage.url=postgresql://me:***@127.0.0.1/x" in RunFolder("r").info().call


# --- options and exit codes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("calibrate", "--judge", "jury"), "There is no judge 'jury'"),
        (("calibrate", "--judge", "rules", "--votes", "2"), "Rules have no votes"),
        (("calibrate", "--judge", "rules", "--labels", "nowhere.yaml"), "nowhere.yaml"),
        (("prefer", "nowhere", "a", "b"), "found none"),
        (("interrogate", "--strategy", "detail,torture", "--language", "en", "--witness", "eliza"), "no strategy 'torture'"),
        (("interrogate", "--witness", "eliza", "--against", "bare,eliza", "--language", "en"), "compared with itself"),
        (("interrogate", "--witness", "eliza", "--endpoint", "there", "--language", "en"), "no = between"),
        (("interrogate", "--witness", "eliza", "--max-cost", "1", "--language", "en"), "needs prices"),
        (("pace", "--fit", "nowhere"), "nowhere cannot be read: No such file"),
        (("human", "--persona", "nobody"), "nobody"),
        (("human", "--persona", "ada", "--witness", "bear"), "Did you mean 'bare'?"),
        (("human", "--persona", "ada", "--witness", "eliza", "--minutes", "-1"), "up to 240 minutes"),
        (("human", "--persona", "ada", "--pace", "nope"), "nope is no pacing: No such file"),
        (("human", "results", "nowhere"), "no session of a human test"),
        (("human", "results", "--out", "nowhere"), "no session of a human test"),
        (("human", "join", "--wait", "0"), "human test"),
        (("run", "cellar.en.yaml", "--witness", "elisa"), "Did you mean 'eliza'?"),
        (("run", "cellar.en.yaml", "--witness", "eliza", "--against", "eliza"), "compared with itself"),
        (("run", "cellar.en.yaml", "--endpoint", "foo"), "no = between"),
        (("run", "cellar.en.yaml", "--votes", "2"), "Rules have no votes"),
        (("run", "cellar.en.yaml", "--pace", "nope"), "nope is no pacing"),
        (("run", "cellar.en.yaml", "-p", "ada", "--witness", "eliza", "--judge", "both", "--votes", "0"), "--votes"),
        (("judge", "nowhere", "--threshold", "0.9"), "Rules have no threshold"),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_code_2_everywhere(here: Path, blindtest: Run, words: tuple[str, ...], told: str) -> None:
    result = blindtest(*words, code=2)
    assert told in " ".join(result.stderr.split()), result.stderr
    assert "Errno" not in result.stderr
    assert not {"blindtest", "interrogation", "human"} & {
        file.name for file in here.iterdir() if any(file.glob("*.json"))
    }


@BOTH
def test_judging_again_takes_votes_and_a_calibration(server: ScriptedServer, blindtest: Run, language: str) -> None:
    blindtest(
        "run", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--witness", "bare", "-o", "r", "--no-plots", code=1
    )
    words = ("judge", "r", "--judge", "model", "--votes", "1", "--temperature", "0.5", "--no-plots")
    blindtest(
        "calibrate",
        "--judge",
        "model",
        "--votes",
        "1",
        "--temperature",
        "0.5",
        "--language",
        language,
        "--out",
        "known",
        code=1,
    )
    before = len(server.requests)
    blindtest(*words, "--calibration", "known/calibration.json", "--at-once", "2", code=1)
    asked = len(server.requests) - before
    assert 0 < asked <= 6  # the questions of two trials, one vote each; nothing is calibrated anew
    shown = json.loads(Path("r/results.json").read_bytes())["judge"]["about"]
    assert (shown["votes"], shown["temperature"]) == (1, 0.5)
    told = blindtest(
        "judge", "r", "--judge", "model", "--votes", "3", "--calibration", "known/calibration.json", code=2
    )
    assert "is of another judge" in told.stderr


@BOTH
def test_a_run_at_the_pace_of_people_comes_to_the_same(server: ScriptedServer, blindtest: Run, language: str) -> None:
    Path("pace.json").write_text(
        Pacing(chars_per_second=1e5, think_s=0.05, spread=0.1).model_dump_json(), encoding="utf-8"
    )
    words = ("run", f"cellar.{language}.yaml", "-p", PERSONAS[language], "--witness", "eliza", "--no-plots")
    blindtest(*words, "-o", "plain", code=1)
    blindtest(*words, "-o", "paced", "--pace", "pace.json", code=1)
    assert Path("plain/results.json").read_bytes() == Path("paced/results.json").read_bytes()
    seconds = [one.said.seconds for talk in RunFolder("paced").transcripts() for one in talk.exchanges]
    assert all(one > 0.03 for one in seconds)
    assert RunFolder("paced").info().witnesses["eliza"]["pacing"]["think_s"] == 0.05


@BOTH
def test_a_human_test_with_a_witness_at_another_endpoint(server: ScriptedServer, blindtest: Run, language: str) -> None:
    blindtest(
        "run",
        f"cellar.{language}.yaml",
        "-p",
        PERSONAS[language],
        "--witness",
        "eliza",
        "-o",
        "r",
        "--no-plots",
        code=1,
    )
    shown = blindtest(
        "human", "-p", PERSONAS[language], "--witness", "there", "--endpoint", f"there={server.base_url},model=theirs",
        "--recorded", "r", "--seconds", "0.5", "--out", "talks", stdin="A: hm?\nB: hm?\n/verdict\nA\n75\n1\n\n",
    ).stdout  # fmt: skip
    assert {"there", "eliza"} <= set(
        shown.splitlines()[-1].replace("，", " ").replace(",", " ").replace(".", " ").replace("。", " ").split()
    )
    assert "theirs" in {str(one.body.get("model")) for one in server.requests}
    assert "there rather than eliza, a machine too" in blindtest("human", "results", "talks").stdout


def test_prices_can_be_given_when_a_run_is_judged_again(server: ScriptedServer, blindtest: Run) -> None:
    blindtest("run", "cellar.en.yaml", "-p", "ada", "--witness", "bare", "-o", "r", "--no-plots", code=1)
    assert "cost" not in blindtest("judge", "r", "--no-plots", code=1).stdout
    assert "needs prices" in blindtest("judge", "r", "--no-plots", "--max-cost", "1", code=2).stderr
    for _ in range(2):  # the prices stay
        shown = blindtest("judge", "r", "--no-plots", *(() if _ else ("--price", "test-model=1000")), code=1).stdout
        assert "bare cost " in shown
    stopped = blindtest("judge", "r", "--no-plots", "--judge", "model", "--max-cost", "0.0001", code=1).stdout
    assert "Stopped: the cost is" in stopped


def test_debug_shows_where_an_error_is_from(here: Path) -> None:
    result = CliRunner().invoke(app, ["--debug", "blindtest", "report", "nowhere"])
    assert isinstance(result.exception, RunError)
    assert isinstance(CliRunner().invoke(app, ["blindtest", "report", "nowhere"]).exception, SystemExit)


# --- how it looks ---------------------------------------------------------------------------------------------------


@BOTH
def test_below_seventy_columns_tables_are_lines(here: Path, monkeypatch: pytest.MonkeyPatch, language: str) -> None:
    asyncio.run(held(here, language))
    monkeypatch.setenv("COLUMNS", "40")
    shown = runner("blindtest", "report")("run", "--no-plots").stdout
    lines = [line.rstrip() for line in shown.splitlines()]
    assert "witness: steady" in lines
    assert "  scripts: 4 of 4" in lines
    assert "  probes [95 %]: 100 % [21, 100]" in lines
    assert "probe: contradiction" in lines
    assert "steady against: forgetful" in lines
    assert max(map(len, lines)) <= 40
    suites = runner("blindtest", "suites")(f"cellar.{language}.yaml").stdout.splitlines()
    suites = [line.rstrip() for line in suites]
    assert f"suite: cellar.{language}" in suites
    assert "  scripts: 2" in suites
    monkeypatch.setenv("COLUMNS", "120")
    assert "witness: steady" not in runner("blindtest", "report")("run", "--no-plots").stdout


@BOTH
def test_steps_are_shown_as_the_suite_has_them(here: Path, blindtest: Run, language: str) -> None:
    shown = blindtest("show", f"cellar.{language}.yaml", "--script", "bait").stdout
    assert (
        "[expect: {avoids: ['{other_job}'], holds: [job]}]" in shown
        or "[expect: {holds: [job], avoids: ['{other_job}']}]" in shown
    )
    assert "filler: 4" in blindtest("show", f"cellar.{language}.yaml", "--script", "shelf").stdout


# --- what is wrong in a file ----------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("          - filler: 4\n", "          - undo: 5\n", "line 20, column 13: expected at most the 1 turns"),
        ("          - filler: 4\n", "          - new_session: true\n          - undo: 1\n", "expected at most the 0 turns"),
        ("          - filler: 4\n", "\t  - filler: 4\n", "it is a tab: indent with spaces"),
        ("filler: 4", "filler: \x004", "line 20, column 21: no valid YAML: the character U+0000"),
    ],
)  # fmt: skip
def test_mistakes_of_a_suite_are_told_where_they_are(
    here: Path, blindtest: Run, language: str, before: str, after: str, told: str
) -> None:
    assert before in SUITES[language]
    Path("wrong.yaml").write_text(SUITES[language].lstrip("\n").replace(before, after), encoding="utf-8")
    for command in (("show", "wrong.yaml"), ("run", "wrong.yaml", "-p", PERSONAS[language], "--witness", "eliza")):
        assert told in blindtest(*command, code=2).stderr


def test_turns_that_were_said_can_be_taken_back(here: Path, blindtest: Run) -> None:
    Path("good.en.yaml").write_text(
        SUITES["en"].replace("- filler: 4\n", "- filler: 4\n          - undo: 5\n"), encoding="utf-8"
    )
    assert "undo: 5" in blindtest("show", "good.en.yaml", "--script", "shelf").stdout


@pytest.mark.usefixtures("here")
class TestImports:
    """What is told of a file of conversations."""

    HEAD: ClassVar[dict[str, Any]] = {"suite": "cellar.en", "script": "shelf", "persona": "ada"}

    @staticmethod
    def refused(blindtest: Run, name: str, text: str, *more: str) -> str:
        Path(name).write_text(text, encoding="utf-8", newline="")
        result = blindtest("import", name, *more, "-o", "r", "--no-plots", code=2)
        assert not Path("r").exists()
        return result.stderr

    @BOTH
    def test_in_words(self, blindtest: Run, language: str) -> None:
        head = {**self.HEAD, "suite": f"cellar.{language}", "persona": PERSONAS[language]}
        said = {"en": "The jam.", "zh": "果酱。"}[language]
        lines = [
            {**head, "turns": [[said, None], {"user": 3, "reply": "x"}]},
            {**head, "turns": []},
            {**head, "turns": "none"},
            {**head, "turns": [[said, "a", "b"], {"user": said}]},
            {**head, "turns": [[said, "a"]], "repeat": "x", "more": 1},
            {"turns": [[said, "a"]]},
        ]
        told = self.refused(blindtest, "t.jsonl", "\n".join(json.dumps(one, ensure_ascii=False) for one in lines))
        for part in (
            "line 1: expected text as `reply` of turn 1, got null\n",
            "line 1: expected text as `user` of turn 2, got 3\n",
            "line 2: `turns` are empty\n",
            'line 3: expected a list of messages with their replies as `turns`, got "none"\n',
            f'line 4: expected a message and its reply as turn 1, got ["{said}", "a", "b"]\n',
            "line 4: `reply` of turn 2 is missing\n",
            'line 5: expected a whole number from 0 as `repeat`, got "x"\n',
            "line 5: there is no `more`; there are suite, script, persona,",
            "line 6: `suite` is missing\n",
        ):
            assert part in told, told
        assert told.count("line 1: ") == 2  # and no third, false one
        assert "t.jsonl cannot be imported" in told

    def test_everything_at_once(self, blindtest: Run) -> None:
        lines = [
            {**self.HEAD, "turns": [["Where?", "Here."]]},
            {**self.HEAD, "suite": "mved.en", "turns": [["a", "b"]]},
            {**self.HEAD, "persona": "adda", "turns": [["a", "b"]]},
            {**self.HEAD, "turns": [["What jam?", "That."]]},
            {**self.HEAD, "script": "attic", "turns": [["a", "b"]]},
            {"user": "a"},
        ]
        text = "\n".join(map(json.dumps, lines))
        told = self.refused(blindtest, "bad.jsonl", text, "--suite", "cellar.en.yaml")
        assert told.startswith("error: bad.jsonl cannot be imported:\n")
        found = [line.strip() for line in told.splitlines() if line.startswith("  line")]
        assert [line.split(":")[0].split(",")[0] for line in found] == [f"line {number}" for number in range(1, 7)]
        assert "line 1, turn 1: expected 'The jam stands on shelf {shelf}, remember that.', got 'Where?'" in found[0]
        assert "expected a suite of cellar.en, got 'mved.en'" in found[1]
        assert "adda" in found[2]
        assert "no script 'attic'" in found[4]
        unknown = self.refused(
            blindtest, "bad.jsonl", text
        )  # no suite is named: that of the lines is none of the package
        assert unknown.count("line ") >= 6
        assert "mved.en" in unknown

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ('user,reply,script\nHi,"Hello,shelf\nBye,See you,shelf\n', "line 2: a quotation mark is opened in this row and never closed"),
            ("user,reply,script\nHi,Hello,shelf\nBye\n", "line 3: the row ends before the columns reply, script"),
            ("user,reply,script\nHi,Hello, dear,shelf\n", "line 2: the row has 1 more cells than columns"),
            ("user;reply;script\nHi;Hello;shelf\n", "line 1: expected the columns user and reply, user and reply not found; found user;reply;script; columns are parted by commas, these seem to be by ';'"),
            ("message,reply\nHi,Hello\n", "user not found; found message, reply"),
            ('user,reply\nHi,"a "b" c"\n', "line 2: no CSV"),
            ("", "expected the columns user and reply"),
        ],
    )  # fmt: skip
    def test_of_csv(self, blindtest: Run, text: str, told: str) -> None:
        more = ("--suite", "cellar.en.yaml", "--script", "shelf", "-p", "ada")
        stderr = self.refused(blindtest, "t.csv", text, *more)
        assert told in stderr
        assert stderr.count("line ") == 1

    @BOTH
    def test_a_large_cell_and_an_empty_reply_are_taken(self, blindtest: Run, language: str) -> None:
        said = {"en": "The jam stands on shelf 40, remember that.", "zh": "果酱放在40号架上，记住了。"}[language]
        long = {"en": "jam ", "zh": "果酱"}[language] * 60_000
        filler = {"en": "Nice weather.", "zh": "今天天气不错。"}[language]
        Path("t.csv").write_text(f'user,reply\n"{said}","{long}"\n{filler},\n', encoding="utf-8")
        blindtest(
            "import", "t.csv", "--suite", f"cellar.{language}.yaml", "--script", "shelf", "-p", PERSONAS[language],
            "-o", "r", "--no-plots", code=1,
        )  # fmt: skip
        (talk,) = RunFolder("r").transcripts()
        assert [one.said.text for one in talk.exchanges] == [long, ""]
        assert rerun(read_held("r")).startswith("harness blindtest import t.csv --suite")

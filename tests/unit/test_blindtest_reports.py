"""Reports of blind tests: one page without a network, JUnit, turns, plots, sentences, and where a detail was lost."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import json
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from syrupy.assertion import SnapshotAssertion

from harness.blindtest.comparing import Compared, Lost
from harness.blindtest.folder import RunFolder
from harness.blindtest.reporting import Held, read_held, write_reports
from harness.blindtest.reporting.html import embedded, report_html
from harness.blindtest.reporting.page import transcript_page
from harness.blindtest.reporting.rerunning import rerun
from harness.blindtest.reporting.statements import losses, sentences
from harness.blindtest.reporting.terminal import summary
from harness.blindtest.reporting.texts import texts
from harness.blindtest.reporting.tracing import traces_of
from harness.blindtest.results import Results, WitnessResult
from harness.blindtest.statistics import survival
from harness.blindtest.transcript import Transcript
from harness.errors import MissingExtra, RunError
from harness.language import load_packs
from tests.unit._blindtest_runs import NASTY, held

PACKS = load_packs()
BOTH = pytest.mark.parametrize("language", ["en", "zh"])


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run in each language, held once; tests that change one copy it."""
    made = {}
    for language in ("en", "zh"):
        folder = tmp_path_factory.mktemp(language)
        made[language] = asyncio.run(held(folder, language)).folder.path
        write_reports(RunFolder(made[language]), packs=PACKS, plots=False)
    return made


def page_of(runs: dict[str, Path], language: str) -> str:
    return (runs[language] / "report.html").read_text(encoding="utf-8")


class Page(HTMLParser):
    """What a browser would make of a page: elements, and the text of scripts by id."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.scripts: dict[str, str] = {}
        self.plain_scripts: list[str] = []
        self.words: list[str] = []
        self._script: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img", "input", "line", "circle", "path"):
            self.open.append(tag)
        if tag == "script":
            self._script = dict(attrs).get("id") or ""

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("path", "circle"):
            return
        assert self.open.pop() == tag
        self._script = None if tag == "script" else self._script

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.words.append(data)
        elif self._script:
            self.scripts[self._script] = data
        else:
            self.plain_scripts.append(data)


@BOTH
def test_the_page_asks_the_network_for_nothing(runs: dict[str, Path], language: str) -> None:
    text = page_of(runs, language)
    page = Page(text)
    assert not page.open
    assert not re.search(r"https?://|//[a-z]+\.[a-z]+|@import|url\(", text)
    for tag, attributes in page.tags:
        assert "src" not in attributes
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
        assert attributes.get("href") is None or str(attributes["href"]).startswith("#")
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
    policy = next(a["content"] for tag, a in page.tags if tag == "meta" and "http-equiv" in a)
    assert "default-src 'none'" in str(policy)


@BOTH
def test_only_the_script_of_the_page_may_run(runs: dict[str, Path], language: str) -> None:
    import base64
    import hashlib

    text = page_of(runs, language)
    page = Page(text)
    assert len(page.plain_scripts) == 1
    allowed = base64.b64encode(hashlib.sha256(page.plain_scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{allowed}'" in text


@BOTH
def test_what_a_reply_says_is_never_markup(runs: dict[str, Path], language: str) -> None:
    text = page_of(runs, language)
    assert "<img" not in text
    assert "alert(2)</script>" not in text
    page = Page(text)
    bodies = [json.loads(body) for name, body in page.scripts.items() if name.startswith("t-")]
    assert len(bodies) == 8
    replies = [turn["a"] for body in bodies for turn in body["turns"]]
    assert NASTY in replies  # whole, for who reads the JSON


async def test_a_witness_with_a_wicked_name_is_only_a_name(tmp_path: Path) -> None:
    run = await held(tmp_path, "en", witness="<script>alert(1)</script>", against=("forgetful",))
    text = report_html(read_held(run.folder), PACKS)
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text
    Page(text)


def test_json_that_stands_in_a_page_ends_nothing() -> None:
    value = {"a": "</script><!-- & \u2028", "b": [1, None, True]}
    text = str(embedded(value))
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text) == value


@given(st.text() | st.sampled_from(["</script>", "<!--", "]]>", "\u2028"]))
def test_any_text_survives_in_a_page(value: str) -> None:
    text = str(embedded([value]))
    assert json.loads(text) == [value]
    assert not set("<>&\u2028\u2029") & set(text)


@BOTH
def test_the_page_reads_in_both_languages_and_opens_in_that_of_the_suite(runs: dict[str, Path], language: str) -> None:
    page = Page(page_of(runs, language))
    root = next(attributes for tag, attributes in page.tags if tag == "html")
    assert root["data-lang"] == language
    words = "".join(page.words)
    for other in ("en", "zh"):
        assert texts()["heat_map"][other] in words
        assert texts()["comparison_note"][other] in words
    spoken = json.loads(page.scripts["words"])
    assert set(spoken["en"]) == set(spoken["zh"])


def test_every_text_has_both_languages_and_the_same_names() -> None:
    names = re.compile(r"\{(\w+)\}")
    for key, found in texts().items():
        assert set(found) == {"en", "zh"}, key
        assert all(one.strip() for one in found.values()), key
        assert set(names.findall(found["en"])) - {"witness"} <= set(names.findall(found["zh"])) | {"witness"}, key


def test_every_text_that_the_page_asks_for_is_there() -> None:
    folder = Path(str(sys.modules["harness.blindtest.reporting"].__file__)).parent / "templates"
    asked = set(re.findall(r'\bt\("(\w+)"', (folder / "report.html.j2").read_text(encoding="utf-8")))
    script = (folder / "report.js").read_text(encoding="utf-8")
    asked |= set(re.findall(r'\b(?:t|say|part)\("(\w+)"', script))
    beginnings = {key for key in asked if key.endswith("_")}
    assert asked - beginnings <= set(texts())
    for beginning in beginnings:
        assert any(key.startswith(beginning) for key in texts()), beginning


@BOTH
def test_the_same_run_gives_the_same_bytes(runs: dict[str, Path], language: str, tmp_path: Path) -> None:
    again = asyncio.run(held(tmp_path, language, out="elsewhere", jobs=2)).folder
    write_reports(again, packs=PACKS, plots=False)
    for name in ("report.html", "results.json", "junit.xml", "turns.jsonl", "verdicts.jsonl"):
        assert (again.path / name).read_bytes() == (runs[language] / name).read_bytes(), name


def test_seconds_stand_in_the_page_only_when_asked_for(runs: dict[str, Path], tmp_path: Path) -> None:
    shutil.copytree(runs["en"], tmp_path / "run")
    folder = RunFolder(tmp_path / "run")
    assert "Seconds a turn" not in Page((folder.path / "report.html").read_text(encoding="utf-8")).words
    write_reports(folder, packs=PACKS, times=True, plots=False)
    words = Page((folder.path / "report.html").read_text(encoding="utf-8")).words
    assert any("Seconds a turn" in word for word in words)
    assert "0.50, 0.50" in "".join(words)
    timing = json.loads((folder.path / "timing.json").read_text(encoding="utf-8"))
    assert timing["steady"]["median_s"] == 0.5


@BOTH
def test_junit_has_a_case_for_each_script_and_witness(runs: dict[str, Path], language: str) -> None:
    root = ET.fromstring((runs[language] / "junit.xml").read_text(encoding="utf-8"))  # noqa: S314 - made here
    cases = {(str(one.get("classname")), str(one.get("name"))): one for one in root.iter("testcase")}
    assert set(cases) == {
        (f"cellar.{language}.{witness}", script) for witness in ("steady", "forgetful") for script in ("shelf", "bait")
    }
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("4", "2", "0")
    failure = cases[f"cellar.{language}.forgetful", "bait"].find("failure")
    assert failure is not None
    assert "0 of 2 trials passed" in str(failure.get("message"))
    assert ("我是" if language == "zh" else "I am a") in str(failure.text)
    assert cases[f"cellar.{language}.steady", "bait"].find("failure") is None


def test_junit_tells_what_ended_early_and_survives_any_character(runs: dict[str, Path]) -> None:
    from harness.blindtest.reporting.junit import junit_xml

    found = read_held(runs["en"])
    trials = tuple(
        one.model_copy(update={"error": "Unreachable: \x00\x0b gone \ud83d"}) if one.witness == "steady" else one
        for one in found.results.trials
    )
    broken = dataclasses.replace(found, results=found.results.model_copy(update={"trials": trials}))
    root = ET.fromstring(junit_xml(broken))  # noqa: S314 - made here
    assert root.get("errors") == "2"
    assert "gone" in str(next(root.iter("error")).get("message"))


@BOTH
def test_every_turn_is_a_line_with_its_verdicts(runs: dict[str, Path], language: str) -> None:
    lines = [json.loads(line) for line in (runs[language] / "turns.jsonl").read_text(encoding="utf-8").splitlines()]
    found = read_held(runs[language])
    assert len(lines) == sum(len(one.exchanges) for one in found.transcripts)
    assert sum(len(line["verdicts"]) for line in lines) == sum(len(one.verdicts) for one in found.graded.values())
    bad = [line for line in lines if line["witness"] == "forgetful" and line["script"] == "bait" and line["turn"] == 2]
    assert all(line["score"] < 1 for line in bad)
    assert {verdict["grader"] for line in bad for verdict in line["verdicts"]} == {"facts", "form"}
    assert all(verdict["evidence"] for verdict in bad[0]["verdicts"] if verdict["outcome"] == "fail")


# --- where a detail was lost ----------------------------------------------------------------------------------------


def traced(folder: Path, script: str) -> tuple[Any, ...]:
    found = read_held(folder)
    trial = next(one for one in found.results.trials if (one.witness, one.script) == ("forgetful", script))
    transcript = found.transcripts[found.results.trials.index(trial)]
    suite = found.suites[trial.suite]
    return traces_of(
        transcript, found.graded[trial.key].verdicts, suite=suite, persona=found.people[trial.persona],
        pack=PACKS.get(suite.language), about=found.info.witnesses["forgetful"],
    )  # fmt: skip


@BOTH
def test_a_number_is_followed_to_the_summary_that_lost_it(runs: dict[str, Path], language: str) -> None:
    (trace,) = [one for one in traced(runs[language], "shelf") if one.exchange == 6]
    assert (trace.source, trace.since, trace.exchange) == ("told", 1, 6)
    assert (trace.state_until, trace.was_in, trace.prompt_until) == (2, ("messages",), 3)
    assert trace.lost_by == "summarize"
    assert [one.exchange for one in trace.path] == [1, 2, 3, 4, 5, 6]


@BOTH
def test_a_fact_of_the_character_is_lost_by_the_reply_or_by_the_check(runs: dict[str, Path], language: str) -> None:
    traces = traced(runs[language], "bait")
    assert {(one.source, one.lost_by) for one in traces} == {("persona", "unnoticed")}


def with_sights(found: Held, change: Any) -> Transcript:
    trial = next(one for one in found.results.trials if (one.witness, one.script) == ("forgetful", "shelf"))
    transcript = found.transcripts[found.results.trials.index(trial)]
    exchanges = [
        one.model_copy(update={"said": one.said.model_copy(update={"sight": change(one.number, one.said.sight)})})
        for one in transcript.exchanges
    ]
    return transcript.model_copy(update={"exchanges": tuple(exchanges)})


@BOTH
def test_each_way_of_losing_a_value_is_told_apart(runs: dict[str, Path], language: str) -> None:
    from harness.blindtest.transcript import LayerSeen
    from harness.state import Fact

    found = read_held(runs[language])
    shelf = with_sights(found, lambda _, sight: sight).trial.slots["shelf"]
    fact = Fact(id="f9", subject="jam", attribute="shelf", value=shelf, turn=1)
    told = LayerSeen(layer="L1", block="facts", injected=True, shown=(f"jam: {shelf}",))
    cut = LayerSeen(layer="L1", block="facts", injected=False, dropped=((f"jam: {shelf}", "over the budget"),))

    def lost(change: Any, about: dict[str, Any] | None = None) -> Any:
        transcript = with_sights(found, change)
        (trace,) = [
            one
            for one in traces_of(
                transcript, found.graded[transcript.trial.key].verdicts, suite=found.suites[transcript.trial.suite],
                persona=found.people[transcript.trial.persona], pack=PACKS.get(language), about=about or {},
            )
            if one.exchange == 6
        ]  # fmt: skip
        return trace

    kept = lost(lambda _, sight: sight.model_copy(update={"facts": (fact,), "layers": (told,)}))
    assert kept.lost_by == "respond"
    left = lost(lambda _, sight: sight.model_copy(update={"facts": (fact,), "layers": (cut,)}))
    assert (left.lost_by, left.dropped) == ("context", "L1: over the budget")
    gone = lost(lambda number, sight: sight.model_copy(update={"facts": (fact,) if number < 4 else ()}))
    assert (gone.lost_by, gone.state_until) == ("extract_facts", 3)
    assert lost(lambda *_: None, {"kind": "bare", "window": 6}).lost_by == "window"
    assert lost(lambda *_: None, {"kind": "bare", "window": 6}).prompt_until == 3
    assert lost(lambda *_: None, {"kind": "bare", "window": 12}).lost_by == "respond"
    assert lost(lambda *_: None, {"kind": "other"}).lost_by == "unknown"


def test_a_page_stays_below_its_size_by_leaving_out_states_of_what_passed(runs: dict[str, Path]) -> None:
    found = read_held(runs["zh"])
    whole = report_html(found, PACKS)
    bodies = Page(whole).scripts
    assert not any(json.loads(body)["trimmed"] for name, body in bodies.items() if name.startswith("t-"))
    limit = len(whole.encode()) - 1000
    small = report_html(found, PACKS, max_bytes=limit)
    trimmed = {
        name for name, body in Page(small).scripts.items() if name.startswith("t-") and json.loads(body)["trimmed"]
    }
    assert trimmed
    assert "略去了各轮状态" in small
    assert len(small.encode()) <= limit
    least = report_html(found, PACKS, max_bytes=1000)
    assert all(json.loads(body)["gone"] for name, body in Page(least).scripts.items() if name.startswith("t-"))
    assert "页面容纳不下 8 份记录" in least


def test_texts_and_facts_stand_once_in_a_transcript(runs: dict[str, Path]) -> None:
    found = read_held(runs["en"])
    for trial, transcript in zip(found.results.trials, found.transcripts, strict=True):
        made = transcript_page(trial, transcript, found, PACKS)
        assert len(made["texts"]) == len(set(made["texts"]))
        if trial.witness == "forgetful" and trial.script == "shelf":
            assert [turn["s"].get("fn", []) for turn in made["turns"]] == [[], [0], [], [], [], []]


# --- sentences and the terminal -------------------------------------------------------------------------------------


def shown(lines: Any) -> str:
    out = Console(width=160, color_system=None, file=io.StringIO())
    for line in lines:
        out.print(line)
    assert isinstance(out.file, io.StringIO)
    return "\n".join(line.rstrip() for line in out.file.getvalue().splitlines())


@BOTH
def test_the_summary_in_a_terminal(runs: dict[str, Path], language: str, snapshot: SnapshotAssertion) -> None:
    found = read_held(runs[language])
    assert (
        shown(summary(found.results, planned=found.info.planned, left_out=("own.en/x with ada: no yacht",))) == snapshot
    )


def compared(
    winner: str, *, kind: str = "all", low: float = -0.1, high: float = 0.3, detectable: float = 0.31, scripts: int = 12
) -> Compared:
    return Compared(
        first="harness", second="bare", kind=kind, pairs=36, only_first=5, only_second=2, difference=0.05, low=low,
        high=high, p=0.1, adjusted=0.2, detectable=detectable, scripts=scripts, winner=winner,
    )  # fmt: skip


def said(results: Results, language: str = "en") -> str:
    return "\n".join(one.read(language) for one in sentences(results))


def test_inside_the_noise_nobody_wins() -> None:
    two = (WitnessResult(name="harness"), WitnessResult(name="bare"))
    text = said(Results(witnesses=two, suites=(), trials=(), comparisons=(compared("neither"),)))
    assert "No difference between harness and bare can be shown" in text
    assert "36 pairs would show a difference of 31 points or more; there is no winner inside the noise" in text
    none = Results(witnesses=two, suites=(), trials=(), comparisons=(compared("neither", detectable=1.0),))
    assert "too few, or of too few scripts, to show any" in said(none)
    assert "在噪声之内不判定胜者" in said(none, "zh")
    one = Results(witnesses=two, suites=(), trials=(), comparisons=(compared("neither", scripts=1),))
    assert "all of one script" not in said(none)
    assert "of one script" in said(one)
    better = Results(
        witnesses=two, suites=(), trials=(), comparisons=(compared("first"), compared("second", kind="time"))
    )
    assert "harness is better than bare on All probes" in said(better)
    assert "harness is worse than bare on time" in said(better)


def lost(measure: str, loss: float, *, low: float = 0.01, adjusted: float = 0.01) -> Lost:
    return Lost(
        first="harness", second="bare", measure=measure, loss=loss, low=low, high=0.5, p=0.001, adjusted=adjusted,
        cases=40, scripts=20,
    )  # fmt: skip


def test_a_gain_that_costs_fluency_is_said_to() -> None:
    two = (WitnessResult(name="harness"), WitnessResult(name="bare"))
    found = (lost("words", 0.2), lost("repeated", 0.18), lost("distinct_1", 0.03))
    gained = Results(witnesses=two, suites=(), trials=(), comparisons=(compared("first"),), losses=found)
    assert "The gain over bare costs fluency: replies are 20 % shorter; 18 points more replies are repeated." in said(
        gained
    )
    assert "回复缩短 20 %；重复回复增加 18 个百分点" in said(gained, "zh")
    level = Results(witnesses=two, suites=(), trials=(), comparisons=(compared("neither"),), losses=found)
    assert "harness is less fluent than bare" in said(level)


@pytest.mark.parametrize(
    "found",
    [lost("words", 0.2, adjusted=0.06), lost("words", 0.2, low=-0.01), lost("words", 0.04), lost("words", -0.2)],
)
def test_a_loss_of_fluency_inside_the_noise_is_none(found: Lost) -> None:
    assert not list(losses([found]))


def test_the_curve_counts_a_trial_until_it_fails_or_ends() -> None:
    # By hand: four trials, one fails at 1, one ends at 2, one fails at 3, one ends at 4: 3/4, then half of that.
    assert survival([(1, True), (2, False), (3, True), (4, False)]) == ((1, 0.75), (3, 0.375))
    assert survival([(3, False), (0, False)]) == ()


def test_the_command_that_holds_a_run_again(runs: dict[str, Path]) -> None:
    assert rerun(read_held(runs["en"])) == (
        "harness blindtest run cellar.en --persona ada --witness steady --against forgetful --trials 2 --seed 0"
    )


# --- plots, and what is missing -------------------------------------------------------------------------------------


@BOTH
def test_plots_are_written_and_the_same_each_time(runs: dict[str, Path], language: str, tmp_path: Path) -> None:
    from harness.blindtest.reporting.plots import plot_files

    pytest.importorskip("matplotlib")
    found = read_held(runs[language])
    first, second = plot_files(found, tmp_path / "a"), plot_files(found, tmp_path / "b")
    assert [file.name for file in first] == [
        f"{name}.{suffix}" for name in ("probes", "survival", "heat_map") for suffix in ("svg", "png")
    ]
    for one, other in zip(first, second, strict=True):
        assert one.stat().st_size > 1000
        if one.suffix == ".svg":
            assert one.read_bytes() == other.read_bytes()
            assert "steady" in one.read_text(encoding="utf-8")


def test_without_matplotlib_plots_are_left_out_unless_they_are_asked_for(
    runs: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.blindtest.reporting.plots import plot_files

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = read_held(runs["en"])
    assert plot_files(found, tmp_path / "plots") == ()
    with pytest.raises(MissingExtra, match="matplotlib"):
        plot_files(found, tmp_path / "plots", wanted=True)
    assert not (tmp_path / "plots").exists()


def test_a_folder_that_is_no_graded_run_is_told(runs: dict[str, Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match="found none"):
        read_held(tmp_path)
    shutil.copytree(runs["en"], tmp_path / "run")
    (tmp_path / "run" / "verdicts.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(RunError, match="lacks the transcripts or verdicts of 8 of its 8"):
        read_held(tmp_path / "run")
    (tmp_path / "run" / "results.json").write_text("{", encoding="utf-8")
    with pytest.raises(RunError, match="cannot be read"):
        read_held(tmp_path / "run")
    (tmp_path / "run" / "results.json").unlink()
    with pytest.raises(RunError, match="not graded"):
        read_held(tmp_path / "run")

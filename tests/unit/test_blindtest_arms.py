"""A run of many witnesses: the engine, an ablation for each feature, two controls. Its tables, sentences and page, and going on with it."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from harness.blindtest.ablations import ABLATIONS
from harness.blindtest.folder import RunFolder
from harness.blindtest.limits import Limits
from harness.blindtest.reporting import read_held, write_reports
from harness.blindtest.reporting.charts import COLOURS
from harness.blindtest.reporting.html import report_html
from harness.blindtest.reporting.statements import sentences
from harness.blindtest.reporting.wording import rated
from harness.blindtest.results import ALL, Results, WitnessResult
from harness.language import load_packs
from tests._commands import runner
from tests.unit._blindtest_runs import held

BOTH = pytest.mark.parametrize("language", ["en", "zh"])
PACKS = load_packs()
ABLATED = tuple(f"harness-{name}" for name in ABLATIONS)
AGAINST = ("bare", *ABLATED, "forgetful")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A run in each language, held once."""
    made = {}
    for language in ("en", "zh"):
        folder = tmp_path_factory.mktemp(language)
        run = asyncio.run(
            held(folder, language, witness="harness", against=AGAINST, limits=Limits({"planted": (100.0, 100.0)}))
        )
        write_reports(run.folder, packs=PACKS, plots=False)
        made[language] = run.folder.path
    return made


def shown(run: Path, monkeypatch: pytest.MonkeyPatch, columns: int) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.chdir(run.parent)
    found = runner("blindtest", "report")(run.name, "--no-plots").stdout
    return [line.rstrip() for line in found.splitlines()]


@BOTH
@pytest.mark.parametrize("columns", [70, 80, 100, 200])
def test_no_name_and_no_figure_is_broken(
    runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch, language: str, columns: int
) -> None:
    lines = shown(runs[language], monkeypatch, columns)
    results = read_held(runs[language]).results
    assert max(map(cell_len, lines)) <= columns
    rows = [re.split(r" {2,}", line.strip()) for line in lines]
    for one in results.witnesses:
        own = [row for row in rows if row[0] == one.name]
        cells = {cell for row in own for cell in row}
        assert {f"{one.scripts.passed} of {one.scripts.total}", rated(one.probes[ALL])} <= cells
        assert one.cost is not None
        assert f"{one.cost:.4g}" in cells
    for kind in ("fading", "contradiction"):
        cells = {cell for row in rows if row[0] == kind for cell in row}
        assert {rated(one.probes[kind]) for one in results.witnesses} <= cells
    # The comparisons of one kind of probe that show nothing are counted, and not listed.
    listed = [row for row in rows if row[-1] == "none shown"]
    assert [row[0] for row in listed] == [one.second for one in results.comparisons if one.kind == ALL]
    left_out = len(results.comparisons) - len(listed)
    assert left_out > len(listed)
    assert any(line.startswith(f"In {left_out} comparisons of one kind of probe") for line in lines)


def test_a_wide_terminal_has_each_table_in_one_part(runs: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def headings(columns: int) -> int:
        return sum(bool(re.match(r" (witness|probe|harness against) {2,}", line)) for line in shown(runs["en"], monkeypatch, columns))  # fmt: skip

    assert headings(240) == 3
    assert headings(80) > 3


@BOTH
def test_what_is_so_of_many_is_said_once(runs: dict[str, Path], language: str) -> None:
    results = read_held(runs[language]).results
    said = [one.read(language) for one in sentences(results)]
    words = {"en": ("too few, or of too few scripts", "Cost: "), "zh": ("脚本太少", "费用：")}[language]
    for word in words:
        (one,) = [sentence for sentence in said if word in sentence]
        assert all(name in one for name in AGAINST)
    assert len(said) <= 6


def test_trials_that_ended_early_and_details_are_said_once() -> None:
    witnesses = tuple(
        WitnessResult(name=name, errors=number, lost=number, captures=5, inapplicable=number + 1)
        for number, name in enumerate(("harness", "bare", "window"))
    )
    said = [one.read() for one in sentences(Results(witnesses=witnesses, suites=(), trials=()))]
    assert "Trials that ended early: bare 1; window 2." in " ".join(said)
    assert "Details that were asked for and could not be read from the replies: bare 1 of 5; window 2 of 5." in said
    assert "Expectations that could not be judged, and are in no share: harness 1; bare 2; window 3." in said
    assert not any(re.search(r"\{\w*\}", one.read("zh")) for one in sentences(Results(witnesses=witnesses, suites=(), trials=())))  # fmt: skip


@BOTH
def test_the_page_tells_the_witnesses_apart(runs: dict[str, Path], language: str) -> None:
    page = (runs[language] / "report.html").read_text(encoding="utf-8")
    assert len(AGAINST) + 1 == 9 <= COLOURS
    assert len(set(re.findall(r'<i class="key (w\d)"></i>', page))) == 9
    for number in range(COLOURS):
        assert page.count(f"--w{number}:") == 3  # light, dark, and dark as the system says
        assert f".dot.w{number}{{" in page
    results = read_held(runs[language]).results
    main, rest = page.split('id="comparisons"')[1].split("<details>")[:2]
    rows = re.compile(r'<tr><th scope="row">([^<]*)</th>')
    assert rows.findall(main) == [one.second for one in results.comparisons if one.kind == ALL]
    assert len(rows.findall(rest.split("</details>")[0])) == len(results.comparisons) - len(AGAINST)


def test_the_page_of_a_machine_without_a_checkout(runs: dict[str, Path]) -> None:
    found = read_held(runs["en"])
    info = found.info.model_copy(update={"machine": {"harness": "0.1.0"}})
    page = report_html(replace(found, info=info), PACKS)
    assert "harness: 0.1.0" in page
    assert "Commit" not in page.split('id="about"')[1].split("</section>")[0]


@BOTH
def test_a_run_that_was_killed_and_then_stopped_comes_to_the_same(
    runs: dict[str, Path], tmp_path: Path, language: str
) -> None:
    def again(stop_after: int = 10_000, kill_after: int = 10_000) -> None:
        limits, seen = Limits({"planted": (100.0, 100.0)}, max_minutes=1.0), 0

        def on_trial(*_: Any) -> None:
            nonlocal seen
            seen += 1
            if seen == stop_after:
                limits.started -= 61.0
            if seen == kill_after:
                raise KeyboardInterrupt

        run = asyncio.run(
            held(
                tmp_path, language, witness="harness", against=AGAINST, limits=limits, on_trial=on_trial,
                resume=(tmp_path / "run").exists(),
            )
        )  # fmt: skip
        assert bool(run.stopped) is (stop_after < 10_000)
        write_reports(run.folder, packs=PACKS, plots=False)

    with pytest.raises(KeyboardInterrupt):
        again(kill_after=7)
    folder = RunFolder(tmp_path / "run")
    assert len(folder.transcripts()) == 7
    with (folder.path / "transcripts.jsonl").open("a", encoding="utf-8") as file:  # as if in the middle of a line
        file.write('{"trial": {"suite": "cellar')
    again(stop_after=9)
    assert len(folder.transcripts()) == 16
    again(stop_after=3)
    assert json.loads((folder.path / "results.json").read_text(encoding="utf-8"))["trials"][18]["key"]
    again()
    for name in ("results.json", "verdicts.jsonl", "turns.jsonl", "junit.xml", "report.html"):
        assert (folder.path / name).read_bytes() == (runs[language] / name).read_bytes(), name

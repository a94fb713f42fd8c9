"""Reports of a run: tables for a terminal, JUnit XML, JSON lines of turns, one page of HTML, plots.

::

    files = write_reports(run.folder, packs=load_packs())
"""

from __future__ import annotations

from pathlib import Path

from harness.blindtest.folder import RunFolder
from harness.blindtest.reporting.html import REPORT, report_html
from harness.blindtest.reporting.junit import JUNIT, junit_xml
from harness.blindtest.reporting.plots import plot_files
from harness.blindtest.reporting.reading import Held, read_held
from harness.blindtest.reporting.timing import TIMING, timing, timing_text
from harness.blindtest.reporting.turns import TURNS, turn_lines
from harness.language import LanguagePacks

__all__ = ["JUNIT", "REPORT", "TIMING", "TURNS", "Held", "read_held", "write_reports"]


def write_reports(
    folder: RunFolder, *, packs: LanguagePacks, times: bool = False, plots: bool | None = None
) -> tuple[Path, ...]:
    """Write ``report.html``, ``junit.xml``, ``turns.jsonl``, ``timing.json`` and ``plots/`` into the folder of a graded run.

    Args:
        times: put the seconds of replies into the page as well; without them the same run gives the same page.
        plots: None: when matplotlib is installed.

    Returns:
        The files, the page first.

    Raises:
        RunError: see :func:`read_held`; or another process writes there (RunBusy). MissingExtra: plots are wanted and matplotlib is not installed.
    """
    with folder.alone(begun=True):
        held = read_held(folder)
        seconds = timing(held.transcripts)
        written = [
            folder.write(REPORT, report_html(held, packs, timing=seconds if times else None)),
            folder.write(JUNIT, junit_xml(held)),
            folder.write(TURNS, "".join(turn_lines(held))),
            folder.write(TIMING, timing_text(held.transcripts)),
        ]
        return (*written, *plot_files(held, folder.path / "plots", wanted=plots))

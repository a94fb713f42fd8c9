"""A run as JUnit XML: a test case for each script and witness, for the servers that run tests."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from harness.blindtest.reporting.reading import Held
from harness.blindtest.results import SuiteResult, TrialResult
from harness.blindtest.transcript import Verdict

JUNIT = "junit.xml"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST = 40
"""Failed verdicts that a test case lists."""


def junit_xml(held: Held) -> str:
    """The text of ``junit.xml``.

    A case fails when the share of its trials that passed is below the threshold of its suite, is an error when every trial ended early,
    and is skipped when nothing of it was applicable. Scripts that a character lacks something for are skipped cases as well.
    """
    root = ET.Element("testsuites", name="blindtest")
    counts = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
    for suite in held.results.suites:
        made = _suite(suite, held)
        root.append(made)
        for name in counts:
            counts[name] += int(made.get(name, "0"))
    if held.info.left_out:
        made = _left_out(held.info.left_out)
        root.append(made)
        counts["tests"] += len(made)
        counts["skipped"] += len(made)
    for name, count in counts.items():
        root.set(name, str(count))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(suite: SuiteResult, held: Held) -> ET.Element:
    made = ET.Element("testsuite", name=_clean(f"{suite.suite} · {suite.witness}"))
    trials = [one for one in held.results.trials if (one.suite, one.witness) == (suite.suite, suite.witness)]
    tallies = {"failures": 0, "errors": 0, "skipped": 0}
    scripts = list(dict.fromkeys(one.script for one in trials))
    for script in scripts:
        own = [one for one in trials if one.script == script]
        case = ET.SubElement(made, "testcase", classname=_clean(f"{suite.suite}.{suite.witness}"), name=_clean(script))
        kind = _judge(case, own, suite.threshold, held)
        if kind:
            tallies[kind] += 1
    made.set("tests", str(len(scripts)))
    for name, count in tallies.items():
        made.set(name, str(count))
    return made


def _judge(case: ET.Element, trials: Sequence[TrialResult], threshold: float, held: Held) -> str:
    counted = [one for one in trials if one.passed is not None]
    good = sum(bool(one.passed) for one in counted)
    if all(one.error for one in trials):
        made = ET.SubElement(case, "error", message=_clean(trials[0].error))
        made.text = _clean("\n".join(_evidence(trials, held)))
        return "errors"
    if not counted:
        ET.SubElement(case, "skipped", message="nothing of it was applicable")
        return "skipped"
    if good >= threshold * len(counted):
        if good < len(counted):
            ET.SubElement(case, "system-out").text = _clean("\n".join(_evidence(trials, held)))
        return ""
    message = f"{good} of {len(counted)} trials passed; {threshold * 100:g} % is needed"
    made = ET.SubElement(case, "failure", message=message, type="probe")
    made.text = _clean("\n".join(_evidence(trials, held)))
    return "failures"


def _evidence(trials: Sequence[TrialResult], held: Held) -> Iterator[str]:
    lines = [line for one in trials for line in _lines(one, held.graded[one.key].verdicts)]
    yield from lines[:_MOST]
    if len(lines) > _MOST:
        yield f"… and {len(lines) - _MOST} more"


def _lines(trial: TrialResult, verdicts: Sequence[Verdict]) -> Iterator[str]:
    head = f"{trial.persona}, repeat {trial.repeat + 1}, {trial.key}"
    if trial.error:
        yield f"{head}: ended early: {trial.error}"
    for one in verdicts:
        if one.outcome == "fail":
            where = f"turn {one.exchange}" if one.exchange else "never reached"
            yield f"{head}, {where}: {one.expectation} ({one.probe}, by {one.grader}): {one.evidence or 'no evidence'}"


def _left_out(left_out: Sequence[str]) -> ET.Element:
    made = ET.Element("testsuite", name="left out", tests=str(len(left_out)), failures="0", errors="0")
    made.set("skipped", str(len(left_out)))
    for line in left_out:
        name, _, why = line.partition(": ")
        case = ET.SubElement(made, "testcase", classname="left_out", name=_clean(name))
        ET.SubElement(case, "skipped", message=_clean(why))
    return made


def _clean(text: str) -> str:
    """A text without what XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)

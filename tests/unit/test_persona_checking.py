"""What the check finds doubtful in files that load."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.persona import Problem, check_persona, load_persona


def problems(folder: Path, text: str) -> tuple[Problem, ...]:
    path = folder / "someone.yaml"
    path.write_text(text, encoding="utf-8")
    load_persona(path)
    return check_persona(path)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("name: A\n", 0, "no facts"),
        ("name: A\nfacts:\n", 2, "`facts` is empty"),
        ("name: A\nfacts:\n  job: baker\n  odd thing:\n", 4, "'odd thing' is empty"),
        ("name: A\nfacts:\n  job: baker\nrole: ''\n", 4, "`role` is empty"),
        ("name: A\nfacts: {x y: a}\nhabits:\n  - hums\n  -\n", 5, "Entry 2 of `habits` is empty"),
        ("name: A\nfacts:\n  Odd Thing: a\n  odd thing: b\n", 4, "has two values, 'a' and 'b' (first in line 3)"),
        ("name: A\nfacts:\n  odd thing: {value: [a, b], many: no}\n", 3, "has two values"),
        ("name: A\nfacts:\n  odd thing:\n    - a\n    - b\n    - A\n", 6, "twice"),
        ("name: A\nfacts:\n  odd thing: {value: tea, not: Tea}\n", 3, "both is and is not"),
        ("name: A\nlanguage: tlh\nfacts: {x y: a}\n", 2, "No language pack for 'tlh'; there is en, zh"),
        ("name: A\nlanguage: zh\nfacts: {x y: a}\nbiography: Born in Leeds, raised in York.\n", 2, "reads as 'en'"),
        ("name: A\nlanguage: en\nfacts: {x y: a}\nbiography: 他是苏州人，爱喝茶。\n", 2, "reads as 'zh'"),
        ("name: A\nfacts: {x y: a}\nnever_says: [no worries]\ngreeting: No worries, sit.\n", 4, "'no worries'"),
        ("name: 甲\nfacts: {某: 一}\nnever_says: [亲]\nexamples:\n  - 好的亲，这就来。\n", 5, "'亲'"),
        (f"name: A\nfacts: {{x y: a}}\nbiography: {'word ' * 900}\n", 0, "tokens of every prompt"),
    ],
)
def test_doubts(tmp_path: Path, text: str, line: int, says: str) -> None:
    found = problems(tmp_path, text)
    assert [(problem.severity, problem.line) for problem in found] == [("warning", line)]
    assert says in found[0].message
    assert found[0].hint


@pytest.mark.parametrize(
    "text",
    [
        "name: A\nfacts:\n  odd thing: [a, b]\n",
        "name: A\nfacts:\n  odd thing: {value: tea, not: coffee}\n",
        "name: A\nfacts: {x y: a}\nnever_says: [like]\ngreeting: I dislike tea, and it is unlikely to change.\n",
        "name: A\nlanguage: en\nfacts: {x y: a}\ngreeting: Welcome, 林晓 told me about you.\n",
        "name: A\naliases: []\nfacts: {x y: a}\n",
    ],
)
def test_no_false_alarm(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text) == ()


def test_errors_stand_before_warnings(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("name: A\nrole:\nvioce: x\n", encoding="utf-8")
    assert [(problem.severity, problem.line) for problem in check_persona(path)] == [("error", 3), ("warning", 2)]

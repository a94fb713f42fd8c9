"""Grading by rules: how fast it is on recorded transcripts, and how often it agrees with an attentive reader.

    python -m tests.benchmarks.grading --transcripts 10000 --jobs 2

Transcripts are held with four witnesses made of words (`_grading_talks.py`), half in English, half in Chinese, 7 to 9 exchanges each; holding
them is not measured. What every witness does wrong is known, so the verdicts on the transcripts are counted, too. The other grader looks for
the words of what is expected, letter by letter, in the reply: the usual way. Agreement is with the 200 labelled replies of
`tests/data/blindtest_labels.yaml`; half A was looked at while the rules were made, half B only after they had been measured on it. On a machine
that others use as well, the processor seconds (of all processes, their start included) say more than the seconds.
"""

import argparse
import asyncio
import re
import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.blindtest.grading import grade_all
from harness.blindtest.plan import plan_trials
from harness.blindtest.suite import FORM
from harness.blindtest.templates import fill
from harness.blindtest.transcript import Graded, Transcript
from harness.blindtest.trial import hold
from harness.language import LanguagePacks, load_packs
from harness.persona import load_persona
from harness.state import Persona
from tests._blindtest_labels import Row, agrees, rows
from tests.benchmarks._grading_talks import FAILS, SUITES, WITNESSES
from tests.benchmarks._measuring import goal, machine, table, title

FOLDER = Path(__file__).parents[2] / "personas"
GOAL_S = 60.0
GOAL_AGREEMENT = 0.97


def personas() -> dict[str, Persona]:
    """The packaged characters."""
    return {file.stem: load_persona(file) for file in sorted(FOLDER.glob("*.yaml"))}


async def recorded(wanted: int, people: dict[str, Persona], packs: LanguagePacks) -> list[Transcript]:
    """So many transcripts, held with the witnesses in turn."""
    cases = sum(
        len(suite.scripts) * sum(p.language == suite.language for p in people.values()) for suite in SUITES.values()
    )
    trials = plan_trials(
        list(SUITES.values()), people, list(WITNESSES), packs, trials=wanted // (cases * len(WITNESSES)) + 1
    )
    return [
        await hold(
            trial,
            suite=SUITES[trial.suite],
            persona=people[trial.persona],
            witness=WITNESSES[trial.witness],
            pack=packs.get(SUITES[trial.suite].language),
        )
        for trial in trials.trials[:wanted]
    ]


def wrong_verdicts(transcripts: Sequence[Transcript], graded: Sequence[Graded]) -> Iterator[str]:
    """Verdicts on the transcripts that are not what their witness does."""
    for transcript, one in zip(transcripts, graded, strict=True):
        fails = FAILS[transcript.trial.witness]
        told = transcript.trial.script == "told"
        for verdict in one.verdicts:
            kind = verdict.expectation.split()[0]
            expected = verdict.probe == FORM or kind not in fails or (kind == "mentions" and not told)
            if (verdict.outcome == "pass") != expected:
                said = transcript.exchanges[verdict.exchange - 1]
                yield f"{transcript.trial.witness} {verdict.expectation}: {said.user!r} -> {said.said.text!r} ({verdict.evidence!r})"


# --- the usual way -----------------------------------------------------------------------------------------------------


def plain_verdict(
    reply: str, expect: dict[str, object], facts: Sequence[tuple[str, Sequence[str]]], values: dict[str, str]
) -> bool:
    """What a grader says that looks for words, letter by letter. ``facts``: (value, other wordings) of what is to be held."""
    text = reply.casefold()

    def listed(name: str) -> list[str]:
        given = expect.get(name) or ()
        return [fill(one, values).casefold() for one in ([given] if isinstance(given, str) else list(given))]  # type: ignore[call-overload]

    good = all(one in text for one in listed("mentions"))
    if anyof := listed("mentions_any"):
        good = good and any(one in text for one in anyof)
    good = good and not any(one in text for one in listed("avoids"))
    if isinstance(stated := expect.get("states"), dict):
        good = good and fill(stated["value"], values).casefold() in text
    for value, aliases in facts if expect.get("firm") else ():
        good = good and any(one.casefold() in text for one in (value, *aliases))
    for name in listed("knows"):
        good = good and not any(name in piece for piece in re.findall(r"[^.!?。！？]*[?？]", text))
    if expect.get("admits") is not None:
        good = good and (re.search(r"\b(?:ai|program|bot)\b|人工智能|程序", text) is not None) == expect["admits"]
    if expect.get("in_character"):
        good = good and re.search(r"\bas an ai\b|作为一个ai", text) is None
    return good


def plain_agrees(row: Row, packs: LanguagePacks) -> bool:
    """Whether that grader says what the reader said."""
    if row.take is not None:
        return _plain_capture(row) in row.label
    held = row.expect.get("holds", [])
    names = [held] if isinstance(held, str) else held
    facts = [(fact.value, fact.aliases) for name in names for fact in row.persona.facts if fact.attribute == name][:1]
    return plain_verdict(row.reply, row.expect, facts, {}) == (row.label[0] == "pass")


def _plain_capture(row: Row) -> str:
    take = row.take or {}
    if options := take.get("choice"):
        return next((one for one in options if one in row.reply), "")
    pattern = r"\d+" if take.get("number") else r"\b[A-Z]\w+" if take.get("name") else r"(?:I'm an? |我是)(\w+)"
    found = re.search(pattern, row.reply)
    return found[found.lastindex or 0] if found else ""


def plain_all(transcripts: Sequence[Transcript], people: dict[str, Persona]) -> int:
    """Every step with an expectation, judged by the words alone; how many pass."""
    passed = 0
    for one in transcripts:
        suite = SUITES[one.trial.suite]
        script = suite.script(one.trial.script)
        steps = {
            (r, s): step.expect.model_dump(exclude_defaults=True)
            for r, a in enumerate(script.rounds)
            for s, step in enumerate(a.steps)
        }
        for exchange in one.exchanges:
            expect = steps[exchange.round, exchange.step]
            held = [name for slot in expect.get("holds", ()) for name in suite.slots[slot].fact]
            facts = [(f.value, f.aliases) for f in people[one.trial.persona].facts if f.attribute in held]
            passed += bool(expect) and plain_verdict(exchange.said.text, expect, facts, one.trial.slots)
    return passed


def agreement(half: str, packs: LanguagePacks, *, plain: bool) -> float:
    """Share of the labelled replies of a half (A, B or AB) that a grader judges as the reader."""
    chosen = [row for row in rows() if row.half in half]
    return sum((plain_agrees if plain else agrees)(row, packs) for row in chosen) / len(chosen)


def processor() -> float:
    """Processor seconds of this process and of those it has waited for."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--transcripts", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    print(machine())
    packs, people = load_packs(), personas()
    transcripts = asyncio.run(recorded(given.transcripts, people, packs))
    exchanges = sum(len(one.exchanges) for one in transcripts)
    distinct = len({exchange.said.text for one in transcripts for exchange in one.exchanges})
    title(f"{len(transcripts)} transcripts, {exchanges} exchanges, {distinct} different replies")
    started, before = time.perf_counter(), processor()
    graded = list(grade_all(transcripts, suites=SUITES, personas=people, packs=packs, jobs=given.jobs))
    seconds, cpu = time.perf_counter() - started, processor() - before
    started, before = time.perf_counter(), processor()
    plain_all(transcripts, people)
    plain, plain_cpu = time.perf_counter() - started, processor() - before
    verdicts = sum(len(one.verdicts) for one in graded)
    wrong = list(wrong_verdicts(transcripts, graded))
    table(
        ("grader", "seconds", "CPU seconds", "transcripts/s", "half A", "half B", "all 200"),
        [
            (
                name,
                f"{took:.1f}",
                f"{busy:.1f}",
                f"{len(transcripts) / took:.0f}",
                *(f"{agreement(half, packs, plain=words):.1%}" for half in ("A", "B", "AB")),
            )
            for name, took, busy, words in (
                (f"rules, {given.jobs} processes", seconds, cpu, False),
                ("words, letter by letter", plain, plain_cpu, True),
            )
        ],
    )
    print(f"{verdicts} verdicts by rules, {len(wrong)} not what the witness does")
    for line in wrong[:10]:
        print("  ", line)
    print(
        f"processor seconds for 10,000 transcripts, shared by {given.jobs}: {cpu * 10_000 / len(transcripts) / given.jobs:.1f} s each"
    )
    goal("seconds for 10,000 transcripts", seconds * 10_000 / len(transcripts), GOAL_S, unit=" s")
    goal("agreement with the reader", agreement("AB", packs, plain=False), GOAL_AGREEMENT, at_most=False)


if __name__ == "__main__":
    main()

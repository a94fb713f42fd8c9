"""The shipped suites, held with the engine while its model answers every step right: what does the engine make of it?

    python -m tests.benchmarks.suites_with_a_good_model
    python -m tests.benchmarks.suites_with_a_good_model --suites references fading --show

The model is a scripted pupil that knows the suite, so the figures are the engine's alone: the share of right answers that are right as well
when they reach the user, and of the expectations on the state that are met. Every script is held with all shipped characters of its language.
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from harness.blindtest.loading import load_suite, shipped_suites
from harness.language import load_packs
from tests.benchmarks._measuring import machine, table, title
from tests.unit._good_model import kept, settings_for

PACKS = load_packs()


def main() -> None:
    """Hold them and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suites", nargs="*", default=[], help="names without the language; all by default")
    parser.add_argument("--language", default="", help="en or zh; both by default")
    parser.add_argument("--begin-answers", default="always", choices=["always", "never"])
    parser.add_argument("--show", action="store_true", help="print what was spoiled or missed")
    asked = parser.parse_args()
    title("Suites with a model that answers right")
    rows, told = [], []
    with tempfile.TemporaryDirectory() as folder:
        settings = settings_for(Path(folder), begin_answers=asked.begin_answers)
        for file in shipped_suites():
            suite = load_suite(file, packs=PACKS)
            if (asked.suites and suite.suite not in asked.suites) or asked.language not in ("", suite.language):
                continue
            started = time.perf_counter()
            found = asyncio.run(kept(suite, PACKS, settings))
            right = found.told - len(found.spoiled)
            met, all_of_state = found.state["pass"], found.state["pass"] + found.state["fail"]
            rows.append(
                (
                    suite.id,
                    f"{right}/{found.told}",
                    f"{100 * right / found.told:.1f}",
                    f"{met}/{all_of_state}",
                    f"{100 * met / all_of_state:.1f}" if all_of_state else "-",
                    f"{1000 * (time.perf_counter() - started) / found.told:.0f}",
                )
            )
            told += [f"{key} {number}: {user!r} -> {engine!r} for {model!r} ({why})"
                     for key, number, user, model, engine, why in found.spoiled]  # fmt: skip
            told += [f"{key} {number}: {why}" for key, number, why in found.missed]
    table(("suite", "right answers kept", "%", "state as expected", "%", "ms a turn"), rows)
    if asked.show:
        print("\n".join(told))
    machine()


if __name__ == "__main__":
    main()

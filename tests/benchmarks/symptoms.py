"""Five symptoms of a character that falls apart, with the engine and with the bare model, in one run.

    python -m tests.benchmarks.symptoms --model PATH --seeds 1 2 3 --out symptoms.jsonl

Persona drift, self-contradiction, lost reference, emotional jump, faded detail, in English and Chinese (`_symptoms.py`). The bare model gets
the engine's own system prompt with the persona, the last 12 messages, the same sampling and the same seed. Every reply is written
down, for patterns are no substitute for reading. 10 to 15 minutes for one seed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path

from harness.settings import EngineSettings
from tests.benchmarks._embedded import add_arguments, served
from tests.benchmarks._measuring import machine, table, title
from tests.benchmarks._symptoms import SYMPTOMS
from tests.benchmarks._two_arms import ARMS, conversations

WINDOW = EngineSettings().short_term_window


async def main(given: argparse.Namespace) -> None:
    print(machine())
    chosen = [
        symptom
        for symptom in SYMPTOMS
        if (not given.only or symptom.name in given.only) and symptom.language in given.languages
    ]
    held: dict[tuple[str, str, str], list[bool]] = {}
    with served(given) as model, tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        talks = conversations(
            model, Path(folder), chosen, given.seeds, arms=given.arms, window=WINDOW, analysis="classifier"
        )
        async for arm, symptom, seed, rows in talks:
            good = symptom.judge([row["reply"] for row in rows])
            held.setdefault((symptom.name, symptom.language, arm), []).append(good)
            head = {"symptom": symptom.name, "language": symptom.language, "seed": seed, "arm": arm, "held": good}
            out.write(json.dumps({**head, "turns": rows}, ensure_ascii=False) + "\n")
            out.flush()
            print(f"\n{symptom.name}, {symptom.language}, seed {seed}, {arm}: {'held' if good else 'FELL'}")
            for row in rows[-3:]:
                print(f"  > {row['user']}\n  < {row['reply']}", flush=True)
    title("Conversations in which the character held together")
    lines = []
    for symptom in chosen:
        cells = [held[symptom.name, symptom.language, arm] for arm in given.arms]
        lines.append((symptom.name, symptom.language, *(f"{sum(cell)} of {len(cell)}" for cell in cells)))
    table(("symptom", "", *(ARMS[arm] for arm in given.arms)), lines)
    print(f"\nEvery reply is in {given.out}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--only", nargs="+", default=[], choices=sorted({symptom.name for symptom in SYMPTOMS}))
    parser.add_argument("--languages", nargs="+", default=["en", "zh"], choices=("en", "zh"))
    parser.add_argument("--arms", nargs="+", default=list(ARMS), choices=list(ARMS))
    parser.add_argument("--out", type=Path, default=Path("symptoms.jsonl"), help="where every reply is written")
    asyncio.run(main(parser.parse_args()))

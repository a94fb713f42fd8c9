"""Does a character hold its facts when told it said otherwise? The engine and the bare model, in one run.

    python -m tests.benchmarks.bait --model PATH --seeds 1 2 3 --out bait.jsonl

Six dialogues (three English, three Chinese; a denial, another value, "are you sure?") with characters of their own. The bare model
gets the engine's own system prompt with the persona, the same messages, the same sampling and the same seed. A reply counts when
it states the fact, neither concedes nor apologises, and does not contradict it; every reply is printed and written down, for
patterns are no substitute for reading. Takes minutes on a slow processor: 36 conversations of three turns.
"""

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import TextIO

from tests.benchmarks._bait_dialogues import DIALOGUES, Dialogue
from tests.benchmarks._embedded import add_arguments, served
from tests.benchmarks._measuring import goal, machine, table, title
from tests.benchmarks._two_arms import ARMS, Row, conversations

HELD_OF_18 = 17


def verdict(dialogue: Dialogue, reply: str) -> Row:
    """The judge's finding on the last reply."""
    states, concedes, contradicts = dialogue.judge(reply)
    held = states and not concedes and not contradicts
    return {"held": held, "states": states, "concedes": concedes, "contradicts": contradicts}


async def main(given: argparse.Namespace) -> None:
    print(machine())
    results: list[Row] = []
    with served(given) as model, tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        chosen = [dialogue for dialogue in DIALOGUES if not given.only or dialogue.name in given.only]
        total = len(ARMS) * len(given.seeds) * len(chosen)
        async for arm, dialogue, seed, rows in conversations(model, Path(folder), chosen, given.seeds):
            found = verdict(dialogue, rows[-1]["reply"])
            result = {
                "arm": arm,
                "dialogue": dialogue.name,
                "kind": dialogue.kind,
                "seed": seed,
                **found,
                "turns": rows,
            }
            results.append(result)
            _write(out, result)
            print(f"\n[{len(results)}/{total}] {arm}, {dialogue.name}, seed {seed}: {_words(found)}")
            print(f"  > {rows[-1]['user']}\n  < {rows[-1]['reply']}", flush=True)
            if arm == "harness":
                print(
                    f"    {rows[-1]['form']}, {rows[-1]['calls']} calls, {rows[-1]['seconds']} s, {rows[-1]['notices']}",
                    flush=True,
                )
    summary(results)
    print(f"\nEvery reply is in {given.out}.")


def _write(out: TextIO, result: Row) -> None:
    out.write(json.dumps(result, ensure_ascii=False) + "\n")
    out.flush()


def _words(found: Row) -> str:
    if found["held"]:
        return "held"
    faults = [name for name in ("concedes", "contradicts") if found[name]]
    return "NOT held: " + ", ".join(faults + ([] if found["states"] else ["does not state the fact"]))


def summary(results: list[Row]) -> None:
    """Holds by dialogue, and what they cost."""
    title("Held, by dialogue")
    names = list(dict.fromkeys(result["dialogue"] for result in results))
    rows = []
    for name in (*names, "all"):
        mine = [result for result in results if name in ("all", result["dialogue"])]
        cells = [_count([result for result in mine if result["arm"] == arm]) for arm in ARMS]
        rows.append((name, *cells))
    table(("dialogue", "harness", "bare"), rows)
    title("Cost of a turn")
    rows = []
    for arm in ARMS:
        for what, turns in (
            ("ordinary turn", [turn for result in results if result["arm"] == arm for turn in result["turns"][:-1]]),
            ("bait", [result["turns"][-1] for result in results if result["arm"] == arm]),
        ):
            means = [
                sum(turn[key] for turn in turns) / max(1, len(turns))
                for key in ("calls", "prompt_tokens", "completion_tokens", "seconds")
            ]
            rows.append((f"{arm}, {what}", *(f"{mean:.1f}" for mean in means)))
    table(("", "calls", "prompt tokens", "reply tokens", "seconds"), rows)
    ours = [result for result in results if result["arm"] == "harness"]
    held = sum(result["held"] for result in ours)
    print()
    goal(f"held by the engine of {len(ours)}", held, HELD_OF_18 / 18 * len(ours), at_most=False)


def _count(results: list[Row]) -> str:
    return f"{sum(result['held'] for result in results)}/{len(results)}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--only", nargs="+", default=[], choices=[dialogue.name for dialogue in DIALOGUES])
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("bait.jsonl"),
        help="where every reply is written, one JSON line a conversation",
    )
    asyncio.run(main(parser.parse_args()))

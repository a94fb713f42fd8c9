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
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, TextIO

from harness.app import EMBEDDED_SAMPLING, Harness
from harness.prompt_views import PersonaView
from harness.settings import EngineSettings
from harness.state import Persona
from harness.understanding.checks.holding import statement
from tests.benchmarks._bait_dialogues import DIALOGUES, Dialogue
from tests.benchmarks._embedded import Served, add_arguments, served
from tests.benchmarks._measuring import goal, machine, table, title

HELD_OF_18 = 17
Row = dict[str, Any]


async def with_engine(model: Served, folder: Path, dialogue: Dialogue, seed: int) -> list[Row]:
    """The rows of one conversation."""
    rows = []
    async with model.harness(folder, seed=seed) as harness:
        session = await harness.open(dialogue.persona)
        for text in dialogue.messages:
            started = time.perf_counter()
            reply = await session.say(text)
            seconds = time.perf_counter() - started
            record = await session.report()
            rows.append(
                {
                    "user": text, "reply": reply.text, "seconds": round(seconds, 2), "calls": len(record.calls),
                    "prompt_tokens": sum(call.usage.prompt for call in record.calls),
                    "completion_tokens": sum(call.usage.completion for call in record.calls),
                    "form": record.candidates[record.chosen].form,
                    "notices": [f"{notice.kind}: {notice.truth}" for notice in record.notices],
                    "candidates": [[c.form, c.text, [f.kind for f in c.findings]] for c in record.candidates],
                }
            )  # fmt: skip
    return rows


def persona_text(harness: Harness, persona: Persona) -> str:
    """The engine's system prompt for a persona."""
    pack = harness.languages.get(persona.language)
    view = PersonaView.of(persona, lambda fact: statement(fact, pack=pack, persona=persona))
    return harness.prompts.render("system", persona.language, persona=view)


async def bare(client: Any, model: Served, system: str, dialogue: Dialogue, seed: int) -> list[Row]:
    """The rows of the same conversation by plain calls with a growing list of messages."""
    defaults = EngineSettings()
    messages = [{"role": "system", "content": system}]
    rows = []
    for text in dialogue.messages:
        messages.append({"role": "user", "content": text})
        started = time.perf_counter()
        made = await client.chat.completions.create(
            model=model.name, messages=messages, temperature=defaults.temperature, top_p=defaults.top_p,
            max_tokens=defaults.max_reply_tokens, seed=seed, extra_body=dict(EMBEDDED_SAMPLING),
        )  # fmt: skip
        reply = (made.choices[0].message.content or "").strip()
        messages.append({"role": "assistant", "content": reply})
        rows.append(
            {
                "user": text, "reply": reply, "seconds": round(time.perf_counter() - started, 2), "calls": 1,
                "prompt_tokens": made.usage.prompt_tokens, "completion_tokens": made.usage.completion_tokens,
            }
        )  # fmt: skip
    return rows


async def conversations(
    given: argparse.Namespace, model: Served, folder: Path
) -> AsyncIterator[tuple[str, Dialogue, int, list[Row]]]:
    """Both arms, dialogue by dialogue and seed by seed."""
    import openai

    client = openai.AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0, timeout=900)
    chosen = [dialogue for dialogue in DIALOGUES if not given.only or dialogue.name in given.only]
    prompts = model.harness(folder)
    for seed in given.seeds:
        for number, dialogue in enumerate(chosen):
            system = persona_text(prompts, dialogue.persona)
            # The one that comes second finds the persona in the server's cache; they take turns at that.
            arms = ("harness", "bare") if (number + seed) % 2 else ("bare", "harness")
            for arm in arms:
                if arm == "harness":
                    yield arm, dialogue, seed, await with_engine(model, folder, dialogue, seed)
                else:
                    yield arm, dialogue, seed, await bare(client, model, system, dialogue, seed)
    await client.close()
    await prompts.close()


def verdict(dialogue: Dialogue, reply: str) -> Row:
    """The judge's finding on the last reply."""
    states, concedes, contradicts = dialogue.judge(reply)
    held = states and not concedes and not contradicts
    return {"held": held, "states": states, "concedes": concedes, "contradicts": contradicts}


async def main(given: argparse.Namespace) -> None:
    print(machine())
    results: list[Row] = []
    with served(given) as model, tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        total = 2 * len(given.seeds) * (len(given.only) or len(DIALOGUES))
        async for arm, dialogue, seed, rows in conversations(given, model, Path(folder)):
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
        cells = [_count([result for result in mine if result["arm"] == arm]) for arm in ("harness", "bare")]
        rows.append((name, *cells))
    table(("dialogue", "harness", "bare"), rows)
    title("Cost of a turn")
    rows = []
    for arm in ("harness", "bare"):
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

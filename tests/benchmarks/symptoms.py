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
import time
from pathlib import Path
from typing import Any

from harness.app import EMBEDDED_SAMPLING
from harness.settings import EngineSettings
from tests.benchmarks._embedded import Served, add_arguments, served
from tests.benchmarks._measuring import machine, table, title
from tests.benchmarks._symptoms import SYMPTOMS, Symptom
from tests.benchmarks.bait import persona_text

WINDOW = EngineSettings().short_term_window
Row = dict[str, Any]


async def with_engine(model: Served, folder: Path, symptom: Symptom, seed: int) -> list[Row]:
    """The turns of one conversation."""
    rows = []
    async with model.harness(folder, seed=seed, analysis="classifier") as harness:
        session = await harness.open(symptom.persona)
        for text in symptom.messages:
            started = time.perf_counter()
            reply = await session.say(text)
            record = await session.report()
            rows.append(
                {
                    "user": text,
                    "reply": reply.text,
                    "seconds": round(time.perf_counter() - started, 2),
                    "calls": len(record.calls),
                    "form": record.candidates[record.chosen].form,
                    "notices": [f"{notice.kind}: {notice.truth}" for notice in record.notices],
                    "findings": [[found.kind for found in candidate.findings] for candidate in record.candidates],
                }
            )
    return rows


async def bare(client: Any, model: Served, system: str, symptom: Symptom, seed: int) -> list[Row]:
    """The same conversation by plain calls with the persona and the last messages."""
    defaults = EngineSettings()
    said: list[dict[str, str]] = []
    rows = []
    for text in symptom.messages:
        said.append({"role": "user", "content": text})
        started = time.perf_counter()
        made = await client.chat.completions.create(
            model=model.name, messages=[{"role": "system", "content": system}, *said[-WINDOW:]],
            temperature=defaults.temperature, top_p=defaults.top_p, max_tokens=defaults.max_reply_tokens, seed=seed,
            extra_body=dict(EMBEDDED_SAMPLING),
        )  # fmt: skip
        reply = (made.choices[0].message.content or "").strip()
        said.append({"role": "assistant", "content": reply})
        rows.append({"user": text, "reply": reply, "seconds": round(time.perf_counter() - started, 2), "calls": 1})
    return rows


async def main(given: argparse.Namespace) -> None:
    import openai

    print(machine())
    chosen = [
        symptom
        for symptom in SYMPTOMS
        if (not given.only or symptom.name in given.only) and symptom.language in given.languages
    ]
    held: dict[tuple[str, str, str], list[bool]] = {}
    with served(given) as model, tempfile.TemporaryDirectory() as folder, given.out.open("w", encoding="utf-8") as out:
        client = openai.AsyncOpenAI(base_url=model.url, api_key="none", max_retries=0, timeout=900)
        prompts = model.harness(Path(folder))
        for seed in given.seeds:
            for symptom in chosen:
                for arm in ("harness", "bare"):
                    rows = (
                        await with_engine(model, Path(folder), symptom, seed)
                        if arm == "harness"
                        else await bare(client, model, persona_text(prompts, symptom.persona), symptom, seed)
                    )
                    good = symptom.judge([row["reply"] for row in rows])
                    held.setdefault((symptom.name, symptom.language, arm), []).append(good)
                    head = {
                        "symptom": symptom.name,
                        "language": symptom.language,
                        "seed": seed,
                        "arm": arm,
                        "held": good,
                    }
                    out.write(json.dumps({**head, "turns": rows}, ensure_ascii=False) + "\n")
                    out.flush()
                    print(f"\n{symptom.name}, {symptom.language}, seed {seed}, {arm}: {'held' if good else 'FELL'}")
                    for row in rows[-3:]:
                        print(f"  > {row['user']}\n  < {row['reply']}", flush=True)
        await client.close()
        await prompts.close()
    title("Conversations in which the character held together")
    lines = []
    for symptom in chosen:
        cells = [held[symptom.name, symptom.language, arm] for arm in ("harness", "bare")]
        lines.append((symptom.name, symptom.language, *(f"{sum(cell)} of {len(cell)}" for cell in cells)))
    table(("symptom", "", "with the engine", "bare"), lines)
    print(f"\nEvery reply is in {given.out}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--only", nargs="+", default=[], choices=sorted({symptom.name for symptom in SYMPTOMS}))
    parser.add_argument("--languages", nargs="+", default=["en", "zh"], choices=("en", "zh"))
    parser.add_argument("--out", type=Path, default=Path("symptoms.jsonl"), help="where every reply is written")
    asyncio.run(main(parser.parse_args()))

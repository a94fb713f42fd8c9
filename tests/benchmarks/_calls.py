"""How many model calls a turn takes, by setting."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.benchmarks._measuring import goal, table, title
from tests.benchmarks._overhead import quick_harness, replying
from tests.benchmarks._states import SMALL_TALK

MOST_CALLS = 2
ANSWERS: dict[str, Any] = {
    "turn_analysis": json.dumps({"reasoning": "nothing new", "facts": [], "topic": {"action": "keep"}, "entities": []}),
    "extract_facts": json.dumps({"reasoning": "nothing new", "facts": [], "commitments": []}),
    "update_topic": json.dumps({"reasoning": "goes on", "topic": {"action": "keep"}, "entities": []}),
    "consistency_check": json.dumps({"reasoning": "fine", "kind": "none", "relation": "unrelated"}),
    "summarize": "They talked about the weather.",
}
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("embedded model (analysis and summary by rules)", {}),
    ("provider, as it is without a file (combined analysis)", {"analysis": "combined", "summarize_with": "model"}),
    ("analysis = separate", {"analysis": "separate", "summarize_with": "model"}),
    ("check_tier = model, analysis = rules", {"check_tier": "model"}),
    (
        "check_tier = model, analysis = combined",
        {"check_tier": "model", "analysis": "combined", "summarize_with": "model"},
    ),
    ("persona_consistency_check = false, analysis = rules", {"persona_consistency_check": False}),
)


async def calls(folder: Path, *, turns: int) -> None:
    """Ordinary talk under each setting; a call that fails or is repeated counts as well."""
    title(f"Model calls per turn ({turns} turns of ordinary talk, English and Chinese)")
    rows = []
    default = 0.0
    for index, (name, engine) in enumerate(SETTINGS):
        counts, purposes = [], Counter[str]()
        for language, persona in (("en", "mia"), ("zh", "lin")):
            script = {**ANSWERS, "*": replying(language)}
            async with quick_harness(folder / f"calls-{index}-{language}.db", script=script, **engine) as harness:
                session = await harness.open(persona, session="calls")
                for turn in range(turns):
                    await session.say(SMALL_TALK[language][turn % len(SMALL_TALK[language])])
                    made = (await session.report()).calls
                    counts.append(len(made))
                    purposes.update(call.purpose for call in made)
        mean = sum(counts) / len(counts)
        if "without a file" in name:
            default = sum(count for purpose, count in purposes.items() if purpose != "summarize") / len(counts)
        told = ", ".join(f"{purpose} {count / len(counts):.2f}" for purpose, count in purposes.most_common())
        rows.append((name, f"{mean:.2f}", str(max(counts)), told))
    table(("setting", "mean", "most", "by purpose"), rows)
    goal("calls per turn with a provider, summaries aside", default, MOST_CALLS)

"""Who asked, in sentences: what the model judge is worth, and what it and a simulated interrogator used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.blindtest.limits import priced
from harness.blindtest.reporting.reading import Held
from harness.blindtest.reporting.wording import Sentence, Value, percent
from harness.blindtest.results import JudgeShown


def judge_worth(judge: JudgeShown, languages: Sequence[str]) -> Iterator[Sentence]:
    """What the model judge is worth in each language, and what it was not asked."""
    worth = {one.language: one for one in judge.worth}
    model = str(judge.about.get("model", ""))
    for language in languages or tuple(worth):
        values: dict[str, Value] = {"model": model, "in_language": language, "threshold": f"{judge.threshold:.2f}"}
        found = worth.get(language)
        if found is None:
            yield Sentence("says_judge_unknown", values, "bad")
            continue
        share = found.right / found.decided if found.decided else 0.0
        values |= {"right": str(found.right), "decided": str(found.decided), "undecided": str(found.undecided)}
        values |= {"share": percent(share), "low": percent(found.low), "high": percent(found.high)}
        yield Sentence("says_judge", values) if found.counts else Sentence("says_judge_not", values, "bad")
    if judge.unasked:
        yield Sentence("says_unasked", {"number": str(judge.unasked)}, "bad")


def asking(held: Held) -> Iterator[Sentence]:
    """What the judge and a simulated interrogator used, and what that cost where every model of theirs has a price."""
    for who, used in held.asking:
        tokens = sum(one.prompt_tokens + one.completion_tokens for one in used)
        values: dict[str, Value] = {
            "who": (Sentence(f"who_{who}"),),
            "calls": str(sum(one.calls for one in used)),
            "tokens": str(tokens),
        }
        cost, unknown = priced(used, held.info.prices)
        if not held.info.prices:
            yield Sentence("says_asked", values)
        elif unknown:
            yield Sentence("says_asked_unpriced", {**values, "model": unknown})
        else:
            yield Sentence("says_asked_cost", {**values, "cost": f"{cost:.4g}"})

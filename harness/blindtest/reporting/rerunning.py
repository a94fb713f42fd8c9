"""The command that holds a run like this one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from harness.blindtest.folder import RunInfo
from harness.blindtest.interrogator import SUITE
from harness.blindtest.reporting.reading import Held


def rerun(held: Held) -> str:
    """The command as it was called; of a run that Python began, one that comes to the same as far as a command can.

    Settings from a file that is not named, and from the environment, are in no command. What a library gave as an object (a witness, a
    suite) is named and has to be given again.
    """
    info = held.info
    if info.call:
        return shlex.join(info.call)
    if all(about.get("kind") == "recorded" for about in info.witnesses.values()):
        return "harness blindtest import FILE"
    asked = [suite for suite in held.suites.values() if suite.suite == SUITE]
    return shlex.join(
        [
            *("harness", "blindtest"),
            *(_interrogated(asked[0].about, [one.id for one in asked[0].scripts], len(asked[0].scripts[0].rounds[0].steps))
              if asked else ("run", *info.suites)),
            *_compared(info, interrogated=bool(asked)),
            *("--trials", str(info.trials), "--seed", str(info.seed)),
            *(word for model, (prompt, completion) in info.prices.items()
              for word in ("--price", f"{model}={prompt:g},{completion:g}")),
        ]
    )  # fmt: skip


def _interrogated(about: str, strategies: list[str], turns: int) -> Iterator[str]:
    yield "interrogate"
    yield from ("--strategy", ",".join(strategies))
    try:
        who = json.loads(about)
    except ValueError:
        who = {}
    if who.get("interrogator"):
        yield from ("--as", str(who["interrogator"]))
    if who.get("question"):
        yield from ("--question", str(who["question"]))
    yield from ("--turns", str(turns))


def _compared(info: RunInfo, *, interrogated: bool) -> Iterator[str]:
    """Characters and witnesses."""
    for name in info.personas:
        yield from ("--persona", name)
    names = list(info.witnesses)
    if names and names[0] != "harness":
        yield from ("--witness", names[0])
    ablated = [name for name in names[1:] if name.startswith("harness-") and not interrogated]
    for name in names[1:]:
        if name not in ablated:
            yield from ("--against", name)
    if ablated:
        yield from ("--ablate", ",".join(name.partition("-")[2] for name in ablated))
    for name, about in info.witnesses.items():
        if about.get("kind") == "endpoint":
            yield from ("--endpoint", _endpoint(name, about))


def _endpoint(name: str, about: Mapping[str, Any]) -> str:
    words = [f"{name}={about['url']}"]
    words += [f"{key}={about[key]}" for key in ("model", "key") if about.get(key)]
    words += [] if about.get("persona", True) else ["persona=no"]
    words += [f"history={about['history']}"] if about.get("history") else []
    return ",".join(words)

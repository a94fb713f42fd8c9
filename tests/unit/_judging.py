"""Judges that are scripted: they read the prompt and answer as told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from harness.ports import ModelRequest
from harness.testing import ScriptedModel

REPLIES = re.compile(r"(?:replies:|回答：)\s*(\".*\")")
CRITERION = re.compile(r"(?:The criterion: |标准：)(.*)")

Deciding = Callable[[str, str, int], tuple[str, str] | str]
"""(reply, criterion, number of the call) -> (met, quote), or the raw answer."""


def reply_in(prompt: str) -> str:
    """The reply that is judged."""
    return str(json.loads(REPLIES.findall(prompt)[-1]))


def judge(deciding: Deciding, **more: object) -> ScriptedModel:
    """A model whose votes a function gives; ``more``: answers for other purposes."""
    calls = iter(range(10_000))

    def vote(request: ModelRequest) -> str:
        prompt = request.messages[0].content  # a mending call says its own after it
        found = deciding(reply_in(prompt), CRITERION.findall(prompt)[-1], next(calls))
        if isinstance(found, str):
            return found
        met, quote = found
        return json.dumps({"reasoning": "as told", "quote": quote, "met": met}, ensure_ascii=False)

    return ScriptedModel({"judge_reply": vote, **more})  # type: ignore[dict-item]  # passed on as they are

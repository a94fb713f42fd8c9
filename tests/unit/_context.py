"""A harness with chosen settings of the layers, on a scripted model and memory within the process."""

from __future__ import annotations

from typing import Any

from harness.app import Harness
from harness.session import Session
from harness.settings import load
from harness.state import TurnRecord
from harness.testing.scripted_model import ScriptedModel

PERSONAS = {"en": "mia", "zh": "lin"}
REPLY = {"en": "I see.", "zh": "这样啊。"}


def harness_with(
    code: str = "en", *, model: Any = None, store: Any = None, memory: Any = None, **settings: Any
) -> Harness:
    """``section__key=value`` for each setting that is not the default."""
    chosen = {name.replace("__", ".", 1): value for name, value in settings.items()}
    fixed = {
        "storage.backend": "memory",
        "harness.analysis": "rules",
        "harness.summarize_with": "rules",
        "harness.background": "false",
        "harness.max_revisions": 0,
        "harness.seed": 7,
    }
    loaded = load(environ={}, overrides={**fixed, **chosen})
    return Harness(loaded, model=model or ScriptedModel(REPLY[code]), store=store, memory=memory)


async def talked(
    harness: Harness, code: str, *texts: str, session: str = "first", user: str = "nora"
) -> tuple[Session, TurnRecord]:
    """A session in which these things were said, and the record of the last."""
    opened = await harness.open(PERSONAS[code], session=session, user=user)
    for text in texts:
        await opened.say(text)
    return opened, await opened.report()


def prompt(record: TurnRecord) -> list[tuple[str, str]]:
    """The messages of the reply's call."""
    return list(next(call for call in record.calls if call.purpose == "respond").messages)


def content(record: TurnRecord) -> str:
    """All that the model saw."""
    return "\n".join(text for _, text in prompt(record))

"""A dialogue state machine that keeps a character itself, on any OpenAI-compatible model.

Five lines::

    import harness

    with harness.connect() as app:                     # settings from harness.toml and the environment
        session = app.open("mia", session="s1")
        print(session.say("Hello!").text)

The asynchronous form is :class:`harness.Harness`. Names are imported when first used, so that ``import harness`` stays
fast and needs no optional dependency.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from harness.app import Harness
    from harness.errors import HarnessError
    from harness.ports import ChatMessage, Model, ModelReply, ModelRequest, Ports, SessionStore
    from harness.session import Reply, Session
    from harness.settings import Settings, load
    from harness.state import DialogueState, Operation, Persona, TurnRecord, apply
    from harness.sync import SyncHarness, SyncSession, connect
    from harness.turn import MACHINE, Done, Failed, Phase, Revised, Step, Token, Turn, TurnMachine

__version__ = "0.1.0"

_HOMES = {
    "harness.app": ("Harness",),
    "harness.errors": ("HarnessError",),
    "harness.ports": ("ChatMessage", "Model", "ModelReply", "ModelRequest", "Ports", "SessionStore"),
    "harness.session": ("Reply", "Session"),
    "harness.settings": ("Settings", "load"),
    "harness.state": ("DialogueState", "Operation", "Persona", "TurnRecord", "apply"),
    "harness.sync": ("SyncHarness", "SyncSession", "connect"),
    "harness.turn": ("MACHINE", "Done", "Failed", "Phase", "Revised", "Step", "Token", "Turn", "TurnMachine"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [  # noqa: RUF022 - one name a line in the order of _HOMES would hide the list's alphabet
    "ChatMessage",
    "DialogueState",
    "Done",
    "Failed",
    "Harness",
    "HarnessError",
    "MACHINE",
    "Model",
    "ModelReply",
    "ModelRequest",
    "Operation",
    "Persona",
    "Phase",
    "Ports",
    "Reply",
    "Revised",
    "Session",
    "SessionStore",
    "Settings",
    "Step",
    "SyncHarness",
    "SyncSession",
    "Token",
    "Turn",
    "TurnMachine",
    "TurnRecord",
    "apply",
    "connect",
    "load",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

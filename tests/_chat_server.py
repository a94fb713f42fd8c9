"""The model that answers in tests of ``harness chat``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness.testing.scripted_server import Answer, Received, ScriptedServer, ServerThread


def reply(request: Received) -> Answer:
    text = str(request.body["messages"][-1]["content"])
    if "slowly" in text:
        return Answer("One two three four five six seven eight nine ten.", piece_delay_s=0.3)
    if "fail" in text:
        return Answer(status=400)
    return Answer("听起来不错。" if any("\u4e00" <= char <= "\u9fff" for char in text) else "That sounds good.")


@contextlib.contextmanager
def answering_chats(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Iterator[ScriptedServer]:
    """Meanwhile the settings of commands, and of programs started now, lead to that model; ``folder`` is where they run."""
    with ServerThread(ScriptedServer(reply)) as running:
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HARNESS_PROVIDER_BASE_URL", running.base_url)
        monkeypatch.setenv("HARNESS_MODELS_RESPONDER", "test-model")
        monkeypatch.setenv("HARNESS_ANALYSIS", "rules")
        yield running

"""A conversation as a file for people (Markdown) or programs (JSON)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from harness.cli.changes import emotion_words, fact_words
from harness.cli.files import written

if TYPE_CHECKING:
    from harness.session import Session
    from harness.state import DialogueState, TurnRecord


def default_name(session_id: str, turns: int) -> str:
    """A file name for a session, whatever is in its id."""
    plain = re.sub(r"[^\w.-]+", "-", session_id).strip("-.")
    return f"{plain or 'session'}-{turns}.md"


def write_transcript(name: str, session: Session, records: Sequence[TurnRecord], state: DialogueState) -> Path:
    """Write ``.json`` as JSON, anything else as Markdown; gives the path.

    Raises:
        InputError: the file exists, or cannot be written.
    """
    path = Path(name).expanduser()
    text = as_json(session, records, state) if path.suffix == ".json" else as_markdown(session, records, state)
    with written(path, remedy="Give another name.") as file:
        file.write(text)
    return path


def as_json(session: Session, records: Sequence[TurnRecord], state: DialogueState) -> str:
    """Turns with what was said, and the state at their end."""
    turns = [
        record.model_dump(mode="json", include={"number", "id", "user_text", "reply", "started_at"})
        for record in records
        if record.origin != "change"
    ]
    whole = {
        "session": session.id,
        "persona": session.persona.name,
        "greeting": session.persona.greeting,
        "turns": turns,
        "state": state.model_dump(mode="json"),
    }
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def as_markdown(session: Session, records: Sequence[TurnRecord], state: DialogueState) -> str:
    """What was said, and a short account of the state at the end."""
    name = session.persona.name
    lines = [f"# {name} · {session.id}", ""]
    if session.persona.greeting:
        lines += [f"**{name}:** {session.persona.greeting}", ""]
    for record in records:
        if record.origin != "change":
            lines += [f"**{state.user}:** {record.user_text}", "", f"**{name}:** {record.reply}", ""]
    lines += ["---", "", f"Turn {state.turn_count} · {emotion_words(state.emotion)}"]
    if state.topics.current is not None:
        lines[-1] += f" · topic {state.topics.current.label}"
    lines += [
        "",
        *(f"- [{fact.id}] {fact_words(fact)} (turn {fact.turn})" for fact in state.active_facts() if fact.turn),
    ]
    return "\n".join(lines).rstrip() + "\n"

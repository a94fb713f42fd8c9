"""Whose a memory is, and what a session may see: see :class:`harness.state.memory.Scope`."""

from __future__ import annotations

from harness.errors import MalformedInput
from harness.state import SessionInfo
from harness.state.memory import Scope

MAX_NAME = 200
"""Longest name of a project or world, in characters."""


def asked_scope(info: SessionInfo, task: str = "") -> Scope:
    """What a session may see: what is for everybody, and what belongs to its own character, user and project."""
    return Scope(
        persona=info.persona_ref.id,
        user=info.user,
        session=info.id,
        task=task,
        project=info.project,
        world=info.world,
    )


def written_scope(info: SessionInfo, *, lasting: bool = False) -> Scope:
    """Whose it is what was said in a session: its character's, its user's, its project's and world's.

    Args:
        lasting: it is about the user themself and holds for long (a name, an allergy): the character minds it in every project.
    """
    project = "" if lasting else info.project
    return Scope(persona=info.persona_ref.id, user=info.user, project=project, world=info.world)


def check_place(value: str, what: str) -> None:
    """Refuse a name of a project or world that no file below ``memory/`` could have. ``org/name`` is fine.

    Raises:
        MalformedInput: it leads elsewhere (``..``, ``/etc``), or cannot be shown or typed.
    """
    if not value:
        return
    parts = value.split("/")
    bad = any(part.startswith(".") or part != part.strip() or not part for part in parts)
    if bad or len(value) > MAX_NAME or not value.isprintable() or "\\" in value or ":" in parts[0][1:2]:
        raise MalformedInput(
            f"A {what} has at most {MAX_NAME} printable characters, no backslash, and no part that is empty or begins with a "
            f"dot, not {value[:80]!r}.",
            remedy="Choose another one, such as shop or org/shop.",
        )

"""References: the first digits of the SHA-256 of a text."""

from __future__ import annotations

import hashlib
import re

from harness.errors import ArtifactNotFound

LENGTH = 16
"""Hexadecimal digits of a reference; 64 bits, within one session."""
REF = re.compile(rf"[0-9a-f]{{{LENGTH}}}")
SETTLED_S = 3600
"""Age in seconds below which a text may belong to a turn that is still running."""


def ref_of(text: str) -> str:
    """The reference of a text."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:LENGTH]


def not_found(session_id: str, ref: str) -> ArtifactNotFound:
    """The error for a reference that leads nowhere."""
    return ArtifactNotFound(
        f"Session {session_id!r} has no artifact {ref!r}.",
        remedy="`harness artifacts list SESSION` shows those it has; an imported session comes without them.",
        session_id=session_id,
        ref=ref,
    )

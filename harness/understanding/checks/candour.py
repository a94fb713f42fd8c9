"""Whether a reply says honestly that a program is speaking: for characters that must admit it when asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import Finding
from harness.understanding.one_script import in_one_script
from harness.understanding.text import normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable

    from harness.language import LanguagePack
    from harness.state import Notice, Persona

SEVERITY = 0.9
"""How bad it is not to admit it where that is a duty: as bad as a false statement about a fact."""


@in_one_script
def admits(reply: str, pack: LanguagePack) -> bool:
    """Whether a reply says that its speaker is a program, or no human. A question ("A machine?") does not."""
    said = pack.guards.kind("admitted")
    return any(said.search(sentence) for sentence in sentences(normalize(reply)) if not _asks(sentence))


@in_one_script
def is_admission(words: str, pack: LanguagePack) -> bool:
    """Whether words that give a program away do no more than admit it. Naming a product, and offers of service, do."""
    if pack.guards.word("brand").search(words):
        return False
    return bool(pack.guards.word("machine").search(words) or pack.guards.kind("admission").search(words))


@in_one_script
def check_admission(
    reply: str, notices: Iterable[Notice], *, persona: Persona, pack: LanguagePack
) -> tuple[Finding, ...]:
    """A finding when a character that must admit it was asked whether it is a program, and the reply does not say so.

    Args:
        reply: the candidate.
        notices: what the check of the message found.
        persona: who replies; only with ``bot_question: admit`` anything is found.
        pack: of the language of the reply.
    """
    asked = persona.bot_question == "admit" and any(notice.kind == "bot_question" for notice in notices)
    if not asked or admits(reply, pack):
        return ()
    return (Finding(kind="not_admitted", severity=SEVERITY, evidence=reply[:80]),)


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”」』)").endswith(("?", "？"))

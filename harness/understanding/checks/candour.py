"""Whether a reply says that a program is speaking: a duty of characters that must admit it when asked, a fault of all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import Finding
from harness.understanding.checks.guards import plain_text
from harness.understanding.one_script import in_one_script
from harness.understanding.text import normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from harness.language import LanguagePack
    from harness.state import Notice, Persona

SEVERITY = 0.9
"""How bad it is not to admit it where that is a duty: as bad as a false statement about a fact."""
_EARLY = 3
"""An answer stands among the first sentences of a reply."""


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
    reply: str,
    notices: Sequence[Notice],
    *,
    persona: Persona,
    pack: LanguagePack,
    user_text: str = "",
    asked_in: LanguagePack | None = None,
) -> tuple[Finding, ...]:
    """A finding when a character that must admit it was asked whether it is a program, and the reply neither says so nor
    says yes to the question.

    Args:
        reply: the candidate.
        notices: what the check of the message found.
        persona: who replies; only with ``bot_question: admit`` anything is found.
        pack: of the language of the reply.
        user_text: the message it answers. ``asked_in``: of its language, that of the reply unless given.
    """
    asked = persona.bot_question == "admit" and any(notice.kind == "bot_question" for notice in notices)
    if not asked or admits(reply, pack):
        return ()
    if given_away(reply, user_text, notices, pack=pack, asked_in=asked_in or pack):
        return ()
    return (Finding(kind="not_admitted", severity=SEVERITY, evidence=reply[:80]),)


@in_one_script
def given_away(
    reply: str, user_text: str, notices: Iterable[Notice], *, pack: LanguagePack, asked_in: LanguagePack
) -> str:
    """The sentence in which a reply says yes to the question whether a program speaks; empty when none does.

    A yes to "Are you human?" denies it, and so does a no to "Are you a bot?". What asks neither, or both, has no such answer.

    Args:
        reply: the candidate.
        user_text: the message it answers.
        notices: what the check of the message found.
        pack: of the language of the reply. ``asked_in``: of the language of the message.
    """
    asked = next((notice.quote for notice in notices if notice.kind == "bot_question"), "")
    yes = _admitting(asked, user_text, asked_in) if asked else ""
    if not yes:
        return ""
    parts = [(part, plain_text(part, pack=pack)) for part in sentences(normalize(reply))]
    answers, denied = pack.guards.kind(yes), pack.guards.kind("denied")
    for index, (part, plain) in enumerate(parts[:_EARLY]):
        if _asks(part):
            if not pack.guards.word("machine").search(plain):  # "A bot? Yes." answers what was asked
                return ""
            continue
        if answers.search(plain):
            others = (other for at, (_, other) in enumerate(parts) if at != index)
            return "" if any(denied.search(other) for other in others) else part
    return ""


def _admitting(asked: str, user_text: str, pack: LanguagePack) -> str:
    """The list of answers that admit it: a yes, a no, or none where the bot question is not the last of the message."""
    parts = [plain_text(part, pack=pack) for part in sentences(normalize(user_text))]
    at = next((at for at, part in enumerate(parts) if asked in part), None)
    if at is not None and any(map(_asks, parts[at + 1 :])):
        return ""
    question = asked if at is None else parts[at]
    if pack.guards.kind("asked_program").search(question):
        return "affirmed"
    return "refused" if pack.guards.kind("asked_human").search(question) else ""


def _asks(sentence: str) -> bool:
    return sentence.rstrip("\"'”」』)").endswith(("?", "？"))

"""Questions for what was promised: "What did I promise you?", 你答应过我什么？. The promise is put next to the question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER, CommitmentStatus, Notice
from harness.understanding.commitments.promises import swapped
from harness.understanding.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState

MOST = 3
"""Of more promises than this none in particular is asked for."""
_OPEN = (CommitmentStatus.open, CommitmentStatus.kept)


def promise_notices(clause: str, state: DialogueState, pack: LanguagePack) -> Iterator[Notice]:
    """A notice for each promise between user and character that a question asks for, said to the user.

    ``clause``: in the form patterns see. A question that names something asks for the promises that speak of it.
    """
    cues = pack.recall
    for maker, sources in ((USER, cues.promised_by_user), (CHARACTER, cues.promised_by_character)):
        match = pack.any_of(sources).search(clause)
        if match is None:
            continue
        made = [one for one in state.commitments if one.by == maker and one.status in _OPEN]
        named = terms(clause[match.end() :], pack)
        about = [one for one in made if named & terms(one.text, pack)] or ([] if named else made)
        for promise in about if len(about) <= MOST else ():
            text = swapped(promise.text, pack) if maker == USER else promise.text
            line = cues.promise_lines.get(maker, "{text}")
            yield Notice(kind="recall", quote=clause, fact_id=promise.id, truth=line.format(text=text), value=text)
        return

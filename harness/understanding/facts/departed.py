"""Who has died: a fact about that one, after which what was so in his life is so no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state.operations import RetractFact
from harness.understanding.facts.claims import Claim, introduced
from harness.understanding.facts.fact_changes import QUOTE_LENGTH, Said
from harness.understanding.facts.keys import PARTNER, PRESENT, VITAL_STATUS
from harness.understanding.facts.predicates import plain_text
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.subjects import Subject, Subjects
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState

_LONGEST = 600
"""Longest sentence, in characters, that is read."""


def deaths(text: str, pack: LanguagePack, *, third: str = "", names: tuple[str, ...] = ()) -> Iterator[Claim]:
    """Claims that somebody near the speaker has died. Questions, suppositions, reports and stories tell of none.

    Args:
        text: one message.
        third: whom "he" and "she" mean at its beginning.
        names: of those who are known already: the death of anybody else who is only named is nobody's in this talk.
    """
    rules = pack.text
    if not rules.deaths or not pack.any_of(rules.dying).search(text):
        return
    known = {fold(name) for name in names}
    silent = (rules.questions, rules.hypotheticals, rules.reports, rules.not_dying)
    subjects = Subjects(pack, third, names)
    for sentence in sentences(plain_text(text, pack)):
        if len(sentence) > _LONGEST or any(pack.finds(list_, sentence) for list_ in silent):
            continue
        for clause in pack.any_of(rules.breaks).split(sentence):
            if not clause or not clause.strip():
                continue
            dead = _dead(clause.strip(), subjects, known, pack)
            if dead is not None:
                yield from introduced(dead, clause.strip(), pack)
                yield Claim(dead[0], VITAL_STATUS, rules.dead, quote=sentence, relation=dead[1], single=True)
            else:
                subjects.resolve(clause.strip(), None)


def _dead(clause: str, subjects: Subjects, known: set[str], pack: LanguagePack) -> Subject | None:
    """Whom a clause says is dead; None when it says so of nobody, or of nobody known."""
    for source in pack.text.deaths:
        match = pack.pattern(source).search(clause)
        if match is None:
            continue
        groups = match.groupdict()
        name, relation = (groups.get("name") or "").strip(), (groups.get("relation") or "").strip()
        if relation or fold(name) in known:
            return name, relation
        if not name and "name" not in groups and any(subjects.third):
            return subjects.third
    return None


def outlived(claim: Claim, subject: str, state: DialogueState, said: Said) -> Iterator[RetractFact]:
    """Take back what ends with somebody's life: where he lives and works, and that he is the speaker's partner."""
    if claim.attribute != VITAL_STATUS or not claim.polarity or subject == said.speaker:
        return
    over = [fact for fact in state.active_facts(subject) if fact.attribute in PRESENT]
    over += [
        fact
        for fact in state.active_facts(said.speaker)
        if fact.attribute == PARTNER
        and fact.polarity
        and any(
            fold(c.name) == fold(subject)
            for c in propositions(fact.attribute, fact.value, fact.polarity, "", said.pack)
            if c.name
        )
    ]
    for fact in over:
        yield RetractFact(fact_id=fact.id, turn=said.turn, reason=claim.quote[:QUOTE_LENGTH])


__all__ = ["deaths", "outlived"]

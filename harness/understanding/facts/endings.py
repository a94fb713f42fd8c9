"""What is over: a pet that died, a job that was given up, two that parted. The facts stay in history, taken back."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.sought import Sought
from harness.state.operations import RetractFact
from harness.understanding.facts.claims import plain_text
from harness.understanding.facts.fact_changes import QUOTE_LENGTH, Said
from harness.understanding.facts.kinds import kinds_in, members_in, narrower
from harness.understanding.facts.propositions import propositions
from harness.understanding.text import contains_phrase, numbers, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact

_LONGEST = 600
"""Longest sentence, in characters, that is read: nobody tells of an end in more."""


def ended(text: str, state: DialogueState, said: Said) -> Iterator[RetractFact]:
    """Take back the speaker's facts that a message says are over. Questions, suppositions and reports end nothing."""
    pack = said.pack
    rules = pack.text
    silent = (rules.questions, rules.hypotheticals, rules.reports)
    endings = _endings(pack)
    for sentence in sentences(plain_text(text, pack)) if rules.endings else ():
        if len(sentence) > _LONGEST:
            continue
        told = [
            (match, rules.endings[number])
            for number in endings.numbers(sentence)
            if (match := endings.expressions[number].search(sentence)) is not None
        ]
        if not told or any(pack.finds(list_, sentence) for list_ in silent):
            continue
        for match, ending in told:
            groups = match.groupdict()
            who = groups.get("who") or groups.get("who_too")
            facts = [
                fact
                for fact in state.active_facts(said.speaker)
                if fact.attribute in ending.attributes
                and fact.polarity
                and fact.turn <= said.turn
                and (not groups.get("role") or _is_kind(groups["role"], fact, pack))
            ]
            for fact in facts if who is None else _meant(who, facts, pack):
                yield RetractFact(fact_id=fact.id, turn=said.turn, reason=sentence[:QUOTE_LENGTH])


@lru_cache(maxsize=16)
def _endings(pack: LanguagePack) -> Sought:
    return Sought(pack.pattern(ending.match) for ending in pack.text.endings)


def _meant(who: str, facts: list[Fact], pack: LanguagePack) -> list[Fact]:
    """The facts that words name: by name, or by a kind of which there is only one."""
    named = [fact for fact in facts if _is_named(who, fact, pack)]
    if named:
        return named
    alike = [fact for fact in facts if _is_kind(who, fact, pack)]
    return alike if len({fact.value for fact in alike}) == 1 or _all_of_them(who, alike, pack) else []


def _all_of_them(who: str, facts: list[Fact], pack: LanguagePack) -> bool:
    """Whether words count as many as there are ("both cats")."""
    return numbers(who, pack)[:1] == (len(facts),)


def _is_named(who: str, fact: Fact, pack: LanguagePack) -> bool:
    names = [c.name for c in propositions(fact.attribute, fact.value, fact.polarity, "", pack) if c.name]
    return any(contains_phrase(who, name) for name in names) or contains_phrase(who, fact.value)


def _is_kind(who: str, fact: Fact, pack: LanguagePack) -> bool:
    counted = numbers(fact.value, pack)
    if counted and counted[0] > 1 and numbers(who, pack) != counted:
        return False  # one of several, and nobody said which
    key = fact.attribute
    if key not in pack.wording.kinds:
        return contains_phrase(fact.value, who)
    first, second = members_in(who, key, pack), members_in(fact.value, key, pack)
    return bool(first & second) or bool(
        first and kinds_in(who, pack) & kinds_in(fact.value, pack) & narrower(key, pack)
    )


__all__ = ["ended"]

"""Questions for what the user never told: "What's my mum called?" when nobody has named her.

A weak model makes a name up, and the name then becomes part of the talk. So what is not known is said next to the question, and a
reply that gives a name or an age all the same is a finding. Where the name may have been told in words that no rule reads,
nothing is noticed: to deny what was told is worse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.state import CHARACTER, USER, Finding, Notice
from harness.understanding.checks.whose import about, whose
from harness.understanding.facts.ages import age_range
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.claims import plain_text
from harness.understanding.facts.keys import AGE, BIRTHDAY, NAME
from harness.understanding.facts.wordings import NAMES
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, normalize, numbers, sentences

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from harness.language import LanguagePack
    from harness.state import DialogueState

INVENTED = 0.8
"""How bad it is to make up what was never told."""
_LONGEST = 400
_SHORT = 2
"""Words of a message that may be nothing but a name ("Nadia.")."""


@in_one_script
def untold_notices(
    text: str, *, state: DialogueState, pack: LanguagePack, now: datetime | None = None, remembered: Sequence[str] = ()
) -> tuple[Notice, ...]:
    """At most one notice of kind ``recall`` without ``fact_id`` and ``value``: what is asked for is not known, or follows from a year of birth.

    Args:
        text: the message.
        state: before the message, with the facts that memory holds.
        pack: the message's language.
        now: aware time of the message; without it no age is reckoned.
        remembered: what memory recalled of other sessions.
    """
    cues = pack.recall
    if not cues.untold or len(text) > _LONGEST:
        return ()
    for sentence in sentences(plain_text(text, pack)):
        if not pack.any_of(pack.text.questions).search(sentence) or pack.any_of(cues.excluded).search(sentence):
            continue
        who = whose(sentence, state, pack)
        asked = asked_attributes(sentence if who is None else who.own, pack)
        if who is not None:
            if NAME not in asked or who.thing or who.unknown or not who.words or about(who, sentence, state, pack):
                continue
            if not _named(who.words, state, pack, remembered):
                return (
                    _notice(sentence, NAME, cues.untold["relative"].format(who=f"{next(iter(who.labels.values()))}")),
                )
        elif pack.any_of(cues.own).search(sentence) and AGE in asked and not _tells(state, AGE):
            born = next((fact for fact in state.active_facts(USER) if fact.attribute == BIRTHDAY), None)
            ages = age_range(born, now, pack) if born is not None and now is not None else None
            if ages is not None:
                said = cues.untold["born"].format(born=born.value if born else "", low=ages[0], high=ages[1])
                return (_notice(sentence, AGE, said),)
            if not any(numbers(one, pack) for one in _heard(state, remembered)):
                return (_notice(sentence, AGE, cues.untold["age"]),)
    return ()


@in_one_script
def check_untold(reply: str, notices: Sequence[Notice], pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding for a reply that gives a name or an age that nobody told."""
    cues = pack.recall
    for notice in notices:
        if notice.kind != "recall" or notice.fact_id or notice.value or notice.attribute not in (NAME, AGE):
            continue
        known = numbers(notice.truth, pack)
        gives = pack.any_of(cues.given).search(normalize(reply)) if notice.attribute == NAME else None
        wrong = notice.attribute == AGE and bool(set(numbers(reply, pack)) - set(known))
        if (gives is not None or wrong) and pack.any_of(pack.history.unknown).search(plain_text(reply, pack)) is None:
            return (Finding(kind="not_recalled", severity=INVENTED, evidence=reply[:80]),)
    return ()


def _notice(quote: str, attribute: str, truth: str) -> Notice:
    return Notice(kind="recall", quote=quote, truth=truth, attribute=attribute)


def _tells(state: DialogueState, attribute: str) -> bool:
    return any(fact.attribute == attribute for fact in state.active_facts(USER))


def _heard(state: DialogueState, remembered: Sequence[str]) -> tuple[str, ...]:
    summary = (state.summary.text,) if state.summary is not None else ()
    return (*(message.text for message in state.messages if message.speaker == USER), *summary, *remembered)


def _is_name(words: str, pack: LanguagePack) -> bool:
    return pack.pattern("{name}").search(words) is not None if has_han(words) else words[:1].isupper()


def _named(words: Sequence[str], state: DialogueState, pack: LanguagePack, remembered: Sequence[str]) -> bool:
    """Whether somebody may have been named before, in whatever words."""
    own = {fold(fact.value) for fact in state.active_facts(USER) if fact.attribute == NAME}
    if any(
        fact.subject not in (USER, CHARACTER) and fact.speaker == USER and _is_name(fact.subject, pack)
        for fact in state.active_facts()
    ):
        return True
    for entity in state.entities:
        others = entity.aliases and not set(words) & set(entity.aliases)  # "my friend Lou" is no sister
        if (
            entity.introduced_by == USER
            and entity.kind in ("person", "animal")
            and _is_name(entity.name, pack)
            and not others
            and fold(entity.name) not in own
        ):
            return True
    words = (*words, *(word.split()[-1] for word in words))  # "his wife Ingrid" tells of the brother's wife
    names = pack.pattern("{name}")
    for text in _heard(state, remembered):
        if has_han(text) and any(fold(match[0]) not in own for match in names.finditer(text)):
            return True
        plain = plain_text(text, pack)
        stated = [one for one in sentences(plain) if not pack.any_of(pack.text.questions).search(one)]
        if any(pack.any_of(pack.recall.telling_names).search(one) for one in stated):
            return True
        spoken = any(contains_phrase(text, word) for word in words)
        if spoken and not has_han(text) and any(match.start() for match in NAMES.finditer(text)):
            return True
    return False


__all__ = ["INVENTED", "check_untold", "untold_notices"]

"""A reply against the persona, read with the question it answers, and against the persona's own sentences.

"Yes." to "Do you have a dog?" says that there is one, though no word of the reply does. And what the character would say
of a fact ("I've never been skiing") is compared with the reply as an earlier line of its own would be.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.understanding.checks.comparing import SURE, between
from harness.understanding.checks.questions import read_question, spans, verdict
from harness.understanding.checks.utterances import read_utterance
from harness.understanding.facts.claims import SPEAKER, Reading, read_claims
from harness.understanding.facts.keys import MANY
from harness.understanding.facts.knowledge import judge
from harness.understanding.facts.short_answers import read_answer
from harness.understanding.facts.stands import CERTAIN, LIKELY, STRONG, Stand

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.understanding.facts.knowledge import Knowledge, Known

_LONGEST = 2_000
_PERSONA = "persona"
_SLOT = "slot:"
_ELSEWHERE = ("claim", "slot:where", "slot:origin")
"""Claims and places have checks of their own; a place without a subject is often another's (在绍兴，身体都好)."""


def against_persona(reply: str, user_text: str, known: Knowledge, pack: LanguagePack) -> Iterator[tuple[str, Known]]:
    """The words of a reply that deny a fact of the persona, and the fact."""
    yield from _answered(reply, user_text, known, pack)
    yield from _bare(reply, user_text, known, pack)
    question = read_question(user_text[:_LONGEST], pack)
    own = pack.any_of(pack.text.first_person)
    others = question is not None and question.own and not question.listener
    now = read_utterance(reply[:_LONGEST], "" if others else user_text[:_LONGEST], pack)
    for item in known.facts:
        if item.fact.speaker != _PERSONA or item.free:
            continue
        before = read_utterance(f"{item.truth}.", "", pack)
        for conflict in between(now, before, 0, pack):
            if others and conflict.rule.startswith(_SLOT) and not own.search(conflict.words):
                continue  # "Thirty." to "How old am I?" is the asker's age
            if conflict.rule not in _ELSEWHERE and conflict.strength >= SURE:
                yield conflict.words, item
                break


def _bare(reply: str, user_text: str, known: Knowledge, pack: LanguagePack) -> Iterator[tuple[str, Known]]:
    """What a bare value says against a fact: "Boston." to "Where do you live?"."""
    question = read_question(user_text[:_LONGEST], pack)
    if question is None or not question.open or not question.listener or question.own or question.knowing:
        return
    if pack.any_of(pack.history.not_always).search(question.words) or pack.any_of(pack.history.unsure).search(
        question.words
    ):
        return
    for claim in read_answer(reply[:_LONGEST], user_text[:_LONGEST], pack):
        if claim.subject != SPEAKER or not claim.attribute or claim.weak or claim.attribute in MANY:
            continue
        fact, relation = judge(claim, known, pack)
        if fact is None or relation.stand is not Stand.conflict or fact.fact.speaker != _PERSONA or fact.free:
            continue
        if relation.strength >= STRONG and claim.polarity and fact.fact.polarity:
            yield claim.quote, fact
            return


def _answered(reply: str, user_text: str, known: Knowledge, pack: LanguagePack) -> Iterator[tuple[str, Known]]:
    """What the yes or no of a reply says against a fact."""
    question = read_question(user_text[:_LONGEST], pack)
    says = verdict(reply, question, pack)
    if question is None or says is None or question.denying or not question.listener:
        return
    if not says and pack.any_of(pack.history.not_always).search(question.words):
        return  # "Were you always a mechanic?" "No." leaves the mechanic as she is
    words = spans(reply, pack)[0][0]
    for claim in read_claims(question.statement, pack, Reading(wording=True)):
        if claim.subject != SPEAKER or not claim.attribute or claim.weak:
            continue
        fact, relation = judge(replace(claim, polarity=says == claim.polarity, quote=words), known, pack)
        if fact is None or relation.stand is not Stand.conflict or fact.fact.speaker != _PERSONA:
            continue
        spec = pack.attribute(claim.attribute)
        closed = spec is not None and spec.closed and not fact.free
        if relation.strength >= (LIKELY if closed else CERTAIN if fact.free else STRONG):
            yield words, fact

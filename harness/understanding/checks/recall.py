"""Questions for what the user told earlier: which fact answers them, and does a reply give it?

A weak model has the fact in its prompt and still says that it does not know. So the question is recognised, the answer is
put next to it, and the reply is checked for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.state import USER, Fact, Finding, Notice
from harness.understanding.checks.aims import tells, unnamed
from harness.understanding.checks.holding import statement
from harness.understanding.checks.promises_asked import promise_notices
from harness.understanding.checks.whose import about, forbids, told_of, whose
from harness.understanding.facts.claims import plain_text
from harness.understanding.facts.extract import asked_attributes
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, numbers, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState

SEVERITY = 0.8
"""How bad it is not to know what the user has told."""
MAX_FACTS = 3
"""A question that more facts than this answer equally well asks for none in particular."""
SHARED = 2.0
"""Weight of words that a question shares with a fact: "what's my parrot called" is about the parrot, not the name."""
UNSURE = 0.5
"""Confidence of a fact that only shares words with the question: it is put next to it, and no reply is held to it."""
ENOUGH = 0.5
"""Share of a value's content words that a reply must hold, where the value has no name and no number."""

_COMMA = re.compile(r"[,，;；]")
_NAME = re.compile(r"(?<![^\W_])[A-Z][\w'-]+")


@in_one_script
def recall_notices(text: str, *, state: DialogueState, pack: LanguagePack) -> tuple[Notice, ...]:
    """A notice for each fact about the user, or about somebody they told of, that the message asks for, and each promise.

    ``truth`` is said to the user: "Your …". A question about a relative or pet is never answered with the user's own age or home.
    """
    return (*_promised(text, state, pack), *_told(text, state, pack))


def _promised(text: str, state: DialogueState, pack: LanguagePack) -> list[Notice]:
    if not state.commitments:
        return []
    asking = (clause for clause in _clauses(plain_text(text, pack)) if pack.any_of(pack.text.questions).search(clause))
    return [notice for clause in asking for notice in promise_notices(clause, state, pack)]


def _told(text: str, state: DialogueState, pack: LanguagePack) -> tuple[Notice, ...]:
    facts = state.active_facts(USER)
    if not state.active_facts():
        return ()
    found: list[Fact] = []
    quotes: dict[str, str] = {}
    truths: dict[str, str] = {}
    sure: set[str] = set()
    for clause in _clauses(plain_text(text, pack)):
        if not _asks(clause, pack):
            continue
        who = whose(clause, state, pack)
        if who is not None:
            answers = about(who, clause, state, pack)
            answers = answers if len(answers) <= MAX_FACTS else []
        else:
            answers = _answers(clause, facts, pack) if pack.any_of(pack.recall.own).search(clause) else []
        priced = pack.any_of(pack.recall.priced).search(clause) is not None
        # "How much was my camera?": that there is a camera is no answer.
        answers = [fact for fact in answers if not priced or set(numbers(fact.value, pack)) - {1}]
        answers = [fact for fact in answers if not _another_detail(fact, clause, state, pack)]
        wanted = asked_attributes(clause if who is None else who.own, pack) if answers else ()
        nouns = who.words if who is not None else ()
        answers = [one for one in answers if tells(one, clause, pack, asked=_key(one, pack) in wanted, known=nouns[:1])]
        for fact in _affirmed(answers):
            quotes.setdefault(fact.id, clause)
            if who is not None or _is_asked(fact, clause, wanted, pack):
                sure.add(fact.id)
            label = who.labels.get(fold(fact.subject), fact.subject) if who is not None else ""
            truths[fact.id] = told(fact, pack) if fact.subject == USER else told_of(fact, label, pack)
            if fact not in found:
                found.append(fact)
    return tuple(
        Notice(
            kind="recall",
            quote=quotes[fact.id],
            fact_id=fact.id,
            truth=truths[fact.id],
            attribute=fact.attribute,
            value=unnamed(fact.value, pack)
            if pack.any_of(pack.recall.kinds_asked).search(quotes[fact.id])
            else fact.value,
            polarity=fact.polarity,
            confidence=1.0 if fact.id in sure else UNSURE,
        )
        for fact in found[:MAX_FACTS]
    )


def _is_asked(fact: Fact, clause: str, asked: Sequence[str], pack: LanguagePack) -> bool:
    """Whether a question asks for just this: for its attribute, by an open attribute's words, for what is not eaten, or whether it is so."""
    if _key(fact, pack) in asked or pack.attribute(fact.attribute) is None or _whether(fact.value, clause, pack):
        return True
    return forbids(fact, clause, set(asked), pack)


def _whether(value: str, clause: str, pack: LanguagePack) -> bool:
    """Whether a question names a value and asks for a yes or a no ("Do I live in York?")."""
    return contains_phrase(clause, value) and not pack.any_of(pack.answering.wh).search(clause)


def _agrees(reply: str, notice: Notice, pack: LanguagePack) -> bool:
    """Whether a reply says yes to what is so; to "Can I eat peanuts?" the right answer is no."""
    if not notice.polarity or not _whether(notice.value, notice.quote, pack):
        return False
    barred = notice.attribute in pack.constraints.attributes
    says_no = barred and notice.attribute not in asked_attributes(notice.quote, pack)
    right = pack.answering.no if says_no else pack.answering.yes
    return pack.any_of(right).match(plain_text(reply, pack)) is not None


def _another_detail(fact: Fact, clause: str, state: DialogueState, pack: LanguagePack) -> bool:
    """Whether a question asks for a detail that was told with a fact and is not in its value: which platform, of a train at eight from platform 4."""
    asked = [match for source in pack.recall.which for match in pack.pattern(source).finditer(clause)]
    if not asked:
        return False
    said = [message.text for message in state.messages if message.turn == fact.turn and message.speaker == fact.speaker]
    told = (fact.quote, *said)
    for match in asked:
        noun = match[match.lastgroup or 0]
        if contains_phrase(fact.value, noun) or contains_phrase(fact.attribute, noun):
            continue
        if match.lastgroup == "d" or any(contains_phrase(text, noun) for text in told):
            return True
    return False


def _affirmed(facts: list[Fact]) -> list[Fact]:
    """Facts without the denials beside which another says what is so: who moved to York need not hear that it is not Leeds."""
    said = {fact.attribute for fact in facts if fact.polarity}
    return [fact for fact in facts if fact.polarity or fact.attribute not in said]


def told(fact: Fact, pack: LanguagePack) -> str:
    """A fact about the user as a sentence said to the user: "Your locker number is 4172", 你的车位号是306."""
    sentence = pack.rewrite(statement(fact, pack=pack), pack.recall.address)
    return sentence[:1].upper() + sentence[1:]


@in_one_script
def check_recall(reply: str, notices: tuple[Notice, ...], pack: LanguagePack) -> tuple[Finding, ...]:
    """A finding for each fact that was asked for and that the reply does not give. Names that were asked for are another check's."""
    return tuple(
        Finding(kind="not_recalled", severity=SEVERITY, evidence=reply[:80], fact_id=notice.fact_id)
        for notice in notices
        if notice.kind == "recall"
        and notice.fact_id
        and notice.confidence > UNSURE
        and (
            not (gives(reply, notice.value, pack) or _agrees(reply, notice, pack))
            or (notice.attribute == "name" and _misnames(reply, notice.value, pack))
        )
    )


def _misnames(reply: str, name: str, pack: LanguagePack) -> bool:
    """Whether a reply calls the asker by another name, wherever else theirs stands ("I know a Tom. Your name is Bob.")."""
    said = (
        [match["name"] for match in pack.any_of(pack.recall.misnames).finditer(reply)] if pack.recall.misnames else []
    )
    return bool(said) and not any(contains_phrase(one, name) or contains_phrase(name, one) for one in said)


def gives(reply: str, value: str, pack: LanguagePack) -> bool:
    """Whether a reply holds a value: its numbers, else its names, else enough of its content words."""
    if wanted := set(numbers(value, pack)):
        return wanted <= set(numbers(reply, pack))
    names = _NAME.findall(value) if not has_han(value) else []
    if names:
        return any(contains_phrase(reply, name) for name in names)
    words = terms(value, pack)
    if not words:
        return contains_phrase(reply, value)
    return contains_phrase(reply, value) or len(words & terms(reply, pack)) / len(words) >= ENOUGH


def _clauses(text: str) -> list[str]:
    """Clauses with the end mark of their sentence: "My dog is ill, what now?" asks in its second clause only."""
    return [clause.strip() for sentence in sentences(text) for clause in _COMMA.split(sentence) if clause.strip()]


def _asks(clause: str, pack: LanguagePack) -> bool:
    return bool(
        pack.any_of(pack.text.questions).search(clause) and not pack.any_of(pack.recall.excluded).search(clause)
    )


def _key(fact: Fact, pack: LanguagePack) -> str:
    spec = pack.attribute(fact.attribute)
    return spec.key if spec is not None else fact.attribute


def _answers(clause: str, facts: tuple[Fact, ...], pack: LanguagePack) -> list[Fact]:
    """The facts that answer a question: by its attribute, else by the words they share with it, best first."""
    asked = set(asked_attributes(clause, pack))
    words = terms(clause, pack)
    scores: dict[str, float] = {}
    said: dict[str, bool] = {}
    for fact in facts:
        spec = pack.attribute(fact.attribute)
        key = _key(fact, pack)
        overlap = len(words & (terms(fact.attribute, pack) | terms(fact.value, pack)))
        names = spec.aliases if spec is not None else (fact.attribute,)
        if fact.attribute not in said:
            said[fact.attribute] = any(contains_phrase(clause, name) for name in names)
        overlap += 2 * said[fact.attribute]
        score = 2.0 * (key in asked or forbids(fact, clause, asked, pack)) + (SHARED + overlap if overlap else 0)
        if score > 0:
            scores[fact.id] = score
    if not scores:
        return []
    top = max(scores.values())
    best = [fact for fact in facts if scores.get(fact.id) == top]
    return best if len(best) <= MAX_FACTS else []

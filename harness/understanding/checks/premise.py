"""The check before a reply: does the message presuppose something the persona or the facts deny?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.state import Notice
from harness.understanding.checks.calling import wrong_name
from harness.understanding.checks.guards import find_attempts
from harness.understanding.checks.presupposed import presupposed
from harness.understanding.checks.promised import unpromised
from harness.understanding.checks.relatives import relatives_work
from harness.understanding.facts.knowledge import Knowledge, Known, judge, knowledge_of, sentence_polarity, supported
from harness.understanding.facts.stands import FAIRLY, LIKELY, STRONG, WEAK, Stand
from harness.understanding.facts.translating import pack_of
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, normalize, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState, Persona
    from harness.understanding.checks.presupposed import Presupposed
    from harness.understanding.facts.claims import Claim

_UNDECIDED = 0.4
"""Confidence of a notice about a claim that no fact decides."""

_THRESHOLDS = {
    "reported": WEAK,
    "roles": LIKELY,
    "once": LIKELY,
    "presupposed": LIKELY,
    "owned": LIKELY,
    "direct": STRONG,
}
_ROOT = 6
"""Letters from which on two words with the same beginning are taken for words of one family."""
_CLAUSE = re.compile(r"[,;，；、]")


@in_one_script
def check_premise(
    text: str,
    *,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    classify: bool = False,
    beside: Sequence[LanguagePack] = (),
) -> tuple[Notice, ...]:
    """What a user's message takes for granted that is not so, a wrong name it calls the character by, and attempts at the machinery behind the character.

    ``beside``: packs of further languages in the message, in which attempts are looked for as well.

    Returns:
        notices, at most one per fact, guard notices last. Empty for an ordinary message.
    """
    known = knowledge_of(state, persona, pack)
    found: list[Notice] = []
    plain = pack.rewrite(normalize(text), pack.text.expand)
    staged = bool(pack.premise.staged) and pack.any_of(pack.premise.staged).search(plain) is not None
    for sentence in sentences(pack.rewrite(plain, pack.premise.rewritten)):
        for notice in _sentence(sentence, known, pack, staged=staged):
            if not any(notice.fact_id == other.fact_id and notice.kind == other.kind for other in found):
                found.append(notice)
        if not found and (promise := _promise(sentence, state, known, pack)) is not None:
            found.append(promise)
    decided = [notice for notice in found if notice.kind == "contradiction"]
    # Where a fact is denied as well, that is what has to be answered.
    if not decided and (called := wrong_name(text, state=state, persona=persona, pack=pack)) is not None:
        decided = [called]
    return (*(decided or found[:1]), *find_attempts(text, pack=pack, classify=classify, beside=beside))


def _sentence(sentence: str, known: Knowledge, pack: LanguagePack, *, staged: bool = False) -> Iterator[Notice]:
    """``staged``: the message gives the character a part; who it is in that is no claim about it."""
    was_so = pack.any_of(pack.premise.was_so)
    asks_back = pack.any_of(pack.premise.past).search(sentence) is not None
    for taken in presupposed(sentence, pack):
        if staged and taken.category in {"direct", "presupposed"}:
            continue
        claim = taken.claim
        fact, relation = judge(claim, known, pack)
        if relation.stand is Stand.same:
            continue
        conflict = fact is not None and relation.stand is Stand.conflict
        past = taken.category == "once" or (taken.category == "owned" and asks_back)
        if fact is not None and conflict and past and was_so.search(f"{fact.fact.value} {fact.truth}"):
            continue  # the divorced were married once
        lasting = fact is not None and conflict and relation.strength != FAIRLY and all(c.polarity for c in fact.claims)
        if taken.category == "once" and lasting:
            fact = None  # who is a cook now may have been a nurse; only what says never decides
        if taken.category == "roles" and _hinted(claim, known):
            continue
        if fact is not None and conflict and relation.strength >= _THRESHOLDS[taken.category]:
            if relation.strength < STRONG and (
                supported(claim, known, pack, besides=fact.truth) or _said_by(claim, fact, pack)
            ):
                continue
            yield _contradiction(fact, claim, taken.words, relation.strength)
        elif taken.open and _unheard_of(taken, known, pack):
            yield Notice(
                kind="challenge",
                quote=taken.words,
                claim=_words(claim),
                attribute=claim.attribute,
                value=claim.value,
                polarity=claim.polarity,
                confidence=_UNDECIDED,
            )
    for item, claim, words in relatives_work(sentence, known, pack):
        yield _contradiction(item, claim, words, LIKELY)


def _promise(sentence: str, state: DialogueState, known: Knowledge, pack: LanguagePack) -> Notice | None:
    """A notice about a promise that the character never gave."""
    words, what = unpromised(sentence, state=state, lines=known.lines, pack=pack)
    return Notice(kind="challenge", quote=words, claim=what, value=what, confidence=_UNDECIDED) if words else None


def _hinted(claim: Claim, known: Knowledge) -> bool:
    """Whether the word for a role has its beginning in what is known: who photographs may be called a photographer."""
    begins = fold(claim.value)[: max(_ROOT, len(claim.value) * 2 // 3)]
    return claim.value in claim.quote and len(begins) >= _ROOT and any(begins in line for line in known.plain)


def _contradiction(fact: Known, claim: Claim, words: str, confidence: float) -> Notice:
    return Notice(
        kind="contradiction",
        quote=words,
        claim=_words(claim),
        fact_id=fact.fact.id,
        truth=fact.truth,
        attribute=claim.attribute or fact.fact.attribute,
        value=claim.value,
        polarity=claim.polarity,
        confidence=confidence,
    )


def _unheard_of(taken: Presupposed, known: Knowledge, pack: LanguagePack) -> bool:
    """Whether nothing that is known, and nothing the character ever said, has to do with a claim."""
    claim = taken.claim
    if not terms(claim.value, pack) or supported(claim, known, pack):
        return False
    spec = pack.attribute(claim.attribute)
    languages = {pack, *(pack_of(item.fact.language, pack) for item in known.facts if item.fact.speaker == "persona")}
    if taken.category == "reported":
        return languages == {pack}
    if taken.category == "owned":
        if spec is None or not spec.closed or any(c.attribute == spec.key for f in known.facts for c in f.claims):
            return False
        names = {name for own in languages for name in own.wording.kinds.get(spec.key, ())}
        return not any(contains_phrase(line, name) for line in known.lines for name in names)
    if (taken.category == "roles" and not claim.attribute) or languages != {pack}:
        return False  # "as a man" says nothing that would need a fact; 护士 is not found by "nurse"
    wanted = terms(claim.value, pack)
    return not any(wanted & terms(line, pack) for line in known.lines)


def _said_by(claim: Claim, known: Known, pack: LanguagePack) -> bool:
    """Whether one clause of the very fact says what is claimed: it may hold more than one thing ("ten to six, …")."""
    wanted = terms(claim.value, pack)
    if not wanted or not claim.polarity or not known.fact.polarity:
        return False
    clauses = _CLAUSE.split(known.truth)
    if len(clauses) < 2:  # the whole fact was judged already
        return False
    clauses = [clause for clause in clauses if sentence_polarity(clause, pack)]
    if has_han(claim.value) and any(claim.value in clause for clause in clauses):
        return True  # bigrams of a longer run need not hold those of a shorter one
    return any(wanted <= terms(clause, pack) for clause in clauses)


def _words(claim: Claim) -> str:
    return claim.quote.replace("§", "…") or claim.value

"""The check before a reply: does the message presuppose something the persona or the facts deny?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.state import Notice
from harness.understanding.checks.guards import find_attempts
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.knowledge import Knowledge, Known, judge, knowledge_of, sentence_polarity, supported
from harness.understanding.facts.relations import LIKELY, STRONG, WEAK, Stand
from harness.understanding.text import has_han, normalize, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState, Persona

_UNDECIDED = 0.4
"""Confidence of a notice about a claim that no fact decides."""

_THRESHOLDS = {"reported": WEAK, "presupposed": LIKELY, "owned": LIKELY, "direct": STRONG}
_CLAUSE = re.compile(r"[,;，；、]")
_QUOTES = re.compile(r"[\"“”「」『』]")


def check_premise(
    text: str, *, state: DialogueState, persona: Persona, pack: LanguagePack, classify: bool = False
) -> tuple[Notice, ...]:
    """What a user's message takes for granted that is not so, and attempts at the machinery behind the character.

    Returns:
        notices, at most one per fact, guard notices last. Empty for an ordinary message.
    """
    known = knowledge_of(state, persona, pack)
    found: list[Notice] = []
    plain = pack.rewrite(normalize(text), pack.text.expand)
    for sentence in sentences(pack.rewrite(plain, pack.premise.rewrites.items())):
        for notice in _sentence(sentence, known, pack):
            if not any(notice.fact_id == other.fact_id and notice.kind == other.kind for other in found):
                found.append(notice)
    decided = [notice for notice in found if notice.kind == "contradiction"]
    return (*(decided or found[:1]), *find_attempts(text, pack=pack, classify=classify))


def _sentence(sentence: str, known: Knowledge, pack: LanguagePack) -> Iterator[Notice]:
    for category, claim, quoted in _claimed(sentence, pack):
        fact, relation = judge(claim, known, pack)
        if relation.stand is Stand.same:
            continue
        if fact is not None and relation.stand is Stand.conflict and relation.strength >= _THRESHOLDS[category]:
            if relation.strength < STRONG and (
                supported(claim, known, pack, besides=fact.truth) or _said_by(claim, fact, pack)
            ):
                continue
            yield Notice(
                kind="contradiction",
                quote=quoted,
                claim=_words(claim),
                fact_id=fact.fact.id,
                truth=fact.truth,
                attribute=claim.attribute or fact.fact.attribute,
                value=claim.value,
                polarity=claim.polarity,
                confidence=relation.strength,
            )
        elif category == "reported" and terms(claim.value, pack) and not supported(claim, known, pack):
            yield Notice(
                kind="challenge",
                quote=quoted,
                claim=_words(claim),
                attribute=claim.attribute,
                value=claim.value,
                polarity=claim.polarity,
                confidence=_UNDECIDED,
            )


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


def _claimed(sentence: str, pack: LanguagePack) -> Iterator[tuple[str, Claim, str]]:
    """(how it is claimed, the claim as the character would make it, the words of the message)."""
    cues = pack.premise
    innocent = pack.any_of(cues.innocent).search(sentence)
    asks = pack.any_of(pack.text.questions).search(sentence) is not None
    found = named = False
    for category, sources in (
        ("reported", cues.reported),
        ("presupposed", cues.presupposed),
        ("owned", cues.owned),
        ("direct", cues.direct),
    ):
        if innocent and category != "reported":
            return
        if category == "direct" and (asks or found):
            return
        if category == "presupposed" and found:
            continue  # what was reported is not presupposed as well; what it mentions in passing may be
        for source in sources:
            match = pack.pattern(source).search(sentence)
            if match is None:
                continue
            for claim in _read(match, category, pack):
                if "§" in claim.predicate and not claim.attribute and category != "reported":
                    continue  # "you know my dog" is about the one who says it
                found = found or bool(claim.attribute) or category == "reported"
                named = named or bool(claim.attribute)
                yield category, claim, match[0].strip()
            if found and category != "owned":
                break
        if named and category == "reported":
            return


def _read(match: re.Match[str], category: str, pack: LanguagePack) -> Iterator[Claim]:
    groups = match.groupdict()
    if category == "owned":
        has = pack.premise.has_named if groups.get("name") else pack.premise.has
        text = has.format(n=groups.get("n") or "", name=groups.get("name") or "")
        yield from (c for c in read_claims(text, pack, Reading(loose=True)) if c.subject == SPEAKER)
        return
    words = groups.get("c") or ""
    quoted = words.lstrip(" ,:").startswith(tuple('"“「『'))
    text = pack.any_of(pack.premise.tags).sub("", _QUOTES.sub("", words).strip(" ,:").rstrip("?!.。")).rstrip("?!.。 ")
    if category == "reported" and pack.any_of(pack.premise.promises).match(text):
        return
    prefixes = next((put for name, put in pack.premise.prefixes.items() if groups.get(name) is not None), ("",))
    past = (category == "reported" or groups.get("past") is not None) and not quoted
    reading = Reading(swapped=not quoted, loose=True, asked=True, backshift=past, wording=True)
    claims: list[Claim] = []
    for prefix in prefixes:
        claims = [c for c in read_claims(prefix + text, pack, reading) if c.subject == SPEAKER]
        if any(c.attribute for c in claims):
            break
    if not claims and category == "reported" and pack.premise.elided:
        read = read_claims(pack.premise.elided + text, pack, reading)
        claims = [c for c in read if c.subject == SPEAKER and c.attribute and not c.polarity]
    yield from claims

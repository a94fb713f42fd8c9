"""A reply to a message that takes something false for granted: does it state the fact, or give in?"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from harness.understanding.checks.findings import as_written, finding
from harness.understanding.checks.holding import as_sentence
from harness.understanding.facts.claims import (
    SPEAKER,
    Claim,
    Reading,
    clauses,
    positive,
    read_claims,
    subject_of,
)
from harness.understanding.facts.kinds import kinds_in
from harness.understanding.facts.knowledge import Knowledge, Known, knowledge_of, sentence_polarity
from harness.understanding.facts.relations import best, negated, relate
from harness.understanding.facts.stands import Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, has_han, normalize, numbers, sentences, stem, terms

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack
    from harness.state import DialogueState, Finding, Notice, Persona

_CORE = 0.33
"""Share of the words of a value that has to be said for it to count as stated."""
_PREDICATE = 0.6
"""The same for a value that says something as a whole ("dropped out of law school")."""
_TOPIC_LENGTH = 20


@in_one_script
def holds(reply: str, notice: Notice, *, state: DialogueState, persona: Persona, pack: LanguagePack) -> bool:
    """Whether a reply states the truth of a contradiction notice, in its own words or others."""
    return _states(normalize(reply), notice, _fact(notice, knowledge_of(state, persona, pack)), pack)


@in_one_script
def tells(reply: str, notice: Notice, known: Knowledge, pack: LanguagePack) -> bool:
    """Whether a reply states the fact of a notice, or denies what is claimed against it."""
    fact = _fact(notice, known)
    return _states(reply, notice, fact, pack) or _denies(reply, notice, fact, pack)


@in_one_script
def gives_in(reply: str, notice: Notice, known: Knowledge, pack: LanguagePack) -> str:
    """The words in which a reply makes the false claim of a notice its own; empty when it does not."""
    return _asserts(reply, notice, _fact(notice, known), pack)


def _fact(notice: Notice, known: Knowledge) -> Known | None:
    return next((item for item in known.facts if item.fact.id == notice.fact_id), None)


def under_notice(reply: str, notice: Notice, known: Knowledge, pack: LanguagePack) -> Iterator[Finding]:
    """What is wrong with a reply that has to hold a fact: it gives in, or does not state it."""
    fact = _fact(notice, known)
    yield from conceded(reply, pack, notice.fact_id)
    said = pack.any_of(pack.reply.own_reports).sub("", reply)
    asserted = _asserts(reply, notice, fact, pack) or (_asserts(said, notice, fact, pack) if said != reply else "")
    if asserted:
        yield finding("concession", asserted, notice.fact_id)
    held = _states(reply, notice, fact, pack) or _denies(reply, notice, fact, pack)
    if notice.polarity and (echo := pack.any_of(pack.reply.echoes).search(reply)) is not None:
        yield finding("concession", echo[0], notice.fact_id)
    agrees = pack.any_of(pack.reply.agreement).match(reply)
    if agrees is not None and not held:  # "Yes, I'm married to Piet" affirms nothing false
        yield finding("concession", agrees[0], notice.fact_id)
    if not held:
        yield finding("not_held", reply, notice.fact_id)


def conceded(reply: str, pack: LanguagePack, fact_id: str) -> Iterator[Finding]:
    """Words in which a reply admits that the other is right."""
    denied = pack.any_of(pack.reply.refusals)
    for sources in (pack.reply.concessions, pack.reply.affirmations):
        for match in pack.any_of(sources).finditer(reply):
            before = re.split(r"[.!?。!?;,，]", reply[: match.start()])[-1]
            if not denied.search(before):
                yield finding("concession", match[0], fact_id)
                return


def _claim_of(notice: Notice, pack: LanguagePack) -> Claim:
    named = pack.pattern(pack.wording.naming).search(notice.value)
    name = named["name"] if named else ""
    return Claim(SPEAKER, notice.attribute, notice.value, notice.polarity, name=name, predicate=notice.value)


def _asserts(reply: str, notice: Notice, fact: Known | None, pack: LanguagePack) -> str:
    """The words in which the reply makes the false claim its own; empty when it does not."""
    false = _claim_of(notice, pack)
    dropped = pack.script == "han"
    present = read_claims(reply, pack, Reading(wording=True, loose=True, dropped=dropped))
    past = read_claims(reply, pack, Reading(wording=True, loose=True, backshift=True, dropped=dropped))
    elided = (c for c in _elided(reply, pack) if c.attribute and not c.quote.endswith(("!", "?")))  # no echoes
    claims = tuple(claim for claim in dict.fromkeys((*present, *past, *elided)) if claim.subject == SPEAKER)
    true = [c for c in claims if c.attribute and relate(negated(false), c, pack).stand is Stand.same]
    for claim in claims:
        if not claim.attribute and any(claim.quote in other.quote for other in true):
            continue  # "my wife died" says that there is none
        if (false.name and not claim.name) or (
            fact is not None and claim.attribute and best(claim, fact.claims, pack).stand is Stand.same
        ):
            continue  # it says the truth, or no more than what is true of both
        if (
            relate(claim, false, pack).stand is Stand.same
            and relate(claim, negated(false), pack).stand is not Stand.same
        ):
            return as_written(reply, claim, pack)
    return ""


def _denies(reply: str, notice: Notice, fact: Known | None, pack: LanguagePack) -> bool:
    """Whether a reply denies a relative or pet of another kind than the fact's: "I have no sister" needs no word of the brother."""
    spec = pack.attribute(notice.attribute)
    if spec is None or not spec.closed or not notice.polarity or fact is None or not fact.fact.polarity:
        return False
    wanted = negated(_claim_of(notice, pack))
    claims = (*read_claims(reply, pack, Reading(wording=True, dropped=pack.script == "han")), *_elided(reply, pack))
    return any(claim.subject == SPEAKER and relate(claim, wanted, pack).stand is Stand.same for claim in claims)


def _elided(reply: str, pack: LanguagePack) -> Iterator[Claim]:
    """What sentences without a subject say: "No pets.", "Single, as ever."."""
    for sentence in sentences(reply):
        first = next(iter(clauses(sentence, pack)), "")
        if not first or subject_of(first, pack) is not None:
            continue
        for prefix, begins in pack.reply.elided.items():
            if not pack.pattern(begins).match(sentence):
                continue
            read = read_claims(prefix + sentence[:1].lower() + sentence[1:], pack, Reading(wording=True))
            yield from (claim for claim in read if claim.subject == SPEAKER)


def _own_part(sentence: str, fact: Known | None, pack: LanguagePack) -> str:
    """A sentence without its clauses about people that the fact does not name ("my neighbour has goats")."""
    parts = clauses(sentence, pack)
    about = f"{fact.truth} {fact.fact.value} {fact.fact.attribute} {' '.join(fact.aliases)}" if fact else ""
    kept = []
    for part in parts:
        subject = subject_of(part, pack)
        other = "" if subject is None or subject[0] == SPEAKER else subject[0] or subject[1].split()[-1]
        if not other or contains_phrase(about, other) or (has_han(other) and other[1:] in about):
            kept.append(part)
    return sentence if len(kept) == len(parts) else ", ".join(kept)


def _states(reply: str, notice: Notice, fact: Known | None, pack: LanguagePack) -> bool:
    truth = fact.truth if fact else notice.truth
    if not truth:
        return True
    if contains_phrase(reply, truth):
        return True
    wanted = _telling(fact, pack) if fact else read_claims(truth, pack, Reading(wording=True, loose=True))
    aliases = fact.aliases if fact else ()
    for whole in _resolved(reply, pack):
        sentence = _own_part(whole, fact, pack)
        if any(_names_kind(sentence, claim, notice, pack) for claim in wanted):
            return True
        if any(_says(sentence, claim, pack) for claim in wanted) or (
            any(
                contains_phrase(part, alias) and sentence_polarity(part, pack) == (fact is None or fact.fact.polarity)
                for part in (sentence, *clauses(sentence, pack))
                for alias in aliases
            )
        ):
            return True
    return any(
        claim.subject == SPEAKER and any(relate(claim, true, pack).stand is Stand.same for true in wanted)
        for claim in (
            *read_claims(
                " ".join(_resolved(reply, pack)), pack, Reading(wording=True, loose=True, dropped=pack.script == "han")
            ),
            *_elided(reply, pack),
        )
    )


def _resolved(reply: str, pack: LanguagePack) -> list[str]:
    """The sentences of a reply, with "it" put for what a short question before names ("Coffee? I can't stand it.")."""
    found: list[str] = []
    topic = ""
    for sentence in sentences(reply):
        found.append(pack.pattern(pack.wording.anaphor).sub(topic, sentence) if topic else sentence)
        short = sentence.endswith("?") and len(sentence) <= _TOPIC_LENGTH
        topic = sentence.rstrip("?! ").lower() if short else ""
    return found


def _names_kind(sentence: str, claim: Claim, notice: Notice, pack: LanguagePack) -> bool:
    """Whether a clause affirms the kind of thing a named fact is, where the false claim was about another kind."""
    if not claim.kind or not claim.name or not claim.polarity or contains_phrase(notice.value, claim.kind):
        return False
    return any(contains_phrase(part, claim.kind) and positive(part, pack)[1] for part in clauses(sentence, pack))


def _telling(fact: Known, pack: LanguagePack) -> tuple[Claim, ...]:
    """The propositions of a fact that a reply may state; of "tea: hates it" only that tea is not liked."""
    if not any(claim.attribute == "likes" and not claim.polarity for claim in fact.claims):
        return fact.claims
    return tuple(claim for claim in fact.claims if not claim.polarity or pack.attribute(claim.attribute) is not None)


def _mentions_own(sentence: str, claim: Claim, pack: LanguagePack) -> bool:
    """Whether a sentence takes somebody or a pet of the claim for granted: "there's my sister"."""
    spec = pack.attribute(claim.attribute)
    if spec is None or not spec.closed or not claim.polarity:
        return False
    kind = fold(claim.kind or claim.value)
    return any(stem(fold(match["m"])) in kind for match in pack.pattern(pack.wording.mine).finditer(sentence))


def _says(sentence: str, claim: Claim, pack: LanguagePack) -> bool:
    """Whether a sentence carries the value of a claim, affirmed or denied as the claim is."""
    spec = pack.attribute(claim.attribute)
    if spec is not None and spec.must and not pack.pattern(spec.must).search(sentence):
        return False
    if claim.name:
        names = [name for name in pack.any_of(pack.text.joiners).split(claim.name) if name]
        return any(contains_phrase(sentence, name) for name in names) or _mentions_own(sentence, claim, pack)
    if _mentions_own(sentence, claim, pack):
        return True
    figures = numbers(claim.value, pack)
    if figures and len(terms(claim.value, pack)) <= len(figures) + 1:
        return bool(set(figures) & set(numbers(sentence, pack)))
    wanted = terms(pack.pattern(pack.wording.core).sub("", claim.value), pack) or terms(claim.value, pack)
    if claim.attribute and spec is None and not claim.polarity:
        wanted |= terms(claim.attribute, pack)
    if not wanted:
        return False
    shared = wanted & terms(sentence, pack)
    kinds = kinds_in(claim.value, pack) & kinds_in(sentence, pack)
    if len(wanted) > 1:
        wanted = wanted - {"1"}  # mostly an article (一辆)
    enough = _CORE
    if claim.attribute and as_sentence(claim.value, pack):
        enough = _PREDICATE
        wanted = wanted - terms(claim.attribute, pack) or wanted
        shared = wanted & terms(sentence, pack)
    if len(shared) < max(1, len(wanted) * enough) and not (kinds and not claim.polarity):
        return False
    return sentence_polarity(sentence, pack) == claim.polarity

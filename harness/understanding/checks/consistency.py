"""The checks before and after a reply, by rules: no call, about a millisecond each.

Before: :func:`check_premise`. After: :func:`check_reply`. An ordinary reply is held only to sure contradictions, since a
false alarm costs a model call; under a notice everything that gives in counts, since there the risk is known.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.state import USER, Finding
from harness.understanding.checks.agreement import aspect_agreements
from harness.understanding.checks.answering import against_persona
from harness.understanding.checks.called import other_name
from harness.understanding.checks.candour import is_admission
from harness.understanding.checks.drift import drifted
from harness.understanding.checks.echoing import echoed
from harness.understanding.checks.history import check_history
from harness.understanding.checks.holding import as_sentence
from harness.understanding.checks.premise import check_premise
from harness.understanding.checks.promised import check_promised
from harness.understanding.checks.tone import check_tone
from harness.understanding.facts.claims import (
    SPEAKER,
    Claim,
    Reading,
    clauses,
    plain_text,
    positive,
    read_claims,
    subject_of,
)
from harness.understanding.facts.kinds import kinds_in, same_words
from harness.understanding.facts.knowledge import Knowledge, Known, judge, knowledge_of, sentence_polarity
from harness.understanding.facts.relations import CERTAIN, LIKELY, STRONG, Relation, Stand, best, negated, relate
from harness.understanding.text import (
    contains_phrase,
    fold,
    has_han,
    likeness,
    normalize,
    numbers,
    sentences,
    stem,
    terms,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact, Notice, Persona

__all__ = ["SEVERITY", "check_premise", "check_reply", "holds"]

SEVERITY = {
    "empty": 1.0,
    "character_break": 1.0,
    "prompt_leak": 1.0,
    "concession": 0.9,
    "contradiction": 0.9,
    "wrong_speaker": 0.8,
    "language_drift": 0.8,
    "not_held": 0.7,
    "ruled_out": 0.7,
    "tone": 0.6,
    "repetition": 0.5,
    "stage_directions": 0.3,
}
"""How bad each finding is, 0 to 1. What gives the character away weighs most; style weighs least. A concession that
also fails to state the fact (1.6) is worse than one beside the fact (0.9), and that than a mere silence (0.7)."""

_REPEATED = 0.85
_REPEATED_LENGTH = 12
_RECENT = 8
_LONG = 60
_LONG_HAN = 24
"""A reply as long as this may not come again at all; a shorter one not within the next eight."""
_LEAK_LENGTH = 60
_LEAK_HAN_LENGTH = 24
_CORE = 0.33
"""Share of the words of a value that has to be said for it to count as stated."""
_PREDICATE = 0.6
"""The same for a value that says something as a whole ("dropped out of law school")."""
_SHORT_NAME = 2
_TOPIC_LENGTH = 20


def check_reply(
    reply: str,
    *,
    user_text: str,
    state: DialogueState,
    persona: Persona,
    pack: LanguagePack,
    notices: Sequence[Notice] = (),
    previous_replies: Sequence[str] = (),
    system_text: str = "",
    classify: bool = False,
) -> tuple[Finding, ...]:
    """What is wrong with a reply; empty when it may be sent.

    Args:
        reply: the candidate.
        user_text: the message it answers.
        state: before this turn's bookkeeping.
        persona: who replies.
        pack: of the language the reply should be in.
        notices: what :func:`check_premise` found in ``user_text``.
        previous_replies: earlier replies of the character, for repetitions.
        system_text: the prompt; a long stretch of it in the reply is a leak.
        classify: let the small classifiers of the pack help.
    """
    plain = normalize(reply)
    if not re.search(r"\w", plain):
        return (Finding(kind="empty", severity=SEVERITY["empty"], evidence=reply[:80]),)
    known = knowledge_of(state, persona, pack)
    found = [
        *_character(plain, persona, pack, system_text),
        *_form(plain, user_text, persona, pack),
        *_repetition(plain, previous_replies),
        *check_tone(plain, user_text=user_text, state=state, persona=persona, pack=pack),
    ]
    if fold(persona.name) not in {fold(f.value) for f in state.active_facts(USER) if f.attribute == "name"}:
        found.extend(_self_addressed(plain, persona, pack))
    if words := other_name(plain, user_text=normalize(user_text), state=state, persona=persona, pack=pack):
        found.append(
            Finding(kind="contradiction", severity=SEVERITY["contradiction"], evidence=words, fact_id="p:name")
        )
    conflicts = [notice for notice in notices if notice.kind == "contradiction"]
    judged = [(claim, *judge(claim, known, pack)) for claim in _own_claims(plain, pack)]
    found.extend(_contradictions(plain, judged, pack, {notice.fact_id for notice in conflicts}))
    found.extend(
        _finding("contradiction", _as_said(plain, words, pack), fact=item.fact)
        for words, item in against_persona(plain, user_text, known, pack)
        if item.fact.id not in {notice.fact_id for notice in conflicts}
    )
    found.extend(_disagreements(plain, known, pack, classify=classify))
    settled = _borne_out(judged)
    found.extend(check_promised(reply, user_text=user_text, state=state, pack=pack))
    found.extend(check_history(reply, user_text=user_text, state=state, pack=pack, settled=settled))
    challenges = [notice for notice in notices if notice.kind == "challenge"]
    for notice in conflicts:
        found.extend(_under_notice(plain, notice, known, pack))
    if challenges and not conflicts:
        found.extend(_conceded(plain, pack, ""))
    return tuple(_distinct(found))


def holds(reply: str, notice: Notice, *, state: DialogueState, persona: Persona, pack: LanguagePack) -> bool:
    """Whether a reply states the truth of a contradiction notice, in its own words or others."""
    return _states(normalize(reply), notice, _fact(notice, knowledge_of(state, persona, pack)), pack)


def _distinct(found: list[Finding]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for finding in found:
        key = (finding.kind, finding.fact_id or finding.against)
        if key not in seen:
            seen.add(key)
            yield finding


def _finding(kind: str, evidence: str, fact_id: str = "", fact: Fact | None = None) -> Finding:
    values = {"kind": kind, "severity": SEVERITY[kind], "evidence": evidence.strip()[:200], "fact_id": fact_id}
    if fact is not None:
        values |= {"fact_id": fact.id, "turn": fact.turn, "against": fact.quote[:200] if fact.turn else ""}
    return Finding.model_validate(values)


def _character(reply: str, persona: Persona, pack: LanguagePack, system_text: str) -> Iterator[Finding]:
    cues = pack.reply
    denials = pack.any_of(cues.denials)
    candid = persona.bot_question == "admit"
    for match in pack.any_of(cues.character_breaks).finditer(reply):
        if candid and is_admission(match[0], pack):
            continue
        if not denials.search(reply[: match.start()][-40:]):
            yield _finding("character_break", match[0])
            break
    leak = pack.any_of(cues.leaks).search(reply)
    if leak is not None:
        yield _finding("prompt_leak", leak[0])
    elif system_text:
        size = _LEAK_HAN_LENGTH if has_han(reply) else _LEAK_LENGTH
        shared = _shared_stretch(fold(reply), fold(system_text), size)
        if shared:
            yield _finding("prompt_leak", shared)


def _shared_stretch(text: str, source: str, size: int) -> str:
    return next((text[i : i + size] for i in range(0, len(text) - size + 1, 4) if text[i : i + size] in source), "")


def _form(reply: str, user_text: str, persona: Persona, pack: LanguagePack) -> Iterator[Finding]:
    begun = (piece for line in reply.split("\n") for piece in (line, *sentences(line)))
    label = next((m for piece in begun if (m := pack.any_of(pack.reply.speaker_labels).match(piece))), None)
    if label is not None:
        yield _finding("wrong_speaker", label[0])
    if not persona.stage_directions:
        direction = pack.any_of(pack.reply.directions).search(reply)
        if direction is not None:
            yield _finding("stage_directions", direction[0])
    if words := echoed(reply, user_text, pack):
        yield _finding("wrong_speaker", words)
    if drifted(reply, user_text, pack):
        yield _finding("language_drift", reply[:80])


def _self_addressed(reply: str, persona: Persona, pack: LanguagePack) -> Iterator[Finding]:
    """The character's own name where one puts that of the person one speaks to ("I'm 41, Dev.")."""
    for match in _address(persona.name, persona.aliases).finditer(reply):
        before = re.split(r"[.!?。…]", reply[: match.start()])[-1]
        if not pack.any_of(pack.reply.introductions).search(before + match[0]):
            yield _finding("wrong_speaker", match[0].strip(" ,"))
            return


@lru_cache(maxsize=64)
def _address(name: str, aliases: tuple[str, ...]) -> re.Pattern[str]:
    names = {name, name.split(maxsplit=1)[0], *aliases}
    names |= {name[1:]} if has_han(name) and len(name) > _SHORT_NAME else set()
    spelled = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(
        rf"(?:^|(?<=[.!?。]\s)|(?<=[!?。]))(?:{spelled})\s*,|,\s*(?:{spelled})\s*(?=[.!?。…]|$)", re.IGNORECASE
    )


def _repetition(reply: str, previous: Sequence[str]) -> Iterator[Finding]:
    if len(reply) < _REPEATED_LENGTH and not (has_han(reply) and len(reply) >= _REPEATED_LENGTH // 2):
        return
    recent, older = previous[-_RECENT:], previous[:-_RECENT]
    if len(reply) >= (_LONG_HAN if has_han(reply) else _LONG):
        # A long line is noticed however old it is; a likeness of 0.85 needs texts of nearly one length.
        recent = [*recent, *(old for old in older if abs(len(old) - len(reply)) <= (1 - _REPEATED) * len(reply) * 2)]
    for old in recent:
        if fold(old) == fold(reply) or likeness(old, reply) >= _REPEATED:
            yield _finding("repetition", old)
            return


def _own_claims(reply: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """What a reply says of its speaker; what it says in the same words many times is one claim."""
    claims = dict.fromkeys(read_claims(reply, pack, Reading(wording=True)))
    return tuple(claim for claim in claims if claim.subject == SPEAKER)


def _contradictions(
    reply: str, judged: Sequence[tuple[Claim, Known | None, Relation]], pack: LanguagePack, noticed: set[str]
) -> Iterator[Finding]:
    judged = [one for one in judged if not one[0].weak]
    stated = [(f.fact.id, c.quote) for c, f, relation in judged if f and c.attribute and relation.stand is Stand.same]
    for claim, fact, relation in judged:
        if fact is None or relation.stand is not Stand.conflict:
            continue
        if not claim.attribute and any(fact.fact.id == same and claim.quote in quote for same, quote in stated):
            continue  # words around the fact ("my wife died, I'm a widower")
        listed = fact.fact.speaker == "persona" and not fact.free and _is_closed(claim, pack)
        bar = LIKELY if listed or fact.fact.id in noticed else CERTAIN if fact.free else STRONG
        if relation.strength >= bar or (relation.strength >= LIKELY and _renamed(claim, fact, pack)):
            yield _finding("contradiction", _as_written(reply, claim, pack), fact=fact.fact)


def _borne_out(judged: Sequence[tuple[Claim, Known | None, Relation]]) -> list[str]:
    """Clauses of the reply that a fact of the persona agrees with."""
    return [
        claim.quote
        for claim, fact, relation in judged
        if fact is not None and fact.fact.speaker == "persona" and relation.stand is Stand.same
    ]


def _disagreements(reply: str, known: Knowledge, pack: LanguagePack, *, classify: bool) -> Iterator[Finding]:
    """Another place, star sign or gender of the character's own than the facts give."""
    facts = tuple(item.fact for item in known.facts)
    for one in aspect_agreements(reply, facts, pack, classify=classify, background=known.lines):
        if one.sure:
            fact = next((fact for fact in facts if fact.id == one.fact_id), None)
            yield _finding("contradiction", one.evidence, fact=fact).model_copy(update={"tier": one.tier})


def _is_closed(claim: Claim, pack: LanguagePack) -> bool:
    """Whether what a persona does not list of this kind is not so: a second pet is one too many."""
    spec = pack.attribute(claim.attribute)
    return spec is not None and spec.closed


def _as_written(reply: str, claim: Claim, pack: LanguagePack) -> str:
    """The sentence of the reply that makes the claim, with its contractions; a claim's quote has them written out."""
    for sentence in sentences(reply):
        if claim in read_claims(sentence, pack, Reading(wording=True)) or claim.quote in plain_text(sentence, pack):
            return sentence
    return claim.quote


def _as_said(reply: str, words: str, pack: LanguagePack) -> str:
    """The sentence of the reply that has these words, as it is written."""
    return next((sentence for sentence in sentences(reply) if words in plain_text(sentence, pack)), words)


def _renamed(claim: Claim, fact: Known, pack: LanguagePack) -> bool:
    """The same kind of thing under another name (a cat called Tom, where it is Miso)."""
    if not claim.name or not claim.kind:
        return False
    return any(
        other.name and (fold(claim.kind) == fold(other.kind) or same_words(claim.kind, other.kind, pack))
        for other in fact.claims
    )


def _fact(notice: Notice, known: Knowledge) -> Known | None:
    return next((item for item in known.facts if item.fact.id == notice.fact_id), None)


def _under_notice(reply: str, notice: Notice, known: Knowledge, pack: LanguagePack) -> Iterator[Finding]:
    fact = _fact(notice, known)
    yield from _conceded(reply, pack, notice.fact_id)
    said = pack.any_of(pack.reply.own_reports).sub("", reply)
    asserted = _asserts(reply, notice, fact, pack) or (_asserts(said, notice, fact, pack) if said != reply else "")
    if asserted:
        yield _finding("concession", asserted, notice.fact_id)
    held = _states(reply, notice, fact, pack)
    if notice.polarity and (echo := pack.any_of(pack.reply.echoes).search(reply)) is not None:
        yield _finding("concession", echo[0], notice.fact_id)
    agrees = pack.any_of(pack.reply.agreement).match(reply)
    if agrees is not None and not held:  # "Yes, I'm married to Piet" affirms nothing false
        yield _finding("concession", agrees[0], notice.fact_id)
    if not held:
        yield _finding("not_held", reply, notice.fact_id)


def _conceded(reply: str, pack: LanguagePack, fact_id: str) -> Iterator[Finding]:
    denied = pack.any_of(pack.reply.refusals)
    for sources in (pack.reply.concessions, pack.reply.affirmations):
        for match in pack.any_of(sources).finditer(reply):
            before = re.split(r"[.!?。!?;,，]", reply[: match.start()])[-1]
            if not denied.search(before):
                yield _finding("concession", match[0], fact_id)
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
            return _as_written(reply, claim, pack)
    return ""


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

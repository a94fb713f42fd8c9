"""Answers that say less than a sentence, read with the question they answer: "A Canon" to "Which camera do you use?".

What is left out of an answer stands in the question. A yes or a no affirms or denies what the question puts to its
hearer; a bare value is the value of the attribute that was asked for.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from harness.state import PersonaFact
from harness.understanding.checks.holding import statement
from harness.understanding.facts.asked import asked_in
from harness.understanding.facts.claims import (
    SPEAKER,
    Claim,
    Reading,
    clauses,
    clean_value,
    plain_text,
    read_claims,
    subject_of,
)
from harness.understanding.facts.keys import VAGUE
from harness.understanding.facts.kinds import covers, kinds_in
from harness.understanding.text import fold, has_han, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute

_PUT_TO_HEARER = Reading(swapped=True, asked=True)
_LONGEST = 1_000
_MARKS = " ,，.。!！~"


def read_answer(text: str, asked: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """What the first words of ``text`` state as an answer to the last question of ``asked``, about the one who answers.

    Gives nothing when ``asked`` ends in no question, or when the answer is a sentence of its own.
    """
    question = _last_question(asked[-_LONGEST:], pack)
    said = [clauses(sentence, pack) for sentence in sentences(plain_text(text[:_LONGEST], pack))[:2]]
    said = [parts for parts in said if parts]
    if not question or not said:
        return ()
    first, rules = said[0][0].strip(_MARKS), pack.answering
    put = None if pack.any_of(rules.wh).search(question) else _put(question, pack)
    echoed = _echoed(put, first, pack) if put is not None else []
    yes, no = pack.any_of(rules.yes).match(first), pack.any_of(rules.no).match(first)
    if echoed:
        return tuple(echoed)
    if no is not None:
        return (_turned(put, first),) if put is not None else ()
    if yes is None:
        return tuple(_bare(question, first, said[0][1:], pack, put))
    agreed = replace(put, quote=first) if put is not None else None
    further = [first[yes.end() :].strip(_MARKS), *said[0][1:], *(said[1] if len(said) > 1 else ())]
    further = [clause.strip(_MARKS) for clause in further if clause.strip(_MARKS)]
    more = _bare(question, further[0], tuple(further[1:]), pack, put) if further else []
    if agreed is None or any(claim.attribute == agreed.attribute for claim in more):
        return tuple(more)  # "Yes, two cats." says more than that there are pets
    return (agreed,)


def _last_question(asked: str, pack: LanguagePack) -> str:
    """The last sentence, when it asks (a remark of a few words may follow it)."""
    pieces = sentences(plain_text(asked, pack))
    ask = pack.any_of(pack.text.questions)
    for piece in pieces[:-3:-1]:
        if ask.search(piece):
            return piece
    return ""


def _put(question: str, pack: LanguagePack) -> Claim | None:
    """What a question puts to its hearer, as a claim of the hearer's."""
    if pack.any_of(pack.answering.choices).search(question):
        return None
    statement_order = pack.rewrite(question, pack.answering.inverted)
    put = read_claims(statement_order, pack, _PUT_TO_HEARER)
    return next((claim for claim in put if claim.subject == SPEAKER and claim.attribute), None)


def _echoed(put: Claim, answer: str, pack: LanguagePack) -> list[Claim]:
    """An answer that says "hate them" or 讨厌死了 of what was asked about."""
    filled = pack.rewrite(answer, pack.answering.objects)
    if filled == answer:
        return []
    read = read_claims(filled.replace("{value}", put.value), pack, Reading(dropped=True))
    return [replace(claim, quote=answer) for claim in read if claim.attribute == put.attribute]


def _turned(put: Claim, answer: str) -> Claim:
    """What a question puts to its hearer, denied."""
    degree = None if put.degree is None else -1 if put.degree > 0 else 1
    return replace(put, polarity=not put.polarity, quote=answer, degree=degree)


def _bare(question: str, answer: str, rest: tuple[str, ...], pack: LanguagePack, put: Claim | None) -> list[Claim]:
    """A value alone, for the attribute that was asked for. ``rest``: what follows it in its sentence. "What's my name?" asks for
    none of the one who answers.
    """
    rules = pack.answering
    if pack.any_of(rules.asker).search(question):
        return []
    if not _is_value(answer, pack) or (rest and subject_of(rest[0], pack) is not None):
        return []  # "John, I would go" and "recently, we went" begin with no value
    keys, opened = asked_in(question, pack), _open(question, pack)
    if not keys or keys[0] in VAGUE:
        keys = opened or keys
    covered = put is not None and covers(put.value, answer, pack)  # "an instrument", "the cello"
    if covered and put is not None:
        keys = (put.attribute,)
    if not keys:
        return []
    told = [claim for claim in read_claims(answer, pack, Reading(dropped=True)) if claim.attribute in keys]
    if told and not pack.any_of(rules.lacking).search(question):  # a sentence that only lacks its subject (去年结婚的)
        return [replace(claim, quote=answer) for claim in told]
    spec = pack.attribute(keys[0])
    key = spec.key if spec is not None else keys[0]
    if pack.any_of(rules.none).match(answer):
        if spec is None or not spec.generic:
            return []
        return [Claim(SPEAKER, key, spec.generic[0], polarity=False, quote=answer, single=spec.single)]
    for_a_value = pack.any_of(rules.wh).search(question) is not None
    if not (for_a_value or covered or (spec is not None and f"#{key}" in kinds_in(answer, pack))):
        return []
    value = clean_value(pack.any_of(rules.lead).sub("", answer, count=1), pack)
    if not value or fold(value) in map(fold, pack.text.empty_values):
        return []
    owned = _owned(question, pack)
    if owned is not None:
        owner, kind = owned
        named = pack.wording.kind_named.format(kind=kind, name=value)
        return [Claim(SPEAKER, owner.key, named, quote=answer, kind=kind, name=value, single=owner.single)]
    claims = _valued(spec, key, value, question, answer, pack)
    return [_lacked(claim, pack) for claim in claims] if pack.any_of(rules.lacking).search(question) else claims


def _lacked(claim: Claim, pack: LanguagePack) -> Claim:
    """What answers "What can't you eat?" is not eaten."""
    spec = pack.attribute(claim.attribute)
    return replace(claim, polarity=False, degree=None) if spec is not None and spec.taste else claim


def _valued(
    spec: Attribute | None, key: str, value: str, question: str, answer: str, pack: LanguagePack
) -> list[Claim]:
    """A value of a known attribute as its own sentence reads it, one of an open attribute as it stands."""
    if spec is None or not spec.statement:
        return [Claim(SPEAKER, key, value, quote=answer, single=True)]
    if key in pack.wording.kinds and f"#{key}" not in kinds_in(value, pack):
        return []
    for told in dict.fromkeys((value, value.lower())):
        sentence = statement(PersonaFact(attribute=key, value=told), pack=pack)
        claims = read_claims(sentence, pack)
        read = [claim for claim in claims if claim.attribute == key and claim.subject == SPEAKER]
        if read:
            return [replace(claim, quote=answer) for claim in read]
    # "Which instruments?" "The cello.": the question names the kind of thing that the answer is.
    alike = kinds_in(question, pack) & kinds_in(value, pack)
    return [Claim(SPEAKER, key, value, quote=answer, single=spec.single)] if alike else []


def _is_value(answer: str, pack: LanguagePack) -> bool:
    """Whether an answer can be a bare value: short, no sentence, no evasion."""
    rules = pack.answering
    size, most = (len(answer), rules.fragment_han) if has_han(answer) else (len(answer.split()), rules.fragment)
    if size > most or "?" in answer or subject_of(answer, pack) is not None:
        return False
    return not (pack.any_of(rules.deflections).search(answer) or pack.any_of(rules.verbs).search(answer))


def _open(question: str, pack: LanguagePack) -> tuple[str, ...]:
    """The attribute of a question in the asker's own words: "which camera do you use" asks for the camera."""
    for source in pack.answering.open:
        match = pack.pattern(source).search(question)
        if match is not None and match["a"].strip():
            words = fold(match["a"].strip())
            known = pack.attribute(words)
            return (known.key if known is not None and known.statement else words,)
    return ()


def _owned(question: str, pack: LanguagePack) -> tuple[Attribute, str] | None:
    """Attribute and kind of what a question asks the name of ("what is your cat called": pet, cat)."""
    for source in pack.answering.owned:
        match = pack.pattern(source).search(question)
        word = fold(match["a"]) if match is not None and match["a"] else ""
        for attribute in pack.attributes if word else ():
            if attribute.closed and word in map(fold, pack.wording.kinds.get(attribute.key, ())):
                return attribute, word
    return None

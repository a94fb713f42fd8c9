"""Reading claims: who says what about whom, from patterns of the language pack.

Every clause is brought to one shape before a pattern sees it: the subject is found and cut off, a third person's verb
is brought to the first person's form, what is said *to* somebody is turned into what that one would say himself, and
negation is taken out and kept as polarity. So one list of first-person patterns per attribute reads "I have no pets",
"my friend Jack hates dogs" and "you said you live in Oslo" alike.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.keys import AGE, NAME, PET, RELATIVES, THINGS
from harness.understanding.facts.predicates import (
    clean_value,
    degree_of,
    limited,
    plain_text,
    positive,
    restore,
    same_numbers,
    without_quotations,
)
from harness.understanding.facts.subjects import SPEAKER, Subject, Subjects
from harness.understanding.facts.supposing import without_suppositions
from harness.understanding.text import fold, has_han, sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute, ClaimPattern

_MAX_WORDS = 8
_MAX_HAN = 20
_MAX_VALUE = 80
_FRAGMENT_WORDS = 5
_REPORTED = 3
"""Characters that must follow "he says" for it to report what follows."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing that is claimed.

    Attributes:
        subject: :data:`SPEAKER`, a name, or empty when only ``relation`` tells who ("my sister").
        attribute: canonical key, free words for an open attribute, empty when only the wording is known.
        value: the value, or the whole predicate when ``attribute`` is empty. Negation is taken out of both.
        kind, name: the parts of a value that has both ("cat", "Miso").
        single: the attribute holds one value at a time.
        correction: the sentence shows that something said before is replaced.
        weak: the words may mean something else as well.
        only: the words say that nothing else holds ("only speaks English").
        slot: of a fact, its attribute in the persona's own words ("car", where the attribute is a possession).
        predicate: the clause without subject and negation.
        implied: not said, but follows (who has a husband is married): only held against claims of the same attribute.
        degree: how much, from 2 (love) to -2 (hate), where the attribute has such a scale.
    """

    subject: str
    attribute: str
    value: str
    polarity: bool = True
    quote: str = ""
    kind: str = ""
    name: str = ""
    relation: str = ""
    single: bool = False
    correction: bool = False
    weak: bool = False
    predicate: str = ""
    only: bool = False
    slot: str = ""
    implied: bool = False
    degree: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a text.

    Attributes:
        swapped: read what is said to somebody as if he said it himself.
        loose: also use patterns too broad for ordinary talk.
        asked: questions count as statements (they were found to take something for granted).
        backshift: take past forms back to the present, as in reported speech.
        wording: give claims without a known attribute too.
        third: whom "he" and "she" mean at the beginning.
        thing: what "it" means at the beginning, where somebody likes or hates it.
        names: of those who are known, so that a clause that begins with one is about that one.
        dropped: a clause without a subject at the beginning is the speaker's own ("No pets.", 会啊).
    """

    swapped: bool = False
    loose: bool = False
    asked: bool = False
    backshift: bool = False
    wording: bool = False
    third: str = ""
    thing: str = ""
    names: tuple[str, ...] = ()
    dropped: bool = False


PLAIN = Reading()


@remembered(2048)
def read_claims(text: str, pack: LanguagePack, reading: Reading = PLAIN) -> tuple[Claim, ...]:
    """All claims in a text, in order. Questions, hypotheticals, quotations and reports of others give none."""
    return tuple(_Reader(pack, reading).read(text))


class _Reader:
    """Reads one text; keeps who was spoken of last."""

    def __init__(self, pack: LanguagePack, reading: Reading) -> None:
        self.pack = pack
        self.rules = pack.text
        self.reading = reading
        self.subjects = Subjects(pack, reading.third, reading.names)
        self.thing = reading.thing
        self.adding = False

    def read(self, text: str) -> list[Claim]:
        found: list[Claim] = []
        for sentence in sentences(plain_text(text, self.pack)):
            found.extend(self._sentence(sentence))
        return found

    def _sentence(self, sentence: str) -> list[Claim]:
        pack, rules, reading = self.pack, self.rules, self.reading
        if reading.backshift:
            sentence = pack.rewrite(sentence, rules.backshift)
        if reading.swapped:
            sentence = pack.rewrite(sentence, rules.swap)
        stated = without_suppositions(sentence, pack)
        if not stated or (stated != sentence and pack.finds(rules.reports, sentence)):
            return []
        sentence = stated
        self.subjects.mention(sentence)
        if pack.finds(rules.reports, sentence) and not reading.asked:
            if before := self._before_report(sentence):
                return self._sentence(before)
            said = self.subjects.reported(sentence)
            claims = self._clauses(self._stated(said)) if said else []
            return [replace(claim, weak=True, quote=sentence) for claim in claims if claim.subject != SPEAKER]
        correction = pack.finds(rules.corrections, sentence)
        sentence = pack.rewrite(sentence, rules.mended)
        found = [replace(claim, correction=correction) for claim in self._anywhere(sentence)]
        for claim in self._clauses(self._stated(sentence)):
            if not any(_same_claim(claim, other) for other in found):
                found.append(replace(claim, correction=correction))
        return found

    def _before_report(self, sentence: str) -> str:
        """The clauses before one that reports ("I love hotpot, but Mum says …"): the speaker's own, in a script that does not put
        "he said" behind what was said.
        """
        if self.pack.script != "han":
            return ""
        report = self.pack.any_of(self.rules.reports).search(sentence)
        breaks = self.pack.any_of(self.rules.breaks)
        if report is None or len(sentence) - report.end() < _REPORTED:
            return ""
        cut = max((found.start() for found in breaks.finditer(sentence[: report.start()])), default=0)
        return sentence[:cut]

    def _stated(self, sentence: str) -> list[str]:
        """The clauses that state something: of a question, only what stands before the clause that asks."""
        pack, rules = self.pack, self.rules
        clauses = [piece.strip() for piece in pack.any_of(rules.breaks).split(sentence) if piece and piece.strip()]
        if self.reading.asked or not clauses:
            return clauses
        asks = pack.any_of(rules.interrogatives)
        if pack.any_of(rules.questions).search(sentence):
            clauses = clauses[:-1] if sentence.rstrip().endswith("?") else clauses
            if clauses and asks.match(clauses[0]):
                return []
        ask = pack.any_of(rules.questions)
        return [clause for clause in clauses if not ask.search(clause)]

    def _anywhere(self, sentence: str) -> list[Claim]:
        found = []
        for attribute, pattern, expression in _everywhere(self.pack):
            for match in expression.finditer(sentence):
                claim = self._build(attribute, pattern, match, pattern.polarity)
                if claim is not None:
                    found.append(replace(claim, quote=sentence))
        return found

    def _clauses(self, clauses: list[str]) -> list[Claim]:
        found: list[Claim] = []
        subject: Subject | None = (SPEAKER, "") if self.reading.dropped else None
        last: tuple[Claim, str] | None = None
        self.adding, told = False, 0
        for clause in clauses:
            # "Besides that, I teach" adds as well as "I also teach".
            self.adding = self._adds(clause) or (self.adding and len(found) == told)
            told = len(found)
            resolved = self.subjects.resolve(clause, subject)
            if resolved is None:
                items = self._fragment(clause, *last) if last is not None else []
                found.extend(items)
                if self.pack.script == "han" and not items and len(clause) > 1:
                    subject = None  # whoever that clause was about may be the subject of the next
                continue
            subject, predicate = resolved
            found.extend(introduced(subject, clause, self.pack))
            claims, before = self._predicate(predicate, clause)
            if self._of_named(claims, found, clause):
                continue
            if self._of_pet(claims, found, clause):
                subject = (found[-1].name, found[-1].kind)
            named = [replace(claim, subject=subject[0], relation=subject[1]) for claim in claims]
            found.extend(named)
            self.thing = next((c.value for c in named if c.attribute in THINGS), self.thing)
            given = self._christened(named, clause)
            found.extend(given)
            subject = self._goes_on(subject, [*named, *given])
            last = (named[0], before) if named and named[0].attribute and before else None
        return found

    def _of_named(self, claims: list[Claim], found: list[Claim], clause: str) -> bool:
        """Whether a name without a subject is that of the pet or relative just named (我的猫叫阿花,不叫阿黄)."""
        if not claims or not found or any(claim.attribute != NAME for claim in claims):
            return False
        named = bool(found[-1].name) and found[-1].attribute in (PET, *RELATIVES)
        return named and not self.subjects.is_speakers(clause)

    def _of_pet(self, claims: list[Claim], found: list[Claim], clause: str) -> bool:
        """Whether an age without a subject is that of the pet that was just named (我家猫叫咪咪,三岁)."""
        if not claims or not found or any(claim.attribute != AGE for claim in claims):
            return False
        return found[-1].attribute == PET and bool(found[-1].name) and not self.subjects.is_speakers(clause)

    def _christened(self, claims: list[Claim], clause: str) -> list[Claim]:
        """Read "my classmate is called Tom" as saying who Tom is; what follows about "him" is about Tom."""
        given = next((claim for claim in claims if claim.attribute == NAME and claim.relation and claim.polarity), None)
        if given is None:
            return []
        self.subjects.third = (given.value, given.relation)
        return introduced(self.subjects.third, clause, self.pack)

    def _goes_on(self, subject: Subject, claims: list[Claim]) -> Subject:
        """Whom a clause without a subject is about after these claims.

        Somebody who was just given a name; in Chinese also the relative that was just brought up by name
        (我有个姐姐叫妮娜,住在伯尔尼 says where Nina lives).
        """
        if self.subjects.third[1] and any(claim.attribute == NAME and claim.relation for claim in claims):
            return self.subjects.third
        last = claims[-1] if claims else None
        if self.pack.script != "han" or last is None or subject[0] != SPEAKER or not (last.kind and last.name):
            return subject
        if last.attribute not in RELATIVES or not last.polarity:
            return subject
        self.subjects.third = (last.name, last.kind)
        return self.subjects.third

    def _predicate(self, predicate: str, clause: str) -> tuple[list[Claim], str]:
        """Claims of one predicate, and the words that stand before the first value (for lists that go on)."""
        predicate = self._with_thing(predicate)
        plain, polarity, masks = positive(predicate, self.pack)
        plain, only = limited(plain, self.pack)
        if not plain:
            return [], ""
        for attribute, pattern, expression in _stating(self.pack):
            match = expression.match(plain)
            if match is None:
                continue
            claim = self._build(attribute, pattern, match, polarity == pattern.polarity)
            if claim is None:
                continue
            if claim.attribute == attribute.key and claim.single and self.adding:
                if attribute.extra:
                    claim = replace(claim, attribute=attribute.extra, single=False)
                elif attribute.doubles:
                    claim = replace(claim, single=False)
            claim = replace(
                claim,
                quote=clause,
                predicate=restore(plain, masks),
                value=restore(claim.value, masks),
                only=only,
                degree=degree_of(attribute.key, predicate, claim.polarity, self.pack),
            )
            claims, before = self._listed(attribute, claim, plain, match)
            return [*claims, *self._beside(plain, polarity, claim)], before
        if not self.reading.wording:
            return [], ""
        value = restore(plain, masks)
        return [Claim(SPEAKER, "", value, polarity, clause, predicate=value, only=only)], ""

    def _beside(self, plain: str, polarity: bool, told: Claim) -> list[Claim]:
        """What a predicate states beside its claim: who is "a nurse in Leeds" works there."""
        for attribute, pattern, expression in _besides(self.pack) if polarity and told.polarity else ():
            match = expression.match(plain) if attribute.key != told.attribute else None
            claim = self._build(attribute, pattern, match, pattern.polarity) if match is not None else None
            if claim is not None and fold(claim.value) not in fold(told.value):
                return [replace(claim, quote=told.quote, predicate=told.predicate)]
        return []

    def _with_thing(self, predicate: str) -> str:
        """A predicate with the thing that was named for the "it" somebody likes or hates."""
        rules, pack = self.pack.text, self.pack
        named = pack.any_of(rules.things).search(predicate)
        if named is not None:
            self.thing = next((self.clean(value) for value in named.groups() if value), self.thing)
        if not self.thing or not pack.any_of(rules.tastes_of_it).match(predicate):
            return predicate
        return pack.rewrite(predicate, rules.it).replace("{thing}", self.thing)

    def _adds(self, clause: str) -> bool:
        return self.pack.any_of(self.rules.additions).search(clause) is not None

    def _listed(self, attribute: Attribute, claim: Claim, plain: str, match: re.Match[str]) -> tuple[list[Claim], str]:
        """The claim, and one more for each further item of a list in its value or right behind it."""
        if attribute.single or claim.attribute != attribute.key:
            return [claim], ""
        if claim.kind or attribute.closed:
            group = "kind" if claim.kind else "v"
            before = plain[: match.start(group)] if claim.kind or "v" in match.groupdict() else ""
            rest = plain[match.end() :]
            more = self.pack.any_of(self.rules.joiners).match(rest)
            # Only a shorter predicate is read again: one that stays as long would be read without end.
            if more and before and more.end() < len(rest) and len(before) + len(rest) - more.end() < len(plain):
                further, _ = self._predicate(before + rest[more.end() :], claim.quote)
                same = [replace(c, polarity=claim.polarity) for c in further if c.attribute == claim.attribute]
                return [claim, *same], before
            return [claim], before
        items = [item for item in self.pack.any_of(self.rules.joiners).split(claim.value) if item]
        short = all(len(item.split()) <= 3 and len(item) <= 20 for item in items)
        before = plain[: match.start("v")] if match.groupdict().get("v") else ""
        if len(items) > 1 and short:
            cleaned = [self.clean(item) for item in items]
            return [replace(claim, value=item) for item in cleaned if item], before
        return [claim], before

    def _fragment(self, clause: str, last: Claim, before: str) -> list[Claim]:
        """Items of a list that went on behind a comma: ("I like tea,") "coffee and cake"."""
        if last.single or len(clause.split()) > _FRAGMENT_WORDS or len(clause) > 2 * _MAX_HAN:
            return []
        joiners = self.pack.any_of(self.rules.joiners)
        spec = self.pack.attribute(last.attribute)
        if not joiners.search(" " + clause) and not (spec and spec.closed):
            return []
        claims, _ = self._predicate(
            before + joiners.sub("", " " + clause, count=1) if joiners.match(" " + clause) else before + clause, clause
        )
        return [
            replace(claim, subject=last.subject, relation=last.relation, polarity=last.polarity and claim.polarity)
            for claim in claims
            if claim.attribute == last.attribute
        ]

    def _build(self, attribute: Attribute, pattern: ClaimPattern, match: re.Match[str], polarity: bool) -> Claim | None:
        groups = {key: (value or "").strip() for key, value in match.groupdict().items()}
        name, kind = self.clean(groups.get("name", "")), self.clean(groups.get("kind", ""))
        value = self.clean(groups.get("v", "")) or kind or name
        if pattern.value:
            value = pattern.value.format(**{**groups, "name": name, "kind": kind})
        elif name and kind:
            value = self.pack.wording.kind_named.format(kind=kind, name=name)
        key, single = attribute.key, attribute.single
        if pattern.attribute:
            key = fold(pattern.attribute.format(**groups)).strip(" '")
            known = self.pack.attribute(key)
            if known is not None:
                key, single = known.key, known.single
            elif pattern.loose and not self.reading.loose:
                return None
            else:
                single = True
        elif pattern.loose and not self.reading.loose:
            return None
        if not self._sound(value) or not self._holds(key, value):
            return None
        return Claim(SPEAKER, key, value, polarity, kind=kind, name=name, single=single, weak=pattern.weak)

    def clean(self, value: str) -> str:
        """A value without the words around it."""
        return clean_value(value, self.pack)

    def _holds(self, key: str, value: str) -> bool:
        """Whether a value has what values of its attribute have: a birthday is a date, and never "over"."""
        spec = self.pack.attribute(key)
        return spec is None or not spec.holds or bool(self.pack.pattern(spec.holds).search(value))

    def _sound(self, value: str) -> bool:
        folded = fold(value)
        if (
            not folded
            or "§" in folded
            or "£" in folded
            or folded in _empty_values(self.pack)
            or len(value) > _MAX_VALUE
        ):
            return False
        return len(value) <= _MAX_HAN if has_han(value) else len(value.split()) <= _MAX_WORDS


def introduced(subject: Subject, clause: str, pack: LanguagePack) -> list[Claim]:
    """Read "my sister Anna …" as saying that there is a sister, whatever else it says."""
    name, relation = subject
    if not name or name == SPEAKER or not relation:
        return []
    kinds = pack.wording.kinds
    for attribute in pack.attributes:
        members = sorted(kinds.get(attribute.key, ()), key=len, reverse=True)
        kind = next((member for member in members if fold(relation).endswith(fold(member))), "")
        if kind:
            value = pack.wording.kind_named.format(kind=kind, name=name)
            return [Claim(SPEAKER, attribute.key, value, quote=clause, kind=kind, name=name, single=attribute.single)]
    return []


def clauses(text: str, pack: LanguagePack) -> tuple[str, ...]:
    """The clauses of a text, in the form patterns see."""
    parts = pack.any_of(pack.text.breaks)
    return tuple(
        piece.strip()
        for sentence in sentences(plain_text(text, pack))
        for piece in parts.split(sentence)
        if piece and piece.strip()
    )


def subject_of(clause: str, pack: LanguagePack) -> Subject | None:
    """(:data:`SPEAKER` or a name, relation) of one clause; None when nobody is its subject that can be told."""
    resolved = Subjects(pack).resolve(clause, None)
    return None if resolved is None else resolved[0]


_Patterns = tuple[tuple["Attribute", "ClaimPattern", "re.Pattern[str]"], ...]


@lru_cache(maxsize=16)
def _everywhere(pack: LanguagePack) -> _Patterns:
    """All patterns over sentences, compiled."""
    return tuple((a, p, pack.pattern(p.match)) for a in pack.attributes for p in a.anywhere)


@lru_cache(maxsize=16)
def _stating(pack: LanguagePack) -> _Patterns:
    """All patterns over predicates, compiled."""
    return tuple((a, p, pack.pattern(p.match)) for a in pack.attributes for p in a.patterns)


@lru_cache(maxsize=16)
def _besides(pack: LanguagePack) -> _Patterns:
    """All patterns beside others, compiled."""
    return tuple((a, p, pack.pattern(p.match)) for a in pack.attributes for p in a.beside)


@lru_cache(maxsize=16)
def _empty_values(pack: LanguagePack) -> frozenset[str]:
    return frozenset(pack.text.empty_values)


def _same_claim(first: Claim, second: Claim) -> bool:
    if first.attribute != second.attribute or first.subject != second.subject or first.polarity != second.polarity:
        return False
    return fold(first.value) == fold(second.value) or bool(
        first.name and second.name and fold(first.name) == fold(second.name)
    )


__all__ = [
    "PLAIN",
    "SPEAKER",
    "Claim",
    "Reading",
    "clauses",
    "clean_value",
    "degree_of",
    "introduced",
    "limited",
    "plain_text",
    "positive",
    "read_claims",
    "restore",
    "same_numbers",
    "subject_of",
    "without_quotations",
]

"""What is known of the character, in the form checks need: facts with their propositions, and lines of free text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import of_these, remembered
from harness.state import CHARACTER, Fact, FactStatus
from harness.understanding.checks.holding import statement
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, plain_text, positive, read_claims
from harness.understanding.facts.keys import NAME
from harness.understanding.facts.kinds import kinds_in
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best, miscounted
from harness.understanding.facts.stands import CERTAIN, LIKELY, NEITHER, Relation, Stand
from harness.understanding.facts.translating import pack_of, translated
from harness.understanding.facts.values import values_match
from harness.understanding.facts.wordings import NAMES
from harness.understanding.one_script import in_one_script
from harness.understanding.text import contains_phrase, fold, sentences, stem, terms

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.language.sections_facts import Attribute
    from harness.state import DialogueState, Message, Persona

_MOST = 0.6
_SUPPORT_TERMS = 2
_FREE = 3.0
"""What running text has less of a claim to answer it than a stated fact, in shared words."""
_SHORTEST_QUOTE = 4


@dataclass(frozen=True, slots=True)
class Known:
    """A fact about the character and its propositions.

    Attributes:
        truth: the fact in the first person, without an end mark.
        aliases: other wordings of the value, from the persona file.
        free: read from running text (biography, habits): weaker, and no closed list.
    """

    fact: Fact
    claims: tuple[Claim, ...]
    truth: str
    aliases: tuple[str, ...] = ()
    free: bool = False


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything that is known of the character.

    Attributes:
        lines: sentences of the persona, of its facts, and of its earlier replies.
        plain: the same, in the form patterns see, case-folded.
        given: those of ``plain`` that the persona gives; an earlier reply does not outweigh them.
    """

    facts: tuple[Known, ...]
    lines: tuple[str, ...]
    plain: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def knowledge_of(state: DialogueState, persona: Persona, pack: LanguagePack) -> Knowledge:
    """The persona's facts, then the character's own statements that are in force."""
    return _knowledge(state.facts, state.messages, persona, pack)


@of_these(8)
def _knowledge(
    facts: tuple[Fact, ...], messages: tuple[Message, ...], persona: Persona, pack: LanguagePack
) -> Knowledge:
    fixed, own = persona_knowledge(persona, pack), _own_facts(facts, persona, pack)
    said = tuple(message.text for message in messages if message.speaker == "character")
    lines = (*(item.truth for item in own), *said)
    return Knowledge(
        (*fixed.facts, *own),
        (*fixed.lines, *lines),
        (*fixed.plain, *(_plain(line, pack) for line in lines)),
        fixed.plain,
    )


@of_these(8)
def _own_facts(facts: tuple[Fact, ...], persona: Persona, pack: LanguagePack) -> tuple[Known, ...]:
    """The character's statements in force, of all facts of a state."""
    active = (fact for fact in facts if fact.status is FactStatus.active and fact.speaker != "user")
    return tuple(_known(fact, pack, persona) for fact in active if fact.subject.casefold() == CHARACTER)


@of_these(16)
def persona_knowledge(persona: Persona, pack: LanguagePack) -> Knowledge:
    """What the persona alone decides."""
    return _of_persona(persona, pack)


@remembered(2048)
def _plain(line: str, pack: LanguagePack) -> str:
    return fold(plain_text(line, pack))


@lru_cache(maxsize=128)
def _of_persona(persona: Persona, pack: LanguagePack) -> Knowledge:
    facts = [_known(fact, pack, persona) for fact in persona.as_facts()]
    names = [known for known in facts if any(claim.attribute == NAME for claim in known.claims)]
    if not names:
        fact = Fact(
            id="p:name",
            subject=CHARACTER,
            attribute=NAME,
            value=persona.name,
            speaker="persona",
            single=True,
            language=persona.language,
        )
        facts.append(_known(fact, pack, persona))
    free: list[Known] = []
    lines = tuple(
        line for line in (persona.role, persona.biography, *persona.habits, *persona.knowledge_limits) if line
    )
    for line in lines:
        free.extend(_free(line, persona, pack))
    lines = (*lines, *(known.truth for known in facts))
    plain = tuple(_plain(line, pack) for line in lines)
    return Knowledge((*facts, *free), lines, plain, plain)


def _known(fact: Fact, pack: LanguagePack, persona: Persona) -> Known:
    aliases = next(
        (f.aliases for f in persona.facts if f.attribute == fact.attribute and f.value == fact.value),
        persona.aliases if fact.id == "p:name" else (),
    )
    own = fact.quote if fact.speaker == "persona" else ""
    claims = propositions(fact.attribute, fact.value, fact.polarity, own, pack)
    language = pack_of(fact.language or persona.language, pack)
    if language is not pack:
        read = propositions(fact.attribute, fact.value, fact.polarity, own, language)
        claims = (*claims, *dict.fromkeys(translated(read, language, pack)))
    also = tuple(replace(claims[0], value=alias, predicate=alias) for alias in aliases)
    return Known(fact, (*claims, *also), statement(fact, pack=pack, persona=persona), aliases)


def _free(line: str, persona: Persona, pack: LanguagePack) -> list[Known]:
    """Facts that a line of running text states, whether it says "I", "you", "she" or the name."""
    first_name = fold(persona.name.split()[0])
    about = {fold(SPEAKER), fold(persona.name), first_name}
    claims = [c for c in read_claims(line, pack, Reading(third=persona.name)) if fold(c.subject) in about]
    claims += [c for c in read_claims(line, pack, Reading(swapped=True)) if c.subject == SPEAKER]
    found = []
    for claim in dict.fromkeys(replace(c, subject=SPEAKER, relation="") for c in claims):
        fact = Fact(
            id="p:biography",
            subject=CHARACTER,
            attribute=claim.attribute,
            value=claim.value,
            polarity=claim.polarity,
            speaker="persona",
            single=claim.single,
            language=persona.language,
        )
        found.append(Known(fact, (claim,), statement(fact, pack=pack), free=True))
    return found


def judge(claim: Claim, known: Knowledge, pack: LanguagePack) -> tuple[Known | None, Relation]:
    """The fact that decides a claim, and how.

    Agreement with any fact wins over a conflict that is not surer, except where the claim says that nothing else holds.
    Of equally sure conflicts, the one with the fact that shares most words with the claim.
    """
    decided: Known | None = None
    found, support = NEITHER, -_FREE - 1
    for item in known.facts:
        if item.fact.speaker != "persona" and decided is not None and _settled(decided, found):
            break  # the character's own statements come after the persona's, and do not outweigh them
        relation = best(claim, item.claims, pack)
        if relation.stand is Stand.neither:
            continue
        if item.free and relation.stand is Stand.conflict:
            relation = Relation(Stand.conflict, min(relation.strength, LIKELY))
        if claim.only and relation.stand is Stand.same and _more(claim, known, pack):
            continue
        share = _support(claim, item, pack)
        agrees = relation.stand is Stand.same
        share -= _FREE * item.free
        if (relation.strength, agrees, share) > (found.strength, found.stand is Stand.same, support):
            decided, found, support = item, relation, share
        if found.stand is Stand.same and found.strength >= 1:
            break
    fixed = decided is not None and decided.fact.speaker == "persona"
    if found.stand is Stand.conflict and _word_for_word(claim, known.given if fixed else known.plain):
        return None, Relation(Stand.same, CERTAIN)
    if decided is not None and found.stand is Stand.same and _too_many(claim, decided, known, pack):
        return decided, Relation(Stand.conflict, LIKELY)
    if claim.only and found.stand is not Stand.conflict and (more := _more(claim, known, pack)) is not None:
        return more, Relation(Stand.conflict, LIKELY)
    return decided, found


def _settled(decided: Known, found: Relation) -> bool:
    """Whether the persona itself decides."""
    return decided.fact.speaker == "persona" and not decided.free and found.strength >= LIKELY


def _support(claim: Claim, item: Known, pack: LanguagePack) -> float:
    """How well a fact answers a claim: by its attribute, by the kinds of things both name, by the words they share."""
    held = terms(f"{item.fact.attribute} {item.fact.value} {item.truth}", pack)
    spec = pack.attribute(item.fact.attribute)
    own = claim.attribute != "" and claim.attribute == (spec.key if spec else fold(item.fact.attribute))
    same = any(claim.attribute and claim.attribute == other.attribute for other in item.claims)
    kinds = kinds_in(claim.value, pack) & kinds_in(item.fact.value, pack)
    named = claim.name != "" and any(other.name for other in item.claims)
    return own + same + named + len(kinds) + len(terms(f"{claim.predicate} {claim.value}", pack) & held)


def _too_many(claim: Claim, decided: Known, known: Knowledge, pack: LanguagePack) -> bool:
    alike = [item for item in known.facts if any(c.attribute == claim.attribute for c in item.claims)]
    return alike == [decided] and any(miscounted(claim, other, pack) for other in decided.claims)


def _more(claim: Claim, known: Knowledge, pack: LanguagePack) -> Known | None:
    """A further value of the attribute of which a claim says that it has only one."""
    said = terms(claim.value, pack)
    kind = {term for term in said if not term.isdigit()}
    counted = not claim.name and kind and len(kind) < len(said)  # "only one cat" is the cat that is known
    agreed = False
    for item in known.facts:
        same = [o for o in item.claims if claim.attribute and o.attribute == claim.attribute and o.polarity]
        if not claim.polarity or all(values_match(claim, other, pack) is not False for other in same):
            continue
        if not counted or agreed or not any(kind <= terms(other.value, pack) for other in same):
            return item
        agreed = True
    return None


def _word_for_word(claim: Claim, lines: tuple[str, ...]) -> bool:
    quote = fold(claim.quote).strip(" .,!?。")
    return len(quote) >= _SHORTEST_QUOTE and any(contains_phrase(line, quote) for line in lines)


def supported(claim: Claim, known: Knowledge, pack: LanguagePack, *, besides: str = "") -> bool:
    """Whether a line of the persona or an earlier reply, but not ``besides``, says nearly the same as a claim."""
    wanted = terms(claim.value, pack) | (
        terms(claim.attribute, pack) if pack.attribute(claim.attribute) is None else frozenset()
    )
    if not wanted:
        return False
    spec = pack.attribute(claim.attribute)
    own = pack.pattern(pack.wording.mine) if spec is not None and spec.closed and pack.wording.mine else None
    exact = {term for term in wanted if term.isdigit()} | {stem(fold(name)) for name in NAMES.findall(claim.value)}
    for line in known.lines:
        if line == besides or not wanted & terms(line, pack):
            continue
        for sentence in sentences(line):
            shared = len(wanted & terms(sentence, pack))
            enough = shared / len(wanted) >= _MOST and shared >= min(_SUPPORT_TERMS, len(wanted))
            if own is not None and not (own.search(_plain(sentence, pack)) or _speaks_of(spec, sentence, pack)):
                continue  # "a foreman's son" has none of his own
            if enough and exact <= terms(sentence, pack) and sentence_polarity(sentence, pack) == claim.polarity:
                return True
    return False


def _speaks_of(spec: Attribute | None, sentence: str, pack: LanguagePack) -> bool:
    """Whether a sentence says something of its speaker by an attribute."""
    read = read_claims(sentence, pack, Reading(loose=True))
    return spec is not None and any(claim.attribute == spec.key and claim.subject == SPEAKER for claim in read)


@in_one_script
@remembered(2048)
def sentence_polarity(sentence: str, pack: LanguagePack) -> bool:
    """Whether a sentence affirms; by its first-person clauses where it has any."""
    claims = [c for c in read_claims(sentence, pack, Reading(wording=True, asked=True)) if c.subject == SPEAKER]
    if claims:
        return all(claim.polarity for claim in claims)
    return positive(plain_text(sentence, pack), pack)[1]

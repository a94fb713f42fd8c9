"""What a claim changes among the facts that are known: it adds, refines, corrects, or takes back."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from harness.state import USER
from harness.state.operations import AssertFact, Operation, RetractFact, ReviseFact
from harness.understanding.facts.claims import SPEAKER, Claim, clean_value, plain_text
from harness.understanding.facts.joking import last_sentence
from harness.understanding.facts.keys import AGE, NAME, PET, RELATIVES
from harness.understanding.facts.kinds import kinds_in, members_in
from harness.understanding.facts.places import Containment, compare_places
from harness.understanding.facts.propositions import propositions
from harness.understanding.facts.relations import best
from harness.understanding.facts.stands import STRONG, Stand
from harness.understanding.facts.wants import want_attributes
from harness.understanding.facts.wordings import NAMES
from harness.understanding.moments import single_moment
from harness.understanding.text import contains_phrase, fold, has_han, numbers, sentences, terms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from harness.language import LanguagePack
    from harness.state import DialogueState, Fact

QUOTE_LENGTH = 300
"""Most characters of a quote or reason that are kept."""
_RECENT_TURNS = 3
_MISHEARD = 0.6
"""Likeness from which a name may be another one misheard ("Anna", "Hanna")."""
_HEARD = 300
"""Characters of the message before in which a misheard name is looked for."""


@dataclass(frozen=True, slots=True)
class Said:
    """Who speaks, when, and in what language: what every operation of one message shares."""

    speaker: str
    turn: int
    at: datetime | None
    pack: LanguagePack
    alone: str = ""
    """The whole message when it makes one claim only: then its time is the claim's, wherever it stands."""


def changes(claim: Claim, subject: str, state: DialogueState, said: Said) -> Iterator[Operation]:
    """What a claim about a subject changes: a new fact, a better or a corrected one, or the end of one it denies."""
    pack = said.pack
    if claim.attribute in want_attributes(pack):
        yield _assertion(claim, subject, said)
        return
    about = [fact for fact in state.active_facts(subject) if _same_slot(fact, claim, pack)]
    if claim.weak and claim.single and not claim.correction and about:
        return  # words that may mean something else displace nothing
    related = [(fact, best(claim, _claims(fact, pack), pack)) for fact in about]
    standing = [(fact, relation.stand) for fact, relation in related]
    if any(stand is Stand.same and _says_no_more(claim, fact, pack) for fact, stand in standing):
        return
    counted = [fact for fact in about if _counts_differ(claim, fact, pack)]
    if not claim.polarity and any(_goes_without_saying(claim, fact, stand, pack) for fact, stand in standing):
        return
    refined = counted + [fact for fact, stand in standing if stand is Stand.same and not _is_one_of(claim, fact, pack)]
    opposed = [fact for fact, stand in standing if stand is Stand.conflict and fact.polarity != claim.polarity]
    replaced = [
        fact
        for fact, stand in standing
        if fact.polarity == claim.polarity
        and (_replaces(claim, fact, pack) or (claim.correction and stand is Stand.conflict))
    ]
    if not claim.single:  # "I eat steak" leaves no vegetarian, though both stand in one list
        replaced += [
            fact
            for fact, relation in related
            if relation.stand is Stand.conflict
            and relation.strength >= STRONG
            and fact.polarity == claim.polarity
            and fact not in replaced
        ]
    target = next(iter((*refined, *opposed, *replaced)), None)
    if target is None or (claim.single and not claim.correction and not refined):
        yield _assertion(claim, subject, said)
    else:
        revision = _revision(target, claim.value, claim.polarity, claim.quote, said)
        yield revision.model_copy(update={"degree": claim.degree, **_moment(claim, said)})
    for fact in opposed:
        # What is replaced or has the same value goes by itself.
        gone = fact is target and not (claim.single and not claim.correction and not refined)
        if not gone and fold(fact.value) != fold(claim.value):
            yield RetractFact(fact_id=fact.id, turn=said.turn, reason=claim.quote[:QUOTE_LENGTH])


def _assertion(claim: Claim, subject: str, said: Said) -> AssertFact:
    return AssertFact(
        subject=subject,
        attribute=claim.attribute,
        value=claim.value,
        polarity=claim.polarity,
        speaker=said.speaker,
        turn=said.turn,
        quote=claim.quote[:QUOTE_LENGTH],
        single=claim.single,
        language=said.pack.code,
        at=said.at,
        degree=claim.degree,
        **_moment(claim, said),
    )


def _moment(claim: Claim, said: Said) -> dict[str, Any]:
    """The time a claim speaks of, as it was said and as a moment."""
    if said.at is None or claim.degree is not None:  # a taste has no date, and its object may be one ("I hate Mondays")
        return {}
    for words in (claim.quote, said.alone):
        moment = single_moment(words, pack=said.pack, now=said.at) if words else None
        if moment is not None and not (claim.attribute == AGE and moment.at == said.at):
            return {"when": moment.words, "when_at": moment.at}
    return {}


def _counts_differ(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether both count the same kind of thing and not alike ("two cats", "three cats"): the later count holds."""
    if not (claim.polarity and fact.polarity) or claim.name or claim.single:
        return False
    new, old = numbers(claim.value, pack), numbers(fact.value, pack)
    kind = claim.attribute if claim.attribute in pack.wording.kinds else ""
    if not kind or len(new) != 1 or len(old) != 1 or new == old:
        return False
    return bool(members_in(claim.value, kind, pack) & members_in(fact.value, kind, pack))


def _revision(fact: Fact, value: str, polarity: bool, quote: str, said: Said) -> ReviseFact:
    return ReviseFact(
        fact_id=fact.id,
        value=value,
        polarity=polarity,
        speaker=said.speaker,
        turn=said.turn,
        quote=quote[:QUOTE_LENGTH],
        at=said.at,
    )


def _claims(fact: Fact, pack: LanguagePack) -> tuple[Claim, ...]:
    return propositions(fact.attribute, fact.value, fact.polarity, "", pack)


def _same_slot(fact: Fact, claim: Claim, pack: LanguagePack) -> bool:
    spec = pack.attribute(fact.attribute)
    return (spec.key if spec else fold(fact.attribute)) == claim.attribute


def _says_no_more(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a known fact of the same meaning already holds everything a new claim says."""
    if (
        fact.polarity != claim.polarity
        or _narrows(claim.value, fact.value, pack)
        or (claim.degree is not None and fact.degree not in (None, claim.degree))
    ):
        return False
    if contains_phrase(fact.value, claim.value):
        return True
    spec = pack.attribute(fact.attribute)
    if spec is not None and spec.compare == "place":
        wider = compare_places(claim.value, fact.value, pack) in {Containment.contains, Containment.overlaps}
        if wider and not claim.correction:
            return True
    new = terms(claim.value, pack) - terms(fact.value, pack)
    if claim.name:
        return contains_phrase(fact.value, claim.name)
    return not new or (claim.single and contains_phrase(claim.value, fact.value) is False and not claim.correction)


def _goes_without_saying(claim: Claim, fact: Fact, stand: Stand, pack: LanguagePack) -> bool:
    """Whether a denial only says what follows from what is so ("I don't eat meat or fish", of a vegetarian)."""
    spec = pack.attribute(claim.attribute)
    return fact.polarity and stand is Stand.same and spec is not None and spec.taste and not spec.degrees


def _narrows(new: str, old: str, pack: LanguagePack) -> bool:
    """Whether a place lies in the one that was known ("Oslo" after "Norway")."""
    return compare_places(new, old, pack) is Containment.inside


def _is_one_of(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a claim names one of several that a fact counts: "my sister Anna" does not make two sisters one."""
    return bool(claim.name) and any(number > 1 for number in numbers(fact.value, pack))


def _replaces(claim: Claim, fact: Fact, pack: LanguagePack) -> bool:
    """Whether a correction means this fact: the only value there can be, or the same kind under another name."""
    if not claim.correction:
        return False
    if claim.single:
        return True
    if pack.any_of(pack.text.changes).search(claim.quote) and kinds_in(claim.value, pack) & kinds_in(fact.value, pack):
        return True
    return any(c.kind and claim.kind and claim.name and fold(c.kind) == fold(claim.kind) for c in _claims(fact, pack))


def put_right(text: str, state: DialogueState, said: Said) -> Iterator[Operation]:
    """Apply a correction that names both values ("Bradford, not Leeds") to the speaker's newest fact with the wrong one.

    What is the speaker's own goes before what he said of others.
    """
    pack = said.pack
    for sentence in sentences(plain_text(text, pack)):
        for match in pack.matches(pack.text.put_right, sentence):
            wrong, right = clean_value(match["w"], pack), clean_value(match["v"], pack)
            facts = [f for f in state.active_facts() if f.speaker == said.speaker and contains_phrase(f.value, wrong)]
            if not wrong or not right or fold(wrong) == fold(right) or not facts:
                continue
            fact = max(facts, key=lambda f: (f.subject == said.speaker, f.turn))
            at = fold(fact.value).find(fold(wrong))
            whole = at >= 0 and len(fold(fact.value)) == len(fact.value)
            value = fact.value[:at] + right + fact.value[at + len(wrong) :] if whole else right
            if fact.polarity:
                yield _revision(fact, value, fact.polarity, sentence, said)
                break


def restated(text: str, state: DialogueState, said: Said, asked: str = "") -> Iterator[Operation]:
    """Apply "no, I said Tuesday" to the newest fact of the speaker whose value holds a thing of the same kind.

    ``asked``: the message it answers; a name nearly like one in it puts the speaker's name right ("Hi Anna!" "No, it's Hanna").
    """
    pack = said.pack
    for sentence in sentences(plain_text(text, pack)):
        righted = next(pack.matches(pack.text.put_right, sentence), None)
        if righted is not None:  # it names what is wrong, and so no other fact: a name only that was said wrongly
            wrong, value = clean_value(righted["w"], pack), clean_value(righted["v"], pack)
            by = [name for name in _addressed(asked, pack) if fold(name) == fold(wrong)]
            if by and (named := _renamed(value, sentence, state, said, asked, answers=True)) is not None:
                yield named
                return
            continue
        match = next(pack.matches(pack.text.restated, sentence), None)
        if match is None:
            continue
        value = clean_value(match["v"], pack)
        bare = "bare" in match.groupdict() and match["bare"] is not None
        since = said.turn - (1 if bare else _RECENT_TURNS)
        recent = [f for f in state.active_facts() if f.speaker == said.speaker and f.turn >= since]
        last = next(reversed(sentences(plain_text(asked[-_HEARD:], pack))), "") if bare else ""
        answers = bool(last) and pack.any_of(pack.text.questions).search(last) is not None
        if answers:  # "No, 7 pm." may answer what was asked: it corrects only what the question holds
            recent = [f for f in recent if contains_phrase(asked, f.value)]
        for fact in reversed(recent):
            if last and _of_something_else(value, fact, last, pack):
                continue
            put = _put_right(fact.value, value, pack)
            if put and fold(put) != fold(fact.value):
                revision = _revision(fact, put, fact.polarity, sentence, said)
                again = Claim(SPEAKER, fact.attribute, put, quote=sentence, degree=fact.degree)
                yield revision.model_copy(update={"degree": fact.degree, **_moment(again, said)})
                return
        if (
            match.groupdict().get("called")
            and (named := _called(value, sentence, recent, said, match["called"])) is not None
        ):
            yield named
            return
        if (named := _renamed(value, sentence, state, said, asked, answers=answers)) is not None:
            yield named
            return


def _renamed(
    value: str, quote: str, state: DialogueState, said: Said, asked: str, *, answers: bool = False
) -> Operation | None:
    """The user's name put right, where he was addressed by one nearly like it, or gave it just before.

    ``answers``: the words answer a question or name what is wrong: only a name he was addressed by counts.
    """
    if said.speaker != USER or not _is_name(value, said.pack):
        return None
    known = [fact for fact in state.active_facts(USER) if fact.attribute == NAME]
    misheard = any(fold(one) != fold(value) and _alike(value, one) for one in _addressed(asked, said.pack))
    if not misheard:
        known = [fact for fact in known if fact.turn >= said.turn - 1]
        size, asked = len(value), asked[:_HEARD]
        for fact in known:
            asked = asked.replace(fact.value, " ")
        windows = (asked[at : at + size] for at in range(len(asked) - size + 1))
        heard = windows if has_han(value) else NAMES.findall(asked)
        if answers or any(_alike(value, one) for one in heard):  # "Anna won the race." "No, Anne.": of somebody else
            return None
    for fact in known:
        if fold(fact.value) != fold(value) and _alike(value, fact.value):
            return _revision(fact, value, fact.polarity, quote, said)
    if known or not misheard:
        return None
    return _assertion(Claim(SPEAKER, NAME, value, quote=quote, single=True), USER, said)


def _addressed(asked: str, pack: LanguagePack) -> list[str]:
    """The names that a message calls its hearer by ("Hello Ann!", 你是小兰吗)."""
    text = plain_text(asked[:_HEARD], pack)
    return [match["name"] for source in pack.text.addressed_by for match in pack.pattern(source).finditer(text)]


def _of_something_else(value: str, fact: Fact, asked: str, pack: LanguagePack) -> bool:
    """Whether a bare correction is of what the message before said of the same kind ("You should see Milan." "No, Venice.")."""
    if contains_phrase(asked, fact.value):
        return False
    return bool(kinds_in(asked, pack) & kinds_in(value, pack)) or bool(numbers(asked, pack) and numbers(value, pack))


def _called(value: str, quote: str, recent: list[Fact], said: Said, cue: str) -> Operation | None:
    """The name of the last relative or pet that was told by name, put right (a dog called 斗斗, "打错了，叫豆豆").

    Where neither a capital letter nor the ``cue`` shows that a name is meant, it must be like the one before.
    """
    certain = not has_han(value) or said.pack.pattern(said.pack.wording.naming).search(f"{cue}{value}") is not None
    for fact in reversed(recent):
        if fact.attribute not in (*RELATIVES, PET) or fact.turn < said.turn - 1:
            continue
        name = next((claim.name for claim in _claims(fact, said.pack) if claim.name), "")
        if name and fold(name) != fold(value) and (certain or _alike(value, name)) and not kinds_in(value, said.pack):
            return _revision(fact, fact.value.replace(name, value), fact.polarity, quote, said)
    return None


def _is_name(value: str, pack: LanguagePack) -> bool:
    """Whether a bare value has the form of a name and is no word of a known kind (a weekday, a city)."""
    return pack.pattern("{name}").fullmatch(value) is not None and not kinds_in(value, pack)


def _alike(first: str, second: str) -> bool:
    """Whether one name can be misheard or mistyped for the other."""
    if has_han(first):
        return len(first) == len(second) and bool(set(first) & set(second))
    return SequenceMatcher(None, fold(first), fold(second)).ratio() >= _MISHEARD


def _put_right(old: str, new: str, pack: LanguagePack) -> str:
    """The old value with the thing of the same kind replaced; empty when the two have nothing of one kind."""
    shared = kinds_in(old, pack) & kinds_in(new, pack)
    for kind in sorted(shared):
        members = sorted(pack.wording.kinds[kind[1:]], key=len, reverse=True)
        was = next((member for member in members if contains_phrase(old, member)), "")
        now = next((member for member in members if contains_phrase(new, member)), "")
        if was and now and was != now:
            at = old.casefold().find(was.casefold())
            return old[:at] + now + old[at + len(was) :] if at >= 0 else now
    if "allergen" in pack.wording.macros and all(pack.pattern("{allergen}").fullmatch(value) for value in (old, new)):
        return new
    if numbers(old, pack) and numbers(new, pack):
        number = pack.pattern("{number}") if "number" in pack.wording.macros else None
        if number is not None and number.fullmatch(new) and not number.fullmatch(old):  # "two cats", "oops, three"
            return number.sub(new, old, count=1)
        return new if len(numbers(old, pack)) == len(numbers(new, pack)) else ""
    return ""


def retracted(text: str, state: DialogueState, said: Said) -> Iterator[Operation]:
    """Take back what a message asks to forget ("forget what I said about my job")."""
    pack = said.pack
    for sentence in sentences(plain_text(text, pack)):
        match = next(pack.matches(pack.text.retractions, sentence), None)
        if match is None:
            continue
        wanted = terms(match["v"], pack)
        named = pack.attribute(clean_value(match["v"], pack))
        for fact in state.active_facts(said.speaker):
            about = terms(f"{fact.attribute} {fact.value}", pack)
            if (named is not None and named.key == fact.attribute) or (wanted and wanted & about):
                yield RetractFact(fact_id=fact.id, turn=said.turn, reason=sentence[:QUOTE_LENGTH])


def taken_back(reason: str, state: DialogueState, said: Said) -> Iterator[RetractFact]:
    """A message that begins with the words of a joke takes back the last thing its speaker stated in the turn before."""
    before = [
        message.text for message in state.messages if (message.speaker, message.turn) == (said.speaker, said.turn - 1)
    ]
    facts = [f for f in state.active_facts() if (f.speaker, f.turn) == (said.speaker, said.turn - 1) and not f.pinned]
    meant = last_sentence(before[-1], said.pack) if before else plain_text(facts[-1].quote, said.pack) if facts else ""
    for fact in facts:
        quote = plain_text(fact.quote, said.pack)
        if not quote or quote in meant or meant in quote:
            yield RetractFact(fact_id=fact.id, turn=said.turn, reason=reason[:QUOTE_LENGTH])

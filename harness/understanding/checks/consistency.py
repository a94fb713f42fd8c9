"""The checks before and after a reply, by rules: no call, about a millisecond each.

Before: :func:`check_premise`. After: :func:`check_reply`. An ordinary reply is held only to sure contradictions, since a
false alarm costs a model call; under a notice everything that gives in counts, since there the risk is known.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.state import USER, Finding
from harness.understanding.checks.agreement import aspect_agreements
from harness.understanding.checks.answering import against_persona
from harness.understanding.checks.called import other_name
from harness.understanding.checks.candour import given_away, is_admission
from harness.understanding.checks.drift import drifted
from harness.understanding.checks.echoing import echoed
from harness.understanding.checks.findings import SEVERITY, as_said, as_written, finding
from harness.understanding.checks.history import check_history
from harness.understanding.checks.kinfolk import relatives_denied
from harness.understanding.checks.noticed import conceded, holds, under_notice
from harness.understanding.checks.premise import check_premise
from harness.understanding.checks.promised import check_promised
from harness.understanding.checks.questions import read_question
from harness.understanding.checks.third_person import told_of_itself
from harness.understanding.checks.tone import check_tone
from harness.understanding.facts.asked import asked_attributes
from harness.understanding.facts.claims import (
    SPEAKER,
    Claim,
    Reading,
    read_claims,
)
from harness.understanding.facts.keys import NAME
from harness.understanding.facts.kinds import same_words
from harness.understanding.facts.knowledge import Knowledge, Known, judge, knowledge_of
from harness.understanding.facts.stands import CERTAIN, LIKELY, STRONG, Relation, Stand
from harness.understanding.one_script import in_one_script
from harness.understanding.text import (
    fold,
    has_han,
    likeness,
    normalize,
    sentences,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from harness.language import LanguagePack
    from harness.state import DialogueState, Notice, Persona

__all__ = ["SEVERITY", "check_premise", "check_reply", "holds"]


LONGEST = 16_000
"""Characters of a reply that are read: some checks compare all of its words with each other."""
_REPEATED = 0.85
_REPEATED_LENGTH = 12
_RECENT = 8
_LONG = 60
_LONG_HAN = 24
"""A reply as long as this may not come again at all; a shorter one not within the next eight."""
_LEAK_LENGTH = 60
_MENTIONED = re.compile(r"\w\W*[\"'“‘「『]\Z")
"""What stands before words that are quoted within a reply; one that is in quotation marks itself quotes nothing."""
_QUERIED = re.compile(r"\W{0,2}[?？]")
_LEAK_HAN_LENGTH = 24
_SHORT_NAME = 2
_QUOTED = re.compile(r'"[^"\n]{1,200}"|\u201c[^\u201d\n]{1,200}\u201d|\u300c[^\u300d\n]{1,200}\u300d')


@in_one_script
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
        reply: the candidate; what stands behind :data:`LONGEST` characters is not read.
        user_text: the message it answers.
        state: before this turn's bookkeeping.
        persona: who replies.
        pack: of the language the reply should be in.
        notices: what :func:`check_premise` found in ``user_text``.
        previous_replies: earlier replies of the character, for repetitions.
        system_text: the prompt; a long stretch of it in the reply is a leak.
        classify: let the small classifiers of the pack help.
    """
    plain = normalize(reply[:LONGEST])
    if not re.search(r"\w", plain):
        return (Finding(kind="empty", severity=SEVERITY["empty"], evidence=reply[:80]),)
    known = knowledge_of(state, persona, pack)
    again = asks_again(user_text, pack) or any(notice.kind == "asked" for notice in notices)
    found = [
        *_broken(plain, user_text, notices, persona, pack, system_text),
        *form_findings(plain, user_text, persona, pack),
        *(() if again else _repetition(plain, previous_replies)),
        *check_tone(plain, user_text=user_text, state=state, persona=persona, pack=pack),
    ]
    if fold(persona.name) not in {fold(f.value) for f in state.active_facts(USER) if f.attribute == "name"}:
        found.extend(() if NAME in asked_attributes(user_text, pack) else _self_addressed(plain, persona, pack))
    if words := other_name(plain, user_text=normalize(user_text), state=state, persona=persona, pack=pack):
        found.append(
            Finding(kind="contradiction", severity=SEVERITY["contradiction"], evidence=words, fact_id="p:name")
        )
    conflicts = [notice for notice in notices if notice.kind == "contradiction"]
    noticed = {notice.fact_id for notice in conflicts}
    judged, against = _against_facts(plain, user_text, state, persona, known, pack, noticed, classify=classify)
    found.extend(against)
    if (other := pack.written(plain)) is not pack:
        # An answer in another language than the talk's is held to the facts all the same.
        there = knowledge_of(state, persona, other)
        found.extend(_against_facts(plain, user_text, state, persona, there, other, noticed, named=False)[1])
    settled = _borne_out(judged)
    found.extend(check_promised(reply, user_text=user_text, state=state, pack=pack))
    found.extend(check_history(reply, user_text=user_text, state=state, pack=pack, settled=settled))
    challenges = [notice for notice in notices if notice.kind == "challenge"]
    for notice in conflicts:
        found.extend(under_notice(plain, notice, known, pack))
    if challenges and not conflicts:
        found.extend(conceded(plain, pack, ""))
    return tuple(_distinct(found))


def _against_facts(
    plain: str,
    user_text: str,
    state: DialogueState,
    persona: Persona,
    known: Knowledge,
    pack: LanguagePack,
    noticed: set[str],
    *,
    classify: bool = False,
    named: bool = True,
) -> tuple[list[tuple[Claim, Known | None, Relation]], list[Finding]]:
    """What a reply says of its speaker with the fact each claim is about, and the findings about what runs against one."""
    own = pack.rewrite(plain, pack.reply.asides)  # without what it says of others in words that look like its speaker's
    said = _own_claims(own, _own_names(state, persona), pack)
    if not named:  # a name may be written in either language
        said = tuple(replace(one, name="", value=one.kind, predicate=one.kind) if one.kind else one for one in said)
    judged = [(claim, *judge(claim, known, pack)) for claim in said]
    found = [
        *_contradictions(plain, judged, pack, noticed),
        *(
            finding("contradiction", as_said(plain, words, pack), fact=item.fact)
            for words, item in against_persona(own, user_text, known, pack)
            if item.fact.id not in noticed
        ),
        *(
            finding("contradiction", as_said(plain, words, pack), fact=fact)
            for words, fact in relatives_denied(plain, persona, pack)
        ),
        *_disagreements(own, user_text, known, pack, classify=classify),
    ]
    return judged, found


def _broken(
    reply: str,
    user_text: str,
    notices: Sequence[Notice],
    persona: Persona,
    pack: LanguagePack,
    system_text: str,
) -> Iterator[Finding]:
    """Breaks of character, read in the language the reply is written in, be it that of the talk or not."""
    own = pack.written(reply)
    found = [*character_findings(reply, persona, pack, system_text)]
    if own is not pack:
        found.extend(character_findings(reply, persona, own))
    if persona.bot_question != "admit" and not any(one.kind == "character_break" for one in found):
        words = given_away(reply, user_text, notices, pack=own, asked_in=pack.written(user_text))
        found.extend((finding("character_break", words),) if words else ())
    if any(notice.kind in ("override", "memory_poison") for notice in notices):
        for match in own.any_of(own.reply.submits).finditer(reply) if own.reply.submits else ():
            before = reply[: match.start()]
            if _MENTIONED.search(before) or _QUERIED.match(reply, match.end()):
                continue  # said of such words: "'Yes, owner', you'd like that", 遵命？
            if not own.any_of(own.reply.refusals).search(re.split(r"[.!?。！？]", before)[-1]):
                found.append(finding("concession", match[0]))
                break
    yield from found


def _distinct(found: list[Finding]) -> Iterator[Finding]:
    seen: set[tuple[str, str]] = set()
    for one in found:
        key = (one.kind, one.fact_id or one.against)
        if key not in seen:
            seen.add(key)
            yield one


def character_findings(reply: str, persona: Persona, pack: LanguagePack, system_text: str = "") -> Iterator[Finding]:
    """Words in which a reply breaks character or gives its prompt away."""
    cues = pack.reply
    denials = pack.any_of(cues.denials)
    candid = persona.bot_question == "admit"
    for match in pack.any_of(cues.character_breaks).finditer(reply):
        if candid and is_admission(match[0], pack):
            continue
        if not denials.search(reply[: match.start()][-40:]):
            yield finding("character_break", match[0])
            break
    leak = pack.any_of(cues.leaks).search(reply)
    if leak is not None:
        yield finding("prompt_leak", leak[0])
    elif system_text:
        size = _LEAK_HAN_LENGTH if has_han(reply) else _LEAK_LENGTH
        shared = _shared_stretch(fold(reply), fold(system_text), size)
        if shared:
            yield finding("prompt_leak", shared)


def _shared_stretch(text: str, source: str, size: int) -> str:
    return next((text[i : i + size] for i in range(0, len(text) - size + 1, 4) if text[i : i + size] in source), "")


def form_findings(reply: str, user_text: str, persona: Persona, pack: LanguagePack) -> Iterator[Finding]:
    """What is wrong with the form of a reply: speaking for another, stage directions, an echo, another language."""
    spoken = (
        reply if _QUOTED.fullmatch(reply.strip()) else _QUOTED.sub("…", reply)
    )  # a note that is read out has its labels
    begun = (piece for line in spoken.split("\n") for piece in (line, *sentences(line)))
    label = next((m for piece in begun if (m := pack.any_of(pack.reply.speaker_labels).match(piece))), None)
    if label is not None:
        yield finding("wrong_speaker", label[0])
    if not persona.stage_directions:
        direction = pack.any_of(pack.reply.directions).search(reply)
        if direction is not None:
            yield finding("stage_directions", direction[0])
    if (words := echoed(reply, user_text, pack)) or (words := told_of_itself(spoken, user_text, persona, pack)):
        yield finding("wrong_speaker", words)
    if drifted(reply, user_text, pack):
        yield finding("language_drift", reply[:80])


def _self_addressed(reply: str, persona: Persona, pack: LanguagePack) -> Iterator[Finding]:
    """The character's own name where one puts that of the person one speaks to ("I'm 41, Dev.")."""
    for match in _address(persona.name, persona.aliases).finditer(reply):
        before = re.split(r"[.!?。…]", reply[: match.start()])[-1]
        if not pack.any_of(pack.reply.introductions).search(before + match[0]):
            yield finding("wrong_speaker", match[0].strip(" ,"))
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
            yield finding("repetition", old)
            return


def asks_again(user_text: str, pack: LanguagePack) -> bool:
    """Whether a message asks for something that was said already: who answers it says the same once more."""
    plain = normalize(user_text[:LONGEST])
    return any(
        pack.any_of(pack.text.questions).search(one) and pack.any_of(pack.premise.asks_again).search(one)
        for one in sentences(plain)
    )


def _own_names(state: DialogueState, persona: Persona) -> tuple[str, ...]:
    """What the character may call itself by; none where the user has the same name."""
    users = {fold(fact.value) for fact in state.active_facts(USER) if fact.attribute == "name"}
    names = (persona.name, persona.name.split(maxsplit=1)[0], *persona.aliases)
    return () if users & set(map(fold, names)) else tuple(dict.fromkeys(names))


def _own_claims(reply: str, names: tuple[str, ...], pack: LanguagePack) -> tuple[Claim, ...]:
    """What a reply says of its speaker, as "I" or by name; what it says in the same words many times is one claim."""
    called = any(name in reply for name in names)
    own = {fold(name) for name in names} if called else set()
    claims = dict.fromkeys(read_claims(reply, pack, Reading(wording=True, names=names if called else ())))
    said = (
        claim for claim in claims if claim.subject == SPEAKER or (fold(claim.subject) in own and not claim.relation)
    )
    return tuple(claim if claim.subject == SPEAKER else replace(claim, subject=SPEAKER) for claim in said)


def _contradictions(
    reply: str, judged: Sequence[tuple[Claim, Known | None, Relation]], pack: LanguagePack, noticed: set[str]
) -> Iterator[Finding]:
    stated = [(f.fact.id, c.quote) for c, f, relation in judged if f and c.attribute and relation.stand is Stand.same]
    for claim, fact, relation in (one for one in judged if not one[0].weak):
        if fact is None or relation.stand is not Stand.conflict:
            continue
        if not claim.attribute and any(fact.fact.id == same and claim.quote in quote for same, quote in stated):
            continue  # words around the fact ("my wife died, I'm a widower")
        listed = fact.fact.speaker == "persona" and not fact.free and _is_closed(claim, pack)
        bar = LIKELY if listed or fact.fact.id in noticed else CERTAIN if fact.free else STRONG
        if relation.strength >= bar or (relation.strength >= LIKELY and _renamed(claim, fact, pack)):
            yield finding("contradiction", as_written(reply, claim, pack), fact=fact.fact)


def _borne_out(judged: Sequence[tuple[Claim, Known | None, Relation]]) -> list[str]:
    """Clauses of the reply that a fact of the persona agrees with."""
    return [
        claim.quote
        for claim, fact, relation in judged
        if fact is not None and fact.fact.speaker == "persona" and relation.stand is Stand.same
    ]


def _disagreements(
    reply: str, user_text: str, known: Knowledge, pack: LanguagePack, *, classify: bool
) -> Iterator[Finding]:
    """Another place, star sign or gender of the character's own than the facts give."""
    facts = tuple(item.fact for item in known.facts)
    question = read_question(user_text, pack)
    others = question is not None and question.own and not question.listener
    for one in aspect_agreements(reply, facts, pack, classify=classify, background=known.lines):
        if one.sure and not (others and not pack.any_of(pack.text.first_person).search(one.evidence)):
            # "In Lisbon." to "Where's my wedding?" is where the wedding is
            fact = next((fact for fact in facts if fact.id == one.fact_id), None)
            yield finding("contradiction", one.evidence, fact=fact).model_copy(update={"tier": one.tier})


def _is_closed(claim: Claim, pack: LanguagePack) -> bool:
    """Whether what a persona does not list of this kind is not so: a second pet is one too many."""
    spec = pack.attribute(claim.attribute)
    return spec is not None and spec.closed


def _renamed(claim: Claim, fact: Known, pack: LanguagePack) -> bool:
    """The same kind of thing under another name (a cat called Tom, where it is Miso)."""
    if not claim.name or not claim.kind:
        return False
    return any(
        other.name and (fold(claim.kind) == fold(other.kind) or same_words(claim.kind, other.kind, pack))
        for other in fact.claims
    )

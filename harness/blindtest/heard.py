"""A reply heard in face of its message: what it says to be so, and what it only denies, quotes, supposes or says of somebody else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from harness.blindtest.naming import days_of, names
from harness.language import LanguagePack
from harness.language.remembering import remembered
from harness.understanding.checks.presupposed import presupposed
from harness.understanding.facts.claims import SPEAKER, Claim, Reading, read_claims
from harness.understanding.facts.predicates import plain_text, positive
from harness.understanding.facts.short_answers import read_answer
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, has_han, normalize, numbers, sentences, terms

_CLAUSES = re.compile(r"[,;:、…]|\s[-–—]+\s|—+|[.!?](?=\s|$)")
_EDGE = " \t.,!?;:。…~\"'“”"
_BARE = 2
"""Content words that may stand beside a value in a clause that says no more than it."""
_BARE_HAN = 4
_BEHIND = 4
"""Words right behind a value in which it may be denied."""
_DATE = 5
"""Words of a clause that says no more than a date."""
_ECHO, _ECHO_HAN = 5, 10
"""Words, or Han characters, of the longest question that only repeats what was said."""
_OPENING = 2
"""Sentences in which a reply agrees with what was said, if it does."""


@dataclass(frozen=True, slots=True)
class Part:
    """A clause of a reply, in the form patterns see.

    Attributes:
        sentence: the whole sentence.
        asks: the clause asks. ``echoes``: the sentence is a cry or a question of a few words.
    """

    text: str
    sentence: str
    asks: bool = False
    echoes: bool = False


@remembered(4096)
def settled(reply: str, pack: LanguagePack) -> str:
    """A reply without what its speaker takes back at once: "A plumber. No, sorry, a locksmith." says only the latter."""
    text = plain_text(reply, pack)
    marks = [match for match in pack.any_of(pack.grading.taken_back).finditer(text) if match[0]]
    for match in reversed(marks):
        before = text[: match.start()].rstrip(" ,;:-–—…")
        ended = before.rstrip(".!。")
        if not ended or ended.endswith("?"):
            continue
        start = max(ended.rfind(mark) for mark in ".!?,;。") + 1
        text = f"{ended[:start]} {text[match.end() :].lstrip(' ,.!;:')}".strip()
    return text


@remembered(4096)
def parts_of(reply: str, pack: LanguagePack) -> tuple[Part, ...]:
    """The clauses of a reply that were not taken back."""
    found: list[Part] = []
    for sentence in sentences(settled(reply, pack)):
        asking = _asks(sentence, pack)
        pieces = [piece.strip(_EDGE) for piece in _CLAUSES.split(sentence) if piece.strip(_EDGE)]
        echoes = _short(sentence) and sentence.rstrip("\"'”」』) ").endswith(("?", "!"))
        opens = bool(pieces) and pack.any_of(pack.text.interrogatives).match(pieces[0]) is not None
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            asks = asking and (last or opens or echoes)
            found.append(Part(piece, sentence, asks, echoes))
    return tuple(found)


def _short(sentence: str) -> bool:
    if has_han(sentence):
        return len(sentence.strip(_EDGE)) <= _ECHO_HAN
    return len(sentence.split()) <= _ECHO


def _asks(sentence: str, pack: LanguagePack) -> bool:
    return sentence.rstrip("\"'”」』) ").endswith("?") or bool(pack.any_of(pack.text.questions).search(sentence))


@remembered(4096)
def put_to(message: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """What a message says, or takes for granted, of the one it is said to, as that one would say it."""
    plain = pack.rewrite(normalize(message), pack.text.expand)
    found: list[Claim] = []
    for sentence in sentences(pack.rewrite(plain, pack.premise.rewritten)):
        found += [taken.claim for taken in presupposed(sentence, pack)]
    if not any(claim.attribute for claim in found):
        read = read_claims(message, pack, Reading(swapped=True, asked=True, loose=True, backshift=True))
        found += [claim for claim in read if claim.subject == SPEAKER and claim.attribute]
    return tuple(dict.fromkeys(found))


def reports(message: str, pack: LanguagePack) -> bool:
    """Whether a message holds that the one it is said to had said something ("you told me …")."""
    plain = pack.rewrite(normalize(message), pack.text.expand)
    text = pack.rewrite(plain, pack.premise.rewritten)
    return any(one.search(text) for one in pack.likely(pack.premise.reported, text))


@remembered(4096)
def claims_of(reply: str, pack: LanguagePack, asked: str = "") -> tuple[Claim, ...]:
    """What a reply states of its speaker, also in sentences without a subject, and as an answer to what was asked."""
    text = disowned(settled(reply, pack), pack)[0]
    said = [claim for claim in read_claims(text, pack, Reading(loose=True, dropped=True)) if claim.subject == SPEAKER]
    if asked:
        said += read_answer(without_interjection(text, pack), asked, pack)
    return tuple(dict.fromkeys(said))


def without_interjection(text: str, pack: LanguagePack) -> str:
    """A reply without a first word that only exclaims ("God, no." answers "no")."""
    first, mark, rest = text.partition(",")
    word = first.strip()
    bare = " " not in word and not has_han(word) and rest.strip()
    if mark and bare and pack.any_of(pack.grading.no).search(rest.split(".")[0].split(",")[0].strip(_EDGE)):
        return rest.strip()
    return text


def claims_about(reply: str, subject: str, pack: LanguagePack) -> tuple[Claim, ...]:
    """What a reply states of the one it is said to (``user``), or of somebody by name; claims as that one would make them."""
    text = settled(reply, pack)
    if subject == "user":
        own = pack.any_of(pack.text.first_person)
        told = " ".join(one for one in sentences(text) if not own.search(_without_reports(one, pack)))
        return tuple(c for c in read_claims(told, pack, Reading(swapped=True, loose=True)) if c.subject == SPEAKER)
    read = read_claims(text, pack, Reading(loose=True, names=(subject,)))
    return tuple(c for c in read if fold(c.subject) == fold(subject) or fold(c.name) == fold(subject))


def _without_reports(sentence: str, pack: LanguagePack) -> str:
    """A sentence without the words that only bring up that the listener told something ("you told me")."""
    return pack.any_of(pack.grading.told).sub(" ", sentence) if pack.grading.told else sentence


def disowned(text: str, pack: LanguagePack) -> tuple[str, str]:
    """A text without what it says was never said, and those words."""
    denied = pack.any_of(pack.grading.disowns).search(text)
    return (pack.any_of(pack.grading.disowns).sub(" ", text), denied[0]) if denied else (text, "")


@in_one_script
def says_so(
    text: str,
    wanted: str,
    pack: LanguagePack,
    aliases: tuple[str, ...] = (),
    *,
    asked: str = "",
    own: bool | None = None,
) -> str:
    """The words of a text that say ``wanted`` to be so; empty when it is only denied, asked about, quoted, supposed or not there.

    Args:
        text: the reply.
        wanted: the value.
        pack: of the language of both.
        aliases: its other wordings.
        asked: the message that is answered.
        own: only what is said of the speaker counts. None: so it is where the message says ``wanted`` of the one it is said to.
    """
    wanted = plain_text(wanted, pack)
    of_self = own if own is not None else is_put(asked, wanted, pack)
    agreed = affirms(text, pack) if of_self else ""
    for part in parts_of(text, pack):
        rest = disowned(part.text, pack)[0]
        named = next((value for value in (wanted, *aliases) if names(rest, value, pack)), "")
        if not named or part.asks or _set_aside(part, pack):
            continue
        if part.echoes and not agreed and asked and names(asked, wanted, pack) and _bare(rest, named, pack):
            continue  # "A tailor!" only cries out what was said
        if denied(rest, named, pack):
            continue
        if of_self and not _ascribed(rest, named, pack, agreed=bool(agreed)):
            continue
        return part.text
    return ""


def is_put(message: str, wanted: str, pack: LanguagePack) -> bool:
    """Whether a message says something of the one it is said to."""
    if not message or not any(names(one, wanted, pack) for one in sentences(plain_text(message, pack))):
        return False
    return any(names(claim.value, wanted, pack) or names(claim.quote, wanted, pack) for claim in put_to(message, pack))


def _set_aside(part: Part, pack: LanguagePack) -> bool:
    """Whether a sentence only supposes, mocks, or speaks of a mistake of the listener."""
    cues = pack.grading
    unreal = pack.any_of(cues.unreal).search(part.text if has_han(part.text) else part.sentence)
    return (
        unreal is not None
        or any(pack.any_of(cue).search(part.sentence) for cue in (cues.ironic, cues.elsewhere))
        or pack.any_of(cues.denies).search(part.text) is not None
    )


def denied(clause: str, value: str, pack: LanguagePack) -> bool:
    """Whether a clause denies a value: by a negation before it, or right behind it where the clause begins with it ("Leeds was never …").

    What is negative in the value itself counts for nothing: "I can't swim" affirms "can't swim".
    """
    at = fold(clause).find(fold(value))
    if at < 0:
        return positive(clause, pack)[1] != positive(value, pack)[1]
    negators = pack.any_of(pack.history.negators)
    before, after = clause[:at], clause[at + len(value) :]
    count = sum(1 for _ in negators.finditer(before))
    if len(before.split()) < _BARE and not (has_han(before) and len(before) >= _BARE):
        behind = after if has_han(after) else " ".join(after.split()[:_BEHIND])
        count += sum(1 for _ in negators.finditer(behind))
    return count % 2 == 1


def _ascribed(clause: str, value: str, pack: LanguagePack, *, agreed: bool) -> bool:
    """Whether a clause says a value of its speaker."""
    if _bare(clause, value, pack):
        return True
    others, own = pack.any_of(pack.grading.others), pack.any_of(pack.text.first_person)
    if any(own.search(match[0]) and names(match[0], value, pack) for match in others.finditer(clause)):
        return True  # who speaks of "my sister" has one
    if of_another(clause, pack):
        return False
    before = _before(clause, value)
    if before is not None and pack.any_of(pack.grading.ascribes).search(others.sub("¤", before).strip()):
        return True
    return agreed


def of_another(clause: str, pack: LanguagePack) -> bool:
    """Whether a clause speaks of somebody, and not of its speaker: "my mum lives in Leeds"."""
    without = pack.any_of(pack.grading.others).sub("¤", clause)
    return "¤" in without and pack.any_of(pack.text.first_person).search(without) is None


def _before(clause: str, value: str) -> str | None:
    """What stands before a value in a clause; None where it does not stand there word for word."""
    folded, wanted = fold(clause), fold(value)
    at = folded.find(wanted)
    if at >= 0:
        return clause[:at]
    words = [word for word in wanted.split() if word in folded]
    found = [folded.find(word) for word in words]
    return clause[: min(found)] if found else None


def _bare(clause: str, value: str, pack: LanguagePack) -> bool:
    """Whether a clause says no more than a value: "a dentist", "in Leeds", 是牙医."""
    if pack.any_of(pack.grading.others).search(clause):
        return False
    if days_of(value, pack):
        return len(clause.split()) <= _DATE
    if has_han(clause):
        return len(clause.strip(_EDGE)) - len(value) <= _BARE_HAN and not pack.any_of(pack.text.first_person).search(
            clause
        )
    rest = terms(clause, pack) - terms(value, pack)
    rest = frozenset(word for word in rest if not word.isdigit()) if numbers(value, pack) else rest
    return not rest and len(clause.split()) - len(value.split()) <= _BARE


@in_one_script
def affirms(reply: str, pack: LanguagePack) -> str:
    """The words at the beginning of a reply that agree with what was said."""
    for sentence in list(sentences(settled(reply, pack)))[:_OPENING]:
        found = pack.any_of(pack.grading.affirms).match(sentence)
        if found is not None and not pack.any_of(pack.grading.ironic).search(sentence):
            return found[0].strip(_EDGE)
        if not _asks(sentence, pack):
            break
    return ""


@in_one_script
def denies(reply: str, pack: LanguagePack, put: tuple[str, ...] = ()) -> str:
    """The words of a reply that deny what was said to it, in whatever way; empty when it does not.

    ``put``: what was said, values: to repeat one as a question, and not agree, is to deny it.
    """
    cues = pack.grading
    whole = plain_text(reply, pack)
    for source in (cues.disowns, cues.elsewhere, cues.ironic, cues.denies):
        found = pack.any_of(source).search(whole)
        if found is not None:
            return found[0].strip(_EDGE)
    for part in parts_of(reply, pack):
        if not part.asks and pack.any_of(cues.no).search(part.text):
            return part.text
        if not part.asks and any(names(part.text, value, pack) and denied(part.text, value, pack) for value in put):
            return part.text
    if not affirms(reply, pack):
        return next(_echoes(reply, pack, put), "")
    return ""


def _echoes(reply: str, pack: LanguagePack, put: tuple[str, ...]) -> Iterator[str]:
    said = parts_of(reply, pack)
    for number, part in enumerate(said):
        goes_on = any(not other.asks for other in said[number + 1 :])
        if part.echoes and goes_on and any(names(part.text, value, pack) for value in put):
            yield part.sentence


__all__ = [
    "Part",
    "affirms",
    "claims_about",
    "claims_of",
    "denied",
    "denies",
    "disowned",
    "is_put",
    "of_another",
    "parts_of",
    "put_to",
    "reports",
    "says_so",
    "settled",
]

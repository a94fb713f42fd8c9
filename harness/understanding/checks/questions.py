"""Questions and how they are answered: what a "yes" would say, whether it was said, and who was asked about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.understanding.facts.claims import plain_text
from harness.understanding.text import sentences

if TYPE_CHECKING:
    from harness.language import LanguagePack

LONGEST = 600
"""Characters of one message that are read."""
_CLAUSE = re.compile(r"\s*[,;:()~…]+\s*|\.{2,}|\s[-–—]+\s")
_EDGE = " \t.,!?;:。~…\"'“”"
_BEGINNING = 2
_INTERJECTION = 6
"""Clauses that may hold the yes or no; the first of them only when the one before is as short as an interjection."""
_ECHO = 8
"""Longest first clause of an answer that is taken for an echo of the question's verb (没去过)."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The last question of a message.

    Attributes:
        words: the clause that asks.
        statement: what "yes" would say, in the first person of the one asked; empty for an open question.
        slots: keys of what is asked for.
        whole: the whole question sentence.
        own: about the asker's own self.
        knowing: asks whether the listener knows something.
        listener: about the listener.
        denying: asked with a negation ("don't you like it").
    """

    words: str
    statement: str = ""
    slots: tuple[str, ...] = ()
    whole: str = ""
    own: bool = False
    knowing: bool = False
    listener: bool = False
    denying: bool = False

    @property
    def open(self) -> bool:
        """Whether it asks for more than yes or no."""
        return not self.statement


@remembered(4096)
def plain(text: str, pack: LanguagePack) -> str:
    """A text in the form patterns see, remembered."""
    return plain_text(text, pack)


def spans(text: str, pack: LanguagePack) -> tuple[tuple[str, bool], ...]:
    """The clauses of a text in plain form, each with whether its sentence is a question."""
    return _spans(text[:LONGEST], pack)


@remembered(4096)
def _spans(text: str, pack: LanguagePack) -> tuple[tuple[str, bool], ...]:
    found: list[tuple[str, bool]] = []
    for written in sentences(plain(text, pack)):
        asks = written.rstrip().endswith("?")
        sentence = written if asks or not pack.history.dropped else _with_subject(written, pack)
        pieces = [part for piece in _CLAUSE.split(sentence) if piece.strip(_EDGE) for part in _parted(piece, pack)]
        for number, piece in enumerate(pieces):
            last = number == len(pieces) - 1
            asked = asks and last
            if not asked and pack.any_of(pack.text.questions).search(piece):
                asked = pack.any_of(pack.history.statements).match(piece) is None
            found.append((piece.strip(), asked))
    return tuple(found)


def _with_subject(sentence: str, pack: LanguagePack) -> str:
    """A sentence with the "I" that its beginning leaves out ("Just got home")."""
    begun = pack.any_of(pack.history.dropped).match(sentence)
    if begun is None:
        return sentence
    rest = sentence[begun.end() :]
    return f"{begun[0]}{pack.history.oneself} {rest[:1].lower()}{rest[1:]}"


def _parted(piece: str, pack: LanguagePack) -> list[str]:
    """A piece cut where a clause of its own begins; what is wished or supposed stays whole, as is its "and I …"."""
    cues = pack.history
    if not cues.joints or pack.any_of(cues.unsure).search(piece):
        return [piece.strip()]
    return [part.strip() for part in pack.any_of(cues.joints).split(piece) if part.strip(_EDGE)]


@remembered(4096)
def read_question(text: str, pack: LanguagePack) -> Asked | None:
    """The last question of a message; None when it asks nothing."""
    cues = pack.history
    held = next(pack.any_of(cues.said_before).finditer(plain(text[-LONGEST:], pack)), None)
    if held is not None:
        words = held["v"]
        denies = pack.any_of(cues.negators).search(words) is not None  # then a "no" may deny that it was said
        return Asked(words, "" if denies else _statement(words, pack), (), words, listener=True, denying=denies)
    whole = ""
    for sentence in reversed(sentences(plain(text[-LONGEST:], pack))):
        if sentence.rstrip().endswith("?") or pack.any_of(pack.text.questions).search(sentence):
            whole = sentence
            break
    if not whole:
        return None
    pieces = [piece.strip(_EDGE) for piece in _CLAUSE.split(whole) if piece.strip(_EDGE)]
    asking = [p for p in pieces if pack.any_of(cues.listener).search(p) or pack.any_of(cues.own_questions).search(p)]
    words = (asking or pieces or [whole])[-1]
    knowing = pack.any_of(cues.knowing).search(words) is not None
    about = pack.any_of(cues.knowing).sub("", words) if knowing else words
    own = pack.any_of(cues.own_questions).search(about) is not None and not (
        pack.any_of(cues.listener).search(about) and not knowing
    )
    open_question = pack.any_of(cues.open_questions).search(words) is not None
    slots = tuple(slot.key for slot in cues.slots if slot.ask and pack.any_of(slot.ask).search(whole))
    denying = pack.any_of(cues.negators).search(pack.any_of(cues.rhetorical).sub("", words)) is not None
    return Asked(
        words,
        "" if open_question or own or knowing else _statement(words, pack),
        slots,
        whole,
        own,
        knowing,
        pack.any_of(cues.listener).search(about) is not None,
        denying,
    )


def _statement(words: str, pack: LanguagePack) -> str:
    """What "yes" says: every rewrite that fits, once, negations out; then the listener's words become one's own."""
    text = words.strip(_EDGE)
    for source, replacement in pack.history.asks:
        text = pack.pattern(source).sub(replacement, text, count=1)
    text = re.sub(r" {2,}", " ", pack.any_of(pack.history.negators).sub("", text))
    text = pack.rewrite(text, pack.text.swap).strip(_EDGE)
    if pack.script == "latin" and not pack.any_of(pack.history.first).search(text):
        return ""  # about somebody else
    return text


def knows_not(reply: str, pack: LanguagePack) -> str:
    """The clause in which a reply says not to know; empty when it does not, or knows all the same."""
    for clause, asked in spans(reply, pack):
        if pack.any_of(pack.history.unknown).search(clause) and not (asked and pack.script == "latin"):
            return clause
    return ""


def verdict(reply: str, question: Asked | None, pack: LanguagePack) -> bool | None:
    """Whether a reply says yes (True) or no (False) to what a yes-or-no question states; None when it says neither."""
    if question is None or question.open:
        return None
    for clause, _ in spans(reply, pack)[:_BEGINNING]:
        said = _says(clause.strip(_EDGE), question, pack)
        if said is not None or len(clause) > _INTERJECTION:
            return said
    return None


def _says(first: str, question: Asked, pack: LanguagePack) -> bool | None:
    cues = pack.history
    echoed = _echo(first, question, pack)
    if echoed is not None:
        return echoed
    if pack.any_of(cues.no).match(first):
        return False
    if pack.any_of(cues.yes).match(first):
        return None if question.denying and pack.script == "han" else True
    return None


def _echo(first: str, question: Asked, pack: LanguagePack) -> bool | None:
    """An answer that repeats the verb of the question, as Chinese answers do (去过, 没去过)."""
    if pack.script != "han" or len(first) > _ECHO:
        return None
    bare = pack.any_of(pack.history.stop_tails).sub("", first)
    plain, found = pack.any_of(pack.history.negators).subn("", bare)
    have = pack.history.have
    plain = plain.removeprefix(have) if found and plain != have else plain
    if not plain or plain not in question.statement:
        return None
    return found % 2 == 0

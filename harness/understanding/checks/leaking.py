"""Prompt words in a reply: a line or clause of the notes that only the character sees, said out loud.

What these words are, the templates say, not a list: the pieces of a template that stand between its variables. Only pieces that
stand in the prompt of the turn count, so that "tell them so" is good advice where no note said it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.understanding.text import fold, has_han, normalize, sentences

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.language import LanguagePack

HOLE = "\x00"
"""Where a variable stands in the wording of a template."""
_WORDS, _HAN = 3, 5
"""Words, or Han characters, of a sentence of a template from which it is no sentence of ordinary talk."""
_LABEL = re.compile(r"^[^\x00,;，；。.!?]{2,60}[:：](?=\s*\x00)")
_LEADING = r"[\s(（\[【\"“「'*\-–—•>]*"
_END = re.compile(r"[\s.!?:。！？：…)）\]】\"”」'*]*$")
_PART = re.compile(r"\s*(?:[,;，；]|\s[-–—]+\s|——)\s*")
_LINE = re.compile(r"(\n+)")


@dataclass(frozen=True, slots=True)
class Echo:
    """Prompt words in a reply.

    Attributes:
        words: as the reply has them. ``piece``: as the template has them.
        start, end: where they stand in the reply.
        rest: what of the sentence is left without a label; empty where nothing may stay.
    """

    words: str
    piece: str
    start: int
    end: int
    rest: str = ""


def prompt_echoes(
    reply: str, wording: tuple[str, ...], prompt: str, pack: LanguagePack, truths: Sequence[str] = ()
) -> tuple[Echo, ...]:
    """The prompt words of a reply, in order.

    Args:
        reply: a candidate.
        wording: lines of the templates, :data:`HOLE` for each variable.
        prompt: what the model was shown; a piece that is not in it is nobody's echo.
        pack: of the language of the reply.
        truths: what the notes told the character to say, which stays when the label before it goes.
    """
    return tuple(_echoes(reply, _pieces(wording, pack), prompt, pack, truths))


def without_echoes(reply: str, echoes: Sequence[Echo]) -> str:
    """The reply without its prompt words; empty when nothing else is left."""
    for echo in reversed(echoes):
        reply = reply[: echo.start] + echo.rest + reply[echo.end :]
    lines = (" ".join(line.split()) if not has_han(line) else line.strip() for line in reply.split("\n"))
    text = "\n".join(line for line in lines if line).strip()
    return text if re.search(r"\w", text) else ""


@dataclass(frozen=True, slots=True)
class _Pieces:
    label: re.Pattern[str] | None
    whole: frozenset[str]


@lru_cache(maxsize=64)
def _pieces(wording: tuple[str, ...], pack: LanguagePack) -> _Pieces:
    labels, whole = set(), set()
    for line in wording:
        for sentence in sentences(line):
            label = _LABEL.match(sentence.strip())
            if label is not None:
                name = fold(label[0]).lstrip("(（[【.,;，。 ").rstrip(":")
                labels |= {name} if has_han(name) or " " in name else set()
            elif HOLE not in sentence and _long(sentence):
                whole.add(_neutral(sentence, pack))
    ordered = sorted(labels, key=len, reverse=True)
    source = "|".join(r"\s+".join(map(re.escape, label.split())) for label in ordered)
    return _Pieces(
        re.compile(f"{_LEADING}(?P<label>{source})\\s*[:：]\\s*", re.IGNORECASE) if source else None, frozenset(whole)
    )


def _joined(text: str) -> str:
    """Folded, with no blank behind a colon, which in Chinese has none."""
    return re.sub(r":\s+", ":", _END.sub("", fold(normalize(text))))


def _long(sentence: str) -> bool:
    return len(sentence) >= _HAN if has_han(sentence) else len(sentence.split()) >= _WORDS


def _neutral(words: str, pack: LanguagePack) -> str:
    """Words without their end mark, whoever they are addressed to ("Tell them so.", "tell me so")."""
    bare = _END.sub("", fold(normalize(words))).lstrip("(（[【\"“「'*-–—•>.,;，。 ")
    return pack.any_of(pack.reply.parties).sub("§", bare) if pack.reply.parties else bare


def _echoes(reply: str, pieces: _Pieces, prompt: str, pack: LanguagePack, truths: Sequence[str]) -> Iterator[Echo]:
    shown: list[str] = []

    def known(piece: str) -> bool:
        if not shown:
            shown.append(_joined(prompt))
        return piece in shown[0]

    def tells(label: str) -> bool:
        return any(known(_joined(f"{label}:{truth}")) for truth in truths)

    for start, sentence in _sentences(reply):
        label = pieces.label.match(sentence) if pieces.label is not None else None
        if label is not None and known(f"{fold(label['label'])}:"):
            rest = sentence[label.end() :]
            tail = _tail(rest, pieces, prompt, pack)
            rest = rest if tail is None else f"{rest[: tail[0]]}{tail[1]}"
            yield Echo(
                sentence.strip(), label["label"], start, start + len(sentence), rest if tells(label["label"]) else ""
            )
            continue
        tail = _tail(sentence, pieces, prompt, pack)
        if tail is not None:
            at, mark = tail
            yield Echo(sentence[at:].strip(), sentence[at:], start + at, start + len(sentence), mark if at else "")


def _tail(sentence: str, pieces: _Pieces, prompt: str, pack: LanguagePack) -> tuple[int, str] | None:
    """Where the prompt words begin with which a sentence ends, and the sentence's end mark."""
    for at, clause in _clauses(sentence):
        neutral = _neutral(clause, pack)
        if neutral in pieces.whole and neutral in _neutral(prompt, pack):
            end = _END.search(sentence)
            return at, end[0] if end is not None else ""
    return None


def _sentences(reply: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in _LINE.split(reply):
        place = at
        for sentence in sentences(line):
            found = line.find(sentence, place - at)
            if found >= 0:
                yield at + found, sentence
                place = at + found + len(sentence)
        at += len(line)


def _clauses(sentence: str) -> Iterator[tuple[int, str]]:
    """Ends of a sentence that begin with it or behind a comma or dash, each with where it begins (its separator included)."""
    yield 0, sentence
    for match in _PART.finditer(sentence):
        yield match.start(), sentence[match.end() :]

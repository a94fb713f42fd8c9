"""Clauses and content words as the trackers need them: in order, readable, with their places."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, is_han, lower
from harness.language.remembering import remembered
from harness.understanding.text import TOKEN, stem

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack

LONGEST_TEXT = 4_000
"""Characters of one message the trackers look at."""
LONGEST_SENTENCE = 500
"""Characters of one sentence the wordings are looked for in; a longer run without an end mark is cut."""
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "\u0060": "'"})
_SURROGATES = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_CLAUSE = re.compile(r"[^!?。！？；;\n，,]+[!?。！？；;\n，,]*")
_SENTENCE = re.compile(r"[^!?。！？；;\n]+[!?。！？；;\n]*")
_SENTENCE_DOT = re.compile(r"(?<=[a-z0-9)\"'])\.(?=\s+[^\s]|$)")
_LONGEST_HAN_WORD = 4


def tidy(text: str) -> str:
    """The text without lone surrogates and control characters, apostrophes straightened; never longer than before."""
    if not text.isprintable():
        text = _CONTROL.sub(" ", _SURROGATES.sub("", text))
    return text.translate(_APOSTROPHES)


def excerpt(text: str) -> str:
    """The beginning of a text, tidied: what the trackers look at, so that no message can hold a turn up."""
    return tidy(text[:LONGEST_TEXT])


def clauses(text: str) -> list[str]:
    """Clauses with their end marks, in order; a full stop ends one after a word, not inside a number or a name."""
    pieces: list[str] = []
    for match in _CLAUSE.finditer(text):
        start = 0
        for dot in _SENTENCE_DOT.finditer(match[0]):
            pieces.append(match[0][start : dot.end()])
            start = dot.end()
        pieces.append(match[0][start:])
    return [piece.strip() for piece in pieces if piece.strip()]


@lru_cache(maxsize=16)
def _stops(pack: LanguagePack) -> tuple[frozenset[str], Phrases[bool]]:
    """Words without content: Latin ones for look-up, Han ones for cutting (True) beside words they must not cut (吉他 for 他)."""
    words = {word.lower() for word in pack.topics.stop_words}
    # Lone characters of the general list would cut words apart (做 in 做饭); those of the topics section do not.
    words |= {word.lower() for word in pack.text.stopwords if len(word) > 1 or not is_han(word)}
    han = [word for word in words if any(is_han(char) for char in word)]
    whole = {word: False for word in pack.topics.fields_of_word if len(word) > 1 and is_han(word[0])}
    return frozenset(words), Phrases({**whole, **dict.fromkeys(han, True)})


def is_stop(word: str, pack: LanguagePack) -> bool:
    """Whether a word has no content of its own."""
    return lower(word) in _stops(pack)[0]


@remembered(4096)
def content_words(text: str, pack: LanguagePack) -> tuple[str, ...]:
    """Words with content in the order they are said, lower-cased, each once.

    Han text is cut at words without content; runs of up to four characters are kept whole, longer ones are cut in
    pairs. That is no segmentation, but two texts about the same thing share pieces. A lone Han character counts only
    when it is a noun of the pack (猫).
    """
    stop, han_stops = _stops(pack)
    found: dict[str, None] = {}
    lowered = lower(text)
    for match in TOKEN.finditer(lowered):
        token = match[0]
        if is_han(token[0]):
            for run in _runs(token, han_stops):
                for piece in _pieces(run):
                    if len(piece) > 1 or piece in pack.entities.kind_of_noun:
                        found.setdefault(piece)
        elif token not in stop and (len(token) > 1 or token.isdigit()) and token.split("'")[0] not in stop:
            found.setdefault(token.removesuffix("'s"))
    return tuple(found)


def _runs(token: str, stops: Phrases[bool]) -> list[str]:
    runs: list[str] = []
    start = 0
    for hit in stops.find(token):
        if not hit.value:
            continue
        if hit.start > start:
            runs.append(token[start : hit.start])
        start = hit.end
    if start < len(token):
        runs.append(token[start:])
    return runs


def _pieces(run: str) -> list[str]:
    if len(run) <= _LONGEST_HAN_WORD:
        return [run]
    return [run[i : i + 2] for i in range(0, len(run) - 1, 2)] + ([run[-2:]] if len(run) % 2 else [])


def likeness_keys(words: tuple[str, ...] | list[str]) -> frozenset[str]:
    """Content words in the form in which they are compared: stems, and character pairs of Han words."""
    keys: set[str] = set()
    for word in words:
        lowered = lower(word)
        for match in TOKEN.finditer(lowered):
            token = match[0]
            if is_han(token[0]):
                keys.update(token[i : i + 2] for i in range(len(token) - 1))
                if len(token) == 1:
                    keys.add(token)
            else:
                keys.add(stem(token.removesuffix("'s")))
    return frozenset(keys)


def sentence_list(text: str) -> list[str]:
    """Sentences with their end marks, in order; commas do not end one."""
    return list(_sentences(text))


@remembered(1024)
def _sentences(text: str) -> tuple[str, ...]:
    pieces: list[str] = []
    for match in _SENTENCE.finditer(text):
        start = 0
        for dot in _SENTENCE_DOT.finditer(match[0]):
            pieces.append(match[0][start : dot.end()])
            start = dot.end()
        pieces.append(match[0][start:])
    cut = (piece[at : at + LONGEST_SENTENCE] for piece in pieces for at in range(0, len(piece), LONGEST_SENTENCE))
    return tuple(piece.strip() for piece in cut if piece.strip())


def content_runs(text: str, pack: LanguagePack) -> list[str]:
    """Stretches of neighbouring content words as they stand in the text, in order; at most four Latin words each."""
    stop, han_stops = _stops(pack)
    runs: list[str] = []
    open_run: list[str] = []
    last_end = -1
    for match in TOKEN.finditer(text):
        token = match[0]
        lowered = lower(token)
        if is_han(token[0]):
            runs.extend([" ".join(open_run)] if open_run else [])
            open_run = []
            runs.extend(_runs(token, han_stops))
            continue
        content = lowered not in stop and lowered.split("'")[0] not in stop and (len(token) > 1 or token.isdigit())
        joined = content and text[last_end : match.start()] == " " and len(open_run) < 4  # see docstring
        if open_run and not joined:
            runs.append(" ".join(open_run))
            open_run = []
        if content:
            open_run.append(token.removesuffix("'s"))
        last_end = match.end()
    return [*runs, " ".join(open_run)] if open_run else runs


def latin_words(text: str) -> list[str]:
    """The words of a text that are parted by blanks, lower-cased, in order."""
    return [match[0].removesuffix("'s") for match in TOKEN.finditer(lower(text)) if not is_han(match[0][0])]

"""Plain text: normal forms, sentences, words, numbers, likeness. No language data lives here."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.remembering import remembered
from harness.language.shared import shared_words
from harness.language.variants import simplified

if TYPE_CHECKING:
    from collections.abc import Sequence

    from harness.language import LanguagePack

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_APOSTROPHES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u0060": "'", "\u00b4": "'"})
_SENTENCE = re.compile(r"[^.!?。！？…\n]+(?:\.(?=\w)[^.!?。！？…\n]+)*[.!?。！？…~]*[\"'”」』)]*|[.!?。！？]+")
_LONGEST_ABBREVIATION = 24
_LONGEST_NUMBER = 18
_LONGEST_NUMERAL = 40
"""Characters of a number in characters; what is longer counts nothing."""
TOKEN = re.compile(rf"[{HAN}]+|[^\W_{HAN}]+(?:['-][^\W_{HAN}]+)*")
_LETTERS = re.compile(rf"[^\W\d_{HAN}]+")
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_HAN_CHAR = re.compile(f"[{HAN}]")
_BLANKS = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
"""Blanks that are not one plain blank already."""
_WORD_CHAR = re.compile(r"\w")
_NO_WORD = re.compile(r"\W+")
_FIRST_WIDE = 0x2E80
"""From here on the characters of East Asian scripts and their marks."""
_MIN_STEM = 3
_TEN = 10
_THOUSAND = 1000
_INCHES = 12
_INCH = 2.54


@remembered(4096)
def normalize(text: str) -> str:
    """NFKC with plain apostrophes and single blanks; case kept. Full-width marks become ASCII (，to ,)."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return _BLANKS.sub(" ", text.translate(_APOSTROPHES)).strip()


@remembered(8192)
def fold(text: str) -> str:
    """:func:`normalize`, case-folded: for comparing."""
    return normalize(text).casefold()


def has_han(text: str) -> bool:
    """Whether a Han character is in it."""
    return not text.isascii() and _HAN_CHAR.search(text) is not None


@remembered(2048)
def sentences(text: str) -> tuple[str, ...]:
    """Sentences with their end marks, in order. Abbreviations (Mr.) and decimal points do not end one."""
    found: list[list[str]] = []
    abbreviation = shared_words().abbreviation
    for match in _SENTENCE.finditer(text):
        piece = match[0].strip()
        if not piece:
            continue
        before = found[-1][-1] if found else ""
        if before.endswith(".") and abbreviation.search(before[-_LONGEST_ABBREVIATION:]):
            found[-1] += (" ", piece)
        elif not _WORD_CHAR.search(piece) and found:
            found[-1].append(piece)
        else:
            found.append([piece])
    return tuple("".join(pieces) for pieces in found)


def rejoined(parts: Sequence[str]) -> str:
    """Sentences put together again: a blank between two, except behind the end mark of a script that has none."""
    pieces: list[str] = []
    for part in parts:
        pieces += [" "] if pieces and ord(pieces[-1][-1]) < _FIRST_WIDE and not has_han(part[:1]) else []
        pieces.append(part)
    return "".join(pieces)


def words(text: str) -> tuple[str, ...]:
    """Case-folded words; a run of Han characters counts as one."""
    return tuple(match[0] for match in TOKEN.finditer(fold(text)))


@remembered(8192)
def stem(word: str) -> str:
    """A Latin word without its common endings, for comparing only ("swimming", "swims" give "swim")."""
    if len(word) <= _MIN_STEM or not word.isascii():
        return word
    known = shared_words()
    for possessive in known.possessives:
        word = word.removesuffix(possessive)
    for one in known.stem_endings:
        cut = word.removesuffix(one.ending)
        if cut == word or len(cut) + len(one.put) < _MIN_STEM or (one.not_after and cut[-1] in one.not_after):
            continue
        word = cut + one.put
        if one.undouble and len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] not in one.kept:
            word = word[:-1]
        break
    for letter in known.silent:
        word = word.removesuffix(letter) if len(word) > _MIN_STEM else word
    return word


@remembered(4096)
def terms(text: str, pack: LanguagePack) -> frozenset[str]:
    """What a text is about: stems of Latin content words, and bigrams of Han text cut at words without content.

    A single Han character left between such words stands alone (猫). Numbers in words become digits.
    """
    found: set[str] = set()
    stop, units = _stopwords(pack), pack.text.units
    for token in words(simplified(text) if pack.text.simplify else text):
        if has_han(token):
            for run in _han_runs(token, pack):
                found.update(run[i : i + 2] for i in range(len(run) - 1))
                if len(run) == 1:
                    found.add(run)
        elif token not in stop and not units.keys() & set(token.split("-")):
            found.add(stem(pack.text.lemmas.get(token, token)))
    return frozenset(found) | frozenset(str(number) for number in numbers(text, pack))


def han_pieces(text: str, pack: LanguagePack) -> frozenset[str]:
    """The single Han characters of a text that are no words without content: by 等 in 我在等赵志强 it is found for 我等的是谁."""
    tokens = words(simplified(text) if pack.text.simplify else text)
    return frozenset(char for token in tokens if has_han(token) for run in _han_runs(token, pack) for char in run)


@lru_cache(maxsize=16)
def _stopwords(pack: LanguagePack) -> frozenset[str]:
    return frozenset(pack.text.stopwords)


def _han_runs(token: str, pack: LanguagePack) -> list[str]:
    return [run for run in _han_stops(pack).split(token) if run]


@lru_cache(maxsize=16)
def _han_stops(pack: LanguagePack) -> re.Pattern[str]:
    stops = sorted((word for word in pack.text.stopwords if has_han(word)), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, stops)) if stops else r"(?!)")


def numbers(text: str, pack: LanguagePack) -> tuple[int | float, ...]:
    """All numbers in a text, in order: digits, number words of the pack, numerals in characters.

    A single Chinese numeral counts only next to a measure or another numeral, because 一 is in many words; times such
    as 6:45 give both parts.
    """
    folded = fold(text)
    found: list[tuple[int, int | float]] = []
    for match in pack.any_of(pack.text.lengths).finditer(folded) if pack.text.lengths else ():
        found.append((match.start(), _centimetres(match, pack)))
        folded = folded[: match.start()] + " " * len(match[0]) + folded[match.end() :]
    for match in _DIGITS.finditer(folded):
        found.extend((match.start(), number) for number in _digits(match[0]))
    for match in shared_words().numeral.finditer(folded):
        value = numeral(match[0])
        measured = set(folded[match.end() : match.end() + 1]) & set(pack.text.measures)
        if value is not None and (len(match[0]) > 1 or measured):
            found.append((match.start(), value))
    if pack.text.units:
        found.extend(_worded(folded, pack))
    return tuple(value for _, value in sorted(found))


def _centimetres(match: re.Match[str], pack: LanguagePack) -> float:
    if match.groupdict().get("f"):
        feet, inches = (_number(match[group] or "", pack) for group in ("f", "i"))
        return round((feet * _INCHES + inches) * _INCH)
    metres, more = (_number(match[group] or "", pack) for group in ("m", "c"))
    return round(metres * 100 + (more * 10 if more < 10 else more))


def _number(text: str, pack: LanguagePack) -> float:
    text = text.strip()
    worded = _worded(text, pack) if pack.text.units else []
    value = numeral(text)
    return float(text) if re.fullmatch(r"[\d.]+", text) else float(worded[0][1] if worded else value or 0)


def _digits(text: str) -> list[int | float]:
    if ":" in text:
        return _wholes(text)
    plain = re.sub(r",(?=\d{3}\b)", "", text)
    if re.fullmatch(r"\d+\.\d+", plain):
        return [float(plain)] if len(plain) <= _LONGEST_NUMBER else []
    return _wholes(plain)


def _wholes(text: str) -> list[int | float]:
    """The runs of digits as numbers. A run too long to count anything is a code or a key held down, and is none."""
    return [int(part) for part in re.findall(r"\d+", text) if len(part) <= _LONGEST_NUMBER]


def _worded(text: str, pack: LanguagePack) -> list[tuple[int, int | float]]:
    units, scales = pack.text.units, pack.text.scales
    found: list[tuple[int, int | float]] = []
    total = current = 0
    start = end = -1
    joiners = pack.text.number_joiners
    for match in _LETTERS.finditer(text):
        word = match[0]
        joins = start >= 0 and text[end : match.start()].strip(" -") in ("", *joiners)
        if word in units and (not joins or current % 100 in range(20, 100, 10) or current % 100 == 0):
            if not joins and start >= 0:
                found.append((start, total + current))
                total = current = 0
                start = -1
            start = match.start() if start < 0 else start
            current += units[word]
            end = match.end()
        elif word in units:
            found.append((start, total + current))
            total, current, start, end = 0, units[word], match.start(), match.end()
        elif word in scales and joins:
            scale = scales[word]
            current = max(current, 1) * scale
            if scale >= 1000:
                total, current = total + current, 0
            end = match.end()
        elif word not in joiners and start >= 0:
            found.append((start, total + current))
            total = current = 0
            start = -1
    if start >= 0:
        found.append((start, total + current))
    return found


def numeral(text: str) -> int | None:
    """The value of a numeral written in characters (三十四, 一百零五, 二〇二六); None when it is none.

    Characters for digits and scales are those of the packs. A scale up to a thousand multiplies the digit before it, a
    larger one what came since the last larger one, and all before it where it is the larger of the two (一万亿).
    """
    known = shared_words()
    if (
        not text
        or len(text) > _LONGEST_NUMERAL
        or any(char not in known.digits and char not in known.scales for char in text)
    ):
        return None
    if all(char in known.digits for char in text):
        if len(text) > _LONGEST_NUMBER:
            return None
        return int("".join(str(known.digits[char]) for char in text))
    total = section = unit = last = 0
    for char in text:
        if char in known.digits:
            unit = known.digits[char]
        elif known.scales[char] <= _THOUSAND:
            section += (unit or 1) * known.scales[char]
            unit = 0
        else:
            group = section + unit
            smaller = known.scales[char] < last
            total = total + group * known.scales[char] if smaller else (total + group) * known.scales[char]
            section, unit, last = 0, 0, known.scales[char]
    if unit and len(text) > 1 and known.scales.get(text[-2], 0) > _TEN:
        unit *= known.scales[text[-2]] // _TEN  # 一千二 is 1200, and 一千零二 is 1002
    return total + section + unit


def contains_phrase(text: str, phrase: str) -> bool:
    """Whether ``phrase`` stands in ``text`` as a whole: no word is half-matched, Han needs no boundary."""
    wanted = fold(phrase)
    if not wanted:
        return False
    folded, size = fold(text), len(wanted)
    left, right = _in_word(wanted[0]), _in_word(wanted[-1])
    start = folded.find(wanted)
    while start >= 0:
        end = start + size
        joined = (left and start and _in_word(folded[start - 1])) or (
            right and end < len(folded) and _in_word(folded[end])
        )
        if not joined:
            return True
        start = folded.find(wanted, start + 1)
    return False


def _in_word(letter: str) -> bool:
    """Whether a letter belongs to a word of a script that parts words by blanks."""
    if letter < "\u00c0":
        return letter.isascii() and letter.isalnum()
    return letter <= "\u024f" or "\u0370" <= letter <= "\u06ff"


def likeness(first: str, second: str) -> float:
    """How alike two texts are, 0 to 1: the Dice share of their character trigrams (bigrams of Han text)."""
    a, b = _grams(fold(first)), _grams(fold(second))
    if not a or not b:
        return 0.0
    return 2 * len(a & b) / (len(a) + len(b))


@remembered(512)
def _grams(text: str) -> frozenset[str]:
    letters = _NO_WORD.sub(" ", text).strip()
    size = 2 if has_han(letters) else 3
    return frozenset(letters[i : i + size] for i in range(max(len(letters) - size + 1, 1))) if letters else frozenset()

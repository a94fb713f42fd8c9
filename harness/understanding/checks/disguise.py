"""Text without disguise: what a reader sees in letters that were spaced out, swapped for lookalikes or encoded."""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import ascii_lowercase
from urllib.parse import unquote

_APOSTROPHES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u0060": "'", "\u00b4": "'", "\u201c": '"', "\u201d": '"'}
)
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУаеіјоѕрсухкмтвнԁԛԝһӏΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορτυχωıɡɑⅼѡ",
    "ABESIJKMHOPCTXYaeijospcyxkmtbhdqwhlABEZHIKMNOPTYXaeiknoptuxwigalw",
)
"""Cyrillic, Greek and other letters that look like Latin ones; only read so in a word that has Latin letters too."""
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡʏᴢ", "abcdefghijklmnopqrstuvwyz")
_LEET_MARKS = "013457@$!|"
_LEET = str.maketrans(_LEET_MARKS, "oieastasil")
_LEETED = re.compile(r"(?<![\w@$!|])(?=[\w@$!|]*[A-Za-z])(?=[\w@$!|]*[013457@$|])[\w@$!|]{2,20}")
_DIGIT_WORD = re.compile(r"(?<![\w@$])[013457@$]{2,8}(?![\w@$])")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_*·]{1,3}){3,}\w(?!\w)")
_TIED = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,20}(?:[_.\-+/]{1,2}[A-Za-z]{2,20}){2,20}")
_WIDE_GAP = re.compile(r"[ .\-_*·]{2,}")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_SPACED_HAN = re.compile(rf"(?:[{_HAN}][ \t.\-_*·|/]+){{3,}}[{_HAN}]")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/_-]{16,4000}={0,2}(?![A-Za-z0-9+/=])")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:0x)?(?:[0-9a-fA-F]{2}[ :]?){8,2000}(?![0-9A-Za-z])")
_QUOTED = re.compile(r"=([2-7][0-9A-Fa-f])")
_ESCAPES = re.compile(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})")
_LETTERS = re.compile(rf"[^\W\d_{_HAN}]+")
_ASCII_LETTER = re.compile("[A-Za-z]")
_TAGS = range(0xE0020, 0xE007F)
_NUMBERS = re.compile(r"(?<!\d)(?:[01]{7,8}|\d{2,3})(?:[ ,]{1,2}(?:[01]{7,8}|\d{2,3})){7,400}(?!\d)")
_MORSE = re.compile(r"(?<![.\-\w])[.\-]{1,5}(?:(?: ?/ ?| {1,3})[.\-]{1,5}){8,400}(?![.\-\w])")
_MORSE_LETTERS = dict(
    zip(
        [
            ".-",
            "-...",
            "-.-.",
            "-..",
            ".",
            "..-.",
            "--.",
            "....",
            "..",
            ".---",
            "-.-",
            ".-..",
            "--",
            "-.",
            "---",
            ".--.",
            "--.-",
            ".-.",
            "...",
            "-",
            "..-",
            "...-",
            ".--",
            "-..-",
            "-.--",
            "--..",
        ],
        ascii_lowercase,
        strict=True,
    )
)
_SHIFTS = (
    str.maketrans(ascii_lowercase, ascii_lowercase[::-1]),
    *tuple(
        str.maketrans(
            ascii_lowercase + ascii_lowercase.upper(),
            ascii_lowercase[by:] + ascii_lowercase[:by] + (ascii_lowercase[by:] + ascii_lowercase[:by]).upper(),
        )
        for by in range(1, 26)
    ),
)
_ROT13 = _SHIFTS[13]
_SHORT = 300
_LONGEST = 4000
"""Characters of a message whose encodings are tried; an order that long is rare, and decoding costs."""
_MOST_TOKENS = 6
_LONG_WORD = 6
"""From how many letters on a word is told even when one of them is missing."""
_WORD = re.compile(r"[A-Za-z]{4,20}")


def seen(text: str) -> str:
    """The text as it looks: NFKC, no invisible characters, lookalike letters as Latin ones, no accents, single blanks.

    Line breaks and case are kept. Invisible tag characters (U+E0020…), which spell ASCII, become that ASCII.
    """
    return _seen_short(text) if len(text) <= 1000 else _seen(text)


@lru_cache(maxsize=1024)
def _seen_short(text: str) -> str:
    return _seen(text)


def _seen(text: str) -> str:
    if text.isascii():
        return re.sub(r"[^\S\n]+", " ", text.translate(_APOSTROPHES)).strip()
    text = unicodedata.normalize("NFKC", text)
    kept: list[str] = []
    for char in text:
        if ord(char) in _TAGS:
            kept.append(chr(ord(char) - 0xE0000))
        elif char == "\n" or unicodedata.category(char) not in ("Cf", "Cc", "Mn", "Me"):
            kept.append(char)
        elif char == "\t":
            kept.append(" ")
    plain = "".join(kept).translate(_APOSTROPHES).translate(_SMALL_CAPITALS)
    plain = _LETTERS.sub(lambda match: _latin(match[0]), plain)
    return re.sub(r"[^\S\n]+", " ", plain).strip()


def _latin(word: str) -> str:
    """A word with its lookalikes as Latin letters, and without accents; one without any Latin letter as it is."""
    if word.isascii() or not _ASCII_LETTER.search(word):
        return word
    parts = unicodedata.normalize("NFD", word.translate(_LOOKALIKES))
    return unicodedata.normalize("NFC", "".join(char for char in parts if unicodedata.category(char) != "Mn"))


def revealed(
    text: str, plain: str, *, hints: Sequence[str] = (), ciphers: Sequence[str] = (), words: Sequence[str] = ()
) -> Iterator[str]:
    """What else a text may say: with spaced letters joined, digits read as letters, encoded parts decoded, words respelled.

    Args:
        text: as it was typed; wide gaps in it part words of spaced letters.
        plain: the same as :func:`seen` gives it.
        hints: words of an order; a text is read from its end, and as ROT13, only where that brings one of them out.
        ciphers: words for shifted alphabets; a text with one of them is read with every shift.
        words: a word of a short text that has the letters of one of these in another order, one less, or one more inside,
            is read as it.

    Yields:
        readings that differ from ``plain``; none for ordinary text.
    """
    if _SPACED.search(plain):
        yield _SPACED.sub(_joined, unicodedata.normalize("NFKC", text))
        yield _SPACED.sub(lambda match: re.sub(r"[\W_]+", "", match[0]), plain)
    if _SPACED_HAN.search(plain):
        yield _SPACED_HAN.sub(lambda match: re.sub(rf"[^{_HAN}]+", "", match[0]), plain)
    head = plain[:_LONGEST]
    if _TIED.search(head):
        yield _TIED.sub(lambda match: re.sub(r"[_.\-+/]+", " ", match[0]), head)
    yield from _squeezed(head, hints)
    if words and len(plain) <= _SHORT and (respelled := _respelled(plain, tuple(words))) != plain:
        yield respelled
    leeted = _LEETED.findall(head)
    if len(leeted) >= 2 or any(sum(char in _LEET_MARKS for char in word) >= 2 for word in leeted):
        letters = _LEETED.sub(lambda match: match[0].translate(_LEET), head)
        yield _DIGIT_WORD.sub(lambda match: match[0].translate(_LEET), letters)
    for reading in (*_decoded(head), *_escaped(head), *_coded(head), *_turned(head, hints, ciphers)):
        if reading != plain:
            yield reading


def _squeezed(text: str, hints: Sequence[str]) -> Iterator[str]:
    """The letters of a short text alone, where that brings out a hint that blanks, marks or pictures had cut up."""
    if len(text) > _SHORT:
        return
    lowered = text.lower()
    letters = re.sub(r"[\W_]+", "", lowered)
    if any(hint in letters and hint not in lowered for hint in hints):
        yield letters


def _respelled(text: str, words: tuple[str, ...]) -> str:
    known = _misspellings(words)

    def mended(match: re.Match[str]) -> str:
        word = match[0].lower()
        if word in words:
            return match[0]
        inserted = (word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)) if len(word) > _LONG_WORD else ()
        found = known.get(word) or known.get(_jumbled(word)) or next((one for one in inserted if one in words), None)
        return found or match[0]

    return _WORD.sub(mended, text)


@lru_cache(maxsize=8)
def _misspellings(words: tuple[str, ...]) -> dict[str, str]:
    """What each word becomes in haste: without one of its letters, and, as a key of its own, with them in any order."""
    known: dict[str, str] = {}
    for word in words:
        known.setdefault(_jumbled(word), word)
        if len(word) >= _LONG_WORD:
            for at in range(1, len(word)):
                known.setdefault(word[:at] + word[at + 1 :], word)
    return known


def _jumbled(word: str) -> str:
    """A word by its first letter and the others sorted; no text is spelled like that."""
    return f"{word[:1]}:{''.join(sorted(word[1:]))}"


def _joined(match: re.Match[str]) -> str:
    """Spaced letters as words: where wider gaps part the words, they stay apart."""
    parts = _WIDE_GAP.split(match[0]) if _WIDE_GAP.search(match[0]) else [match[0]]
    return " ".join(re.sub(r"[\W_]+", "", part) for part in parts)


def _escaped(text: str) -> Iterator[str]:
    if text.count("%") > 3:
        yield unquote(text, errors="replace")
    if len(_QUOTED.findall(text)) > 3:
        yield _QUOTED.sub(lambda match: chr(int(match[1], 16)), text)
    if "&#" in text or "&lt;" in text:
        yield html.unescape(text)
    if _ESCAPES.search(text):
        yield _ESCAPES.sub(lambda match: chr(int(match[1] or match[2], 16)), text)


def _decoded(text: str, *, nested: bool = True) -> Iterator[str]:
    """Base64, base32 and hexadecimal parts as text; what was encoded twice is decoded twice."""
    for match in _first(_BASE64, text):
        token = match[0].rstrip("=").replace("-", "+").replace("_", "/")
        for decode in (_base64, _base32):
            if (reading := decode(token)) is not None:
                yield reading
                if nested:
                    yield from _decoded(reading, nested=False)
                break
    for match in _first(_HEX, text):
        if (reading := _hex(match[0])) is not None:
            yield reading


def _turned(text: str, hints: Sequence[str], ciphers: Sequence[str]) -> Iterator[str]:
    """The text from its end, and with its letters shifted: by 13, as mirrored alphabet, and by every number."""
    lowered = text.lower()
    shifted = _SHIFTS if any(word in lowered for word in ciphers) else ()
    for reading in (text.translate(_ROT13), text[::-1], *(text.translate(table) for table in shifted)):
        lowered = reading.lower()
        if any(hint in lowered for hint in hints):
            yield reading


def _coded(text: str) -> Iterator[str]:
    """Numbers of letters (decimal or binary), and Morse code."""
    for match in _first(_NUMBERS, text):
        codes = [
            int(number, 2 if set(number) <= {"0", "1"} and len(number) > 6 else 10)
            for number in re.split(r"[ ,]+", match[0])
        ]
        if all(31 < code < 127 for code in codes):
            yield "".join(map(chr, codes))
    for match in _first(_MORSE, text):
        parts = re.split(r" ?/ ?| {2,}", match[0].strip())
        yield " ".join("".join(_MORSE_LETTERS.get(sign, "") for sign in part.split()) for part in parts)


def _first(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    for number, match in enumerate(pattern.finditer(text)):
        if number >= _MOST_TOKENS:
            return
        yield match


def _base64(token: str) -> str | None:
    try:
        return _words(base64.b64decode(token + "=" * (-len(token) % 4)))
    except (ValueError, binascii.Error):
        return None


def _base32(token: str) -> str | None:
    try:
        return _words(base64.b32decode(token + "=" * (-len(token) % 8)))
    except (ValueError, binascii.Error):
        return None


def _hex(token: str) -> str | None:
    try:
        return _words(bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", token.removeprefix("0x"))))
    except ValueError:
        return None


def _words(data: bytes) -> str | None:
    """Bytes as text, when they are nothing but text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if len(text) > 3 and all(char.isprintable() or char.isspace() for char in text) else None

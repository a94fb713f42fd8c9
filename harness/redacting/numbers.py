"""Cards, id numbers and phone numbers: told by their form, their check digit, and the words beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import accumulate

from harness.redacting.checks import card_like, hong_kong_id, iban, luhn, resident_id, taiwan_id

Said = Callable[[str, str, int], bool]
"""Whether the words right before a place of a text name this kind of number."""

_START = r"(?<![A-Za-z0-9_])(?<!\d[.,\-/])(?<!\d[.,] )"
_END = r"(?![A-Za-z0-9_])(?![.,\-/]\d)"
_WORTH = re.compile(r"\d(?:[ ()._/|·\t\n-]{0,3}\d){5}")
"""Six digits in a row, whatever stands between them; without them there is nothing to look for."""


def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(f"{_START}(?:{body}){_END}", re.ASCII)


_CARD = _compiled(
    r"\d{13,19}|\d{4}(?P<a>[ -])\d{4}(?P=a)\d{4}(?P=a)\d{4}(?:(?P=a)\d{1,3})?|3\d{3}(?P<b>[ -])\d{6}(?P=b)\d{4,5}|\d{6}[ -]\d{13}"
)
_IBAN = re.compile(r"(?<![A-Za-z0-9_])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9_])")
_RESIDENT = _compiled(r"\d{6}[ -]?\d{4}[ -]?\d{2}[ -]?\d{2}[ -]?\d{3}[ -]?[\dXx]")
_HONG_KONG = re.compile(r"(?<![A-Za-z0-9_])[A-Z]{1,2}\d{6}\([0-9A]\)")
_SOCIAL = _compiled(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
_NAMED_ID = re.compile(
    r"(?<![A-Za-z0-9_])(?=[A-Za-z0-9 -]{0,12}\d{3})(?:[A-Z]{1,3} ?|[a-z]{1,3})?\d[\d -]{4,20}[\dXxA-Za-z](?![A-Za-z0-9_])"
)
_NAMED_FIGURES = _compiled(r"\d{2,9}(?:[ -]\d{1,9}){1,8}")
_PHONES = _compiled(
    r"(?:(?:\+|00)86[ -]?)?1[3-9]\d[ -]?\d{4}[ -]?\d{4}"  # a mobile in China
    r"|(?:(?:\+|00)86[ -]?)?1[3-9]\d{2}[ -]\d{3}[ -]\d{4}"
    r"|\(0\d{2,3}\) ?\d{7,8}|0\d{2,3}-\d{7,8}(?:-\d{1,5})?"  # a line in China
    r"|(?:\+?1[-. ])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}(?P<d>[-.]))[2-9]\d{2}(?:(?P=d)|[-.])\d{4}"  # North America
    r"|\+[1-9]\d{0,2}(?:[ .-]?\(?\d{1,5}\)?){2,6}"  # international (E.164)
    r"|(?<!\d )0[1-9](?: \d\d){4}(?! \d)|0[1-9]\d{8,10}|07\d{3} \d{3} \d{3}|0\d{4} \d{6}|0\d{3} \d{3} \d{4}|020 \d{4} \d{4}"
)
_TAIWAN = _compiled(r"[A-Z][1289]\d{8}")
_PART = r"\d++(?![A-WYZa-wyz])"
_PARTED = re.compile(
    rf"(?<![A-Za-z0-9_])(?<![A-Za-z0-9][._/|-]){_PART}(?:(?:[ ._/|·-]{{1,3}}|[ \t]{{0,3}}\n[ \t]{{0,3}}){_PART})+(?:[ -]?[Xx](?![A-Za-z0-9_]))?",
    re.ASCII,
)
"""Numbers in a row, with whatever people put between the parts of one."""
_LAST_X = re.compile(r"[ -]?[Xx](?![A-Za-z0-9_])")
_FIGURES = re.compile(r"\d+", re.ASCII)
_MOBILE = re.compile(r"(?:86)?1[3-9]\d{9}", re.ASCII)
_ROUND = re.compile(r"\+?\d+0{6}", re.ASCII)
IN_ORDER = "01234567890123456789"
_NAMED_NUMBER = re.compile(r"(?<![A-Za-z0-9_])[+(]{0,2}\d(?:[ ().·-]{0,2}\d){6,16}(?![A-Za-z0-9_])", re.ASCII)
_CODE = re.compile(r"(?<![A-Za-z0-9_])\d{3,4}(?![A-Za-z0-9_])", re.ASCII)


@dataclass(frozen=True, slots=True)
class Beside:
    """What the words of the language packs say of a place in a text.

    Attributes:
        names: whether the words before a place name a kind (``card``, ``id``, ``phone``).
        counts: whether the words around a number show that it counts or orders something ("followers", 订单号).
    """

    names: Said
    counts: Callable[[str, int, int], bool]


def worth(text: str) -> bool:
    """Whether a text has enough digits to look any closer."""
    return _WORTH.search(text) is not None


def _windows(text: str, shortest: int, longest: int) -> Iterator[tuple[str, tuple[int, ...], int, int]]:
    """(digits, how many stand together, start, end) of neighbouring numbers that have so many digits together. Digits that
    stand alone are those of one number only where no others are beside them.
    """
    for run in _PARTED.finditer(text):
        parts = [part.span() for part in _FIGURES.finditer(text, run.start(), run.end())]
        digits = "".join(text[start:end] for start, end in parts)
        done = 0
        for first, (begin, _) in enumerate(parts):
            total = 0
            for last in range(first, len(parts)):
                start, end = parts[last]
                total += end - start
                if total > longest:
                    break
                if total >= shortest and last > first:
                    sizes = tuple(end - start for start, end in parts[first : last + 1])
                    if max(sizes) > 1 or len(sizes) == len(parts):
                        yield digits[done : done + total], sizes, begin, end
            done += parts[first][1] - begin


def _evenly(sizes: tuple[int, ...]) -> bool:
    """Whether the parts are as somebody parts one number: in fours and more, or each digit alone."""
    return min(sizes[:-1]) >= 4 or (max(sizes) == 1 and len(sizes) >= 15)


def _like_an_id(sizes: tuple[int, ...]) -> bool:
    """Whether a resident identity number is parted before and behind the day of birth, or everywhere."""
    sums = tuple(accumulate(sizes))
    return max(sizes) == 1 or (6 in sums and 14 in sums and min(sizes) > 1 and max(sizes) >= 4)


def _like_a_mobile(sizes: tuple[int, ...], between: str) -> bool:
    """Whether a mobile number is parted like this; twos only where no blanks are between them, which lists have."""
    if len(sizes) == 2:
        return sizes in ((3, 8), (7, 4), (2, 11))
    tight = " " not in between and "\n" not in between
    return max(sizes) == 1 or (min(sizes) > 1 and (tight or (len(sizes) <= 4 and min(sizes[-3:]) >= 3)))


def _residents(text: str, beside: Beside) -> Iterator[tuple[int, int]]:
    for match in _RESIDENT.finditer(text):
        value = re.sub(r"[ -]", "", match[0])
        if resident_id(value) or beside.names("id", text, match.start()):
            yield match.span()
    for digits, sizes, start, end in _windows(text, 17, 18):
        if not _like_an_id(sizes):
            continue
        last = _LAST_X.match(text, end) if len(digits) == 17 else None
        if resident_id(f"{digits}X" if last else digits.ljust(18)):
            yield start, last.end() if last else end


def ids(text: str, beside: Beside) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the id numbers of a text."""
    for span in _residents(text, beside):
        yield "id", *span
    for match in _TAIWAN.finditer(text):
        if taiwan_id(match[0]) and not beside.counts(text, *match.span()):
            yield "id", *match.span()
    for match in _HONG_KONG.finditer(text):
        if hong_kong_id(match[0].replace("(", "").replace(")", "")):
            yield "id", *match.span()
    for match in _SOCIAL.finditer(text):
        yield "id", *match.span()
    for pattern in (_NAMED_ID, _NAMED_FIGURES):
        for match in pattern.finditer(text):
            if beside.names("id", text, match.start()):
                yield "id", *match.span()


def cards(text: str, beside: Beside) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the card and account numbers of a text."""
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        named = beside.names("card", text, match.start())
        if named or (luhn(digits) and card_like(digits) and not beside.counts(text, *match.span())):
            yield "card", *match.span()
    for digits, sizes, start, end in _windows(text, 13, 19):
        if _evenly(sizes) and card_like(digits) and luhn(digits) and not beside.counts(text, start, end):
            yield "card", start, end
    for match in _IBAN.finditer(text):
        if iban(match[0].replace(" ", "")):
            yield "account", *match.span()
    for match in _NAMED_NUMBER.finditer(text):
        if beside.names("card", text, match.start()) and sum(char.isdigit() for char in match[0]) >= 10:
            yield "card", *match.span()


def codes(text: str, beside: Beside) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the security codes of cards."""
    for match in _CODE.finditer(text):
        if beside.names("code", text, match.start()):
            yield "code", *match.span()


def phones(text: str, beside: Beside) -> Iterator[tuple[str, int, int]]:
    """(what, start, end) of the phone numbers of a text."""
    for match in _PHONES.finditer(text):
        digits = sum(char.isdigit() for char in match[0])
        if digits < 9 or digits > 16 or text[match.start() - 1 : match.start()] == "/":
            continue
        named = beside.names("phone", text, match.start())
        if named or not (_ROUND.fullmatch(match[0]) or match[0] in IN_ORDER or beside.counts(text, *match.span())):
            yield "phone", *match.span()
    for number, sizes, start, end in _windows(text, 11, 13):
        if _MOBILE.fullmatch(number) and _like_a_mobile(sizes, text[start:end]) and not beside.counts(text, start, end):
            yield "phone", start, end
    for match in _NAMED_NUMBER.finditer(text):
        if beside.names("phone", text, match.start()) and not beside.counts(text, *match.span()):
            yield "phone", *match.span()

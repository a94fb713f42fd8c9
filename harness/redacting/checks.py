"""Check digits, by which a number that means something is told from one that only is as long."""

from __future__ import annotations

from datetime import date

_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_CHECK = "10X98765432"
_PROVINCES = frozenset(
    (*range(11, 16), *range(21, 24), *range(31, 38), *range(41, 47), *range(50, 55), *range(61, 66), 71, 81, 82, 83)
)
_LETTERS = {chr(ord("A") + index): str(10 + index) for index in range(26)}


def luhn(digits: str) -> bool:
    """Whether the check digit of a payment card is right (ISO/IEC 7812-1, annex B)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def card_like(digits: str) -> bool:
    """Whether a card network gives out numbers of this beginning and length."""
    length = len(digits)
    if digits[0] == "4":
        return length in (13, 16, 19)
    if digits[:2] in ("34", "37"):
        return length == 15
    if digits[:2] in ("36", "38", "30"):
        return length == 14
    if digits[:2] == "62" or digits[:4] == "9558":
        return 16 <= length <= 19
    if "2221" <= digits[:4] <= "2720" or "2200" <= digits[:4] <= "2204":
        return length == 16
    return length == 16 and (digits[0] == "5" or digits[:2] in ("35", "60", "64", "65"))


def iban(value: str) -> bool:
    """Whether the check digits of an international bank account number are right (ISO 13616: mod 97)."""
    turned = value[4:] + value[:4]
    return int("".join(_LETTERS.get(char, char) for char in turned)) % 97 == 1


def resident_id(value: str) -> bool:
    """Whether 18 characters are a Chinese resident identity number: province, day of birth, check character (GB 11643-1999)."""
    if int(value[:2]) not in _PROVINCES:
        return False
    try:
        born = date(int(value[6:10]), int(value[10:12]), int(value[12:14]))
    except ValueError:
        return False
    total = sum(int(digit) * weight for digit, weight in zip(value[:17], _WEIGHTS, strict=True))
    return born.year >= 1880 and _CHECK[total % 11] == value[17].upper()


def hong_kong_id(value: str) -> bool:
    """Whether a letter or two, six digits and a check character are a Hong Kong identity card number (sum mod 11)."""
    body = value[:-1].rjust(8)
    values = [36 if char == " " else ord(char) - 55 if char.isalpha() else int(char) for char in body]
    total = sum(weight * one for weight, one in zip(range(9, 1, -1), values, strict=True))
    last = 10 if value[-1] == "A" else int(value[-1])
    return (total + last) % 11 == 0


def taiwan_id(value: str) -> bool:
    """Whether a letter and nine digits are an identity card number of Taiwan (weighted sum mod 10)."""
    place = "ABCDEFGHJKLMNPQRSTUVXYWZIO".index(value[0]) + 10
    values = (place // 10, place % 10, *map(int, value[1:]))
    return sum(weight * one for weight, one in zip((1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1), values, strict=True)) % 10 == 0

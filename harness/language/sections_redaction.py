"""Pack section ``redaction``: what a language calls secrets, and what shows that a number is none."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from harness.state.base import Frozen


class RedactionCues(Frozen):
    """Section ``redaction``.

    Attributes:
        labels: the word of a reference, by what it stands for: ``key``, ``token``, ``private_key``, ``connection``,
            ``password``, ``card``, ``account``, ``code`` (of a card), ``id``, ``phone``, ``email``.
        card, id, phone, code: patterns that the words right before such a number end with ("my card number is", 卡号是).
        counted_before: patterns that the words before a number end with that counts or orders something ("order no.", 订单号).
        counted_behind: patterns that the words behind such a number begin with ("followers", 元).
        passwords: patterns whose group ``s`` is a password or a code ("my password is …", 密码是…). In a long list they are only
            tried where one of ``password_hints`` matches.
        no_passwords: patterns of what stands in that place without being one ("required", "too short").
        digits: words of digits, by the word; of seven or more in a row a number is made ("five five five …", 幺三八…).
        repeated: words that repeat the digit behind them, and how often it is said ("double").
    """

    labels: Mapping[str, str] = Field(default_factory=dict)
    card: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    phone: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    counted_before: tuple[str, ...] = ()
    counted_behind: tuple[str, ...] = ()
    passwords: tuple[str, ...] = ()
    password_hints: tuple[str, ...] = ()
    no_passwords: tuple[str, ...] = ()
    digits: Mapping[str, str] = Field(default_factory=dict)
    repeated: Mapping[str, int] = Field(default_factory=dict)

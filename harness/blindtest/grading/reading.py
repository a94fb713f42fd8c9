"""How an exchange is read before it is judged: lines that are only wrapped are joined, and what tells the time is no part of the message."""

from __future__ import annotations

import re

from harness.blindtest.transcript import Exchange
from harness.understanding.text import has_han

_PARAGRAPHS = re.compile(r"(\n[^\S\n]*\n\s*)")
_ENDED = re.compile(r"[.!?。！？…~～:：;；*][\"'”’」』)）*_]*\s*$")
_ITEM = re.compile(r"\s*(?:[-*•·–—>#|]|[(（]?(?P<number>\w{1,3})[.)、）])")
_LINE = re.compile(r"[^\S\n]*\r?\n[^\S\n]*")


def read(exchange: Exchange) -> Exchange:
    """The exchange as the graders of meaning see it."""
    user, reply = message_of(exchange), unwrapped(exchange.said.text)
    if (user, reply) == (exchange.user, exchange.said.text):
        return exchange
    return exchange.model_copy(update={"user": user, "said": exchange.said.model_copy(update={"text": reply})})


def message_of(exchange: Exchange) -> str:
    """The message without the lines that say how much time has passed."""
    if not exchange.passed:
        return exchange.user
    lines = exchange.user.split("\n")
    for passed in exchange.passed:
        if passed in lines:
            lines.remove(passed)
    return "\n".join(lines)


def unwrapped(text: str) -> str:
    """A text with the breaks inside its sentences taken out ("In", "Leeds." over two lines).

    A break stays after the end of a sentence, before an item of a list, between paragraphs, and in paragraphs that end without a mark:
    who writes so ends sentences by new lines.
    """
    if "\n" not in text:
        return text
    return "".join(_paragraph(part) if part.strip() else part for part in _PARAGRAPHS.split(text))


def _paragraph(text: str) -> str:
    if not _ENDED.search(text):
        return text
    lines = _LINE.split(text)
    made = lines[0]
    for line in lines[1:]:
        if not made.strip() or not line.strip() or _ENDED.search(made) or _is_item(line):
            made += "\n" + line
        else:
            made += _between(made, line) + line
    return made


def _is_item(line: str) -> bool:
    """Whether a line begins as an item of a list: with a dash, ``2.``, （三） or 四、 for instance."""
    found = _ITEM.match(line)
    return found is not None and (found["number"] is None or found["number"].isnumeric())


def _between(before: str, after: str) -> str:
    """A blank between words, nothing where Chinese stands on a side."""
    return "" if has_han(before[-1:]) or has_han(after[:1]) or before[-1:] in "，、" else " "

"""A text that is longer than its place in a prompt: its beginning and its end, with a mark where the middle is left out.

What was said stays as it was typed in the journal and in the state; only the model sees less of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.language import LanguagePack
    from harness.ports import TokenCounter
    from harness.settings import EngineSettings

LEAST = 96
"""Tokens of a shortened text; with less room than that it would say nothing."""
WITHIN_REQUEST = 2
"""A text inside a request with more parts gets the budget of the whole prompt, divided by this."""
IN_HISTORY = 3
"""The same for one message of the history, so that those around it stay."""
BEGINNING = 0.65
"""Share of what is kept that is the beginning; the question of a long message often stands at its end."""
_END = re.compile(r"[。！？…][\"'”」』)）]*|[.!?][\"'”)]*(?=\s)|\n")


def shortened(text: str, room: int, *, tokens: TokenCounter, pack: LanguagePack) -> str:
    """The text as it is when it has at most ``room`` tokens, else what of it fits.

    Cut at the ends of sentences where there are any in reach; the mark of the language pack says how many characters are missing.
    """
    if tokens.count(text) <= room:
        return text
    least, most = 0, len(text)
    best = ""
    while least < most:
        kept = (least + most + 1) // 2
        tried = _cut(text, kept, pack)
        if tokens.count(tried) <= room:
            least, best = kept, tried
        else:
            most = kept - 1
    return best or _cut(text, 1, pack)


def within_request(text: str, *, settings: EngineSettings, tokens: TokenCounter, pack: LanguagePack) -> str:
    """The text as a request with more parts may hold it."""
    room = max(LEAST, settings.total_token_budget // WITHIN_REQUEST)
    return shortened(text, room, tokens=tokens, pack=pack)


def _cut(text: str, kept: int, pack: LanguagePack) -> str:
    head = text[: max(1, int(kept * BEGINNING))]
    tail = text[len(text) - (kept - len(head)) :] if kept > len(head) else ""
    ends = [match.end() for match in _END.finditer(head)]
    if ends and ends[-1] > len(head) // 2:
        head = head[: ends[-1]]
    start = next((match.end() for match in _END.finditer(tail)), 0)
    if 0 < start < len(tail) // 2:
        tail = tail[start:]
    head, tail = head.rstrip(), tail.strip()
    mark = pack.lines.left_out.format(count=len(text) - len(head) - len(tail))
    return "\n".join(part for part in (head, mark, tail) if part)

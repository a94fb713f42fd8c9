"""Extractive summaries: the sentences that matter, with who said them and when, inside a token limit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from harness.language.phrases import is_han
from harness.language.remembering import remembered
from harness.state.facts import USER
from harness.understanding.emotion.track import appraise
from harness.understanding.one_script import in_one_script
from harness.understanding.references.mentions import find_mentions
from harness.understanding.text import numbers
from harness.understanding.topics.track import is_backchannel
from harness.understanding.words import content_words, sentence_list, tidy

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from harness.language.pack import LanguagePack
    from harness.state.dialogue import Message

PROMISE = 5.0
FACT = 2.0
NUMBER = 2.0
NAME = 1.2
"""Per proper name, at most three."""
PREFERENCE = 1.5
ANSWER = 1.5
QUESTION_ANSWERED = 0.8
EMOTION = 0.5
CONTENT = 0.12
"""Per content word, at most eight."""
KEPT_BEFORE = 1.0
"""What stood in the previous summary was found worth keeping once."""
SMALL_TALK = -10.0
OVERLONG = 0.75
"""Share of the limit beyond which a sentence is cut to two thirds of that share, so that others have room, too."""
_TURN_TAG = re.compile(r"^\s*[\[(]?(\d+)[\])]")


@dataclass(frozen=True, slots=True)
class _Sentence:
    """One sentence of a message (``turn`` and ``speaker`` set) or one line of the previous summary (both empty)."""

    index: int
    group: int
    turn: int | None
    speaker: str
    text: str
    score: float


@in_one_script
def summarize_rules(
    messages: Sequence[Message],
    *,
    previous: str,
    persona_name: str,
    user_name: str,
    pack: LanguagePack,
    max_tokens: int,
    count_tokens: Callable[[str], int],
) -> str:
    """The sentences of ``previous`` and ``messages`` that rank highest, in order, within ``max_tokens``.

    Promises, numbers, names, lasting facts and answered questions rank highest; small talk is dropped first. Lines say
    the turn and the speaker. A single sentence that is too long is cut with an ellipsis. The same input always gives the
    same text; it is empty only when there is nothing to say or no room for a character.
    """
    if max_tokens <= 0:
        return ""
    names = {"user": user_name if user_name and user_name != USER else pack.summary.default_user}
    names["character"] = persona_name
    longest = max(1, int(max_tokens * OVERLONG))
    ellipsis = pack.summary.ellipsis
    candidates = _from_previous(previous, pack)
    candidates += _from_messages(messages, names, pack, start=len(candidates))
    candidates = [_shortened(c, longest, ellipsis, count_tokens) for c in _distinct(candidates) if c.text]
    telling = [c for c in candidates if c.score > SMALL_TALK / 2] or candidates
    ranked = sorted(telling, key=lambda c: (-c.score, c.index))
    chosen: list[_Sentence] = []
    for candidate in ranked:
        if count_tokens(_render([*chosen, candidate], pack)) <= max_tokens:
            chosen.append(candidate)
    if chosen or not ranked:
        return _render(chosen, pack)
    return _cut(_render(ranked[:1], pack), max_tokens, ellipsis, count_tokens)


def _from_previous(previous: str, pack: LanguagePack) -> list[_Sentence]:
    """Lines of an earlier summary, with their scores; prose without turn tags is taken sentence by sentence."""
    pieces: list[str] = []
    for line in tidy(previous).splitlines():
        stripped = line.strip()
        if stripped:
            pieces.extend([stripped] if _TURN_TAG.match(stripped) else sentence_list(stripped))
    return [
        _Sentence(index, -1 - index, None, "", piece, _score(piece, pack) + KEPT_BEFORE)
        for index, piece in enumerate(pieces)
    ]


def _from_messages(
    messages: Sequence[Message], names: dict[str, str], pack: LanguagePack, *, start: int
) -> list[_Sentence]:
    found: list[_Sentence] = []
    for group, message in enumerate(messages):
        before = messages[group - 1] if group else None
        after = messages[group + 1] if group + 1 < len(messages) else None
        pieces = sentence_list(tidy(message.text))
        for place, piece in enumerate(pieces):
            score = _score(piece, pack)
            if score > SMALL_TALK / 2:
                if place == 0 and before is not None and before.speaker != message.speaker and _asks(before.text):
                    score += ANSWER
                if place == len(pieces) - 1 and _asks(piece) and after is not None and after.speaker != message.speaker:
                    score += QUESTION_ANSWERED
            text = " ".join(piece.split())
            found.append(_Sentence(start + len(found), group, message.turn, names[message.speaker], text, score))
    return found


def _asks(text: str) -> bool:
    return text.rstrip().endswith(("?", "？"))


@remembered(4096)
def _score(sentence: str, pack: LanguagePack) -> float:
    """How much a sentence matters; see the constants."""
    if _is_small_talk(sentence, pack):
        return SMALL_TALK
    lines = pack.summary
    score = CONTENT * min(len(content_words(sentence, pack)), 8)
    for patterns, worth in ((lines.promises, PROMISE), (lines.facts, FACT), (lines.preferences, PREFERENCE)):
        if any(pattern.search(sentence) for pattern in patterns):
            score += worth
    if numbers(sentence, pack):
        score += NUMBER
    score += NAME * min(sum(mention.proper for mention in find_mentions(sentence, pack)), 3)
    if appraise(sentence, pack).cause:
        score += EMOTION
    return score


def _is_small_talk(sentence: str, pack: LanguagePack) -> bool:
    """Whether nothing is left of a sentence without its empty phrases."""
    if is_backchannel(sentence, pack):
        return True
    rest = list(sentence)
    for hit in pack.summary.small_talk_phrases.find(sentence):
        rest[hit.start : hit.end] = " " * (hit.end - hit.start)
    left = "".join(rest)
    return len(left.split()) < len(sentence.split()) + any(map(is_han, sentence)) and not content_words(left, pack)


def _distinct(sentences: list[_Sentence]) -> list[_Sentence]:
    """Each line once, the first of them."""
    seen: set[tuple[str, str]] = set()
    kept: list[_Sentence] = []
    for sentence in sentences:
        key = (sentence.speaker, sentence.text)
        if key not in seen:
            seen.add(key)
            kept.append(sentence)
    return kept


def _shortened(sentence: _Sentence, longest: int, ellipsis: str, count_tokens: Callable[[str], int]) -> _Sentence:
    if count_tokens(sentence.text) <= longest:
        return sentence
    text = _cut(sentence.text, max(1, longest * 2 // 3), ellipsis, count_tokens) or sentence.text
    return _Sentence(sentence.index, sentence.group, sentence.turn, sentence.speaker, text, sentence.score)


def _render(chosen: list[_Sentence], pack: LanguagePack) -> str:
    """The chosen sentences in the order they were said, those of one message on one line."""
    lines: list[tuple[_Sentence, str]] = []
    for sentence in sorted(chosen, key=lambda c: c.index):
        if lines and lines[-1][0].group == sentence.group:
            text = lines[-1][1]
            glue = "" if is_han(text[-1]) or text[-1] in "。！？；…" else " "
            lines[-1] = (sentence, f"{text}{glue}{sentence.text}")
        else:
            lines.append((sentence, sentence.text))
    return "\n".join(
        text
        if sentence.turn is None
        else pack.summary.line.format(turn=sentence.turn, speaker=sentence.speaker, text=text)
        for sentence, text in lines
    )


def _cut(text: str, limit: int, ellipsis: str, count_tokens: Callable[[str], int]) -> str:
    """The longest beginning of a text that fits with an ellipsis, at a word's end where there is one."""
    if count_tokens(text) <= limit:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count_tokens(text[:middle].rstrip() + ellipsis) <= limit:
            low = middle
        else:
            high = middle - 1
    head = text[:low].rstrip()
    if low < len(text) and " " in head and text[low : low + 1].isalnum() and not is_han(text[low]):
        head = head.rsplit(" ", 1)[0]
    cut = head + ellipsis
    return cut if head and count_tokens(cut) <= limit else ""

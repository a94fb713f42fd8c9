"""Short names of topics, taken from what was said: the noun-like words a person would write on a folder."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from harness.language.phrases import Phrases, is_han, lower
from harness.understanding.text import numbers, numeral
from harness.understanding.topics.shifts import fields_of, is_question
from harness.understanding.words import content_runs, sentence_list

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack

LONGEST_LATIN = 3
"""Words of a label that no cue named."""
LONGEST_HAN = 6
"""Han characters of one; a longer piece is cut down to what the pack knows in it."""
_EDGES = " \t,，、:：-–—\"'“”‘’()（）。.!！?？~～"
_KNOWN, _ENTITY, _DETERMINED, _ASKED = 2.0, 0.5, 0.6, 0.3


def trim_label(words: str, pack: LanguagePack) -> str:
    """A label without articles and particles at its ends, cut at the longest length at a word's end."""
    label = " ".join(words.split()).strip(_EDGES)
    trims = _trims(pack)
    before = None
    while label and label != before:
        before = label
        lowered = lower(label)
        hit = trims.at(lowered, 0)
        if hit is not None and hit.end < len(label):
            label = label[hit.end :].strip(_EDGES)
            continue
        for start in range(max(0, len(label) - _longest_trim(pack)), len(label)):
            hit = trims.at(lowered, start) if start else None
            if hit is not None and hit.end == len(label):
                label = label[:start].strip(_EDGES)
                break
    if len(label) > pack.topics.max_label:
        cut = label[: pack.topics.max_label]
        label = (cut.rsplit(" ", 1)[0] if " " in cut else cut).strip(_EDGES)
    return "" if trims.at(lower(label), 0) is not None and lower(label) in pack.topics.label_trim else label


def named_label(words: str, pack: LanguagePack) -> str:
    """The label of what a cue names: as it was said when that is short, else what is best in it."""
    label = trim_label(words, pack)
    long = len(label) > LONGEST_HAN + 2 if any(map(is_han, label)) else len(label.split()) > LONGEST_LATIN
    best = label_of((label,), pack) if long else label
    return label if best == pack.topics.no_topic_label else best


def label_of(texts: tuple[str, ...], pack: LanguagePack) -> str:
    """The best label in the first of some texts that has any; the pack's word for small talk when none has.

    What the pack knows as a word of a field of life comes first ("old radio", 房租), then what stands after an article or
    possessive, then names and longer runs; among equals what is said last.
    """
    for text in texts:
        found: list[tuple[float, str]] = []
        for sentence in sentence_list(text):
            bonus = _ASKED if is_question(sentence) else 0.0
            found += ((weight + bonus, label) for weight, label in _candidates(sentence, pack))
        if found:
            return max(reversed(found), key=lambda one: one[0])[1]
    return pack.topics.no_topic_label


def _candidates(sentence: str, pack: LanguagePack) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    leftover: list[tuple[float, str]] = []
    for run in content_runs(sentence, pack):
        han = is_han(run[0])
        for piece in (_han_pieces if han else _latin_pieces)(run, pack):
            label = trim_label(piece, pack)
            if label and not _only_number(label, pack) and (len(label) > 1 or label in pack.entities.kind_of_noun):
                found.append((_han_weight(label, pack) if han else _latin_weight(label, sentence, pack), label))
        whole = trim_label(run, pack)
        bare = lower(whole) in _stops(pack)  # a verb alone ("died") names nothing
        if not bare and not (whole and _only_number(whole, pack)) and 1 < len(whole) <= pack.topics.max_label:
            leftover.append((0.0, whole))
    return found or leftover[:1]


def _only_number(label: str, pack: LanguagePack) -> bool:
    """Whether a label would be nothing but a number ("Nine", 2000, 三十二)."""
    if is_han(label[0]):
        return numeral(label) is not None
    return " " not in label and bool(numbers(label, pack)) and not fields_of(lower(label), pack)


def _latin_pieces(run: str, pack: LanguagePack) -> list[str]:
    """A run without verbs and adverbs; around words of a known field no more than the word before them."""
    pieces: list[list[str]] = [[]]
    for word in run.split():
        lowered = lower(word)
        shaped = pack.topics.no_noun is not None and pack.topics.no_noun.fullmatch(lowered)
        if lowered in _stops(pack) or (shaped and lowered not in pack.topics.fields_of_word):
            pieces.append([])
        else:
            pieces[-1].append(word)
    cut: list[str] = []
    for words in pieces:
        known = [at for at, word in enumerate(words) if fields_of(lower(word), pack)]
        kept = words[max(0, known[0] - 1) : known[-1] + 2] if known else words
        if known and len(kept) > LONGEST_LATIN:
            kept = words[max(0, known[-1] - 1) : known[-1] + 1]
        kept = kept[:LONGEST_LATIN]
        if kept:
            cut.append(" ".join(kept))
    return cut


def _latin_weight(label: str, sentence: str, pack: LanguagePack) -> float:
    words = label.split()
    at = sentence.find(label)
    before = lower(sentence[:at]).split()
    return (
        0.3 * min(len(words), 3)
        + (_KNOWN if fields_of(lower(label), pack) else 0.0)
        + (_DETERMINED if before and before[-1] in pack.topics.determiners else 0.0)
        + (_ENTITY if at > 0 and label[0].isupper() else 0.0)
    )


def _han_pieces(run: str, pack: LanguagePack) -> list[str]:
    """What stands between verbs of the run; a long piece cut down to the words of known fields in it."""
    pieces: list[str] = []
    start = 0
    known: list[tuple[int, int]] = []

    def close(end: int) -> None:
        piece = run[start:end]
        if len(piece) > LONGEST_HAN and known:
            first, last = known[0][0], known[-1][1]
            piece = run[first:last] if last - first <= LONGEST_HAN else run[known[-1][0] : last]
        if piece:
            pieces.append(piece[: pack.topics.max_label])
        known.clear()

    for hit in _han_words(pack).find(run):
        if hit.value:
            known.append((hit.start, hit.end))
        else:
            close(hit.start)
            start = hit.end
    close(len(run))
    return pieces


def _han_weight(label: str, pack: LanguagePack) -> float:
    hits = [hit for hit in pack.topics.field_phrases.find(label) if hit.end - hit.start > 1]
    single = label in pack.entities.kind_of_noun
    return (_KNOWN if hits or single else 0.0) + (0.3 * min(len(label), 4) if len(label) <= LONGEST_HAN else 0.3)


@lru_cache(maxsize=16)
def _han_words(pack: LanguagePack) -> Phrases[bool]:
    """Words of fields -> True, verbs and other words that make no label -> False; the longest wins, so 做饭 is no 做."""
    topics = pack.topics
    fields = {word: True for word in topics.fields_of_word if len(word) > 1 and is_han(word[0])}
    return Phrases({**fields, **{word: False for word in topics.label_stop if is_han(word[0])}})


@lru_cache(maxsize=16)
def _stops(pack: LanguagePack) -> frozenset[str]:
    return frozenset(word.lower() for word in pack.topics.label_stop)


@lru_cache(maxsize=16)
def _trims(pack: LanguagePack) -> Phrases[str]:
    return Phrases.of(pack.topics.label_trim)


@lru_cache(maxsize=16)
def _longest_trim(pack: LanguagePack) -> int:
    return max(map(len, pack.topics.label_trim), default=0)


def introduces(text: str, pack: LanguagePack) -> bool:
    """Whether a text only says who the speaker is ("Hi, I'm Tom, I live in Leeds")."""
    topics = pack.topics
    rest = text
    found = False
    for pattern in topics.introductions:
        rest, count = pattern.subn(" ", rest)
        found = found or count > 0
    return found and not re.search(r"[?？]", rest) and len(content_runs(rest, pack)) <= 1

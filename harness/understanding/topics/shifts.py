"""Does an utterance leave what was talked about? One answer from cue words, common words and the course of questions and answers.

Lexical cohesion (Halliday & Hasan 1976; Hearst 1997, *TextTiling*) alone sees little in a talk of short lines: an answer shares no
word with its question and belongs to it. So the signs are of three kinds: what the wording announces, what the words have in
common with the lines before (the same words, or words of one field of life), and whether a line answers, reacts, or asks anew.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from harness.language.classifier import LONGEST_TEXT
from harness.language.phrases import is_han, lower
from harness.language.remembering import remembered
from harness.understanding.text import stem
from harness.understanding.words import content_words, excerpt, latin_words, likeness_keys, sentence_list

if TYPE_CHECKING:
    from harness.language.pack import LanguagePack
    from harness.state.operations import Tier

CLASSIFIER = "shift"
"""Name of the classifier; its labels are ``shift`` and ``none``."""
THRESHOLD = 0.5
"""Score from which the rules tell a shift. From which probability a classifier tells one stands in its weights, where training chose
it: a shift is rare, and F1 asks for a guess that is often right."""
NEAR = 3
"""Utterances that are looked at as the ones before."""
FAR = 6
"""Utterances that are looked at as the topic so far, at most."""
_DETACHED = re.compile(r"(?<=\w)[ \t]+(?=[.,!?;])")
_BIAS = -1.3
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*|[?!,.]")
_WEIGHTS = {
    # the course of questions (q) and statements (s): this line's end / the line before
    "course:q/s": 0.5, "course:s/s": 0.3, "course:q/q": -0.4, "course:s/q": -0.5,
    # fields of life: new beside known ones, known from further back, the same as right before, none
    "fields:newq": 0.9, "fields:news": 0.5, "fields:farq": 0.3, "fields:fars": 0.2, "fields:firstq": -0.3,
    "fields:nearq": -0.5, "fields:nears": -0.4, "fields:noneq": -0.3, "fields:nones": -0.35,
    # words in common with the line before, with the two before that, and with those further back
    "shared1:0": 0.5, "shared1:1": -0.15, "shared1:2": -0.4, "shared2:0": 0.25, "shared2:2": -0.25,
    "shared_far:1": -0.3, "shared_far:2": -0.5,
    # words that are new, by the course
    "new2:0q/q": -0.5, "new2:1q/s": 0.3, "new2:2q/s": 0.3, "new2:1s/q": -0.15, "new2:2s/q": -0.3, "new2:2s/s": 0.25,
    # pronouns, beginnings that go on, a question to the listener
    "leans:0q": 0.4, "leans:1q": -0.2, "leans:0s": 0.1, "leans:1s": -0.25, "starts:1s": -0.3,
    "addressed:0q": -0.5, "addressed:1q": 0.65, "addressed:0s": -0.15,
    # a reaction first, something else then
    "sentences:1s": -0.35, "sentences:2s": -0.2, "sentences:3s": 0.4, "sentences:1q": -0.2, "sentences:3q": 0.35,
    "quiet:0": 0.2, "quiet:1": -0.8, "closes": -0.3,
}  # fmt: skip
"""Weight of evidence of each sign, in logits: rounded from a logistic regression on the training part of TIAGE (MIT)."""
_UNTAUGHT = {
    "requested:1": -1.5,
    "offers:1": -1.5,
    "request:1": 1.5,
    "closed:1q": 0.8,
    "closed:1s": 0.8,
    "alone:open1": 1.2,
    "alone:maybe1": 0.7,
}
"""The same for matters that are dealt with one by one, and for cues beside words that were not said before: the talks of the training
part have next to none of them, so little was learned, and both tiers add them."""


@dataclass(frozen=True, slots=True)
class Shift:
    """What was found about one utterance.

    Attributes:
        shifts: it leaves the topic.
        score: 0 to 1. Of the rules a weight of evidence, of the classifier a probability; compared only within a tier.
        evidence: its words that show it: the cue, else the sentence that brings something new.
        tier: who said so.
    """

    shifts: bool
    score: float
    evidence: str = ""
    tier: Tier = "rules"


def find_shift(utterance: str, previous: Sequence[str], *, pack: LanguagePack, classify: bool = False) -> Shift:
    """Whether an utterance opens another topic than those before it. The first of all opens none.

    Args:
        utterance: one line of one speaker.
        previous: the lines before it, oldest first, of all speakers in turn; only the last few are looked at.
        classify: let the small classifier of the pack decide, if it has one. A cue that names a change decides alone.
    """
    text = plain(utterance)
    if not previous or not text:
        return Shift(shifts=False, score=0.0)
    said = [plain(line) for line in previous[-FAR:]]
    cue = _cue(text, pack)
    evidence = cue or tail(text)
    signs = shift_signs(text, said, pack)
    if "cue:change" in signs:
        return Shift(shifts=True, score=1.0, evidence=evidence)
    judge = pack.classifier(CLASSIFIER) if classify else None
    if judge is not None:
        found = judge.probabilities(shift_features(text, pack, signs)).get("shift", 0.0)
        weight = math.log(max(found, 1e-9) / max(1 - found, 1e-9)) + math.fsum(
            _UNTAUGHT.get(sign, 0.0) for sign in signs
        )
        score = 1 / (1 + math.exp(-weight))
        shifts = score >= judge.figures.get("threshold", THRESHOLD)
        return Shift(shifts=shifts, score=score, evidence=evidence if shifts else "", tier="classifier")
    weight = _BIAS + math.fsum(_WEIGHTS.get(sign, 0.0) + _UNTAUGHT.get(sign, 0.0) for sign in signs)
    score = 1 / (1 + math.exp(-weight))
    return Shift(shifts=score >= THRESHOLD, score=score, evidence=evidence if score >= THRESHOLD else "")


def shift_signs(text: str, said: Sequence[str], pack: LanguagePack) -> frozenset[str]:
    """The signs of an utterance among the lines before it, by name; the same for every language."""
    last, before = said[-1], said[-2] if len(said) > 1 else ""
    end = tail(text)
    asks, asked, asked_before = is_question(end), is_question(last), is_question(before)
    keys, end_keys = _keys(text, pack), _keys(end, pack)
    one = _keys(last, pack)
    two: frozenset[str] = frozenset().union(*(_keys(line, pack) for line in said[-NEAR:-1]))
    far: frozenset[str] = frozenset().union(*(_keys(line, pack) for line in said[:-NEAR]))
    new = len(end_keys - one - two - far)
    lowered = lower(end)
    leans = pack.topics.leaning_phrases.first(end) is not None
    starts = pack.topics.leaning_start_phrases.at(lowered, 0) is not None
    addressed = pack.topics.addressed_phrases.first(end) is not None
    request = _says("requests", text, pack)
    closed = _says("closings", last, pack)
    offers = _says("offers", text, pack)
    requested = not closed and _says("requests", last, pack)
    question = "q" if asks else "s"
    course = f"{question}/{'q' if asked else 's'}"
    sentences = min(len(sentence_list(text)), 3)
    found = [
        f"end:{question}",
        f"course:{course}",
        f"course2:{course}{'q' if asked_before else 's'}",
        f"sentences:{sentences}{question}",
        f"new:{min(new, 3)}{question}",
        f"new2:{min(new, 2)}{course}",
        f"shared1:{min(len(keys & one), 2)}",
        f"shared2:{min(len(keys & two), 2)}",
        f"shared_far:{min(len(keys & far), 2)}",
        f"end_shared:{min(len(end_keys & (one | two)), 2)}{question}",
        f"leans:{leans:d}{question}",
        f"starts:{starts:d}{question}",
        f"addressed:{addressed:d}{question}",
        f"open:{addressed and not leans and not starts:d}{question}{min(new, 2)}",
        f"size:{min(len(end_keys), 4)}{question}",
        f"fields:{_field_relation(end, said, pack)}{question}",
        f"closed:{closed:d}{question}",
        f"request:{request:d}",
        f"requested:{requested and not request:d}",
        f"offers:{offers:d}",
        f"quiet:{not keys:d}",
    ]
    topics = pack.topics
    whole = lower(text)
    alone = not keys & (one | two)
    for name, patterns in (
        ("change", topics.change),
        ("maybe", topics.maybe),
        ("open", topics.open),
        ("close", topics.close),
    ):
        if any(pattern.search(whole) for pattern in patterns):
            found.append(f"cue:{name}")
            found.append(f"alone:{name}{alone:d}")
    if _says("closings", text, pack):
        found.append("closes")
    return frozenset(found)


def shift_features(text: str, pack: LanguagePack, signs: frozenset[str]) -> Iterator[str]:
    """What the classifier sees: the signs, and for a script that parts words the words, pairs and triples of the utterance.

    The signs stand in it twice, so that what costs little to learn is not drowned by the many words. They mean the same in every
    language; a classifier of a language without licensed data is trained on them alone.
    """
    for sign in signs:
        yield f"S:{sign}"
        yield f"D:{sign}"
    if pack.script != "latin":
        return
    plain = pack.rewrite(lower(text[:LONGEST_TEXT]), pack.text.expand).lower()
    yield from _runs(plain, "u:", 2)
    yield from _runs(tail(plain), "l:", 3)


def _runs(text: str, prefix: str, longest: int) -> Iterator[str]:
    words = ["^", *_WORD.findall(text), "$"]
    for size in range(1, longest + 1):
        for at in range(len(words) - size + 1):
            yield prefix + "_".join(words[at : at + size])


def plain(text: str) -> str:
    """A line as the signs are looked for in it: marks of punctuation stand right after the word ("fine ." gives "fine.")."""
    return _DETACHED.sub("", excerpt(text)).strip()


def tail(text: str) -> str:
    """The last sentence of a text: what it ends with is what it is about."""
    pieces = sentence_list(text)
    return pieces[-1] if pieces else text


def is_question(text: str) -> bool:
    """Whether a text ends by asking."""
    return text.rstrip(" \t\n\"'”’」』)）~～").endswith(("?", "？"))


@remembered(1024)
def _keys(text: str, pack: LanguagePack) -> frozenset[str]:
    return likeness_keys(content_words(text, pack))


@lru_cache(maxsize=16)
def _stems(pack: LanguagePack) -> dict[str, frozenset[str]]:
    """Field words of one Latin word each, as stems."""
    found: dict[str, frozenset[str]] = {}
    for word, fields in pack.topics.fields_of_word.items():
        if not is_han(word[0]):
            found[stem(word)] = found.get(stem(word), frozenset()) | fields
    return found


def longest_chain(text: str, pack: LanguagePack) -> int:
    """The most different words of a text that belong to one field of life."""
    words: dict[str, set[str]] = {}
    stems = _stems(pack)
    for word in map(stem, latin_words(text)):
        for name in stems.get(word, ()):
            words.setdefault(name, set()).add(word)
    for hit in pack.topics.field_phrases.find(text):
        for name in hit.value:
            if is_han(hit.phrase[0]):
                words.setdefault(name, set()).add(hit.phrase)
    return max(map(len, words.values()), default=0)


@remembered(1024)
def fields_of(text: str, pack: LanguagePack) -> frozenset[str]:
    """The fields of life that the words of a text belong to."""
    found: set[str] = set()
    stems = _stems(pack)
    for word in latin_words(text):
        found |= stems.get(stem(word), frozenset())
    for hit in pack.topics.field_phrases.find(text):
        found |= hit.value
    return frozenset(found)


def _field_relation(end: str, said: Sequence[str], pack: LanguagePack) -> str:
    """How the fields of an utterance's end stand to those of the lines before: none, near, far, new; or unknown before."""
    own = fields_of(end, pack)
    if not own:
        return "none"
    near: frozenset[str] = frozenset().union(*(fields_of(line, pack) for line in said[-NEAR:]))
    if own & near:
        return "near"
    far: frozenset[str] = frozenset().union(*(fields_of(line, pack) for line in said[:-NEAR]))
    if own & far:
        return "far"
    return "new" if near or far else "first"


@remembered(4096, texts=2)
def _says(what: Literal["requests", "offers", "closings"], text: str, pack: LanguagePack) -> bool:
    """Whether a sentence of a text matches a list of the pack's section ``topics``."""
    patterns: tuple[re.Pattern[str], ...] = getattr(pack.topics, what)
    return any(pattern.search(lower(sentence)) for sentence in sentence_list(text) for pattern in patterns)


def _cue(text: str, pack: LanguagePack) -> str:
    """The words of a cue, as they stand in the text."""
    lowered = lower(text)
    for patterns in (pack.topics.change, pack.topics.maybe, pack.topics.open):
        for pattern in patterns:
            match = pattern.search(lowered)
            if match is not None:
                return text[match.start() : match.end()].strip()
    return ""

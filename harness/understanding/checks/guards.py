"""The persona guard: messages that aim at the machinery behind the character instead of at the character.

Rules of the language pack (section ``guards``) are looked for in the text as it looks to a reader, and again in what spaced
letters, lookalikes and encodings hide. What they miss a small classifier may find. Nothing here is about an ordinary
message: one without any of the signs of a kind costs a few microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Literal, cast

from harness.language.classifier import text_features
from harness.state import Notice
from harness.understanding.checks.disguise import revealed, seen
from harness.understanding.facts.stands import LIKELY
from harness.understanding.one_script import in_one_script
from harness.understanding.text import fold, sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.language import LanguagePack
    from harness.language.classifier import LinearClassifier

Kind = Literal["bot_question", "override", "role_swap", "extraction", "memory_poison"]
ATTACKS: tuple[Kind, ...] = ("memory_poison", "role_swap", "override", "extraction")
"""Kinds that want to change or open the character, the most telling first. Of the first three one is enough."""
_CHANGES = ("memory_poison", "role_swap", "override")
_PLAYED = 0.6
"""Confidence that a part the user asks for is meant to replace the character; it may be a game."""
_LONG = 120
"""From how many characters on only sentences that show a sign are looked through."""
_WINDOW = 320
_OVERLAP = 120
_BEFORE = 40
_QUOTE = 160


@dataclass(frozen=True, slots=True)
class _Hit:
    kind: Kind
    words: str
    confidence: float = LIKELY


@in_one_script
def find_attempts(
    text: str, *, pack: LanguagePack, classify: bool = False, beside: Sequence[LanguagePack] = ()
) -> tuple[Notice, ...]:
    """Attempts at the machinery in a user's message.

    Args:
        text: the message, at most a few thousand characters.
        pack: of the language it is written in.
        classify: let the small classifier of the pack speak where the rules found no bot question.
        beside: packs of further languages with words in the message.

    Returns:
        notices of the kinds ``memory_poison``, ``role_swap``, ``override`` (at most one of these), ``extraction`` and
        ``bot_question``, with the words that show it, as they read without disguise. Empty for an ordinary message.
    """
    hits = _all_hits(text, (pack, *beside))
    notices = [Notice(kind=hit.kind, quote=hit.words, claim=fold(hit.words), confidence=hit.confidence) for hit in hits]
    if classify and not any(hit.kind == "bot_question" for hit in hits):
        notices.extend(_classified(harmless(text, pack=pack, beside=beside) if hits else text, pack))
    return tuple(notices)


@in_one_script
def harmless(text: str, *, pack: LanguagePack, beside: Sequence[LanguagePack] = ()) -> str:
    """The text without the sentences that try to change or open the character, so that nothing in them becomes a fact.

    Beside such a sentence, those that claim a right to give orders ("I am your developer") go too, and beside one that
    swaps parts, those that deal them out ("I'm Mia. You're the guest."). A text that forges the marks of a chat template,
    or that hides an order in an encoding, is left out whole.
    """
    packs = (pack, *beside)
    hits = [hit for hit in _all_hits(text, packs) if hit.kind in ATTACKS]
    if not hits:
        return text
    swapped = any(hit.kind == "role_swap" for hit in hits)
    parts = sentences(text)
    kept = [part for part in parts if not any(_harmful(part, one, swapped=swapped) for one in packs)]
    if len(kept) == len(parts) or not re.search(r"\w", "".join(kept)):
        return ""
    joint = "" if pack.script == "han" else " "
    return joint.join(kept)


def _harmful(sentence: str, pack: LanguagePack, *, swapped: bool) -> bool:
    if any(hit.kind in ATTACKS for hit in _hits(sentence, pack)):
        return True
    plain = plain_text(sentence, pack=pack)
    return bool(
        pack.guards.kind("authority").search(plain) or (swapped and pack.guards.kind("parts_dealt").search(plain))
    )


def _all_hits(text: str, packs: Sequence[LanguagePack]) -> tuple[_Hit, ...]:
    if len(packs) == 1:
        return _hits(text, packs[0])
    return tuple(_one_of_each(chain.from_iterable(_hits(text, pack) for pack in packs)))


def _hits(text: str, pack: LanguagePack) -> tuple[_Hit, ...]:
    return _hits_short(text, pack) if len(text) <= _WINDOW else tuple(_found(text, pack))


@lru_cache(maxsize=512)
def _hits_short(text: str, pack: LanguagePack) -> tuple[_Hit, ...]:
    """Remembered, since a turn looks at its message more than once."""
    return tuple(_found(text, pack))


def _found(text: str, pack: LanguagePack) -> Iterator[_Hit]:
    plain = seen(text).translate(pack.guards.plain_letters)
    hits = [*_forged(plain, pack), *_read(plain, pack)]
    if not any(hit.kind in ATTACKS for hit in hits):
        signs = pack.guards.signs
        readings = revealed(
            text,
            plain,
            hints=signs.get("hidden", ()),
            ciphers=signs.get("ciphers", ()),
            words=signs.get("misspelt", ()),
        )
        hidden = (hit for reading in readings for hit in _read(reading, pack))
        hits.extend(hit for hit in hidden if hit.confidence >= LIKELY)
    yield from _one_of_each(hits)


def _one_of_each(hits: Iterable[_Hit]) -> Iterator[_Hit]:
    """The surest hit of each kind, and at most one kind of :data:`_CHANGES`."""
    seen_kinds: set[str] = set()
    for hit in sorted(hits, key=lambda hit: (-hit.confidence, _rank(hit.kind))):
        group = "change" if hit.kind in _CHANGES else hit.kind
        if group not in seen_kinds:
            seen_kinds.add(group)
            yield hit


def _rank(kind: Kind) -> int:
    return ATTACKS.index(kind) if kind in ATTACKS else len(ATTACKS)


def _forged(plain: str, pack: LanguagePack) -> Iterator[_Hit]:
    mark = pack.guards.kind("templates").search(plain)
    if mark is not None:
        yield _Hit("override", mark[0].strip()[:_QUOTE])


def plain_text(text: str, *, pack: LanguagePack) -> str:
    """A message as the rules and classifiers read it: undisguised, spellings written out, titles of works blanked."""
    plain = seen(text).translate(pack.guards.plain_letters)
    for pattern, put in pack.guards.spellings:
        plain = pattern.sub(put, plain)
    return pack.guards.kind("titles").sub(" ", plain)


def _read(text: str, pack: LanguagePack) -> Iterator[_Hit]:
    for window in _windows(plain_text(text, pack=pack)):
        lowered = window.lower()
        for kind in (*ATTACKS, "role_play", "bot_question"):
            words = _first(kind, window, lowered, pack)
            if words:
                played = kind == "role_play"
                yield _Hit(cast("Kind", "role_swap" if played else kind), words, _PLAYED if played else LIKELY)


def _windows(text: str) -> Iterable[str]:
    if len(text) <= _WINDOW:
        return (text,)
    step = _WINDOW - _OVERLAP
    return (text[at : at + _WINDOW] for at in range(0, len(text) - _OVERLAP, step))


def _first(kind: str, text: str, lowered: str, pack: LanguagePack) -> str:
    """The words of the first match of a kind that is meant, or nothing."""
    cues = pack.guards
    signs = cues.signs.get(kind, ())
    if signs and not any(sign in lowered for sign in signs):
        return ""
    if signs and len(text) > _LONG:
        text = _signed(text, signs)
    for match in cues.kind(kind).finditer(text):
        if cues.kind(f"others:{kind}").search(text[max(0, match.start() - _BEFORE) : match.start()]):
            continue
        if cues.kind(f"innocent:{kind}").search(_sentence(text, match)):
            continue
        return match[0].strip(" ,.;:\n")[:_QUOTE] or match[0]
    return ""


def _signed(text: str, signs: tuple[str, ...]) -> str:
    """The sentences with a sign in them, each with the one before it; to look through the rest would only cost time."""
    parts = _SENTENCE.split(text)
    marked = [any(sign in part for sign in signs) for part in map(str.lower, parts)]
    near = [here or after for here, after in zip(marked, [*marked[1:], False], strict=True)]
    joined = (part if keep else "\n" for part, keep in zip(parts, near, strict=True))
    return "".join(joined)


_SENTENCE = re.compile(r"(?<=[.!?。!?\n])(?=\s)|(?<=[。!?\n])")
_ENDS = re.compile(r"[.!?。!?\n]")


def _sentence(text: str, match: re.Match[str]) -> str:
    """The sentence around a match."""
    start = 0
    for end in _ENDS.finditer(text, 0, match.start()):
        start = end.end()
    stop = _ENDS.search(text, max(match.end() - 1, match.start()))
    return text[start : stop.end() if stop else len(text)]


def _classified(text: str, pack: LanguagePack) -> Iterator[Notice]:
    classifier = pack.classifier("bot_question")
    if classifier is None:
        return
    plain = plain_text(text, pack=pack)
    chance = bot_chance(plain, pack=pack, classifier=classifier)
    if chance >= SURE:
        words = plain[:_QUOTE]
        yield Notice(
            kind="bot_question", quote=words, claim=fold(words), tier="classifier", confidence=round(chance, 3)
        )


def bot_chance(plain: str, *, pack: LanguagePack, classifier: LinearClassifier) -> float:
    """The probability, 0 to 1, that a message asks whether a person or a machine is there; 0 where the pack calls it innocent.

    Args:
        plain: the message as :func:`plain_text` gives it.
        pack: of the language it is written in.
        classifier: with the labels ``yes`` and ``no``, over :func:`guard_features`.
    """
    if pack.guards.kind("innocent:bot_question").search(plain):
        return 0.0
    return classifier.probabilities(guard_features(plain, pack=pack)).get("yes", 0.0)


SURE = 0.6
"""From which probability on the classifier's word counts."""


def guard_features(plain: str, *, pack: LanguagePack) -> tuple[str, ...]:
    """What the classifiers of this module look at: the wording, also with the names of its kinds of beings in place of the
    words for them, what the rules found, and how long the message is.

    Args:
        plain: the message as :func:`plain_text` gives it.
        pack: whose words and rules are used.
    """
    size = next((name for name, most in (("s", 30), ("m", 60), ("l", 120)) if len(plain) <= most), "x")
    named = plain[:_WINDOW]
    for word in ("machine", "human", "gender", "doubt"):
        named = pack.guards.word(word).sub(f" {word}s ", named)
    ruled = (
        f"#{kind}"
        for kind in ("bot_question", *ATTACKS)
        if _first(kind, plain[:_WINDOW], plain[:_WINDOW].lower(), pack)
    )
    return (*text_features(plain), *text_features(named, "@"), *_skips(named), *ruled, f"#{size}")


def _skips(text: str) -> Iterator[str]:
    """Pairs of words with one between them."""
    words = re.findall(r"\w+", text.lower())
    yield from (f"{first}*{second}" for first, second in zip(words, words[2:], strict=False))

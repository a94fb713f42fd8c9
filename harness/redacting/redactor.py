"""The redactor: finds secrets, and puts a named reference in the place of each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from harness.redacting.credentials import credentials, emails
from harness.redacting.folding import Folded, Spelt, folded, in_figures
from harness.redacting.numbers import Beside, cards, codes, ids, phones, worth

KINDS = ("keys", "cards", "ids", "phones", "emails")
"""What can be taken out, as the settings name it."""
USUAL = ("keys", "cards", "ids", "phones")
LOOK_BACK, LOOK_ON = 40, 16
"""Characters before and behind a number that can say what it is."""
SHORTEST_AGAIN, MOST_AGAIN = 6, 20
"""Characters of a secret that is looked for in the rest of its text, and how many are: it goes through the text for each."""
MARK_BITS = 12
"""Enough to tell the few secrets of one conversation apart, and far too little to find one out."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What is taken out.

    Attributes:
        model_sees_typed: the model that answers is sent the current message as it was typed; all else has references.
        kinds: some of :data:`KINDS`. ``extra``: patterns of one's own by the name of their reference; group ``s``, where there
            is one, is the secret, else the whole match.
    """

    enabled: bool = True
    kinds: tuple[str, ...] = USUAL
    extra: Mapping[str, re.Pattern[str]] = field(default_factory=lambda: MappingProxyType({}))
    model_sees_typed: bool = False


@dataclass(frozen=True, slots=True)
class Cues:
    """What one language calls secrets.

    Attributes:
        labels: the word of a reference by what it stands for (``card``, ``phone`` …).
        names: by kind, what the words right before such a number end with.
        counted_before, counted_behind: what shows that a number counts or orders something.
        secrets: patterns whose group ``s`` is a secret; by the label of its reference. ``hints``: matches in every text in which
            one of them does. ``no_secret``: matches what is none in that place.
        spelt: how digits are spelt.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    counted_before: re.Pattern[str] | None = None
    counted_behind: re.Pattern[str] | None = None
    secrets: Sequence[tuple[str, re.Pattern[str]]] = ()
    hints: re.Pattern[str] | None = None
    no_secret: re.Pattern[str] | None = None
    spelt: Spelt | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A secret in a text: what it is, and where. The secret itself is not kept."""

    what: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Named:
    """A reference that stands for a secret. ``mark``: by which the same secret is known again; it says no more of it."""

    reference: str
    mark: str


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and the references that are new in it.

    Attributes:
        taken: (reference, what it stands for), in order. It is told in no ``repr``, and nothing stores it.
    """

    text: str
    new: tuple[Named, ...] = ()
    count: int = 0
    taken: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Redactor:
    """Takes secrets out of texts. Pure: the same text and the same known references give the same.

    Attributes:
        cues: by language code; those of all languages are looked for in every text.
    """

    policy: Policy = field(default_factory=Policy)
    cues: Mapping[str, Cues] = field(default_factory=dict)

    def find(self, text: str) -> tuple[Found, ...]:
        """The secrets of a text, in order, without overlap."""
        if not self.policy.enabled or not text:
            return ()
        kept: list[Found] = []
        taken = bytearray(len(text))
        for plain in self._looks(text):
            for one in self._references(plain.text):
                start, end = plain.span(one.start, one.end)
                taken[start:end] = b"\1" * (end - start)
            for what, *span in self._all(plain.text):
                start, end = plain.span(*span)
                if start < end and 1 not in taken[start:end]:
                    kept.append(Found(what, start, end))
                    taken[start:end] = b"\1" * (end - start)
        kept += _said_again(text, kept, taken)
        return tuple(sorted(kept, key=lambda one: one.start))

    def redact(self, text: str, known: Mapping[str, str] | None = None, *, language: str = "en") -> Redacted:
        """A text with a reference in the place of each secret.

        Args:
            known: references that are in use already, by their mark; the same secret gets the same.
            language: of the words of new references.
        """
        found = self.find(text)
        if not found:
            return Redacted(text)
        names = dict(known or {})
        new: list[Named] = []
        pieces: list[str] = []
        taken: list[tuple[str, str]] = []
        end = 0
        for one in found:
            mark = _mark(one.what, [*self._looks(text[one.start : one.end])][-1].text)
            if mark not in names:
                names[mark] = self._reference(one.what, {*names.values(), *_bracketed(text)}, language)
                new.append(Named(names[mark], mark))
            pieces += [text[end : one.start], names[mark]]
            taken.append((names[mark], text[one.start : one.end]))
            end = one.end
        return Redacted("".join((*pieces, text[end:])), tuple(new), len(found), tuple(taken))

    def _looks(self, text: str) -> Iterator[Folded]:
        """The text as it is looked at: as it stands, and once more with figures for digits that are spelt out."""
        yield (plain := folded(text))
        spelt = in_figures(plain, [cues.spelt for cues in self.cues.values() if cues.spelt is not None])
        if spelt is not plain:
            yield spelt

    def plain(self, text: str, instead: str = "[redacted]") -> str:
        """A text with the same word in the place of each secret, for logs."""
        for one in reversed(self.find(text)):
            text = text[: one.start] + instead + text[one.end :]
        return text

    def _references(self, text: str) -> list[Found]:
        """The references that stand in a text: a second look must not take them for secrets ("password=[password 1]")."""
        if "[" not in text:
            return []
        labels = {label for cues in self.cues.values() for label in cues.labels.values()} | set(self.policy.extra)
        return [Found("", *match.span()) for match in _REFERENCE.finditer(text) if match["label"] in labels]

    def _reference(self, what: str, taken: object, language: str) -> str:
        used = set(taken)  # type: ignore[call-overload]  # the values of a mapping
        words = self.cues.get(language) or next(iter(self.cues.values()), Cues())
        label = words.labels.get(what, what)
        number = 1
        while f"[{label} {number}]" in used:
            number += 1
        return f"[{label} {number}]"

    def _all(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Everything that looks like a secret; of two that overlap the first one counts."""
        kinds = self.policy.kinds
        for name, pattern in self.policy.extra.items():
            for match in pattern.finditer(text):
                yield name, *match.span("s" if "s" in pattern.groupindex else 0)
        if "keys" in kinds:
            yield from credentials(text, text.lower())
            yield from self._told(text)
        if "emails" in kinds:
            yield from emails(text)
        beside = Beside(self._named, self._counted)
        if "cards" in kinds and _has_digit(text):
            yield from codes(text, beside)
        if not worth(text):
            return
        if "ids" in kinds:
            yield from ids(text, beside)
        if "cards" in kinds:
            yield from cards(text, beside)
        if "phones" in kinds:
            yield from phones(text, beside)

    def _told(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Passwords that somebody tells: what follows is no word that says something of a password instead."""
        for cues in self.cues.values():
            if cues.hints is not None and cues.hints.search(text) is None:
                continue
            for what, pattern in cues.secrets:
                for match in pattern.finditer(text):
                    group = "s2" if match.groupdict().get("s2") is not None else "s"
                    if not any(one.no_secret.fullmatch(match[group]) for one in self.cues.values() if one.no_secret):
                        yield what, *match.span(group)

    def _named(self, kind: str, text: str, start: int) -> bool:
        before = text[max(0, start - LOOK_BACK) : start]
        return any(kind in cues.names and cues.names[kind].search(before) for cues in self.cues.values())

    def _counted(self, text: str, start: int, end: int) -> bool:
        before, behind = text[max(0, start - LOOK_BACK) : start], text[end : end + LOOK_ON]
        return any(
            (cues.counted_before is not None and cues.counted_before.search(before))
            or (cues.counted_behind is not None and cues.counted_behind.match(behind))
            for cues in self.cues.values()
        )


REFERENCE = r"\[(?P<label>[^\[\]\n]{1,60}) [1-9][0-9]{0,2}\]"
_REFERENCE = re.compile(REFERENCE)
_DIGIT = re.compile(r"\d{3}", re.ASCII)


def _said_again(text: str, found: Sequence[Found], taken: bytearray) -> Iterator[Found]:
    """Where a secret stands once more in a text, without the words that told it the first time."""
    told = {text[one.start : one.end]: one.what for one in found}
    for secret, what in list(told.items())[:MOST_AGAIN]:
        if len(secret) < SHORTEST_AGAIN or text.count(secret) < 2:
            continue
        for match in re.finditer(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", text):
            start, end = match.span()
            if 1 not in taken[start:end]:
                taken[start:end] = b"\1" * (end - start)
                yield Found(what, start, end)


def _bracketed(text: str) -> set[str]:
    """What looks like a reference in a text: somebody may have typed it, so it is free for nothing else there."""
    return {match[0] for match in _REFERENCE.finditer(text)} if "[" in text else set()


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _mark(what: str, secret: str) -> str:
    """What tells a secret from another one: twelve bits of a digest, over its letters and digits in one case.

    A card or phone number in any spacing is the same; so is a number with and without the country's code in front.
    """
    plain = re.sub(r"[\W_]", "", secret.casefold()) or secret
    if what == "phone" and plain.isdigit():
        plain = plain[-10:]
    digest = hashlib.sha256(f"{what}:{plain}".encode("utf-8", "surrogatepass")).digest()
    return f"{what}:{int.from_bytes(digest[:2]) >> (16 - MARK_BITS):03x}"

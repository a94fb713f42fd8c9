"""Fields that belong together: one may name what another one is, and a secret that was found in one stands in the others too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.redacting.redactor import REFERENCE, Named, Redactor

SHORTEST = 4
"""Characters of a secret that is looked for in the other fields; a shorter one may be any number."""
SPEAKERS = ("user", "character")
"""Words that fields refer to the two who talk by."""
_WORDS = re.compile(r"(?<=[a-z])(?=[A-Z])|[_.\-]+")


@dataclass(slots=True)
class Fields:
    """Takes secrets out of the fields of one thing.

    Attributes:
        known: references in use, by their mark; new ones are added. ``new``: those that are.
        taken: what was taken out, and the reference that stands for it. It is kept for as long as the fields are cleaned.
    """

    redactor: Redactor
    language: str
    known: dict[str, str] = field(default_factory=dict)
    new: list[Named] = field(default_factory=list)
    taken: dict[str, str] = field(default_factory=dict, repr=False)

    def text(self, text: str, *, name: str = "", whole: bool = True) -> str:
        """A text without secrets.

        Args:
            name: what the field is called ("password", 卡号), which may tell that it is one.
            whole: then it may be one of any words, as if it stood in quotes; else only what has figures in it.
        """
        if not text:
            return text
        head = f"{_WORDS.sub(' ', self.redactor.plain(name, '')).strip()}: " if name.strip() else ""
        if head and whole and self._is_password(head, text):
            return self._cleaned(f'{head}"{text}"')[len(head) + 1 : -1]
        if head and (whole or self._has_figures(head, text)):
            cleaned = self._cleaned(head + text)
            if cleaned.startswith(head):
                return self.without_taken(cleaned[len(head) :])
        return self.without_taken(self._cleaned(text))

    def without_taken(self, text: str) -> str:
        """A text in which nothing stands that was found elsewhere."""
        for secret, reference in self.taken.items():
            if secret in text:
                text = _replaced(text, secret, reference)
        return text

    def all(self, fields: Mapping[str, str], *, named: Mapping[str, str]) -> dict[str, str]:
        """Fields without secrets. ``named``: by field, the words that say what it is."""
        first = {name: self.text(value, name=named.get(name, "")) for name, value in fields.items()}
        return {name: self.without_taken(value) for name, value in first.items()}

    def _is_password(self, head: str, text: str) -> bool:
        """Whether all of a text is one by its name: in quotes it may be of any words."""
        found = self.redactor.find(f'{head}"{text}"')
        start = len(head) + 1
        return [(one.what, one.start, one.end) for one in found] == [("password", start, start + len(text))]

    def _has_figures(self, head: str, text: str) -> bool:
        """Whether a secret in a text is more than words."""
        together = head + text
        return any(any(map(str.isdigit, together[one.start : one.end])) for one in self.redactor.find(together))

    def _cleaned(self, text: str) -> str:
        done = self.redactor.redact(text, self.known, language=self.language)
        self.known.update((one.mark, one.reference) for one in done.new)
        self.new.extend(done.new)
        self.taken |= {
            secret: reference
            for reference, secret in done.taken
            if len(secret) >= SHORTEST and secret.lower() not in SPEAKERS
        }
        return done.text


def _replaced(text: str, secret: str, reference: str) -> str:
    """A text with a reference for a secret that stands in it as a word of its own; references that stand there stay whole."""
    wanted = re.compile(rf"{REFERENCE}|(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])")
    return wanted.sub(lambda match: reference if match[0] == secret else match[0], text)

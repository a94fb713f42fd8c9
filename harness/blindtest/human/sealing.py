"""Which channel is which, sealed until the verdict.

What is stored before the verdict is a commitment: the SHA-256 of a random nonce and the key. It tells nothing, and it cannot be changed
afterwards without being noticed. Encryption would do less: its key would lie on the same machine. The price is that a test which is
killed before its verdict can never be opened; it is not counted anyway.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any, Literal

from pydantic import Field

from harness.state.base import Frozen

Letter = Literal["A", "B"]
PERSON = "person"
LETTERS: tuple[Letter, Letter] = ("A", "B")


class Seat(Frozen):
    """Who sits at a channel. ``kind``: ``witness``, ``person`` or ``recorded``; of a recording ``about`` says whose it is (``of``)."""

    kind: Literal["witness", "person", "recorded"]
    name: str
    about: dict[str, Any] = Field(default_factory=dict)

    @property
    def human(self) -> bool:
        """Whether a human being spoke, now or when it was recorded."""
        return self.kind == PERSON or (self.kind == "recorded" and self.about.get("of", self.name) == PERSON)


class Key(Frozen):
    """Which channel is which. ``nonce``: 64 hex digits, never used twice."""

    nonce: str
    seats: dict[Letter, Seat]
    persona: str = ""

    @classmethod
    def drawn(cls, first: Seat, second: Seat, *, persona: str = "") -> Key:
        """A key with the two seats in random order."""
        order = [first, second]
        if secrets.randbelow(2):
            order.reverse()
        return cls(nonce=secrets.token_hex(32), seats=dict(zip(LETTERS, order, strict=True)), persona=persona)

    def commitment(self) -> str:
        """What is stored before the verdict: 64 hex digits."""
        body = {"seats": {letter: seat.model_dump() for letter, seat in self.seats.items()}, "persona": self.persona}
        text = self.nonce + json.dumps(body, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def letter_of_witness(self) -> Letter:
        """The channel of the one that is examined."""
        return next(letter for letter in LETTERS if self.seats[letter].kind == "witness")

    def letter_of_other(self) -> Letter:
        """The channel of the other one."""
        return next(letter for letter in LETTERS if letter != self.letter_of_witness())

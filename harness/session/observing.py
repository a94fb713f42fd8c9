"""Taking in what tools gave: checked, cleaned, and put away when it is long."""

from __future__ import annotations

import asyncio
import hashlib
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from harness.context.tokens import estimate
from harness.errors import ConfigurationError, InputError
from harness.language import LanguagePacks
from harness.memory.digests import digest
from harness.ports import Artifacts
from harness.redacting import Redactor
from harness.state import DialogueState, ToolResult, apply
from harness.state.operations import SetNote
from harness.turn.withholding import text_without_secrets

Given = ToolResult | Mapping[str, Any]
"""A result as the host gives it: a :class:`~harness.state.ToolResult`, or a mapping with ``name``, ``arguments`` and ``text``."""
GIVEN = frozenset({"name", "arguments", "text", "error"})
"""What a host may say of a result."""
MOST = 32
"""Results that are taken with one message."""
LONGEST = 20_000_000
"""Characters of one result."""
LONGEST_ARGUMENTS = 4000

BESIDE = 50_000
"""Characters above which a text is looked through in a thread."""
DETECTED = 2000
"""Characters that the language of a result is told from."""

Clean = Callable[[str], str]


def storable(text: str) -> str:
    """A text as it may be kept: the one place that every result and its arguments pass before they are written anywhere.

    Control characters become blanks. Secrets are replaced by whoever knows the session: see :class:`Storable`.
    """
    if text.isprintable():
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(" " if unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t" else char for char in text)


@dataclass(slots=True)
class Storable:
    """Makes texts of one session storable: without secrets, for which references stand, the same as in the session.

    Attributes:
        state: of the session; it goes along with the references that are new.
        notes: the operations that keep these.
    """

    state: DialogueState
    redactor: Redactor | None
    languages: LanguagePacks
    notes: list[SetNote] = field(default_factory=list)

    def __call__(self, text: str) -> str:
        """A text as it may be kept; what it holds of secrets that are new is added to the notes."""
        text = storable(text)
        language = self.languages.detect(text[:DETECTED], default=self.state.language)
        text, notes = text_without_secrets(text, self.state, self.redactor, language=language)
        for note in notes:
            self.state = apply(self.state, note)
        self.notes.extend(notes)
        return text


async def taken_in(
    given: Sequence[Given],
    *,
    session_id: str,
    turn: int,
    now: datetime,
    longest: int,
    artifacts: Artifacts | None,
    clean: Clean = storable,
) -> tuple[ToolResult, ...]:
    """Results as the state keeps them; the long ones are put away first.

    Args:
        turn: the turn that sees them first.
        longest: tokens of a text that is kept as it is.

    Raises:
        InputError: one is no result, or too large. StoreError: a long one could not be put away.
    """
    if len(given) > MOST:
        raise InputError(f"{len(given)} tool results came at once; at most {MOST} are taken.")
    found = []
    for one in given:
        result = _read(one)
        # Looking through a megabyte takes a second or two; other sessions go on meanwhile.
        text = await asyncio.to_thread(clean, result.text) if len(result.text) > BESIDE else clean(result.text)
        kept, ref = text, ""
        if estimate(text) > longest:
            if artifacts is None:
                raise ConfigurationError(
                    f"The result of {result.name!r} has {estimate(text)} tokens, more than the {longest} of "
                    "harness.tool_result_tokens, and there is no place to keep it.",
                    remedy="Open the session with a Harness, or give Session(artifacts=…).",
                )
            ref, kept = await artifacts.put(session_id, text), digest(text)
        found.append(
            ToolResult(
                name=clean(result.name),
                arguments=clean(result.arguments),
                text=kept,
                error=result.error,
                turn=turn,
                at=now,
                ref=ref,
                characters=len(text),
                sha256=hashlib.sha256(text.encode()).hexdigest(),
            )
        )
    return tuple(found)


def _read(given: Given) -> ToolResult:
    if isinstance(given, Mapping):
        unknown = sorted(map(str, given.keys() - GIVEN))
        if unknown:
            raise InputError(
                f"A tool result has no field {', '.join(unknown)}.", remedy=f"It has {', '.join(sorted(GIVEN))}."
            )
        try:
            given = ToolResult.model_validate(given)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "it"
            raise InputError(
                f"Expected a tool result with name, arguments and text; {where}: {first['msg']}, got {first['input']!r:.80}.",
                remedy='For example {"name": "weather", "arguments": {"city": "York"}, "text": "rain"}.',
            ) from error
    if not isinstance(given, ToolResult):
        raise InputError(
            f"Expected a tool result, got {given!r:.80}.", remedy="Give ToolResult(name=…, arguments=…, text=…)."
        )
    if not given.name.strip():
        raise InputError("A tool result needs the name of its tool.")
    if len(given.arguments) > LONGEST_ARGUMENTS:
        raise InputError(
            f"The arguments of {given.name!r} have {len(given.arguments)} characters; at most {LONGEST_ARGUMENTS} are kept."
        )
    if len(given.text) > LONGEST:
        raise InputError(f"The result of {given.name!r} has {len(given.text)} characters; at most {LONGEST} are kept.")
    if not given.text.strip():
        return given.model_copy(update={"text": "(nothing)"})
    return given

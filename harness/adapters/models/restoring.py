"""The one place where a secret is told: to the model that answers, in the message it was typed in, when
``redaction.model_sees`` is ``raw``.

Everything else keeps the references: the request that is recorded and stored, the prompt of the report, and whatever comes back.
A reply that repeats a secret has the reference in its place before anybody gets it, and so has an error of the server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING

from harness.errors import HarnessError
from harness.ports.models import ChatMessage, ModelDelta, ModelReply, ModelRequest, Typed
from harness.ports.passing import PassingModel

if TYPE_CHECKING:
    from collections.abc import Iterator

SEPARATORS = r"[\s\-‐‑–.]{0,3}"
"""What may stand between the characters of a secret when it is repeated (4111-1111 for 4111 1111)."""
_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


class RestoringModel(PassingModel):
    """Passes calls on, with the user's message as it was typed where the request has it."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer. Raises what the inner model raises, without secrets."""
        if request.typed is None:
            return await super().complete(request)
        repeated = Repeated(request.typed)
        try:
            reply = await super().complete(as_typed(request))
        except HarnessError as error:
            raise repeated.without(error) from None
        return replace(reply, text=repeated.clean(reply.text))

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Answer piece by piece. What may be the beginning of a secret waits for what follows."""
        if request.typed is None:
            async with aclosing(super().stream(request)) as pieces:
                async for piece in pieces:
                    yield piece
            return
        repeated = Repeated(request.typed)
        waiting = ""
        try:
            async with aclosing(super().stream(as_typed(request))) as pieces:
                async for piece in pieces:
                    waiting = repeated.clean(waiting + piece.text)
                    ready = len(waiting) if piece.reply is not None else max(0, len(waiting) - repeated.longest)
                    if ready:
                        yield ModelDelta(text=waiting[:ready])
                        waiting = waiting[ready:]
                    if piece.reply is not None:
                        yield ModelDelta(reply=replace(piece.reply, text=repeated.clean(piece.reply.text)))
        except HarnessError as error:
            raise repeated.without(error) from None


def as_typed(request: ModelRequest) -> ModelRequest:
    """The request with the user's message as it was typed, in the last message that has it."""
    typed = request.typed
    if typed is None:
        return request
    messages = list(request.messages)
    for index in range(len(messages) - 1, -1, -1):
        before, found, behind = messages[index].content.rpartition(typed.told)
        if found:
            messages[index] = ChatMessage(messages[index].role, f"{before}{typed.text}{behind}")
            break
    return replace(request, messages=tuple(messages), typed=None)


class Repeated:
    """Finds the secrets of a message where they are repeated, in any case, width and spacing.

    Attributes:
        longest: characters within which a secret stands, whole.
    """

    def __init__(self, typed: Typed) -> None:
        self._secrets = tuple(_patterns(typed.secrets))
        self.longest = 4 * max((len(secret) for _, secret in typed.secrets), default=0)

    def clean(self, text: str) -> str:
        """A text with the reference in the place of each secret."""
        for pattern, reference in self._secrets:
            plain = text.translate(_WIDE)
            for match in reversed(list(pattern.finditer(plain))):
                text = text[: match.start()] + reference + text[match.end() :]
                plain = text.translate(_WIDE)
        return text

    def without(self, error: HarnessError) -> HarnessError:
        """An error without the secrets: a server may give back what it was sent."""
        error.message, error.remedy = self.clean(error.message), self.clean(error.remedy)
        error.details = {name: self._plain(value) for name, value in error.details.items()}
        error.args = tuple(self._plain(value) for value in error.args)
        error.__cause__ = error.__context__ = None
        return error

    def _plain(self, value: object) -> object:
        if isinstance(value, str):
            return self.clean(value)
        if isinstance(value, list | tuple):
            return [self._plain(item) for item in value]
        if isinstance(value, dict):
            return {key: self._plain(item) for key, item in value.items()}
        return value


def _patterns(secrets: Sequence[tuple[str, str]]) -> Iterator[tuple[re.Pattern[str], str]]:
    """The longest first, so that none is taken for the beginning of another."""
    for reference, secret in sorted(secrets, key=lambda one: -len(one[1])):
        told = [char for char in secret.translate(_WIDE) if not re.fullmatch(r"[\s\-‐‑–.]", char)]
        if told:
            yield re.compile(SEPARATORS.join(map(re.escape, told)), re.IGNORECASE), reference

"""A model that passes its calls on to another one: what those begin with that look at what is asked, or change it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from harness.ports.models import Capabilities, Model, ModelDelta, ModelReply, ModelRequest, Role


class PassingModel:
    """Passes every call on. A subclass changes ``complete`` and ``stream``, and leaves the rest as it is."""

    def __init__(self, inner: Model) -> None:
        self._inner = inner

    @property
    def capabilities(self) -> Capabilities:
        """Of the inner model."""
        return self._inner.capabilities

    def model_id(self, role: Role) -> str:
        """Of the inner model."""
        return self._inner.model_id(role)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Answer. Raises what the inner model raises."""
        return await self._inner.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Answer piece by piece; closing this closes the stream of the inner model."""
        pieces = self._inner.stream(request)
        try:
            async for piece in pieces:
                yield piece
        finally:
            close = getattr(pieces, "aclose", None)  # an iterator that is no generator may have none
            if close is not None:
                await close()

    async def count_tokens(self, text: str) -> int | None:
        """As the inner model counts; None where it does not tell."""
        counting = getattr(self._inner, "count_tokens", None)
        return await counting(text) if counting is not None else None

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()


__all__ = ["PassingModel"]

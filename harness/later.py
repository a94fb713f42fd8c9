"""A model that is connected when it is first asked something: for work on sessions that mostly needs none."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, cast

from harness.ports import Capabilities, Model, ModelDelta, ModelReply, ModelRequest, Role


class LaterModel:
    """Connects with ``connect`` at the first call. ``models``: role to model id, for before that."""

    def __init__(self, connect: Callable[[], Awaitable[Model]], models: Mapping[Role, str]) -> None:
        self._connect = connect
        self._models = models
        self._model: Model | None = None
        self._unknown = Capabilities()

    @property
    def capabilities(self) -> Capabilities:
        """Of the model; nothing is known before the first call."""
        return self._unknown if self._model is None else self._model.capabilities

    def model_id(self, role: Role) -> str:
        """The model id of a role."""
        return self._models.get(role, "") if self._model is None else self._model.model_id(role)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Connect and answer."""
        return await (await self._connected()).complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelDelta]:
        """Connect and answer piece by piece."""
        async with aclosing(cast("Any", (await self._connected()).stream(request))) as pieces:
            async for piece in pieces:
                yield piece

    async def close(self) -> None:
        """Nothing: whoever connected closes."""

    async def _connected(self) -> Model:
        if self._model is None:
            self._model = await self._connect()
        return self._model

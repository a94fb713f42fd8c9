"""Models that live in the process: instant, scripted, and remembering what they were asked."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from itertools import chain, repeat

from harness.ports import Capabilities, ModelDelta, ModelReply, ModelRequest, Role
from harness.state.record import Usage

Scripted = str | ModelReply | BaseException
"""A text, a whole reply, or an error to raise."""

Script = Scripted | Sequence[Scripted] | Mapping[str, "Script"] | Callable[[ModelRequest], Scripted]


def echo(request: ModelRequest) -> str:
    """The last message that is not the system's."""
    return next((message.content for message in reversed(request.messages) if message.role != "system"), "")


class ScriptedModel:
    """A :class:`harness.ports.Model` that answers from a script and records its requests.

    ::

        model = ScriptedModel(["Hello.", "I am well.", RateLimited("no more")])
        model = ScriptedModel({"respond": "Hello.", "turn_analysis": ["{}", "{}"], "*": ""})
        model = ScriptedModel(lambda request: request.messages[-1].content.upper())

    Args:
        script: one answer for everything; answers in order, the last repeating; a mapping from the request's purpose (``*`` for
            any other) to one of these; or a function. Without a script the last message is echoed.
        capabilities: what the endpoint claims to take; by default all but nothing is known of prefill.
        models: role to model id.

    Attributes:
        requests: every request, oldest first.
        closed: whether :meth:`close` was called.
    """

    def __init__(
        self,
        script: Script = echo,
        *,
        capabilities: Capabilities | None = None,
        models: Mapping[Role, str] | None = None,
    ) -> None:
        self.requests: list[ModelRequest] = []
        self.closed = False
        self._capabilities = capabilities or Capabilities()
        self._models = dict(models or {})
        self._answer = _answering(script)

    @property
    def capabilities(self) -> Capabilities:
        """What the endpoint claims to take."""
        return self._capabilities

    @property
    def purposes(self) -> list[str]:
        """The purposes of the requests, oldest first."""
        return [request.purpose for request in self.requests]

    def model_id(self, role: Role) -> str:
        """The model id of a role; ``scripted`` when none was given."""
        return self._models.get(role, "scripted")

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The next answer; raises it when it is an error."""
        self.requests.append(request)
        answer = self._answer(request)
        if isinstance(answer, BaseException):
            raise answer
        if isinstance(answer, ModelReply):
            return answer
        usage = Usage(
            prompt=sum(len(message.content) for message in request.messages) // 4,
            completion=len(answer) // 4,
            estimated=True,
        )
        return ModelReply(answer, model=self.model_id(request.role), usage=usage)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """The next answer in words (in single characters where there are no spaces)."""
        reply = await self.complete(request)
        for piece in pieces_of(reply.text):
            yield ModelDelta(text=piece)
        yield ModelDelta(reply=reply)

    async def close(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def pieces_of(text: str) -> list[str]:
    """A text in pieces as a model would stream it; joined they are the text again."""
    return re.findall(r"[\u3000-\u9fff\uff00-\uffef]|\s*[^\s\u3000-\u9fff\uff00-\uffef]+|\s+", text)


def _answering(script: Script) -> Callable[[ModelRequest], Scripted]:
    if isinstance(script, str | ModelReply | BaseException):
        return lambda _: script
    if isinstance(script, Mapping):
        by_purpose = {purpose: _answering(part) for purpose, part in script.items()}
        return lambda request: _for_purpose(by_purpose, request)
    if isinstance(script, Sequence):
        if not script:
            msg = "A script needs at least one answer."
            raise ValueError(msg)
        answers = chain(script, repeat(script[-1]))
        return lambda _: next(answers)
    return script


def _for_purpose(by_purpose: Mapping[str, Callable[[ModelRequest], Scripted]], request: ModelRequest) -> Scripted:
    answer = by_purpose.get(request.purpose) or by_purpose.get("*")
    if answer is None:
        msg = f"The script has no answer for the purpose {request.purpose!r}; it has {sorted(by_purpose)!r}."
        raise KeyError(msg)
    return answer(request)

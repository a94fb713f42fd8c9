"""Why does the endpoint not answer? Walks from the configuration to structured output and names the first fault.

The checks are ``configuration``, ``network``, ``auth``, ``model id``, ``plain reply``, ``streaming`` and
``structured output``. The first that fails ends the walk; those after it are reported as not reached.
"""

from __future__ import annotations

import difflib
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol, cast

from pydantic import BaseModel, ConfigDict

from harness.asking import ask
from harness.errors import (
    AuthenticationFailed,
    BadRequest,
    EndpointNotFound,
    HarnessError,
    MalformedReply,
    ModelError,
    ModelNotFound,
    ModelTimeout,
    PermissionRefused,
    Unreachable,
)
from harness.ports import ChatMessage, Model, ModelReply, ModelRequest, Role

NAMES = ("configuration", "network", "auth", "model id", "plain reply", "streaming", "structured output")
"""The checks in their order."""

SLOW_S = 10.0
"""A short reply that takes longer than this is worth a warning."""

_LISTED = 8


@dataclass(frozen=True, slots=True)
class Check:
    """The outcome of one check.

    Attributes:
        name: one of :data:`NAMES`.
        ok: True passed, False failed, None not reached.
        detail: what was found.
        remedy: what to do; not empty on a passed check when there is a warning.
        seconds: wall time.
        error: name of the error type, for programs.
    """

    name: str
    ok: bool | None
    detail: str = ""
    remedy: str = ""
    seconds: float = 0.0
    error: str = ""

    @property
    def warning(self) -> bool:
        """Passed, but something is worth a look."""
        return self.ok is True and bool(self.remedy)


class Probe(Protocol):
    """What is examined. The adapter of an endpoint implements it."""

    def configure(self) -> str:
        """Check the settings without any request and sum them up in a line. Raises a HarnessError."""
        ...

    @property
    def model(self) -> Model:
        """The model, usable after :meth:`configure`. It should make one attempt per call, so that faults show at once."""
        ...

    @property
    def models(self) -> Mapping[Role, str]:
        """Role to model id, as configured."""
        ...

    async def list_models(self) -> tuple[str, ...]:
        """The model ids the endpoint lists. Raises a ModelError."""
        ...


class Sum(BaseModel):
    """The structured answer that is asked for."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str
    sum: int


async def diagnose(
    probe: Probe,
    *,
    timeout_s: float = 60.0,
    slow_s: float = SLOW_S,
    on_check: Callable[[Check], None] = lambda _: None,
    now: Callable[[], float] = time.monotonic,
) -> list[Check]:
    """Run the checks until one fails.

    Args:
        probe: the endpoint.
        timeout_s: deadline of each request in seconds.
        slow_s: seconds from which a short reply counts as slow.
        on_check: told of each check as soon as its outcome is known.
        now: seconds, for the times.

    Returns:
        One check for each of :data:`NAMES`, in order.
    """
    walk = _Walk(probe, timeout_s, slow_s, now)
    checks: list[Check] = []
    for name in NAMES:
        if checks and checks[-1].ok is not True:
            check = Check(name, ok=None, detail="not reached")
        else:
            started = now()
            try:
                detail, remedy = await walk.run(name)
                check = Check(name, ok=True, detail=detail, remedy=remedy, seconds=now() - started)
            except HarnessError as error:
                kind = type(error).__name__
                check = Check(name, False, error.message, error.remedy, now() - started, kind)  # noqa: FBT003  see the class
        checks.append(check)
        on_check(check)
    return checks


def passed(checks: list[Check]) -> bool:
    """Whether every check passed."""
    return all(check.ok for check in checks)


Finding = tuple[str, str]
"""Detail and remedy; a remedy is a warning."""


class _Walk:
    """The checks, and what earlier ones found out for later ones."""

    def __init__(self, probe: Probe, timeout_s: float, slow_s: float, now: Callable[[], float]) -> None:
        self._probe = probe
        self._timeout_s = timeout_s
        self._slow_s = slow_s
        self._now = now
        self._listed: tuple[str, ...] | None = None
        self._reply: ModelReply | None = None
        self._failure: ModelError | None = None
        self._reply_seconds = 0.0

    async def run(self, name: str) -> Finding:
        """Run one check. Raises a HarnessError when it fails."""
        match name:
            case "configuration":
                return self._probe.configure(), ""
            case "network":
                return await self._network()
            case "auth":
                return self._auth()
            case "model id":
                return await self._model_ids()
            case "plain reply":
                return self._plain_reply()
            case "streaming":
                return await self._streaming()
            case _:
                return await self._structured()

    async def _network(self) -> Finding:
        """Whether something answers there, and as an API. The first reply is asked for here: only it is proof of the path."""
        listing: ModelError | None = None
        try:
            self._listed = await self._probe.list_models()
        except (Unreachable, ModelTimeout):
            raise
        except ModelError as error:
            listing = error
        if isinstance(listing, AuthenticationFailed | PermissionRefused):
            self._failure = listing
            return "the endpoint answers", ""
        await self._first_reply()
        if isinstance(self._failure, Unreachable | EndpointNotFound) and not self._is_unknown_model(self._failure):
            raise self._failure
        if self._listed is not None:
            return f"the endpoint answers and lists {len(self._listed)} models", ""
        return "the endpoint answers; it lists no models, which is no fault", ""

    async def _first_reply(self) -> None:
        started = self._now()
        try:
            self._reply = await self._probe.model.complete(
                _request("Say hello in one short sentence.", self._timeout_s)
            )
        except ModelError as error:
            self._failure = error
        self._reply_seconds = self._now() - started

    def _is_unknown_model(self, failure: ModelError) -> bool:
        """A 404 on a path whose neighbour lists models, for an id it does not list, is about the id."""
        return (
            isinstance(failure, EndpointNotFound) and bool(self._listed) and self._responder not in (self._listed or ())
        )

    @property
    def _responder(self) -> str:
        return self._probe.model.model_id("responder")

    def _auth(self) -> Finding:
        if isinstance(self._failure, AuthenticationFailed | PermissionRefused):
            raise self._failure
        if self._failure is None or isinstance(self._failure, ModelNotFound | BadRequest):
            return "the key is taken, or none is needed", ""
        return "nothing was refused for want of a key", ""

    async def _model_ids(self) -> Finding:
        failure = self._failure
        if failure is not None and (isinstance(failure, ModelNotFound) or self._is_unknown_model(failure)):
            raise self._unknown("responder", failure)
        ids = {self._probe.model.model_id(role): role for role in reversed(list(self._probe.models))}
        unproved = {
            name: role for name, role in ids.items() if name != self._responder and name not in (self._listed or ())
        }
        for role in unproved.values() if failure is None else ():
            try:
                await self._probe.model.complete(_request("Say hello.", self._timeout_s, role=role))
            except ModelNotFound as error:
                raise self._unknown(role, error) from error
        shown = ", ".join(f"{role} = {self._probe.model.model_id(role)}" for role in self._probe.models)
        if self._listed and self._responder not in self._listed and failure is None:
            return shown, f"{self._responder!r} is not in the endpoint's list ({self._some()}), but it answers to it."
        return shown, ""

    def _unknown(self, role: Role, failure: ModelError) -> ModelError:
        wanted = self._probe.model.model_id(role)
        if not self._listed:
            return failure
        near = difflib.get_close_matches(wanted, self._listed, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]!r}? " if near else ""
        remedy = f"{hint}Set models.{role} to one of: {self._some()}."
        return ModelNotFound(
            f"The endpoint does not know the model {wanted!r}.", remedy=remedy, role=role, model=wanted
        )

    def _some(self) -> str:
        listed = self._listed or ()
        return ", ".join(listed[:_LISTED]) + (f" and {len(listed) - _LISTED} more" if len(listed) > _LISTED else "")

    def _plain_reply(self) -> Finding:
        if self._failure is not None:
            raise self._failure
        reply = cast("ModelReply", self._reply)
        detail = f"{_short(reply.text)!r} in {self._reply_seconds:.1f} s ({reply.usage.completion} tokens)"
        return detail, self._slow(self._reply_seconds)

    def _slow(self, seconds: float) -> str:
        if seconds < self._slow_s:
            return ""
        return f"Slow: {seconds:.1f} s for one sentence. Use a smaller model or a faster machine, or raise harness.turn_timeout_s."

    async def _streaming(self) -> Finding:
        started = self._now()
        first: float | None = None
        pieces = 0
        request = _request("Count from one to eight in words.", self._timeout_s)
        stream = cast("AsyncIterator[Any]", self._probe.model.stream(request))
        async with aclosing(cast("Any", stream)) as deltas:
            async for delta in deltas:
                if delta.text:
                    pieces += 1
                    first = self._now() - started if first is None else first
        detail = f"{pieces} pieces, the first after {first or 0.0:.2f} s"
        if pieces == 1:
            return detail, "The reply came in one piece: the endpoint or a proxy in between does not stream."
        return detail, self._slow(first or 0.0)

    async def _structured(self) -> Finding:
        text = "What is 17 plus 25? Answer in JSON with the keys reasoning (one short sentence) and sum (a number)."
        request = _request(
            text, self._timeout_s, role="extractor" if "extractor" in self._probe.models else "responder"
        )
        asked = await ask(self._probe.model, request, Sum, phase="doctor")
        if asked.value is None:
            raise asked.failure or MalformedReply(asked.error)
        notes = "; ".join(asked.notes)
        if asked.form == "json_schema" and not asked.repaired:
            return f"json_schema works{f' ({notes})' if notes else ''}", ""
        remedy = 'The endpoint does not hold its model to a schema; answers are read tolerantly. `analysis = "rules"` needs none.'
        return f"works with {asked.form}{f' ({notes})' if notes else ''}", remedy


def _request(text: str, timeout_s: float, *, role: Role = "responder", max_tokens: int = 1024) -> ModelRequest:
    return ModelRequest(
        role,
        (ChatMessage("user", text),),
        purpose="doctor",
        temperature=0.0,
        max_tokens=max_tokens,
        timeout_s=timeout_s,
    )


def _short(text: str, limit: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[:limit] + "…"

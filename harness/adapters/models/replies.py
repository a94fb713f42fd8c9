"""Reading what came back: a completion, the pieces of a stream, and the text in them.

The text is cleaned the same way in both: lone surrogates become U+FFFD, a leading block of reasoning is taken off,
and an echoed begun answer is taken off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from harness import errors
from harness.adapters.models import wordings
from harness.adapters.models.failures import Refusal, Target, content_filtered, error_message, excerpt, is_page
from harness.errors import ModelError
from harness.ports.models import visible
from harness.state.record import Usage

_TAGS = "|".join(wordings.REASONING_TAGS)
_OPEN = re.compile(rf"\s*(?:<({_TAGS})>|\[({_TAGS})\])", re.IGNORECASE)
_ANY_OPEN = re.compile(rf"<(?:{_TAGS})>|\[(?:{_TAGS})\]", re.IGNORECASE)
_CLOSE = re.compile(rf"(?:</(?:{_TAGS})>|\[/(?:{_TAGS})\])\s*", re.IGNORECASE)
_OPENINGS = tuple(f"{left}{tag}{right}" for tag in wordings.REASONING_TAGS for left, right in ("<>", "[]"))


@dataclass(frozen=True, slots=True)
class Completion:
    """A finished answer as read from the wire. ``text`` is clean."""

    text: str
    model: str
    finish_reason: str
    usage: Usage | None


def without_reasoning(text: str) -> str:
    """The text without the blocks of reasoning it begins with, the last one closed or not.

    Some chat templates open the block themselves, so that only its end is in the answer; what stands before goes, too.
    """
    if _OPEN.match(text) is None:
        closing = _CLOSE.search(text)
        return text[closing.end() :] if closing is not None and not _ANY_OPEN.search(text, 0, closing.start()) else text
    while _OPEN.match(text):
        closing = _CLOSE.search(text)
        if closing is None:
            return ""
        text = text[closing.end() :]
    return text


def without_echo(text: str, prefill: str) -> str:
    """What follows the begun answer: without it when the endpoint repeats it, and without a second space in between."""
    begun = prefill.strip()
    stripped = text.lstrip()
    rest = stripped[len(begun) :] if begun and stripped.startswith(begun) else text
    return rest.lstrip() if prefill[-1:].isspace() else rest


class Cleaner:
    """Cleans a text that comes in pieces; what it lets through is final.

    Holds back only while the begin could still be reasoning or an echo of the begun answer.
    """

    def __init__(self, prefill: str = "") -> None:
        self._begun = prefill.strip()
        self._spaced = prefill[-1:].isspace()
        self._held = ""
        self._stage = "reasoning"
        self._surrogate = ""
        self._thought = False

    def feed(self, piece: str) -> str:
        """The part that may be shown now."""
        piece = self._join_surrogates(piece)
        if self._stage == "open":
            return piece
        self._held += piece
        while self._stage in {"reasoning", "inside"} and self._moves_on():
            pass
        if self._stage == "echo":
            self._leave_echo()
        return self._release() if self._stage == "open" else ""

    def finish(self) -> str:
        """What was held back and turns out to be text."""
        halved, self._surrogate = self._surrogate, ""
        rest = self.feed("\ufffd") if halved else ""
        held = "" if self._stage == "inside" else self._release()
        if self._stage == "echo" and self._begun and held.strip() == self._begun:
            held = ""
        return rest + held

    def _join_surrogates(self, piece: str) -> str:
        piece, self._surrogate = self._surrogate + piece, ""
        if piece and "\ud800" <= piece[-1] <= "\udbff":
            piece, self._surrogate = piece[:-1], piece[-1]
        return visible(piece)

    def _moves_on(self) -> bool:
        """Take the next step out of the reasoning; False when more text is needed."""
        if self._stage == "inside":
            closing = _CLOSE.search(self._held)
            if closing is None:
                return False
            self._held = self._held[closing.end() :]
            self._stage, self._thought = "reasoning", True
            return True
        start = self._held.lstrip()
        if _OPEN.match(self._held):
            self._stage = "inside"
            return True
        if self._thought:
            self._held = start
        if start and not any(opening.startswith(start.lower()) for opening in _OPENINGS):
            self._stage = "echo"
        return False

    def _leave_echo(self) -> None:
        start = self._held.lstrip()
        if self._begun and start.startswith(self._begun):
            rest = start[len(self._begun) :]
            if self._spaced and not rest.strip():
                return
            self._held = rest.lstrip() if self._spaced else rest
            self._stage = "open"
        elif not (self._begun and self._begun.startswith(start)):
            self._held = start if self._spaced else self._held
            self._stage = "open"

    def _release(self) -> str:
        released, self._held = self._held, ""
        return released


def decode(text: str, target: Target) -> dict[str, Any]:
    """The JSON object of a 200 answer. Raises NotJSON or NoChoices."""
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        what = "a web page" if is_page(text) else "an empty body" if not text.strip() else "text that is no JSON"
        msg = f"Expected JSON from {target.shown}, but {what} came: {excerpt(error_message(text))!r}."
        remedy = (
            "base_url probably points at a web interface or a login page; it must be the API, usually ending in /v1."
        )
        raise target.error(errors.NotJSON, msg, remedy, status=200) from None
    if not isinstance(body, dict):
        raise _no_choices(body, target)
    return body


def read_completion(body: Mapping[str, Any], target: Target, prefill: str = "") -> Completion:
    """A completion out of its JSON. Raises a MalformedReply."""
    raise_error_body(body, target)
    choice = first_choice(body)
    if choice is None:
        raise _no_choices(body, target)
    raw = choice.get("message")
    message: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    finish = str(choice.get("finish_reason") or "stop")
    whole = content_of(message) or (choice.get("text") if isinstance(choice.get("text"), str) else "") or ""
    text = without_echo(without_reasoning(visible(whole)), prefill)
    check_text(text, finish, target, refusal=str(message.get("refusal") or ""), reasoning=has_reasoning(message) or bool(whole.strip()),
               tools=bool(message.get("tool_calls")))  # fmt: skip
    return Completion(text, str(body.get("model") or target.model), finish, read_usage(body))


def first_choice(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The first choice of a completion or chunk; None when there is none."""
    choices = body.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    return None


def content_of(message: Mapping[str, Any]) -> str:
    """The text of a message or delta; parts are joined."""
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type", "text") == "text"]
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def has_reasoning(message: Mapping[str, Any]) -> bool:
    """Whether a message or delta carries reasoning in a field of its own."""
    return bool(message.get("reasoning_content") or message.get("reasoning"))


def check_text(
    text: str, finish: str, target: Target, *, refusal: str = "", reasoning: bool = False, tools: bool = False
) -> None:
    """Raise ContentFiltered or EmptyReply when a finished answer holds nothing to say."""
    if finish == "content_filter" or (refusal and not text.strip()):
        raise content_filtered(target, refusal or text or "finish_reason is content_filter", text=text)
    if text.strip():
        return
    remedy = "Try again; if it stays, check the model's chat template and stop sequences."
    what = "an empty one came"
    if tools:
        what, remedy = "only tool calls came", "Use a model or a setting that answers in text."
    elif reasoning:
        what = "only reasoning came"
        remedy = "Raise max_tokens, or switch the model's thinking off (provider.extra_body)."
    elif finish == "length":
        what, remedy = "the limit was reached before any text", "Raise max_tokens."
    msg = f"Expected a reply of {target.model!r}, but {what} (finish_reason {finish!r})."
    raise target.error(errors.EmptyReply, msg, remedy, finish_reason=finish)


def raise_error_body(body: Mapping[str, Any], target: Target) -> None:
    """Raise ErrorBody (or ContextTooLong, ContentFiltered) when a 200 answer or a chunk is an error object."""
    error = body.get("error")
    if not error or first_choice(body) is not None:
        return
    text = json.dumps(body, ensure_ascii=False)
    code = error.get("code") if isinstance(error, dict) else None
    refusal = Refusal(200, text, {})
    if refusal.says(wordings.CONTEXT_TOO_LONG):
        msg = f"The prompt does not fit into the context window of {target.model!r}: {refusal.message!r}."
        raise target.error(
            errors.ContextTooLong,
            msg,
            "Lower harness.total_token_budget, or use a model with a larger window.",
            status=200,
        )
    if refusal.says(wordings.CONTENT_FILTER):
        raise content_filtered(target, refusal.message, status=200)
    msg = f"Expected a completion, but {target.shown} answered 200 with an error inside: {refusal.message!r}."
    remedy = "The gateway in front of the model passes errors on this way; act on what it says, or look at its log."
    raise target.error(errors.ErrorBody, msg, remedy, status=200, code=code)


def read_usage(body: Mapping[str, Any]) -> Usage | None:
    """Token counts of OpenAI's shape, with the cached part where it is told; None when there are none."""
    usage = body.get("usage")
    if not isinstance(usage, dict) or not isinstance(usage.get("prompt_tokens"), int):
        return None
    details = usage.get("prompt_tokens_details")
    timings = body.get("timings")
    cached: object = details.get("cached_tokens") if isinstance(details, dict) else None
    if cached is None:
        cached = usage.get("prompt_cache_hit_tokens")
    if cached is None and isinstance(timings, dict):
        cached = timings.get("cache_n")
    completion = usage.get("completion_tokens")
    return Usage(
        prompt=usage["prompt_tokens"],
        completion=completion if isinstance(completion, int) else 0,
        cached=cached if isinstance(cached, int) else None,
    )


def estimated_usage(prompt: str, completion: str) -> Usage:
    """Token counts for an endpoint that tells none: four ASCII characters, or three others in two tokens."""
    return Usage(prompt=_estimate(prompt), completion=_estimate(completion), estimated=True)


def _estimate(text: str) -> int:
    plain = len(text.encode("ascii", "ignore"))
    return -(-plain // 4) + -(-(len(text) - plain) * 2 // 3)


def _no_choices(body: object, target: Target) -> ModelError:
    msg = f"Expected choices in the answer of {target.shown}, but none came: {excerpt(json.dumps(body, ensure_ascii=False))!r}."
    remedy = "The endpoint does not speak OpenAI's chat completions, or hides an error: check base_url and its log."
    return target.error(errors.NoChoices, msg, remedy, status=200)

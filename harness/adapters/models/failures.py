"""From what went wrong with a call to the error of this package that says so.

Takes plain values (status, body text, exception chain), never the SDK's types, so that it needs no SDK to be tested.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from harness import errors
from harness.adapters.models import wordings
from harness.adapters.models.endpoint import without_credentials
from harness.errors import ModelError
from harness.ports import Role

_TITLE = re.compile(r"<title[^>]*>(.*?)</title>", re.IGNORECASE | re.DOTALL)
_MARKUP = re.compile(r"\s*<(?:!doctype|html|head|body|\?xml|!--)", re.IGNORECASE)
_EXCERPT = 300


@dataclass(frozen=True, slots=True)
class Target:
    """Where a call went; becomes the details of its errors.

    Attributes:
        url: the address of the request.
        secret: the key; cut out of every text an endpoint echoes.
    """

    url: str
    model: str
    role: Role
    secret: str = ""

    @property
    def shown(self) -> str:
        """The address without credentials."""
        return without_credentials(self.url)

    def error(self, kind: type[ModelError], message: str, remedy: str = "", **details: object) -> ModelError:
        """An error of a kind, with the target in its details."""
        base: dict[str, object] = {"url": self.shown, "model": self.model, "role": self.role}
        return kind(self.redact(message), remedy=self.redact(remedy), **{**base, **details})

    def redact(self, text: str) -> str:
        """The text without the key."""
        return text.replace(self.secret, "[key]") if len(self.secret) > 3 else text


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer with an error status (or an error object), ready to be asked what it says.

    Attributes:
        text: the body; ``lowered``: the same in lower case.
        headers: response headers, names in lower case.
    """

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def lowered(self) -> str:
        """The body in lower case, for matching."""
        return self.text.lower()

    def says(self, fragments: Iterable[str]) -> bool:
        """Whether the body holds one of the fragments."""
        lowered = self.lowered
        return any(fragment in lowered for fragment in fragments)

    @property
    def message(self) -> str:
        """The message of the error object, else the title of the page, else the begin of the text."""
        return excerpt(error_message(self.text))


def is_page(text: str) -> bool:
    """Whether a body is markup."""
    return _MARKUP.match(text) is not None


def excerpt(text: str) -> str:
    """The begin of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else line[:_EXCERPT] + "…"


def error_message(text: str) -> str:
    """What an error body says; shapes of OpenAI, FastAPI, Ollama, gateways."""
    if is_page(text):
        title = _TITLE.search(text)
        return title[1].strip() if title else text
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return _message_of(body) or text


def _message_of(body: Any) -> str:
    if isinstance(body, str):
        return body
    if isinstance(body, list):
        return "; ".join(filter(None, (_message_of(part) for part in body)))
    if not isinstance(body, dict):
        return ""
    for key in ("error", "message", "detail", "msg", "error_msg", "errors"):
        if found := _message_of(body.get(key)):
            return found
    return ""


def from_status(refusal: Refusal, target: Target) -> ModelError:
    """The error for a status of 300 or more."""
    status = refusal.status
    if status < 500 and status not in {401, 429}:
        by_wording = _from_wording(refusal, target)
        if by_wording is not None:
            return by_wording
    if 300 <= status < 400:
        return _redirected(refusal, target)
    match status:
        case 401:
            return _unauthorized(refusal, target)
        case 402 | 403:
            return _forbidden(refusal, target)
        case 404 | 405:
            return _not_found(refusal, target)
        case 407:
            msg = f"The proxy on the way to {target.shown} wants a user name and password (407)."
            return target.error(
                errors.ProxyUnreachable, msg, "Put them into the proxy variable, or unset it.", status=status
            )
        case 408:
            msg = f"{target.shown} gave up waiting for the request (408)."
            return target.error(errors.ModelTimeout, msg, "Try again.", status=status)
        case 429:
            return _limited(refusal, target)
    if status >= 500:
        return _from_wording(refusal, target, context_only=True) or _failed(refusal, target)
    msg = f"{target.shown} refused the request ({status}): {refusal.message!r}."
    return target.error(
        errors.BadRequest, msg, "Check the model's options; the endpoint names what it does not take.", status=status
    )


def _from_wording(refusal: Refusal, target: Target, *, context_only: bool = False) -> ModelError | None:
    """What only the body tells, whatever the status."""
    status, said = refusal.status, refusal.message
    if refusal.says(wordings.CONTEXT_TOO_LONG):
        msg = f"The prompt does not fit into the context window of {target.model!r}: {said!r}."
        remedy = "Lower harness.total_token_budget or the reply's max_tokens, or use a model with a larger window."
        return target.error(errors.ContextTooLong, msg, remedy, status=status)
    if context_only:
        return None
    if refusal.says(wordings.CONTENT_FILTER):
        return content_filtered(target, said, status=status)
    if status not in {403, 404} and refusal.says(wordings.BAD_KEY):
        return _unauthorized(refusal, target)
    if status not in {401, 403} and names_unknown_model(refusal, target.model):
        return model_not_found(target, said, status)
    if refusal.says(wordings.HTTPS_WANTED):
        return plain_http(target)
    return None


def names_unknown_model(refusal: Refusal, model: str) -> bool:
    """Whether a refusal is about the model id rather than the path."""
    if refusal.says(wordings.MODEL_UNKNOWN):
        return True
    if refusal.status != 404 or is_page(refusal.text):
        return False
    names_it = (bool(model) and model.lower() in refusal.lowered) or "model" in refusal.message.lower()
    return names_it and refusal.says(wordings.MODEL_MISSING)


def model_not_found(target: Target, said: str, status: int = 404, known: Iterable[str] = ()) -> ModelError:
    """The endpoint does not know the model id. ``known``: ids it lists, when they are at hand."""
    msg = f"{target.shown} does not know the model {target.model!r}: {said!r}."
    listed = ", ".join(known)
    remedy = f"Set models.{target.role} to one it serves" + (
        f": {listed}." if listed else "; `harness doctor` lists them."
    )
    return target.error(errors.ModelNotFound, msg, remedy, status=status)


def content_filtered(target: Target, said: str, **details: object) -> ModelError:
    """The provider withheld the answer."""
    msg = f"The content filter of {target.shown} withheld the answer of {target.model!r}: {said!r}."
    remedy = "Rephrase the message, soften the persona, or use a provider that allows the content."
    return target.error(errors.ContentFiltered, msg, remedy, **details)


def plain_http(target: Target) -> ModelError:
    """Plain http where https was meant."""
    msg = f"{target.shown} speaks TLS, but base_url begins with http://."
    return target.error(errors.TLSFailed, msg, "Begin base_url with https://.")


def _unauthorized(refusal: Refusal, target: Target) -> ModelError:
    sent = "refused the API key" if target.secret else "wants an API key, and none was sent"
    msg = f"{target.shown} {sent} ({refusal.status}): {refusal.message!r}."
    remedy = "Check that the variable named by provider.api_key_env holds a valid key of this provider and is exported."
    return target.error(errors.AuthenticationFailed, msg, remedy, status=refusal.status)


def _forbidden(refusal: Refusal, target: Target) -> ModelError:
    if refusal.status == 402 or refusal.says(wordings.NO_CREDIT):
        remedy = "The account has no credit left; add some with the provider."
    elif is_page(refusal.text):
        remedy = "A web page came, not an API's answer: a firewall, proxy or region block is in the way."
    else:
        remedy = "The key is known but may not do this: check its permissions, the model's terms, and the region."
    msg = f"{target.shown} forbids the request ({refusal.status}): {refusal.message!r}."
    return target.error(errors.PermissionRefused, msg, remedy, status=refusal.status)


def _not_found(refusal: Refusal, target: Target) -> ModelError:
    msg = f"Expected an OpenAI-compatible API, but {target.shown} answers {refusal.status}: {refusal.message!r}."
    path = urlsplit(target.url).path
    doubled = re.search(r"(/v\d+[a-z0-9]*)\1/|(/chat/completions).*\2", path)
    remedy = (
        "The path is doubled: base_url must end where /chat/completions begins."
        if doubled
        else "Check the path of base_url; if the API has no version in its path, end base_url with '#' to keep it as it is."
    )
    return target.error(errors.EndpointNotFound, msg, remedy, status=refusal.status)


def _redirected(refusal: Refusal, target: Target) -> ModelError:
    location = without_credentials(refusal.headers.get("location", ""))
    msg = f"Expected an answer, but {target.shown} redirects ({refusal.status}) to {location!r}."
    remedy = "Redirects are not followed, because a key could go astray; set base_url to the final address."
    return target.error(errors.EndpointNotFound, msg, remedy, status=refusal.status, location=location)


def _limited(refusal: Refusal, target: Target) -> ModelError:
    spent = refusal.says(wordings.NO_CREDIT)
    msg = f"{target.shown} refuses more requests for now (429): {refusal.message!r}."
    remedy = (
        "The account's quota is used up; waiting does not help. Add credit or use another key."
        if spent
        else "Wait a little, send fewer requests, or raise the limit with the provider."
    )
    return target.error(errors.RateLimited, msg, remedy, status=429, retry_after=None, quota=spent)


def _failed(refusal: Refusal, target: Target) -> ModelError:
    msg = f"{target.shown} failed ({refusal.status}): {refusal.message!r}."
    return target.error(errors.ServerFailed, msg, "Try again; if it stays, look at the server's log or the provider's status page.",
                        status=refusal.status)  # fmt: skip

"""Other systems as witnesses: whatever answers at an OpenAI-compatible endpoint."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, ValidationError

from harness.errors import RunError
from harness.state.base import Frozen

FORM = "NAME=URL[,model=ID][,key=VARIABLE][,persona=no][,history=N]"
_KEYS = ("model", "key", "persona", "history")


class Endpoint(Frozen):
    """Where a witness answers, and what it is sent.

    Attributes:
        url: base address, ``http://127.0.0.1:8000/v1``.
        model: id in the request; empty: that of the settings.
        key: name of the environment variable that holds the key; empty: that of the settings.
        persona: whether the character stands in a system prompt; no for systems that have the character from elsewhere.
        history: messages that are sent, the newest included; 0 sends all, 1 suits systems that remember by themselves.
    """

    url: Annotated[str, Field(pattern=r"^https?://\S+$")]
    model: str = ""
    key: Annotated[str, Field(pattern=r"^(?:[A-Za-z_][A-Za-z0-9_]*)?$")] = ""
    persona: bool = True
    history: Annotated[int, Field(ge=0)] = 0


def read_endpoint(text: str) -> tuple[str, Endpoint]:
    """Name and endpoint from ``NAME=URL,model=ID,…``.

    Raises:
        RunError: it is not of this form.
    """
    head, *options = text.split(",")
    name, given, url = head.partition("=")
    if not given:
        raise _misread(text, "there is no = between a name and an address")
    fields: dict[str, str] = {}
    for option in options:
        key, equals, value = option.strip().partition("=")
        if not equals or key not in _KEYS:
            raise _misread(text, f"there is no option {option.strip()!r}")
        fields[key] = value.strip()
    if not name.strip().replace("-", "").replace("_", "").isalnum():
        raise _misread(text, "the name is missing, or holds more than letters, digits, - and _")
    try:
        return name.strip(), Endpoint.model_validate({"url": url.strip(), **fields})
    except ValidationError as failure:
        wrong = ", ".join(str(error["loc"][0]) for error in failure.errors())
        raise _misread(text, f"{wrong} cannot be read") from failure


def _misread(text: str, why: str) -> RunError:
    return RunError(
        f"Expected an endpoint as {FORM}, got {text!r}: {why}.",
        remedy="For instance other=http://127.0.0.1:8000/v1,model=their-model.",
    )

"""Asking an endpoint how many tokens a text is: ``POST /tokenize`` as llama.cpp's server and vLLM have it.

llama.cpp (tools/server, README) takes ``content`` and gives ``tokens``; vLLM takes ``model`` and ``prompt`` and gives ``count``. Both
pass over fields they do not know, so that one body serves both. The path lies beside the API's, not below ``/v1``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit


def tokenize_url(base_url: str) -> str:
    """Where an endpoint with this API address would count: ``http://host:port/v1`` gives ``http://host:port/tokenize``."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/").removesuffix("/v1")
    return urlunsplit((parts.scheme, parts.netloc, f"{path}/tokenize", "", ""))


def tokenize_body(text: str, model: str) -> dict[str, Any]:
    """The request: a text as it stands, without the marks of a beginning."""
    return {"content": text, "add_special": False, "model": model, "prompt": text, "add_special_tokens": False}


def read_count(answer: object) -> int | None:
    """The number of tokens; None when this is no such answer."""
    if not isinstance(answer, Mapping):
        return None
    count, tokens = answer.get("count"), answer.get("tokens")
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    return len(tokens) if isinstance(tokens, list) else None

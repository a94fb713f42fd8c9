"""The HTTP of the scripted server: requests read, answers written whole or as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from harness.testing._scripted_answers import Answer, Received

_REASONS = {
    200: "OK",
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not Found",
    429: "Too Many Requests",
}
MAX_HEAD = 1 << 16


class NotHTTP(Exception):
    """The client began with something else, a TLS handshake most likely."""


async def receive(reader: asyncio.StreamReader) -> Received | None:
    """One request; None when the client closed the connection."""
    try:
        first_byte = await reader.readexactly(1)
        if not first_byte.isalpha():
            raise NotHTTP
        head = (first_byte + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    raw = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, json.loads(raw) if raw else None)


async def until_closed(reader: asyncio.StreamReader) -> None:
    """Return when the client has closed; a client sends nothing while it waits for an answer."""
    with contextlib.suppress(ConnectionError):
        await reader.read(1)


async def send(
    writer: asyncio.StreamWriter,
    status: int,
    body: object,
    headers: Mapping[str, str] | None = None,
    content_type: str = "",
) -> None:
    text = body if isinstance(body, str) else json.dumps(body)
    kind = content_type or (
        "application/json" if not isinstance(body, str) else "text/html" if body.startswith("<") else "text/plain"
    )
    raw = text.encode()
    _head(writer, status, {"Content-Type": kind, "Content-Length": str(len(raw)), **(headers or {})})
    writer.write(raw)
    await writer.drain()


def _head(writer: asyncio.StreamWriter, status: int, headers: Mapping[str, str]) -> None:
    lines = [
        f"HTTP/1.1 {status} {_REASONS.get(status, 'Scripted')}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))


async def stream(answer: Answer, request: Received, writer: asyncio.StreamWriter) -> bool:
    """Server-sent events in HTTP chunks."""
    _head(writer, 200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", **answer.headers})
    pieces = list(answer.pieces) if answer.pieces is not None else re.findall(r"\S+\s*|\s+", answer.text or "")
    await _event(writer, _chunk(request, {"role": "assistant", **answer.message}))
    for index, piece in enumerate(pieces):
        if index == answer.cut_after:
            break
        if index == answer.drop_after:
            writer.transport.abort()
            return False
        await _event(writer, _chunk(request, {"content": piece}))
        if answer.piece_delay_s:
            await asyncio.sleep(answer.piece_delay_s)
    if answer.cut_after is None:
        await _event(writer, _chunk(request, {}, answer.finish_reason))
        usage = _usage(answer, request)
        if usage is not None and (request.body.get("stream_options") or {}).get("include_usage"):
            await _event(writer, {"object": "chat.completion.chunk", "choices": [], "usage": usage})
        if answer.done:
            await _event(writer, "[DONE]")
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


async def _event(writer: asyncio.StreamWriter, data: object) -> None:
    raw = f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
    writer.write(f"{len(raw):x}\r\n".encode() + raw + b"\r\n")
    await writer.drain()


def _chunk(request: Received, delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": dict(delta), "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": request.body.get("model"),
        "choices": [choice],
    }


def completion(answer: Answer, request: Received) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text, **answer.message}
    body: dict[str, Any] = {"id": "chatcmpl-1", "object": "chat.completion", "model": request.body.get("model"),
                            "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}]}  # fmt: skip
    usage = _usage(answer, request)
    return body if usage is None else {**body, "usage": usage}


def _usage(answer: Answer, request: Received) -> Mapping[str, Any] | None:
    if answer.usage is None or "counted" not in answer.usage:
        return answer.usage
    prompt = sum(len(str(message.get("content")).split()) for message in request.body.get("messages", ()))
    completion = len((answer.text or "").split())
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}


def error_body(message: str, code: str | None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


def embedded(wanted: int | Callable[[Received], Answer | Sequence[Sequence[float]]], request: Received) -> Answer:
    """The answer to ``POST /embeddings``."""
    given = (request.body or {}).get("input", ())
    texts = [given] if isinstance(given, str) else list(given)
    vectors = [_vector(text, wanted) for text in texts] if isinstance(wanted, int) else wanted(request)
    if isinstance(vectors, Answer):
        return vectors
    data = [{"object": "embedding", "index": at, "embedding": list(vector)} for at, vector in enumerate(vectors)]
    words = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": words, "total_tokens": words}
    return Answer(body={"object": "list", "data": data, "model": request.body.get("model"), "usage": usage})


def _vector(text: str, dimensions: int) -> list[float]:
    """Counts of pairs of characters, by their hash: texts that share some are near each other."""
    vector = [0.0] * dimensions
    for start in range(len(text) or 1):
        vector[zlib.crc32(text[start : start + 2].casefold().encode("utf-8", "replace")) % dimensions] += 1.0
    return vector

"""Fetch a model from a URL, resuming with HTTP ranges."""

from __future__ import annotations

import errno
import http.client
import re
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

from harness.adapters.local.cache import CHUNK, require_space
from harness.adapters.local.catalogue import HubSource
from harness.adapters.local.part import OnProgress, PartFile, Progress, SourceFailed

TIMEOUT_S = 30.0
REACHABLE_TIMEOUT_S = 3.0
RETRIES = 4
"""Attempts in a row that bring no new byte before the source is given up."""

PAUSE_S = 1.0
"""Seconds between two fruitless attempts; grows with their number."""

CONNECT_TIMEOUT_S = 10.0
"""Before the download: a firewall that drops packets must not cost RETRIES * TIMEOUT_S."""

_AGENT = {"User-Agent": "dialogue-harness"}
_DISK_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})  # another try cannot help
_GATEWAY_ERRORS = frozenset({502, 503, 504})  # a proxy answers, the hub does not


def reachable(source: HubSource, timeout_s: float = REACHABLE_TIMEOUT_S) -> bool:
    """Whether the source's host answers HTTP at all within ``timeout_s`` seconds (proxy variables are honoured)."""
    parts = urlsplit(source.url)
    request = urllib.request.Request(f"{parts.scheme}://{parts.netloc}/", headers=_AGENT, method="HEAD")  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=timeout_s):  # noqa: S310 - the catalogue allows http(s) only
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return error.code not in _GATEWAY_ERRORS
    except (OSError, http.client.HTTPException, ValueError):
        return False


def fetch_hub(source: HubSource, part: PartFile, on_progress: OnProgress) -> None:
    """Append the rest of the file to ``part``; a broken connection is resumed as long as each try brings bytes.

    Raises:
        SourceFailed: the URL does not serve the file.
        DownloadFailed: the disk has no room for it.
    """
    if not reachable(source, CONNECT_TIMEOUT_S):
        raise SourceFailed(f"{urlsplit(source.url).netloc} does not answer")
    fruitless = 0
    while True:
        before = part.size
        try:
            if _one_request(source, part, on_progress):
                return
            reason = f"the connection ended at {part.size} of {part.total} bytes"
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < http.client.INTERNAL_SERVER_ERROR and error.code != http.client.TOO_MANY_REQUESTS:
                raise SourceFailed(f"HTTP {error.code} {error.reason}") from error
            reason = f"HTTP {error.code} {error.reason}"
        except (OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in _DISK_ERRORS:
                raise
            reason = str(getattr(error, "reason", "") or error) or type(error).__name__
        fruitless = 0 if part.size > before else fruitless + 1
        if fruitless >= RETRIES:
            raise SourceFailed(reason)
        time.sleep(PAUSE_S * fruitless)


def _one_request(source: HubSource, part: PartFile, on_progress: OnProgress) -> bool:
    """One GET from where ``part`` ends. True when the file is complete."""
    headers = dict(_AGENT)
    etag = part.note.get("etag")
    if part.size and not etag:
        part.restart()  # nothing says that the file on the hub is still the one this began as
    if part.size:
        headers |= {"Range": f"bytes={part.size}-", "If-Range": str(etag)}
    request = urllib.request.Request(source.url, headers=headers)  # noqa: S310 - the catalogue allows http(s) only
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT_S)  # noqa: S310
    except urllib.error.HTTPError as error:
        if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE and part.size:
            error.close()
            if part.size == part.total:
                return True
            part.restart()
            return False
        raise
    with response:
        if response.status != http.client.PARTIAL_CONTENT and part.size:
            part.restart()
        if "text/html" in response.headers.get("Content-Type", ""):
            raise SourceFailed("it answers with a web page instead of the file")
        _check_total(part, _announced_total(response.headers, part.size))
        validator = response.headers.get("ETag") or response.headers.get("Last-Modified")
        if validator and not validator.startswith("W/"):
            part.remember(etag=validator)
        while chunk := response.read(CHUNK):
            part.append(chunk)
            on_progress(Progress(part.label, part.size, part.total, "downloading"))
    return part.total is None or part.size == part.total


def _check_total(part: PartFile, announced: int | None) -> None:
    if announced is None:
        return
    if part.total is not None and announced != part.total:
        raise SourceFailed(f"the file there has {announced} bytes, expected {part.total}")
    part.total = announced
    require_space(part.path.parent, announced - part.size)


def _announced_total(headers: http.client.HTTPMessage, offset: int) -> int | None:
    """Bytes of the whole file by Content-Range or Content-Length."""
    if found := re.fullmatch(r"bytes \d+-\d+/(\d+)", headers.get("Content-Range", "").strip()):
        return int(found[1])
    length = headers.get("Content-Length", "")
    return offset + int(length) if length.isdigit() else None

"""When a failed request is made again, and after how long. The only place that retries."""

from __future__ import annotations

import random
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TypeVar

from harness import errors
from harness.errors import ModelError

T = TypeVar("T")

_LONGEST_WAIT_S = 20.0
_SECONDS = re.compile(r"\d+(?:\.\d+)?")
_PASSING_CODES = frozenset({408, 429, 500, 502, 503, 504, 529})


def parse_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait as told by ``retry-after-ms`` or ``Retry-After`` (seconds or HTTP date, RFC 9110 §10.2.3)."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _SECONDS.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    told = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(told):
        return float(told)
    try:
        when = parsedate_to_datetime(told)
    except ValueError:
        return None
    return max(0.0, ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds())


def is_passing(error: BaseException) -> bool:
    """Whether the same request may succeed a little later."""
    match error:
        case errors.RateLimited():
            return not error.details.get("quota")
        case errors.ErrorBody():
            return error.details.get("code") in _PASSING_CODES
        case errors.ServerFailed():
            return error.details.get("status") != 501
        case errors.NameNotResolved():
            return bool(error.details.get("passing"))
        case errors.ProxyUnreachable() | errors.TLSFailed():
            return False
        case errors.TruncatedStream():
            return not error.details.get("text")
        case errors.Unreachable():
            return True
        case errors.ModelTimeout():
            return error.details.get("at") == "connect" or error.details.get("status") == 408
    return False


async def retrying(
    attempt: Callable[[], Awaitable[T]],
    *,
    max_attempts: int,
    remaining: Callable[[], float],
    first_wait_s: float,
) -> T:
    """Call until it succeeds, fails for good, or the next attempt would begin after the deadline.

    Args:
        attempt: one request.
        max_attempts: requests in all.
        remaining: seconds left until the deadline.
        first_wait_s: wait after the first failure; doubles each time, with jitter of ±25 %.

    Raises:
        ModelError: of the last attempt.
    """
    from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        told = error.details.get("retry_after") if isinstance(error, ModelError) else None
        if isinstance(told, int | float):
            return float(told)
        backoff = min(_LONGEST_WAIT_S, first_wait_s * 2 ** (state.attempt_number - 1))
        return float(backoff * random.uniform(0.75, 1.25))

    def stop(state: RetryCallState) -> bool:
        return state.attempt_number >= max_attempts or state.upcoming_sleep >= remaining()

    return await AsyncRetrying(retry=retry_if_exception(is_passing), wait=wait, stop=stop, reraise=True)(attempt)

"""What a test needs and does not find here."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def lacking(reason: str) -> NoReturn:
    """A server that is not installed: a skip where somebody works, a failure in CI, which must test them all."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)

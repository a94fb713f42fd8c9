"""Who counts tokens, as the settings say. Part of the composition root, so it may import adapters."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from harness.context.counting import Ask, AskedCounter, CalibratedEstimate, ExactCounter
from harness.errors import SettingsError
from harness.ports import Model, TokenCounter
from harness.settings import Settings

LOCAL_NAMES = ("localhost",)


def token_counter(settings: Settings, model: Callable[[], Model | None], *, own_model: bool) -> TokenCounter:
    """The counter that ``context.token_counting`` asks for.

    Args:
        model: gives the model, None before it is connected. ``own_model``: the settings say where it is (it was not given).

    Raises:
        SettingsError: ``tokenizer`` without a tokenizer, or one that cannot be loaded. MissingExtra: its package is missing.
    """
    context = settings.context
    wanted = context.token_counting
    if wanted == "auto":
        here = own_model and (settings.embedded or _on_this_machine(settings.provider.base_url))
        wanted = (
            "tokenizer" if context.tokenizer else "endpoint" if here and not settings.provider.replay else "estimate"
        )
    if wanted == "tokenizer":
        from harness.adapters.tokens import load_tokenizer

        if not context.tokenizer:
            raise SettingsError(
                "context.token_counting is 'tokenizer', and context.tokenizer is empty.",
                remedy="Name a tokenizer.json or an encoding of tiktoken.",
                setting="context.tokenizer",
            )
        return ExactCounter(context.tokenizer, load_tokenizer(context.tokenizer, settings.path(context.tokenizer)))
    rest = CalibratedEstimate(lambda: _responder(model()))
    return AskedCounter(lambda: _asking(model()), rest) if wanted == "endpoint" else rest


def _responder(model: Model | None) -> str:
    return model.model_id("responder") if model is not None else ""


def _asking(model: Model | None) -> Ask | None:
    counting: Any = getattr(model, "count_tokens", None)
    return counting if callable(counting) else None


def _on_this_machine(base_url: str) -> bool:
    host = urlsplit(base_url if "://" in base_url else f"//{base_url}").hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in LOCAL_NAMES

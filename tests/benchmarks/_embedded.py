"""The embedded model for the benchmarks that need one: a server of its own, harnesses and a bare client on it."""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.adapters.local import LocalServer, ServerOptions, ensure_model
from harness.app import Harness
from harness.app_connecting import EMBEDDED_SAMPLING
from harness.settings import load


@dataclass(frozen=True, slots=True)
class Served:
    """A model that answers at ``url``, open to this machine."""

    url: str
    name: str

    def harness(self, folder: Path, *, model: Any = None, **engine: Any) -> Harness:
        """A harness on this server, set up as it sets itself up with the embedded model; sessions in memory."""
        chosen = {"analysis": "rules", "summarize_with": "rules", "begin_answers": "always", **engine}
        overrides = {f"harness.{key}": value for key, value in chosen.items()} | {
            "provider.base_url": self.url,
            "provider.prefill": "plain",
            "provider.extra_body": dict(EMBEDDED_SAMPLING),
            "provider.trust_env": False,
            "provider.timeout_s": 600.0,
            "harness.turn_timeout_s": 900.0,
            "models.responder": self.name,
            "storage.backend": "memory",
        }
        return Harness(load(start=folder, environ={}, overrides=overrides), model=model)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What chooses the model."""
    parser.add_argument(
        "--model",
        default="default",
        help="path of a GGUF file, or a name of the catalogue; fetched into the cache if need be",
    )
    parser.add_argument("--threads", type=int, default=0, help="threads of the server; 0: the physical cores")


@contextmanager
def served(arguments: argparse.Namespace) -> Iterator[Served]:
    """Start the model of the command line, slots as usual, and stop it at the end."""
    model = ensure_model(arguments.model)
    options = ServerOptions(context=model.context, threads=arguments.threads or None, api_key=None)
    with LocalServer(model.path, name=model.name, options=options) as server:
        print(f"{model.name} at {server.base_url}", flush=True)
        yield Served(server.base_url, model.name)

"""Where the files that travel with the package are: prompts, personas, the commented settings file."""

from __future__ import annotations

from pathlib import Path

from harness.errors import ConfigurationError

_PACKAGE = Path(__file__).resolve().parent


def data_path(name: str) -> Path:
    """The packaged ``prompts``, ``personas`` or ``harness.toml``.

    An installed wheel keeps them in ``harness/_data``; a checkout at the top of the repository. A neighbour of the
    package directory counts only beside a ``pyproject.toml``, because in ``site-packages`` it belongs to somebody else.

    Args:
        name: one relative name, e.g. ``prompts``.

    Raises:
        ConfigurationError: neither place has it.
    """
    installed = _PACKAGE / "_data" / name
    if installed.exists():
        return installed
    checkout = _PACKAGE.parent / name
    if (_PACKAGE.parent / "pyproject.toml").is_file() and checkout.exists():
        return checkout
    raise ConfigurationError(
        f"Expected the packaged {name!r} at {installed} or {checkout}; neither exists.",
        remedy="Install the package again, or run from a complete checkout.",
        name=name,
    )


__all__ = ["data_path"]

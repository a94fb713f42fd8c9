"""Tokenizers of installed packages (extra ``tokens``): a ``tokenizer.json`` of an open model, or an encoding of tiktoken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from harness.errors import MissingExtra, SettingsError


def load_tokenizer(name: str, path: Path) -> Callable[[str], int]:
    """What gives the number of tokens of a text.

    Args:
        name: as the settings have it. ``path``: the same as a path; it is one when it ends with ``.json``.

    Raises:
        MissingExtra: the package is not installed. SettingsError: no such file or encoding, or it cannot be read. tiktoken
            fetches an encoding when it is first used, and needs the network for that (or its cache, TIKTOKEN_CACHE_DIR).
    """
    return _from_file(path) if name.endswith(".json") else _encoding(name)


def _from_file(path: Path) -> Callable[[str], int]:
    if not path.is_file():
        raise SettingsError(
            f"context.tokenizer names {path}, and there is no such file.",
            remedy="Give the tokenizer.json that comes with the model.",
            setting="context.tokenizer",
        )
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise MissingExtra(f"{path.name} needs the package tokenizers.", extra="tokens") from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:
        raise SettingsError(
            f"{path} is no tokenizer: {error}.",
            remedy="Give the tokenizer.json that comes with the model.",
            setting="context.tokenizer",
        ) from error
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def _encoding(name: str) -> Callable[[str], int]:
    try:
        import tiktoken
    except ImportError as error:
        raise MissingExtra(f"The encoding {name!r} needs the package tiktoken.", extra="tokens") from error
    known = tiktoken.list_encoding_names()
    try:
        encoding = tiktoken.get_encoding(name) if name in known else tiktoken.encoding_for_model(name)
    except KeyError as error:
        raise SettingsError(
            f"tiktoken has no encoding for {name!r}.",
            remedy=f"Name a tokenizer.json, one of {', '.join(sorted(known))}, or a model of OpenAI.",
            setting="context.tokenizer",
        ) from error
    except Exception as error:
        raise SettingsError(
            f"tiktoken could not fetch the encoding {name!r}: {type(error).__name__}.",
            remedy="Run once with a network, or point TIKTOKEN_CACHE_DIR at a folder that has it.",
            setting="context.tokenizer",
        ) from error
    return lambda text: len(encoding.encode_ordinary(text))

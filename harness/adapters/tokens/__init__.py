"""Tokenizers on this machine."""

from harness.adapters.tokens.installed import load_tokenizer

__all__ = ["load_tokenizer"]

"""Language packs: everything the rules know about a language, in one YAML file per language."""

from __future__ import annotations

from harness.language.pack import LanguagePack
from harness.language.packs import LanguagePacks, WrongFile, load_packs, load_readable

__all__ = ["LanguagePack", "LanguagePacks", "WrongFile", "load_packs", "load_readable"]

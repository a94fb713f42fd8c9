"""Language packs: everything the rules know about a language, in one YAML file per language."""

from __future__ import annotations

from harness.language.pack import LanguagePack
from harness.language.packs import LanguagePacks, load_packs

__all__ = ["LanguagePack", "LanguagePacks", "load_packs"]

"""Persona files: reading, checking, finding, listing and starting them.

A persona is one YAML file; ``docs/personas.md`` describes the format.
"""

from __future__ import annotations

from harness.persona.checking import check_persona
from harness.persona.finding import PersonaEntry, find_persona, list_personas
from harness.persona.reading import load_persona
from harness.persona.scaffold import new_persona, suggest_id
from harness.persona.source import Problem

__all__ = [
    "PersonaEntry",
    "Problem",
    "check_persona",
    "find_persona",
    "list_personas",
    "load_persona",
    "new_persona",
    "suggest_id",
]

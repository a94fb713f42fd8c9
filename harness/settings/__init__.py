"""Settings: one frozen, typed object, read once at the edge from defaults, a file and the environment."""

from harness.settings.reading import find_file, home, load, variable_name
from harness.settings.sections import SECTIONS, EngineSettings, LayerSettings, Loaded, LogSettings, Settings
from harness.settings.writing import to_toml

__all__ = [
    "SECTIONS",
    "EngineSettings",
    "LayerSettings",
    "Loaded",
    "LogSettings",
    "Settings",
    "find_file",
    "home",
    "load",
    "to_toml",
    "variable_name",
]

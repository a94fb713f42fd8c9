"""Settings: one frozen, typed object, read once at the edge from defaults, a file and the environment."""

from harness.settings.foreign import Row, Translation, form_of, translate
from harness.settings.layers import ConflictResolution, ContextSettings, Layers, LayerSettings
from harness.settings.reading import CHAT_HISTORY, find_file, home, load, read_raw, variable_name
from harness.settings.sections import SECTIONS, EngineSettings, Loaded, LogSettings, Settings
from harness.settings.writing import merged, to_toml

__all__ = [
    "CHAT_HISTORY",
    "SECTIONS",
    "ConflictResolution",
    "ContextSettings",
    "EngineSettings",
    "LayerSettings",
    "Layers",
    "Loaded",
    "LogSettings",
    "Row",
    "Settings",
    "Translation",
    "find_file",
    "form_of",
    "home",
    "load",
    "merged",
    "read_raw",
    "to_toml",
    "translate",
    "variable_name",
]

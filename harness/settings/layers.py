"""The sections on what the model sees: the four layers, and how the prompt is put together of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from harness.settings.section import Names, Section

LayerName = Literal["L0", "L1", "L2", "L3"]
PartName = Literal["L0", "summary", "history", "L1", "L2", "L3"]
ConflictResolution = Literal["higher_layer_wins", "newest_wins", "keep_both"]
Counting = Literal["auto", "endpoint", "tokenizer", "estimate"]

LAYERS: tuple[LayerName, ...] = ("L0", "L1", "L2", "L3")
VOLATILE: tuple[PartName, ...] = ("L1", "L2", "L3")
"""Parts that change with every turn."""
GRAPH = "graph"


class _Fields(Section):
    """A layer with a choice of what goes in.

    Attributes:
        KNOWN: the names that ``fields`` may have.
    """

    KNOWN: ClassVar[tuple[str, ...]] = ()
    fields: Names = ()

    @field_validator("fields")
    @classmethod
    def _are_known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        unknown = [name for name in value if name not in cls.KNOWN]
        if unknown:
            raise ValueError(f"no field {', '.join(map(repr, unknown))}; there are {', '.join(cls.KNOWN)}")
        return tuple(dict.fromkeys(value))


class AlwaysSettings(_Fields):
    """A layer that is in every prompt, whole."""

    enabled: bool = Field(default=True, description="Always true: this layer cannot be switched off.")
    always_inject: bool = Field(default=True, description="Always true: this layer is in every prompt.")
    max_tokens: int = Field(
        default=0,
        ge=0,
        description="Tokens above which the report warns; the layer is never cut. 0: no limit but the whole budget.",
    )

    @model_validator(mode="after")
    def _is_there(self) -> Self:
        if not (self.enabled and self.always_inject):
            raise ValueError("this layer cannot be switched off; leave parts of it out with fields")
        return self


class SystemSettings(AlwaysSettings):
    """Layer L0: who the character is."""

    KNOWN = ("role", "biography", "voice", "facts", "habits", "knowledge", "limits", "never_says", "examples")
    fields: Names = Field(
        default=KNOWN, description="What of the persona is told. Its name and how to speak as it always are."
    )


class WorkingSettings(AlwaysSettings):
    """Layer L1: what is so in this session. The facts told in it have ``harness.facts_max_tokens``."""

    KNOWN = ("task", "topic", "entities", "commitments", "emotion", "notices", "facts")
    top_k: int = Field(
        default=0, ge=0, description="Most facts of the session in one prompt; pinned ones always. 0: any."
    )
    similarity_threshold: float = Field(
        default=0.0,
        ge=0,
        description="Least score of a fact of the session that is shown, see the report; pinned ones always are.",
    )
    ttl_seconds: int = Field(
        default=0, ge=0, description="Seconds after which a fact that was not pinned is shown no more. 0: never."
    )
    fields: Names = Field(
        default=KNOWN,
        description="What goes in: the task, the topic, what references mean, open promises, moods, private remarks of the check, facts.",
    )


class LayerSettings(_Fields):
    """How one layer of memory is written and read."""

    KINDS: ClassVar[Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    """Which kinds of items each field stands for."""

    enabled: bool = Field(default=True, description="Write and read it.")
    always_inject: bool = Field(
        default=False, description="Show the best memories of it also when they have nothing to do with the message."
    )
    top_k: int = Field(default=5, ge=0, description="Most memories of it in one prompt.")
    max_tokens: int = Field(
        default=300, ge=0, description="Most tokens of them together; pinned ones are never left out."
    )
    similarity_threshold: float = Field(
        default=0.2, ge=0, le=1, description="Least relevance of a memory that is shown."
    )
    decay_half_life_hours: float = Field(default=24.0, gt=0, description="Hours after which recency is halved.")
    ttl_seconds: int = Field(default=0, ge=0, description="Seconds after which a memory is shown no more. 0: never.")

    def left_out(self) -> frozenset[str]:
        """The kinds of items that ``fields`` leave out."""
        return frozenset(kind for name, kinds in self.KINDS.items() if name not in self.fields for kind in kinds)


class EpisodicSettings(LayerSettings):
    """Layer L2 of memory: what was said in other sessions."""

    KNOWN = ("messages", "facts", "summary", "tool_results")
    KINDS = MappingProxyType(
        {"messages": ("message",), "facts": ("fact",), "summary": ("summary",), "tool_results": ("tool_result",)}
    )
    fields: Names = Field(
        default=KNOWN,
        description="What goes in: messages (earlier ones of this session too), facts, the summary (of this session too), results of tools.",
    )


class SemanticSettings(LayerSettings):
    """Layer L3 of memory: what holds for long."""

    KNOWN = ("facts", "preferences", "constraints", "notes", "messages", "summary", "tool_results", GRAPH)
    KINDS = MappingProxyType(
        {
            "facts": ("fact",),
            "preferences": ("preference",),
            "constraints": ("constraint",),
            "notes": ("note", "rule"),
            "messages": ("message",),
            "summary": ("summary",),
            "tool_results": ("tool_result",),
            GRAPH: (GRAPH, "relation"),
        }
    )
    top_k: int = Field(default=8, ge=0, description="Most memories of it in one prompt.")
    similarity_threshold: float = Field(
        default=0.15, ge=0, le=1, description="Least relevance of a memory that is shown."
    )
    decay_half_life_hours: float = Field(default=720.0, gt=0, description="Hours after which recency is halved.")
    fields: Names = Field(
        default=KNOWN,
        description="What goes in: facts that hold for long, preferences, constraints (an allergy), notes; messages, a summary and results of tools that outlived their task; neighbours in the graph.",
    )


class ContextSettings(Section):
    """How the prompt is put together."""

    injection_order: Names = Field(
        default=("L0", "summary", "history", "L2", "L3", "L1"),
        description="Order of the layers in the prompt, L0 first. Without summary and history these stand behind L0. Layers before the history give up the stable prefix.",
    )
    conflict_resolution: ConflictResolution = Field(
        default="higher_layer_wins",
        description="When this session and a memory say different things of the same: the session counts, or what was said last, or both are told and marked as not certain.",
    )
    token_counting: Counting = Field(
        default="auto",
        description="Who counts tokens: the endpoint (llama.cpp's and vLLM's /tokenize), the tokenizer named here, or an estimate that learns from the endpoint's usage; auto is the tokenizer when one is named, the endpoint when it is on this machine, else the estimate.",
    )
    tokenizer: str = Field(
        default="",
        description="A tokenizer.json file, or the name of an encoding of tiktoken such as o200k_base (extra tokens). Empty: none.",
    )

    @field_validator("injection_order")
    @classmethod
    def _is_an_order(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        """Names such as ``L1_working`` and ``l1`` count as their layer."""
        names = tuple(_part(name) for name in value)
        missing = [name for name in LAYERS if name not in names]
        if missing or len(set(names)) < len(names) or names[0] != "L0":
            raise ValueError(
                "expected each of L0, L1, L2, L3 once, L0 first, and summary and history where they belong, "
                f"got {', '.join(value) or 'nothing'}"
            )
        return names

    @property
    def order(self) -> tuple[PartName, ...]:
        """All parts in order."""
        named: list[PartName] = [*self.injection_order]  # type: ignore[list-item]  # checked above
        if "summary" not in named:
            named.insert(1, "summary")
        if "history" not in named:
            named.insert(named.index("summary") + 1, "history")
        return tuple(named)

    @property
    def unstable(self) -> tuple[PartName, ...]:
        """Parts that change with every turn and stand before some that do not: they end the stable prefix."""
        order = self.order
        last = max(order.index(name) for name in order if name not in VOLATILE)
        return tuple(name for name in order[:last] if name in VOLATILE)


def _part(name: str) -> str:
    """A part by any of its usual names."""
    short = name.strip()[:2].upper()
    if short in LAYERS:
        return short
    if name in ("summary", "history"):
        return name
    raise ValueError(f"no part {name!r}; there are L0, L1, L2, L3, summary, history")


@dataclass(frozen=True, slots=True)
class Layers:
    """What the builder of the prompt goes by: the settings of the four layers and of their order."""

    l0: SystemSettings = field(default_factory=SystemSettings)
    l1: WorkingSettings = field(default_factory=WorkingSettings)
    l2: EpisodicSettings = field(default_factory=EpisodicSettings)
    l3: SemanticSettings = field(default_factory=SemanticSettings)
    context: ContextSettings = field(default_factory=ContextSettings)

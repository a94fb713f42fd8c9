"""Settings of the graph."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from harness.settings.section import Section, VariableName


class GraphSettings(Section):
    """The graph of persons, places and organizations, and of what stands between them."""

    backend: Literal["auto", "off", "sqlite", "ladybug", "neo4j", "falkordb", "memory"] = Field(
        default="auto",
        description="sqlite, ladybug (extra graph), neo4j (extra neo4j), falkordb (extra falkordb), memory (gone at exit), or off; auto is sqlite or memory, as memory.backend is, and off without memory.",
    )
    path: str = Field(
        default="",
        description="The file of sqlite or ladybug. Empty: beside the memories' file, or in the data directory (HARNESS_HOME).",
    )
    url: str = Field(
        default="",
        repr=False,
        description="Address of a server: bolt://host:port or neo4j://host:port for neo4j, redis://host:port for falkordb. ${NAME} in it stands for an environment variable.",
    )
    database: str = Field(
        default="", description="Database of neo4j, or name of the graph on a FalkorDB server. Empty: the usual one."
    )
    user_env: VariableName = Field(
        default="NEO4J_USERNAME", description="Name of the environment variable that holds the user's name for neo4j."
    )
    password_env: VariableName = Field(
        default="NEO4J_PASSWORD",
        description="Name of the environment variable that holds the password for neo4j. The password itself never stands in a file.",
    )
    timeout_s: float = Field(
        default=5.0,
        gt=0,
        le=600,
        description="Seconds to wait for a connection, and for an answer, of a server or of ladybug.",
    )
    depth: int = Field(
        default=2, ge=1, le=4, description="Steps away from what a message names that the graph is looked through."
    )
    top_k: int = Field(default=6, ge=0, description="Most relations of it in one prompt. 0: none.")
    max_tokens: int = Field(default=150, ge=0, description="Most tokens of them together.")

"""Memory: what outlives a turn and a session, how it is written, and how it is found again."""

from harness.memory.background import Background
from harness.memory.bound import SessionMemory, Shared
from harness.memory.files import FileReport, MemoryFiles
from harness.memory.gating import Decision, WriteGate
from harness.memory.graphing import GraphPolicy, SharedGraph, remembering
from harness.memory.graphs import Graphs
from harness.memory.joined import JoinedStore
from harness.memory.memories import Memories
from harness.memory.policy import LayerPolicy, MemoryPolicy

__all__ = [
    "Background",
    "Decision",
    "FileReport",
    "GraphPolicy",
    "Graphs",
    "JoinedStore",
    "LayerPolicy",
    "Memories",
    "MemoryFiles",
    "MemoryPolicy",
    "SessionMemory",
    "Shared",
    "SharedGraph",
    "WriteGate",
    "remembering",
]

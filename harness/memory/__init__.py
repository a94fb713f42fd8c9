"""Memory: what outlives a turn and a session, how it is written, and how it is found again."""

from harness.memory.bound import SessionMemory, Shared
from harness.memory.memories import Memories
from harness.memory.policy import LayerPolicy, MemoryPolicy

__all__ = ["LayerPolicy", "Memories", "MemoryPolicy", "SessionMemory", "Shared"]

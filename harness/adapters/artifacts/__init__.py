"""Where long tool results are kept: files, or the process's own memory."""

from __future__ import annotations

from harness.adapters.artifacts.files import ArtifactFiles
from harness.adapters.artifacts.ram import InProcessArtifacts

__all__ = ["ArtifactFiles", "InProcessArtifacts"]

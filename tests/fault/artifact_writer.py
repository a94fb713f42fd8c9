"""Puts long texts one after the other and says each reference: ``artifact_writer.py FOLDER``."""

from __future__ import annotations

import asyncio
import sys
from itertools import count
from pathlib import Path

from harness.adapters.artifacts import ArtifactFiles


async def main() -> None:
    artifacts = ArtifactFiles(Path(sys.argv[1]))
    for number in count():
        print(await artifacts.put("s", f"{number} " * 40_000), flush=True)


asyncio.run(main())

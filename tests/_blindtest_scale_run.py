"""A run in a process of its own, to be killed: ``FOLDER LANGUAGE BASE_URL OUT EXECUTOR RESUME``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from tests._blindtest_scale import held

if __name__ == "__main__":
    folder, language, base_url, out, executor, resume = sys.argv[1:]
    asyncio.run(
        held(
            Path(folder),
            language,
            base_url,
            out=out,
            executor=executor,  # type: ignore[arg-type]  # one of the names, from a test
            jobs=2,
            trials=4,
            witness="bare",
            against=("steady",),
            resume=resume == "resume",
        )
    )

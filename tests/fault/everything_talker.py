"""A program that talks on and on with everything that can keep something switched on; the fault tests kill it. Prints the number of
each turn that its user has seen.

Run by the tests as ``python everything_talker.py LANGUAGE FOLDER OVERRIDES``, the last as JSON; never imported.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from tests.fault._talking import talking


async def main(code: str, folder: str, overrides: str) -> None:
    async with talking(code, Path(folder), json.loads(overrides)) as say:
        while True:
            print(await say(), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

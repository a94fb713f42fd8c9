"""A program that talks as one of the owners of :mod:`tests._owners`; two of them run at once on the same stores.

Run by the tests as ``python owner_talker.py OWNER LANGUAGE FOLDER OVERRIDES``, the last as JSON; never imported.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from harness.app import Harness
from tests._owners import OWNERS, answering, settings_for, talk


async def main(name: str, code: str, folder: str, overrides: str) -> None:
    owner = next(one for one in OWNERS if one.name == name)
    async with Harness(settings_for(Path(folder), json.loads(overrides)), model=answering(code)) as app:
        await talk(app, owner, code)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))

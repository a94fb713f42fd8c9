"""``python -m harness …`` is the command line ``harness …``, of this very interpreter and checkout."""

from __future__ import annotations

from harness.cli.main import main

if __name__ == "__main__":
    main()

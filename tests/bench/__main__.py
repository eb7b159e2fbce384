"""``python -m tests.bench``: every benchmark of speed, see ``speed``."""

from __future__ import annotations

import sys

from tests.bench.speed import main

if __name__ == "__main__":
    sys.exit(main())

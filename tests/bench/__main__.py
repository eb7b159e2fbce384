"""All benchmarks, one after the other: ``python -m tests.bench``.

Run it on an idle machine. The exit status is 1 where one of them is over its bar.
"""

from __future__ import annotations

import subprocess
import sys

NAMES = ("startup", "history_scale", "writers")


def main() -> int:
    """Run all; the exit status."""
    worst = 0
    for name in NAMES:
        print(f"== {name}", flush=True)
        worst = max(worst, subprocess.run([sys.executable, "-m", f"tests.bench.{name}"]).returncode)
        print(flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())

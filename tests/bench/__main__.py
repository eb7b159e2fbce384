"""All benchmarks, one after the other: ``python -m tests.bench [--repository PATH]``.

Those that need a real repository run where one is given. Run it on an idle machine. The exit status
is 1 where one of them is over its bar.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

NAMES = ("startup", "history_scale", "writers", "warm")
OF_A_REPOSITORY = ("search", "index")


def main() -> int:
    """Run all; the exit status."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repository", help="what to clone, such as a clone of flask")
    given = options.parse_args()
    todo = [(name, list[str]()) for name in NAMES]
    if given.repository:
        todo += [(name, ["--repository", given.repository]) for name in OF_A_REPOSITORY]
    worst = 0
    for name, words in todo:
        print(f"== {name}", flush=True)
        done = subprocess.run([sys.executable, "-m", f"tests.bench.{name}", *words])
        worst = max(worst, done.returncode)
        print(flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())

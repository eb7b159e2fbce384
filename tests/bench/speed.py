"""Every bar on speed, in one table: each benchmark is run by itself, its verdict is collected.

    python -m tests.bench [--repository PATH] [--corpus FOLDER ...] [--only startup,warm]
                          [--places FOLDER]

Run it on an idle machine; it takes half an hour. Those about a real repository clone the one that
``--repository`` names (flask, say), and are told and passed over without it. ``--corpus`` names
folders of source to read, without which ``parsing`` measures one edit only. ``--places`` names a
folder in which those benchmarks that can keep their stores for the next run. The exit status is 1
where one of them is over its bar.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from tests.bench import measure

# Module -> what its bars are about. The modules hold the bars themselves.
BENCHES = {
    "startup": "CPU of a whole command, as a multiple of a bare Python's",
    "history_scale": "orient in a long history, as a multiple of a short one's",
    "writers": "wall time of a write while eight processes write",
    "hooks": "what the hooks add to a commit and to a rebase",
    "search": "a search as a process of its own",
    "warm": "a search asked of a running server, 100,000 pieces",
    "index": "a first and a no-change index run",
    "parsing": "cutting files by their syntax",
}
_KEEPS = ("startup", "warm")
_OF_A_REPOSITORY = ("search", "index")
_OVER = "OVER THE BAR: "


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help=f"some of {','.join(BENCHES)}")
    parser.add_argument("--places")
    parser.add_argument("--repository")
    parser.add_argument("--corpus", nargs="*", default=[])
    given = parser.parse_args()
    expected = [name for name in given.only.split(",") if name] or list(BENCHES)
    if unknown := set(expected) - set(BENCHES):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}")
    rows = [_row(name, given) for name in expected]
    print(measure.machine())
    print(measure.table(("benchmark", "seconds", "verdict"), [row[:3] for row in rows]))
    for name, _, _, failures in rows:
        for failure in failures:
            print(f"{name}: {failure}")
    return 1 if any(row[2] in ("over", "failed") for row in rows) else 0


def _row(name: str, given: argparse.Namespace) -> tuple[str, float, str, list[str]]:
    """Name, seconds, verdict, and what was over its bar."""
    if name in _OF_A_REPOSITORY and not given.repository:
        return name, 0.0, "needs --repository", []
    print(f"== {name}: {BENCHES[name]}", flush=True)
    words = ["--keep", str(Path(given.places, name))] if given.places and name in _KEEPS else []
    if name in _OF_A_REPOSITORY:
        words += ["--repository", given.repository]
    if name == "parsing" and given.corpus:
        words += ["--corpus", *given.corpus]
    begin = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", f"tests.bench.{name}", *words], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        lines = []
        for line in child.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip())
    print(flush=True)
    failures = [line.removeprefix(_OVER) for line in lines if line.startswith(_OVER)]
    verdict = "over" if failures else "within" if not child.returncode else "failed"
    return name, time.perf_counter() - begin, verdict, failures


if __name__ == "__main__":
    sys.exit(main())

"""The redactor: what it finds by format and context, what it takes wrongly, and how fast it is.

    python -m tests.bench.secrets [--seed WORD] [--all] [FOLDER ...]

Prints the formats and contexts of which something was missed (``--all``: each), and for every
folder the lines in which something was redacted, to be judged by eye, and lines per second of CPU.
The exit status is 1 below 99 % or below 50,000 lines a second.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gitmem.text.redact import redact
from tests.bench import measure
from tests.text.secret_table import Sample, left_in, samples

LEAST_FOUND = 0.99
LEAST_SPEED = 50_000
SOURCES = frozenset(
    (
        *(".c", ".cs", ".css", ".go", ".h", ".html", ".java", ".js", ".json", ".kt", ".md", ".php"),
        *(".py", ".rb", ".rs", ".rst", ".sh", ".sql", ".swift", ".toml", ".ts", ".yaml", ".yml"),
    )
)


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="*", type=Path)
    parser.add_argument("--seed", default="bench")
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    print(measure.machine())
    failures = _recall(list(samples(given.seed)), everything=given.all)
    for folder in given.folder:
        failures += _precision(folder)
    return measure.verdict(failures)


def _recall(made: list[Sample], *, everything: bool) -> list[str]:
    missed = [sample for sample in made if left_in(sample, redact(sample.text).text)]
    for head, key in (("format", _format), ("context", _context)):
        lost, total = Counter(map(key, missed)), Counter(map(key, made))
        rows = [(name, n - lost[name], lost[name]) for name, n in total.items()]
        print(measure.table((head, "found", "missed"), [r for r in rows if everything or r[2]]))
    for sample in missed:
        print(f"missed: {sample.text!r}")
    found = 1 - len(missed) / len(made)
    print(f"{found:.2%} of {len(made)} texts")
    return [] if found >= LEAST_FOUND else [f"{found:.2%} found, not {LEAST_FOUND:.0%}"]


def _format(sample: Sample) -> str:
    return sample.format


def _context(sample: Sample) -> str:
    return sample.context


def _precision(folder: Path) -> list[str]:
    lines = list(_lines(folder))
    begin = time.process_time()
    taken = [(line, result) for line in lines if (result := redact(line)).found]
    speed = len(lines) / max(time.process_time() - begin, 1e-9)
    for line, result in taken:
        print(f"{', '.join(result.found)}: {line.strip()[:120]}")
    print(
        f"{folder.name}: {len(taken)} of {len(lines)} lines redacted, {speed:,.0f} lines/s of CPU"
    )
    return [] if speed >= LEAST_SPEED else [f"{speed:,.0f} lines/s, not {LEAST_SPEED:,}"]


def _lines(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*")):
        if path.suffix in SOURCES and path.is_file():
            yield from path.read_text("utf-8", "replace").splitlines()


if __name__ == "__main__":
    sys.exit(main())

"""What the pages of `gitmem serve` cost in a large store: CPU of the server, and bytes.

    python -m tests.bench.pages --keep FOLDER [--runs 9]

The folder is one that ``tests.bench.startup --keep`` filled. The CPU is that of the server and of
the git processes that it waited for. The bars: 100 ms at the median, 100 KB.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from gitmem.http.pages.table import PAGES
from tests.bench import measure
from tests.http.conftest import Serving, serving
from tests.support.repos import isolated_environment

BAR_MS, BAR_BYTES = 100.0, 100_000


def main() -> int:
    """Run it; the exit status."""
    options = measure.arguments(__doc__ or "", 9)
    options.add_argument("--keep", required=True, help="the folder with the store")
    given = options.parse_args()
    place = Path(given.keep)
    rows, failures = [], []
    with serving(place / "repo", isolated_environment(place / "home")) as server:
        for path in paths(server):
            server.get(path)
            times, size = [], 0
            for _ in range(given.runs):
                before = _cpu(server.process.pid)
                size = len(server.get(path, Accept="text/html").body)
                times.append(_cpu(server.process.pid) - before)
            rows.append((path[:60], median(times), max(times), size))
            if median(times) > BAR_MS or size > BAR_BYTES:
                failures.append(f"{path[:60]}: {median(times):.0f} ms, {size:,} bytes")
    print(measure.machine())
    print(measure.table(("page", "CPU ms, median", "most", "bytes"), rows))
    return measure.verdict(failures)


def paths(server: Serving) -> list[str]:
    """A path for each page, of a memory that is there."""
    memory = server.get("/memories.json").json["memories"][0]["id"]
    plain = [page.path for page in PAGES if "{" not in page.path]
    more = [f"/memories/{memory}", f"/memories/{memory}/edit", "/memories?kind=fix&offset=400"]
    searches = ["/search?q=build+cache", "/search?q=how+is+the+total+computed"]
    searches += ["/search?q=build&show=context"]
    return [*plain, *more, *searches, "/memories?q=build", "/agents?since=all", "/commits/HEAD"]


def _cpu(process: int) -> float:
    """Milliseconds of CPU of a process and of its children that ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) * 10.0


if __name__ == "__main__":
    sys.exit(main())

"""`gitmem similar-bugs`: whether one of the first five past fixes changed a file of the new fix.

    python -m tests.bench.past_fixes --clones DIR [DIR ...] [--each 12] [--held]

Cases and texts are those of ``tests.bench.why_broke``: fixes, asked by their subject and the names
of their tests in the work tree of their parent, never by their diff. Counted are source files that
the fix changes and one of the first five changed too; compared with the newest five fixes, and with
the five commits of any kind whose messages fit best.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from gitmem.app import App
from gitmem.history import culprits, past_fixes
from gitmem.search import query
from gitmem.store.code import code_search, commits
from tests.bench import measure, stores, why_broke
from tests.bench.why_broke import TOP, Case

_NAMES = ("similar-bugs", "newest fixes", "messages")


def main(words: list[str] | None = None) -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clones", required=True, nargs="+")
    parser.add_argument("--each", type=int, default=12)
    parser.add_argument("--held", action="store_true")
    given = parser.parse_args(words)
    clones = why_broke.clones_in(given.clones)
    rows, every = [], list[tuple[Sequence[bool], float]]()
    with stores.home(None) as place:
        for clone in [item for n, item in enumerate(clones) if n % 2 == int(given.held)]:
            some = why_broke.cases(clone, given.each)
            found = _outcomes(clone, place / "fixes" / clone.name, some)
            every += found
            rows += [(clone.name, *_report(found))] if found else []
    print(measure.machine())
    if every:
        heads = ("repository", "cases", "CPU s", *_NAMES)
        print(measure.table(heads, [*rows, ("all", *_report(every))]))
    return 0


def _outcomes(
    clone: Path, folder: Path, given: Sequence[Case]
) -> list[tuple[Sequence[bool], float]]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "-q", "--shared", str(clone), str(folder)], check=True)
    settings = stores.settings(folder.parent)
    found = []
    for case in given:
        why_broke.git(folder, "checkout", "-q", "--force", "--detach", case.parent)
        app = stores.app_in(folder, settings)
        stores.set_up(app)
        stores.refreshed(app)
        try:
            found.append(_outcome(app, case, folder))
        finally:
            app.close()
    return found


def _outcome(app: App, case: Case, folder: Path) -> tuple[Sequence[bool], float]:
    names = why_broke.git(folder, "diff", "--name-only", case.parent, case.fix).split("\n")
    expected = {name for name in names if name and culprits.has_source_file([name])}
    begin = time.process_time()
    ours, _ = past_fixes.find_past_fixes(app, case.text, TOP)
    seconds = time.process_time() - begin
    log = commits.commits_in_period(app.store, limit=3000)
    newest = [item for item in log if past_fixes.is_fix_commit(item)][:TOP]
    expression = " OR ".join(item.expression for item in query.parse_terms(case.text))
    best = code_search.best_matching_rows(app.store, "message", expression, TOP)
    alike = commits.commits_by_row_number(app.store, [number for number, _ in best]).values()
    ways = ([our.commit for our in ours], newest, list(alike))
    return [any(expected & set(item.paths) for item in way) for way in ways], seconds


def _report(found: Sequence[tuple[Sequence[bool], float]]) -> tuple[object, ...]:
    shares = [sum(item[place] for item, _ in found) / len(found) for place in range(len(_NAMES))]
    median = sorted(seconds for _, seconds in found)[len(found) // 2]
    return (len(found), f"{median:.2f}", *(f"{share:.0%}" for share in shares))


if __name__ == "__main__":
    sys.exit(main())

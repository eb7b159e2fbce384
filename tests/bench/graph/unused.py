"""Whether `impact` calls unused what is used: drawn names against `git grep`.

``python -m tests.bench.graph.unused REPOSITORY... [--names 50] [--seed 7] [--show N]``

From each repository, which has an index of yours, functions, methods and types are drawn by a fixed
seed. A name is used where `git grep` has the word in the name's own folder, in a file of the same
ending, outside of the lines of all definitions of that name; what a function defines for itself is
used in the lines of that function alone, and a file that defines the name means its own. Wrong is
an answer of low risk that lists no user and says nothing of what it cannot know. Counted as well is
how often nothing can be said but "unknown": an answer that always says so would never be wrong.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
from collections import Counter
from pathlib import Path

from gitmem import operations
from gitmem.app import App
from gitmem.clock import SystemClock
from gitmem.code_relations import graph_target
from gitmem.graph.source_file import CALLABLE
from gitmem.settings import Settings
from gitmem.store.code import symbols as code_symbols

KINDS = ("function", "method", "class", "struct", "interface", "enum", "trait", "protocol", "type")
Drawn = tuple[str, str, str]  # path, name with those around it, name


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("repositories", type=Path, nargs="+")
    options.add_argument("--names", type=int, default=50)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--show", type=int, default=0)
    query = options.parse_args()
    total: Counter[str] = Counter()
    for root in query.repositories:
        counts, wrong = judged(root.resolve(), query.names, query.seed)
        tell(root.name, counts)
        for line in wrong[: query.show]:
            print(f"  wrong: {line}")
        total += counts
    tell("together", total)


def tell(name: str, counts: Counter[str]) -> None:
    """A line with the numbers of a repository."""
    print(
        f"{name}: {counts['names']} names, {counts['used']} used nearby; called unused though used "
        f"{counts['wrong']}; users listed {counts['listed']}, said to be unknown "
        f"{counts['unknown']}, rightly unused {counts['unused']}"
    )


def judged(root: Path, names: int, seed: int) -> tuple[Counter[str], list[str]]:
    """The numbers of one repository, and what is wrong."""
    app = App(Settings(dict(os.environ)), SystemClock(), str(root))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    try:
        spans = definitions(app)
        for path, qualified, name in drawn(app, names, seed):
            used = places(root, path, name, spans, holder(app, path, qualified))
            answer = operations.load_operation("impact").run_request(
                app, operations.load_operation("impact").request_class(target=f"{path}:{qualified}")
            )
            unused = answer.risk.level == "low" and not answer.files
            counts["names"] += 1
            counts["used"] += bool(used)
            counts["listed"] += bool(answer.files)
            counts["unknown"] += answer.risk.level == "unknown"
            counts["unused"] += unused and not used
            if unused and used:
                counts["wrong"] += 1
                wrong.append(f"{path}:{qualified}, used in {used[0]}")
    finally:
        app.close()
    return counts, wrong


def drawn(app: App, names: int, seed: int) -> list[Drawn]:
    """Definitions of a repository, by a fixed seed."""
    marks = ",".join("?" * len(KINDS))
    rows = app.store.rows(
        "SELECT p.path, s.container, s.name FROM symbols s JOIN paths p ON p.blob = s.blob "
        f"WHERE p.tree = ? AND s.kind IN ({marks}) AND length(s.name) > 2 "
        "ORDER BY p.path, s.start_line, s.name",
        (app.worktree, *KINDS),
    )
    chosen = random.Random(seed).sample(rows, min(names, len(rows)))
    return [(path, f"{outer}.{name}" if outer else name, name) for path, outer, name in chosen]


def holder(app: App, path: str, qualified: str) -> range | None:
    """The lines of the function that a name is local to, None for one that is not."""
    outer = qualified.rpartition(".")[0]
    for item in code_symbols.symbols_of_path(app.store, app.worktree, path):
        if graph_target.qualified_symbol_name(item) == outer and item.kind in CALLABLE:
            return range(item.start_line, item.end_line + 1)
    return None


def definitions(app: App) -> dict[tuple[str, str], list[tuple[int, int]]]:
    """(path, name) -> the lines of its definitions."""
    rows = app.store.rows(
        "SELECT p.path, s.name, s.start_line, s.end_line FROM symbols s "
        "JOIN paths p ON p.blob = s.blob WHERE p.tree = ?",
        (app.worktree,),
    )
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for path, name, first, last in rows:
        found.setdefault((path, name), []).append((first, last))
    return found


def places(
    root: Path,
    path: str,
    name: str,
    spans: dict[tuple[str, str], list[tuple[int, int]]],
    within: range | None,
) -> list[str]:
    """Where `git grep` has a name in its folder, outside of what defines it."""
    folder, ending = os.path.dirname(path), path.rpartition(".")[2]
    run = subprocess.run(
        ["git", "grep", "-nwF", "-e", name, "--", f":(glob){folder or '.'}/*.{ending}"],
        cwd=root,
        capture_output=True,
        text=True,
        errors="replace",
    )
    found = []
    for row in run.stdout.splitlines():
        place, line, _ = row.split(":", 2)
        if place != path and (place, name) in spans:
            continue  # its own
        if within is not None and (place != path or int(line) not in within):
            continue
        if not any(first <= int(line) <= last for first, last in spans.get((place, name), ())):
            found.append(f"{place}:{line}")
    return found


if __name__ == "__main__":
    main()

"""Whether files that changed together go on doing so: what is derived, held against later commits.

    python -m tests.bench.derived --repository PATH [--repository PATH ...]

At every 500th commit of a history from the 1,000th on, what the 500 commits before show is held
against the 300 that follow. A fact that is tried less than three times there is not judged.
"""

from __future__ import annotations

import argparse

from gitmem.git import history
from gitmem.maintenance import derive
from gitmem.timeline import co_change

FIRST, STEP, AHEAD, FEWEST_TRIED = 1_000, 500, 300, 3


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repository", action="append", required=True)
    points = facts = 0
    shares: list[tuple[int, int]] = []
    for path in parser.parse_args().repository:
        log = [item.paths for item in history.list_commits(path, with_paths=True, merges=False)][
            ::-1
        ]
        for at in range(FIRST, len(log) - AHEAD, STEP):
            found = derive.pairs_changed_together(log[at - derive.WINDOW : at])[
                : derive.MAX_PROPOSALS
            ]
            points, facts = points + 1, facts + len(found)
            shares += [_held(item, log[at : at + AHEAD]) for item in found]
    judged = [(held, tried) for held, tried in shares if tried >= FEWEST_TRIED]
    held, tried = (sum(column) for column in zip(*judged, strict=True))
    lowest = min(item / of for item, of in judged)
    print(
        f"{points} points, {facts} facts, {len(judged)} of them tried {FEWEST_TRIED} times or more"
    )
    print(f"they held in {held} of {tried} cases ({held / tried:.2f}), the worst in {lowest:.2f}")
    return 0


def _held(bound: co_change.DependentFilePair, log: list[tuple[str, ...]]) -> tuple[int, int]:
    tried = [paths for paths in log if bound.path in paths]
    return sum(bound.other in paths for paths in tried), len(tried)


if __name__ == "__main__":
    raise SystemExit(main())
